"""Arrays of two dimensions from NetCDF, HDF5 or NumPy files."""

from __future__ import annotations

from collections.abc import Mapping
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
HEIGHTS = ("elevation", "altitude", "topo", "topography", "height", "z", "band1")
"""Names of variables that hold heights above the sea level."""
DEPTHS = ("mask", "depth", "bathymetry", "deptho", "bathy", "kmt", "h", *HEIGHTS)
"""Names that are looked for where the study names no variable, in this order."""
FILLS = ("_FillValue", "missing_value")
"""Attributes with the value of cells that have none."""
ROWS = ("lat", "latitude", "nav_lat", "y")
"""Names of the coordinate along the first axis."""


def depths_in(path: Path, variable: str | None, where: str) -> Floats:
    """Depths, positive in the sea, or 0 and 1, [j][i] from the south; NaN where a file has none.
    StudyError if they cannot be read.
    """
    try:
        if path.suffix == ".npy":
            found = np.load(path, allow_pickle=False)
            return _numbers(found, path, path.stem, where)
        with path.open("rb") as file:
            classic = file.read(len(CLASSIC)) == CLASSIC
        if classic:
            return _of_classic(path, variable, where)
        if path.suffix in NETCDF:
            return _of_netcdf(path, variable, where)
        return _of_hdf5(path, variable, where)
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


def _of_hdf5(path: Path, variable: str | None, where: str) -> Floats:
    import h5py

    with h5py.File(path, "r", locking=False) as file:
        sets = {name: one for name, one in file.items() if isinstance(one, h5py.Dataset)}
        name = _chosen({n: one.shape or () for n, one in sets.items()}, path, variable, where)
        return _as_depths(np.asarray(sets[name]), name, dict(sets[name].attrs), path, where)


def _of_netcdf(path: Path, variable: str | None, where: str) -> Floats:
    if find_spec(PACKAGE) is None:
        raise StudyError(
            f"{where}: {path} needs the package {PACKAGE}, which is not installed: install "
            "phasewise[netcdf], or give the mask as HDF5 or NumPy"
        )
    with import_module(PACKAGE).File(path, "r", phony_dims="access") as file:
        return _of_variables(file.variables, path, variable, where)


def _of_classic(path: Path, variable: str | None, where: str) -> Floats:
    from scipy.io import netcdf_file

    with netcdf_file(path, "r", mmap=False) as file:
        return _of_variables(file.variables, path, variable, where)


def _of_variables(
    variables: Mapping[str, Any], path: Path, variable: str | None, where: str
) -> Floats:
    """The depths among the variables of a NetCDF file, from the south by its latitudes."""
    name = _chosen({n: one.shape for n, one in variables.items()}, path, variable, where)
    one = variables[name]
    attributes = dict(one.attrs) if hasattr(one, "attrs") else dict(one._attributes)
    found = _as_depths(np.array(one[:]), name, attributes, path, where)
    for row in (one.dimensions[-2], *ROWS):
        if row in variables and len(variables[row].dimensions) == 1:
            along = np.array(variables[row][:])
            return found[::-1] if len(along) > 1 and along[0] > along[-1] else found
    return found


def _chosen(
    shapes: Mapping[str, tuple[int, ...]], path: Path, variable: str | None, where: str
) -> str:
    """The name of the variable that has the depths."""
    plane = [name for name, shape in shapes.items() if len(_of_plane(shape)) == 2]
    if not plane:
        there = f"; it has {', '.join(shapes)}" if shapes else ""
        raise StudyError(f"{where}: {path} has no array of two dimensions{there}")
    if variable is not None:
        if variable not in plane:
            raise StudyError(
                f"ocean.mask_variable: {path} has no variable {show(variable)} of two dimensions"
                f"{nearest(variable, plane)}"
            )
        return variable
    by_name = {name.lower(): name for name in plane}
    known = [by_name[name] for name in DEPTHS if name in by_name]
    if known or len(plane) == 1:
        return (known or plane)[0]
    raise StudyError(
        f"{where}: {path} has {', '.join(plane)} of two dimensions; give ocean.mask_variable, the "
        "name of the depths"
    )


def _of_plane(shape: tuple[int, ...]) -> tuple[int, ...]:
    """A shape without the axes of length 1 before its last two, such as that of a single time."""
    while len(shape) > 2 and shape[0] == 1:
        shape = shape[1:]
    return shape


def _as_depths(
    values: Any, name: str, attributes: Mapping[str, Any], path: Path, where: str
) -> Floats:
    """Values with their fill value as NaN, unpacked, and heights as depths.

    Packed values are times scale_factor, plus add_offset; the fill value is a packed one (CF
    Conventions 1.11, section 8.1).
    """
    found = _numbers(values, path, name, where)

    def numbers(key: str, default: float) -> Floats:
        given = np.ravel(attributes.get(key, default))
        if not given.size or given.dtype.kind not in "iuf":
            raise StudyError(f"{where}: {path} has {name}, whose attribute {key} is no number")
        return np.asarray(given, dtype=np.float64)

    for key in FILLS:
        found = np.where(np.isin(found, numbers(key, np.nan)), np.nan, found)
    unpacked: Floats = found * numbers("scale_factor", 1.0)[0] + numbers("add_offset", 0.0)[0]
    positive = attributes.get("positive", b"")
    up = positive in ("up", b"up") or (not positive and name.lower() in HEIGHTS)
    return -unpacked if up else unpacked


def _numbers(values: Any, path: Path, name: str, where: str) -> Floats:
    found = np.asarray(values)
    found = found.reshape(_of_plane(found.shape))
    if found.ndim != 2 or found.dtype.kind not in "biuf":
        raise StudyError(
            f"{where}: {path} has {name}, which is no array of real numbers with two dimensions"
        )
    return found.astype(np.float64)
