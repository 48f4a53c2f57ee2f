"""How far a command is that works longer than two seconds: in a terminal, or on request.

A command opens `working` around its work. Whatever works inside says `at` which piece it is; where
nobody opened it, this does nothing. Ranks relay it to the process that started them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from threading import Lock, Timer

from phasewise.mpi.progress import RELAY_VARIABLE, Lines, Live, Progress, Relay

PATIENCE = 2.0
"""Seconds in which nothing is shown."""


class _Display:
    """Shows the last piece that it was told of, once PATIENCE is over."""

    def __init__(self, patience: float, terminal: bool) -> None:
        self._terminal = terminal
        self._lock = Lock()
        self._waits = True
        self._state: tuple[str, int, int, str] | None = None
        self._unit = ""
        self._shown: Progress | None = None
        self._timer = Timer(patience, self._begin)
        self._timer.daemon = True
        self._timer.start()

    def at(self, unit: str, done: int, of: int, detail: str) -> None:
        with self._lock:
            self._state = (unit, done, of, detail)
            if not self._waits:
                self._show()

    def close(self) -> None:
        self._timer.cancel()
        with self._lock:
            self._waits = True
            if self._shown is not None:
                self._shown.close()

    def _begin(self) -> None:
        with self._lock:
            self._waits = False
            if self._state is not None:
                with suppress(OSError, ValueError):  # the terminal may be gone
                    self._show()

    def _show(self) -> None:
        assert self._state is not None
        unit, done, of, detail = self._state
        if self._shown is None or unit != self._unit:
            if self._shown is not None:
                self._shown.close()
            self._unit = unit
            self._shown = self._new(unit)
        self._shown.update(done, of, detail)

    def _new(self, unit: str) -> Progress:
        if os.environ.get(RELAY_VARIABLE):
            return Relay(unit)
        return Live(unit, passing=True) if self._terminal else Lines(unit, at_once=True)


_display: ContextVar[_Display | None] = ContextVar("display", default=None)


@contextmanager
def working(asked: bool = False, patience: float = PATIENCE) -> Iterator[None]:
    """Inside this context, standard error shows how far the work is if that is a terminal, or if a
    person asked for it.
    """
    terminal = sys.stderr is not None and sys.stderr.isatty()
    if not (terminal or asked):
        yield
        return
    display = _Display(patience, terminal)
    token = _display.set(display)
    try:
        yield
    finally:
        _display.reset(token)
        display.close()


def at(unit: str, done: int, of: int, detail: str = "") -> None:
    """Say that `done` of `of` pieces are done, and in a few words which is being worked on. unit:
    what a piece is called.
    """
    if (display := _display.get()) is not None:
        display.at(unit, done, of, detail)
