"""``phasewise trace``: the time line of a run as Chrome trace events, which Perfetto opens.

The format is the "Trace Event Format" (Google, 2016): a process is a node, a thread a rank, and an
arrow leads from each message's sending to its reception. Events on one thread must be nested or
disjoint. Messages overlap with each other and with computation, so a rank's sends and receives are
drawn on extra threads beside its own, each on the first one that is free.
"""

from __future__ import annotations

import codecs
import heapq
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from phasewise.errors import RunError
from phasewise.runs.disk import disk_reason, replacing
from phasewise.traces.records import (
    EVENT,
    RECEIVE,
    SEND,
    CommunicationRecord,
    Events,
    read_communication,
)

Records = NDArray[np.void]
Integers = NDArray[np.int64]

CATEGORIES = ("computing", "phase", "send", "receive")
# Events that are converted to Python numbers at a time.
CHUNK = 50_000


@dataclass(frozen=True)
class Trace:
    """A trace as written: how many events and messages with both ends, and what was dropped."""

    path: Path
    events: int
    flows: int
    dropped: int


def write_chrome(directory: str | Path, path: str | Path) -> Trace:
    """Write the events of the run in `directory` to `path`, whole or not at all.

    RunError if the run kept no events, a file is damaged, or `path` cannot be written.
    """
    record = read_communication(directory)
    if not record.events.any():
        raise RunError(f"the run in {directory} kept no events; run it again with --events 100000")
    return write_events(record, Events(record), path)


def write_events(record: CommunicationRecord, events: Events, path: str | Path) -> Trace:
    """Write the events of a run to `path`, whole or not at all. RunError if it cannot be
    written.
    """
    path = Path(path)
    try:
        with replacing(path) as file:
            flows = _write(codecs.getwriter("utf-8")(file), record, events)
    except OSError as error:
        raise RunError(f"{path} cannot be written ({disk_reason(error)})") from None
    return Trace(path, len(events), flows, int(events.dropped.sum()))


def _write(file: codecs.StreamWriter, record: CommunicationRecord, events: Events) -> int:
    """Write everything, and return the number of messages with both ends."""
    collected, threads = _collect(events), _Threads(record)
    about = {
        "source": record.source,
        "ranks": record.ranks,
        "layout": record.layout,
        "dropped_events": int(events.dropped.sum()),
    }
    file.write(f'{{"displayTimeUnit": "ms", "otherData": {json.dumps(about)}, "traceEvents": [')
    entries = chain(_in_order(collected, threads, events.names), threads.names())
    file.write("\n" + next(entries))
    for entry in entries:
        file.write(",\n" + entry)
    file.write("\n]}\n")
    return int(np.count_nonzero(collected.flow >= 0)) // 2


@dataclass(frozen=True)
class _Collected:
    """All events (n,) sorted by start; an event comes before those inside it.

    Times in ns from the first start on; flow: the key of a message whose send and receive were both
    recorded, else -1.
    """

    found: Records
    rank: Integers
    start: Integers
    end: Integers
    flow: Integers
    order: Integers


def _collect(events: Events) -> _Collected:
    found = np.empty(len(events), EVENT)
    rank = np.repeat(np.arange(events.ranks), events.counts)
    last = np.cumsum(events.counts).tolist()
    for own in range(events.ranks):
        found[last[own] - events.counts[own] : last[own]] = events.of(own)
    numbers = 1 + int(found["number"].max())
    first = found["start"].min()
    start = np.rint(1e9 * (found["start"] - first)).astype(np.int64)
    # An event takes at least 1 ns, so that an arrow has something to be attached to.
    end = np.maximum(np.rint(1e9 * (found["end"] - first)).astype(np.int64), start + 1)
    flow = _flows(found["kind"], events.message_keys(found, rank, numbers))
    return _Collected(found, rank, start, end, flow, np.lexsort((-end, start)))


def _flows(kind: NDArray[np.uint8], keys: Integers) -> Integers:
    """The key of each message that has both ends, -1 for other events."""
    flow = np.full(len(kind), -1, dtype=np.int64)
    both = np.intersect1d(keys[kind == SEND], keys[kind == RECEIVE])
    ends = (kind >= SEND) & np.isin(keys, both)
    flow[ends] = keys[ends]
    return flow


class _Threads:
    """Threads of each rank: its own, and those of its sends and receives."""

    def __init__(self, record: CommunicationRecord) -> None:
        self.node: list[int] = record.node.tolist()
        # Ends [ns] of the events that are still open on a rank's own thread, the innermost last.
        self._open: list[list[int]] = [[] for _ in self.node]
        # By kind and rank, the end [ns] of the last message on each thread.
        self._last = {kind: [[0] for _ in self.node] for kind in (SEND, RECEIVE)}

    def place(self, rank: int, kind: int, start: int, end: int) -> tuple[int, int]:
        """The thread of a rank's next event, and the event's end there [ns]."""
        if kind in self._last:
            last = self._last[kind][rank]
            lane = next((lane for lane, free in enumerate(last) if free <= start), len(last))
            last[lane : lane + 1] = [end]
            return self._number(rank, kind, lane), end
        ends = self._open[rank]
        while ends and ends[-1] <= start:
            ends.pop()
        ends.append(min(end, ends[-1]) if ends else end)
        return rank, ends[-1]

    def _number(self, rank: int, kind: int, lane: int) -> int:
        return rank + (kind - SEND + 1 + 2 * lane) * len(self.node)

    def names(self) -> Iterator[str]:
        """Names of nodes and threads, and the order to show them in."""
        for node in sorted(set(self.node)):
            yield _metadata("process_name", node, 0, "name", f"node {node}")
            yield _metadata("process_sort_index", node, 0, "sort_index", node)
        for rank in range(len(self.node)):
            yield from self._names_of(rank)

    def _names_of(self, rank: int) -> Iterator[str]:
        threads = [(rank, f"rank {rank}")]
        for kind, what in ((SEND, "sends"), (RECEIVE, "receives")):
            for lane in range(len(self._last[kind][rank])):
                number = f" {lane + 1}" if lane else ""
                threads.append((self._number(rank, kind, lane), f"rank {rank} {what}{number}"))
        for place, (thread, name) in enumerate(threads):
            node = self.node[rank]
            yield _metadata("thread_name", node, thread, "name", name)
            yield _metadata("thread_sort_index", node, thread, "sort_index", 1000 * rank + place)


def _metadata(what: str, node: int, thread: int, key: str, value: str | int) -> str:
    entry = {"ph": "M", "name": what, "pid": node, "tid": thread, "args": {key: value}}
    return json.dumps(entry)


def _in_order(collected: _Collected, threads: _Threads, names: tuple[str, ...]) -> Iterator[str]:
    """The events as JSON in the order of their times."""
    quoted = [json.dumps(name) for name in names]
    # Ends of arrows wait here until their time, because events come in the order of their starts.
    arrivals: list[tuple[int, str]] = []
    for rank, start, end, kind, phase, peer, size, number, flow in _rows(collected):
        while arrivals and arrivals[0][0] <= start:
            yield heapq.heappop(arrivals)[1]
        thread, end = threads.place(rank, kind, start, end)
        place = f'"name":{quoted[phase]},"pid":{threads.node[rank]},"tid":{thread}'
        about = ""
        if kind >= SEND:
            partner = "to" if kind == SEND else "from"
            about = f',"args":{{"{partner}":{peer},"bytes":{size},"number":{number}}}'
        yield (
            f'{{"ph":"X",{place},"cat":"{CATEGORIES[kind]}","ts":{_us(start)},'
            f'"dur":{_us(end - start)}{about}}}'
        )
        arrow = f'{place},"cat":"message","id":"{flow:x}"'
        if flow >= 0 and kind == SEND:
            yield f'{{"ph":"s",{arrow},"ts":{_us(start)}}}'
        elif flow >= 0:
            # The last nanosecond still lies within the reception.
            text = f'{{"ph":"f","bp":"e",{arrow},"ts":{_us(end - 1)}}}'
            heapq.heappush(arrivals, (end - 1, text))
    while arrivals:
        yield heapq.heappop(arrivals)[1]


def _rows(collected: _Collected) -> Iterator[tuple[int, ...]]:
    """rank, start, end [ns], kind, phase, peer, bytes, number and flow of each event in order."""
    for first in range(0, len(collected.order), CHUNK):
        chosen = collected.order[first : first + CHUNK]
        found = collected.found[chosen]
        columns = [getattr(collected, name)[chosen] for name in ("rank", "start", "end")]
        columns += [found[name] for name in ("kind", "phase", "peer", "bytes", "number")]
        columns.append(collected.flow[chosen])
        yield from zip(*(column.tolist() for column in columns), strict=True)


def _us(nanoseconds: int) -> str:
    """Nanoseconds as a decimal number of microseconds."""
    whole, rest = divmod(nanoseconds, 1000)
    return f"{whole}.{rest:03d}"
