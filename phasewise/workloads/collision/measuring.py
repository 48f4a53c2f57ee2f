"""Measures the rates of a collision's kernels on this machine: a few turns of small studies, with
all ranks at work at once, since they share the memory's bandwidth and the clock of the cores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from phasewise.driver import Core
from phasewise.machines.kernel_rates import KernelRate, Measuring, rated
from phasewise.runs.kernel_times import KernelTimes, usual_turn
from phasewise.study import Study
from phasewise.study.kernels import Term
from phasewise.study.reading import apply_override
from phasewise.study.study import CPU
from phasewise.workloads.collision.bench import collision_case
from phasewise.workloads.collision.kernels.terms import (
    encounter_variant_of,
    field_variant_of,
    solve_variant_of,
    terms_at,
    variant_of,
)
from phasewise.workloads.collision.tables.model import collision_of
from phasewise.workloads.collision.tables.point import InteractionPoint


@dataclass(frozen=True)
class Timed:
    """A turn of a study on the mean rank.

    kernels: items, flops, bytes and seconds by name. rest: the seconds of the turn outside kernels
    and communication. particles: those of a rank, which holds `held` beams.
    """

    study: Study
    particles: float
    held: int
    kernels: KernelTimes
    rest: float

    @property
    def point(self) -> InteractionPoint:
        """Where the beams collide."""
        return collision_of(self.study).ips[0]

    @property
    def of_encounters(self) -> str:
        """The suffix of the names of its encounters' rates."""
        return encounter_variant_of(collision_of(self.study), 0)

    @property
    def cells(self) -> float:
        """Nodes of the mesh."""
        nx, ny = self.point.grid
        return float(nx * ny)

    def terms(self, name: str) -> list[Term]:
        """The terms of a kernel's time."""
        kernel: dict[str, Any] = {"name": name, **self.kernels[name]}
        return terms_at(kernel, collision_of(self.study), 0, self.particles, self.held)

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
        """All rates, with their sizes in order."""
        result = {}
        for name, points in self.points.items():
            sizes = sorted(points)
            seconds = tuple(points[size] for size in sizes)
            result[name] = KernelRate(rated()[name].unit, tuple(sizes), seconds)
        return result


@dataclass(frozen=True)
class Case:
    """A study that is timed: particles on a rank, and changes of the small study's keys."""

    particles: int
    changes: tuple[str, ...]

    def study(self, particles: int, device: str = CPU) -> Study:
        """The study with this number of particles in each beam."""
        tables = collision_case("small") | {"run": {"device": device}}
        first = (f"beam.1.macroparticles={particles}", "communication.process_grid='auto'")
        for change in (*first, *self.changes):
            apply_override(tables, change)
        return Study.from_dict(tables)

    def timed(self, values: Mapping[str, Any]) -> Timed:
        """The timing with the values that `time_case` gave."""
        return Timed(self.study(self.particles), **values)


MESHES = (64, 128, 256, 512)
PARTICLES = (20_000, 200_000, 1_000_000)
"""Particles on a rank: within its caches, beyond the first cache, and from memory."""
SPARSE, DENSE = 40_000, 400_000
"""Particles on a rank, few and many for a mesh."""
SLICES = 8
"""Number of slices with which the meshes together exceed the cache, as in most studies."""


SHARED = ("ip.1.interpolation='linear'", "ip.1.planes='shared'")
PAIRS = ("ip.1.interpolation='linear'", "ip.1.planes='pair'")
KICK = "ip.1.longitudinal_kick=true"
KINDS: dict[str, tuple[str, ...]] = {
    "": (),
    "shared, ": (*SHARED, KICK),
    "linear, ": (*PAIRS, KICK),
}
"""Names and changes of the kinds of slices that are timed at every size."""
QUADRATIC: dict[str, tuple[str, ...]] = {"none": (), "shared": SHARED, "linear": PAIRS}
"""Names and changes of those that are timed with quadratic weights."""
GREEN = "green on"
"""The beginning of the names of studies that are timed for Green functions alone."""
CROSSING = "crossing"


def _case(particles: int, nodes: int, slices: int, *changes: str) -> Case:
    shape = (f"ip.1.grid=[{nodes}, {nodes}]", f"ip.1.slices={slices}")
    return Case(particles, (*shape, *changes))


@cache
def _cases() -> dict[str, Case]:
    """Every study that is timed, by name."""
    found = {"few steps": _case(1000, 16, 2), "many steps": _case(1000, 16, 32)}
    for kind, changes in KINDS.items():
        for count in PARTICLES:
            found[f"{kind}{count} particles"] = _case(count, MESHES[0], SLICES, *changes)
        for nodes in MESHES:
            for count in (SPARSE, DENSE):
                found[_on_mesh(kind, nodes, count)] = _case(count, nodes, SLICES, *changes)
    for kind, changes in QUADRATIC.items():
        tsc = ("ip.1.weighting='tsc'", *changes)
        found[f"tsc, {kind}"] = _case(PARTICLES[1], MESHES[0], SLICES, *tsc)
    for nodes in MESHES:
        every = "ip.1.green_function='every-step'"
        found[f"{GREEN} {nodes}"] = _case(DENSE, nodes, SLICES, every)
    found[CROSSING] = _case(PARTICLES[1], MESHES[0], SLICES, "ip.1.half_crossing_angle=1e-4")
    soft = "ip.1.model='soft-gaussian'"
    found["gaussian"] = _case(PARTICLES[1], MESHES[0], SLICES, soft)
    return found


def _on_mesh(kind: str, nodes: int, count: int) -> str:
    return f"{kind}mesh {nodes}, {count} particles"


class CollisionMeasuring(Measuring):
    """How its kernels are timed."""

    def time_case(
        self, core: Core, threads: int, case: str, seconds: float, device: str = CPU
    ) -> dict[str, Any]:
        """Time turns of a study for about this number of seconds; the values of a `Timed` beside
        its study. Collective.
        """
        chosen = _cases()[case]
        ranks_of_a_beam = max(core.size() / 2, 1.0)
        count = round(chosen.particles * ranks_of_a_beam)
        driver = core.start(chosen.study(count, device).parameters(), threads)
        kernels, rest = usual_turn(core, driver, seconds)
        held = 2 if core.size() == 1 else 1
        particles = held * count / ranks_of_a_beam
        return {"particles": particles, "held": held, "kernels": kernels, "rest": rest}

    def cases(self) -> Sequence[str]:
        """The names of the studies that are timed, in order."""
        return tuple(_cases())

    def device_cases(self) -> Sequence[str]:
        """The names of the studies that are timed on a device. The host makes the Green functions,
        so that studies of these are left out.
        """
        return tuple(name for name in _cases() if not name.startswith(GREEN))

    def rates(self, timed: Mapping[str, Mapping[str, Any]]) -> dict[str, KernelRate]:
        """The rates that follow from the timings, which stand under the names of `cases`."""
        known = {name: _cases()[name].timed(values) for name, values in timed.items()}
        found = Rates()
        if "few steps" in known and "many steps" in known:
            _overheads(found, known["few steps"], known["many steps"])
        for kind in KINDS:
            for count in PARTICLES:
                if measured := known.get(f"{kind}{count} particles"):
                    _particles(found, measured)
            for nodes in MESHES:
                pair = [known.get(_on_mesh(kind, nodes, count)) for count in (SPARSE, DENSE)]
                if complete := [one for one in pair if one is not None]:
                    _meshes(found, complete)
        if measured := known.get(CROSSING):
            _passes(found, measured)
        for kind in QUADRATIC:
            if measured := known.get(f"tsc, {kind}"):
                _tsc(found, measured)
        for nodes in MESHES:
            if every := known.get(f"{GREEN} {nodes}"):
                found.put("green", every.cells, every.per_unit("green"))
        if measured := known.get("gaussian"):
            _gaussian(found, measured)
        return found.rates()


def _overheads(found: Rates, short: Timed, long: Timed) -> None:
    """The time of a turn and of a step beside kernels and messages, from runs with few particles
    and few or many steps.
    """
    few, many = (s.point.steps for s in (short, long))
    step = max((long.rest - short.rest) / (many - few), 0.0)
    found.put("step", 1.0, step)
    found.put("turn", 1.0, max(short.rest - few * step, 0.0))
    for name in ("mesh", "overlap_factor"):
        found.put(name, 1.0, long.per_unit(name))


def _particles(found: Rates, measured: Timed) -> None:
    """Kernels over particles, on a mesh that stays in the cache."""
    variant = measured.of_encounters
    _passes(found, measured)
    found.put(measured.terms("sort")[0].name, measured.particles, measured.per_unit("sort"))
    found.put("encounter" + variant, measured.particles, measured.per_unit("encounter"))


def _passes(found: Rates, measured: Timed) -> None:
    """The passes over particles before and after a collision."""
    for name in ("moments", "arc"):
        found.put(measured.terms(name)[0].name, measured.particles, measured.per_unit(name))


def _tsc(found: Rates, measured: Timed) -> None:
    """The kernels whose rates depend on the weighting, under the names of this weighting."""
    encounter = "encounter" + measured.of_encounters
    found.put(encounter, measured.particles, measured.per_unit("encounter"))
    found.put("field" + variant_of(measured.point), measured.cells, measured.per_unit("field"))


def _meshes(found: Rates, pair: Sequence[Timed]) -> None:
    """Kernels over meshes, and the extra time of an encounter on a larger mesh. pair: turns with
    few and with many particles on the same mesh, which separate the times per particle and per
    slice. Without one of them, or the times of `encounter`, that extra time stays unknown.
    """
    cells, variant = pair[0].cells, variant_of(pair[0].point)
    in_lanes = pair[0].point.in_lanes
    for measured in pair:
        if not variant:
            found.put("clear", cells, measured.per_unit("clear"))
        if not variant or in_lanes:
            found.put("solve" + solve_variant_of(pair[0].point), cells, measured.per_unit("solve"))
        found.put("luminosity" + variant, cells, measured.per_unit("luminosity"))
        found.put("field" + field_variant_of(pair[0].point), cells, measured.per_unit("field"))
    variant = pair[0].of_encounters
    if cells == MESHES[0] ** 2:  # that of `encounter` itself
        found.put("encounter_mesh" + variant, cells, 0.0)
        found.put("encounter_cold" + variant, cells, 0.0)
        return
    alone = found.rates().get("encounter" + variant)
    if alone is None or len(pair) < 2:
        return
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
    """The two factors, neither below zero, with which rows (2, 2) come nearest to values (2,)."""
    from scipy.optimize import nnls

    weights = 1 / rows[:, 0]  # relative to the particles' time
    found, _ = nnls(rows * weights[:, None], values * weights)
    return float(found[0]), float(found[1])


def _gaussian(found: Rates, measured: Timed) -> None:
    """Encounters with Gaussian slices, and the kernel that measures the slices."""
    for name in ("gaussian_encounter", "slice_moments", "bounds"):
        found.put(name, measured.particles, measured.per_unit(name))
