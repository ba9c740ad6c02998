"""A page that follows a run, served to this machine only. It is told what is new as long as it is open."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import msgspec

from mococo.errors import RunError
from mococo.report.following import Follower
from mococo.report.page import page

HOST = "127.0.0.1"
_LOOK = 0.5  # seconds between two looks at the folder
_RELOADING = 3.0  # seconds after which a page that went away is taken for closed
_UNSEEN = 600.0  # seconds that the page of a run that has ended waits for somebody to open it
_SCRIPTS = ("plotly", "elements.js", "plots.js", "watch.js")


class Live(ThreadingHTTPServer):
    """Serves one run."""

    daemon_threads = True
    allow_reuse_address = False

    def __init__(self, path: Path, port: int) -> None:
        self.follower = Follower(path)
        self.follower.look()
        config = self.follower.config
        about = {"env": config.env, "seed": config.seed, "name": path.resolve().name, "path": str(path)}
        self.content = page("watch.html", f"{config.env}: {about['name']}", _SCRIPTS, about, connect="'self'")
        self.changed = threading.Condition()
        self.pages = 0
        self._seen, self._left = False, time.monotonic()
        try:
            super().__init__((HOST, port), _Handler)
        except OSError as error:
            raise RunError(
                f"port {port} cannot be used ({error.strerror}); name another with --port, or none to have one chosen"
            ) from None

    @property
    def url(self) -> str:
        """Where the page is."""
        return f"http://{HOST}:{self.server_port}/"

    def follow(self, stopped: Callable[[], bool] = lambda: False) -> None:
        """Serve until the run has ended and the page is closed."""
        thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
        thread.start()
        try:
            while not stopped() and not self._over():
                time.sleep(_LOOK)
                with self.changed:
                    self.follower.look()
                    self.changed.notify_all()
        finally:
            self.shutdown()
            self.server_close()

    def _over(self) -> bool:
        if self.pages or (self.follower.state == "running" and not self.follower.error):
            return False
        return time.monotonic() - self._left > (_RELOADING if self._seen else _UNSEEN)

    def entered(self) -> None:
        """A page was opened."""
        with self.changed:
            self.pages += 1
            self._seen = True

    def left(self) -> None:
        """A page was closed."""
        with self.changed:
            self.pages -= 1
            self._left = time.monotonic()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever asked has gone; nobody is there to be told."""


class _Handler(BaseHTTPRequestHandler):
    """Two fixed addresses, for requests that name this machine: others come from a page elsewhere."""

    server: Live
    server_version = "mococo"
    sys_version = ""

    def do_GET(self) -> None:
        """Answer."""
        if self.headers.get("Host") not in {f"{name}:{self.server.server_port}" for name in (HOST, "localhost")}:
            self.send_error(403, "This page is for this machine only")
        elif self.path == "/":
            self._begin(200, "text/html; charset=utf-8", len(self.server.content))
            self.wfile.write(self.server.content)
        elif self.path == "/news":
            self._news()
        else:
            self.send_error(404, "There is only one page")

    def _news(self) -> None:
        """A stream of server-sent events, until the page is closed."""
        self._begin(200, "text/event-stream; charset=utf-8")
        server, known, told = self.server, 0, ""
        rewound = server.follower.rewound
        server.entered()
        try:
            while True:
                with server.changed:
                    if rewound != server.follower.rewound:
                        known, rewound = 0, server.follower.rewound
                    news = server.follower.news(known)
                    state = msgspec.json.encode(news).decode()
                if news.records or state != told:
                    self.wfile.write(f"data: {state}\n\n".encode())
                    known = news.begin + len(news.records)
                    told = msgspec.json.encode(msgspec.structs.replace(news, begin=known, records=[])).decode()
                else:
                    self.wfile.write(b": still here\n\n")  # fails when the page is closed
                self.wfile.flush()
                with server.changed:
                    server.changed.wait(2 * _LOOK)
        except OSError:
            pass
        finally:
            server.left()

    def _begin(self, code: int, kind: str, length: int | None = None) -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name in the base class
        """Nobody reads it."""
