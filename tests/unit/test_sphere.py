"""The workload `sphere`: its keys, what is refused, its grids and plans, and how maps are drawn."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from phasewise.cli import main
from phasewise.errors import StudyError
from phasewise.machines import load_machine
from phasewise.machines.kernel_rates import Measuring
from phasewise.models.plan import plan
from phasewise.report.mollweide import mollweide_of
from phasewise.runs.choosing import changes
from phasewise.runs.layout import (
    Recording,
    check_schedule,
    fault_of,
    row_layout,
    snapshot_layout,
)
from phasewise.study import Study
from phasewise.study.kernels import Kernels
from phasewise.study.laboratory import check_simulated
from phasewise.tuning.candidates import candidates
from phasewise.workload.protocols import comparable
from phasewise.workloads.sphere.choosing import adding
from phasewise.workloads.sphere.gathered import orders_and_degrees
from phasewise.workloads.sphere.grid import gaussian_latitudes, largest_truncation
from phasewise.workloads.sphere.maps import edges_of
from phasewise.workloads.sphere.model import model_of
from phasewise.workloads.sphere.netcdf import check_installed, write_netcdf
from tests.sentences import refused, says


def study(records: dict[str, Any] | None = None, communication: Any = None, **own: Any) -> Study:
    """A small study."""
    given = {"case": "williamson-5", "truncation": 10, "timestep": 900.0} | own
    return Study.from_dict(
        {
            "workload": "sphere",
            "timesteps": 5,
            "sphere": given,
            "records": records or {},
            "communication": communication or {},
        }
    )


def test_every_key_becomes_its_flat_parameter() -> None:
    given = study(
        {"stations": [[40.5, 256]], "maps_every": 2}, {"legendre": "ring", "tune": "auto"},
        case="galewsky", levels=3, mean_depth=9000, perturbed=False, filter=0.1, diffusion=1e5,
    )  # fmt: skip
    assert given.parameters().splitlines() == [
        "turns = 5", "seed = 1", "workload = sphere",
        "sphere.case = galewsky", "sphere.truncation = 10", "sphere.latitudes = 16",
        "sphere.longitudes = 32", "sphere.levels = 3", "sphere.latitude_groups = 8",
        "sphere.timestep = 900.0", "sphere.radius = 6371220.0", "sphere.rotation = 7.292e-05",
        "sphere.gravity = 9.80616", "sphere.scheme = semi-implicit", "sphere.filter = 0.1",
        "sphere.diffusion = 100000.0", "sphere.diffusion_order = 2", "sphere.angle = 0.0",
        "sphere.perturbed = 0", "sphere.functions = table", "sphere.amplitudes = 1.0 0.75 0.5",
        "sphere.mean_depth = 9000.0", "sphere.stations = 40.5 256.0",
        "communication.legendre = ring", "communication.transpose = pairwise",
        "communication.protocol = irecv-isend", "communication.sums = order-free",
        "communication.blocks = 4", "communication.kernel = fast", "communication.padding = 1",
        "communication.global_sum = recursive-doubling", "communication.node_size = 0",
    ]  # fmt: skip
    assert Study.from_dict(given.resolved()) == given
    assert given.derived()["gravity_wave_speed"] == pytest.approx(math.sqrt(9.80616 * 9000))


@pytest.mark.parametrize(
    ("truncation", "grid"),
    [
        (5, (8, 16)), (10, (16, 32)), (21, (32, 64)), (42, (64, 128)), (85, (128, 256)),
        (170, (256, 512)), (340, (512, 1024)), (680, (1024, 2048)), (63, (96, 192)),
    ],
)  # fmt: skip
def test_a_truncation_has_the_usual_grid(truncation: int, grid: tuple[int, int]) -> None:
    model = study(truncation=truncation, timestep=1.0).model
    assert (model.latitudes, model.longitudes) == grid
    assert largest_truncation(*grid) >= truncation
    if truncation == 680:
        assert model.table_bytes == pytest.approx(0.478e9, rel=1e-3)


@pytest.mark.parametrize(
    ("own", "facts"),
    [
        ({"latitudes": 14, "longitudes": 32}, ("14", "10", "9")),
        ({"latitudes": 17}, ("sphere.latitudes", "17", "16", "18")),
        ({"timestep": 6000.0}, ("sphere.timestep", "6000", "5593")),
        ({"scheme": "explicit", "timestep": 3000.0}, ("3000", "2189", '"semi-implicit"')),
        ({"angle": 0.5}, ("sphere.angle", "williamson-2", "williamson-5")),
        ({"case": "file"}, ("sphere.file",)),
        ({"diffusion_order": 3}, ("sphere.diffusion_order", "2", "4")),
        ({"levels": 2, "amplitudes": [1.0]}, ("sphere.amplitudes", "2")),
        ({"latitude_groups": 9}, ("sphere.latitude_groups", "9", "8")),
        ({"records": {"netcdf": True}}, ("records.netcdf", "records.maps_every")),
        ({"records": {"stations": [[95, 0]]}}, ("records.stations", "95", "90")),
        ({"records": {"stations": [1.0, 2.0]}}, ("records.stations", "2")),
        (
            {"communication": {"legendre": "ring", "protocol": "packed"}},
            ("communication.protocol", "packed", "ring", "derived", "neighbour"),
        ),
    ],
)
def test_what_cannot_be_used_is_refused(own: dict[str, Any], facts: tuple[str, ...]) -> None:
    with refused(*facts):
        study(**own)


def test_a_study_that_no_memory_holds_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fields on the grid take 103.6 GB, columns 85.0 GB and states 67.3 GB."""
    for name in ("SLURM_JOB_NUM_NODES", "PBS_NODEFILE"):
        monkeypatch.delenv(name, raising=False)
    given = study(truncation=2700, levels=96, timestep=10.0, functions="panels")
    assert model_of(given).memory_bytes == pytest.approx(255.9e9, rel=1e-3)
    monkeypatch.setattr(os, "sysconf", {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 2**22}.get)
    with refused("sphere.truncation = 2700", "96 levels", "17.2 GB", "fewer levels"):
        given.workload.part(Recording).check(given)
    monkeypatch.setenv("SLURM_JOB_NUM_NODES", "100")
    given.workload.part(Recording).check(given)


def test_a_protocol_that_stores_is_none_of_a_transpose() -> None:
    given = study(communication={"protocol": "packed"})
    assert given.communication.resolved()["legendre"] == "transpose"


@pytest.mark.parametrize(
    ("legendre", "own", "most", "facts"),
    [
        ("transpose", {}, 8, ("sphere.latitudes",)),
        ("ring", {"latitude_groups": 5}, 5, ("sphere.latitude_groups = 8",)),
        ("transpose", {"latitudes": 64}, 11, ("sphere.truncation",)),
    ],
)
def test_more_ranks_than_can_are_refused(
    legendre: str, own: dict[str, Any], most: int, facts: tuple[str, ...]
) -> None:
    given = study(communication={"legendre": legendre}, **own)
    given.check_ranks(most)
    with refused(str(most + 1), str(most), *facts):
        given.check_ranks(most + 1)


@pytest.mark.parametrize(
    ("communication", "share"),
    [({}, 0.0), ({"legendre": "ring", "sums": "plain"}, 1.0), ({"legendre": "ring"}, 2.0)],
)
def test_a_rank_sends_what_the_closed_forms_say(communication: Any, share: float) -> None:
    ranks, truncation, levels = 4, 31, 3
    given = study(truncation=truncation, levels=levels, communication=communication)
    phases = [p for p in plan(given, ranks)["phases"] if "piece" not in p]
    sent = {p["name"]: p["bytes_per_rank"] for p in phases}
    # Five products go one way, and four fields the other; sums are of three fields.
    if not share:
        mean = 16 * (ranks - 1) / ranks**2 * (truncation + 1) * given.model.latitudes
        assert sent["legendre_transpose"] == pytest.approx(9 * levels * mean)
        return
    mean = 16 * (ranks - 1) / ranks * (truncation + 1) * (truncation + 2) / 2
    assert sent["legendre_sum"] == pytest.approx(3 * levels * share * mean)
    assert sent["legendre_share"] == pytest.approx(3 * levels * mean)


def test_a_tuner_compares_each_way_once() -> None:
    found = candidates(study(), 8, load_machine("bassi"))
    tables = [tuple(one.communication().items()) for one in found]
    assert len(set(tables)) == len(tables)
    legendres = [dict(table)["legendre"] for table in tables]
    assert legendres.count("transpose") == 4
    # Each protocol, and the two other numbers of blocks.
    assert legendres.count("ring") == len(adding(comparable())) + 2


@pytest.mark.parametrize("sums", ["order-free", "plain"])
def test_a_run_tries_other_algorithms_unless_they_decide_its_bits(sums: str) -> None:
    given = study(communication={"legendre": "ring", "sums": sums})
    tried = changes(given, [[8]], levels=True)
    legendres = {change["legendre"] for change in tried if "legendre" in change}
    assert legendres == (
        {"transpose", "hypercube", "node-aware"} if sums == "order-free" else set()
    )
    assert {"blocks": 1} in tried
    assert {"protocol": "packed"} not in tried
    assert changes(given, [[1]], levels=False) == []
    # A hypercube cannot be tried on more ranks than groups.
    wide = study(communication={"sums": sums}, latitudes=32)
    assert not any("legendre" in change for change in changes(wide, [[11]], levels=False))


def test_fields_of_a_file_cannot_be_simulated_but_their_messages_can() -> None:
    given = study(case="file", file="start.h5")
    check_simulated(given, skeleton=True)
    with refused("sphere.file", "--skeleton"):
        check_simulated(given, skeleton=False)


def test_a_rate_is_a_kernels_time_over_its_flops_at_the_width_of_its_rows() -> None:
    part = study().workload.part(Measuring)
    times = {"items": 1.0, "flops": 4e6, "bytes": 1e6, "seconds": 2e-3}
    timed = {part.cases()[0]: {"kernels": {"analysis": times, "advance": times, "other": times}}}
    rates = part.rates(timed)
    assert rates.keys() == {"legendre_analysis", "spectral_advance"}
    assert rates["legendre_analysis"].sizes == (22.0,)  # T21 with one level
    assert rates["legendre_analysis"].seconds == (5e-10,)
    assert rates["spectral_advance"].seconds == (2e-9,)
    kernel = {"name": "analysis", **times}
    (term,) = study().workload.part(Kernels).terms(study(levels=3).model, kernel, 4)
    assert (term.name, term.amount, term.size) == ("legendre_analysis", 4e6, 33.0)


def test_records_have_a_column_for_each_level() -> None:
    given = study({"stations": [[0, 0], [1, 2]], "maps_every": 2}, levels=3)
    rows = row_layout(given)
    assert rows["mass"].shape == (3,)
    assert rows["stations"].shape == (2, 3)
    assert "l2" not in rows
    maps = snapshot_layout(given)
    assert maps["maps/1/surface"].shape == (3, 16, 32)
    assert maps["spectra/4/kinetic_energy"].shape == (3, 11)
    assert {name.split("/")[1] for name in maps} == {"1", "3", "4"}


def test_a_fault_names_the_level() -> None:
    record = {name: np.ones(3) for name in ("mass", "energy", "potential_enstrophy")}
    assert fault_of(study(levels=3), record) == ""
    record["energy"][2] = np.nan
    says(fault_of(study(levels=3), record), "level 2", "range of numbers", "900")
    # Case 1 has no energy.
    assert fault_of(study(levels=3, case="williamson-1"), record) == ""


def written(path: Path, **changes: Any) -> Path:
    fields = {name: np.ones((16, 32)) for name in ("u", "v", "h")} | changes
    with h5py.File(path, "w") as file:
        for name, values in fields.items():
            if values is not None:
                file[name] = values
    return path


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        ({"h": None}, ("no dataset h",)),
        ({"u": np.ones((32, 16))}, ("u", "32 × 16", "16 × 32")),
        ({"v": np.ones((2, 16, 32))}, ("v", "2 × 16 × 32", "3 × 16 × 32")),
        ({"mountain": np.ones((3, 16, 32))}, ("mountain", "3 × 16 × 32")),
        ({"latitude": np.linspace(90, -90, 16)}, ("latitudes", "16")),
        ({"u": np.full((16, 32), np.nan)}, ("finite",)),
        ({"u": np.full((16, 32), 700.0)}, ("sphere.timestep", "900", "700")),
    ],
)
def test_a_file_of_another_grid_is_refused(
    tmp_path: Path, changes: dict[str, Any], facts: tuple[str, ...]
) -> None:
    good = written(tmp_path / "good.h5")
    check_schedule(study(case="file", levels=3, file=str(good)))
    bad = written(tmp_path / "bad.h5", **changes)
    with refused(*facts):
        check_schedule(study(case="file", levels=3, file=str(bad)))


def test_a_missing_file_and_a_damaged_one_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text.h5").write_text("no HDF5")
    for name in ("absent.h5", "text.h5"):
        with refused("sphere.file", name):
            check_schedule(study(case="file", file=str(tmp_path / name)))


def test_gaussian_latitudes_integrate_products_exactly() -> None:
    sine, weight = gaussian_latitudes(16)
    assert sine[0] > sine[-1]
    # ∫ μ^30 dμ = 2/31; the highest degree that 16 nodes integrate is 31.
    assert weight @ sine**30 == pytest.approx(2 / 31, rel=1e-13)


def test_coefficients_stand_by_order_and_degree() -> None:
    order, degree = orders_and_degrees(2)
    assert order.tolist() == [0, 0, 0, 1, 1, 2]
    assert degree.tolist() == [0, 1, 2, 1, 2, 2]


def test_mollweide_keeps_areas() -> None:
    east, north = edges_of(64, 128)
    x, y = mollweide_of(east[:, None] - np.pi, north[None, :])
    # The area of each cell by its corners, of the whole map's π/2, beside its share of the sphere.
    (a, b), (c, d) = ((p[1:, 1:] - p[:-1, :-1], p[:-1, 1:] - p[1:, :-1]) for p in (x, y))
    area = 0.5 * np.abs(a * d - b * c) / (math.pi / 2)
    share = np.diff(np.sin(north)) / 2 / 128
    # Straight edges leave out the curvature of meridians, of relative order h² = (π/64)² = 2.4e-3,
    # less at low latitudes.
    np.testing.assert_allclose(area[:, 8:-8], np.tile(share[8:-8], (128, 1)), rtol=2.4e-3)


def test_netcdf_is_refused_in_a_sentence_where_its_package_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("phasewise.workloads.sphere.netcdf.find_spec", lambda _name: None)
    with refused("records.netcdf", "h5netcdf", "phasewise[netcdf]"):
        check_installed()


@pytest.fixture
def written_map(tmp_path: Path) -> Path:
    """A file with maps of two levels, whose values count from 0, an hour after the start."""
    pytest.importorskip("h5netcdf", reason="h5netcdf is not installed")
    path = tmp_path / "maps" / "map.nc"
    maps = dict.fromkeys(("surface", "u"), VALUES)
    write_netcdf(path, study(levels=2).model, "a title", 3600.0, maps)
    return path


VALUES = np.arange(2 * 16 * 32, dtype=np.float64).reshape(2, 16, 32)


def test_a_map_is_a_file_by_the_cf_conventions(written_map: Path) -> None:
    import h5netcdf

    with h5netcdf.File(written_map) as found:
        assert found.attrs["Conventions"] == "CF-1.10"
        wind = found.variables["u"]
        assert wind.dimensions == ("time", "level", "latitude", "longitude")
        np.testing.assert_array_equal(wind[0], VALUES)
        assert dict(wind.attrs)["standard_name"] == "eastward_wind"
        assert "standard_name" not in dict(found.variables["surface"].attrs)
        units = {name: found.variables[name].attrs["units"] for name in ("latitude", "longitude")}
        assert units == {"latitude": "degrees_north", "longitude": "degrees_east"}


def test_xarray_opens_a_map(written_map: Path) -> None:
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
    with xarray.open_dataset(written_map) as found:
        assert found["u"].dims == ("time", "level", "latitude", "longitude")
        np.testing.assert_array_equal(found["u"].values[0], VALUES)
        assert str(found["time"].values[0]).startswith("2000-01-01T01:00")


def test_check_shows_grid_and_stations(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "study.toml"
    path.write_text(
        'workload = "sphere"\ntimesteps = 1\n[sphere]\ncase = "williamson-5"\ntruncation = 42\n'
        "timestep = 900.0\n[records]\nstations = [[40.46, 255.94]]\n"
    )
    assert main(["check", str(path)]) == 0
    says(capsys.readouterr().out, "64 × 128", "946", "3581", "40.46° N")
    assert main(["check", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["stations"] == [[pytest.approx(40.46, abs=0.01), 255.9375]]


def test_an_amplitude_is_a_number() -> None:
    with pytest.raises(StudyError, match=r"amplitudes\[2\]"):
        study(levels=2, amplitudes=[1.0, "x"])


def test_a_study_that_any_timestep_suits_names_no_limit() -> None:
    own = study(case="williamson-2", amplitudes=[0.0], levels=1, rotation=0.0).model
    assert own.largest_timestep == math.inf and "stable" not in own.sentence


def test_one_latitude_is_refused_with_the_least_number() -> None:
    with refused("sphere.latitudes = 1", "the nearest even one is 2"):
        study(latitudes=1)
