"""Arrays of two dimensions from NetCDF, HDF5 or NumPy files."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from phasewise.driver import Floats
from phasewise.errors import StudyError
from phasewise.tables.keys import nearest, show

PACKAGE = "h5netcdf"
NETCDF = (".nc", ".nc4", ".cdf", ".netcdf")
CLASSIC = b"CDF"
"""The beginning of NetCDF files of the classic formats."""
HEIGHTS = ("elevation", "altitude", "topo", "topography", "height", "z", "band1")
"""Names of variables that hold heights above the sea level."""
DEPTHS = ("mask", "depth", "bathymetry", "deptho", "bathy", "kmt", "h", *HEIGHTS)
"""Names that are looked for where the study names no variable, in this order."""
ROWS = ("lat", "latitude", "nav_lat", "y")
"""Names of the coordinate along the first axis."""


def depths_in(path: Path, variable: str | None, where: str) -> Floats:
    """Depths, positive in the sea, or 0 and 1, [j][i] from the south; NaN where a file has none.
    StudyError if they cannot be read.
    """
    if path.suffix == ".npy":
        return _of_numpy(path, where)
    try:
        with path.open("rb") as file:
            classic = file.read(len(CLASSIC)) == CLASSIC
        if classic:
            return _of_classic(path, variable, where)
        if path.suffix in NETCDF:
            return _of_netcdf(path, variable, where)
        return _of_hdf5(path, variable, where)
    except OSError as error:
        reason = "it is neither NetCDF, HDF5 nor NumPy" if error.errno is None else error.strerror
        raise StudyError(f"{where}: {path} cannot be read ({reason})") from None


def _of_numpy(path: Path, where: str) -> Floats:
    try:
        found = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        raise StudyError(f"{where}: {path} cannot be read as an array of NumPy") from None
    return _numbers(found, path, path.stem, where)


def _of_hdf5(path: Path, variable: str | None, where: str) -> Floats:
    import h5py

    with h5py.File(path, "r", locking=False) as file:
        sets = {name: one for name, one in file.items() if isinstance(one, h5py.Dataset)}
        name = _chosen({n: one.ndim for n, one in sets.items()}, path, variable, where)
        return _as_depths(np.asarray(sets[name]), name, dict(sets[name].attrs), path, where)


def _of_netcdf(path: Path, variable: str | None, where: str) -> Floats:
    if find_spec(PACKAGE) is None:
        raise StudyError(
            f"{where}: {path} needs the package {PACKAGE}, which is not installed: install "
            "phasewise[netcdf], or give the mask as HDF5 or NumPy"
        )
    with import_module(PACKAGE).File(path, "r") as file:
        return _of_variables(file.variables, path, variable, where)


def _of_classic(path: Path, variable: str | None, where: str) -> Floats:
    from scipy.io import netcdf_file

    try:
        with netcdf_file(path, "r", mmap=False) as file:
            return _of_variables(file.variables, path, variable, where)
    except (TypeError, ValueError, IndexError):
        raise StudyError(f"{where}: {path} cannot be read as NetCDF") from None


def _of_variables(
    variables: Mapping[str, Any], path: Path, variable: str | None, where: str
) -> Floats:
    """The depths among the variables of a NetCDF file, from the south by its latitudes."""
    name = _chosen({n: len(one.dimensions) for n, one in variables.items()}, path, variable, where)
    one = variables[name]
    attributes = dict(one.attrs) if hasattr(one, "attrs") else dict(one._attributes)
    found = _as_depths(np.array(one[:]), name, attributes, path, where)
    for row in (one.dimensions[-2], *ROWS):
        if row in variables and len(variables[row].dimensions) == 1:
            along = np.array(variables[row][:])
            return found[::-1] if len(along) > 1 and along[0] > along[-1] else found
    return found


def _chosen(axes: Mapping[str, int], path: Path, variable: str | None, where: str) -> str:
    """The name of the variable that has the depths."""
    plane = [name for name, count in axes.items() if count == 2]
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
        f"{where}: {path} has {', '.join(plane) or 'nothing'} of two dimensions; give "
        "ocean.mask_variable, the name of the depths"
    )


def _as_depths(
    values: Any, name: str, attributes: Mapping[str, Any], path: Path, where: str
) -> Floats:
    """Values with their fill value as NaN, and heights as depths."""
    found = _numbers(values, path, name, where)
    fill = attributes.get("_FillValue", attributes.get("missing_value"))
    if fill is not None:
        found = np.where(found == float(np.ravel(fill)[0]), np.nan, found)
    positive = attributes.get("positive", b"")
    up = positive in ("up", b"up") or (not positive and name.lower() in HEIGHTS)
    return -found if up else found


def _numbers(values: Any, path: Path, name: str, where: str) -> Floats:
    found = np.asarray(values)
    if found.ndim != 2 or found.dtype.kind not in "biuf":
        raise StudyError(
            f"{where}: {path} has {name}, which is no array of real numbers with two dimensions"
        )
    return found.astype(np.float64)
