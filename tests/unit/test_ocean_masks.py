"""Masks of an ocean from NetCDF, HDF5 and NumPy files, and the seas in them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from scipy.io import netcdf_file

from phasewise.runs.layout import check_schedule
from phasewise.study import Study
from phasewise.workloads.ocean.arrays import depths_in
from phasewise.workloads.ocean.mask_file import levels_of, sea_levels_of
from phasewise.workloads.ocean.model import model_of
from phasewise.workloads.ocean.seas import seas_of
from tests.sentences import refused

LEVELS = [10.0, 20.0, 30.0, 40.0]


def study(file: Path, **own: Any) -> Study:
    """A study with this mask of 6 × 5 cells."""
    table = {"grid": [6, 5, 4], "levels": LEVELS, "mask_file": str(file), "periodic": "none"}
    return Study.from_dict({"workload": "ocean", "timesteps": 1, "ocean": table | own})


def basin() -> Any:
    """Depths of a sea between land in the north and in the south, deeper towards the east."""
    depth = np.zeros((5, 6))
    depth[1:4] = [0.0, 4.0, 22.0, 50.0, 90.0, 500.0]
    return depth


EXPECTED = [0, 2, 2, 3, 4, 4]
"""Interfaces lie at 10, 30, 60 and 100 m; the shallowest sea has two levels."""


def in_numpy(path: Path, depth: Any) -> Path:
    np.save(path.with_suffix(".npy"), depth)
    return path.with_suffix(".npy")


def in_hdf5(path: Path, depth: Any) -> Path:
    with h5py.File(path.with_suffix(".h5"), "w") as file:
        file["bathymetry"] = depth
        file["area"] = np.ones_like(depth)
    return path.with_suffix(".h5")


def in_classic(path: Path, depth: Any) -> Path:
    """As heights from the north to the south, as many files have them."""
    with netcdf_file(path.with_suffix(".nc"), "w") as file:
        for name, values in (("lat", np.linspace(60, -60, 5)), ("lon", np.arange(6.0))):
            file.createDimension(name, len(values))
            file.createVariable(name, "f8", (name,))[:] = values
        made = file.createVariable("elevation", "f8", ("lat", "lon"))
        made[:] = np.where(depth > 0, -depth, 3.0)[::-1]
    return path.with_suffix(".nc")


def in_netcdf(path: Path, depth: Any) -> Path:
    h5netcdf = pytest.importorskip("h5netcdf")
    with h5netcdf.File(path.with_suffix(".nc"), "w") as file:
        file.dimensions = {"y": 5, "x": 6}
        made = file.create_variable("deptho", ("y", "x"), "f8", data=np.where(depth, depth, 1e20))
        made.attrs["_FillValue"] = np.array([1e20])
    return path.with_suffix(".nc")


@pytest.mark.parametrize("write", [in_numpy, in_hdf5, in_classic, in_netcdf])
def test_depths_become_those_of_the_nearest_interfaces(tmp_path: Path, write: Any) -> None:
    own = model_of(study(write(tmp_path / "mask", basin())))
    levels = levels_of(own)
    assert levels[0].tolist() == levels[4].tolist() == [0] * 6
    assert all(levels[row].tolist() == EXPECTED for row in (1, 2, 3))


def test_a_mask_of_0_and_1_has_all_levels_and_becomes_pairs(tmp_path: Path) -> None:
    given = study(in_numpy(tmp_path / "mask", (basin() > 0).astype(np.uint8)))
    pairs = sea_levels_of(model_of(given))
    assert pairs == (0, 7, 4, 5, 0, 1, 4, 5, 0, 1, 4, 5, 0, 6)
    assert f"ocean.sea_levels = {' '.join(map(str, pairs))}\n" in given.parameters()
    assert Study.from_dict(given.resolved()) == given


def test_a_mask_of_land_alone_is_refused(tmp_path: Path) -> None:
    given = study(in_numpy(tmp_path / "mask", -basin()))
    for use in (check_schedule, Study.parameters):
        with refused("ocean.mask_file", "land alone"):
            use(given)


def test_seas_that_the_largest_does_not_reach_are_named_and_filled_on_demand(
    tmp_path: Path,
) -> None:
    depth = basin()
    depth[:, 3] = 0.0
    file = in_numpy(tmp_path / "mask", depth)
    with refused("1 sea", "6 cells", "6 cells around", "0° N", "ocean.fill_seas = true"):
        check_schedule(study(file))
    filled = levels_of(model_of(study(file, fill_seas=True)))
    assert (filled > 0).sum() == 6 and not filled[:, 4:].any()


def water(*rows: str) -> Any:
    """Cells of water from rows, the northern one first."""
    return np.array([[cell == "~" for cell in row] for row in reversed(rows)])


def test_a_sea_closes_around_a_periodic_axis_alone() -> None:
    found = water("......", "~~..~~", "~~..~~", "......")
    assert seas_of(found, periodic_x=True, periodic_y=False).max() == 1
    apart = seas_of(found, periodic_x=False, periodic_y=False)
    assert apart[1].tolist() == apart[2].tolist() == [1, 1, 0, 0, 2, 2]
    assert seas_of(found.T, periodic_x=False, periodic_y=True).max() == 1


def test_seas_that_meet_at_sides_alone_are_apart_and_narrow_bays_are_land() -> None:
    found = seas_of(water("~~....", "~~~~~.", "...~~.", "......"), False, False)
    # No corner has four cells of the sea in the channel between column 1 and column 3.
    assert found[::-1].tolist() == [
        [2, 2, 0, 0, 0, 0], [2, 2, 0, 1, 1, 0], [0, 0, 0, 1, 1, 0], [0, 0, 0, 0, 0, 0],
    ]  # fmt: skip
    joined = seas_of(water("~~~...", "~~~~~.", "..~~~.", "......"), False, False)
    assert joined.max() == 1 and (joined > 0).sum() == 11


def test_a_mask_that_does_not_suit_is_refused(tmp_path: Path) -> None:
    with refused("ocean.mask_file", "6 × 5", "5 × 6"):
        check_schedule(study(in_numpy(tmp_path / "turned", basin().T)))
    with refused("ocean.mask_file", "two dimensions"):
        check_schedule(study(in_numpy(tmp_path / "row", np.ones(30))))
    with refused("ocean.mask_file", "does not exist"):
        check_schedule(study(tmp_path / "absent.npy"))
    (tmp_path / "text.h5").write_text("no HDF5")
    with refused("ocean.mask_file", "text.h5"):
        check_schedule(study(tmp_path / "text.h5"))
    file = in_hdf5(tmp_path / "mask", basin())
    with refused("ocean.mask_variable", "bathymetri", nearest="bathymetry"):
        check_schedule(study(file, mask_variable="bathymetri"))


def packed(path: Path, **attributes: Any) -> Path:
    """Depths of one time in a classic NetCDF file, as half metres below 100 m; land is 32767."""
    values = np.where(basin() > 0, 2 * (basin() - 100), 32767)
    with netcdf_file(path, "w") as file:
        for name, size in (("time", 1), ("y", 5), ("x", 6)):
            file.createDimension(name, size)
        made = file.createVariable("depth", "i2", ("time", "y", "x"))
        made[:] = values[None]
        for name, value in attributes.items():
            setattr(made, name, value)
    return path


def test_packed_depths_of_a_single_time_are_unpacked(tmp_path: Path) -> None:
    file = packed(
        tmp_path / "packed.nc", _FillValue=np.int16(32767), scale_factor=0.5, add_offset=100.0
    )
    levels = levels_of(model_of(study(file)))
    assert levels[2].tolist() == EXPECTED and not levels[[0, 4]].any()
    assert levels_of(model_of(study(in_numpy(tmp_path / "one", basin()[None]))))[2].tolist() == (
        EXPECTED
    )
    wrong = packed(tmp_path / "wrong.nc", scale_factor="half")
    with refused("ocean.mask_file", "depth", "scale_factor is no number"):
        check_schedule(study(wrong))


def test_an_hdf5_file_may_have_the_name_of_netcdf(tmp_path: Path) -> None:
    pytest.importorskip("h5netcdf")
    file = in_hdf5(tmp_path / "mask", basin()).rename(tmp_path / "mask.nc")
    assert levels_of(model_of(study(file)))[2].tolist() == EXPECTED


def test_a_file_without_any_plane_is_refused(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "rows.h5", "w") as file:
        file["depth"] = np.ones(30)
        file["level"] = np.ones((2, 5, 6))
    with refused("ocean.mask_file", "no array of two dimensions", "it has depth, level"):
        check_schedule(study(tmp_path / "rows.h5"))
    h5py.File(tmp_path / "empty.h5", "w").close()
    with refused("ocean.mask_file", "no array of two dimensions"):
        check_schedule(study(tmp_path / "empty.h5"))
    file = in_classic(tmp_path / "mask", basin())
    with refused("ocean.mask_variable", "elevatoin", nearest="elevation"):
        check_schedule(study(file, mask_variable="elevatoin"))


def test_a_damaged_file_is_refused_in_a_sentence(tmp_path: Path) -> None:
    for file in (packed(tmp_path / "packed.nc"), in_numpy(tmp_path / "mask", basin())):
        whole, broken = file.read_bytes(), tmp_path / f"broken{file.suffix}"
        # Where the header ends, changed values are depths that cannot be told from others.
        for end in range(4, 100, 3):
            broken.write_bytes(whole[:end])
            with refused("ocean.mask_file", "broken"):
                depths_in(broken, None)
    # The type of the variable, which the reader looks up.
    whole = (tmp_path / "packed.nc").read_bytes()
    place = whole.index(b"depth") + 8 + 4 + 3 * 4 + 8
    assert whole[place : place + 4] == (3).to_bytes(4, "big")
    broken = tmp_path / "typed.nc"
    broken.write_bytes(whole[:place] + (99).to_bytes(4, "big") + whole[place + 4 :])
    with refused("ocean.mask_file", "typed.nc", "damaged"):
        depths_in(broken, None)
