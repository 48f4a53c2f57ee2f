"""Solves of lattice QCD that are drawn by number, to judge the models by: the same number gives the
same.

Size, ranks, process grid, layout, protocol, blocks, spinors, overlap and iterations vary, on
described machines and on machines that are drawn too (benchmarks/machine_generator.py), with fat
trees (one switch, or a tapered stage) and tori.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, cast

import numpy as np

from benchmarks.machine_generator import machine_of, machine_text
from benchmarks.measured_twins import measured_twin
from phasewise.driver import load_planner
from phasewise.errors import StudyError
from phasewise.machines import Machine, load_machine
from phasewise.machines.overhead import check_overhead
from phasewise.machines.topology import check_size
from phasewise.simulated.many import Task
from phasewise.simulated.simulate import Request
from phasewise.study import Study
from phasewise.workloads.lattice.communication import (
    BRICKS,
    LAYOUTS,
    PACKED,
    RUNS,
    SPINORS,
    LatticeCommunication,
    grid_of,
)
from phasewise.workloads.lattice.grids import Extents, fitting_grids
from phasewise.workloads.protocols import comparable

FAT_TREE, TORUS = "fat-tree", "torus"
DESCRIBED = {
    FAT_TREE: ("altix", "bassi", "jacquard", "modern", "p690", "seaborg"),
    TORUS: ("jaguar", "bluegene-l"),
}
"""Machines that have files."""
DRAWN = {FAT_TREE: (0, 1, 2, 3), TORUS: (4, 5)}
"""Numbers of drawn machines modulo 10: one switch and tapered trees; tori."""

THOUSAND, MACHINES = 1000, 200
"""Cases that share drawn machines, and how many numbers of machines these have."""

RANKS = (8, 12, 16, 24, 32, 48, 64, 96, 128)
SIZES = (
    (8, 8, 8, 16),
    (12, 12, 12, 24),
    (16, 16, 16, 32),
    (24, 24, 24, 48),
    (8, 16, 16, 64),
    (32, 12, 8, 16),
)
MOST_ITERATIONS = 6
MAX_MESSAGES = 60_000
"""Most messages of a simulation, which then takes some seconds."""
MOST_RUNS = 16
"""Most messages between two ranks at once: SimGrid's time grows with their square."""

Draw = np.random.Generator


@dataclass(frozen=True)
class Point:
    """One simulated solve. held_out: whether it is evidence; the others may be looked at. text: the
    file of a machine that is drawn.
    """

    number: int
    network: str
    machine: Machine
    text: str | None
    study: Study
    ranks: int

    @property
    def held_out(self) -> bool:
        return self.number % 2 == 1

    @property
    def task(self) -> Task:
        return Task(self.study, Request(self.machine, self.ranks, skeleton=True))

    def measured(self, cache: Path) -> Machine:
        """The machine with the curves of its twin on these ranks."""
        return measured_twin(self.machine.name, self.text, self.ranks, cache)

    @property
    def words(self) -> str:
        """All of it in one line."""
        own = cast(LatticeCommunication, self.study.communication)
        size = "x".join(map(str, self.study.model.lattice.size))
        return (
            f"{self.number} {self.machine.name} {self.ranks} ranks, {size} on {own.grid_text} "
            f"{own.layout_text}, {own.halo}, {own.blocks}, {own.spinors}"
            f"{', overlap' if own.overlap else ''}, {self.study.model.solver.iterations} iterations"
        )


def points_of(network: str, first: int, number: int) -> Iterator[Point]:
    """So many points of a kind of network from the first on, held out or not in turn."""
    for i in range(first, first + number):
        for trial in count():
            draw = np.random.default_rng([3, len(network), i, trial])
            with_point = _point(network, i, draw)
            if with_point is not None:
                yield with_point
                break


def _point(network: str, number: int, draw: Draw) -> Point | None:
    """What was drawn, if it is valid and not too long."""
    machine, text = _machine(network, number, draw)
    node_ranks = machine.node_ranks
    ranks = int(draw.choice(RANKS))
    size = SIZES[draw.integers(len(SIZES))]
    grids = sorted(fitting_grids(size, ranks))
    if not grids:
        return None
    try:
        check_size(machine, ranks)
        study = Study.from_dict(_tables(draw, size, grids))
        study.check_ranks(ranks)
        own = cast(LatticeCommunication, study.communication)
        check_overhead(machine, own)
    except StudyError:
        return None
    if own.layout == BRICKS and ranks > node_ranks and ranks % node_ranks:
        return None
    if _messages(study, ranks) > MAX_MESSAGES or _at_once(study, ranks) > MOST_RUNS:
        return None
    return Point(number, network, machine, text, study, ranks)


def _machine(network: str, number: int, draw: Draw) -> tuple[Machine, str | None]:
    """A third are described ones; drawn ones, with their text, are held out or not as their number
    says.
    """
    if draw.integers(3) == 0:
        return load_machine(str(draw.choice(DESCRIBED[network]))), None
    begin = MACHINES * (number // THOUSAND)
    numbers = range(begin + number % 2, begin + MACHINES, 2)
    fitting = [n for n in numbers if n % 10 in DRAWN[network]]
    chosen = int(draw.choice(fitting))
    return machine_of(chosen), machine_text(chosen)


def _tables(draw: Draw, size: Extents, grids: Sequence[Extents]) -> dict[str, Any]:
    return {
        "workload": "lattice",
        "title": "drawn",
        "solves": 1,
        "seed": int(draw.integers(1, 1000)),
        "lattice": {"size": list(size)},
        "quarks": {"kappa": 0.12},
        "solver": {"iterations": int(draw.integers(2, MOST_ITERATIONS + 1))},
        "communication": {
            "process_grid": grid_of(grids[draw.integers(len(grids))]),
            "layout": str(draw.choice(LAYOUTS)),
            "halo": str(draw.choice(comparable())),
            "blocks": str(draw.choice((PACKED, PACKED, RUNS))),
            "spinors": str(draw.choice(SPINORS)),
            "overlap": bool(draw.integers(2)),
        },
    }


def _messages(study: Study, ranks: int) -> float:
    planned = load_planner().plan(study.parameters(), ranks)["phases"]
    return ranks * sum(float(phase["messages"]) for phase in planned)


def _at_once(study: Study, ranks: int) -> float:
    """Most messages from a rank to a neighbour in one exchange of faces."""
    if cast(LatticeCommunication, study.communication).blocks == PACKED:
        return 1
    planned = load_planner().plan(study.parameters(), ranks)
    grid = planned["process_grid"][0]
    y, z, t = (n // p for n, p in zip(study.model.lattice.size[1:], grid[1:], strict=True))
    runs = (y * z * t // 2, z * t, t, 1)
    return max((n for n, p in zip(runs, grid, strict=True) if p > 1), default=1)
