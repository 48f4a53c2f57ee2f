"""`phasewise bench spacecharge`: seconds per kick, nanoseconds per particle and kick, phases, and
each kernel against the machine's measured roof. The cases are those of Amundson (2011).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phasewise.driver import Core, Run
from phasewise.errors import StudyError
from phasewise.mpi.ranks import collectively
from phasewise.output import number_of, print_table
from phasewise.report.benching import Bench
from phasewise.runs.timing import WARM_UP_TURNS, measure
from phasewise.study import Study
from phasewise.study.reading import apply_override
from phasewise.workloads.spacecharge.model import model_of

_SIZES: dict[str, tuple[list[int], int]] = {
    "small": ([32, 32, 256], 2_621_440),
    "medium": ([64, 64, 512], 20_971_520),
    "large": ([128, 128, 1024], 167_772_160),
    "many": ([32, 32, 256], 26_214_400),
}
"""Nodes of the mesh, macroparticles."""

KICKS = 32
TURNS = 1
"""Number of turns that are timed, unless --turns gives it."""
PARTICLE_BYTES = 2 * (6 * 8 + 4)
"""Bytes of one macroparticle: six coordinates and its number, and a spare copy to sort into."""

PHASES = ("charge_local", "charge_global", "potential", "field_global", "kick")


def case_tables(name: str) -> dict[str, Any]:
    """The study of a case: a matched proton bunch of 0.8 GeV in eight FODO cells."""
    grid, macroparticles = _SIZES[name]
    half = {"kind": "drift", "length": 1.0}
    quadrupole = {"kind": "quadrupole", "length": 0.5}
    cell = [
        *({**quadrupole, "length": 0.25, "k1": 0.7}, half),
        *({**quadrupole, "k1": -0.7}, half),
        {**quadrupole, "length": 0.25, "k1": 0.7},
    ]
    return {
        "title": f"benchmark {name}",
        "workload": "spacecharge",
        "turns": 1000,
        "bunch": {
            "particle": "proton",
            "kinetic_energy": 0.8e9,
            "bunch_population": 1e11,
            "macroparticles": macroparticles,
            "normalized_emittance": [2e-6, 2e-6],
            "bunch_length": 0.5,
            "momentum_spread": 1e-4,
        },
        "lattice": {"maps": "second-order", "periods": 8, "element": cell},
        "solver": {"kicks": KICKS, "grid": grid},
    }


def _phases(found: dict[str, Any], kicks: int) -> dict[str, float]:
    """Seconds of a kick in each phase on rank 0, those of its kernel and of its messages together.
    `found` counts the messages of all turns, also of those before the measurement.
    """
    kernels = {kernel["name"]: kernel["seconds"] / kicks for kernel in found["kernels"]}
    turns = found["turns"] + WARM_UP_TURNS
    messages = {phase["name"]: phase["seconds"] / (turns * kicks) for phase in found["phases"]}
    names = dict.fromkeys((*PHASES, *kernels, *messages))
    return {name: kernels.get(name, 0.0) + messages.get(name, 0.0) for name in names}


def _study(case: str, overrides: Sequence[str]) -> Study:
    tables = case_tables(case)
    for override in overrides:
        apply_override(tables, override)
    study = Study.from_dict(tables)
    if model_of(study).solver.kicks == 0:
        raise StudyError("solver.kicks = 0 leaves nothing to time: give at least one kick")
    return study


class SpaceChargeBench(Bench):
    """Its benchmark."""

    CASES = tuple(_SIZES)

    def run(
        self, core: Core, case: str, overrides: Sequence[str], threads: int, turns: int | None
    ) -> dict[str, Any]:
        """Time a case on the ranks of this run; collective."""
        study = collectively(core, lambda: _study(case, overrides))
        model = model_of(study)

        def figures(_run: Run, seconds: float) -> dict[str, Any]:
            per_kick = seconds / model.solver.kicks
            return {
                "seconds_per_kick": per_kick,
                "ns_per_particle_kick": per_kick / model.bunches[0].macroparticles * 1e9,
                "particle_bytes": PARTICLE_BYTES,
            }

        found = measure(core, study, threads, turns or TURNS, figures)
        found["phases"] = _phases(found, model.solver.kicks)
        return {"case": case, **found}

    def show(self, result: dict[str, Any]) -> None:
        """Print a measurement as a table."""
        kernels = {kernel["name"]: kernel for kernel in result["kernels"]}
        rows = []
        for name, seconds in sorted(result["phases"].items(), key=lambda entry: -entry[1]):
            kernel = kernels.get(name)
            share = "-" if kernel is None else f"{kernel['roof_share'] * 100:.0f}"
            part = seconds / result["seconds_per_kick"] * 100
            rows.append([name, f"{seconds * 1e3:.3f}", f"{part:.1f}", share])
        print_table(
            f"{result['case']}: {number_of(result['ranks'], 'rank')} × "
            f"{number_of(result['threads'], 'thread')}, "
            f"{result['seconds_per_kick']:.4f} s per kick, "
            f"{result['ns_per_particle_kick']:.1f} ns per particle and kick",
            ["phase", "ms/kick", "% of kick", "% of roof"],
            rows,
        )
