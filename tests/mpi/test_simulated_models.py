"""Model `contention` beside the simulator, for what both do with collectives and mixed nodes."""

from __future__ import annotations

from typing import Any

import pytest

from phasewise.errors import RunError
from phasewise.machines import load_machine
from phasewise.machines.smpirun import simulated_tree
from phasewise.models.simulated_ranks import SimulatedRanks
from phasewise.study import Study

pytest.importorskip("phasewise._core", reason="the core is not built")
try:
    simulated_tree()
except RunError as error:
    pytest.skip(str(error), allow_module_level=True)

OPERATORS = (
    "barrier", "broadcast", "allreduce", "reduce-scatter", "allgather", "alltoall", "alltoallv",
)  # fmt: skip


def errors(machine: str, ranks: int, studies: list[Study]) -> list[float]:
    """How far the model's times are off those of the simulator."""
    times = SimulatedRanks(load_machine(machine), ranks, workers=1)(studies)
    return [abs((time.predicted or 0.0) / time.seconds - 1.0) for time in times]


def collective(operator: str, **own: Any) -> Study:
    given = {"operator": operator, "verify": False, **own}
    return Study.from_dict({"workload": "collectives", "exchanges": 1, "collectives": given})


# On 6 ranks the second node of phoenix is half full.
@pytest.mark.parametrize(("machine", "ranks"), [("phoenix", 6), ("altix", 5)])
def test_started_collectives_of_the_library_take_what_the_simulator_says(
    machine: str, ranks: int
) -> None:
    studies = [
        collective(operator, bytes=length, blocking=False)
        for operator in OPERATORS
        for length in ((8,) if operator == "barrier" else (8, 4096, 262144))
    ]
    found = errors(machine, ranks, studies)
    assert max(found) < 0.07 and sum(found) / len(found) < 0.03


def test_shared_halos_across_nodes_take_what_the_simulator_says() -> None:
    """Some neighbours are near, others not, and not as many of each on every rank."""
    studies = [
        Study.from_dict(
            {
                "workload": "halo", "exchanges": 1, "halo": {"words": words, "verify": False},
                "communication": {"protocol": "shared", "process_grid": grid},
            }
        )
        for grid in ("3x2", "2x3", "6x1")
        for words in (4, 64, 2048)
    ]  # fmt: skip
    assert max(errors("phoenix", 6, studies)) < 0.02
