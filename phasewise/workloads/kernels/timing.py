"""Seconds of a serial kernel: the median of several turns, and the rate of multiply-adds between
them, since a clock that changes and other programs on the core slow both.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

from phasewise.driver import Run

TURNS = 3
"""Timed turns, at least, after one that is not counted; a single one where a turn takes long."""
LONG = 5.0
"""Seconds of a turn that is not repeated."""


class Timed(NamedTuple):
    """What a case gave."""

    seconds: float
    """Seconds of a call."""
    flops: float
    """Flops of a call, by its card."""
    bytes: float
    touched: float
    """Bytes of a call's data."""
    residual: float
    present_rate: float
    """Flop/s of multiply-adds between the calls, the median."""


def timed(
    run: Run, present_rate: Callable[[], float], seconds: float, turns: int | None = None
) -> Timed:
    """Time the kernel of a run for a number of seconds, or of turns; `present_rate` measures
    multiply-adds.
    """
    rates = [present_rate()]
    spent = [_turn(run)]
    rates.append(present_rate())
    if spent[0] < LONG:
        spent.clear()
        begin = time.perf_counter()
        while len(spent) < (turns or TURNS) or (
            turns is None and time.perf_counter() - begin < seconds
        ):
            spent.append(_turn(run))
            rates.append(present_rate())
    kernel = _kernel(run)
    calls = kernel["items"]
    return Timed(
        seconds=statistics.median(spent),
        flops=kernel["flops"] / calls,
        bytes=kernel["bytes"] / calls,
        touched=kernel["working_sets"] / kernel["calls"],
        residual=float(run.record()["residual"]),
        present_rate=statistics.median(rates),
    )


def _turn(run: Run) -> float:
    """Seconds of a call in one turn, without the check."""
    before = _kernel(run)
    run.step()
    after = _kernel(run)
    calls = after["items"] - before["items"]
    return float((after["seconds"] - before["seconds"]) / calls)


def _kernel(run: Run) -> dict[str, float]:
    found = (kernel for kernel in run.kernels() if kernel["name"] != "check")
    return next(found, {"items": 0.0, "seconds": 0.0})
