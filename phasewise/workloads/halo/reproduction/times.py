"""Simulated times of HALO on the source's machines, by protocol and words of a message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from phasewise.machines import Machine, load_machine
from phasewise.reproduction.telling import Telling
from phasewise.simulated.many import Task, simulate_many
from phasewise.simulated.simulate import Request
from phasewise.study import Study

X1, P690, ALTIX = "phoenix", "p690", "altix"
RANKS, GRID = 16, "4x4"
EXCHANGES = 16
"""Exchanges of a simulation, whose mean is taken."""

WORDS = tuple(2**power for power in range(1, 16))
QUICK_WORDS = (2, 32, 512, 4096, 32768)

MPI = ("ordered", "isend-recv", "irecv-send", "irecv-isend", "sendrecv", "persistent")
"""MPI's two-sided protocols of the slide, and the most usual others."""
ONE_SIDED = ("shmem", "coarray")
TYPES = ("derived", "packed")
MOST_TYPED = 4096
"""Most words with these: they are simulated with their data, whose array SimGrid's types cannot
address beyond 2 GB.
"""

APART = "apart"
"""A variant in which each rank has a node of its own."""


@dataclass(frozen=True)
class Curve:
    """A line of a picture: protocol on a machine; ranks: of the grid."""

    machine: str
    protocol: str
    ranks: int = RANKS
    apart: bool = False


CURVES = (
    *(Curve(X1, protocol) for protocol in (*MPI, *ONE_SIDED, *TYPES)),
    Curve(P690, "persistent"),
    Curve(ALTIX, "persistent"),
    Curve(ALTIX, "shmem"),
    Curve(X1, "persistent", 2),
    Curve(X1, "persistent", 2, apart=True),
)
"""What the claims and pictures need."""

Times = Mapping[Curve, Mapping[int, float]]
"""Seconds of an exchange by words."""


def simulated_times(words: Sequence[int], cache: Path, workers: int) -> Times:
    """Simulate all curves; simulations are kept in the folder `cache`."""
    keys = [(curve, number) for curve in CURVES for number in words if _possible(curve, number)]
    tasks = [_task(curve, number) for curve, number in keys]
    found = simulate_many(tasks, cache, workers, Telling("halo exchanges"))
    seconds: dict[Curve, dict[int, float]] = {curve: {} for curve in CURVES}
    for (curve, number), summary in zip(keys, found, strict=True):
        seconds[curve][number] = float(summary["turn_seconds"])
    return seconds


def _possible(curve: Curve, words: int) -> bool:
    return curve.protocol not in TYPES or words <= MOST_TYPED


def _task(curve: Curve, words: int) -> Task:
    study = Study.from_dict(
        {
            "workload": "halo",
            "exchanges": EXCHANGES,
            "halo": {"words": words, "verify": False},
            "communication": {
                "process_grid": GRID if curve.ranks == RANKS else f"{curve.ranks}x1",
                "protocol": curve.protocol,
            },
        }
    )
    skeleton = curve.protocol not in TYPES
    return Task(study, Request(_machine(curve), curve.ranks, skeleton=skeleton))


def _machine(curve: Curve) -> Machine:
    machine = load_machine(curve.machine)
    return (
        replace(machine, name=f"{machine.name}-{APART}", node_ranks=1) if curve.apart else machine
    )
