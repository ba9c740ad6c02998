"""Tells when numba compiles, which may take seconds, and how far it is; loading from its cache does not count."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

# What a run calls, in this order. Which of the two kinds of rollout are needed depends on the subspecies.
PARTS = {
    "distinct_pairs": "equal solutions",
    "reference_coordinates": "fuzzy sets",
    "knot_slopes": "fuzzy sets",
    "cnf_rules": "rules",
    "planar": "rollouts",
    "general": "rollouts",
    "front_ranks": "ranks",
}


@contextmanager
def compile_notice(notify: Callable[[str], None]) -> Iterator[None]:
    """Call `notify` with how far it is, whenever the compilation of a kernel starts inside this block."""
    from numba.core import event

    class Listener(event.Listener):
        depth = 0  # the kernel that was called compiles the functions that it calls; numba does this under a lock

        def on_start(self, event: event.Event) -> None:
            self.depth += 1
            if self.depth == 1:
                notify(how_far(event.data["dispatcher"].py_func.__name__))

        def on_end(self, event: object) -> None:
            del event
            self.depth -= 1

    listener = Listener()
    event.register("numba:compile", listener)  # type: ignore[no-untyped-call]  # numba ships no types
    try:
        yield
    finally:
        event.unregister("numba:compile", listener)  # type: ignore[no-untyped-call]


def how_far(kernel: str) -> str:
    """The kernel among those of a run; others are just named.

    >>> how_far("planar"), how_far("infer")
    ('part 5 of 7, rollouts', 'infer')
    """
    if kernel not in PARTS:
        return kernel
    return f"part {list(PARTS).index(kernel) + 1} of {len(PARTS)}, {PARTS[kernel]}"
