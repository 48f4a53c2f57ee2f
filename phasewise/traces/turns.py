"""Which turn of a run its pictures in time show: the one in the middle of what was recorded.

Events do not say where turns begin, but a task that occurs once in each turn does: a turn lasts
from one of its starts to the next, and shows every task that comes in each turn.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from phasewise.traces.records import COMPUTE, PHASE, CommunicationRecord, Events

Floats = NDArray[np.float64]
Span = tuple[float, float]


def one_turn(events: Events, record: CommunicationRecord) -> Span | None:
    """Start and end [s] of a turn in the middle of what all ranks recorded; None without events.

    If less than two turns were recorded, it is all of that.
    """
    recorded = _recorded(events)
    if recorded is None:
        return None
    start, end = recorded
    turn = record.seconds / max(record.turns, 1)
    if record.turns < 2 or not 0 < turn < end - start:
        return recorded
    edges = _edges(_starts(events, record), recorded, whole=not any(events.dropped))
    if len(edges) == 0:
        # No task comes once in each turn, so the record is divided into equal parts as long as a
        # mean turn.
        edges = np.linspace(start, end, 1 + int((end - start) / turn))
    middle = (len(edges) - 1) // 2
    return float(edges[middle]), float(edges[middle + 1])


def _edges(starts: Floats, recorded: Span, whole: bool) -> Floats:
    """Where turns begin and end (n,) [s]: at the starts of a task, and also where the record begins
    or ends, if most of a turn lies there. `whole`: the record misses nothing at its end.
    """
    starts = starts[starts < recorded[1]]
    if len(starts) < 2:
        return np.empty(0)
    half = 0.5 * float(np.median(np.diff(starts)))
    before = [recorded[0]] if starts[0] - recorded[0] > half else []
    after = [recorded[1]] if whole and recorded[1] - starts[-1] > half else []
    return np.concatenate([before, starts, after])


def _recorded(events: Events) -> Span | None:
    """When the first event begins, and until when no rank's memory for events was full [s]."""
    firsts: list[float] = []
    lasts: list[float] = []
    cut: list[float] = []
    for rank in range(events.ranks):
        own = events.of(rank)
        if len(own) == 0:
            continue
        firsts.append(float(own["start"].min()))
        # A rank whose memory was full did more than it shows.
        (cut if events.dropped[rank] else lasts).append(float(own["end"].max()))
    if not firsts:
        return None
    start, end = min(firsts), min(cut) if cut else max(lasts)
    return (start, end) if start < end else None


def _starts(events: Events, record: CommunicationRecord) -> Floats:
    """Starts (n,) [s] of the first task of a turn that comes once in each turn, on the rank with
    most events; empty if there is no such task.
    """
    rank = int(np.argmax([len(events.of(one)) for one in range(events.ranks)]))
    own = events.of(rank)
    found = []
    for index, name in enumerate(events.names):
        phase = record.phase(name)
        calls = 0 if phase is None else int(phase.calls[rank])
        tasks = own[(own["phase"] == index) & (own["kind"] == (PHASE if calls else COMPUTE))]
        # The only count of a kernel's calls is that of its events.
        times = calls or (0 if events.dropped[rank] else len(tasks))
        if times == record.turns and 1 < len(tasks) <= times:
            found.append(np.sort(tasks["start"]))
    if not found:
        return np.empty(0)
    # A task that only by chance comes as often as there are turns, such as in the first one alone,
    # ends early.
    longest = max(float(starts[-1] - starts[0]) for starts in found)
    lasting = [starts for starts in found if starts[-1] - starts[0] > 0.5 * longest]
    return np.asarray(min(lasting, key=lambda starts: float(starts[0])))
