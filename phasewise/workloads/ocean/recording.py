"""Datasets that a run of an ocean records (docs/ocean.md)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, cast

import numpy as np

from phasewise.driver import Communicator, Floats, Run, StatefulRun
from phasewise.errors import StudyError
from phasewise.runs.layout import MAX_SNAPSHOTS, Dataset, Detail, Recording, Write
from phasewise.study import Study
from phasewise.workload.protocols import check_protocol
from phasewise.workloads.ocean.communication import OceanCommunication
from phasewise.workloads.ocean.driver import map_of
from phasewise.workloads.ocean.gathered import section, uppermost, whole_field
from phasewise.workloads.ocean.initial_file import check_initial_file
from phasewise.workloads.ocean.mask_file import check_mask_file
from phasewise.workloads.ocean.model import model_of
from phasewise.workloads.ocean.stability import SAFE, check_timestep, limits_of, rounded_down
from phasewise.workloads.ocean.table import OceanTable

GROUP = "snapshots"
SHOWN = 400
"""Most iterations of which residuals are recorded."""
OF_ALL = {
    "volume": Dataset((), "Volume of the sea.", "m^3"),
    "largest_surface": Dataset((), "Largest height of the surface, without its sign.", "m"),
    "largest_speed": Dataset((), "Largest speed along x or y.", "m s^-1"),
    "courant": Dataset((), "Cells that the fastest water crosses in a timestep."),
    "kinetic_energy": Dataset((), "Kinetic energy of the sea.", "J"),
    "iterations": Dataset((), "Iterations of the solver.", kind="i8"),
    "residual": Dataset((), "|b - A x| / |b| at the end of the solve."),
    "bounds": Dataset(
        (2,), "Bounds of the eigenvalues of the preconditioned operator; NaN where none are known.",
        columns=("least", "largest"),
    ),
    "condition": Dataset((), "Ratio of these bounds."),
}  # fmt: skip
"""What every timestep has."""
OF_LEVELS = {
    "mean_temperature": Dataset((), "Mean temperature of the sea.", "degC"),
    "mean_salinity": Dataset((), "Mean salinity of the sea.", "g kg^-1"),
}
"""What it has beside with levels."""
MAPS = {
    "surface": Dataset((), "Height of the surface; NaN on land.", "m"),
    "temperature": Dataset((), "Temperature of the uppermost level; NaN on land.", "degC"),
    "speed": Dataset((), "Speed in the uppermost level, at the corners of cells.", "m s^-1"),
}
SECTION = Dataset((), "Temperature from the south to the north by depth; NaN on land.", "degC")
COLUMN = Dataset((1,), "Number of the cells along x through which the section goes.", kind="i8")


class OceanRecording(Recording):
    """What its runs record."""

    GROUPS = (GROUP,)

    def rows(self, study: Study) -> dict[str, Dataset]:
        """Sums, and how the solver did."""
        model = model_of(study)
        history = Dataset(
            (_shown(model),),
            "Residual over the right-hand side after each iteration; NaN where it was not found.",
        )
        return {**OF_ALL, **(OF_LEVELS if model.baroclinic else {}), "residuals": history}

    def values(self, study: Study, record: Mapping[str, Any]) -> dict[str, Any]:
        """The driver's values, with the residuals in their places."""
        residuals = np.full(_shown(model_of(study)), np.nan)
        at = np.asarray(record["residuals_at"], dtype=np.int64) - 1
        known = (at >= 0) & (at < len(residuals))
        residuals[at[known]] = np.asarray(record["residuals"], dtype=np.float64)[known]
        return {**record, "residuals": residuals}

    def snapshots(self, study: Study, first: int = 0) -> Iterator[tuple[str, Dataset]]:
        """The maps and the section of each timestep that has them."""
        model = model_of(study)
        nx, ny, nz = model.size
        for timestep in range(first, study.count):
            if not _due(study, timestep + 1):
                continue
            for name, one in maps_of(model).items():
                yield f"{GROUP}/{timestep}/{name}", _with_shape(one, (ny, nx))
            if model.baroclinic:
                yield f"{GROUP}/{timestep}/column", COLUMN
                yield f"{GROUP}/{timestep}/temperature_section", _with_shape(SECTION, (nz, ny))

    def snap(self, run: Run, comm: Communicator, study: Study, write: Write) -> None:
        """Write the maps and the section that are due; collective."""
        if not _due(study, run.turn):
            return
        model, own = model_of(study), cast(StatefulRun, run)
        found: dict[str, Any] = {"surface": whole_field(own, comm, model, "surface")}
        if model.baroclinic:
            found |= _levels(own, comm, study)
        if comm.rank() == 0:
            write(f"{GROUP}/{run.turn - 1}", found)

    def check(self, study: Study) -> None:
        """StudyError if this machine lacks memory, the build lacks a protocol, a file does not
        suit, or there would be too many snapshots.
        """
        model, ways = model_of(study), study.communication
        assert isinstance(ways, OceanCommunication)
        if model.excess:
            raise StudyError(model.excess)
        put = ["put"] if ways.solver_sum == "put" else []
        for name in (ways.boundary, ways.solver_halo, ways.solver_sum_protocol, *put):
            check_protocol(name)
        check_mask_file(model)
        check_initial_file(model)
        check_timestep(model, limits_of(study))
        every = model.records.snapshots_every
        if every and study.count / every > MAX_SNAPSHOTS:
            least = -(-study.count // MAX_SNAPSHOTS)
            raise StudyError(
                f"records.snapshots_every = {every} asks for {study.count // every} snapshots in "
                f"{study.count} timesteps, and a file holds {MAX_SNAPSHOTS}: give at least {least}"
            )

    def detail(self, study: Study) -> Detail:
        """The solver's iterations and the fastest current."""

        def shown(record: Mapping[str, Any]) -> str:
            speed = float(record["largest_speed"])
            return f"{int(record['iterations'])} iterations, up to {speed:.3g} m/s"

        return shown

    def fault(self, study: Study, record: Mapping[str, Any]) -> str:
        """That the solver did not converge, or that the timestep is too long for the currents."""
        model = model_of(study)
        if not record["converged"]:
            return _not_converged(model, record)
        crossed, uppermost = float(record["courant"]), model.thicknesses[0]
        if not math.isfinite(crossed):
            return (
                "the fields have left the range of numbers; lower ocean.timestep = "
                f"{model.timestep:g} s, or raise ocean.viscosity = {model.viscosity:g} m²/s"
            )
        if crossed > 1.0:
            return (
                f"ocean.timestep = {model.timestep:g} s is beyond stability: a current crosses "
                f"{crossed:.4g} cells in it; give at most "
                f"{rounded_down(SAFE * model.timestep / crossed):g} s"
            )
        if float(record["largest_surface"]) >= uppermost:
            return (
                f"the surface has a height of {float(record['largest_surface']):.4g} m, and the "
                f"uppermost level of {uppermost:.4g} m may run dry: give thicker ocean.levels or "
                "less ocean.wind"
            )
        return ""


def _not_converged(model: OceanTable, record: Mapping[str, Any]) -> str:
    condition = float(record["condition"])
    known = f", and its condition number is {condition:.3g}" if condition > 0 else ""
    return (
        f"the solver did not converge: after {int(record['iterations'])} iterations of "
        f"{model.solver} with {model.preconditioner} the residual is "
        f"{float(record['residual']):.3g}{known}; raise ocean.most_iterations = "
        f"{model.most_iterations} or ocean.tolerance = {model.wanted:g}, or lower ocean.timestep"
    )


def _levels(run: StatefulRun, comm: Communicator, study: Study) -> dict[str, Floats]:
    """What a snapshot has beside with levels, on rank 0; collective."""
    model = model_of(study)
    upper = uppermost(run, comm, model, ("temperature", "u", "v"))
    column = int(
        comm.broadcast(str(widest_column(study, comm.size()) if comm.rank() == 0 else 0).encode())
    )
    along = section(run, comm, model, "temperature", column)
    if upper is None or along is None:
        return {}
    return {
        "temperature": upper["temperature"],
        "speed": np.hypot(upper["u"], upper["v"]),
        "column": np.array([column]),
        "temperature_section": along,
    }


def widest_column(study: Study, ranks: int) -> int:
    """The number i of the cells along x with the most sea from the south to the north."""
    levels = map_of(study.parameters(), ranks).levels
    return int(np.argmax(levels.sum(axis=0)))


def maps_of(model: OceanTable) -> dict[str, Dataset]:
    """The maps of a snapshot."""
    return MAPS if model.baroclinic else {"surface": MAPS["surface"]}


def _with_shape(one: Dataset, shape: tuple[int, ...]) -> Dataset:
    return Dataset(shape, one.description, one.unit, one.columns, one.kind)


def _shown(model: OceanTable) -> int:
    return min(model.iterations or model.most_iterations, SHOWN)


def _due(study: Study, done: int) -> bool:
    """Whether there is a snapshot after so many timesteps: after every few, and after the last."""
    every = model_of(study).records.snapshots_every
    return every > 0 and (done % every == 0 or done == study.count)
