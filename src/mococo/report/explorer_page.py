"""The explorer: one HTML file."""

from __future__ import annotations

from mococo.report.explorer import ExplorerData
from mococo.report.page import page

_SCRIPTS = ("plotly", "fuzzy.js", "elements.js", "scenes.js", "pictures.js", "plots.js", "explorer.js")


def explorer_page(data: ExplorerData, name: str) -> bytes:
    """The page of these data; `name` is that of the run or of the experiment."""
    return page("explorer.html", f"{data.env}: {name}", _SCRIPTS, data)
