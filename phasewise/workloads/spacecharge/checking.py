"""What `phasewise check` prints of a study of space charge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from phasewise.driver import load_planner
from phasewise.output import console, print_table
from phasewise.study import Study
from phasewise.study.checking import Checking
from phasewise.tables.keys import show as as_toml
from phasewise.workloads.spacecharge.derived import derive
from phasewise.workloads.spacecharge.model import model_of
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
        if model.bunch is None:
            console().print(_optics(study))


def _optics(study: Study) -> str:
    """The periodic optics at the start of the lattice, in words. The bunches of another workload
    are matched only if that workload makes them so.
    """
    bunch = model_of(study).bunches[0]
    beam = {"mass": bunch.mass, "charge": bunch.charge, "energy": bunch.energy}
    parameters = "".join(f"beam.1.{name} = {value!r}\n" for name, value in beam.items())
    try:
        found = cast(Any, load_planner()).lattice_optics(study.parameters() + parameters, [0.0])
    except ValueError as error:
        return f"the lattice has no periodic optics: {error}"
    (x, y) = found["twiss"][0]
    return (
        f"periodic optics where the lattice begins: β = [{x[0]:.6g}, {y[0]:.6g}] m, "
        f"α = [{x[1]:.6g}, {y[1]:.6g}], dispersion = [{x[2]:.4g}, {x[3]:.4g}, {y[2]:.4g}, "
        f"{y[3]:.4g}]; fractions of the tunes {found['tune_x']:.6g}, {found['tune_y']:.6g}"
    )
