"""The calls of a rank in time, from the trace in its file: arrays with one row for each call."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from phasewise.errors import PhasewiseError, RunError
from phasewise.recorder.kinds import plain
from phasewise.recorder.raw import CALL, LIST, RankFile
from phasewise.recorder.varints import Bytes, Integers, signed, unpacked
from phasewise.runs.disk import DAMAGE

FIELDS = (
    *("function", "site", "space", "peer", "source", "slot", "list", "flags", "tags"),
    *("sent", "received"),
)
SIGNED = {"site", "space", "peer", "source", "slot", "sent", "received"}
RECEIVES, WILD, CANCELLED, PERSISTENT, POLL = 1, 2, 4, 8, 16
"""Flags of a call."""
NOBODY, ANYBODY = -1, -2
"""Peers that are no ranks."""


@dataclass(frozen=True)
class Entries:
    """The dictionary of a rank: an array (n,) for each field of a distinct call, and the numbers of
    each list; a list has the number 1 + its place.
    """

    columns: dict[str, Integers]
    lists: list[Integers]
    names: NDArray[np.str_]
    """The plain name of each call's function."""

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True)
class Calls:
    """The calls of a rank in the order of their beginnings.

    entry (n,): the place of each in the dictionary; start, end (n,) [ns] on the rank's own clock;
    thread (n,); polls (n,): how many polls the call stands for, 1 for others, and inside (n,) the
    time in them [ns]. first_tag (n,): the place of its tags in `tags`.
    """

    entries: Entries
    entry: Integers
    start: Integers
    end: Integers
    thread: Integers
    polls: Integers
    inside: Integers
    first_tag: Integers
    tags: Integers

    def __len__(self) -> int:
        return len(self.entry)

    def of(self, name: str) -> Integers:
        """A field of the dictionary for each call."""
        return self.entries.columns[name][self.entry]

    def named(self, names: set[str]) -> Integers:
        """The places of the calls of these functions, in order."""
        chosen = np.isin(self.entries.names, sorted(names))
        return np.flatnonzero(chosen[self.entry])

    @cached_property
    def names(self) -> NDArray[np.str_]:
        """The plain name of each call's function."""
        return self.entries.names[self.entry]


def read_calls(file: RankFile) -> Calls:
    """The calls of a rank; RunError if the trace is damaged."""
    try:
        return _read(file)
    except PhasewiseError:
        raise
    except (*DAMAGE, OverflowError) as error:
        raise RunError(f"{file.path} is damaged: {error}") from None


def _read(file: RankFile) -> Calls:
    entries = _entries(file)
    parts = [_of_thread(file, entries, thread) for thread in sorted(file.calls)]
    entry, start, end, thread, polls, inside = (
        np.concatenate([np.empty(0, np.int64), *(part[k] for part in parts)]) for k in range(6)
    )
    tagged = [_tags_of_thread(file, part[6], t) for t, part in enumerate(parts)]
    offset, first, tags = 0, [], []
    for places, values in tagged:
        first.append(places + offset)
        offset += len(values)
        tags.append(values)
    empty = [np.empty(0, np.int64)]
    order = np.argsort(start, kind="stable") if len(parts) > 1 else np.arange(len(start))
    calls = Calls(
        entries,
        entry[order],
        start[order],
        end[order],
        thread[order],
        polls[order],
        inside[order],
        np.concatenate(empty + first)[order],
        np.concatenate(empty + tags),
    )
    return calls if file.head.several_threads else _with_whole_tags(calls)


def _entries(file: RankFile) -> Entries:
    rows: list[list[int]] = []
    lists: list[Integers] = []
    for part in file.entries:
        _take_entries(part, rows, lists)
    table = np.array(rows, np.int64).reshape(-1, len(FIELDS)).T
    columns = {
        name: signed(column) if name in SIGNED else column
        for name, column in zip(FIELDS, table, strict=True)
    }
    if np.any(columns["list"] > len(lists)):
        raise ValueError("a call names a list that is not there")
    known = {number: plain(name) for number, name in file.functions.items()}
    used = columns["function"].tolist()
    missing = [number for number in set(used) if number not in known]
    if missing:
        raise ValueError(f"a call is of no known function ({missing[0]})")
    return Entries(columns, lists, np.array([known[number] for number in used], dtype=np.str_))


def _take_entries(part: Bytes, rows: list[list[int]], lists: list[Integers]) -> None:
    """Take the calls and lists that a block of the dictionary defines."""
    values, ends = unpacked(part)
    numbers, at = values.tolist(), 0
    width = len(FIELDS)
    while at < len(numbers):
        if numbers[at] == CALL:
            row = numbers[at + 1 : at + 1 + width]
            if len(row) < width:
                return  # the program ended while it was written
            rows.append(row)
            at += 1 + width
        elif numbers[at] == LIST:
            if at + 1 >= len(numbers):
                return
            last = int(np.searchsorted(ends, ends[at + 1] + numbers[at + 1]))
            if last >= len(numbers) and numbers[at + 1] > len(part):
                raise ValueError("a list in it is cut off")
            lists.append(values[at + 2 : last + 1])
            at = max(last, at + 1) + 1
        else:
            raise ValueError("an entry of its dictionary is of no known kind")


def _of_thread(file: RankFile, entries: Entries, thread: int) -> tuple[Integers, ...]:
    """Entry, start, end, thread, polls, inside of a thread's calls, and how many tags each has."""
    parts = [unpacked(part)[0] for part in file.calls[thread]]
    triples = np.concatenate([part[: len(part) // 3 * 3] for part in parts]).reshape(-1, 3)
    number, gap, duration = triples.T
    more = number == 0
    if len(more) and more[0]:
        raise ValueError("a row of polls has no beginning")
    call = np.flatnonzero(~more)
    if len(call) and int(number[call].max()) > len(entries):
        raise ValueError("a call is not in its dictionary")
    gap, duration, entry = gap[call], duration[call], number[call] - 1
    if len(call) and max(int(gap.max()), int(duration.max())) >= 1 << 50:
        raise ValueError("a time in it is impossible")
    end = file.head.began + np.cumsum(gap + duration)
    polls, inside = np.ones(len(call), np.int64), duration.copy()
    row = np.cumsum(~more)[more] - 1
    polls[row], inside[row] = triples[more, 1], triples[more, 2]
    tags = entries.columns["tags"][entry]
    return entry, end - duration, end, np.full(len(call), thread), polls, inside, tags


def _tags_of_thread(file: RankFile, counts: Integers, place: int) -> tuple[Integers, Integers]:
    """Where the tags of each call of a thread begin, and all tags, as they were written."""
    thread = sorted(file.calls)[place]
    parts = [unpacked(part)[0] for part in file.tags.get(thread, [])]
    values = signed(np.concatenate([np.empty(0, np.int64), *parts]))
    wanted = int(counts.sum())
    if len(values) < wanted:
        raise ValueError("tags are missing in it")
    return np.cumsum(counts) - counts, values[:wanted]


def _with_whole_tags(calls: Calls) -> Calls:
    """Tags that are differences to the last one of a call of the same entry are summed up."""
    counts = calls.of("tags")
    entry = np.repeat(calls.entry, counts)
    order = np.argsort(entry, kind="stable")
    sums = np.cumsum(calls.tags[order])
    first = np.flatnonzero(np.diff(entry[order], prepend=-1))
    before = np.concatenate([[0], sums[first[1:] - 1]]) if len(first) else sums
    sizes = np.diff(np.append(first, len(order)))
    whole = np.empty_like(calls.tags)
    whole[order] = sums - np.repeat(before, sizes)
    return replace(calls, tags=whole)
