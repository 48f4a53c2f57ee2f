"""Solves and trajectories of lattice QCD, drawn by number, by which the models are judged; a number
always gives the same one.

Everything that changes messages or their times varies: size, ranks, process grid and layout;
protocol, blocks, spinors, overlap and sums; method, precision and iterations; clover term,
anisotropy and stout links; a pion (twelve right-hand sides) from a point or a smeared source, and
rectangles. Trajectories are those of phasewise/workloads/qcd/drawn.py: quenched ones, those with
quarks, and sweeps of a heat-bath. Machines are described ones and drawn ones
(benchmarks/machine_generator.py), half of them with costs of messages, with fat trees (one switch,
or a tapered stage) and tori.
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
from benchmarks.unknown_machines import Point as SimulatedPoint
from phasewise.driver import load_planner
from phasewise.errors import StudyError
from phasewise.machines import Machine, load_machine
from phasewise.machines.machine import parse_machine
from phasewise.machines.overhead import check_overhead
from phasewise.machines.topology import check_size
from phasewise.study import Study
from phasewise.workload.grids import grid_of
from phasewise.workload.protocols import NOT_SIMULATED, available
from phasewise.workloads.qcd.communication import (
    BRICKS,
    LAYOUTS,
    PACKED,
    RUNS,
    SPINORS,
    SUMS,
    QcdCommunication,
)
from phasewise.workloads.qcd.drawn import KINDS, MOST_OF_PION, SIZES, trajectory
from phasewise.workloads.qcd.grids import Extents, fitting_grids
from phasewise.workloads.qcd.model import METHODS, PIONS, PRECISIONS, Qcd
from phasewise.workloads.qcd.update_keys import HEAT_BATH

SOLVES, TRAJECTORIES = "solves", "trajectories"
DRAWS = {SOLVES: 4, TRAJECTORIES: 5}
"""What is drawn, with a number that begins the seed of its draws."""
FAT_TREE, TORUS = "fat-tree", "torus"
DESCRIBED = {
    FAT_TREE: (
        "altix",
        "altix-4700",
        "altix-dense",
        "bassi",
        "jacquard",
        "modern",
        "p690",
        "seaborg",
    ),
    TORUS: ("jaguar", "bluegene-l", "xt4"),
}
"""Machines that have files."""
DRAWN = {FAT_TREE: (0, 1, 2, 3), TORUS: (4, 5)}
"""Numbers of drawn machines modulo 10: one switch and tapered trees; tori."""

THOUSAND, MACHINES = 1000, 200
"""How many cases share drawn machines, and how many numbers of machines these cases have."""

RANKS = (8, 12, 16, 24, 32, 48, 64, 96, 128)
MOST_ITERATIONS = 6
"""Iterations for each right-hand side where there is one; a pion has twelve."""
MAX_MESSAGES = 60_000
"""The most messages of a simulation, which then takes some seconds."""
EACH_IN_RUNS = 5
"""One case in this many has faces in runs."""
MOST_RUNS = 16
"""The most messages between two ranks at once; SimGrid's time grows with their square."""

COST = (2e-7, 5e-6)
"""Least and most that a message costs each of its sides [s]."""

Draw = np.random.Generator


@dataclass(frozen=True)
class Point(SimulatedPoint):
    """One simulated solve or trajectory. text: the contents of the file of a drawn machine."""

    network: str
    text: str | None

    def measured(self, cache: Path) -> Machine:
        """The machine with the curves of its twin on these ranks."""
        return measured_twin(self.machine.name, self.text, self.ranks, cache)

    @property
    def words(self) -> str:
        """The whole case in one line."""
        own = cast(QcdCommunication, self.study.communication)
        size = "x".join(map(str, self.study.model.lattice.size))
        return ", ".join(
            (
                f"{self.number} {self.machine.name} {self.ranks} ranks",
                f"{size} on {own.grid_text} {own.layout_text}",
                *(own.halo, own.blocks, own.spinors, own.sums),
                *_what(self.study.model, own.overlap),
            )
        )


def _what(model: Qcd, overlap: bool | str) -> list[str]:
    """What is solved or updated, in words."""
    quarks, update = model.quarks, model.update
    if update is None:
        found = [f"{model.solver.iterations} {model.solver.method}"]
    elif update.method == HEAT_BATH:
        found = [f"heat-bath and {update.over_relaxation} sweeps"]
    else:
        found = [f"{update.integrator} {list(update.steps)} masses {list(update.hasenbusch)}"]
    flags = {
        model.solver.precision: quarks,
        "overlap": overlap,
        f"pion from a {model.measure.pion} source": model.measure.pion,
        "clover": quarks is not None and quarks.has_clover,
        "stout": quarks is not None and quarks.stout_steps,
        "rectangles": model.measure.rectangles,
        f"flow of {model.measure.flow_steps} steps": model.measure.flow_steps,
    }
    return found + [word for word, given in flags.items() if given]


def points_of(network: str, first: int, number: int, what: str = SOLVES) -> Iterator[Point]:
    """`number` points of a kind of network from the first on, SOLVES or TRAJECTORIES; every second
    one is held out.
    """
    for i in range(first, first + number):
        for trial in count():
            draw = np.random.default_rng([DRAWS[what], len(network), i, trial])
            with_point = _point(network, i, draw, what)
            if with_point is not None:
                yield with_point
                break


def _point(network: str, number: int, draw: Draw, what: str) -> Point | None:
    """The drawn case, if it is valid and not too long."""
    machine, text = _machine(network, number, draw)
    node_ranks = machine.node_ranks
    ranks = int(draw.choice(RANKS))
    size = SIZES[draw.integers(len(SIZES))]
    grids = sorted(fitting_grids(size, ranks))
    if not grids:
        return None
    try:
        check_size(machine, ranks)
        study = Study.from_dict(_tables(number, draw, size, grids, what))
        study.check_ranks(ranks)
        own = cast(QcdCommunication, study.communication)
        check_overhead(machine, own)
    except StudyError:
        return None
    if own.layout == BRICKS and ranks > node_ranks and ranks % node_ranks:
        return None
    if _messages(study, ranks) > MAX_MESSAGES or _at_once(study, ranks) > MOST_RUNS:
        return None
    return Point(number, machine, study, ranks, network, text)


def _machine(network: str, number: int, draw: Draw) -> tuple[Machine, str | None]:
    """A third of the machines are described ones. The others are drawn, with their text, and held
    out or not according to their number.
    """
    if draw.integers(3) == 0:
        return load_machine(str(draw.choice(DESCRIBED[network]))), None
    begin = MACHINES * (number // THOUSAND)
    numbers = range(begin + number % 2, begin + MACHINES, 2)
    fitting = [n for n in numbers if n % 10 in DRAWN[network]]
    chosen = int(draw.choice(fitting))
    text = machine_text(chosen) + ("" if draw.integers(2) else _overhead(draw))
    return parse_machine(text, machine_of(chosen).name), text


def _overhead(draw: Draw) -> str:
    """What messages cost at each end, by kind, between 0.2 and 5 µs; prepared messages cost at most
    as much as others.
    """
    cost = {
        kind: float(np.exp(draw.uniform(*np.log(COST))))
        for kind in ("two-sided", "derived", "one-sided", "coarray", "shmem")
    }
    cost["persistent"] = cost["two-sided"] * float(draw.uniform(0.3, 1.0))
    return "".join(["[overhead]\n", *(f"{kind} = {own!r}\n" for kind, own in cost.items())])


def _tables(
    number: int, draw: Draw, size: Extents, grids: Sequence[Extents], what: str
) -> dict[str, Any]:
    """Protocols and blocks follow from the number, since many draws are invalid or too long."""
    pair = number // 2
    return {
        "workload": "qcd",
        "title": "drawn",
        what: 1,
        "lattice": {"size": list(size)},
        **(_trajectory(draw) if what == TRAJECTORIES else _solve(draw)),
        "communication": {
            "process_grid": grid_of(*grids[draw.integers(len(grids))]),
            "layout": str(draw.choice(LAYOUTS)),
            "halo": _in_turn(halos(), pair),
            "blocks": RUNS if pair % EACH_IN_RUNS == 0 else PACKED,
            "spinors": str(draw.choice(SPINORS)),
            "overlap": bool(draw.integers(2)),
            "sums": str(draw.choice(SUMS)),
        },
    }


def _trajectory(draw: Draw) -> dict[str, Any]:
    return {"seed": int(draw.integers(1, 1000)), **trajectory(draw, str(draw.choice(KINDS)))}


def _solve(draw: Draw) -> dict[str, Any]:
    pion = _pion(draw)
    most = MOST_OF_PION if pion else MOST_ITERATIONS
    return {
        "seed": int(draw.integers(1, 1000)),
        "quarks": _quarks(draw),
        "solver": {
            "method": str(draw.choice(METHODS)),
            "precision": str(draw.choice(PRECISIONS)),
            "iterations": int(draw.integers(min(2, most), most + 1)),
        },
        "measure": {"rectangles": bool(draw.integers(2)), **pion},
    }


def halos() -> list[str]:
    """The protocols that this build can simulate."""
    return [one for one in available() if one not in NOT_SIMULATED]


def _in_turn(values: Sequence[str], number: int) -> str:
    return values[number % len(values)]


def _quarks(draw: Draw) -> dict[str, Any]:
    """Half of the cases have a clover term, a third are anisotropic, a third have stout links."""
    found: dict[str, Any] = {"kappa": 0.12}
    if draw.integers(2):
        found["clover"] = float(draw.uniform(1.0, 2.0))
    if draw.integers(3) == 0:
        found |= {"anisotropy": float(draw.uniform(1.0, 3.0)), "velocity": 0.95}
    if draw.integers(3) == 0:
        found |= {"stout_weight": 0.1, "stout_steps": int(draw.integers(1, 4))}
    return found


def _pion(draw: Draw) -> dict[str, Any]:
    """The keys of [measure]; two of three cases have none."""
    if draw.integers(3):
        return {}
    source = str(draw.choice(PIONS))
    wide = {"width": 2.0, "iterations": int(draw.integers(1, 6))} if source == PIONS[1] else {}
    return {"pion": source, **wide}


def _messages(study: Study, ranks: int) -> float:
    planned = load_planner().plan(study.parameters(), ranks)["phases"]
    return ranks * sum(float(phase["messages"]) for phase in planned)


def _at_once(study: Study, ranks: int) -> float:
    """The most messages from a rank to a neighbour in one exchange of faces."""
    if cast(QcdCommunication, study.communication).blocks == PACKED:
        return 1
    planned = load_planner().plan(study.parameters(), ranks)
    grid = planned["process_grid"][0]
    y, z, t = (n // p for n, p in zip(study.model.lattice.size[1:], grid[1:], strict=True))
    runs = (y * z * t // 2, z * t, t, 1)
    return max((n for n, p in zip(runs, grid, strict=True) if p > 1), default=1)
