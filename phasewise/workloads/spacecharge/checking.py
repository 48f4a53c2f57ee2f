"""What `phasewise check` prints of a study of space charge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from phasewise.driver import load_planner
from phasewise.errors import StudyError
from phasewise.output import console, print_table
from phasewise.study import Study
from phasewise.study.checking import Checking, Shown
from phasewise.tables.declared import schema_of
from phasewise.tables.keys import show as as_toml
from phasewise.tables.keys import with_unit
from phasewise.workloads.spacecharge.bunch import Bunch
from phasewise.workloads.spacecharge.cavity_phase import debunching
from phasewise.workloads.spacecharge.derived import derive
from phasewise.workloads.spacecharge.model import Solver, SpaceCharge, model_of
from phasewise.workloads.spacecharge.optics import optics_entry, show_optics
from phasewise.workloads.spacecharge.particle_files import check_files
from phasewise.workloads.spacecharge.simulated_noise import simulate_noise
from phasewise.workloads.spacecharge.tune_shift import tune_shift

UNITS = {"bunch": schema_of(Bunch), "solver": schema_of(Solver), "communication": {}}
"""The tables that are shown, with their keys, which have units."""


class SpaceChargeChecking(Checking):
    """How studies of it are checked and shown."""

    def check(self, study: Study) -> Sequence[str]:
        """What a file of particles has that the study has otherwise, and cavities that drive the
        bunch apart.
        """
        model = model_of(study)
        sentence = debunching(model)
        if model.bunch is not None:
            _check_start(study, sentence)
        return [*check_files(study), *filter(None, [sentence])]

    def simulate_noise(self, study: Study, turns: int, say: Callable[[str], None]) -> Shown:
        """The noise of macroparticles by short runs."""
        return simulate_noise(study, turns, say)

    def show(self, study: Study) -> None:
        """Print the keys, and what follows from them."""
        resolved, model = study.resolved(), model_of(study)
        for name, schema in UNITS.items():
            own = resolved.get(name, {})
            rows = [[with_unit(key, schema), as_toml(value)] for key, value in own.items()]
            if rows:
                print_table(name, ["", "value"], rows)
        elements = len(model.lattice.elements) * model.lattice.periods
        found = derive(model)
        per_node, perveance = found.particles_per_node, found.peak_perveance
        mesh = "no mesh" if per_node is None else f"{per_node:.3g} macroparticles a node"
        known = "" if perveance is None else f"peak perveance {perveance:.4g}, "
        console().print(
            f"{elements} elements in {found.length:.6g} m, a kick for each "
            f"{found.kick_length:.4g} m; γ = {found.gamma:.6g}, {known}{mesh}"
        )
        show_optics(model, _shift(model))

    def entries(self, study: Study) -> dict[str, Any]:
        """`optics`, whose values are null, with a `reason`, where the lattice has none; and
        `laslett_tune_shift` in x and y, null where there is none.
        """
        model = model_of(study)
        return {"optics": optics_entry(model), "laslett_tune_shift": _shift(model)}


def _check_start(study: Study, of_cavities: str) -> None:
    """StudyError where the driver would not start; of_cavities: what may be the reason."""
    try:
        load_planner().phases(study.parameters(), 1)
    except ValueError as error:
        reason = f"; {of_cavities}" if of_cavities and "cavities" in str(error) else ""
        raise StudyError(f"{error}{reason}") from None


def _shift(model: SpaceCharge) -> tuple[float, float] | None:
    try:
        return tune_shift(model)
    except StudyError:
        return None
