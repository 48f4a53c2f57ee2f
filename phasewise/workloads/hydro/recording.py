"""Datasets that a run of gas dynamics records (docs/hydro.md)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np

from phasewise.driver import Communicator, Run, StatefulRun
from phasewise.errors import StudyError
from phasewise.output import number_of
from phasewise.runs.layout import Dataset, Detail, Recording, Write
from phasewise.study import Study
from phasewise.workload.protocols import check_protocol
from phasewise.workloads.hydro.array_file import check_array_file
from phasewise.workloads.hydro.model import model_of
from phasewise.workloads.hydro.solutions import solution_of
from phasewise.workloads.hydro.table import HydroTable
from phasewise.workloads.hydro.zones import fields_of, whole_fields

ROWS = {
    "time": Dataset((), "Time at the end of the timestep."),
    "dt": Dataset((), "Length of the timestep."),
    "mass": Dataset((), "Mass of the gas on the grid."),
    "momentum": Dataset(
        (3,), "Momentum of the gas along the axes.", columns=("axis1", "axis2", "axis3")
    ),
    "energy": Dataset((), "Kinetic and internal energy of the gas."),
    "mach": Dataset((), "Largest Mach number."),
    "floors": Dataset(
        (2,), "How often a zone was set to the floor, so far.", columns=("density", "pressure")
    ),
    "newton_steps": Dataset((), "Mean number of Newton steps at an interface."),
}
"""What each timestep has, in the units of the study."""
ERROR = Dataset((), "Mean error of the density over the volume, of means over zones.")
"""Where a solution is known; NaN in timesteps that are not compared with it."""
TEXTS = {
    "density": "Density of each zone.",
    "pressure": "Pressure of each zone.",
    **{f"velocity{n}": f"Velocity of each zone along axis {n}." for n in (1, 2, 3)},
}
GROUP = "snapshots"
NEAR = 1e-9
"""A snapshot is taken at a time that is less than this share of the distance of two before it."""


class HydroRecording(Recording):
    """What its runs record."""

    GROUPS = (GROUP,)
    NUMBERED = True

    def rows(self, study: Study) -> dict[str, Dataset]:
        """Sums, the largest Mach number, floors, and the error where a solution is known."""
        solved = solution_of(study.parameters()) is not None
        return ROWS | ({"l1": ERROR} if solved else {})

    def snapshots(self, study: Study, first: int = 0) -> Iterator[tuple[str, Dataset]]:
        """The fields of each snapshot, [i][j][k]."""
        model = model_of(study)
        for number in range(model.records.snapshots):
            yield f"{GROUP}/{number}/time", Dataset((1,), "Time of the snapshot.")
            for name in fields_of(model):
                yield f"{GROUP}/{number}/{name}", Dataset(model.zones, TEXTS[name])

    def snap(self, run: Run, comm: Communicator, study: Study, write: Write) -> None:
        """Write the fields that are due; collective."""
        model = model_of(study)
        if not model.records.snapshots:
            return
        record = run.record()
        time = float(record["time"])
        number = due(model, study.count, run.turn, time, float(record["dt"]))
        if number is None:
            return
        fields = whole_fields(cast(StatefulRun, run), comm, model, fields_of(model))
        if fields is not None:
            write(f"{GROUP}/{number}", {"time": np.array([time]), **fields})

    def check(self, study: Study) -> None:
        """StudyError if this machine lacks memory, the build lacks a protocol, or the arrays of a
        file do not suit.
        """
        model, ways = model_of(study), study.communication.tunable()
        if model.excess:
            raise StudyError(model.excess)
        for protocol in (ways["protocol"], *(["put"] if ways["global_sum"] == "put" else [])):
            check_protocol(protocol)
        check_array_file(model)

    def detail(self, study: Study) -> Detail:
        """The time, and what was floored."""
        until = model_of(study).until
        end = f" of {until:g}" if until else ""

        def shown(record: Mapping[str, Any]) -> str:
            floored = int(np.sum(record["floors"]))
            said = f", {number_of(floored, 'value')} floored" if floored else ""
            return f"t = {float(record['time']):.5g}{end}{said}"

        return shown

    def share(self, study: Study, record: Mapping[str, Any]) -> float | None:
        """The time as a share of that at which the run ends."""
        until = model_of(study).until
        return float(record["time"]) / until if until else None

    def fault(self, study: Study, record: Mapping[str, Any]) -> str:
        """That the gas has left the range of numbers."""
        if all(math.isfinite(record[name]) for name in ("mass", "energy", "mach")):
            return ""
        return (
            "the gas has left the range of numbers; lower hydro.courant = "
            f"{model_of(study).courant:g}, or raise hydro.density_floor and hydro.pressure_floor"
        )


def due(model: HydroTable, count: int, done: int, time: float, step: float) -> int | None:
    """The number of the snapshot that is due after so many timesteps; None if there is none.

    time: the time now; step: the length of the last timestep. Of several that are due at once the
    last one is taken.
    """
    wanted = model.records.snapshots

    def passed(at: float, timesteps: int) -> int:
        if model.until:
            return math.floor(wanted * at / model.until + NEAR)
        return wanted * timesteps // count

    now = passed(time, done)
    return now - 1 if now > passed(time - step, done - 1) else None
