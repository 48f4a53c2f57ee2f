"""Datasets that a run of shallow water records (docs/sphere.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from phasewise.driver import Communicator, Floats, Run
from phasewise.errors import StudyError
from phasewise.runs.layout import MAX_SNAPSHOTS, Dataset, Detail, Recording, Write
from phasewise.study import Study
from phasewise.workload.protocols import check_protocol
from phasewise.workloads.sphere.cases import BELL, SOLVED
from phasewise.workloads.sphere.driver import SphereRun
from phasewise.workloads.sphere.field_file import check_field_file
from phasewise.workloads.sphere.gathered import energy_spectrum, whole_field
from phasewise.workloads.sphere.grid import latitudes_of, longitudes_of
from phasewise.workloads.sphere.model import Sphere, model_of
from phasewise.workloads.sphere.netcdf import check_installed, write_netcdf

INVARIANTS = {
    "mass": Dataset((), "Mean depth of each level.", "m"),
    "energy": Dataset(
        (), "Mean of h v^2/2 + g (H^2 - hs^2)/2 over the sphere, of each level.", "m^3 s^-2"
    ),
    "potential_enstrophy": Dataset((), "Mean of eta^2/(2 h), of each level.", "m^-1 s^-2"),
}
"""What the flow conserves, by name."""
NORMS = {
    name: Dataset((), f"Relative {word} error of the depth of each level.")
    for name, word in (("l1", "mean"), ("l2", "rms"), ("linf", "largest"))
}
"""Errors by Williamson's definitions, where a solution is known."""
MAPS = {
    "surface": Dataset((), "Height of the surface.", "m"),
    "vorticity": Dataset((), "Relative vorticity.", "s^-1"),
    "u": Dataset((), "Eastward wind.", "m s^-1"),
    "v": Dataset((), "Northward wind.", "m s^-1"),
}
"""Fields of all levels on the whole grid, latitudes from north to south."""
SPECTRUM = Dataset(
    (), "Kinetic energy of each level by degree; its sum is the mean of v^2/2.", "m^2 s^-2"
)


class SphereRecording(Recording):
    """What its runs record."""

    GROUPS = ("maps", "spectra")

    def rows(self, study: Study) -> dict[str, Dataset]:
        """Invariants, errors and the heights at the stations, by level."""
        model = model_of(study)
        levels = (model.levels,)
        found = {name: replace(one, shape=levels) for name, one in INVARIANTS.items()}
        if model.case in SOLVED:
            found |= {name: replace(one, shape=levels) for name, one in NORMS.items()}
        if count := len(model.records.stations):
            height = "Height of the surface at the grid point next to each station, by level."
            found["stations"] = Dataset((count, *levels), height, "m")
        return found

    def snapshots(self, study: Study, first: int = 0) -> Iterator[tuple[str, Dataset]]:
        """The maps and the spectrum of each timestep that has them."""
        model = model_of(study)
        grid = (model.levels, model.latitudes, model.longitudes)
        for timestep in _with_maps(study, first):
            for name, degrees in (("latitude", grid[1]), ("longitude", grid[2])):
                text = f"{name.capitalize()} of the grid points."
                yield f"maps/{timestep}/{name}", Dataset((degrees,), text, "degrees")
            for name, one in MAPS.items():
                yield f"maps/{timestep}/{name}", replace(one, shape=grid)
            shape = (model.levels, model.truncation + 1)
            yield f"spectra/{timestep}/kinetic_energy", replace(SPECTRUM, shape=shape)

    def snap(self, run: Run, comm: Communicator, study: Study, write: Write) -> None:
        """Write the maps and the spectrum that are due; collective."""
        model, own = model_of(study), cast(SphereRun, run)
        if not _due(study, run.turn):
            return
        maps = _maps(own, comm, model)
        spectrum = energy_spectrum(own, comm, model)
        if maps is None or spectrum is None:
            return
        axes = {
            "latitude": latitudes_of(model.latitudes),
            "longitude": longitudes_of(model.longitudes),
        }
        write(f"maps/{run.turn - 1}", {**axes, **maps})
        write(f"spectra/{run.turn - 1}", {"kinetic_energy": spectrum})

    def check(self, study: Study) -> None:
        """StudyError if this machine lacks memory, the build lacks a protocol, a package or a file
        is missing, or there would be too many maps.
        """
        model, ways = model_of(study), study.communication.tunable()
        if model.excess:
            raise StudyError(model.excess)
        for protocol in (ways["protocol"], *(["put"] if ways["global_sum"] == "put" else [])):
            check_protocol(protocol)
        check_field_file(model)
        if model.records.netcdf:
            check_installed()
        every = model.records.maps_every
        if every and study.count / every > MAX_SNAPSHOTS:
            least = -(-study.count // MAX_SNAPSHOTS)
            raise StudyError(
                f"records.maps_every = {every} asks for {study.count // every} maps in "
                f"{study.count} timesteps, and a file holds {MAX_SNAPSHOTS}: give at least {least}"
            )

    def detail(self, study: Study) -> Detail:
        """The mean depth of the first level, and the error where a solution is known."""

        def shown(record: Mapping[str, Any]) -> str:
            error = f", l2 {record['l2'][0]:.2e}" if "l2" in record else ""
            return f"mean depth {record['mass'][0]:.6f} m{error}"

        return shown

    def fault(self, study: Study, record: Mapping[str, Any]) -> str:
        """The level whose fields left the range of numbers."""
        model = model_of(study)
        watched = ["mass"] if model.case == BELL else list(INVARIANTS)
        finite = np.all([np.isfinite(record[name]) for name in watched], axis=0)
        if finite.all():
            return ""
        level = int(np.argmin(finite))
        return (
            f"the fields of level {level} (the first is 0) have left the range of numbers; lower "
            f"sphere.timestep = {model.timestep:g} s, or give more sphere.diffusion"
        )

    def dump(
        self, folder: Path, run: Run, comm: Communicator, study: Study, at_start: bool
    ) -> None:
        """Write the maps that are due as a NetCDF file; collective."""
        model = model_of(study)
        if at_start or not model.records.netcdf or not _due(study, run.turn):
            return
        maps = _maps(cast(SphereRun, run), comm, model)
        if maps is not None:
            path = folder / f"{study.workload.unit.one}-{run.turn - 1:09d}.nc"
            write_netcdf(path, model, study.title, run.turn * model.timestep, maps)


def _maps(run: SphereRun, comm: Communicator, model: Sphere) -> dict[str, Floats] | None:
    """The maps of now on rank 0, None elsewhere; collective."""
    found = {name: whole_field(run, comm, model, name) for name in MAPS}
    return {name: one for name, one in found.items() if one is not None} or None


def _due(study: Study, done: int) -> bool:
    """Whether there are maps after so many timesteps: after every few, and after the last."""
    every = model_of(study).records.maps_every
    return every > 0 and (done % every == 0 or done == study.count)


def _with_maps(study: Study, first: int) -> list[int]:
    """The timesteps from `first` on that have maps."""
    return [t for t in range(first, study.count) if _due(study, t + 1)]
