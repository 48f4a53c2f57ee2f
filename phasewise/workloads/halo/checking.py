"""What `phasewise check` prints for halo exchanges."""

from __future__ import annotations

from phasewise.output import console, engineering, print_table
from phasewise.study import Study
from phasewise.tables.keys import show as as_toml
from phasewise.workloads.halo.model import derive, model_of


def show(study: Study) -> None:
    """Print the keys, and the sizes that follow from them."""
    resolved, derived = study.resolved(), derive(model_of(study))
    for name in ("halo", "communication"):
        rows = [[key, as_toml(value)] for key, value in resolved[name].items()]
        print_table(name, ["", "value"], rows)
    message, array = (engineering(s, "B") for s in (derived.message_bytes, derived.memory_bytes))
    line = f"{message} a message; {derived.cells} × {derived.cells} cells a rank, with halo {array}"
    console().print(line)
