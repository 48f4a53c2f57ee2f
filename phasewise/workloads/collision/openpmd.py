"""Particle dumps by the openPMD standard 1.1 with its BeamPhysics extension, written and read.

A dump holds both beams on arrival at the first interaction point, each in its own frame along its
own +s. All its particles stand at the same place s = 0 and pass it at different times: `position/z`
is 0 and `time` = -z/(βc), relative to the passage of the reference particle, with z > 0 ahead.
Momenta are in eV/c: `momentum/x` = px P0, and `momentum/z` = P0 sqrt((1+delta)² - px² - py²).
A. Huebl et al., openPMD, doi:10.5281/zenodo.1167843; extension by C. Mayes and D. Sagan.
"""

from __future__ import annotations

import math
from contextlib import ExitStack
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
from phasewise.runs.gathering import count_rows, gather_rows
from phasewise.study import Study
from phasewise.version import __version__
from phasewise.workloads.collision.driver import CollisionRun
from phasewise.workloads.collision.particles import COLUMNS, Particles
from phasewise.workloads.collision.tables.beam import Beam
from phasewise.workloads.collision.tables.model import collision_of
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

PER_PARTICLE = ("momentum", "mass", "charge")
"""Records of one real particle; times `weighting`, they are those of a macroparticle."""
PER_MACROPARTICLE = ("weight", "weighting")
"""Records of a whole macroparticle."""

SPECIES = {"proton": "proton", "antiproton": "anti-proton", "ion": "other"}
"""Names of the SpeciesType extension that differ from ours."""


def write_dump(folder: Path, driver: CollisionRun, comm: Communicator, study: Study) -> None:
    """Dump both beams at the driver's turn into `folder`/turn-<turn>.h5; collective.

    A dump has the share `records.particles_fraction` of the particles: those with the lowest ids,
    which are a fair sample.
    """
    path = folder / f"turn-{driver.turn:09d}.h5"
    try:
        with ExitStack() as stack:
            file = stack.enter_context(replacing_hdf5(path)) if comm.rank() == 0 else None
            if file is not None:
                _describe_file(file, driver.turn, study)
            for beam in collision_of(study).beams:
                if not beam.strong:
                    _write_beam(file, driver, comm, study, beam)
    except OSError as error:
        reason = disk_reason(error)
        raise RunError(f"the particle dump {path} cannot be written ({reason})") from error


def _describe_file(file: h5py.File, turn: int, study: Study) -> None:
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
        "comment": study.title,
    }
    for name, value in attributes.items():
        file.attrs[name] = np.bytes_(value.encode()) if isinstance(value, str) else value
    iteration = file.create_group(f"data/{turn}")
    frequency = collision_of(study).revolution_frequency(1)
    iteration.attrs["time"] = 0.0 if frequency is None else turn / frequency
    iteration.attrs["dt"] = 0.0 if frequency is None else 1 / frequency
    iteration.attrs["timeUnitSI"] = 1.0


def _write_beam(
    file: h5py.File | None, driver: CollisionRun, comm: Communicator, study: Study, beam: Beam
) -> None:
    total = driver.macroparticles(beam.number)
    below = math.ceil(collision_of(study).records.particles_fraction * total)
    rows = Particles(driver).rows(f"beam{beam.number}")
    count = count_rows(rows, comm, below)
    sink = None if file is None else _Species(file, driver.turn, beam, total, count)
    for block in gather_rows(rows, COLUMNS, comm, below):
        if sink is not None:
            sink.write(block)


class _Species:
    """One beam's group in a dump."""

    def __init__(self, file: h5py.File, turn: int, beam: Beam, total: int, count: int) -> None:
        self._group = file.create_group(f"data/{turn}/particles/beam{beam.number}")
        self._reference = Reference.of(beam.shared)
        self._filled = 0
        macro_charge = beam.charge * ELEMENTARY_CHARGE * beam.bunch_population / total
        self._describe(beam, count, macro_charge)
        for axis in "xy":
            self._array(f"position/{axis}", count, LENGTH)
        for axis in "xyz":
            self._array(f"momentum/{axis}", count, MOMENTUM, EV_OVER_C)
            self._constant(f"positionOffset/{axis}", count, 0.0, LENGTH)
        self._constant("position/z", count, 0.0, LENGTH)
        self._array("time", count, TIME)
        self._array("id", count, NUMBER, kind="<u8")
        self._constant("weight", count, macro_charge, CHARGE)
        # The base standard's names: how many real particles one stands for, and what each is.
        self._constant("weighting", count, beam.bunch_population / total, NUMBER)
        self._constant("charge", count, beam.charge * ELEMENTARY_CHARGE, CHARGE)
        self._constant("mass", count, beam.mass * EV_OVER_C / SPEED_OF_LIGHT, MASS)

    def _describe(self, beam: Beam, count: int, macro_charge: float) -> None:
        attributes = self._group.attrs
        attributes["speciesType"] = np.bytes_(SPECIES.get(beam.particle, beam.particle).encode())
        attributes["numParticles"] = count
        attributes["totalCharge"] = count * macro_charge
        attributes["chargeLive"] = count * macro_charge
        attributes["chargeUnitSI"] = 1.0
        attributes["referenceMomentum"] = self._reference.momentum
        attributes["referenceVelocity"] = self._reference.beta
        attributes["latticeElementName"] = np.bytes_(b"ip.1")

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
