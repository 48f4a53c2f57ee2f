"""Particle dumps by the openPMD standard 1.1 with its BeamPhysics extension, written and read.

A dump holds both beams on arrival at the first interaction point, each in its own frame along its
own +s. All its particles stand at the same place s = 0 and pass it at different times: `position/z`
is 0 and `time` = -z/(βc), relative to the passage of the reference particle, with z > 0 ahead.
Momenta are in eV/c: `momentum/x` = px P0, and `momentum/z` = P0 sqrt((1+delta)² - px² - py²).
A. Huebl et al., openPMD, doi:10.5281/zenodo.1167843; extension by C. Mayes and D. Sagan.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from phasewise.constants import ELEMENTARY_CHARGE, SPEED_OF_LIGHT
from phasewise.driver import Arrays, Communicator, Floats
from phasewise.errors import PhasewiseError, RunError
from phasewise.runs.disk import DAMAGE, damage_reason, disk_reason, replacing_hdf5
from phasewise.runs.gathering import count_rows, gather_rows
from phasewise.study import Study
from phasewise.version import __version__
from phasewise.workloads.collision.driver import CollisionRun
from phasewise.workloads.collision.particles import COLUMNS, Particles
from phasewise.workloads.collision.tables.beam import Beam
from phasewise.workloads.collision.tables.model import collision_of

EV_OVER_C = ELEMENTARY_CHARGE / SPEED_OF_LIGHT
"""1 eV/c in kg m/s."""

# Powers of length, mass, time, current, temperature, amount, luminous intensity.
LENGTH = (1.0, 0, 0, 0, 0, 0, 0)
MASS = (0.0, 1, 0, 0, 0, 0, 0)
MOMENTUM = (1.0, 1, -1, 0, 0, 0, 0)
TIME = (0.0, 0, 1, 0, 0, 0, 0)
CHARGE = (0.0, 0, 1, 1, 0, 0, 0)
NUMBER = (0.0, 0, 0, 0, 0, 0, 0)

PER_PARTICLE = ("momentum", "mass", "charge")
"""Records of one real particle; times `weighting`, they are those of a macroparticle."""
PER_MACROPARTICLE = ("weight", "weighting")
"""Records of a whole macroparticle."""

SPECIES = {"proton": "proton", "antiproton": "anti-proton", "ion": "other"}
"""Names of the SpeciesType extension that differ from ours."""


@dataclass(frozen=True)
class Reference:
    """The reference particle of a beam: momentum P0 [eV/c] and velocity over c."""

    momentum: float
    beta: float

    @classmethod
    def of(cls, beam: Beam) -> Reference:
        """The reference particle of a study's beam."""
        return cls(beam.mass * beam.gamma * beam.beta, beam.beta)

    def to_openpmd(self, block: Arrays) -> dict[str, Floats]:
        """position x, y [m], momentum x, y, z [eV/c] and time [s] from the six coordinates."""
        longitudinal = np.sqrt((1 + block["delta"]) ** 2 - block["px"] ** 2 - block["py"] ** 2)
        return {
            "position/x": block["x"],
            "position/y": block["y"],
            "momentum/x": block["px"] * self.momentum,
            "momentum/y": block["py"] * self.momentum,
            "momentum/z": longitudinal * self.momentum,
            "time": -block["z"] / (self.beta * SPEED_OF_LIGHT),
        }

    def from_openpmd(self, records: Arrays) -> dict[str, Floats]:
        """The six coordinates from records in SI units; z = position z - βc time."""
        scale = EV_OVER_C * self.momentum
        px, py, pz = (records[f"momentum/{axis}"] / scale for axis in "xyz")
        return {
            "x": records["position/x"],
            "px": px,
            "y": records["position/y"],
            "py": py,
            "z": records["position/z"] - self.beta * SPEED_OF_LIGHT * records["time"],
            "delta": np.sqrt(px**2 + py**2 + pz**2) - 1,
        }


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
        self._reference = Reference.of(beam)
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
        species = _species(file)
        if name not in species:
            raise RunError(
                f"{path} holds no {name}; it holds {', '.join(species) or 'no particles'}"
            )
        group = species[name]
        reference = Reference(group.attrs["referenceMomentum"], group.attrs["referenceVelocity"])
        count = count_of(group)
        records = reference.from_openpmd(_records(group, count))
        return {"id": _values(group["id"], count, np.integer), **records}


def read_species(path: Path, beam: Beam) -> dict[str, Floats]:
    """The six coordinates of the particles in an openPMD file, relative to the momentum of `beam`.

    They are those of the species `beam1` or `beam2` in a dump of ours, or else of the only species
    there is. RunError if the file holds several, misses a record or its unit, or holds another
    number of particles.
    """
    with reading(path) as file:
        species = _species(file)
        group = species.get(f"beam{beam.number}")
        if group is None:
            if len(species) != 1:
                raise RunError(f"{path} holds {len(species)} species of particles, not one")
            (group,) = species.values()
        count = count_of(group)
        if count != beam.macroparticles:
            raise RunError(
                f"{path} holds {count} particles, and beam.{beam.number}.macroparticles is "
                f"{beam.macroparticles}"
            )
        return Reference.of(beam).from_openpmd(_records(group, count))


@contextmanager
def reading(path: Path) -> Iterator[h5py.File]:
    """An HDF5 file that another program wrote; RunError, one sentence, for whatever is wrong with
    it.
    """
    try:
        file = h5py.File(path, "r", locking=False)
    except OSError as error:
        raise RunError(f"{path} cannot be read as HDF5: {disk_reason(error)}") from error
    try:
        # Values that are no numbers, or overflow, are refused once all are there.
        with file, np.errstate(all="ignore"):
            yield file
    except PhasewiseError:
        raise
    except (*DAMAGE, ArithmeticError) as error:
        reason = damage_reason(error)
        raise RunError(f"{path} cannot be read as openPMD: {reason}") from error


def _species(file: h5py.File) -> dict[str, h5py.Group]:
    """The particle groups of the file's last iteration, by name."""
    iterations = sorted(file.get("data", {}), key=lambda n: int(n) if n.isdecimal() else -1)
    if not iterations:
        raise RunError(f"{file.filename} is not an openPMD file: it holds no /data")
    path = _text(file.attrs.get("particlesPath", b"particles/")).strip("./")
    parent = file[f"data/{iterations[-1]}"]
    group = parent.get(path) if path else parent
    if group is None:
        return {}
    if "position" in group:
        return {path: group}
    items = {name: item for name, item in group.items() if isinstance(item, h5py.Group)}
    return {name: item for name, item in items.items() if "position" in item}


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def count_of(group: h5py.Group) -> int:
    """How many particles a species has, by its positions."""
    if "position/x" not in group:
        raise RunError(f"{group.file.filename} misses {group.name}/position/x")
    return _length(group["position/x"])


def _length(item: h5py.Dataset | h5py.Group) -> int:
    shape = item.shape if isinstance(item, h5py.Dataset) else np.atleast_1d(item.attrs["shape"])
    if len(shape) != 1:
        raise RunError(f"{item.file.filename}: {item.name} is not one column of numbers")
    return int(shape[0])


def _records(group: h5py.Group, count: int) -> dict[str, Floats]:
    """Positions, momenta and times (count,) in SI units, their offsets added."""
    values = {}
    for record, power in (("position", LENGTH), ("momentum", MOMENTUM)):
        for axis in "xyz":
            value = _record(group, f"{record}/{axis}", count, power)
            offset = f"{record}Offset/{axis}"
            if offset in group:
                value = value + _record(group, offset, count, power)
            values[f"{record}/{axis}"] = value
    values["time"] = np.zeros(count)
    for name in ("time", "timeOffset"):
        if name in group:
            values["time"] = values["time"] + _record(group, name, count, TIME)
    return values


def _record(group: h5py.Group, name: str, count: int, power: tuple[float, ...]) -> Floats:
    """A record's values (count,) in SI units; RunError if its unit is not that of `power`."""
    file = group.file.filename
    if name not in group:
        raise RunError(f"{file} misses {group.name}/{name}")
    item = group[name]
    if "unitSI" not in item.attrs:
        raise RunError(f"{file}: {item.name} has no unitSI, so that its unit is not known")
    unit = float(item.attrs["unitSI"])
    if not 0 < unit < math.inf:
        raise RunError(f"{file}: {item.name} has unitSI = {unit:g}, not a unit")
    for owner in (group[name.split("/")[0]], item):
        given = owner.attrs.get("unitDimension")
        if given is not None and not np.array_equal(given, power):
            raise RunError(f"{file}: {item.name} has the unitDimension of another quantity")
    return _values(item, count, np.number) * unit


def _values(item: h5py.Dataset | h5py.Group, count: int, kind: type) -> NDArray[Any]:
    if _length(item) != count:
        raise RunError(
            f"{item.file.filename}: {item.name} holds {_length(item)} numbers for {count} particles"
        )
    constant = not isinstance(item, h5py.Dataset)
    value = np.asarray(item.attrs["value"] if constant else item[...])
    if not np.issubdtype(value.dtype, kind) or value.dtype.kind == "c":
        raise RunError(f"{item.file.filename}: {item.name} holds no real numbers")
    return np.broadcast_to(value, (count,)) if constant else value
