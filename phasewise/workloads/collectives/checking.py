"""What `phasewise check` prints for collectives."""

from __future__ import annotations

from phasewise.output import console, print_table
from phasewise.study import Study
from phasewise.tables.keys import show as as_toml
from phasewise.workloads.collectives.model import derive, model_of


def show(study: Study) -> None:
    """Print the keys, and what follows from them."""
    resolved, derived = study.resolved(), derive(model_of(study))
    for name in ("collectives", "communication"):
        rows = [[key, as_toml(value)] for key, value in resolved[name].items()]
        print_table(name, ["", "value"], rows)
    console().print(f"{derived.values} doubles; algorithms: {', '.join(derived.algorithms)}")
