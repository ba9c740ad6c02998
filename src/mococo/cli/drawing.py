"""Fuzzy sets drawn with characters: a line for each set, its height the truth along the feature's domain."""

from __future__ import annotations

import sys

import numpy as np

from mococo.cli.text import width
from mococo.policy import Policy

_BLOCKS = " ▁▂▃▄▅▆▇█"
_ASCII = " .:-=+*#@"
_WIDEST = 60


def draw_sets(policy: Policy) -> str:
    """All features of a policy."""
    ramp = _BLOCKS if _can_print(_BLOCKS) else _ASCII
    label = max(len(name) for names in policy.set_names for name in names)
    columns = max(10, min(_WIDEST, width() - label - 16))
    lines = []
    for f, feature in enumerate(policy.features):
        lines.append(f"  {feature.name}")
        xs = np.linspace(feature.low, feature.high, columns)
        refs = policy.reference_coordinates[f]
        for j, name in enumerate(policy.set_names[f]):
            # A partition is what linear interpolation does: 1 at the set's own coordinate, 0 at the others'.
            truth = np.interp(xs, refs, np.arange(len(refs)) == j)
            bars = "".join(ramp[round(t * (len(ramp) - 1))] for t in truth.tolist())
            lines.append(f"    {name:<{label}} |{bars}| {refs[j]:.4g}")
        low, high = f"{feature.low:g}", f"{feature.high:g}"
        lines.append(f"    {'':<{label}}  {low}{high.rjust(columns - len(low))}")
    return "\n".join(lines)


def _can_print(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
