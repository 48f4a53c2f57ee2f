"""The table [collectives]: what all ranks do together, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from phasewise.errors import StudyError
from phasewise.tables.declared import key, schema_of
from phasewise.tables.keys import check_table, with_defaults

OPERATORS = (
    "barrier",
    "broadcast",
    "allreduce",
    "reduce-scatter",
    "allgather",
    "alltoall",
    "alltoallv",
    "sum",
)
PHASES = tuple(name.replace("-", "_") for name in OPERATORS)

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
}
"""The algorithms of each operator."""

ADDING = ("allreduce", "reduce-scatter", "sum")
"""Operators that add what arrives."""

MAX_BYTES = 2**28
MOST_SUM_BYTES = 64
"""Eight doubles."""


@dataclass(frozen=True, kw_only=True)
class Collectives:
    """The keys of [collectives]."""

    operator: str = key("word", "allreduce", choices=OPERATORS, flat=True)
    """sum: of 1 to 8 doubles, exact in any order; alltoallv: blocks of half, once and one and a
    half times the bytes.
    """
    bytes: int = key("integer", 8, least=8, most=MAX_BYTES, unit="bytes of a block", flat=True)
    """Of a rank's block; of broadcast, allreduce and sum, of all values."""
    blocking: bool = key("flag", True, flat=True)
    """No: it is started, and finished when the computing is done."""
    work: float = key("number", 0.0, least=0, unit="flops", flat=True)
    """Computing beside the collective."""
    verify: bool = key("flag", True, flat=True)
    """Whether every value is checked."""

    @property
    def phase(self) -> str:
        """Its phase of communication."""
        return self.operator.replace("-", "_")


@dataclass(frozen=True)
class DerivedCollectives:
    """What follows from a study."""

    values: int
    """Doubles in a block."""
    algorithms: tuple[str, ...]
    """Ways of this operator."""
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return asdict(self) | {"algorithms": list(self.algorithms), "warnings": []}


def read(tables: Mapping[str, Any], _records: Mapping[str, Any], _folder: Path) -> Collectives:
    """The model of a study's tables."""
    schema = schema_of(Collectives)
    values = with_defaults(check_table(tables["collectives"] or {}, schema, "collectives"), schema)
    model = Collectives(**values)
    if model.bytes % 8:
        raise StudyError(f"collectives.bytes = {model.bytes} must be a multiple of 8")
    if model.operator == "sum" and model.bytes > MOST_SUM_BYTES:
        raise StudyError(
            f"collectives.bytes = {model.bytes} must be at most {MOST_SUM_BYTES} with "
            'operator = "sum", which is for 1 to 8 doubles'
        )
    return model


def derive(model: Collectives) -> DerivedCollectives:
    """Sizes and algorithms."""
    return DerivedCollectives(values=model.bytes // 8, algorithms=OFFERED[model.operator])


def model_of(study: Any) -> Collectives:
    """The model of a study of this workload."""
    return cast(Collectives, study.model)
