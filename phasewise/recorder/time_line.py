"""The time line of a recorded program: its ranks' states and calls, for pictures, and its calls and
messages as events, for Perfetto.
"""

from __future__ import annotations

import numpy as np

from phasewise.errors import StudyError
from phasewise.recorder.activity import Activity
from phasewise.recorder.dependences import Floats
from phasewise.recorder.phases import COMPUTING
from phasewise.recorder.recording import Recording
from phasewise.recorder.varints import Integers
from phasewise.traces.excerpt import Excerpt
from phasewise.traces.records import (
    COMPUTE,
    EVENT,
    PHASE,
    RECEIVE,
    SEND,
    CommunicationRecord,
    Events,
    Records,
)
from phasewise.traces.timeline import INNERMOST, Timeline, covered


def recorded_timeline(
    activity: Activity, record: CommunicationRecord, excerpt: Excerpt, intervals: int
) -> Timeline:
    """What the ranks did in the stretch of time and on the ranks of an excerpt, all by default, by
    functions of MPI. StudyError if the excerpt has none of it.
    """
    if excerpt.tasks != INNERMOST:
        raise StudyError("a recorded program has no tasks within others: leave --tasks out")
    first, last = float(activity.began.min()), float(activity.ended.max())
    start, end = excerpt.time or (None, None)
    begin, over = first + (start or 0.0), min(last, first + end) if end else last
    if begin >= last:
        raise StudyError(
            f"{record.directory} recorded {last - first:.6g} s, and the time asked for begins at "
            f"{begin - first:.6g} s"
        )
    edges = np.linspace(begin, over, intervals + 1)
    shown = excerpt.ranks_of(record)
    functions = [label.call for label in activity.labels]
    names = (COMPUTING, *dict.fromkeys(functions))
    function = np.array([names.index(name) for name in functions], np.int64)
    states = np.zeros((3, len(shown), intervals))
    task = np.full((len(shown), intervals), -1, np.int64)
    for row, rank in enumerate(shown):
        lanes = np.flatnonzero(activity.rank == rank)
        shares = np.zeros((len(names), intervals))
        for lane in lanes.tolist():
            own = slice(int(activity.first[lane]), int(activity.first[lane + 1]))
            start_of, end_of = activity.start[own], activity.end[own]
            waited = start_of + activity.wait[own]
            whole = np.array([activity.began[lane]]), np.array([activity.ended[lane]])
            inside = covered(start_of, end_of, edges)
            idle = covered(start_of, waited, edges)
            computing = np.maximum(covered(*whole, edges) - inside, 0.0)
            states[:, row] += np.stack([computing, inside - idle, idle]) / len(lanes)
            shares[0] += computing
            called = function[activity.label[own]]
            for name in np.unique(called).tolist():
                mine = called == name
                shares[name] += covered(start_of[mine], end_of[mine], edges)
        task[row] = np.where(shares.max(axis=0) > 0, shares.argmax(axis=0), -1)
    width = edges[1] - edges[0]
    computing, communicating, waiting = states / width
    shown_ranks = tuple(shown)
    return Timeline(
        shown_ranks, edges, computing, communicating, waiting, task, names, 0, begin - first
    )


class RecordedEvents(Events):
    """The calls and messages of a recorded program as events on rank 0's clock."""

    def __init__(self, recording: Recording, activity: Activity) -> None:
        self.path = recording.folder
        self.ranks = len(recording.files)
        self.dropped = np.zeros(self.ranks, np.int64)
        self.library = ()
        texts = [f"{one.call} in {one.site}" for one in activity.labels]
        self.names = (COMPUTING, *texts)
        sends, receives = _messages(recording, activity)
        before = activity.before
        self._own = [
            np.concatenate([_calls(activity, before, rank), sends[rank], receives[rank]])
            for rank in range(self.ranks)
        ]
        self.counts = np.array([len(own) for own in self._own])
        self._first = np.concatenate([[0], np.cumsum(self.counts)])

    def of(self, rank: int) -> Records:
        """The events (n,) of a rank."""
        return self._own[rank]


def _calls(activity: Activity, before: Floats, rank: int) -> Records:
    """The calls of a rank, and the computing before each, which begins at `before` (n,)."""
    mine = np.flatnonzero(activity.rank[activity.lane] == rank)
    gaps = mine[activity.start[mine] > before[mine]]
    found = np.zeros(len(mine) + len(gaps), EVENT)
    found["peer"] = -1
    found["start"] = np.concatenate([activity.start[mine], before[gaps]])
    found["end"] = np.concatenate([activity.end[mine], activity.start[gaps]])
    found["kind"] = np.repeat([PHASE, COMPUTE], [len(mine), len(gaps)])
    found["phase"][: len(mine)] = activity.label[mine] + 1
    return found


def matched_calls(recording: Recording) -> tuple[Integers, Integers, Integers, Integers]:
    """Of each matched message (m,) the call that posted its send and the call that completed it, -1
    if none did, and the same of its receive, numbered among all of the recording.
    """
    one, first = recording.matching, recording.dependences.first
    empty = np.empty(0, np.int64)

    def numbered(side: int, name: str) -> Integers:
        own = [getattr(ends, name) for ends in one.ends[side]]
        parts = [np.where(c >= 0, c + at, -1) for c, at in zip(own, first, strict=False)]
        return np.concatenate([empty, *parts])

    sent, left = (numbered(0, name)[one.matched.send] for name in ("call", "done"))
    posted, done = (numbered(1, name)[one.matched.receive] for name in ("call", "done"))
    return sent, left, posted, done


def _messages(recording: Recording, activity: Activity) -> tuple[list[Records], list[Records]]:
    """The sends and the receives of each rank."""
    sent, _, posted, done = matched_calls(recording)
    found, matched = recording.dependences, recording.matching.matched
    label = np.empty(len(activity), np.int32)
    label[activity.call] = activity.label
    sends = recording.matching.all[0]
    ranks = sends.rank[matched.send].astype(np.int64), sends.peer[matched.send].astype(np.int64)
    pair = ranks[0] * len(recording.files) + ranks[1]
    order = np.lexsort((sent, pair))
    number = np.empty(len(order), np.int64)
    begin = np.flatnonzero(np.diff(pair[order], prepend=-1))
    sizes = np.diff(np.append(begin, len(order)))
    number[order] = np.arange(len(order)) - np.repeat(begin, sizes)
    result = []
    for kind, calls, last in ((SEND, sent, sent), (RECEIVE, posted, done)):
        events = np.zeros(len(calls), EVENT)
        events["start"], events["end"] = found.start[calls], found.end[last]
        events["bytes"] = sends.bytes[matched.send]
        events["peer"] = ranks[1 if kind == SEND else 0]
        events["number"], events["kind"] = number, kind
        events["phase"] = label[calls] + 1
        own = ranks[0 if kind == SEND else 1]
        result.append([events[own == rank] for rank in range(len(recording.files))])
    return result[0], result[1]
