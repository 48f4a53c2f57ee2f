"""What the ranks of a recorded program did: messages, waits and collectives, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from phasewise.errors import StudyError
from phasewise.recorder.calls import Calls
from phasewise.recorder.kinds import MESSAGES, group_of
from phasewise.recorder.phases import Sites
from phasewise.recorder.recording import Recording
from phasewise.recorder.varints import Integers
from phasewise.workloads.recorded.calls_of_all import Collectives, collectives_of
from phasewise.workloads.recorded.gaps import gaps_of
from phasewise.workloads.recorded.messages import Messages, messages_of
from phasewise.workloads.recorded.rows import (
    BLOCKING,
    BYTES,
    END,
    KIND,
    LIST,
    NEVER_AWAITED,
    PEER,
    PHASE,
    RECEIVE,
    REQUEST,
    SECOND,
    SEND,
    SYNCHRONOUS,
    TAG,
    TEAM,
    WAIT,
)


@dataclass(frozen=True)
class RankActs:
    """The acts of a rank: rows (n, 9), computing before each [ns] (n,), and lists of numbers."""

    rows: Integers
    gaps: Integers
    lists: list[list[int]]


@dataclass(frozen=True)
class Acts:
    """The acts of all ranks; teams: the ranks of the communicators in which collectives are."""

    ranks: list[RankActs]
    phases: list[str]
    teams: list[tuple[int, ...]]


def acts_of_all(
    recording: Recording, steady: bool, balanced: bool, places: Sequence[int] = ()
) -> Acts:
    """The acts of all ranks. StudyError if a replay would wait for ever."""
    calls = recording.matching.calls
    phases = _Phases(recording)
    messages = messages_of(recording)
    collectives = collectives_of(recording)
    gaps = gaps_of(recording, steady, balanced)
    teams: dict[tuple[int, ...], int] = {}
    found = [
        _of_rank(one, rank, phases, messages[rank], collectives[rank], gaps[rank], teams)
        for rank, one in enumerate(calls)
    ]
    acts = Acts(found, phases.names, list(teams))
    return _placed(acts, places) if places else acts


def _placed(acts: Acts, places: Sequence[int]) -> Acts:
    """The acts with each recorded rank in its place."""
    place = np.array(places)
    if len(place) != len(acts.ranks):
        raise StudyError(f"{len(place)} places are given for {len(acts.ranks)} ranks")
    ranks: list[RankActs] = [acts.ranks[0]] * len(place)
    for rank, one in enumerate(acts.ranks):
        rows = one.rows.copy()
        messages = (rows[:, KIND] >= SEND) & (rows[:, KIND] <= RECEIVE)
        rows[messages, PEER] = place[rows[messages, PEER]]
        ranks[places[rank]] = RankActs(rows, one.gaps, one.lists)
    return Acts(ranks, acts.phases, [tuple(place[list(team)].tolist()) for team in acts.teams])


class _Phases:
    """The phases of calls, as communication.json has them by default."""

    def __init__(self, recording: Recording) -> None:
        self._sites = Sites(recording.files)
        self._numbers: dict[str, int] = {}

    @property
    def names(self) -> list[str]:
        return list(self._numbers)

    def of(self, rank: int, calls: Calls) -> Integers:
        """The number of the phase of each entry of a rank's dictionary."""
        names = calls.entries.names.tolist()
        pairs = zip(names, calls.entries.columns["site"].tolist(), strict=True)
        return np.array([self._number(rank, *pair) for pair in pairs], np.int64)

    def _number(self, rank: int, function: str, site: int) -> int:
        group = group_of(function)
        name = self._sites.place(rank, site).function + ("" if group == MESSAGES else f", {group}")
        return self._numbers.setdefault(name, len(self._numbers))


class _Requests:
    """Numbers of requests: the lowest that is free when something is posted."""

    def __init__(self) -> None:
        self._free: list[int] = []
        self._next = 0
        self._under_way: list[tuple[int, int]] = []

    def take(self, call: int, done: int) -> int:
        """A number from the call that posts to the one that completes."""
        while self._under_way and self._under_way[0][0] < call:
            heappush(self._free, heappop(self._under_way)[1])
        if self._free:
            number = heappop(self._free)
        else:
            number, self._next = self._next, self._next + 1
        heappush(self._under_way, (done, number))
        return number


def _of_rank(
    calls: Calls,
    rank: int,
    phases: _Phases,
    messages: Messages,
    collectives: Collectives,
    gaps: Integers,
    teams: dict[tuple[int, ...], int],
) -> RankActs:
    phase = phases.of(rank, calls)
    lists = _Lists()
    rows, call, order = _posted(calls, messages, phase)
    together, at = collectives.rows(phase, lists.number, teams)
    rows, call = np.concatenate([rows, together]), np.concatenate([call, at])
    # All ranks take part in a collective: one that no call waits for is waited for at the end.
    ended = np.where(collectives.done < 0, len(calls), collectives.done)
    done = np.concatenate([messages.done, ended])
    order = np.concatenate([order, np.full(len(at), 2)])
    rows[:, REQUEST] = _requests(rows, call, done, order)
    waits, waiting = _waits(calls, phase, rows, done, lists)
    rows, call = np.concatenate([rows, waits]), np.concatenate([call, waiting])
    order = np.concatenate([order, np.full(len(waiting), 3)])
    sorted_ = np.lexsort((order, call))
    # `gaps` has one more element: what is computed after the last call.
    before = np.concatenate([np.cumsum(gaps)[call[sorted_]], [int(gaps.sum())]])
    end = np.array([[END, 0, 0, 0, 0, BLOCKING, -1, -1, -1]])
    return RankActs(np.concatenate([rows[sorted_], end]), np.diff(before, prepend=0), lists.all)


class _Lists:
    """Distinct lists of numbers."""

    def __init__(self) -> None:
        self.all: list[list[int]] = []
        self._known: dict[tuple[int, ...], int] = {}

    def number(self, values: Sequence[int]) -> int:
        """The number of a list."""
        key = tuple(values)
        if key not in self._known:
            self._known[key] = len(self.all)
            self.all.append(list(key))
        return self._known[key]


def _posted(
    calls: Calls, messages: Messages, phase: Integers
) -> tuple[Integers, Integers, Integers]:
    """Rows of the messages that a rank posts, the calls that do, and 0 for those that receive, 1
    for those that send.
    """
    call = messages.call
    synchronous = calls.among(call, {"Ssend", "Issend"})
    sends = np.where(synchronous, SYNCHRONOUS, SEND)
    rows = np.full((len(call), 9), -1, np.int64)
    rows[:, KIND] = np.where(messages.sends, sends, RECEIVE)
    rows[:, PHASE] = phase[calls.entry[call]] if len(call) else 0
    rows[:, PEER], rows[:, BYTES], rows[:, TAG] = messages.peer, messages.bytes, messages.tag
    return rows, call, messages.sends.astype(np.int64)


def _requests(rows: Integers, call: Integers, done: Integers, order: Integers) -> Integers:
    """The request of each row: none for what a call does alone before it returns."""
    found = np.where(done == call, BLOCKING, NEVER_AWAITED)
    # A call that sends and receives posts both, and waits for both.
    messages = rows[:, KIND] < WAIT
    blocking = messages & (done == call)
    several = np.bincount(call[blocking], minlength=1 + int(call.max(initial=0))) > 1
    both = blocking & several[call]
    later = np.flatnonzero((done > call) | both)
    numbers = _Requests()
    later = later[np.lexsort((order[later], call[later]))]
    for at, begun, ended in zip(
        later.tolist(), call[later].tolist(), done[later].tolist(), strict=True
    ):
        found[at] = numbers.take(begun, ended)
    return found


def _waits(
    calls: Calls, phase: Integers, rows: Integers, done: Integers, lists: _Lists
) -> tuple[Integers, Integers]:
    """Rows of waits, and the calls in which a rank waits; len(calls) for the end."""
    awaited = np.flatnonzero(rows[:, REQUEST] >= 0)
    awaited = awaited[np.argsort(done[awaited], kind="stable")]
    call, first = np.unique(done[awaited], return_index=True)
    requests = rows[awaited, REQUEST].tolist()
    ends = np.append(first, len(requests))[1:].tolist()
    numbers = [
        lists.number(sorted(requests[begin:end]))
        for begin, end in zip(first.tolist(), ends, strict=True)
    ]
    found = np.zeros((len(call), 9), np.int64)
    found[:, KIND], found[:, LIST] = WAIT, numbers
    found[:, [REQUEST, SECOND, TEAM]] = -1
    inside = call < len(calls)
    found[inside, PHASE] = phase[calls.entry[call[inside]]]
    found[~inside, PHASE] = rows[awaited[first[~inside]], PHASE]
    return found, call
