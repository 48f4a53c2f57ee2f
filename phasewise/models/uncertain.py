"""By how much a predicted time may be off because the rates of its machine are uncertain.

Each uncertain rate is moved to both ends of its range while the others stay, and the logarithms of
the times' ratios are added in squares, those that make a time shorter and longer apart: the rates
of a file are taken to be independent.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from phasewise.machines.uncertainty import with_rate
from phasewise.models.model import Case, Turn

Ends = tuple[float, float]


@dataclass(frozen=True)
class OfRates:
    """Half widths in the logarithm of a time, below and above it, of 90 % as the uncertainties
    are: of communication, mean over the ranks, and of the whole turn.
    """

    communication: Ends = (0.0, 0.0)
    turn: Ends = (0.0, 0.0)


def of_rates(case: Case, turn: Turn, predict: Callable[[Case], Turn]) -> OfRates:
    """What the uncertain rates of a case's machine do to its turn. predict: the turn of a case."""
    moved = [
        [
            predict(replace(case, machine=with_rate(case.machine, name, factor)))
            for factor in (1.0 - part, 1.0 + part)
        ]
        for name, part in case.machine.uncertain.items()
    ]
    return OfRates(
        _ends(turn.communicating, [[one.communicating for one in pair] for pair in moved]),
        _ends(turn.seconds, [[one.seconds for one in pair] for pair in moved]),
    )


def _ends(seconds: float, moved: list[list[float]]) -> Ends:
    if seconds <= 0.0:
        return 0.0, 0.0
    logs = [[math.log(one / seconds) for one in pair if one > 0.0] for pair in moved]
    below = math.hypot(*(min(0.0, *pair, 0.0) for pair in logs))
    above = math.hypot(*(max(0.0, *pair, 0.0) for pair in logs))
    return below, above


def widened(seconds: float, ends: Ends, by: Ends) -> Ends:
    """The ends [s] of an interval with half widths of rates added in squares to its own."""
    if by == (0.0, 0.0) or seconds <= 0.0 or min(ends) <= 0.0:
        return ends
    low, high = (math.log(end / seconds) for end in ends)
    middle, half = (low + high) / 2, (high - low) / 2
    return (
        seconds * math.exp(middle - math.hypot(half, by[0])),
        seconds * math.exp(middle + math.hypot(half, by[1])),
    )
