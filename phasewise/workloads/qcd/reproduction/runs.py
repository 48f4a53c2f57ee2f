"""An iteration of the source's runs on its machines: how long its faces take, simulated by SimGrid
and predicted by model `contention`.

What a rank computes takes as long as the source's compute column says, which has the global sums in
it; only the exchanges of faces are ours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from phasewise.machines import Machine, load_machine
from phasewise.models.computation import kernel_work
from phasewise.models.contention import follow
from phasewise.models.model import Case
from phasewise.reproduction.telling import Telling
from phasewise.simulated.many import Task, simulate_many
from phasewise.simulated.simulate import Request
from phasewise.simulated.workers import in_workers
from phasewise.study import Study
from phasewise.workloads.qcd.reproduction.published import FLOPS_PER_SITE, Column

Way = Mapping[str, str | int]
"""Keys of [communication]."""

SEEDS_WAY: Way = {"halo": "sendrecv", "spinors": "full"}
"""With which faces go as the source's: whole spinors, axis by axis."""
PUTS: Way = {"halo": "shmem", "spinors": "full", "blocks": "runs", "kernel": "plain"}
"""As its shmem had to: a put for each contiguous run of a face."""

FACES = "halo"
"""What the names of the phases of faces begin with."""
FASTEST = 1e13
"""B/s; bytes take no time of their own, since the compute column holds them."""


@dataclass(frozen=True)
class Run:
    """A column's iteration, with keys of [communication]; machine: another than its own."""

    column: Column
    way: Way = field(default_factory=lambda: SEEDS_WAY)
    machine: Machine | None = None

    @property
    def name(self) -> str:
        """In words."""
        size = "×".join(map(str, self.column.size))
        return f"{size} on {self.column.cores} cores of {self.column.machine}"

    @property
    def study(self) -> Study:
        """A solve of one iteration."""
        return Study.from_dict(
            {
                "title": "BQCD",
                "workload": "qcd",
                "solves": 1,
                "lattice": {"size": list(self.column.size)},
                "gauge": {"start": "hot"},
                "quarks": {"kappa": 0.13},
                "solver": {"iterations": 1},
                "communication": dict(self.way),
            }
        )

    def charged(self) -> Machine:
        """The machine, on which an iteration's kernels take as long as the column says."""
        machine = self.machine or load_machine(self.column.machine)
        cases = [self._case(machine, iterations) for iterations in (0, 1)]
        none, one = (sum(kernel["flops"] for kernel in kernel_work(case)) for case in cases)
        rate = (one - none) / compute_seconds(self.column)
        return replace(
            machine, kernels={}, processor=replace(machine.processor, flops=rate, bandwidth=FASTEST)
        )

    def share(self, iterations: int) -> float:
        """Messages of an iteration over those of a solve with this number of them: its products
        with the hopping matrix are alike.
        """
        machine = self.machine or load_machine(self.column.machine)
        none, one = (self._messages(machine, number) for number in (0, 1))
        return (one - none) / (none + iterations * (one - none))

    def _messages(self, machine: Machine, iterations: int) -> float:
        phases = self._case(machine, iterations).phases
        return sum(float(one.count.sum()) for one in phases if one.name.startswith(FACES))

    def _case(self, machine: Machine, iterations: int) -> Case:
        pieces = {"links": 0.0, "iteration": float(iterations)}
        return Case(self.study, machine, self.column.cores, pieces=pieces)

    def predicted(self) -> Exchange:
        """By the model, from the products with the hopping matrix before and after iterations."""
        turn = follow(self._case(self.charged(), 0))
        faces = sum(time for name, time in turn.phases.items() if name.startswith(FACES))
        return Exchange(self.column, faces * self.share(0))


@dataclass(frozen=True)
class Exchange:
    """What is found of a column: the seconds of its faces in an iteration."""

    column: Column
    seconds: float

    @property
    def overhead(self) -> float:
        """Their share of an iteration."""
        return self.seconds / (self.seconds + compute_seconds(self.column))

    @property
    def overall(self) -> float:
        """The rate of all cores [flop/s], as the source counts flops."""
        flops = FLOPS_PER_SITE * math.prod(self.column.size) / 2
        return flops / (self.seconds + compute_seconds(self.column))


def compute_seconds(column: Column) -> float:
    """Of an iteration outside of its messages [s]."""
    sites = math.prod(column.size) / 2 / column.cores
    return FLOPS_PER_SITE * sites / column.compute


def simulated(runs: Sequence[Run], cache: Path, workers: int) -> list[Exchange]:
    """By SimGrid; simulations are kept in the folder `cache`."""
    tasks = [
        Task(run.study, Request(run.charged(), run.column.cores, skeleton=True)) for run in runs
    ]
    found = simulate_many(tasks, cache, workers, Telling("iterations"))
    return [
        Exchange(run.column, float(summary["exchange_seconds"]) * run.share(1))
        for run, summary in zip(runs, found, strict=True)
    ]


def predicted(runs: Sequence[Run], workers: int) -> list[Exchange]:
    """By the model, each in a process of its own."""
    tasks = {str(index): run for index, run in enumerate(runs)}
    found = dict(in_workers(_predict, tasks, workers, lambda run: run.name))
    return [found[key] for key in tasks]


def _predict(run: Run) -> Exchange:
    return run.predicted()
