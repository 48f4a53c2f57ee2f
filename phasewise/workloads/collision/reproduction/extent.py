"""The paper's cases that a reproduction simulates and predicts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from phasewise.machines import Machine
from phasewise.simulated.many import Task
from phasewise.simulated.simulate import Request
from phasewise.workloads.collision.reproduction.cases import MACHINES, paper_case

STEPS, MANY = 5, 256
"""How many of a turn's 15 steps are simulated, from this number of ranks on."""
VARIANTS = ("base", "optimised", "aggregated", "hypercube")
BEST = {"seaborg": "3", "bassi": "3", "jacquard": "4", "jaguar": "6", "bluegene-l": "6"}
"""The most accurate model of each machine in the source paper."""


class Run(NamedTuple):
    """One of the paper's cases: a machine's name, ranks, and a word of VARIANTS."""

    machine: str
    ranks: int
    variant: str


@dataclass(frozen=True)
class Extent:
    """How much is simulated: a full reproduction, or a quick one.

    predicted: numbers of ranks that are too many to simulate; followed: those of them that
    `contention` predicts, in seconds to minutes each. held_out: how many cases of a machine judge
    the models; they have at most `max_messages` messages and `max_ranks` ranks. kept: whether
    simulations that come with phasewise are used; `again`: those of them that are made again all
    the same, for comparison.
    """

    machines: tuple[str, ...]
    ranks: tuple[int, ...]
    predicted: tuple[int, ...]
    followed: tuple[int, ...]
    held_out: int
    max_ranks: int
    max_messages: int
    kept: bool = False
    again: tuple[Run, ...] = ()


FULL = Extent(MACHINES, (32, 64, 128, 256), (512, 1024), (512, 1024), 10, 256, 150_000)
QUICK = replace(
    FULL,
    followed=(),
    held_out=1,
    max_ranks=64,
    max_messages=30_000,
    kept=True,
    again=(Run("bassi", 32, "base"), Run("jaguar", 32, "base")),
)


def runs_of(extent: Extent) -> list[Run]:
    """The paper's cases: base, optimised and hypercube on all numbers of ranks, aggregated on the
    largest.
    """
    return [
        Run(name, ranks, variant)
        for name in extent.machines
        for ranks in extent.ranks
        for variant in VARIANTS
        if variant != "aggregated" or ranks == extent.ranks[-1]
    ]


def exchange_task(machine: Machine, ranks: int, variant: str) -> Task:
    """The paper's case without computation; steps are sampled if it has very many messages."""
    study = paper_case(machine.name, ranks, variant).study()
    request = Request(machine, ranks, skeleton=True, computation=False)
    return Task(study, replace(request, steps=STEPS if ranks >= MANY else 0))
