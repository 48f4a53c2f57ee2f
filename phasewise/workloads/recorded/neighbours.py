"""The messages of collectives among neighbours: each rank sends to all that it names, and receives
from all of which it is told to (MPI 4.1, section 8.6).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phasewise.recorder.calls import Calls
from phasewise.recorder.matching import AllEnds, Matched, gathered, match
from phasewise.recorder.raw import RankFile
from phasewise.recorder.recording import Recording, by_place
from phasewise.recorder.requests import Ends
from phasewise.recorder.varints import Integers
from phasewise.workloads.recorded.calls_of_all import (
    NEAR,
    NEAR_LATER,
    NEAR_PERSISTENT,
    begun,
    counts_of,
    ends_of,
    places_among,
)

Side = tuple[list[Ends], AllEnds]
"""Sends or receives of each rank, and of all ranks."""


def among_neighbours(recording: Recording) -> tuple[Side, Side, Matched]:
    """The sends and receives, and which belong to each other: the k-th message from a rank to
    another in a collective is the k-th one there.
    """
    matching, files = recording.matching, recording.files
    ends = [_of_rank(*one) for one in zip(files, matching.calls, matching.numbers, strict=True)]
    place = {file.head.rank: k for k, file in enumerate(files)}
    sides = []
    for side in zip(*ends, strict=True):
        own = list(side)
        sides.append((own, by_place(gathered(own, matching.numbers), place)))
    return sides[0], sides[1], match(sides[0][1], sides[1][1])


def _of_rank(file: RankFile, calls: Calls, numbers: Integers) -> tuple[Ends, Ends]:
    """The sends and the receives of a rank; the tag is the place of a collective among those of its
    communicator.
    """
    call, made = begun(calls, NEAR | NEAR_LATER, NEAR_PERSISTENT)
    done = ends_of(calls, call, made, NEAR)
    tag = places_among(numbers[calls.of("space")[made]])
    sides: tuple[list[list[Integers]], list[list[Integers]]] = ([], [])
    for entry in np.unique(calls.entry[made]).tolist():
        own = np.flatnonzero(calls.entry[made] == entry)
        space = int(calls.entries.columns["space"][entry])
        for found, (ranks, sizes) in zip(sides, _blocks(file, calls, entry, space), strict=True):
            known = [k for k, rank in enumerate(ranks) if rank >= 0]
            many = len(known)
            columns = [[space] * many, [ranks[k] for k in known], [sizes[k] for k in known]]
            spread = [np.tile(np.array(column, np.int64), len(own)) for column in columns]
            at = np.repeat(own, many)
            found.append([spread[0], spread[1], tag[at], spread[2], call[at], done[at]])
    return _joined(sides[0]), _joined(sides[1])


def _joined(parts: list[list[Integers]]) -> Ends:
    """All ends of a rank in the order of posting."""
    none = np.empty(0, np.int64)
    whole = Ends.of(*(np.concatenate([none, *(part[k] for part in parts)]) for k in range(6)))
    return whole.chosen(np.argsort(whole.call, kind="stable"))


def _blocks(
    file: RankFile, calls: Calls, entry: int, space: int
) -> tuple[tuple[Sequence[int], Sequence[int]], tuple[Sequence[int], Sequence[int]]]:
    """The ranks to which a call sends, and the bytes to each; and those from which it receives,
    whose bytes are those of the sends. There are none where the record has no neighbours.
    """
    come, go = file.neighbours.get(space, ((), ()))
    sent = int(calls.entries.columns["sent"][entry])
    given = counts_of(calls, int(calls.entries.columns["list"][entry]))[0]
    name = str(calls.entries.names[entry]).lower()
    if "alltoall" in name and not given:
        sent = sent // max(len(go), 1)
    sizes = given if len(given) == len(go) else [sent] * len(go)
    return (go, sizes), (come, [0] * len(come))
