"""Other ways to exchange halos, which a run may try in its first exchanges and a tuner compares."""

from __future__ import annotations

import math
from typing import Any

from phasewise.runs.choosing import Shapes
from phasewise.workload.protocols import PROTOCOLS, available, comparable
from phasewise.workloads.halo.communication import HaloCommunication, grid_of, grids
from phasewise.workloads.halo.model import Halo


def nothing_to_try(_model: Halo) -> str:
    """Every exchange has its protocols."""
    return ""


def study_key(model: Halo) -> dict[str, Any]:
    """The keys that decide how much is sent: words, their size, and rows."""
    return {"words": model.words, "word_size": model.word_size, "rows": model.rows}


def changes(
    given: HaloCommunication, _model: Halo, shapes: Shapes, _levels: bool
) -> list[dict[str, Any]]:
    """The other protocols of this build; none on a single rank, which sends nothing."""
    if math.prod(shapes[0]) == 1:
        return []
    return [{"protocol": name} for name in available() if name != given.protocol]


def choices(_model: Halo, ranks: int) -> dict[str, list[Any]]:
    """All process grids and all protocols."""
    found = [grid_of(*grid) for grid in grids(ranks)]
    return {"process_grid": found, "protocol": list(comparable() if ranks > 1 else PROTOCOLS[:1])}
