"""What a rank of a measured machine can do while all ranks work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from phasewise.errors import StudyError
from phasewise.machines import schema
from phasewise.tables.keys import check_table, convert, plain


@dataclass(frozen=True)
class CallCosts:
    """What calls of MPI cost a rank [s].

    message: each message at either end, by kind of call in the order of schema.OVERHEADS (0:
    unknown). round: what a message that goes alone takes longer in a planned exchange than between
    bare calls of MPI. exchange: an exchange of 8 bytes each way between two ranks, by protocol (0:
    unknown). echo: 8 bytes there and back, by protocol. collective: what a collective call of the
    library takes longer than bare calls of MPI that exchange as much. threads: what a message takes
    longer at either end if the program has told MPI of several threads.
    """

    message: tuple[float, ...] = ()
    round: float = 0.0
    exchange: tuple[float, ...] = ()
    echo: tuple[float, ...] = ()
    collective: float = 0.0
    threads: float = 0.0


@dataclass(frozen=True)
class Copies:
    """What copies cost.

    seconds [s]: copying one word, or another run of at most a cache line, if the runs lie one
    stride apart and together span so many bytes (spans). within and across [s]: copying a block of
    so many bytes (sizes) in a rank's memory, and to the memory of another rank of the node; empty:
    unknown.
    """

    spans: tuple[int, ...]
    seconds: tuple[float, ...]
    sizes: tuple[int, ...] = ()
    within: tuple[float, ...] = ()
    across: tuple[float, ...] = ()


@dataclass(frozen=True)
class Types:
    """What the MPI library's derived types cost an end of a message whose words lie apart, beyond a
    message in one piece: `message` [s] for each message, and `seconds` [s] for each word if the
    words of a message span so many bytes (spans).
    """

    spans: tuple[int, ...]
    seconds: tuple[float, ...]
    message: float = 0.0


@dataclass(frozen=True)
class Streams:
    """What one more message of so many bytes (sizes) takes, and one more put [s], if a rank sends
    many to another one of its node and receives none meanwhile.
    """

    sizes: tuple[int, ...]
    messages: tuple[float, ...]
    puts: tuple[float, ...]

    def later(self, more: float) -> Streams:
        """The streams of messages that take `more` [s] longer each."""
        return replace(self, messages=tuple(one + more for one in self.messages))


@dataclass(frozen=True)
class RankRates:
    """What a rank can do: flop/s and memory bandwidth [B/s] of its roof, and what its calls, its
    copies, its streams of messages and its library's types cost (None: unknown).
    """

    flops: float
    bandwidth: float
    calls: CallCosts = field(default_factory=CallCosts)
    copies: Copies | None = None
    streams: Streams | None = None
    types: Types | None = None

    def to_dict(self) -> dict[str, Any]:
        """The rates in the form that `read_rank_rates` reads."""
        return {
            "roof": {"flops": self.flops, "bandwidth": self.bandwidth},
            "calls": asdict(self.calls),
            "copies": None if self.copies is None else asdict(self.copies),
            "streams": None if self.streams is None else asdict(self.streams),
            "types": None if self.types is None else asdict(self.types),
        }


def read_copies(table: object) -> Copies:
    """The table [copies] of a machine file; StudyError, one sentence, if it is wrong."""
    given = check_table(table, schema.COPIES, "copies")
    rows = read_columns("copies", given, "spans", "seconds")
    if any(name in given for name in BLOCKS):
        rows |= read_columns("copies", given, *BLOCKS)
    whole = {name: tuple(map(int, rows[name])) for name in ("spans", "sizes") if name in rows}
    return Copies(**rows | whole)


def read_types(table: object) -> Types:
    """The table [types] of a machine file; StudyError, one sentence, if it is wrong."""
    given = check_table(table, schema.TYPES, "types")
    rows = read_columns("types", given, "spans", "seconds")
    return Types(tuple(map(int, rows["spans"])), rows["seconds"], given.get("message", 0.0))


def read_streams(table: object) -> Streams:
    """The table [streams] of a machine file; StudyError, one sentence, if it is wrong."""
    given = check_table(table, schema.STREAMS, "streams")
    rows = read_columns("streams", given, "sizes", "messages", "puts")
    return Streams(**rows | {"sizes": tuple(map(int, rows["sizes"]))})


BLOCKS = ("sizes", "within", "across")


def read_columns(table: str, given: Mapping[str, Any], sizes: str, *times: str) -> dict[str, Any]:
    """The columns of a table by name: sizes that increase, and lists with seconds for each size;
    StudyError, one sentence, if they are wrong.
    """
    rows: dict[str, Any] = {}
    for name, key in ((sizes, schema.SIZE), *((name, schema.MESSAGE_SECONDS) for name in times)):
        values = plain(given.get(name))
        if not isinstance(values, list) or not values:
            raise StudyError(f"{table}.{name} must be a list of {key.plural}")
        rows[name] = tuple(convert(value, key, f"{table}.{name}") for value in values)
    for name in times:
        if len(rows[sizes]) != len(rows[name]) or list(rows[sizes]) != sorted({*rows[sizes]}):
            raise StudyError(
                f"{table}.{sizes} must increase, and {table}.{name} must have a time for each"
            )
    return rows


def read_rank_rates(given: Mapping[str, Any]) -> RankRates:
    """The rates in a line of the driver (core/probe/rates.hpp) or of a journal; TypeError,
    ValueError or LookupError if the line has none.
    """
    calls, copies, streams = given["calls"], given["copies"], given["streams"]
    types = given["types"]
    return RankRates(
        float(given["roof"]["flops"]),
        float(given["roof"]["bandwidth"]),
        CallCosts(
            tuple(map(float, calls["message"])),
            float(calls["round"]),
            tuple(map(float, calls.get("exchange", ()))),
            tuple(map(float, calls.get("echo", ()))),
            float(calls.get("collective", 0.0)),
            float(calls.get("threads", 0.0)),
        ),
        None if copies is None else _copies_of(copies),
        None if streams is None else _streams_of(streams),
        None if types is None else _types_of(types),
    )


def _streams_of(given: Mapping[str, Any]) -> Streams | None:
    """None if there are no times: one rank alone has nobody to send to, and a library may lack
    puts.
    """
    sizes = tuple(map(int, given["sizes"]))
    messages, puts = (tuple(map(float, given[name])) for name in ("messages", "puts"))
    return Streams(sizes, messages, puts) if messages and puts else None


def _types_of(given: Mapping[str, Any]) -> Types | None:
    """None if there are no times: one rank alone sends no messages."""
    spans, seconds = tuple(map(int, given["spans"])), tuple(map(float, given["seconds"]))
    return Types(spans, seconds, float(given["message"])) if seconds else None


def _copies_of(given: Mapping[str, Any]) -> Copies:
    """Copies without those of blocks if `across` is empty: one rank alone has no other to copy
    to.
    """
    columns = {name: tuple(map(float, given[name])) for name in ("seconds", "within", "across")}
    spans, sizes = (tuple(map(int, given[name])) for name in ("spans", "sizes"))
    if not columns["across"]:
        return Copies(spans, columns["seconds"])
    return Copies(spans, columns["seconds"], sizes, columns["within"], columns["across"])
