"""How much longer a program computes on one machine than on another, from their machine files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from phasewise.errors import StudyError
from phasewise.machines import Machine, load_machine
from phasewise.tables.keys import nearest

BOUNDS = MEMORY, FLOPS = "memory", "flops"
"""What the time of computing may be bound by: the bandwidth of memory, or operations."""
AS_RECORDED = "as recorded"


@dataclass(frozen=True)
class ScaledComputing:
    """How many times as long as it was recorded computing takes, by the way in which it scales.

    origin: the machine of the recording, None if that is not known.
    """

    factors: Mapping[str, float]
    origin: str | None

    @property
    def text(self) -> str:
        """A sentence on how the computing was scaled."""
        factors = ", ".join(f"{factor:.4g} ({way})" for way, factor in self.factors.items())
        text = f"computing takes that of the record times {factors}"
        if self.origin is not None:
            return f"{text}; recorded on {self.origin}"
        if AS_RECORDED in self.factors:
            return f"{text}: --recorded-on M, the machine of the record, scales it to this one"
        return text

    def to_dict(self) -> dict[str, Any]:
        """The factors as ``--json`` prints them."""
        return {"recorded_on": self.origin, "factors": dict(self.factors)}


def scaled_computing(compute: str | None, origin: str | None, machine: Machine) -> ScaledComputing:
    """What ``--compute`` and ``--recorded-on`` say of computing on `machine`.

    compute: "memory" or "flops", for the ratio of what a core of the two machines has of it, or the
    factor itself; None: both ratios, or 1 if it is not known where the recording was made.
    StudyError, one sentence, for other words, or if `origin` is needed and missing.
    """
    here = None if origin is None else load_machine(origin)
    name = None if here is None else here.name
    if compute is not None and compute not in BOUNDS:
        return ScaledComputing({compute: _factor(compute)}, name)
    if here is None:
        if compute is None:
            return ScaledComputing({AS_RECORDED: 1.0}, None)
        raise StudyError(
            f"--compute {compute} is the ratio of two machines: name the one that the recording "
            "was made on with --recorded-on"
        )
    ratios = {
        MEMORY: here.processor.bandwidth / machine.processor.bandwidth,
        FLOPS: here.processor.flops / machine.processor.flops,
    }
    return ScaledComputing(ratios if compute is None else {compute: ratios[compute]}, name)


def _factor(given: str) -> float:
    try:
        factor = float(given)
    except ValueError:
        factor = -1.0
    if not 0 <= factor <= 1e6:
        raise StudyError(
            f'--compute "{given}" is neither {MEMORY} nor {FLOPS} nor a factor from 0 to '
            f"1000000{nearest(given, BOUNDS)}"
        )
    return factor
