"""Other ways to balance, to send and to compute columns: a run may try them at first, and a tuner
compares them.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from phasewise.runs.choosing import Choosing, Shapes
from phasewise.workload.protocols import available, comparable
from phasewise.workloads.atmosphere.communication import (
    ALLTOALLW,
    BALANCES,
    DIVISIONS,
    EXCHANGES,
    KERNELS,
    MESSAGES,
    NODE,
    NONE,
    TWIN,
    AtmosphereCommunication,
    most_ranks,
    no_twins,
)
from phasewise.workloads.atmosphere.table import AtmosphereTable

CHUNKS = (8, 16, 32, 64)
"""Numbers of columns at once that are compared."""


class AtmosphereChoosing(Choosing):
    """Its ways to balance, to send and to compute."""

    ALONE = True

    def nothing_to_try(self, model: AtmosphereTable) -> str:
        """Costs of a single column are the same everywhere."""
        return "a single column stays where it is" if model.columns == 1 else ""

    def study_key(self, model: AtmosphereTable) -> dict[str, Any]:
        """What decides how much is sent."""
        found = {"grid": list(model.grid), "levels": model.levels}
        bytes_of_a_column = [model.bytes_out, model.bytes_back]
        return {**found, "costs": model.costs_fingerprint or "", "bytes": bytes_of_a_column}

    def changes(
        self, given: AtmosphereCommunication, model: AtmosphereTable, shapes: Shapes, levels: bool
    ) -> list[dict[str, Any]]:
        """On several ranks each other scheme and way to send, and each other chunk and kernel.

        levels: whether some ranks share a node and some do not.
        """
        found: list[dict[str, Any]] = []
        if math.prod(shapes[0]) > 1:
            found += [{"balance": name} for name in schemes(model, levels)]
            if given.balance != NONE:
                found += [{"exchange": MESSAGES, "columns": name} for name in available()]
                found += [{"exchange": ALLTOALLW}]
        if model.costs is None:
            found += [{"chunk": chunk} for chunk in CHUNKS]
            found += [{"kernel": kernel} for kernel in KERNELS]
        return [change for change in found if replace(given, **change) != given]

    def choices(self, model: AtmosphereTable, ranks: int) -> dict[str, list[Any]]:
        """All values of the keys; `tuning` combines those that belong together."""
        several, physics = ranks > 1, model.costs is None
        divided = [name for name in DIVISIONS if ranks <= most_ranks(model, name)]
        return {
            "division": divided or list(DIVISIONS[:1]),
            "process_grid": ["auto"],
            "balance": schemes(model, levels=True) if several else [NONE],
            "exchange": list(EXCHANGES if several else EXCHANGES[:1]),
            "columns": list(comparable() if several else comparable()[:1]),
            "chunk": list(CHUNKS) if physics else [16],
            "kernel": list(KERNELS if physics else KERNELS[:1]),
        }


def schemes(model: AtmosphereTable, levels: bool) -> list[str]:
    """The schemes that a grid has; levels: whether some ranks share a node and some do not."""
    absent = {TWIN} if no_twins(model) else set()
    return [name for name in BALANCES if name not in absent and (levels or name != NODE)]
