"""Signals that ask a run to stop in order: it ends the turn, writes a checkpoint and leaves."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

Handler = Callable[[int, FrameType | None], Any]

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGHUP)
"""SIGUSR1 is what mpiexec passes on to every rank, and what batch systems send ahead of time;
SIGHUP comes when the terminal is closed."""
ENDING = (signal.SIGTERM, signal.SIGHUP)
"""Signals that would end a process without giving it time to clean up behind itself."""


def handled(numbers: Iterable[signal.Signals], handler: Handler) -> dict[signal.Signals, Any]:
    """Let `handler` have these signals, except for those that are ignored, as under nohup. Returns
    their former handlers. Outside of the main thread, which alone can set handlers, it does
    nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        return {}
    wanted = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    return {number: signal.signal(number, handler) for number in wanted}


def give_back(former: dict[signal.Signals, Any]) -> None:
    """Give signals back to their former handlers."""
    for number, handler in former.items():
        signal.signal(number, handler)


@contextmanager
def unwinding() -> Iterator[None]:
    """In this context, signals that would end the process at once raise a KeyboardInterrupt, so
    that it removes its temporary folders and ends what it has started.
    """
    former = handled(ENDING, signal.default_int_handler)
    try:
        yield
    finally:
        give_back(former)


class Interrupts:
    """A context in which a signal sets `requested`; a second interrupt ends the run at once."""

    def __init__(self) -> None:
        self.requested = False
        self._former: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Interrupts:
        self._former = handled(SIGNALS, self._request)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        give_back(self._former)
        self._former = {}

    def _request(self, number: int, frame: FrameType | None) -> None:
        if self.requested and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.requested = True
