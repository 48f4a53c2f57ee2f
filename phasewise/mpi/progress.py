"""How far a run is: shown live in a terminal, and by a line now and then elsewhere.

Under mpiexec standard error is a pipe: the ranks write their progress as marked lines, and the
process that started them shows it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import suppress
from itertools import pairwise
from typing import Protocol

from phasewise.output import message

RELAY_VARIABLE = "PHASEWISE_RELAY"
"""The process that starts the ranks sets this variable for them if it shows their progress."""
MARK = "\x1e"
"""First character of a relayed line."""
RELAY_SECONDS = 0.2
"""Least time between relayed lines, and between drawings of a passing bar."""
LINE_SECONDS = 10.0


class Progress(Protocol):
    """What a run reports its progress to. A report that cannot be shown is lost, and never ends the
    run.
    """

    def update(self, turn: int, turns: int, detail: str) -> None: ...
    def close(self) -> None: ...


class Silent:
    """Reports nothing."""

    def update(self, turn: int, turns: int, detail: str) -> None: ...

    def close(self) -> None: ...


class Lines:
    """A line on standard error, at most one every ten seconds, and one at the end. at_once: the
    first one comes with the first report.
    """

    def __init__(self, unit: str, at_once: bool = False) -> None:
        self._unit = unit
        self._clock = Clock()
        self._shown = time.monotonic() - (LINE_SECONDS if at_once else 0.0)

    def update(self, turn: int, turns: int, detail: str) -> None:
        left = self._clock.seconds_left(turn, turns)
        now = time.monotonic()
        if now - self._shown >= LINE_SECONDS or turn == turns:
            self._shown = now
            ahead = f", {duration(left)} left" if turn < turns and left is not None else ""
            last = f", {detail}" if detail else ""
            message(f"{self._unit} {turn} of {turns}{last}{ahead}")

    def close(self) -> None: ...


class Live:
    """A bar in the terminal: turns, the workload's detail of the last one, time left. passing: it
    is drawn at reports alone, without a thread that would disturb measurements, and is taken away
    at the end.
    """

    def __init__(self, unit: str, passing: bool = False) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        columns = (
            TextColumn(f"{unit} {{task.fields[turn]}} of {{task.total:.0f}}"),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[detail]}"),
            TextColumn("{task.fields[left]}"),
        )
        self._clock = Clock()
        self._bar = Progress(
            *columns,
            console=Console(stderr=True),
            refresh_per_second=8,
            transient=passing,
            auto_refresh=not passing,
        )
        self._passing, self._drawn = passing, 0.0
        self._task = self._bar.add_task("", total=1, turn=0, detail="", left="")
        self._bar.start()

    def update(self, turn: int, turns: int, detail: str) -> None:
        left = self._clock.seconds_left(turn, turns)
        text = "" if left is None else f"{duration(left)} left"
        with suppress(OSError, ValueError):  # the terminal may be gone
            self._bar.update(
                self._task, completed=turn, total=turns, turn=turn, detail=detail, left=text
            )
            if self._passing and (now := time.monotonic()) - self._drawn >= RELAY_SECONDS:
                self._drawn = now
                self._bar.refresh()

    def close(self) -> None:
        with suppress(OSError, ValueError):
            self._bar.stop()


class Relay:
    """Marked lines for the process that started the ranks."""

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._sent = 0.0

    def update(self, turn: int, turns: int, detail: str) -> None:
        now = time.monotonic()
        if now - self._sent >= RELAY_SECONDS or turn == turns:
            self._sent = now
            message(json.dumps([turn, turns, detail, self._unit]), MARK)

    def close(self) -> None: ...


class Clock:
    """Estimates the time left from the turns seen so far."""

    def __init__(self) -> None:
        self._first: tuple[int, float] | None = None

    def seconds_left(self, turn: int, turns: int) -> float | None:
        """Seconds until `turns`; None before a turn was timed."""
        now = time.monotonic()
        if self._first is None:
            self._first = (turn, now)
        done, since = turn - self._first[0], now - self._first[1]
        return None if done <= 0 else since / done * (turns - turn)


def choose_progress(quiet: bool, unit: str = "turn") -> Progress:
    """The kind of progress that suits this process's standard error; unit: what is counted."""
    if quiet:
        return Silent()
    if os.environ.get(RELAY_VARIABLE):
        return Relay(unit)
    return Live(unit) if sys.stderr.isatty() else Lines(unit)


def relayed(line: str) -> tuple[int, int, str, str] | None:
    """Turn, turns, detail and unit from a marked line; None if it is not one."""
    if not line.startswith(MARK):
        return None
    try:
        turn, turns, detail, unit = json.loads(line[len(MARK) :])
        return int(turn), int(turns), str(detail), str(unit)
    except (ValueError, TypeError):
        return None


def duration(seconds: float) -> str:
    """Seconds as text: 45 s, 3 min 20 s, 2 h 5 min, 4 d 3 h."""
    whole = max(0, round(seconds))
    units = (("d", 86400), ("h", 3600), ("min", 60), ("s", 1))
    for (unit, size), (next_unit, next_size) in pairwise(units):
        if whole >= size:
            return f"{whole // size} {unit} {whole % size // next_size} {next_unit}"
    return f"{whole} s"
