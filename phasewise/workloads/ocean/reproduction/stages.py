"""The stages of the source's program as studies: before and after vector loops, packed and blocked
messages, and co-arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from phasewise.machines import Machine, load_machine
from phasewise.study import Study
from phasewise.workloads.ocean.communication import FAST, PLAIN
from phasewise.workloads.ocean.grid import TENTH, X1
from phasewise.workloads.ocean.table import DIAGONAL, PCG

ORIGINAL, VECTOR, MESSAGES, COARRAYS, STORES = STAGES = (
    "original", "vector loops", "packed and blocked messages", "co-arrays in the solver",
    "one-sided messages in the solver",
)  # fmt: skip
TWO_SIDED, DERIVED, COARRAY, PUT = "isend-recv", "derived", "coarray", "put"
UNPACKED = {"aggregate": False, "boundary": DERIVED, "solver_halo": DERIVED}
PACKED = {"aggregate": True, "boundary": TWO_SIDED, "solver_halo": TWO_SIDED}
WAYS: Mapping[str, Mapping[str, Any]] = {
    ORIGINAL: {"kernel": PLAIN, **UNPACKED},
    VECTOR: {"kernel": FAST, **UNPACKED},
    MESSAGES: {"kernel": FAST, **PACKED},
    COARRAYS: {
        "kernel": FAST, **PACKED, "solver_halo": COARRAY, "solver_sum_protocol": COARRAY,
    },
    STORES: {"kernel": FAST, **PACKED, "solver_halo": PUT, "solver_sum_protocol": PUT},
}  # fmt: skip
"""The keys of [communication] of each stage."""
ITERATIONS = {X1: 180, TENTH: 100}
"""Of a solve by conjugate gradients with the diagonal; on x1 as many as the land of seed 1 needs
until the residual is 1e-12 of the right-hand side.
"""
MSP, SIMULATOR, ALTIX = "phoenix", "earth-simulator", "altix"
LARGER, NODES = f"{MSP} with 128 nodes", 128
"""A copy of the machine's file with twice as many nodes as the source's machine had."""


@dataclass(frozen=True)
class Way:
    """A stage on so many ranks of a machine; alone: without levels, the solver alone."""

    stage: str
    machine: str
    ranks: int
    grid: str = X1
    changes: tuple[tuple[str, Any], ...] = ()

    @property
    def alone(self) -> bool:
        """Whether there is the solver alone."""
        return self.grid == TENTH

    @property
    def study(self) -> Study:
        """It as a study."""
        return Study.from_dict(
            {
                "workload": "ocean",
                "timesteps": 2,
                "ocean": {
                    "grid": self.grid,
                    "baroclinic": not self.alone,
                    "solver": PCG,
                    "preconditioner": DIAGONAL,
                    "iterations": ITERATIONS[self.grid],
                },
                "communication": {**WAYS[self.stage], **dict(self.changes)},
            }
        )


def machine_of(name: str) -> Machine:
    """A machine of the source, or the larger copy of one."""
    if name == LARGER:
        return replace(load_machine(MSP), name=LARGER, nodes=NODES)
    return load_machine(name)
