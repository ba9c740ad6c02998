"""`mococo watch`: the page follows a run's folder, and the server ends with both."""

from __future__ import annotations

import os
import shutil
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from mococo.report import live
from mococo.report.live import Live
from mococo.runs.reading import read_run
from tests.browser.conftest import Open


@pytest.fixture
def going(run_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run of which two generations are done, with a process that is at work in it: this one."""
    monkeypatch.setattr(live, "_RELOADING", 0.2)
    path = Path(shutil.copytree(run_folder, tmp_path / "run"))
    lines = (path / "events.jsonl").read_bytes().splitlines(keepends=True)
    (path / "events.jsonl").write_bytes(b"".join(lines[:2]) + lines[2][:20])
    (path / ".lock").write_text(f"pid {os.getpid()} on {socket.gethostname()}\n")
    for name in ("archive.json", "front.json"):
        (path / name).unlink()
    return path


@pytest.fixture
def served(going: Path) -> Iterator[tuple[Live, threading.Thread]]:
    server, over = Live(going, 0), threading.Event()
    thread = threading.Thread(target=server.follow, args=(over.is_set,))
    thread.start()
    yield server, thread
    over.set()
    thread.join(10)
    assert not thread.is_alive()


def test_the_page_follows_the_run_to_its_end(
    opened: Open, run_folder: Path, going: Path, served: tuple[Live, threading.Thread]
) -> None:
    run = read_run(run_folder)
    server, thread = served
    lines = (run_folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    with opened(server.url) as seen:
        page, tiles = seen.page, seen.page.locator("#tiles")
        expect(tiles).to_contain_text("2 of 8")
        expect(page.locator("#state")).to_have_text("seed 1, going on")
        with (going / "events.jsonl").open("ab") as file:
            file.write(lines[2][20:] + lines[3])
        expect(tiles).to_contain_text("4 of 8")
        expect(tiles).to_contain_text("Time left")
        speed = sum(r.evaluations for r in run.history[1:4]) / sum(r.seconds for r in run.history[1:4])
        shown = page.evaluate(
            "() => total(run.records.slice(1), 'evaluations') / total(run.records.slice(1), 'seconds')"
        )
        assert shown == pytest.approx(speed)
        last = page.evaluate("() => byId('front-plot').data.at(-1)")
        assert last["name"] == "generation 3"
        assert dict(zip(last["x"], last["y"], strict=True)) == run.history[3].best
        page.locator("#generation").fill("1")
        expect(page.locator("#front-note")).to_have_text("F₁ of generation 1")
        (going / "events.jsonl").write_bytes(b"".join(lines[:3]) + b"damaged\n")
        expect(page.locator("#state")).to_contain_text("events.jsonl, line 4: damaged")
        shutil.copy(run_folder / "events.jsonl", going)
        shutil.copy(run_folder / "archive.json", going)
        (going / ".lock").unlink()
        expect(tiles).to_contain_text("8 of 8")
        expect(page.locator("#state")).to_have_text("seed 1, all generations are done")
        expect(page.locator("#hint")).to_contain_text("mococo report")
        across, half = (page.locator(part).bounding_box() for part in ("main > .whole", "main > section:last-child"))
        assert across is not None
        assert half is not None
        assert across["width"] > 1.9 * half["width"]  # progress above, front and hypervolume side by side below
        assert thread.is_alive()
        assert seen.complaints == []
        assert {url.removeprefix(server.url) for url in seen.requests if url.startswith("http")} == {"", "news"}
    thread.join(10)
    assert not thread.is_alive()


def test_only_this_machine_and_only_two_addresses(served: tuple[Live, threading.Thread]) -> None:
    server, _ = served
    assert server.server_address[0] == "127.0.0.1"

    def code(path: str, host: str = f"127.0.0.1:{server.server_port}") -> int:
        request = urllib.request.Request(f"http://127.0.0.1:{server.server_port}{path}", headers={"Host": host})
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return error.code

    assert code("/") == 200
    assert code("/", f"localhost:{server.server_port}") == 200
    assert code("/", "evil.example") == 403
    assert code("/news", "evil.example") == 403
    for path in ("/config.json", "/../config.json", "//etc/passwd", "/%2e%2e/etc/passwd", "/news/x", "/?x"):
        assert code(path) == 404
