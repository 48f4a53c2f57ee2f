"""One attempt in a child process, which may crash or never end, and its outcome."""

from __future__ import annotations

import os
import selectors
import signal
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from phasewise.errors import PhasewiseError

LIMIT = 10.0
"""Seconds that an attempt may take; attempts usually take well under one."""
BAD = ("wrong", "leaked", "hangs", "crashes")
"""Outcomes that are faults; the others are the attempt's own words, or `refused`."""


@dataclass
class Tally:
    """How often each outcome occurred, and the first few faults with the words that repeat them."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def add(self, outcome: str, what: str) -> None:
        """Count an outcome, such as `refused` or `leaked: KeyError: ...`, of the attempt `what`."""
        self.counts[outcome.partition(":")[0]] += 1
        if outcome.startswith(BAD):
            self.faults.append(f"{what}: {outcome}")

    @property
    def failed(self) -> bool:
        """Whether there was a fault."""
        return bool(self.faults)


def attempt(action: Callable[[], str], limit: float = LIMIT) -> str:
    """The outcome of `action` in a forked child: its own word, `refused` if it raises an error of
    one sentence, else what is wrong.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.write(writing, _outcome(action).encode()[:4000])
        os._exit(0)
    os.close(writing)
    try:
        return _wait(reading, child, limit)
    finally:
        os.close(reading)


def _outcome(action: Callable[[], str]) -> str:
    try:
        return action()
    except PhasewiseError as error:
        text = str(error)
        return "refused" if text.isprintable() and text else f"wrong: sentence {text!r}"
    except BaseException as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"leaked: {type(error).__name__}: {error} ({place.filename}:{place.lineno})"


def _wait(reading: int, child: int, limit: float) -> str:
    with selectors.DefaultSelector() as selector:
        selector.register(reading, selectors.EVENT_READ)
        ready = selector.select(limit)
    if not ready:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return f"hangs: more than {limit:g} s"
    said = os.read(reading, 4096).decode(errors="replace")
    status = os.waitpid(child, 0)[1]
    return said or f"crashes: {os.waitstatus_to_exitcode(status)}"
