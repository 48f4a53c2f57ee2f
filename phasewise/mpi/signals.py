"""Signals that ask a run to stop in order: it ends the turn, writes a checkpoint and leaves."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1)
"""mpiexec forwards SIGUSR1 to every rank, and batch systems send it before the time limit."""


class Interrupts:
    """As a context: a signal sets `requested`; a second interrupt ends the run at once."""

    def __init__(self) -> None:
        self.requested = False
        self._former: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                self._former[number] = signal.signal(number, self._request)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._former.items():
            signal.signal(number, handler)
        self._former.clear()

    def _request(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        if self.requested and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.requested = True
