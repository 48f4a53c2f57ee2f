"""Datasets that a run of an atmosphere's columns records (docs/atmosphere.md)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, cast

from phasewise.driver import Communicator, Run, StatefulRun
from phasewise.errors import StudyError
from phasewise.runs.layout import MAX_SNAPSHOTS, Dataset, Detail, Recording, Write
from phasewise.study import Study
from phasewise.workload.protocols import check_protocol
from phasewise.workloads.atmosphere.communication import MESSAGES, AtmosphereCommunication
from phasewise.workloads.atmosphere.costs_file import costs_of
from phasewise.workloads.atmosphere.gathered import OF_COLUMNS, fields_of, whole_field
from phasewise.workloads.atmosphere.model import model_of

GROUP = "snapshots"
OF_ALL = {
    "time": Dataset((), "Time at the end of the timestep since the start of the run.", "s"),
    "load_before": Dataset((), "Largest over mean cost of the ranks' own columns."),
    "load_after": Dataset((), "Largest over mean cost of the columns that ranks compute."),
    "moved": Dataset((), "Columns that were computed elsewhere.", kind="i8"),
    "bytes": Dataset((), "Bytes that all ranks sent for them, out and back.", "B", kind="i8"),
}
"""What every timestep has."""
OF_PHYSICS = {
    "lit": Dataset((), "Columns where the sun was up.", kind="i8"),
    "temperature": Dataset((), "Mean temperature by mass.", "K"),
    "surface_temperature": Dataset((), "Mean temperature of the surface.", "K"),
    "water": Dataset((), "Mean vapour and cloud water of a column.", "kg m^-2"),
    "absorbed": Dataset((), "Mean short wave that atmosphere and surface absorb.", "W m^-2"),
    "outgoing": Dataset((), "Mean long wave that leaves the top.", "W m^-2"),
    "surface_short": Dataset((), "Mean short wave that the surface absorbs.", "W m^-2"),
    "surface_long": Dataset((), "Mean net long wave that the surface loses.", "W m^-2"),
    "precipitation": Dataset((), "Mean rain of the timestep.", "kg m^-2"),
    "evaporation": Dataset((), "Mean evaporation of the timestep.", "kg m^-2"),
    "sensible": Dataset((), "Mean heat from the surface to the air.", "W m^-2"),
    "forcing": Dataset((), "Mean enthalpy that the large-scale flow brings.", "W m^-2"),
    "energy_residual": Dataset(
        (), "Mean magnitude of what the energy budget of a column leaves open.", "W m^-2"
    ),
    "sweeps": Dataset((), "Mean sweeps of the adjustment of a column."),
}
"""What it has beside with physics, means over the sphere."""
OF_COSTS = {"cost": Dataset((), "Mean cost of a column.", "s")}
"""What it has beside with costs from a file."""
MAPS = {
    "surface_temperature": Dataset((), "Temperature of the surface.", "K"),
    "precipitation": Dataset((), "Rain of the timestep.", "kg m^-2"),
    "cost": Dataset((), "Seconds of each column in the timestep, or its cost from a file.", "s"),
}


class AtmosphereRecording(Recording):
    """What its runs record."""

    GROUPS = (GROUP,)

    def rows(self, study: Study) -> dict[str, Dataset]:
        """Loads and what moved, and of the physics sums over all columns."""
        return OF_ALL | (OF_PHYSICS if model_of(study).costs is None else OF_COSTS)

    def snapshots(self, study: Study, first: int = 0) -> Iterator[tuple[str, Dataset]]:
        """The maps of each timestep that has them, (latitudes, longitudes) from the south."""
        model = model_of(study)
        for timestep in range(first, study.count):
            if not _due(study, timestep + 1):
                continue
            for name in maps_of(study):
                one = MAPS[name]
                yield f"{GROUP}/{timestep}/{name}", Dataset(model.grid, one.description, one.unit)

    def snap(self, run: Run, comm: Communicator, study: Study, write: Write) -> None:
        """Write the maps that are due; collective."""
        if not _due(study, run.turn):
            return
        own, model = cast(StatefulRun, run), model_of(study)
        found = {name: whole_field(own, comm, model, name) for name in maps_of(study)}
        if comm.rank() == 0:
            maps = {name: one for name, one in found.items() if one is not None}
            write(f"{GROUP}/{run.turn - 1}", maps)

    def check(self, study: Study) -> None:
        """StudyError if this machine lacks memory, the build lacks the protocol, costs from a file
        do not suit, or there would be too many snapshots.
        """
        model, ways = model_of(study), study.communication
        assert isinstance(ways, AtmosphereCommunication)
        if model.excess:
            raise StudyError(model.excess)
        if ways.exchange == MESSAGES:
            check_protocol(ways.columns)
        if model.costs is not None:
            costs_of(model)
        every = model.records.snapshots_every
        if every and study.count / every > MAX_SNAPSHOTS:
            least = -(-study.count // MAX_SNAPSHOTS)
            raise StudyError(
                f"records.snapshots_every = {every} asks for {study.count // every} snapshots in "
                f"{study.count} timesteps, and a file holds {MAX_SNAPSHOTS}: give at least {least}"
            )

    def detail(self, study: Study) -> Detail:
        """The load and what moved."""

        def shown(record: Mapping[str, Any]) -> str:
            before, after = float(record["load_before"]), float(record["load_after"])
            return f"load {before:.3f} → {after:.3f}, {int(record['moved'])} columns moved"

        return shown

    def fault(self, study: Study, record: Mapping[str, Any]) -> str:
        """That sums have left the range of numbers; the core names a column that has."""
        physics = model_of(study).costs is None
        names = ("temperature", "water") if physics else ("cost",)
        if all(math.isfinite(float(record[name])) for name in names):
            return ""
        if not physics:
            return "the costs of atmosphere.costs have left the range of numbers"
        return "the columns have left the range of numbers; lower atmosphere.timestep"


def maps_of(study: Study) -> tuple[str, ...]:
    """The maps of a snapshot."""
    return tuple(name for name in fields_of(model_of(study)) if name in OF_COLUMNS)


def _due(study: Study, done: int) -> bool:
    """Whether there is a snapshot after so many timesteps: after every few, and after the last."""
    every = model_of(study).records.snapshots_every
    return every > 0 and (done % every == 0 or done == study.count)
