"""Maps as NetCDF files by the CF conventions 1.10, which xarray opens."""

from __future__ import annotations

import io
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from phasewise.driver import Floats
from phasewise.errors import RunError, StudyError
from phasewise.runs.disk import disk_reason, replacing
from phasewise.version import __version__
from phasewise.workloads.sphere.grid import latitudes_of, longitudes_of
from phasewise.workloads.sphere.model import Sphere

PACKAGE = "h5netcdf"
EPOCH = "seconds since 2000-01-01 00:00:00"
"""CF wants times to count from a date, and the cases have none."""

VARIABLES = {
    "surface": {"long_name": "height of the surface", "units": "m"},
    "vorticity": {
        "standard_name": "atmosphere_relative_vorticity",
        "long_name": "relative vorticity",
        "units": "s-1",
    },
    "u": {"standard_name": "eastward_wind", "long_name": "eastward wind", "units": "m s-1"},
    "v": {"standard_name": "northward_wind", "long_name": "northward wind", "units": "m s-1"},
}
"""The attributes of each field. CF has a standard name for the winds and the vorticity alone."""
AXES = ("time", "level", "latitude", "longitude")


def check_installed() -> None:
    """StudyError if the package that writes NetCDF is missing."""
    if find_spec(PACKAGE) is None:
        raise StudyError(
            f"records.netcdf needs the package {PACKAGE}, which is not installed: install "
            "phasewise[netcdf], or leave the key out"
        )


def write_netcdf(
    path: Path, model: Sphere, title: str, seconds: float, maps: Mapping[str, Floats]
) -> None:
    """Write maps, each (levels, latitudes, longitudes), taken this long after the start; RunError
    if the file cannot be written.
    """
    data = io.BytesIO()
    with import_module(PACKAGE).File(data, "w") as file:
        _describe(file, model, title)
        _variable(file, "time", ("time",), np.array([seconds]), units=EPOCH, axis="T",
                  standard_name="time", calendar="standard")  # fmt: skip
        for name, values in maps.items():
            _variable(file, name, AXES, values[None], **VARIABLES[name])
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as out:
            out.write(data.getvalue())
    except OSError as error:
        reason = disk_reason(error)
        raise RunError(f"the map {path} cannot be written ({reason})") from error


def _describe(file: Any, model: Sphere, title: str) -> None:
    """The dimensions of a file, their coordinates, and what CF wants of the whole."""
    file.dimensions = {
        "time": 1,
        "level": model.levels,
        "latitude": model.latitudes,
        "longitude": model.longitudes,
    }
    for name, value in {
        "Conventions": "CF-1.10",
        "title": title,
        "source": f"phasewise {__version__}, {model.case} at truncation {model.truncation}",
    }.items():
        file.attrs[name] = value
    levels = np.arange(model.levels, dtype=np.float64)
    _variable(file, "level", ("level",), levels, long_name="level, from 0", units="1", axis="Z")
    _variable(file, "latitude", ("latitude",), latitudes_of(model.latitudes),
              standard_name="latitude", units="degrees_north", axis="Y")  # fmt: skip
    _variable(file, "longitude", ("longitude",), longitudes_of(model.longitudes),
              standard_name="longitude", units="degrees_east", axis="X")  # fmt: skip


def _variable(
    file: Any, name: str, axes: tuple[str, ...], values: Floats, **attributes: str
) -> None:
    made = file.create_variable(name, axes, "f8", data=values)
    for attribute, text in attributes.items():
        made.attrs[attribute] = text
