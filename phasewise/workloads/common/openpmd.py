"""Particles from files by the openPMD standard with its BeamPhysics extension.

All particles of a bunch stand at the same place and pass it at different times: a particle's z is
`position/z` - βc `time`, with z > 0 ahead. Momenta are in units of the reference momentum P0.
A. Huebl et al., openPMD, doi:10.5281/zenodo.1167843; extension by C. Mayes and D. Sagan.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from phasewise.constants import ELEMENTARY_CHARGE, SPEED_OF_LIGHT
from phasewise.driver import Arrays, Floats
from phasewise.errors import PhasewiseError, RunError
from phasewise.runs.disk import DAMAGE, damage_reason, disk_reason
from phasewise.tables.files import special
from phasewise.workload.bunches import SharedBunch

EV_OVER_C = ELEMENTARY_CHARGE / SPEED_OF_LIGHT
"""1 eV/c in kg m/s."""

# Powers of length, mass, time, current, temperature, amount, luminous intensity.
LENGTH = (1.0, 0, 0, 0, 0, 0, 0)
MASS = (0.0, 1, 0, 0, 0, 0, 0)
MOMENTUM = (1.0, 1, -1, 0, 0, 0, 0)
TIME = (0.0, 0, 1, 0, 0, 0, 0)
CHARGE = (0.0, 0, 1, 1, 0, 0, 0)
NUMBER = (0.0, 0, 0, 0, 0, 0, 0)


ALIVE = 1
"""A particle with any other `particleStatus` is dead: it has hit a wall, or was never there."""


@dataclass(frozen=True)
class Reference:
    """The reference particle of a beam: momentum P0 [eV/c] and velocity over c."""

    momentum: float
    beta: float

    @classmethod
    def of(cls, bunch: SharedBunch) -> Reference:
        """The reference particle of a study's bunch."""
        return cls(bunch.mass * bunch.gamma * bunch.beta, bunch.beta)

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


@dataclass(frozen=True)
class Species:
    """The living particles of a species in a file."""

    columns: dict[str, Floats]
    """x, px, y, py, z, delta (N,) [m, 1]."""
    weights: Floats | None
    """The number of real particles that each one stands for; None if the file does not say."""


@contextmanager
def reading(path: Path) -> Iterator[h5py.File]:
    """An HDF5 file that another program wrote; RunError, one sentence, for whatever is wrong with
    it.
    """
    try:
        if what := special(path):
            raise RunError(f"{path} {what}")
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


def read_species(path: Path, bunch: SharedBunch, table: str) -> Species:
    """The living particles in an openPMD file that are to be `bunch`, relative to its momentum.

    They are those of the species `beam1` in a dump of ours, if they are to be beam 1, or else of
    the only species there is. `table` is the study's table that describes the bunch. RunError if
    the file holds several, misses a record or its unit, or holds another number of particles.
    """
    with reading(path) as file:
        species = species_in(file)
        group = species.get(f"beam{bunch.number}")
        if group is None:
            if len(species) != 1:
                raise RunError(f"{path} holds {len(species)} species of particles, not one")
            (group,) = species.values()
        count = count_of(group)
        alive = _living(group, count)
        left = count if alive is None else int(np.count_nonzero(alive))
        if left != bunch.macroparticles:
            dead = "" if alive is None else f"living particles and {count - left} dead "
            raise RunError(
                f"{path} holds {left} {dead}particles, and {table}.macroparticles is "
                f"{bunch.macroparticles}"
            )
        columns = Reference.of(bunch).from_openpmd(records_of(group, count))
        weights = _weights(group, count, bunch)
        kept = slice(None) if alive is None else alive
        return Species(
            {name: column[kept] for name, column in columns.items()},
            None if weights is None else weights[kept],
        )


def species_in(file: h5py.File) -> dict[str, h5py.Group]:
    """The particle groups of the file's last iteration, by name."""
    path = _text(file.attrs.get("particlesPath", b"particles/")).strip("./")
    parent = _last_iteration(file)
    group = parent.get(path) if path else parent
    if group is None:
        return {}
    if "position" in group:
        return {path: group}
    items = {name: item for name, item in group.items() if isinstance(item, h5py.Group)}
    return {name: item for name, item in items.items() if "position" in item}


def _last_iteration(file: h5py.File) -> h5py.Group:
    """The group that the file's `basePath` names, in which %T stands for an iteration's number; a
    path without %T is that of the only iteration.
    """
    base = _text(file.attrs.get("basePath", b"/data/%T/")).strip("/")
    before, numbered, after = base.partition("%T")
    folder, _, begins = before.rpartition("/")
    ends, _, inside = after.partition("/")
    parent = file.get(folder or "/")
    if numbered and isinstance(parent, h5py.Group):
        name = re.compile(rf"{re.escape(begins)}(\d+){re.escape(ends)}")
        numbers = {int(found[1]): found[0] for key in parent if (found := name.fullmatch(key))}
        last = numbers[max(numbers)] if numbers else ""
        group = parent.get(f"{last}/{inside}".rstrip("/")) if last else None
    else:
        group = None if numbered else file.get(base or "/")
    if not isinstance(group, h5py.Group):
        raise RunError(f"{file.filename} is not an openPMD file: it holds no /{base}")
    return group


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


def _living(group: h5py.Group, count: int) -> NDArray[np.bool_] | None:
    """Which particles live (count,); None: all of them."""
    if "particleStatus" not in group:
        return None
    alive = column_of(group["particleStatus"], count, np.number) == ALIVE
    return None if alive.all() else alive


def _weights(group: h5py.Group, count: int, bunch: SharedBunch) -> Floats | None:
    """How many real particles each one stands for (count,), by the base standard's `weighting` or
    by its charge, `weight`.
    """
    if "weighting" in group:
        return _record(group, "weighting", count, NUMBER)
    if "weight" in group:
        charge = abs(bunch.charge) * ELEMENTARY_CHARGE
        return np.abs(_record(group, "weight", count, CHARGE)) / charge
    return None


def records_of(group: h5py.Group, count: int) -> dict[str, Floats]:
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
    return column_of(item, count, np.number) * unit


def column_of(item: h5py.Dataset | h5py.Group, count: int, kind: type) -> NDArray[Any]:
    """The values of a record (count,), also if it is constant; RunError if they are no numbers of
    `kind`, or another number of them.
    """
    if _length(item) != count:
        raise RunError(
            f"{item.file.filename}: {item.name} holds {_length(item)} numbers for {count} particles"
        )
    constant = not isinstance(item, h5py.Dataset)
    value = np.asarray(item.attrs["value"] if constant else item[...])
    if not np.issubdtype(value.dtype, kind) or value.dtype.kind == "c":
        raise RunError(f"{item.file.filename}: {item.name} holds no real numbers")
    return np.broadcast_to(value, (count,)) if constant else value
