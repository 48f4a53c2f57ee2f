"""The phasewise side of the comparison: studies, and simulations that are timed turn by turn."""

from __future__ import annotations

import time
from typing import Any, cast

import numpy as np

from benchmarks.comparison import (
    MESH_HALF_WIDTH,
    PIC,
    SOFT_GAUSSIAN,
    Case,
    Floats,
    Timing,
    slice_extent,
    without_arc,
)
from phasewise.driver import load_core
from phasewise.study import Study
from phasewise.workloads.collision.bench import collision_case
from phasewise.workloads.collision.driver import COORDINATES, CollisionRun

VARIANTS = {
    PIC: ("2 planes", "1 plane"),
    SOFT_GAUSSIAN: ("soft-Gaussian",),
}
"""The variants that phasewise runs for each model; the first is closest to xfields.

2 planes: the field is interpolated in z between the boundaries of slices of equal width, with the
longitudinal kick, on a fixed mesh. 1 plane: one field per pair of slices of equal charge, on a mesh
that follows the beams.
"""


def study(case: Case, variant: str) -> Study:
    """The study of a case: the collision of `phasewise bench collision` at the case's size."""
    tables = collision_case("small")
    beam, ip = tables["beam"]["1"], tables["ip"]["1"]
    beam["macroparticles"] = case.macroparticles
    ip["slices"] = case.slices
    if case.model != PIC:
        ip |= {"model": "soft-gaussian", "longitudinal_kick": True}
        del ip["grid"], ip["interpolation"]
        return Study.from_dict(tables)
    ip["grid"] = [case.nodes, case.nodes]
    if variant == "2 planes":
        ip |= {
            "interpolation": "linear",
            "longitudinal_kick": True,
            "slicing": "equal-width",
            "slice_extent": slice_extent(case.slices),
            "mesh": "fixed",
            "mesh_half_width": _mesh_half_width(Study.from_dict(tables)),
        }
    return Study.from_dict(tables)


def _mesh_half_width(of: Study) -> list[float]:
    ip, beam = of.resolved()["ip"]["1"], of.resolved()["beam"]["1"]
    pairs = zip(ip["beam"]["1"]["beta"], beam["geometric_emittance"], strict=True)
    return [MESH_HALF_WIDTH * (beta * emittance) ** 0.5 for beta, emittance in pairs]


class Side:
    """One simulation in this process, on one thread."""

    def __init__(self, of: Study) -> None:
        self.parameters = of.parameters()
        self.simulation = self._simulation(self.parameters)

    @staticmethod
    def _simulation(parameters: str) -> CollisionRun:
        return cast(CollisionRun, load_core().start(parameters, 1))

    def turn(self) -> Timing:
        """One turn."""
        wall, processor = time.perf_counter(), time.process_time()
        self.simulation.step()
        return Timing(time.perf_counter() - wall, time.process_time() - processor)

    def particles(self) -> dict[str, Floats]:
        """Both beams' particles by number: ``1/x`` …, all as [macroparticles]; z as ``zeta``."""
        arrays: dict[str, Any] = {}
        for beam in (1, 2):
            columns = self.simulation.particles(beam)
            order = np.argsort(columns["id"])
            for name in COORDINATES:
                key = "zeta" if name == "z" else name
                arrays[f"{beam}/{key}"] = np.array(columns[name])[order]
        return arrays

    def kick(self) -> dict[str, Floats]:
        """Change of px and py of beam 1's particles, by number, in the first collision."""
        simulation = self._simulation(without_arc(self.parameters))
        before = _momenta(simulation)
        simulation.step()
        after = _momenta(simulation)
        return {name: after[name] - before[name] for name in before}


def _momenta(simulation: CollisionRun) -> dict[str, Floats]:
    columns = simulation.particles(1)
    order = np.argsort(columns["id"])
    return {name: np.array(columns[name])[order] for name in ("px", "py")}
