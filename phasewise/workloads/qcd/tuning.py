"""The ways to exchange that a tuner compares: all combinations of choosing.py, without layouts that
come to the same on a machine, or that it cannot have.
"""

from __future__ import annotations

from phasewise.machines import Machine
from phasewise.study import Study
from phasewise.tuning.candidates import PlainCandidate, Tuning, combinations, node_levels
from phasewise.workloads.qcd.communication import BRICKS, T_FIRST, X_FIRST


class QcdTuning(Tuning):
    """What tuners compare."""

    def candidates(self, study: Study, ranks: int, machine: Machine) -> list[PlainCandidate]:
        """Candidates that are distinct and valid; StudyError if none suits the ranks."""
        layouts = unlike_layouts(ranks, machine)
        every = combinations(study, ranks)
        return [one for one in every if dict(one.values)["layout"] in layouts]


def unlike_layouts(ranks: int, machine: Machine) -> tuple[str, ...]:
    """Layouts that differ on a machine: on one node all are alike, and bricks need nodes with
    several ranks, the same number on each.
    """
    if ranks <= machine.node_ranks:
        return (X_FIRST,)
    if node_levels(machine, ranks) and ranks % machine.node_ranks == 0:
        return (X_FIRST, T_FIRST, BRICKS)
    return (X_FIRST, T_FIRST)
