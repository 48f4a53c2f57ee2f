"""The calls of a rank in time, from the trace in its file: arrays with one row for each call."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from phasewise.errors import PhasewiseError, RunError
from phasewise.recorder.kinds import plain
from phasewise.recorder.raw import CALL, LIST, RankFile
from phasewise.recorder.varints import Bytes, Integers, signed, smallest, unpacked
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
    """The calls of a rank in the order of their ends.

    entry (n,): the place of each in the dictionary; start, end (n,) [ns] on the rank's own clock;
    thread (n,). tags: those of all calls, and first_tag (n,) where those of each call begin. polls
    (3, m): the place of each call that is a row of polls, how many it has, and the time in them
    [ns].
    """

    entries: Entries
    entry: NDArray[np.int32]
    start: Integers
    end: Integers
    thread: NDArray[np.int16]
    first_tag: Integers
    tags: NDArray[np.int32]
    polls: Integers

    def __len__(self) -> int:
        return len(self.entry)

    def of(self, name: str) -> Integers:
        """A field of the dictionary for each call."""
        return self.entries.columns[name][self.entry]

    def named(self, names: set[str]) -> Integers:
        """The places of the calls of these functions, in order."""
        return np.flatnonzero(np.isin(self.entries.names, sorted(names))[self.entry])

    def names(self, calls: Integers) -> NDArray[np.str_]:
        """The plain names of the functions of some calls."""
        return self.entries.names[self.entry[calls]]

    def among(self, calls: Integers, names: Collection[str]) -> NDArray[np.bool_]:
        """Whether some calls are of these functions."""
        return np.isin(self.entries.names, sorted(names))[self.entry[calls]]


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
    if not parts:
        none = np.empty(0, np.int64)
        short = np.empty(0, np.int32), np.empty(0, np.int16)
        return Calls(entries, short[0], none, none, short[1], none, short[0], none.reshape(3, 0))
    calls = parts[0] if len(parts) == 1 else _merged(parts)
    return calls if file.head.several_threads else _with_whole_tags(calls)


def _merged(parts: list[Calls]) -> Calls:
    """The calls of several threads in one order."""
    tags = np.cumsum([0, *(len(one.tags) for one in parts)])
    first = np.concatenate([one.first_tag + own for one, own in zip(parts, tags, strict=False)])
    calls = np.cumsum([0, *(len(one) for one in parts)])
    end = np.concatenate([one.end for one in parts])
    order = np.argsort(end, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    polls = np.concatenate(
        [_moved(one.polls, own) for one, own in zip(parts, calls.tolist(), strict=False)], axis=1
    )
    polls[0] = place[polls[0]]
    return Calls(
        parts[0].entries,
        np.concatenate([one.entry for one in parts])[order],
        np.concatenate([one.start for one in parts])[order],
        end[order],
        np.concatenate([one.thread for one in parts])[order],
        first[order],
        np.concatenate([one.tags for one in parts]),
        polls,
    )


def _entries(file: RankFile) -> Entries:
    rows: list[list[int]] = []
    lists: list[Integers] = []
    for part in file.entries:
        _take_entries(part, rows, lists)
    table = np.array(rows, np.int64).reshape(-1, len(FIELDS)).T
    columns = {
        name: smallest(signed(column) if name in SIGNED else column)
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


def _of_thread(file: RankFile, entries: Entries, thread: int) -> Calls:
    """The calls of a thread, with tags as they were written."""
    entry, start, end, polls = [], [], [], []
    time, before = file.head.began, 0
    for part in file.calls[thread]:
        values, _ = unpacked(part)
        number, gap, duration = values[: len(values) // 3 * 3].reshape(-1, 3).T
        more = number == 0
        call = np.flatnonzero(~more)
        own = _row_of_polls(more, gap, duration)
        gap, duration, number = gap[call], duration[call], number[call]
        if int(number.max(initial=0)) > len(entries):
            raise ValueError("a call is not in its dictionary")
        if max(int(gap.max(initial=0)), int(duration.max(initial=0))) >= 1 << 50:
            raise ValueError("a time in it is impossible")
        ends = time + np.cumsum(gap + duration)
        entry.append((number - 1).astype(np.int32))
        start.append(ends - duration)
        end.append(ends)
        polls.append(_moved(own, before))
        before += len(call)
        time = int(ends[-1]) if len(ends) else time
    whole = np.concatenate(entry)
    counts = entries.columns["tags"][whole]
    last = np.cumsum(counts)
    return Calls(
        entries,
        whole,
        np.concatenate(start),
        np.concatenate(end),
        np.full(before, thread, np.int16),
        smallest(last - counts),
        _tags_of_thread(file, thread, int(last[-1]) if before else 0),
        np.concatenate(polls, axis=1),
    )


def _moved(polls: Integers, by: int) -> Integers:
    """Rows of polls with `by` calls before the first one."""
    return np.add(polls, [[by], [0], [0]], dtype=np.int64)


def _row_of_polls(more: NDArray[np.bool_], count: Integers, inside: Integers) -> Integers:
    """The call of each row of polls (3, m), how many it has, and the time in them [ns]."""
    row = np.cumsum(~more)[more] - 1
    if len(row) and (row[0] < 0 or np.any(np.diff(row) == 0)):
        raise ValueError("a row of polls makes no sense")
    return np.stack([row, count[more], inside[more]])


def _tags_of_thread(file: RankFile, thread: int, wanted: int) -> NDArray[np.int32]:
    """The tags of a thread's calls, as they were written."""
    parts = [signed(unpacked(part)[0]) for part in file.tags.get(thread, [])]
    values = np.concatenate([np.empty(0, np.int64), *parts])
    if len(values) < wanted:
        raise ValueError("tags are missing in it")
    if np.any(np.abs(values) >= 1 << 33):
        raise ValueError("a tag in it is impossible")
    return values[:wanted].astype(np.int32)


def _with_whole_tags(calls: Calls) -> Calls:
    """Tags that are differences to the last one of a call of the same entry are summed up."""
    counts = calls.of("tags")
    entry = np.repeat(calls.entry, counts)
    order = np.argsort(entry, kind="stable")
    sums = np.cumsum(calls.tags[order], dtype=np.int64)
    first = np.flatnonzero(np.diff(entry[order], prepend=-1))
    before = np.concatenate([[0], sums[first[1:] - 1]]) if len(first) else sums
    sizes = np.diff(np.append(first, len(order)))
    whole = np.empty(len(order), np.int32)
    whole[order] = sums - np.repeat(before, sizes)
    return replace(calls, tags=whole)
