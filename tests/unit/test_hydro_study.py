"""The workload `hydro`: its keys and defaults, what is refused, and files of arrays."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from phasewise.cli import main
from phasewise.machines import load_machine
from phasewise.runs.choosing import changes
from phasewise.runs.layout import check_schedule, fault_of, snapshot_layout
from phasewise.study import Study
from phasewise.study.laboratory import check_simulated
from phasewise.tuning.candidates import candidates
from phasewise.workload.protocols import comparable
from phasewise.workloads.hydro.model import model_of
from phasewise.workloads.hydro.problems import DEFAULTS, FILE, PROBLEMS
from phasewise.workloads.hydro.recording import due
from tests.sentences import refused, says


def study(
    records: dict[str, Any] | None = None, communication: Any = None, count: int = 5, **own: Any
) -> Study:
    """A small study."""
    return Study.from_dict(
        {
            "workload": "hydro",
            "timesteps": count,
            "hydro": {"problem": "sod", "zones": [64]} | own,
            "records": records or {},
            "communication": communication or {},
        }
    )


def test_every_key_becomes_its_flat_parameter() -> None:
    given = study(
        {"snapshots": 2, "l1_every": 3}, {"overlap": True, "tune": "auto"},
        problem="sedov", coordinates="spherical", zones=[32, 16], high=[2, 1.5], order="xyz",
        gravity="point-mass", point_mass=2, riemann="converged", energy=3,
        boundaries=["reflecting", ["reflecting", "outflow"]],
    )  # fmt: skip
    assert given.parameters().splitlines() == [
        "turns = 5", "seed = 1", "workload = hydro", "hydro.problem = sedov",
        "hydro.zones = 32 16", "hydro.coordinates = spherical", "hydro.low = 0.0 0.0",
        "hydro.high = 2.0 1.5", "hydro.inflow = 1.0 1.0 0.0 0.0 0.0", "hydro.gamma = 1.4",
        "hydro.until = 1.0", "hydro.courant = 0.5", "hydro.riemann = converged",
        "hydro.order = xyz", "hydro.gravity = point-mass", "hydro.density_floor = 1e-12",
        "hydro.pressure_floor = 1e-12", "hydro.ambient_pressure = 1e-06",
        "hydro.boundaries = reflecting reflecting reflecting outflow",
        "hydro.acceleration = 0.0 0.0 0.0", "hydro.point_mass = 2.0", "hydro.amplitude = 0.0",
        "hydro.energy = 3.0", "hydro.radius = 0.1875", "hydro.norms_every = 3",
        "communication.decomposition = slabs", "communication.process_grid = 0 0",
        "communication.transpose = pairwise", "communication.overlap = 1",
        "communication.protocol = irecv-isend", "communication.batch = 16",
        "communication.kernel = fast", "communication.global_sum = recursive-doubling",
        "communication.node_size = 0",
    ]  # fmt: skip


@pytest.mark.parametrize("problem", [one for one in PROBLEMS if one != FILE])
def test_a_problem_has_its_defaults_in_all_its_dimensions(problem: str) -> None:
    usual = DEFAULTS[problem]
    for axes in range(usual.fewest_axes, usual.most_axes + 1):
        for coordinates in usual.coordinates:
            if coordinates == "axisymmetric" and axes != 2:
                continue
            given = study(problem=problem, zones=[16, 8, 8][:axes], coordinates=coordinates)
            assert Study.from_dict(given.resolved()) == given
            assert (model_of(given).gamma, model_of(given).until) == (usual.gamma, usual.until)


def test_further_axes_have_zones_as_wide_as_the_first() -> None:
    own = study(problem="blast-waves", zones=[400, 64]).model
    assert own.zone_widths == (0.0025, 0.0025)
    assert own.boundaries == (("reflecting", "reflecting"), ("periodic", "periodic"))


@pytest.mark.parametrize(
    ("coordinates", "zones", "radius"),
    [("cartesian", [8], 0.5), ("cylindrical", [8, 4], 0.75), ("axisymmetric", [8, 8], 1.0),
     ("spherical", [8, 4, 4], 1.0)],
)  # fmt: skip
def test_an_explosion_has_the_energy_that_brings_its_shock_to_the_published_place(
    coordinates: str, zones: list[int], radius: float
) -> None:
    own = study(problem="sedov", coordinates=coordinates, zones=zones).model
    alpha = {1: 1.077486, 2: 0.984074, 3: 0.851072}[own.symmetry]
    # Kamm and Timmes give the energies with six digits.
    assert (own.energy / alpha) ** (1 / (own.symmetry + 2)) == pytest.approx(radius, rel=2e-4)


def test_a_whole_turn_is_periodic_and_a_part_of_one_has_walls() -> None:
    for reach, ends in ((math.tau, "periodic"), (1.0, "reflecting")):
        own = study(
            problem="sedov", coordinates="cylindrical", zones=[8, 8], high=[1.0, reach]
        ).model
        assert own.boundaries == (("reflecting", "outflow"), (ends, ends))


WALLS = ["reflecting", "outflow"]


@pytest.mark.parametrize(
    ("own", "facts"),
    [
        ({"gamma": 1.0}, ("hydro.gamma = 1", "above 1")),
        ({"courant": 1.2}, ("hydro.courant = 1.2", "at most 1")),
        ({"zones": [64, 3]}, ("hydro.zones[2] = 3", "at least 4")),
        ({"zones": []}, ("hydro.zones", "one to three")),
        ({"zones": [2**20, 2**20, 4]}, ("hydro.zones",)),
        ({"coordinates": "spherical"}, ("spherical", "sod", "cartesian")),
        ({"problem": "sedov", "coordinates": "spherical", "boundaries": "outflow"},
         ("axis r", "low", "singular", "reflecting")),
        ({"problem": "sedov", "coordinates": "spherical", "zones": [16, 8],
          "boundaries": [WALLS, WALLS]}, ("axis θ", "high", "π", "singular")),
        ({"problem": "sedov", "coordinates": "axisymmetric"}, ("axisymmetric", "2")),
        ({"problem": "evh1", "zones": [16, 8], "high": [1, 4]}, ("axis θ", "4", "at most π")),
        ({"problem": "sedov", "coordinates": "cylindrical", "boundaries": [["reflecting",
          "periodic"]]}, ("axis r", "cannot be periodic")),
        ({"boundaries": [["periodic", "outflow"]]}, ("axis x", "both ends")),
        ({"boundaries": [["outflow"]]}, ("hydro.boundaries[1]", "two")),
        ({"boundaries": ["outflow", "outflow"]}, ("hydro.boundaries", "1 in all")),
        ({"low": [1.0]}, ("axis x", "1", "above")),
        ({"low": [0, 0]}, ("hydro.low", "each axis")),
        ({"problem": "kelvin-helmholtz"}, ("1 axis", "2 to 3")),
        ({"problem": "file"}, ("hydro.file",)),
        ({"energy": 1.0}, ("hydro.energy", "sedov", "evh1", "sod")),
        ({"gravity": "uniform"}, ("hydro.acceleration", "uniform")),
        ({"point_mass": 1.0}, ("hydro.point_mass", "point-mass", "none")),
        ({"gravity": "point-mass", "point_mass": 1.0}, ("radius", "cartesian")),
        ({"gravity": "uniform", "acceleration": [0, 1, 0]}, ("hydro.acceleration[2] = 1", "0")),
        ({"boundaries": "inflow", "inflow": [0, 1, 0, 0, 0]}, ("hydro.inflow", "density 0")),
        ({"communication": {"process_grid": "2x2"}}, ("communication.process_grid", "pencils")),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused(own: dict[str, Any], facts: tuple[str, ...]) -> None:
    with refused(*facts):
        study(**own)


def test_a_misspelt_word_gets_the_nearest() -> None:
    with refused("periodical", nearest="periodic"):
        study(boundaries="periodical")
    with refused("blastwaves", nearest="blast-waves"):
        study(problem="blastwaves")


@pytest.mark.parametrize(
    ("zones", "ways", "most", "facts"),
    [
        ([64], {}, 1, ("64", "one axis")),
        ([64, 32], {}, 32, ("64 × 32", "32")),
        ([8, 16, 32], {}, 16, ("8 × 16 × 32", "16", "pencils")),
        ([8, 16, 8], {"decomposition": "pencils"}, 64, ("8 × 16 × 8", "8x8", "64")),
    ],
)
def test_more_ranks_than_can_are_refused(
    zones: list[int], ways: dict[str, Any], most: int, facts: tuple[str, ...]
) -> None:
    given = study(zones=zones, communication=ways)
    given.check_ranks(most)
    with refused(str(most + 1), *facts):
        given.check_ranks(most + 1)


def test_pencils_need_three_axes_and_a_grid_that_the_zones_hold() -> None:
    pencils = {"decomposition": "pencils"}
    with refused("pencils", "three axes", "slabs"):
        study(zones=[64, 64], communication=pencils).check_ranks(2)
    wide = study(zones=[8, 16, 32], communication=pencils | {"process_grid": "16x1"})
    with refused("16x1", "8x16"):
        wide.check_ranks(16)
    with refused("17 ranks", "8x16"):  # of which 1 × 17 and 17 × 1 are the only grids
        study(zones=[8, 16, 32], communication=pencils).check_ranks(17)


def test_a_tuner_compares_each_way_once() -> None:
    found = candidates(study(zones=[32, 32, 32]), 4, load_machine("bassi"))
    tables = [tuple(one.communication().items()) for one in found]
    assert len(set(tables)) == len(tables)
    own = [dict(table) for table in tables]
    assert {one["process_grid"] for one in own if one["decomposition"] == "pencils"} == {
        "2x2", "1x4", "4x1",
    }  # fmt: skip
    under_way = [one["protocol"] for one in own if one["overlap"]]
    assert under_way.count("put") == 4 and set(under_way) == set(comparable())
    assert {one["batch"] for one in own} >= {8, 64} and {one["kernel"] for one in own} == {
        "fast", "plain",
    }  # fmt: skip


def test_a_run_tries_batches_and_kernels_alone_where_nothing_is_sent() -> None:
    plane = study(zones=[64, 64])
    alone = changes(plane, [[1]], levels=False)
    assert {key for change in alone for key in change} == {"batch", "kernel"}
    assert {"overlap": False, "transpose": "ring"} in changes(plane, [[4]], levels=False)
    assert changes(study(), [[1]], levels=False) == []


@pytest.mark.parametrize(
    ("time", "step", "number"),
    [(0.05, 0.01, None), (0.1, 0.01, 0), (0.119, 0.01, None), (0.2, 0.01, 1), (1.0, 0.5, 9)],
)
def test_snapshots_are_due_at_equal_distances_in_time(
    time: float, step: float, number: int | None
) -> None:
    own = model_of(study({"snapshots": 10}, until=1.0))
    assert due(own, 10**6, 7, time, step) == number


def test_without_an_end_snapshots_are_due_at_equal_numbers_of_timesteps() -> None:
    own = model_of(study({"snapshots": 3}, until=0))
    assert [due(own, 9, done, 0.0, 0.0) for done in range(1, 10)] == [
        None, None, 0, None, None, 1, None, None, 2,
    ]  # fmt: skip
    layout = snapshot_layout(study({"snapshots": 2}, zones=[8, 4]))
    assert layout["snapshots/1/velocity2"].shape == (8, 4)
    assert "snapshots/1/velocity3" not in layout


def test_a_gas_that_left_the_range_of_numbers_is_a_fault() -> None:
    record = {"mass": 1.0, "energy": 1.0, "mach": 0.5}
    assert fault_of(study(), record) == ""
    says(fault_of(study(), record | {"energy": math.nan}), "range of numbers", "hydro.courant")


def written(path: Path, **changes: Any) -> Path:
    fields = {"density": np.ones((8, 4)), "pressure": np.ones((8, 4))} | changes
    with h5py.File(path, "w") as file:
        for name, values in fields.items():
            if values is not None:
                file[name] = values
    return path


def with_one(value: float) -> Any:
    """Ones, and this value in zone [5, 2]."""
    found = np.ones((8, 4))
    found[5, 2] = value
    return found


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        ({"pressure": None}, ("no dataset pressure",)),
        ({"density": np.ones((4, 8))}, ("another grid", "4 × 8", "8 × 4")),
        ({"velocity3": np.ones((8, 4))}, ("velocity3", "2 axes")),
        ({"density": with_one(-0.5)}, ("density of -0.5", "[5, 2]", "negative")),
        ({"pressure": with_one(-1.0)}, ("pressure of -1", "[5, 2]")),
        ({"velocity1": with_one(math.nan)}, ("velocity1", "[5, 2]", "finite")),
    ],
)
def test_a_file_that_does_not_suit_is_refused(
    tmp_path: Path, changes: dict[str, Any], facts: tuple[str, ...]
) -> None:
    own: dict[str, Any] = {"problem": "file", "zones": [8, 4]}
    check_schedule(study(file=str(written(tmp_path / "good.h5")), **own))
    with refused("hydro.file", *facts):
        check_schedule(study(file=str(written(tmp_path / "bad.h5", **changes)), **own))


def test_a_missing_file_and_a_damaged_one_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text.h5").write_text("no HDF5")
    for name in ("absent.h5", "text.h5"):
        with refused("hydro.file", name):
            check_schedule(study(problem="file", file=str(tmp_path / name)))


def test_arrays_of_a_file_cannot_be_simulated_but_their_messages_can() -> None:
    given = study(problem="file", file="start.h5")
    check_simulated(given, skeleton=True)
    with refused("hydro.file", "--skeleton"):
        check_simulated(given, skeleton=False)


def test_check_shows_the_grid_and_says_what_a_file_has_below_the_floors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written(tmp_path / "start.h5", density=with_one(0.0))
    path = tmp_path / "study.toml"
    path.write_text(
        'workload = "hydro"\ntimesteps = 1\n[hydro]\nproblem = "file"\nfile = "start.h5"\n'
        "zones = [8, 4]\n"
    )
    assert main(["check", str(path)]) == 0
    found = capsys.readouterr()
    says(found.out, "8 × 4 zones of 0.125 × 0.125")
    says(found.err, "1 zone", "hydro.density_floor")
    assert main(["check", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["derived"]["zone_count"] == 32
