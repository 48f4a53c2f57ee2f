"""What `phasewise check` prints for serial kernels."""

from __future__ import annotations

from phasewise.output import console, engineering, print_table
from phasewise.study import Study
from phasewise.tables.keys import show as as_toml
from phasewise.workloads.kernels.model import derive, model_of


def show(study: Study) -> None:
    """Print the keys, and the memory that follows from them."""
    rows = [[key, as_toml(value)] for key, value in study.resolved()["kernels"].items()]
    print_table("kernels", ["", "value"], rows)
    console().print(f"about {engineering(derive(model_of(study)).memory_bytes, 'B')} a rank")
