"""How much longer a program computes on one machine than on another, from their machine files."""

from __future__ import annotations

from phasewise.errors import StudyError
from phasewise.machines import Machine
from phasewise.tables.keys import nearest

BOUNDS = ("memory", "flops")
"""What the time of computing may be bound by: the bandwidth of memory, or operations."""


def computing_factors(
    given: str | None, here: Machine | None, there: Machine
) -> tuple[float, float]:
    """The least and the largest factor on computing times of a recording made `here`.

    given: "memory" or "flops", for the ratio of what a core of the two machines has of it, or the
    factor itself; None: the range of both ratios, or 1 if it is not known where the recording was
    made. StudyError, one sentence, for other words, or if `here` is needed and missing.
    """
    if given is not None and given not in BOUNDS:
        return _number(given), _number(given)
    if here is None:
        if given is None:
            return 1.0, 1.0
        raise StudyError(
            f"--compute {given} is the ratio of two machines: name the one that the recording "
            "was made on with --recorded-on"
        )
    ratios = {
        "memory": here.processor.bandwidth / there.processor.bandwidth,
        "flops": here.processor.flops / there.processor.flops,
    }
    chosen = ratios.values() if given is None else [ratios[given]]
    return min(chosen), max(chosen)


def _number(given: str) -> float:
    try:
        factor = float(given)
    except ValueError:
        factor = 0.0
    if not 0 < factor < 1e9:
        raise StudyError(
            f'--compute "{given}" is neither memory nor flops nor a factor above '
            f"0{nearest(given, BOUNDS)}"
        )
    return factor
