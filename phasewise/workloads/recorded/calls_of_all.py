"""The collectives of a recorded program, as the core takes them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from phasewise.errors import StudyError
from phasewise.recorder import kinds
from phasewise.recorder.calls import Calls
from phasewise.recorder.raw import INTRA, RankFile
from phasewise.recorder.recording import Recording
from phasewise.recorder.requests import completions, last_before, started
from phasewise.recorder.varints import Integers
from phasewise.workloads.recorded.rows import BLOCKING, FIRST_COLLECTIVE, TAG

KINDS = (
    *("Barrier", "Bcast", "Allreduce", "Reduce_scatter", "Allgatherv", "Alltoallv", "Reduce"),
    *("Gather", "Scatter", "Scan", "Exscan", "Reduce_scatter_block", "Allgather", "Alltoall"),
    *("Gatherv", "Scatterv"),
)
"""The functions in the order of exchange::CollectiveKind."""
NUMBERS = {name: number for number, name in enumerate(KINDS)} | {"Alltoallw": 5}
LATER = {"I" + name.lower(): number for name, number in NUMBERS.items()}
PERSISTENT = {name + "_init": number for name, number in NUMBERS.items()}
"""Functions that make a request, which a start begins as often as the program wants."""
NEAR = {
    *("Neighbor_allgather", "Neighbor_allgatherv"),
    *("Neighbor_alltoall", "Neighbor_alltoallv", "Neighbor_alltoallw"),
}
NEAR_LATER = {"I" + name.lower() for name in NEAR}
NEAR_PERSISTENT = {name + "_init" for name in NEAR}
"""Collectives among neighbours."""
TAGS = 1024
"""So many collectives of a communicator may be under way at once."""
OF_ONE_SIZE = {"Bcast", "Allreduce", "Reduce", "Scan", "Exscan"}


@dataclass(frozen=True)
class Collectives:
    """The collectives of a rank: arrays (n,). call: that which begins it; entry: the place in the
    dictionary of the call that says what it is; done: that which completes it; tag: tells those
    apart that are under way at once.
    """

    file: RankFile
    calls: Calls
    call: Integers
    entry: Integers
    done: Integers
    tag: Integers

    def rows(
        self,
        phase: Integers,
        number_of: Callable[[Sequence[int]], int],
        teams: dict[tuple[int, ...], int],
    ) -> tuple[Integers, Integers]:
        """Rows (n, 9) as in `rows`, and the calls (n,); `number_of` gives the number of a list."""
        known = {
            one: self._row(one, int(phase[one]), number_of, teams)
            for one in np.unique(self.entry).tolist()
        }
        rows = np.array([known[one] for one in self.entry.tolist()], np.int64).reshape(-1, 9)
        rows[:, TAG] = np.where(self.done == self.call, 0, self.tag)
        return rows, self.call

    def _row(
        self,
        entry: int,
        phase: int,
        number_of: Callable[[Sequence[int]], int],
        teams: dict[tuple[int, ...], int],
    ) -> list[int]:
        columns = {name: int(values[entry]) for name, values in self.calls.entries.columns.items()}
        name = str(self.calls.entries.names[entry])
        name = name if name in NUMBERS else KINDS[(LATER | PERSISTENT)[name]]
        world = self.file.spaces[columns["space"]].world
        team = teams.setdefault(world, len(teams))
        root = world.index(columns["peer"]) if columns["peer"] in world else 0
        rank = self.file.head.rank
        if rank not in world:
            raise StudyError(
                f"{self.file.path} is damaged: rank {rank} calls MPI_{name} on a communicator of "
                "other ranks"
            )
        me = world.index(rank)
        sizes, receives = self._sizes(name, columns, len(world), me, root)
        second = number_of(receives) if receives else -1
        return [
            *(FIRST_COLLECTIVE + NUMBERS[name], phase, root, 0, 0, BLOCKING),
            *(number_of(sizes), second, team),
        ]

    def _sizes(
        self, name: str, columns: dict[str, int], members: int, me: int, root: int
    ) -> tuple[list[int], list[int]]:
        """The bytes of blocks, and of those from each member in an all-to-all."""
        sent, received = columns["sent"], columns["received"]
        given = counts_of(self.calls, columns["list"])
        if name == "Barrier":
            return [], []
        if name in OF_ONE_SIZE:
            return [max(sent, received)], []
        if name in ("Gather", "Scatter"):
            whole = received if name == "Gather" else sent
            return [whole // members if me == root else max(sent, received)] * members, []
        if name == "Allgather":
            return [received // members] * members, []
        if name in ("Alltoall", "Reduce_scatter_block"):
            return [sent // members] * members, []
        if name in ("Alltoallv", "Alltoallw"):
            return given[0], given[1]
        if name in ("Gatherv", "Scatterv"):
            blocks = given[1] if name == "Gatherv" else given[0]
            own = [max(sent, received) if one == me else 0 for one in range(members)]
            return blocks if me == root and blocks else own, []
        return given[1] if name == "Allgatherv" else given[0], []


def counts_of(calls: Calls, number: int) -> tuple[list[int], list[int]]:
    """The bytes to and from each member, as the recorder lists them; number: of the list, 0 for
    none.
    """
    if not number:
        return [], []
    values = calls.entries.lists[number - 1].tolist()
    many = values[0]
    return values[1 : 1 + many], values[2 + many :]


def collectives_of(recording: Recording) -> list[Collectives]:
    """The collectives of each rank. StudyError if ranks do not call the same ones, so that some
    would wait for ever.
    """
    matching = recording.matching
    counts: dict[int, dict[int, list[str]]] = {}
    found = []
    for rank, (file, calls) in enumerate(zip(recording.files, matching.calls, strict=True)):
        call, made = begun(calls, NUMBERS.keys() | LATER.keys(), PERSISTENT.keys())
        # A rank alone sends nothing.
        spaces = [n for n, s in file.spaces.items() if s.kind == INTRA and len(s.world) > 1]
        inside = np.isin(calls.of("space")[made], spaces)
        call, made = call[inside], made[inside]
        space = matching.numbers[rank][calls.of("space")[made]]
        for one in np.unique(space).tolist():
            names = calls.names(made[space == one]).tolist()
            counts.setdefault(one, {})[file.head.rank] = names
        tag = space * TAGS % (1 << 19) + places_among(space) % TAGS
        done = ends_of(calls, call, made, NUMBERS.keys())
        found.append(Collectives(file, calls, call, calls.entry[made], done, tag))
    _check(recording, counts)
    return found


def begun(
    calls: Calls, names: Collection[str], persistent: Collection[str]
) -> tuple[Integers, Integers]:
    """The call (n,) that begins each collective of these names, and the one (n,) that says what it
    is: the same, or that which made the persistent request, by a function of other names.
    """
    at = calls.named(set(names))
    start, made = started(calls)
    ours = calls.among(made, persistent)
    call = np.concatenate([at, start[ours]])
    order = np.argsort(call, kind="stable")
    return call[order], np.concatenate([at, made[ours]])[order]


def _check(recording: Recording, counts: dict[int, dict[int, list[str]]]) -> None:
    """StudyError if members of a communicator do not call the same collectives."""
    members = {
        int(recording.matching.numbers[rank][own]): space.world
        for rank, file in enumerate(recording.files)
        for own, space in file.spaces.items()
    }
    for number, called in counts.items():
        first = min(called)
        for rank in members[number]:
            names = called.get(rank, [])
            if names == called[first]:
                continue
            place = next(
                (k for k, (a, b) in enumerate(zip(names, called[first], strict=False)) if a != b),
                min(len(names), len(called[first])),
            )
            other = names[place] if place < len(names) else "nothing"
            mine = called[first][place] if place < len(called[first]) else "nothing"
            raise StudyError(
                f"a replay of the record in {recording.folder} would wait for ever: collective "
                f"{place + 1} of a communicator is {mine} on rank {first} and {other} on rank "
                f"{rank}"
            )


def places_among(space: Integers) -> Integers:
    """How many of the same communicator come before each."""
    found = np.zeros(len(space), np.int64)
    for one in np.unique(space).tolist():
        own = np.flatnonzero(space == one)
        found[own] = np.arange(len(own))
    return found


def ends_of(calls: Calls, call: Integers, made: Integers, blocking: Collection[str]) -> Integers:
    """The call with which each collective is complete: itself, if it is made by a function of these
    names, or that which waits for its request; -1 if none does.
    """
    later = ~calls.among(made, blocking)
    if not np.any(later):
        return call
    own = kinds.POSTED_SENDS | kinds.POSTED_RECEIVES | kinds.POSTED_EXCHANGES
    alone = calls.named(own | LATER.keys() | NEAR_LATER)
    start, request = started(calls)
    posted = np.concatenate([alone, start])
    slot = calls.of("slot")[np.concatenate([alone, request])]
    posted, slot = posted[slot >= 0], slot[slot >= 0]
    done = completions(calls)
    place = last_before(slot, posted, done.slot, done.call)
    when = np.full(len(posted), -1, np.int64)
    when[place[place >= 0][::-1]] = done.call[place >= 0][::-1]
    mine = last_before(slot, posted, calls.of("slot")[made], call + 1)
    return np.where(later, np.where(mine >= 0, when[mine], -1), call)
