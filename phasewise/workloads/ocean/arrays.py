"""Depths from NetCDF, HDF5 or NumPy files."""

from __future__ import annotations

from pathlib import Path

from phasewise.driver import Floats
from phasewise.workload.array_files import Sought, array_in

HEIGHTS = ("elevation", "altitude", "topo", "topography", "height", "z", "band1")
"""Names of variables that hold heights above the sea level."""
SOUGHT = Sought(
    key="ocean.mask_file",
    variable_key="ocean.mask_variable",
    what="depths",
    article="the mask",
    axes=(2,),
    in_words="two dimensions",
    names=("mask", "depth", "bathymetry", "deptho", "bathy", "kmt", "h", *HEIGHTS),
)


def depths_in(path: Path, variable: str | None) -> Floats:
    """Depths, positive in the sea, or 0 and 1, [j][i] from the south; NaN where a file has none.
    StudyError if they cannot be read.
    """
    found = array_in(path, variable, SOUGHT)
    positive = found.attributes.get("positive", b"")
    up = positive in ("up", b"up") or (not positive and found.name.lower() in HEIGHTS)
    # NumPy files have no names, so that of the file says nothing.
    return -found.values if up and path.suffix != ".npy" else found.values
