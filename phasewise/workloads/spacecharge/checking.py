"""What `phasewise check` prints of a study of space charge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phasewise.output import console, print_table
from phasewise.study import Study
from phasewise.study.checking import Checking
from phasewise.tables.keys import show as as_toml
from phasewise.workloads.spacecharge.derived import derive
from phasewise.workloads.spacecharge.model import model_of
from phasewise.workloads.spacecharge.optics import optics_entry, show_optics
from phasewise.workloads.spacecharge.particle_files import check_files


class SpaceChargeChecking(Checking):
    """How studies of it are checked and shown."""

    def check_files(self, study: Study) -> Sequence[str]:
        """What a file of particles has that the study has otherwise."""
        return check_files(study)

    def show(self, study: Study) -> None:
        """Print the keys, and what follows from them."""
        resolved, model = study.resolved(), model_of(study)
        for name in ("bunch", "solver", "communication"):
            rows = [[key, as_toml(value)] for key, value in resolved.get(name, {}).items()]
            if not rows:
                continue
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
        show_optics(model)

    def entries(self, study: Study) -> dict[str, Any]:
        """`optics`, whose values are null, with a `reason`, where the lattice has none."""
        return {"optics": optics_entry(model_of(study))}
