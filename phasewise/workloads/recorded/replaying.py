"""How a recorded program is replayed elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from phasewise.recorder.recording import Recording
from phasewise.recorder.varints import Integers
from phasewise.study.replaying import Replaying
from phasewise.workloads.recorded.model import Recorded
from phasewise.workloads.recorded.remarks import remarks_on

ROUND_ROBIN, BY_TRAFFIC = "ranks round-robin over the nodes", "ranks with most traffic together"


class RecordedReplaying(Replaying):
    """The keys of [recorded], and other places of the ranks."""

    COMPUTE = "recorded.compute"
    STEADY = "recorded.steady"
    BALANCED = "recorded.balanced"
    PLACES = "recorded.places"

    def ranks(self, model: Recorded) -> int:
        """The number of ranks on which it was recorded."""
        return model.ranks

    def folder(self, model: Recorded) -> Path:
        """The folder of the record."""
        return Path(model.folder)

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
        return remarks_on(model.recording)


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
