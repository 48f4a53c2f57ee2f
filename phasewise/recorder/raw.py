"""The file that the recorder leaves of one rank, ``recorder/format.h``: its head, its streams, and
what the numbers in them stand for.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from phasewise.errors import PhasewiseError, RunError
from phasewise.recorder.varints import Bytes, Cursor
from phasewise.runs.disk import DAMAGE, disk_reason

VERSION = 1
MAGIC = 0x31425750
BLOCK = struct.Struct("<IIIIQqiiii16x")
HEAD = struct.Struct("<5Ii2I9q")
SMALLEST = 1 << 14
HEADS, DEFINITIONS, ENTRIES, CALLS, TAGS, STATISTICS = range(1, 7)
"""Kinds of blocks."""
TEXT, FUNCTION, OBJECT, SITE, SPACE, NAME, LIST, CALL, REGION, NEIGHBOURS = range(1, 11)
"""Kinds of definitions."""
INTRA, INTER, WINDOW = range(3)
"""Kinds of spaces."""
RUNNING, FINALIZED, EXITED, ABORTED = range(4)
"""States in which a rank may have left its file."""
REASONS = (
    *("", "the limit", "a full disk", "the largest file allowed", "a full dictionary"),
    *("a file that could not be opened", "a lack of memory"),
)
"""What ended a trace before the program."""
LIMIT = 1
"""The reason that ``--limit`` changes."""

STATISTIC = np.dtype(
    [
        ("function", "<u4"), ("site", "<i4"), ("space", "<i4"), ("peer", "<i4"),
        ("region", "<i4"), ("unused", "<i4"), ("calls", "<i8"), ("messages", "<i8"),
        ("sent", "<i8"), ("received", "<i8"), ("time", "<i8"),
    ]
)  # fmt: skip
"""The sums over the calls of a function at a site, on a space, with a peer, in a region; time in
ns.
"""


@dataclass(frozen=True)
class Head:
    """What a rank's file says first; times in ns on the rank's own clock."""

    version: int
    rank: int
    ranks: int
    several_threads: int
    state: int
    code: int
    why: int
    statistics_lost: int
    began: int
    ended: int
    offset_began: int
    offset_ended: int
    traced_until: int
    cpu_began: int
    cpu_ended: int
    switches_began: int
    switches_ended: int


@dataclass(frozen=True)
class Frame:
    """An address of the program: the loaded object, the offset in it, its symbol if known, and
    where the object begins in memory.
    """

    path: str
    offset: int
    symbol: str
    start: int = 0


@dataclass(frozen=True)
class Space:
    """A communicator or window as one rank knows it. `number`: agreed among the members; `world`:
    the ranks of the world that a call may name, in their order.
    """

    kind: int
    number: int
    parent: int
    own: int
    name: str
    world: tuple[int, ...]


@dataclass(frozen=True)
class UnderWay:
    """A call that a thread was in when its file was last written."""

    function: int
    site: int
    peer: int
    began: int


@dataclass
class RankFile:
    """All that one rank's file holds. Streams of calls and tags: by thread, a part per block."""

    path: Path
    head: Head
    texts: dict[str, str] = field(default_factory=dict)
    functions: dict[int, str] = field(default_factory=dict)
    sites: dict[int, tuple[Frame, ...]] = field(default_factory=dict)
    spaces: dict[int, Space] = field(default_factory=dict)
    neighbours: dict[int, tuple[tuple[int, ...], tuple[int, ...]]] = field(default_factory=dict)
    """By the number of a communicator, the ranks of the world from which messages of a collective
    among neighbours come, and those to which they go; -1 for none.
    """
    regions: dict[int, str] = field(default_factory=dict)
    objects: dict[int, tuple[str, int]] = field(default_factory=dict)
    entries: list[Bytes] = field(default_factory=list)
    calls: dict[int, list[Bytes]] = field(default_factory=dict)
    tags: dict[int, list[Bytes]] = field(default_factory=dict)
    statistics: NDArray[np.void] = field(default_factory=lambda: np.empty(0, STATISTIC))
    under_way: dict[int, UnderWay] = field(default_factory=dict)

    @property
    def trace_bytes(self) -> int:
        """The bytes of the trace: entries, calls and tags."""
        streams = (self.entries, *self.calls.values(), *self.tags.values())
        return sum(len(part) for stream in streams for part in stream)

    @property
    def last(self) -> int:
        """When the recording ended [ns]; of a killed program, when its last known call began."""
        began = (call.began for call in self.under_way.values())
        return self.head.ended or max(self.head.began, *began, 0)


def read_rank(path: Path) -> RankFile:
    """The file of a rank; RunError, one sentence, if it cannot be read or is damaged."""
    try:
        return _read(path)
    except PhasewiseError:
        raise
    except OSError as error:
        raise RunError(f"{path} cannot be read ({disk_reason(error)})") from None
    except (*DAMAGE, struct.error, OverflowError) as error:
        raise RunError(f"{path} is damaged: {error}") from None


def _read(path: Path) -> RankFile:
    data = np.fromfile(path, np.uint8)
    found: RankFile | None = None
    definitions, statistics = [], []
    for kind, thread, under_way, content in _blocks(data):
        if kind == HEADS:
            found = RankFile(path, _head(path, content))
        elif found is None:
            break
        elif kind == DEFINITIONS:
            definitions.append(content)
        elif kind == ENTRIES:
            found.entries.append(content)
        elif kind == CALLS:
            found.calls.setdefault(thread, []).append(content)
            if not 0 <= under_way.began < 1 << 62:
                raise ValueError("its times make no sense")
            found.under_way[thread] = under_way
        elif kind == TAGS:
            found.tags.setdefault(thread, []).append(content)
        elif kind == STATISTICS:
            whole = len(content) // STATISTIC.itemsize * STATISTIC.itemsize
            statistics.append(np.frombuffer(content[:whole].tobytes(), STATISTIC))
        else:
            raise ValueError(f"a block is of no known kind ({kind})")
    if found is None:
        raise ValueError("it does not begin with a head")
    if statistics:
        found.statistics = np.concatenate(statistics)
        _check(found.statistics)
    for content in definitions:
        _define(found, Cursor(content))
    return found


def _blocks(data: Bytes) -> Iterator[tuple[int, int, UnderWay, Bytes]]:
    """Kind, thread, call under way and content of each block; the last one may be cut off."""
    at = 0
    while at + BLOCK.size <= len(data):
        head = data[at : at + BLOCK.size].tobytes()
        magic, kind, thread, size, used, began, function, site, peer, _ = BLOCK.unpack(head)
        if magic == 0:
            return  # it was reserved, and the program ended before it was used
        if magic != MAGIC or size < SMALLEST or used > size - BLOCK.size:
            raise ValueError(f"the block at byte {at} makes no sense")
        begin = at + BLOCK.size
        yield kind, thread, UnderWay(function, site, peer, began), data[begin : begin + used]
        at += size


def _head(path: Path, content: Bytes) -> Head:
    if len(content) < HEAD.size:
        raise ValueError("its head is cut off")
    version = int.from_bytes(content[:4].tobytes(), "little")
    if version != VERSION:
        raise RunError(f"{path} is of version {version}; this phasewise reads version {VERSION}")
    values = HEAD.unpack(content[: HEAD.size].tobytes())
    head = Head(*values)
    if not (head.rank < head.ranks and head.state <= ABORTED and head.why < len(REASONS)):
        raise ValueError("its head makes no sense")
    if not 0 <= head.began < 1 << 62 or (head.ended and not head.began <= head.ended < 1 << 62):
        raise ValueError("its times make no sense")
    return head


def _check(statistics: NDArray[np.void]) -> None:
    for name in ("calls", "messages", "sent", "received", "time"):
        if np.any((statistics[name] < 0) | (statistics[name] >= 1 << 53)):
            raise ValueError("a count or a time in it is impossible")


def _define(found: RankFile, cursor: Cursor) -> None:
    """Take the definitions of a block; a record that is cut off at its end is left out."""
    while cursor:
        kind = cursor.number()
        if kind == TEXT:
            name = cursor.text()
            found.texts[name] = cursor.text()
        elif kind == FUNCTION:
            number = cursor.number()
            found.functions[number] = cursor.text()
        elif kind == OBJECT:
            number, start = cursor.number(), cursor.number()
            found.objects[number] = cursor.text(), start
        elif kind == SITE:
            number = cursor.number()
            found.sites[number] = tuple(_frame(cursor, found.objects) for _ in cursor.times())
        elif kind == SPACE:
            number = cursor.number()
            found.spaces[number] = _space(cursor)
        elif kind == NEIGHBOURS:
            number = cursor.number()
            found.neighbours[number] = _neighbours(cursor), _neighbours(cursor)
        elif kind == NAME:
            number = cursor.number()
            known = found.spaces[number]
            found.spaces[number] = Space(**{**vars(known), "name": cursor.text()})
        elif kind == REGION:
            number = cursor.number()
            found.regions[number] = cursor.text()
        else:
            raise ValueError(f"a definition is of no known kind ({kind})")


def _frame(cursor: Cursor, objects: dict[int, tuple[str, int]]) -> Frame:
    number, offset = cursor.number(), cursor.number()
    path, start = objects.get(number - 1, ("", 0))
    return Frame(path, offset, cursor.text(), start)


def _neighbours(cursor: Cursor) -> tuple[int, ...]:
    ranks = tuple(cursor.signed() for _ in cursor.times())
    if any(not -1 <= rank < 1 << 31 for rank in ranks):
        raise ValueError("a neighbour is an impossible rank")
    return ranks


def _space(cursor: Cursor) -> Space:
    kind = cursor.number()
    number, parent = (int.from_bytes(cursor.bytes(8), "little") for _ in range(2))
    own, name = cursor.signed(), cursor.text()
    world, last = [], 0
    for _ in cursor.times():
        last += cursor.signed()
        if abs(last) >= 1 << 31:
            raise ValueError("a communicator has an impossible rank")
        world.append(last)
    return Space(kind, number, parent, own, name, tuple(world))
