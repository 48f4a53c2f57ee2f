"""What a rank of a measured machine can do while all ranks work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from phasewise.errors import StudyError
from phasewise.machines import schema
from phasewise.tables.keys import check_table, convert, plain


@dataclass(frozen=True)
class CallCosts:
    """Seconds for each message at either end, by kind of call in the order of schema.OVERHEADS (0:
    unknown); and what a message that goes alone takes longer in a planned exchange than between
    bare calls of MPI.
    """

    message: tuple[float, ...] = ()
    round: float = 0.0


@dataclass(frozen=True)
class StridedCopies:
    """Seconds to copy a word, or another run within a cache line, where runs one stride apart span
    so many bytes.
    """

    spans: tuple[int, ...]
    seconds: tuple[float, ...]


@dataclass(frozen=True)
class RankRates:
    """flop/s and memory bandwidth [B/s] of its roof; what its calls cost, and its strided
    copies (None: unknown).
    """

    flops: float
    bandwidth: float
    calls: CallCosts = field(default_factory=CallCosts)
    copies: StridedCopies | None = None

    def to_dict(self) -> dict[str, Any]:
        """As `read_rank_rates` reads it."""
        return {
            "roof": {"flops": self.flops, "bandwidth": self.bandwidth},
            "calls": asdict(self.calls),
            "copies": None if self.copies is None else asdict(self.copies),
        }


def read_copies(table: object) -> StridedCopies:
    """The table [copies] of a machine file; StudyError, one sentence, if it is wrong."""
    given = check_table(table, schema.COPIES, "copies")
    rows: dict[str, list[Any]] = {}
    for name, key in (("spans", schema.SIZE), ("seconds", schema.MESSAGE_SECONDS)):
        values = plain(given.get(name))
        if not isinstance(values, list) or not values:
            raise StudyError(f"copies.{name} must be a list of {key.plural}")
        rows[name] = [convert(value, key, f"copies.{name}") for value in values]
    spans, seconds = rows["spans"], rows["seconds"]
    if len(spans) != len(seconds) or spans != sorted(set(spans)):
        raise StudyError("copies.spans must increase, and copies.seconds have a time for each")
    return StridedCopies(tuple(map(int, spans)), tuple(map(float, seconds)))


def read_rank_rates(given: Mapping[str, Any]) -> RankRates:
    """From the line of the driver (core/probe/rates.hpp) or of a journal; TypeError, ValueError or
    LookupError if it is none.
    """
    calls, copies = given["calls"], given["copies"]
    return RankRates(
        float(given["roof"]["flops"]),
        float(given["roof"]["bandwidth"]),
        CallCosts(tuple(map(float, calls["message"])), float(calls["round"])),
        None
        if copies is None
        else StridedCopies(tuple(map(int, copies["spans"])), tuple(map(float, copies["seconds"]))),
    )
