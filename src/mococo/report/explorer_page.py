"""The explorer: one HTML file."""

from __future__ import annotations

from mococo.report.explorer import ExplorerData
from mococo.report.page import page

# What draws, then what the panels share, the panels, and what links them; the last one begins.
_SCRIPTS = (
    "plotly", "fuzzy.js", "elements.js", "scenes.js", "pictures.js", "plots.js", "map_plot.js",
    "state.js", "slot.js",
    "front.js", "episode.js", "story.js", "rules.js", "versus.js", "sets.js", "action_map.js", "scores.js",
    "choosing.js", "explorer.js",
)  # fmt: skip


def explorer_page(data: ExplorerData, name: str) -> bytes:
    """The page of these data; `name` is that of the run or of the experiment."""
    return page("explorer.html", f"{data.env}: {name}", _SCRIPTS, data)
