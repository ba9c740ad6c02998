"""A real browser: Debian's Chromium, without a screen, driven by playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from mococo.cli.main import main
from tests.cli.conftest import train_words

# As root, and in a network that refuses what Chromium would like to ask for.
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


@dataclass
class Opened:
    """A page, and what it did."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


Open = Callable[..., Any]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    program = shutil.which("chromium")
    if program is None and "CI" not in os.environ:
        pytest.skip("chromium is not installed, and make test could not install it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def opened(browser: Browser) -> Open:
    """Opens an address in a window of its own."""

    @contextmanager
    def open_page(address: str | Path, **options: Any) -> Iterator[Opened]:
        context = browser.new_context(**({"viewport": {"width": 1300, "height": 900}} | options))
        page = context.new_page()
        page.set_default_timeout(20_000)
        seen = Opened(page)
        page.on("request", lambda request: seen.requests.append(request.url))
        page.on("console", lambda message: seen.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: seen.complaints.append(str(error)))
        page.on("dialog", lambda dialog: (seen.complaints.append("a dialog"), dialog.dismiss()))
        page.goto(address.as_uri() if isinstance(address, Path) else address)
        page.wait_for_selector("#front-plot .main-svg")
        yield seen
        context.close()

    return open_page


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a front of several policies, only to be read."""
    path = tmp_path_factory.mktemp("browser") / "run"
    words = train_words(path, "--num-gens", "8", "--db-pop-size", "60", "--rb-pop-size", "120", seed=1)
    assert main(list(words)) == 0
    return path


@pytest.fixture(scope="session")
def report_file(run_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its explorer."""
    path = tmp_path_factory.mktemp("report") / "explorer.html"
    assert main(["report", str(run_folder), "-o", str(path)]) == 0
    return path
