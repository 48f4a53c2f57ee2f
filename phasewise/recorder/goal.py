"""A recorded program as a schedule for LogGOPSim: GOAL as text (Hoefler, Schneider, Lumsdaine,
"LogGOPSim: simulating large-scale applications in the LogGOPS model", HPDC 2010; Hoefler, Siebert,
Lumsdaine, "Group operation assembly language", ICPP 2009).

Computing is what was measured, in ns. Collectives, whose messages only the library knows, become
rounds of a dissemination, in which in round k a rank sends to the one 2^k places further: the least
that lets each rank wait for all others. Each of its messages has the bytes that the rank gives
which gives most.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import numpy as np

from phasewise.errors import RunError
from phasewise.output import number_of
from phasewise.recorder.analysis import Analysis
from phasewise.recorder.collective_groups import POSTED
from phasewise.recorder.critical_path import computed_last
from phasewise.recorder.dependences import BUFFERED
from phasewise.recorder.kinds import FILES, ONE_SIDED, group_of
from phasewise.recorder.recording import Recording
from phasewise.recorder.time_line import matched_calls
from phasewise.runs.disk import disk_reason

TAGS_OF_COLLECTIVES = 1 << 24
"""Collectives have tags from here on; those of single messages are their numbers below it."""


def write_goal(found: Analysis, path: Path) -> dict[str, int]:
    """Write the schedule of all ranks to `path`; how many calls and messages it has. RunError if a
    rank calls MPI in several threads, or `path` cannot be written.
    """
    one = found.activity
    if len(one.rank) > len(found.recording.files):
        raise RunError("a schedule for LogGOPSim has one thread a rank, and this program has more")
    schedule = _Schedule(found)
    try:
        with path.open("w", encoding="utf-8") as file:
            schedule.write(file)
    except OSError as error:
        raise RunError(f"{path} cannot be written ({disk_reason(error)})") from None
    return {"calls": len(one), "messages": schedule.messages}


def left_out(recording: Recording) -> list[str]:
    """Sentences on what a schedule lacks: calls whose messages only the library knows."""
    found: dict[str, int] = {}
    for calls in recording.matching.calls:
        names = calls.entries.names.tolist()
        times = np.bincount(calls.entry, minlength=len(names)).tolist()
        for name, count in zip(names, times, strict=True):
            if (words := _left_out(name)) and count:
                found[words] = found.get(words, 0) + count
    return [
        f"the schedule leaves out {words} ({number_of(count, 'call')})"
        for words, count in sorted(found.items())
    ]


def _left_out(name: str) -> str:
    """One of the calls of which a function is that a schedule lacks; empty if it has them."""
    group = group_of(name)
    if group in (FILES, ONE_SIDED):
        return "calls on files" if group == FILES else "one-sided calls"
    if name.removeprefix("I").lower().startswith("neighbor"):
        return "collectives among neighbours"
    return "nonblocking collectives" if name in POSTED else ""


class _Schedule:
    def __init__(self, found: Analysis) -> None:
        self._one, self._ranks = found.activity, len(found.recording.files)
        recording = found.recording
        sent, left, posted, done = (part.tolist() for part in matched_calls(recording))
        sends, chosen = recording.matching.all[0], recording.matching.matched.send
        source, target, size = (
            getattr(sends, name)[chosen].tolist() for name in ("rank", "peer", "bytes")
        )
        self.messages = len(sent)
        # By call: what it starts, and which of the starts before it waits for.
        self._starts: dict[int, list[tuple[int, str]]] = defaultdict(list)
        self._waits: dict[int, list[int]] = defaultdict(list)
        buffered = self._buffered(found)
        for k, (a, b, c, d) in enumerate(zip(sent, left, posted, done, strict=True)):
            tag = k % TAGS_OF_COLLECTIVES
            self._starts[a].append((2 * k, f"send {size[k]}b to {target[k]} tag {tag}"))
            self._starts[c].append((2 * k + 1, f"recv {size[k]}b from {source[k]} tag {tag}"))
            self._waits[d].append(2 * k + 1)
            if b >= 0 and not buffered[a]:
                self._waits[b].append(2 * k)
        self._members: dict[int, list[int]] = defaultdict(list)
        self._group: dict[int, int] = {}
        groups = recording.dependences.groups
        ranks = recording.dependences.rank(groups.call)
        for call, group, rank in zip(
            groups.call.tolist(), groups.group.tolist(), ranks.tolist(), strict=True
        ):
            self._group[call] = group
            self._members[group].append(rank)
        sizes = [own.of("sent") for own in recording.matching.calls]
        given = np.concatenate([np.empty(0, np.int64), *sizes])[groups.call]
        most = np.zeros(1 + int(groups.group.max(initial=-1)), np.int64)
        np.maximum.at(most, groups.group, given)
        self._most: list[int] = most.tolist()
        self._whole = [not file.head.why for file in recording.files]
        self._before = self._one.before

    @staticmethod
    def _buffered(found: Analysis) -> list[bool]:
        """Whether each call posts a send that never waits for its receive."""
        parts = [
            np.isin(own.entries.names, BUFFERED)[own.entry]
            for own in found.recording.matching.calls
        ]
        return [bool(one) for part in parts for one in part]

    def write(self, file: TextIO) -> None:
        file.write(f"num_ranks {self._ranks}\n")
        for lane, rank in enumerate(self._one.rank.tolist()):
            file.write(f"\nrank {rank} {{\n")
            for line in self._lines(lane, rank):
                file.write(line + "\n")
            file.write("}\n")

    def _lines(self, lane: int, rank: int) -> Iterator[str]:
        """The schedule of a rank: labels of its operations, and what each requires."""
        one, number, last = self._one, 0, 0
        labels: dict[int, int] = {}
        first, end = int(one.first[lane]), int(one.first[lane + 1])
        gaps = np.rint(1e9 * (one.start[first:end] - self._before[first:end])).astype(np.int64)
        for gap, call in zip(gaps.tolist(), one.call[first:end].tolist(), strict=True):
            number += 1
            yield f"l{number}: calc {max(gap, 0)}"
            if last:
                yield f"l{number} requires l{last}"
            last = number
            for key, text in self._starts.get(call, ()):
                number += 1
                labels[key] = number
                yield f"l{number}: {text}"
                yield f"l{number} requires l{last}"
            needed = [labels[key] for key in self._waits.get(call, ()) if key in labels]
            if needed:
                number += 1
                yield f"l{number}: calc 0"
                yield f"l{number} requires l{last}"
                for label in needed:
                    yield f"l{number} requires l{label}"
                last = number
            if call in self._group:
                for line, reached in self._dissemination(call, rank, number, last):
                    number = reached
                    yield line
                last = number
        if self._whole[rank]:
            yield f"l{number + 1}: calc {max(round(1e9 * computed_last(one, lane)), 0)}"
            if last:
                yield f"l{number + 1} requires l{last}"

    def _dissemination(
        self, call: int, rank: int, number: int, last: int
    ) -> Iterator[tuple[str, int]]:
        group = self._group[call]
        members = self._members[group]
        at, count, step, size = members.index(rank), len(members), 1, self._most[group]
        tag = TAGS_OF_COLLECTIVES + group % TAGS_OF_COLLECTIVES
        while step < count:
            to, come = members[(at + step) % count], members[(at - step) % count]
            for text in (f"send {size}b to {to} tag {tag}", f"recv {size}b from {come} tag {tag}"):
                number += 1
                yield f"l{number}: {text}", number
                yield f"l{number} requires l{last}", number
            number += 1
            yield f"l{number}: calc 0", number
            yield f"l{number} requires l{number - 1}", number
            yield f"l{number} requires l{number - 2}", number
            last = number
            step *= 2
        number += 1
        yield f"l{number}: calc 0", number
        yield f"l{number} requires l{last}", number
