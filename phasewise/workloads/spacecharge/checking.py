"""What `phasewise check` prints of a study of space charge."""

from __future__ import annotations

from phasewise.output import console, print_table
from phasewise.study import Study
from phasewise.tables.keys import show as as_toml
from phasewise.workloads.spacecharge.derived import derive
from phasewise.workloads.spacecharge.model import model_of


def show(study: Study) -> None:
    """Print the keys, and what follows from them."""
    resolved, model = study.resolved(), model_of(study)
    for name in ("bunch", "solver", "communication"):
        rows = [[key, as_toml(value)] for key, value in resolved.get(name, {}).items()]
        if not rows:
            continue
        print_table(name, ["", "value"], rows)
    elements = len(model.lattice.elements) * model.lattice.periods
    found = derive(model)
    perveance = (
        "" if found.peak_perveance is None else f"peak perveance {found.peak_perveance:.4g}, "
    )
    console().print(
        f"{elements} elements in {found.length:.6g} m, a kick for each {found.kick_length:.4g} m; "
        f"γ = {found.gamma:.6g}, {perveance}{found.particles_per_node:.3g} macroparticles a node"
    )
