"""Measures the rates of the kernels of a bunch with space charge on this machine: a few turns of
small studies, with all ranks at work at once, since they share the memory's bandwidth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from phasewise.driver import Core
from phasewise.machines.kernel_rates import KernelRate, Measuring
from phasewise.runs.kernel_times import KernelTimes, usual_turn
from phasewise.study import Study
from phasewise.study.kernels import Term
from phasewise.study.study import CPU
from phasewise.workloads.spacecharge.bench import case_tables
from phasewise.workloads.spacecharge.kernels import SpaceChargeKernels, terms_of
from phasewise.workloads.spacecharge.model import SpaceCharge, model_of

MESHES = ((16, 16, 32), (32, 32, 64), (64, 64, 128))
PARTICLES = (20_000, 200_000, 1_000_000)
"""Particles on a rank: within its caches, beyond the first cache, and from memory."""
FEW, MANY = 1.0, 8.0
"""Particles on a rank for each node of the mesh, in kicks that make differences for all nodes."""
ALONE = 0.25
"""The same in kicks that do not make differences for all nodes."""
KICKS = 4


@dataclass(frozen=True)
class Case:
    """A study that is timed: particles on a rank, nodes of the mesh, kicks, maps of the lattice."""

    particles: int
    grid: tuple[int, int, int]
    kicks: int = KICKS
    maps: str = "second-order"

    def study(self, ranks: int) -> Study:
        """The study on this number of ranks."""
        tables = case_tables("small")
        tables["bunch"]["macroparticles"] = self.particles * ranks
        tables["lattice"]["maps"] = self.maps
        tables["solver"] |= {"kicks": self.kicks, "grid": list(self.grid), "sort_every": 1}
        return Study.from_dict(tables)


@dataclass(frozen=True)
class Timed:
    """A turn of a case on the mean rank; rest: the seconds outside kernels and communication."""

    case: Case
    kernels: KernelTimes
    rest: float

    @property
    def nodes(self) -> float:
        """Nodes of the mesh."""
        return float(np.prod(self.case.grid))

    def terms(self, name: str) -> list[Term]:
        """The terms of a kernel's time."""
        kernel: dict[str, Any] = {"name": name, **self.kernels[name]}
        model: SpaceCharge = model_of(self.case.study(1))
        return terms_of(kernel, model, float(self.case.particles))

    def seconds(self, name: str) -> float:
        """Seconds of a kernel in the turn."""
        return self.kernels[name]["seconds"]


@cache
def _cases() -> dict[str, Case]:
    """Every study that is timed, by name."""
    found = {"one kick": Case(1000, (8, 8, 8), 1), "many kicks": Case(1000, (8, 8, 8), 33)}
    for grid in MESHES:
        for each in (ALONE, FEW, MANY):
            found[_on_mesh(grid, each)] = Case(round(each * float(np.prod(grid))), grid)
    for count in PARTICLES:
        for maps in ("second-order", "exact"):
            found[_through(maps, count)] = Case(count, MESHES[0], 1, maps)
    return found


def _on_mesh(grid: tuple[int, int, int], each: float) -> str:
    return f"mesh {'x'.join(map(str, grid))}, {each:g} particles a node"


def _through(maps: str, count: int) -> str:
    return f"{maps} maps, {count} particles"


Points = dict[str, dict[float, float]]
"""Seconds per unit by size, for each name."""


class SpaceChargeMeasuring(Measuring):
    """How its kernels are timed."""

    def cases(self) -> Sequence[str]:
        """The names of the studies that are timed, in order."""
        return tuple(_cases())

    def time_case(
        self, core: Core, threads: int, case: str, seconds: float, _device: str = CPU
    ) -> dict[str, Any]:
        """Time turns of a study for about this number of seconds; the values of a `Timed` beside
        its case. Collective.
        """
        driver = core.start(_cases()[case].study(core.size()).parameters(), threads)
        kernels, rest = usual_turn(core, driver, seconds)
        return {"kernels": kernels, "rest": rest}

    def rates(self, timed: Mapping[str, Mapping[str, Any]]) -> dict[str, KernelRate]:
        """The rates that follow from the timings, which stand under the names of `cases`."""
        known = {name: Timed(_cases()[name], **values) for name, values in timed.items()}
        found: Points = {}
        if "one kick" in known and "many kicks" in known:
            _overheads(found, known["one kick"], known["many kicks"])
        for grid in MESHES:
            if alone := known.get(_on_mesh(grid, ALONE)):
                _plain(found, alone, "kick")
            pair = [known.get(_on_mesh(grid, each)) for each in (FEW, MANY)]
            if complete := [one for one in pair if one is not None]:
                for name in ("potential", "green"):
                    _plain(found, complete[-1], name)
            if len(complete) == len(pair):
                _split(found, complete, "charge_local")
                _split(found, complete, "kick")
        for count in PARTICLES:
            if measured := known.get(_through("second-order", count)):
                for name in ("arc", "extent", "sort"):
                    _plain(found, measured, name)
            if measured := known.get(_through("exact", count)):
                _plain(found, measured, "arc")
        return {name: _rate(name, points) for name, points in found.items()}


def _rate(name: str, points: Mapping[float, float]) -> KernelRate:
    sizes = tuple(sorted(points))
    return KernelRate(SpaceChargeKernels.UNITS[name], sizes, tuple(points[size] for size in sizes))


def _put(found: Points, term: Term, seconds: float) -> None:
    found.setdefault(term.name, {})[term.size] = seconds


def _plain(found: Points, measured: Timed, name: str) -> None:
    """A kernel of a single term."""
    term = measured.terms(name)[0]
    _put(found, term, measured.seconds(name) / term.amount)


def _split(found: Points, pair: Sequence[Timed], name: str) -> None:
    """A kernel over particles and over nodes, from turns with few and with many particles."""
    from scipy.optimize import nnls

    terms = [measured.terms(name) for measured in pair]
    rows = np.array([[term.amount for term in row] for row in terms])
    values = np.array([measured.seconds(name) for measured in pair])
    weights = 1 / values  # relative errors
    seconds, _ = nnls(rows * weights[:, None], values * weights)
    for term, each in zip(terms[0], seconds, strict=True):
        _put(found, term, float(each))


def _overheads(found: Points, one: Timed, many: Timed) -> None:
    """The time of a passage and of a kick beside kernels and messages."""
    kick = max((many.rest - one.rest) / (many.case.kicks - one.case.kicks), 0.0)
    _put(found, Term("kick_step", 1.0, 1.0), kick)
    _put(found, Term("passage", 1.0, 1.0), max(one.rest - kick, 0.0))
