"""The table [collectives]: what all ranks do together, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, cast

from phasewise.errors import StudyError
from phasewise.output import engineering
from phasewise.tables.declared import key
from phasewise.workload.table import OneTable

OPERATORS = (
    "barrier",
    "broadcast",
    "allreduce",
    "reduce-scatter",
    "allgather",
    "alltoall",
    "alltoallv",
    "sum",
    "reduce",
    "gather",
    "scatter",
    "scan",
    "exscan",
)

LIBRARY = "library"
BLOCKS = ("ring", "pairwise", "hypercube", "node-aware")
"""Algorithms that send blocks to the ranks that own them."""
SUMS = ("recursive-doubling", "binomial", "dissemination", "put")
"""Algorithms that send all values at once."""
WAYS = (LIBRARY, *BLOCKS, *SUMS)

OFFERED = {
    "barrier": (LIBRARY, "dissemination"),
    "broadcast": (LIBRARY, "binomial"),
    "allreduce": WAYS,
    "reduce-scatter": (LIBRARY, *BLOCKS),
    "allgather": (LIBRARY, *BLOCKS),
    "alltoall": (LIBRARY, "ring", "pairwise"),
    "alltoallv": (LIBRARY, "ring", "pairwise"),
    "sum": (LIBRARY, "node-aware", *SUMS),
    "reduce": (LIBRARY, "binomial"),
    "gather": (LIBRARY, "binomial"),
    "scatter": (LIBRARY, "binomial"),
    "scan": (LIBRARY, "dissemination"),
    "exscan": (LIBRARY, "dissemination"),
}
"""The algorithms of each operator."""

ADDING = ("allreduce", "reduce-scatter", "sum", "reduce", "scan", "exscan")
"""Operators that add what arrives."""

MAX_BYTES = 2**28
MOST_SUM_BYTES = 64
"""Eight doubles."""


@dataclass(frozen=True, kw_only=True)
class Collectives(OneTable):
    """The keys of [collectives]."""

    DERIVED: ClassVar[tuple[str, ...]] = ("values", "algorithms")

    operator: str = key("word", "allreduce", choices=OPERATORS, flat=True)
    """sum: of 1 to 8 doubles, exact in any order; alltoallv: blocks of half, once and one and a
    half times the bytes.
    """
    bytes: int = key("integer", 8, least=8, most=MAX_BYTES, unit="bytes of a block", flat=True)
    """Size of a rank's block; for broadcast, allreduce, sum, reduce and scans, of all values."""
    blocking: bool = key("flag", True, flat=True)
    """No: it is started, and finished when the computing is done."""
    work: float = key("number", 0.0, least=0, unit="flops", flat=True)
    """Computing beside the collective."""
    verify: bool = key("flag", True, flat=True)
    """Whether every value is checked."""

    def check(self) -> None:
        """StudyError where bytes are no doubles, or too many for a sum."""
        if self.bytes % 8:
            raise StudyError(f"collectives.bytes = {self.bytes} must be a multiple of 8")
        if self.operator == "sum" and self.bytes > MOST_SUM_BYTES:
            raise StudyError(
                f"collectives.bytes = {self.bytes} must be at most {MOST_SUM_BYTES} with "
                'operator = "sum", which is for 1 to 8 doubles'
            )

    @property
    def values(self) -> int:
        """Doubles in a block."""
        return self.bytes // 8

    @property
    def algorithms(self) -> list[str]:
        """The algorithms of this operator."""
        return list(OFFERED[self.operator])

    @property
    def sentence(self) -> str:
        """What follows from the keys."""
        return f"{self.values} doubles; algorithms: {', '.join(self.algorithms)}"

    @property
    def tile(self) -> tuple[str, str, str]:
        """The collective."""
        return "Collective", self.operator, engineering(self.bytes, "B")


def model_of(study: Any) -> Collectives:
    """The model of a study of this workload."""
    return cast(Collectives, study.model)
