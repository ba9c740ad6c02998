"""Tells when numba starts to compile, which may take seconds; loading from its cache does not count."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def compile_notice(notify: Callable[[], None]) -> Iterator[None]:
    """Call `notify` once, when the first compilation inside this block starts."""
    from numba.core import event

    class Listener(event.Listener):
        told = False

        def on_start(self, event: object) -> None:
            del event
            if not self.told:
                self.told = True
                notify()

        def on_end(self, event: object) -> None:
            del event

    listener = Listener()
    event.register("numba:compile", listener)  # type: ignore[no-untyped-call]  # numba ships no types
    try:
        yield
    finally:
        event.unregister("numba:compile", listener)  # type: ignore[no-untyped-call]
