"""HTML pages that need nothing but themselves: styles, scripts and data stand inside, and nothing else may run."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import msgspec

from mococo.errors import MissingExtra

_PLACE = re.compile(r"\{\{(\w+)\}\}")
# Plotly and our own scripts set styles; images are those that a script has drawn. All else is forbidden.
_POLICY = (
    "default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data: blob:; connect-src {connect}; "
    "base-uri 'none'; form-action 'none'"
)


def page(template: str, title: str, scripts: Sequence[str], data: object, connect: str = "'none'") -> bytes:
    """A page from a template in `web/`, the names of scripts there, and data that the scripts read.

    `connect` is where its scripts may ask for more. "plotly" among the scripts is the library's own.
    """
    texts = [plotly_script() if name == "plotly" else web_file(name) for name in scripts]
    hashes = " ".join(f"'sha256-{_digest(text)}'" for text in texts)
    parts = {
        "policy": _POLICY.format(scripts=hashes, connect=connect),
        "title": html.escape(title),
        "style": web_file("page.css"),
        "data": as_json(data),
        "scripts": "\n".join(f"<script>{text}</script>" for text in texts),
    }
    # One pass, so that nothing in the data is taken for a place.
    return _PLACE.sub(lambda place: parts[place[1]], web_file(template)).encode(errors="replace")


def as_json(data: object) -> str:
    """JSON that may stand inside a script element: there, only `<` could end it or begin a comment."""
    return msgspec.json.encode(data).decode().replace("<", "\\u003c")


@cache
def web_file(name: str) -> str:
    """A file of `mococo/report/web`."""
    return (files("mococo.report") / "web" / name).read_text(encoding="utf-8")


@cache
def plotly_script() -> str:
    """Plotly's script as its Python package brings it."""
    try:
        from plotly.offline import get_plotlyjs
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "plotly":
            raise
        raise MissingExtra("the explorer needs plotly, which is not installed: pip install mococo[plot]") from None
    text = str(get_plotlyjs()).replace("\r\n", "\n")
    if "</script" in text.lower():
        raise AssertionError("plotly's script would end its element early")
    return text


@cache
def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
