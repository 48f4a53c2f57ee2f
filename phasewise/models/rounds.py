"""What the phases of a case need on its machine's network if all ranks enter each round together.

These are the latency and the transfer of a rank's longest message, where the transfer is that at
the narrowest place that messages of the same round share. They follow from the plan and the
machine's description (core/driver/round_costs.hpp).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phasewise.driver import load_planner
from phasewise.machines import make_twin
from phasewise.models.model import Case, Floats, refusals

TERMS = ("latency within nodes", "transfer within nodes", "latency between nodes",
         "transfer between nodes")  # fmt: skip
"""The terms that make up a round's seconds."""
LEVELS = {"within nodes": slice(0, 2), "between nodes": slice(2, 4)}
"""The places of each level's terms in arrays (TERMS,)."""


@dataclass(frozen=True)
class RoundCosts:
    """Seconds (TERMS,) of a phase's rounds in a turn: those of the mean rank, and those of the rank
    that takes longest in each round. library: whether the rounds are inside calls of the library.
    """

    name: str
    library: bool
    mean: Floats
    longest: Floats


def round_costs(case: Case, model: str) -> tuple[RoundCosts, ...]:
    """The costs of each phase in the order of a turn; StudyError if study, machine and ranks do not
    fit. model: the name of the model that uses them.
    """
    core, parameters = load_planner(), case.parameters(model)
    twin = make_twin(case.machine, case.twin, case.ranks)
    protocol = case.protocol
    with refusals():
        found = core.round_costs(
            parameters,
            case.ranks,
            twin.platform,
            list(protocol.sizes),
            list(protocol.bandwidth_factors),
            list(protocol.latency_factors),
            case.pieces,
        )
    return tuple(
        RoundCosts(
            str(one["name"]), bool(one["library"]), np.array(one["mean"]), np.array(one["longest"])
        )
        for one in found
    )
