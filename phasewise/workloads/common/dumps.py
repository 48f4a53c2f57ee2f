"""Particle dumps by the openPMD standard 1.1 with its BeamPhysics extension, written and read.

A dump holds the beams at one place of the ring, each in its own frame along its own +s. All its
particles stand at this place, s = 0, and pass it at different times: `position/z` is 0 and
`time` = -z/(βc), relative to the passage of the reference particle, with z > 0 ahead.
Momenta are in eV/c: `momentum/x` = px P0, and `momentum/z` = P0 sqrt((1+delta)² - px² - py²).
A. Huebl et al., openPMD, doi:10.5281/zenodo.1167843; extension by C. Mayes and D. Sagan.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from phasewise.constants import ELEMENTARY_CHARGE, SPEED_OF_LIGHT
from phasewise.driver import Arrays, Communicator
from phasewise.errors import RunError
from phasewise.runs.disk import disk_reason, replacing_hdf5
from phasewise.runs.gathering import ID, Columns, count_rows, gather_rows
from phasewise.version import __version__
from phasewise.workload.bunches import SharedBunch
from phasewise.workloads.common.openpmd import (
    CHARGE,
    EV_OVER_C,
    LENGTH,
    MASS,
    MOMENTUM,
    NUMBER,
    TIME,
    Reference,
    column_of,
    count_of,
    reading,
    records_of,
    species_in,
)
from phasewise.workloads.common.particle_files import COORDINATES

PER_PARTICLE = ("momentum", "mass", "charge")
"""Records of one real particle; times `weighting`, they are those of a macroparticle."""
PER_MACROPARTICLE = ("weight", "weighting")
"""Records of a whole macroparticle."""

SPECIES = {"proton": "proton", "antiproton": "anti-proton", "ion": "other"}
"""Names of the SpeciesType extension that differ from ours."""


COLUMNS: Columns = {ID: "<u4", **dict.fromkeys(COORDINATES, "<f8")}
"""The columns of the particles of a beam."""
FILE_NAME = re.compile(r"turn-(\d+)\.h5")


@dataclass(frozen=True)
class DumpedBeam:
    """A beam of a dump."""

    bunch: SharedBunch
    particle: str
    """What its particles are, by the word of a study."""
    rows: Arrays
    """COLUMNS of this rank's living particles."""


@dataclass(frozen=True)
class Moment:
    """When and where a dump is made."""

    turn: int
    title: str
    """That of the study."""
    frequency: float | None
    """Of the revolutions [Hz], if it is known."""
    place: str
    """The name of the element at which the particles are."""


def write_dump(
    folder: Path, at: Moment, comm: Communicator, beams: Sequence[DumpedBeam], fraction: float
) -> None:
    """Dump beams into `folder`/turn-<turn>.h5; collective.

    A dump has this fraction of the particles: those with the lowest ids, which are a fair sample.
    """
    path = folder / f"turn-{at.turn:09d}.h5"
    try:
        with ExitStack() as stack:
            file = stack.enter_context(replacing_hdf5(path)) if comm.rank() == 0 else None
            if file is not None:
                _describe_file(file, at)
            for beam in beams:
                _write_beam(file, at, comm, beam, fraction)
    except OSError as error:
        reason = disk_reason(error)
        raise RunError(f"the particle dump {path} cannot be written ({reason})") from error


def dumps_in(folder: Path) -> dict[int, Path]:
    """The dumps of a folder by their turn, oldest first."""
    named = ((FILE_NAME.fullmatch(path.name), path) for path in folder.glob("turn-*.h5"))
    return dict(sorted((int(name[1]), path) for name, path in named if name))


def _describe_file(file: h5py.File, at: Moment) -> None:
    attributes: dict[str, Any] = {
        "openPMD": "1.1.0",
        # Version 1.1 numbers its extensions, and BeamPhysics has no number. Version 2.0 wants names
        # here, but they make openpmd-api refuse the file, so they are in `extensions`.
        "openPMDextension": np.uint32(0),
        "extensions": "BeamPhysics;SpeciesType",
        "basePath": "/data/%T/",
        "particlesPath": "particles/",
        "iterationEncoding": "fileBased",
        "iterationFormat": "turn-%09T",
        "software": "phasewise",
        "softwareVersion": __version__,
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S +0000"),
        "comment": at.title,
    }
    for name, value in attributes.items():
        file.attrs[name] = np.bytes_(value.encode()) if isinstance(value, str) else value
    iteration = file.create_group(f"data/{at.turn}")
    iteration.attrs["time"] = 0.0 if at.frequency is None else at.turn / at.frequency
    iteration.attrs["dt"] = 0.0 if at.frequency is None else 1 / at.frequency
    iteration.attrs["timeUnitSI"] = 1.0


def _write_beam(
    file: h5py.File | None, at: Moment, comm: Communicator, beam: DumpedBeam, fraction: float
) -> None:
    below = math.ceil(fraction * beam.bunch.macroparticles)
    count = count_rows(beam.rows, comm, below)
    sink = None if file is None else _Species(file, at, beam, count)
    for block in gather_rows(beam.rows, COLUMNS, comm, below):
        if sink is not None:
            sink.write(block)


class _Species:
    """One beam's group in a dump."""

    def __init__(self, file: h5py.File, at: Moment, beam: DumpedBeam, count: int) -> None:
        bunch = beam.bunch
        self._group = file.create_group(f"data/{at.turn}/particles/beam{bunch.number}")
        self._reference = Reference.of(bunch)
        self._filled = 0
        each = bunch.population / bunch.macroparticles
        charge = bunch.charge * ELEMENTARY_CHARGE
        self._describe(beam, at, count, charge * each)
        for axis in "xy":
            self._array(f"position/{axis}", count, LENGTH)
        for axis in "xyz":
            self._array(f"momentum/{axis}", count, MOMENTUM, EV_OVER_C)
            self._constant(f"positionOffset/{axis}", count, 0.0, LENGTH)
        self._constant("position/z", count, 0.0, LENGTH)
        self._array("time", count, TIME)
        self._array("id", count, NUMBER, kind="<u8")
        self._constant("weight", count, charge * each, CHARGE)
        # The base standard's names: how many real particles one stands for, and what each is.
        self._constant("weighting", count, each, NUMBER)
        self._constant("charge", count, charge, CHARGE)
        self._constant("mass", count, bunch.mass * EV_OVER_C / SPEED_OF_LIGHT, MASS)

    def _describe(self, beam: DumpedBeam, at: Moment, count: int, macro_charge: float) -> None:
        attributes = self._group.attrs
        attributes["speciesType"] = np.bytes_(SPECIES.get(beam.particle, beam.particle).encode())
        attributes["numParticles"] = count
        attributes["totalCharge"] = count * macro_charge
        attributes["chargeLive"] = count * macro_charge
        attributes["chargeUnitSI"] = 1.0
        attributes["referenceMomentum"] = self._reference.momentum
        attributes["referenceVelocity"] = self._reference.beta
        attributes["latticeElementName"] = np.bytes_(at.place.encode())

    def _array(
        self, name: str, count: int, power: tuple[float, ...], unit: float = 1.0, kind: str = "<f8"
    ) -> None:
        self._attributes(name, self._group.create_dataset(name, (count,), kind), power, unit)

    def _constant(self, name: str, count: int, value: float, power: tuple[float, ...]) -> None:
        group = self._group.create_group(name)
        group.attrs["value"] = value
        group.attrs["shape"] = np.array([count], np.uint64)
        self._attributes(name, group, power, 1.0)

    def _attributes(self, name: str, item: Any, power: tuple[float, ...], unit: float) -> None:
        item.attrs["unitSI"] = unit
        kind = name.split("/")[0]
        for owner in {kind, name}:
            record = self._group[owner]
            record.attrs["unitDimension"] = np.array(power, np.float64)
            record.attrs["timeOffset"] = 0.0
            record.attrs["macroWeighted"] = np.uint32(kind in PER_MACROPARTICLE)
            record.attrs["weightingPower"] = float(kind in PER_MACROPARTICLE + PER_PARTICLE)

    def write(self, block: Arrays) -> None:
        last = self._filled + len(block["id"])
        for name, values in self._reference.to_openpmd(block).items():
            self._group[name][self._filled : last] = values
        self._group["id"][self._filled : last] = block["id"]
        self._filled = last


def read_dump(path: Path, beam: int) -> dict[str, NDArray[Any]]:
    """Particles of `beam` in a dump of ours: id and the six coordinates [m, 1]."""
    with reading(path) as file:
        name = f"beam{beam}"
        species = species_in(file)
        if name not in species:
            raise RunError(
                f"{path} holds no {name}; it holds {', '.join(species) or 'no particles'}"
            )
        group = species[name]
        reference = Reference(group.attrs["referenceMomentum"], group.attrs["referenceVelocity"])
        count = count_of(group)
        records = reference.from_openpmd(records_of(group, count))
        return {"id": column_of(group["id"], count, np.integer), **records}


def beams_of(path: Path, numbers: Sequence[int]) -> dict[int, NDArray[np.float64]]:
    """The coordinates (6, n) of the particles of beams in a dump, by their number; a beam with
    fewer than two particles left is not among them.
    """
    found = {}
    for number in numbers:
        table = read_dump(path, number)
        coordinates = np.array([table[name] for name in COORDINATES])
        if coordinates.shape[1] > 1:
            found[number] = coordinates
    return found
