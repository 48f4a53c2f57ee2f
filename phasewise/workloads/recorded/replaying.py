"""How a recorded program is replayed elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from phasewise.recorder.kinds import FILES, ONE_SIDED, group_of
from phasewise.recorder.recording import Recording
from phasewise.recorder.varints import Integers
from phasewise.study.replaying import Replaying
from phasewise.workloads.recorded.calls_of_all import LATER, NUMBERS
from phasewise.workloads.recorded.model import Recorded

ROUND_ROBIN, BY_TRAFFIC = "ranks round-robin over the nodes", "ranks with most traffic together"
LEAST_SHARE = 0.001
"""Least share of the ranks' time that is worth a sentence."""


class RecordedReplaying(Replaying):
    """The keys of [recorded], and other places of the ranks."""

    COMPUTE = "recorded.compute"
    STEADY = "recorded.steady"
    BALANCED = "recorded.balanced"
    PLACES = "recorded.places"

    def ranks(self, model: Recorded) -> int:
        """The number of ranks on which it was recorded."""
        return model.ranks

    def other_places(self, model: Recorded, nodes: Sequence[int]) -> Mapping[str, str]:
        """Ranks round-robin over the nodes, and those with most traffic on one node; none where
        all ranks share a node, or each has its own.
        """
        node = np.asarray(nodes)
        if len(set(nodes)) in (1, len(nodes)):
            return {}
        found = {
            ROUND_ROBIN: _round_robin(node),
            BY_TRAFFIC: _together(node, _traffic(model.recording)),
        }
        return {name: ",".join(map(str, places)) for name, places in found.items()}

    def remarks(self, model: Recorded) -> list[str]:
        """What is not replayed, and that the program polls."""
        found = list(_not_replayed(model.recording))
        share = _polled(model.recording)
        if share >= LEAST_SHARE:
            found.append(
                f"the program polls for {100 * share:.2g} % of the ranks' time: the replay waits "
                "instead, for what came at that place"
            )
        return found


def _round_robin(node: Integers) -> list[int]:
    """Rank 0 in the first place of the first node, rank 1 in that of the second, and so on."""
    before = [int(np.count_nonzero(node[:k] == one)) for k, one in enumerate(node)]
    return [int(place) for place in np.lexsort((node, np.array(before)))]


def _traffic(recording: Recording) -> Integers:
    """The bytes between two ranks, in both directions (ranks, ranks)."""
    matching = recording.matching
    sends, matched = matching.all[0], matching.matched
    found = np.zeros((recording.ranks, recording.ranks), np.int64)
    np.add.at(
        found, (sends.rank[matched.send], sends.peer[matched.send]), sends.bytes[matched.send]
    )
    return found + found.T


def _together(node: Integers, traffic: Integers) -> list[int]:
    """Places that fill one node after the other with the rank that exchanges most with those that
    are already there.
    """
    left = list(range(len(node)))
    places = [0] * len(node)
    here: list[int] = []
    for place in range(len(node)):
        if place and node[place] != node[place - 1]:
            here = []
        inside = traffic[np.ix_(left, here)].sum(axis=1) if here else np.zeros(len(left))
        outside = traffic[left].sum(axis=1)
        best = left[int(np.lexsort((-outside, -inside))[0])]
        places[best] = place
        here.append(best)
        left.remove(best)
    return places


def _not_replayed(recording: Recording) -> list[str]:
    """A sentence for each group of functions that take time and are not replayed."""
    whole = sum(file.head.ended - file.head.began for file in recording.files)
    spent: dict[str, int] = {}
    for file in recording.files:
        for row in file.statistics.tolist():
            name = file.functions.get(int(row[0]), "").removeprefix("MPI_").removesuffix("_c")
            group = group_of(name)
            if group not in (FILES, ONE_SIDED) and not _forgotten(name):
                continue
            word = {FILES: "MPI-IO", ONE_SIDED: "one-sided calls"}.get(group, f"MPI_{name}")
            spent[word] = spent.get(word, 0) + int(row[9])
    return [
        f"{word} is not replayed: {100 * time / whole:.2g} % of the ranks' time"
        for word, time in sorted(spent.items(), key=lambda one: -one[1])
        if time >= LEAST_SHARE * whole
    ]


def _forgotten(name: str) -> bool:
    """Whether a function is a collective that a replay does not have."""
    ours = name in NUMBERS or name in LATER
    return not ours and name.removeprefix("I").lower().startswith("neighbor")


def _polled(recording: Recording) -> float:
    """The share of the ranks' time from the first to the last poll of each row."""
    whole = sum(file.head.ended - file.head.began for file in recording.files)
    spent = 0
    for calls in recording.matching.calls:
        row = calls.polls[0]
        spent += int((calls.end[row] - calls.start[row]).sum())
    return spent / max(whole, 1)
