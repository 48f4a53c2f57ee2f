"""All that a recorded run left: the files of its ranks, and what is missing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from phasewise.errors import PhasewiseError, RunError
from phasewise.output import number_of
from phasewise.recorder.calls import Calls, read_calls
from phasewise.recorder.dependences import Clocks, Dependences, Floats, dependences
from phasewise.recorder.kinds import NOT_FOLLOWED, plain
from phasewise.recorder.matching import AllEnds, Matched, gathered, match, shared
from phasewise.recorder.raw import ABORTED, EXITED, RUNNING, RankFile, read_rank
from phasewise.recorder.requests import Ends, messages
from phasewise.recorder.varints import Integers
from phasewise.recorder.waiting import Waits, waits_of
from phasewise.runs.disk import DAMAGE, damage_reason
from phasewise.runs.folder import TRACE_FOLDER

SINGLE = "MPI_THREAD_SINGLE"


@dataclass
class Recording:
    """The files of the ranks that left one, by rank; `ranks` is how many the program had."""

    folder: Path
    ranks: int
    files: list[RankFile]
    notes: dict[str, list[str]] = field(default_factory=dict)
    """What processes left that have no record of their own, by the kind of reason."""
    strangers: int = 0
    """Files of ranks of other programs, which rank 0's does not know of."""

    @cached_property
    def matching(self) -> Matching:
        """The messages of all ranks with both ends; RunError if a trace is damaged."""
        with self._undamaged():
            return Matching(self.files)

    @property
    def hosts(self) -> list[str]:
        """The name of the system of each rank."""
        return [file.texts.get("host", "") for file in self.files]

    @property
    def in_threads(self) -> bool:
        """Whether any rank told MPI that it has several threads. A record of an earlier version
        tells of MPI_THREAD_MULTIPLE alone.
        """
        levels = {file.texts.get("thread level", SINGLE) for file in self.files}
        return levels != {SINGLE} or any(file.head.several_threads for file in self.files)

    def waiting(self) -> list[Floats]:
        """The waiting (n,) [s] of each call of each rank; RunError if a trace is damaged."""
        return self.waits.by_rank(self.dependences.first)

    @cached_property
    def dependences(self) -> Dependences:
        """What all calls wait for; RunError if a trace is damaged."""
        one = self.matching
        with self._undamaged():
            parts = one.calls, one.clocks, one.ends, one.matched, one.numbers
            return dependences(*parts, np.unique(self.hosts, return_inverse=True)[1])

    @cached_property
    def waits(self) -> Waits:
        """How long all calls waited; RunError if a trace is damaged."""
        found = self.dependences
        with self._undamaged():
            return waits_of(found)

    @contextmanager
    def _undamaged(self) -> Iterator[None]:
        try:
            yield
        except PhasewiseError:
            raise
        except (*DAMAGE, OverflowError) as error:
            where = self.folder / TRACE_FOLDER
            raise RunError(f"the trace in {where} is damaged: {damage_reason(error)}") from None

    @property
    def whole(self) -> bool:
        """Whether every rank is there, and every trace reaches its rank's end."""
        return len(self.files) == self.ranks and not any(file.head.why for file in self.files)

    @property
    def began(self) -> float:
        """When the first rank began, on rank 0's clock [s]."""
        return min(1e-9 * (one.head.began + one.head.offset_began) for one in self.files)

    @property
    def traced_until(self) -> float | None:
        """Until when the traces of all ranks reach [s] after the beginning; None: to the end."""
        ends = [
            1e-9 * (one.head.traced_until + one.head.offset_began)
            for one in self.files
            if one.head.why
        ]
        return min(ends) - self.began if ends else None

    @property
    def stopped_by(self) -> int:
        """What ended the first trace that does not reach to its rank's end, as in raw.REASONS."""
        short = [one.head for one in self.files if one.head.why]
        return min(short, key=lambda head: head.traced_until).why if short else 0

    def called(self) -> set[str]:
        """The plain names of all functions that any rank called."""
        return {plain(name) for file in self.files for name in file.functions.values()}

    def not_recorded(self) -> list[str]:
        """Sentences on what is missing."""
        return list(self._missing())

    def _missing(self) -> Iterator[str]:
        absent = self.ranks - len(self.files)
        if absent:
            known = {file.head.rank for file in self.files}
            first = next(rank for rank in range(self.ranks) if rank not in known)
            yield f"{absent} of {self.ranks} ranks left no record, rank {first} the first of them"
        for name in sorted(self.called() & NOT_FOLLOWED.keys()):
            yield f"{NOT_FOLLOWED[name]} are not followed"
        if "session" in self.notes:
            yield f"{NOT_FOLLOWED['Session_init']} are not followed"
        spawned = any(name.startswith("Comm_spawn") for name in self.called())
        # A rank that was spawned is alone in its world, or has others there.
        others = 0 if spawned else len(self.notes.get("alone", ()))
        if self.strangers:
            yield (
                f"{number_of(self.strangers, 'rank')} of other programs in the command, or of "
                "MPI_Comm_spawn, left a record that is not read"
            )
        if others and self.ranks == 1 and not self.strangers:
            yield (
                f"{others + 1} processes ran as one rank each, alone, and only one is recorded: "
                "give the mpiexec of the program's own library"
            )
        elif others:
            yield f"{number_of(others, 'rank')} of other programs in the command left no record"
        if any(file.head.statistics_lost for file in self.files):
            yield "the disk was full: the last calls are not counted"
        yield from self._ended()

    def _ended(self) -> Iterator[str]:
        for file in self.files:
            who = f"rank {file.head.rank}"
            if file.head.state == ABORTED:
                yield f"{who} called MPI_Abort with code {file.head.code}"
            elif file.head.state == EXITED:
                yield f"{who} ended without MPI_Finalize"
            elif file.head.state == RUNNING:
                yield f"{who} was killed, or left by _exit{_within(file)}"


def _within(file: RankFile) -> str:
    """What a killed rank waited for, as far as it is known."""
    call = next((one for one in file.under_way.values() if one.function >= 0), None)
    if call is None or call.function not in file.functions:
        return "" if call is None else " in a call of MPI"
    peer = f", for rank {call.peer}" if call.peer >= 0 else ""
    return f" in {file.functions[call.function]}{peer}"


def state_of(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """The path, size and time of change of each file of a record: it is the same record as long as
    these are the same.
    """
    paths = sorted((folder / TRACE_FOLDER).glob("*.*"))
    states = [(path, path.stat()) for path in paths if path.is_file()]
    return tuple((str(path), one.st_size, one.st_mtime_ns) for path, one in states)


def read_recording(folder: Path) -> Recording:
    """The record in a run's folder; RunError if there is none, or a file is damaged."""
    trace = folder / TRACE_FOLDER
    paths = sorted(trace.glob("*.rank"), key=lambda path: (len(path.name), path.name))
    files = [read_rank(path) for path in paths]
    notes: dict[str, list[str]] = {}
    for path in sorted(trace.glob("*.*")):
        if path.suffix[1:].isdigit():
            text = path.read_text(encoding="utf-8", errors="replace")
            notes.setdefault(path.stem, []).append(text.strip())
    files = [file for file in files if file.head.ranks]  # a rank may die before it knows itself
    # The command may have started several programs, or a program more ranks.
    ranks = files[0].head.ranks if files else 0
    own = [file for file in files if file.head.ranks == ranks]
    return Recording(folder, ranks, own, notes, len(files) - len(own))


class Matching:
    """The calls of all ranks, and their messages."""

    def __init__(self, files: list[RankFile]) -> None:
        self.calls: list[Calls] = [read_calls(file) for file in files]
        ends: list[tuple[Ends, Ends]] = [messages(own) for own in self.calls]
        self.ends = [one[0] for one in ends], [one[1] for one in ends]
        place = {file.head.rank: k for k, file in enumerate(files)}
        self.numbers = _agreed(files)
        self.clocks = [_clocks(file, own) for file, own in zip(files, self.calls, strict=True)]
        every = gathered(self.ends[0], self.numbers), gathered(self.ends[1], self.numbers)
        # The numbers of each rank are kept once, as parts of those of all.
        self.ends = shared(self.ends[0], every[0]), shared(self.ends[1], every[1])
        sends, receives = by_place(every[0], place), by_place(every[1], place)
        self.all: tuple[AllEnds, AllEnds] = sends, receives
        self.matched: Matched = match(sends, receives)


def by_place(ends: AllEnds, place: dict[int, int]) -> AllEnds:
    """Ranks as places among the files, where some ranks have none: their peers get -1."""
    if all(rank == at for rank, at in place.items()):
        return ends
    table = np.full(1 + max([*place, int(ends.peer.max(initial=0))]), -1)
    for rank, at in place.items():
        table[rank] = at
    return AllEnds(ends.rank, ends.space, table[ends.peer], ends.tag, ends.bytes)


def _agreed(files: Sequence[RankFile]) -> list[Integers]:
    """For each rank, small numbers that all ranks agree on for each of its communicators."""
    known: dict[int, int] = {}
    found: list[Integers] = []
    for file in files:
        numbers = np.full(1 + max(file.spaces, default=0), -1, np.int64)
        for own, space in file.spaces.items():
            numbers[own] = known.setdefault(space.number, len(known))
        found.append(numbers)
    return found


def _clocks(file: RankFile, calls: Calls) -> Clocks:
    head = file.head
    ended = head.ended or int(calls.end.max(initial=head.began + 1))
    offsets = (head.offset_began, head.offset_ended if head.ended else head.offset_began)
    return Clocks(head.began, ended, offsets)
