"""What `phasewise check` prints for exchanges between pairs."""

from __future__ import annotations

from phasewise.output import console, engineering, print_table
from phasewise.study import Study
from phasewise.tables.keys import show as as_toml
from phasewise.workloads.commtest.model import derive, model_of


def show(study: Study) -> None:
    """Print the keys, and the sizes that follow from them."""
    resolved, derived = study.resolved(), derive(model_of(study))
    for name in ("commtest", "communication"):
        rows = [[key, as_toml(value)] for key, value in resolved[name].items()]
        print_table(name, ["", "value"], rows)
    size, memory = (engineering(s, "B") for s in (model_of(study).bytes, derived.memory_bytes))
    console().print(f"{derived.messages} × {size} one way; {memory} of memory a rank")
