"""An iteration of the source's runs on its machines: the time that exchanges of faces take,
simulated by SimGrid or predicted by model `contention`.

The time that a rank computes is that of the source's compute column, which includes the global
sums. Only the exchanges of faces are simulated or predicted.
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
"""Values of keys of [communication]."""

SEEDS_WAY: Way = {"halo": "sendrecv", "spinors": "full"}
"""The source's exchange of faces: whole spinors, axis by axis."""
PUTS: Way = {"halo": "shmem", "spinors": "full", "blocks": "runs", "kernel": "plain"}
"""The exchange that the source's shmem variant needed: one put for each contiguous run of a
face.
"""

FACES = "halo"
"""Prefix of the names of the phases that exchange faces."""
FASTEST = 1e13
"""B/s; so high that reading and writing bytes takes no time, since the compute column includes
it.
"""


@dataclass(frozen=True)
class Run:
    """An iteration of a column with some keys of [communication]; machine: the machine instead of
    the column's own.
    """

    column: Column
    way: Way = field(default_factory=lambda: SEEDS_WAY)
    machine: Machine | None = None

    @property
    def name(self) -> str:
        """The run in words."""
        size = "×".join(map(str, self.column.size))
        return f"{size} on {self.column.cores} cores of {self.column.machine}"

    @property
    def study(self) -> Study:
        """The study of one solve with one iteration."""
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
        """The machine, with a flop rate at which the kernels of an iteration take the column's
        compute time.
        """
        machine = self.machine or load_machine(self.column.machine)
        cases = [self._case(machine, iterations) for iterations in (0, 1)]
        none, one = (sum(kernel["flops"] for kernel in kernel_work(case)) for case in cases)
        rate = (one - none) / compute_seconds(self.column)
        return replace(
            machine, kernels={}, processor=replace(machine.processor, flops=rate, bandwidth=FASTEST)
        )

    def share(self, iterations: int) -> float:
        """The messages of an iteration over all messages of a solve with `iterations` iterations.
        All products with the hopping matrix exchange the same messages.
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
        """The model's prediction for an iteration, from the products with the hopping matrix that a
        solve without iterations has.
        """
        turn = follow(self._case(self.charged(), 0))
        faces = sum(time for name, time in turn.phases.items() if name.startswith(FACES))
        return Exchange(self.column, faces * self.share(0))


@dataclass(frozen=True)
class Exchange:
    """The result for a column: the seconds that an iteration spends in exchanges of faces."""

    column: Column
    seconds: float

    @property
    def overhead(self) -> float:
        """The share of an iteration that exchanges take."""
        return self.seconds / (self.seconds + compute_seconds(self.column))

    @property
    def overall(self) -> float:
        """The rate of all cores [flop/s], as the source counts flops."""
        flops = FLOPS_PER_SITE * math.prod(self.column.size) / 2
        return flops / (self.seconds + compute_seconds(self.column))


def compute_seconds(column: Column) -> float:
    """Time of an iteration outside of its messages [s]."""
    sites = math.prod(column.size) / 2 / column.cores
    return FLOPS_PER_SITE * sites / column.compute


def simulated(runs: Sequence[Run], cache: Path, workers: int) -> list[Exchange]:
    """The results of simulations by SimGrid, which are kept in the folder `cache`."""
    tasks = [
        Task(run.study, Request(run.charged(), run.column.cores, skeleton=True)) for run in runs
    ]
    found = simulate_many(tasks, cache, workers, Telling("iterations"))
    return [
        Exchange(run.column, float(summary["exchange_seconds"]) * run.share(1))
        for run, summary in zip(runs, found, strict=True)
    ]


def predicted(runs: Sequence[Run], workers: int) -> list[Exchange]:
    """The model's predictions, each computed in a process of its own."""
    tasks = {str(index): run for index, run in enumerate(runs)}
    found = dict(in_workers(_predict, tasks, workers, lambda run: run.name))
    return [found[key] for key in tasks]


def _predict(run: Run) -> Exchange:
    return run.predicted()
