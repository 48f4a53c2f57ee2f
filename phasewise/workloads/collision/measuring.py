"""Measures the rates of a collision's kernels on this machine: a few turns of small studies, with
all ranks at work at once, since they share the memory's bandwidth and the clock of the cores.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np
from scipy.optimize import nnls

from phasewise.driver import Core, Run
from phasewise.machines.kernel_rates import KernelRate, Term, rated
from phasewise.study import Study
from phasewise.study.reading import apply_override
from phasewise.workloads.collision.bench import collision_case
from phasewise.workloads.collision.kernels.terms import terms_at, variant_of
from phasewise.workloads.collision.tables.model import collision_of
from phasewise.workloads.collision.tables.point import InteractionPoint

TURNS = 7
"""Turns of each study, after one that is not counted. The median over these turns is used for each
kernel, since it is the usual time with the other load of the machine.
"""

COUNTS = ("items", "flops", "bytes")


@dataclass(frozen=True)
class Timed:
    """A turn of a study on the mean rank.

    kernels: items, flops, bytes and seconds by name. rest [s]: of the turn beside kernels and
    communication. particles on a rank, of `held` beams.
    """

    study: Study
    particles: float
    held: int
    kernels: dict[str, dict[str, float]]
    rest: float

    @property
    def point(self) -> InteractionPoint:
        """Where the beams collide."""
        return collision_of(self.study).ips[0]

    @property
    def cells(self) -> float:
        """Nodes of the mesh."""
        nx, ny = self.point.grid
        return float(nx * ny)

    def terms(self, name: str) -> list[Term]:
        """The terms of a kernel's time."""
        kernel: dict[str, Any] = {"name": name, **self.kernels[name]}
        met = collision_of(self.study).slices_met(self.point)
        return terms_at(kernel, self.point, self.particles, met, self.held)

    def per_unit(self, name: str) -> float:
        """Seconds per unit of the first term of a kernel."""
        return self.kernels[name]["seconds"] / self.terms(name)[0].amount


@dataclass
class Rates:
    """Rates measured so far: size and seconds per unit by name."""

    points: dict[str, dict[float, float]] = field(default_factory=dict)

    def put(self, name: str, size: float, seconds: float) -> None:
        """Add a point; if there is one of this size already, take the mean of the two."""
        known = self.points.setdefault(name, {})
        known[size] = 0.5 * (known[size] + seconds) if size in known else seconds

    def rates(self) -> dict[str, KernelRate]:
        """All of them, sizes in order."""
        result = {}
        for name, points in self.points.items():
            sizes = sorted(points)
            seconds = tuple(points[size] for size in sizes)
            result[name] = KernelRate(rated()[name].unit, tuple(sizes), seconds)
        return result


def time_study(core: Core, threads: int, particles: int, *changes: str) -> Timed:
    """Time some turns of a study with a number of particles a rank; collective."""
    tables = collision_case("small")
    ranks_of_a_beam = max(core.size() / 2, 1.0)
    count = round(particles * ranks_of_a_beam)
    for change in (f"beam.1.macroparticles={count}", "communication.process_grid='auto'", *changes):
        apply_override(tables, change)
    study = Study.from_dict(tables)
    driver = core.start(study.parameters(), threads)
    driver.step()
    turns = [_turn(core, driver) for _ in range(TURNS)]
    usual = {name: median(turn[name] for turn in turns) for name in turns[0]}
    everyone = core.gather(json.dumps(usual).encode())
    text = json.dumps([json.loads(part) for part in everyone]).encode() if everyone else b""
    ranks: list[dict[str, float]] = json.loads(core.broadcast(text))
    kernels: dict[str, dict[str, float]] = {}
    for key in {key: None for rank in ranks for key in rank if ":" in key}:
        name, what = key.split(":")
        value = sum(rank.get(key, 0.0) for rank in ranks) / len(ranks)
        kernels.setdefault(name, {})[what] = value
    held = 2 if core.size() == 1 else 1
    rest = sum(rank["rest"] for rank in ranks) / len(ranks)
    return Timed(study, held * count / ranks_of_a_beam, held, kernels, rest)


def _turn(core: Core, driver: Run) -> dict[str, float]:
    """One turn of this rank: `kernel:items` and the like, and `rest` [s]."""
    kernels, phases = _totals(driver.kernels()), _communicating(driver)
    core.barrier()
    start = time.perf_counter()
    driver.step()
    seconds = time.perf_counter() - start
    core.barrier()
    after = _totals(driver.kernels())
    spent = {key: value - kernels.get(key, 0.0) for key, value in after.items()}
    computing = sum(value for key, value in spent.items() if key.endswith(":seconds"))
    rest = seconds - computing - (_communicating(driver) - phases)
    return spent | {"rest": rest}


def _totals(kernels: Sequence[dict[str, Any]]) -> dict[str, float]:
    return {f"{k['name']}:{what}": float(k[what]) for k in kernels for what in (*COUNTS, "seconds")}


def _communicating(driver: Run) -> float:
    return sum(float(phase["seconds"]) for phase in driver.phases())


MESHES = (64, 128, 256, 512)
PARTICLES = (20_000, 200_000, 1_000_000)
"""Particles on a rank: within its caches, beyond the first cache, and from memory."""
SPARSE, DENSE = 40_000, 400_000
"""Particles on a rank, few and many for a mesh."""
SLICES = 8
"""Slices: with this number the meshes together exceed the cache, as in most studies."""


def measure(core: Core, threads: int) -> dict[str, KernelRate]:
    """The rates with the ranks of this run at work; collective."""
    found = Rates()

    def take(particles: int, nodes: int, slices: int, *changes: str) -> Timed:
        shape = (f"ip.1.grid=[{nodes}, {nodes}]", f"ip.1.slices={slices}")
        return time_study(core, threads, particles, *shape, *changes)

    _overheads(found, take)
    for changes in ((), ("ip.1.interpolation='linear'", "ip.1.longitudinal_kick=true")):
        for particles in PARTICLES:
            _particles(found, take(particles, MESHES[0], SLICES, *changes))
        for nodes in MESHES:
            pair = [take(count, nodes, SLICES, *changes) for count in (SPARSE, DENSE)]
            _meshes(found, pair)
    for planes in ("none", "linear"):
        tsc = ("ip.1.weighting='tsc'", f"ip.1.interpolation='{planes}'")
        measured = take(PARTICLES[1], MESHES[0], SLICES, *tsc)
        for name in ("encounter", "field"):
            found.put(
                name + variant_of(measured.point),
                measured.particles if name == "encounter" else measured.cells,
                measured.per_unit(name),
            )
    for nodes in MESHES:
        every = take(DENSE, nodes, SLICES, "ip.1.green_function='every-step'")
        found.put("green", every.cells, every.per_unit("green"))
    _gaussian(found, take(PARTICLES[1], MESHES[0], SLICES, "ip.1.model='soft-gaussian'"))
    return found.rates()


Take = Callable[..., Timed]


def _overheads(found: Rates, take: Take) -> None:
    """The time of a turn and of a step beside kernels and messages, from runs with few particles
    and few or many steps.
    """
    short, long = take(1000, 16, 2), take(1000, 16, 32)
    few, many = (s.point.steps for s in (short, long))
    step = max((long.rest - short.rest) / (many - few), 0.0)
    found.put("step", 1.0, step)
    found.put("turn", 1.0, max(short.rest - few * step, 0.0))


def _particles(found: Rates, measured: Timed) -> None:
    """Kernels over particles, on a mesh that stays in the cache."""
    variant = variant_of(measured.point)
    for name in ("moments", "sort", "arc"):
        found.put(name, measured.particles, measured.per_unit(name))
    found.put("encounter" + variant, measured.particles, measured.per_unit("encounter"))


def _meshes(found: Rates, pair: Sequence[Timed]) -> None:
    """Kernels over meshes, and the extra time of an encounter on a larger mesh. pair: turns with
    few and with many particles on the same mesh, which separate the times per particle and per
    slice.
    """
    cells, variant = pair[0].cells, variant_of(pair[0].point)
    for measured in pair:
        for name in ("clear", "solve", "green"):
            if not variant and measured.kernels[name]["items"] > 0:
                found.put(name, cells, measured.per_unit(name))
        for name in ("field", "luminosity"):
            found.put(name + variant, cells, measured.per_unit(name))
    if cells == MESHES[0] ** 2:  # that of `encounter` itself
        found.put("encounter_mesh" + variant, cells, 0.0)
        found.put("encounter_cold" + variant, cells, 0.0)
        return
    alone = found.rates()["encounter" + variant]
    rows, beyond = [], []
    for measured in pair:
        base, mesh, cold = measured.terms("encounter")
        rows.append([mesh.amount, cold.amount])
        beyond.append(
            max(measured.kernels["encounter"]["seconds"] - base.amount * alone.at(base.size), 0.0)
        )
    per_particle, per_cell = _not_negative(np.array(rows), np.array(beyond))
    found.put("encounter_mesh" + variant, cells, per_particle)
    found.put("encounter_cold" + variant, cells, per_cell)


def _not_negative(rows: Any, values: Any) -> tuple[float, float]:
    """The two factors, neither below zero, by which rows (2, 2) come nearest to values (2,)."""
    weights = 1 / rows[:, 0]  # relative to the particles' time
    found, _ = nnls(rows * weights[:, None], values * weights)
    return float(found[0]), float(found[1])


def _gaussian(found: Rates, measured: Timed) -> None:
    """Encounters with Gaussian slices, and what measures the slices."""
    for name in ("gaussian_encounter", "slice_moments", "bounds"):
        found.put(name, measured.particles, measured.per_unit(name))
