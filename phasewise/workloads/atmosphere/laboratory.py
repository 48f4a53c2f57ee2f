"""Columns of an atmosphere for planning and comparing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from phasewise.output import console, print_table
from phasewise.study import Study
from phasewise.study.laboratory import Laboratory, Pieces
from phasewise.workload.communication import Communication
from phasewise.workloads.atmosphere.communication import BLOCKS, NODE, AtmosphereCommunication
from phasewise.workloads.atmosphere.driver import Schedule, schedule_of
from phasewise.workloads.atmosphere.grid import HOUR
from phasewise.workloads.atmosphere.kernels import GIVEN, MEASURE, PHYSICS, PLAIN
from phasewise.workloads.atmosphere.model import model_of

OUT, BACK, COSTS, MEASURES = "columns_out", "columns_back", "costs", "measures"
"""The phases."""
SUN = "sun"
"""The piece of a turn that stands for the hours."""
MOST_PIECES = 72
"""Most timesteps that a plan has one by one (core/atmosphere/workload.cpp)."""
MOST_SHOWN = 12
"""Most timesteps of a plan's table."""


class AtmosphereLaboratory(Laboratory):
    """How it is planned, simulated and compared."""

    GROUPS = "stretches of the run in order"
    LOADS = {"load_before": "where columns are", "load_after": "where they are computed"}
    PIECES = {SUN: "times each of the timesteps that stand for the run"}
    TASKS = {
        "radiation and physics": (
            *PHYSICS, *(f"{name}{PLAIN}" for name in PHYSICS), GIVEN, MEASURE,
        ),
        "columns": (OUT, BACK),
        "records": (COSTS, MEASURES),
    }  # fmt: skip

    def known_pieces(self, study: Study) -> Pieces:
        """The share of each of the timesteps that stand for the hours of a run."""
        return {SUN: 1.0 / min(study.count, MOST_PIECES)}

    def placed(self, communication: Any, record: Any) -> Communication:
        """The communication with the process grid of a record, where there are blocks."""
        own = isinstance(communication, AtmosphereCommunication)
        blocks = own and communication.division == BLOCKS
        return (
            super().placed(communication, record) if blocks else cast(Communication, communication)
        )

    def planned(self, study: Study, plan: Mapping[str, Any]) -> dict[str, Any]:
        """load_before, load_after: the largest over the mean of the ranks' costs, means over the
        timesteps; hours: of single timesteps both loads, the columns that move, and the bytes of
        both phases; with physics the hour at longitude 0 and the lit columns too.
        """
        hours = [
            _hour(study, timestep, schedule_of(study, plan["ranks"], timestep, plan["node_size"]))
            for timestep in timesteps_of(study.count, MOST_SHOWN)
        ]
        load = plan["load"]
        means = {
            name: float(np.mean(load.get(name) or [one[name] for one in hours]))
            for name in ("load_before", "load_after")
        }
        return {**means, "hours": hours}

    def show_planned(self, study: Study, plan: Mapping[str, Any]) -> None:
        """Print the hours as a table, and a column's bytes."""
        model = model_of(study)
        physics = model.costs is None
        rows = [
            [str(one["timestep"]), *([f"{one['hour']:.2f}", str(one["lit"])] if physics else []),
             f"{one['load_before']:.3f}", f"{one['load_after']:.3f}", str(one["moved"]),
             f"{one['bytes'] / 1e6:.3f}"]
            for one in plan["hours"]
        ]  # fmt: skip
        sun = ["hour", "lit columns"] if physics else []
        heads = ["timestep", *sun, "load before", "after", "moved", "MB"]
        scheme = str(study.communication.tunable()["balance"])
        print_table(f"balance = {scheme}", heads, rows)
        told = (
            f"A column that moves is {model.bytes_out} B on its way out and {model.bytes_back} B "
            "back. Loads are the largest of the ranks' costs over the mean."
        )
        if scheme == NODE and plan["node_size"] == 1:
            told += f" {alone_in_nodes('each node of this plan')}"
        console().print(told, soft_wrap=True)


def alone_in_nodes(where: str) -> str:
    """A sentence on a scheme within nodes of one rank."""
    return (
        f'communication.balance = "{NODE}" moves nothing, since {where} has one rank; '
        "communication.node_size says how many there are."
    )


def timesteps_of(count: int, most: int) -> Sequence[int]:
    """At most so many timesteps of a run, evenly spread."""
    return sorted({count * at // min(count, most) for at in range(min(count, most))})


def _hour(study: Study, timestep: int, found: Schedule) -> dict[str, Any]:
    """What a plan says of a timestep."""
    model = model_of(study)
    sun: dict[str, Any] = {}
    if model.costs is None:
        hour = (model.hour + timestep * model.timestep / HOUR) % 24.0
        sun = {"hour": hour, "lit": int(found.lit.sum())}
    return {
        "timestep": timestep,
        **sun,
        "load_before": float(found.before.max()),
        "load_after": float(found.after.max()),
        "moved": found.moved,
        "bytes": found.moved * (model.bytes_out + model.bytes_back),
    }
