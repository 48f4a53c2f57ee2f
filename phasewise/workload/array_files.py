"""Arrays of real numbers from NetCDF, HDF5 or NumPy files, by the name of a variable or by what is
sought.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from phasewise.driver import Floats
from phasewise.errors import PhasewiseError, StudyError
from phasewise.tables.keys import nearest, show

PACKAGE = "h5netcdf"
NETCDF = (".nc", ".nc4", ".cdf", ".netcdf")
CLASSIC = b"CDF"
"""The beginning of NetCDF files of the classic formats."""
FILLS = ("_FillValue", "missing_value")
"""Attributes with the value of cells that have none."""
ROWS = ("lat", "latitude", "nav_lat", "y")
"""Names of the coordinate along the last axis but one."""


@dataclass(frozen=True)
class Sought:
    """What a study seeks in a file.

    key: the key that names the file; variable_key: that which names the variable; what: words for
    the variable, and article: for all of it; axes: how many it may have; in_words: the same;
    names: those that are looked for where the study names no variable, in this order; whole:
    whether axes of length 1 before the others count too.
    """

    key: str
    variable_key: str
    what: str
    article: str
    axes: tuple[int, ...]
    in_words: str
    names: tuple[str, ...]
    whole: bool = False


@dataclass(frozen=True)
class Found:
    """An array of a file with its name and attributes; NaN where the file has no value. Where it
    has latitudes, rows go from the south to the north.
    """

    values: Floats
    name: str
    attributes: Mapping[str, Any] = field(default_factory=dict)


def array_in(path: Path, variable: str | None, sought: Sought) -> Found:
    """The array that is sought; StudyError if it cannot be read."""
    where = sought.key
    try:
        if path.suffix == ".npy":
            return Found(_numbers(np.load(path, allow_pickle=False), path, path.stem, sought),
                         path.stem)  # fmt: skip
        with path.open("rb") as file:
            classic = file.read(len(CLASSIC)) == CLASSIC
        if classic:
            return _of_classic(path, variable, sought)
        if path.suffix in NETCDF:
            return _of_netcdf(path, variable, sought)
        return _of_hdf5(path, variable, sought)
    except PhasewiseError:
        raise
    except OSError as error:
        reason = "it is neither NetCDF, HDF5 nor NumPy" if error.errno is None else error.strerror
        raise StudyError(f"{where}: {path} cannot be read ({reason})") from None
    except Exception as error:  # a damaged file makes a reader stumble anywhere
        raise StudyError(
            f"{where}: {path} cannot be read: it is damaged, or of another format than its name "
            f"tells ({type(error).__name__})"
        ) from None


def _of_hdf5(path: Path, variable: str | None, sought: Sought) -> Found:
    import h5py

    with h5py.File(path, "r", locking=False) as file:
        sets = {name: one for name, one in file.items() if isinstance(one, h5py.Dataset)}
        name = _chosen({n: one.shape or () for n, one in sets.items()}, path, variable, sought)
        return _unpacked(np.asarray(sets[name]), name, dict(sets[name].attrs), path, sought)


def _of_netcdf(path: Path, variable: str | None, sought: Sought) -> Found:
    if find_spec(PACKAGE) is None:
        raise StudyError(
            f"{sought.key}: {path} needs the package {PACKAGE}, which is not installed: install "
            f"phasewise[netcdf], or give {sought.article} as HDF5 or NumPy"
        )
    with import_module(PACKAGE).File(path, "r", phony_dims="access") as file:
        return _of_variables(file.variables, path, variable, sought)


def _of_classic(path: Path, variable: str | None, sought: Sought) -> Found:
    from scipy.io import netcdf_file

    with netcdf_file(path, "r", mmap=False) as file:
        return _of_variables(file.variables, path, variable, sought)


def _of_variables(
    variables: Mapping[str, Any], path: Path, variable: str | None, sought: Sought
) -> Found:
    """The array among the variables of a NetCDF file, from the south by its latitudes."""
    shapes = {
        name: one.shape for name, one in variables.items() if tuple(one.dimensions) != (name,)
    }
    name = _chosen(shapes, path, variable, sought)
    one = variables[name]
    attributes = dict(one.attrs) if hasattr(one, "attrs") else dict(one._attributes)
    found = _unpacked(np.array(one[:]), name, attributes, path, sought)
    for row in (*one.dimensions[-2:-1], *ROWS) if found.values.ndim > 1 else ():
        if row in variables and len(variables[row].dimensions) == 1:
            along = np.array(variables[row][:])
            if len(along) > 1 and along[0] > along[-1]:
                return Found(np.flip(found.values, -2), name, found.attributes)
            break
    return found


def _chosen(
    shapes: Mapping[str, tuple[int, ...]], path: Path, variable: str | None, sought: Sought
) -> str:
    """The name of the variable that is sought."""
    where, dimensions = sought.key, sought.in_words
    fit = [name for name, shape in shapes.items() if len(_short(shape, sought)) in sought.axes]
    if not fit:
        there = f"; it has {', '.join(shapes)}" if shapes else ""
        raise StudyError(f"{where}: {path} has no array of {dimensions}{there}")
    if variable is not None:
        if variable not in fit:
            raise StudyError(
                f"{sought.variable_key}: {path} has no variable {show(variable)} of {dimensions}"
                f"{nearest(variable, fit)}"
            )
        return variable
    by_name = {name.lower(): name for name in fit}
    known = [by_name[name] for name in sought.names if name in by_name]
    if known or len(fit) == 1:
        return (known or fit)[0]
    raise StudyError(
        f"{where}: {path} has {', '.join(fit)} of {dimensions}; give {sought.variable_key}, the "
        f"name of the {sought.what}"
    )


def _short(shape: tuple[int, ...], sought: Sought) -> tuple[int, ...]:
    """A shape without axes of length 1 before the others, such as that of a single time."""
    while not sought.whole and len(shape) > max(sought.axes) and shape[0] == 1:
        shape = shape[1:]
    return shape


def _unpacked(
    values: Any, name: str, attributes: Mapping[str, Any], path: Path, sought: Sought
) -> Found:
    """Values with their fill value as NaN, unpacked.

    Packed values are times scale_factor, plus add_offset; the fill value is a packed one (CF
    Conventions 1.11, section 8.1).
    """
    found = _numbers(values, path, name, sought)

    def numbers(key: str, default: float) -> Floats:
        given = np.ravel(attributes.get(key, default))
        if not given.size or given.dtype.kind not in "iuf":
            raise StudyError(f"{sought.key}: {path} has {name}, whose attribute {key} is no number")
        return np.asarray(given, dtype=np.float64)

    for key in FILLS:
        found = np.where(np.isin(found, numbers(key, np.nan)), np.nan, found)
    whole: Floats = found * numbers("scale_factor", 1.0)[0] + numbers("add_offset", 0.0)[0]
    return Found(whole, name, attributes)


def _numbers(values: Any, path: Path, name: str, sought: Sought) -> Floats:
    found = np.asarray(values)
    found = found.reshape(_short(found.shape, sought))
    if found.ndim not in sought.axes or found.dtype.kind not in "biuf":
        raise StudyError(
            f"{sought.key}: {path} has {name}, which is no array of real numbers with "
            f"{sought.in_words}"
        )
    return found.astype(np.float64)
