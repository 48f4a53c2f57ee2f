"""What a run of gas dynamics shows: its summary, its snapshots, its pictures; and arrays that
Python hands over.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

pytest.importorskip("phasewise._core", reason="the core is not built")

import phasewise
from phasewise.cli import main
from phasewise.errors import RunError
from phasewise.report.figure import Missing
from phasewise.report.reported_run import ReportedRun
from phasewise.runs.summary import summarise
from phasewise.workloads.hydro import Hydro, pictures
from phasewise.workloads.hydro.model import model_of
from phasewise.workloads.hydro.planes import corners, fields, gradient_size
from tests.sentences import says


def study(
    records: dict[str, Any] | None = None, timesteps: int = 1000, **own: Any
) -> phasewise.Study:
    return phasewise.Study.from_dict(
        {
            "workload": "hydro",
            "timesteps": timesteps,
            "hydro": {"problem": "sod", "zones": [32], "until": 0.1} | own,
            "records": records or {},
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tube in two axes with four snapshots, compared with its solution each timestep."""
    path = tmp_path_factory.mktemp("hydro") / "run"
    phasewise.run(study({"snapshots": 4, "l1_every": 1}, zones=[32, 8]), out=path).close()
    return path


@pytest.fixture
def run(folder: Path) -> Iterator[ReportedRun]:
    found = ReportedRun(folder)
    yield found
    found.close()


def test_a_summary_has_what_scripts_rely_on(folder: Path) -> None:
    with phasewise.open_results(folder) as results:
        found = summarise(results)
        assert found["time"] == 0.1
        assert found["mass"] == pytest.approx(0.5625 * 0.25, rel=1e-14)
        assert found["energy"] == pytest.approx(1.375 * 0.25, rel=1e-14)
        assert found["floors"] == {"density": 0, "pressure": 0}
        assert 0 < found["l1"] < 0.02
        assert np.isfinite(results.rows("l1")).all()
    with phasewise.run(study(problem="blast-waves", until=1e-3)) as other:
        assert summarise(other)["l1"] is None


@pytest.mark.parametrize(
    "own",
    [{"gravity": "uniform", "acceleration": [0.5, 0.0, 0.0]},
     {"problem": "sedov", "coordinates": "spherical", "gravity": "point-mass", "point_mass": 1.0}],
)  # fmt: skip
def test_a_gas_in_gravity_has_no_known_solution(own: dict[str, Any]) -> None:
    with phasewise.run(study(timesteps=2, **own)) as results:
        assert not results.holds("l1")
        assert summarise(results)["l1"] is None


def test_snapshots_are_at_equal_distances_in_time(folder: Path) -> None:
    with phasewise.open_results(folder) as results:
        step = float(np.max(results.rows("dt")))
        late = results.snapshot_time - 0.1 * np.arange(1, 5) / 4
        assert (late >= -1e-12).all() and (late < step).all() and late[-1] == 0.0
        density = results.fields("density")
        assert density.shape == (4, 32, 8)
        # The field depends on the first axis alone.
        assert (density == density[:, :, :1]).all()
        with pytest.raises(ValueError, match="velocity3"):
            results.fields("velocity3")
    with phasewise.run(study()) as bare, pytest.raises(RunError, match=r"records\.snapshots"):
        bare.fields("density")


def test_a_resumed_run_keeps_its_snapshots(tmp_path: Path, capsys: Any) -> None:
    """The run has fewer timesteps than snapshots: several are due at once, and some have numbers
    above those of the timesteps.
    """
    text = (
        'workload = "hydro"\ntimesteps = {}\n[hydro]\nproblem = "sod"\nzones = [8]\nuntil = 0.2\n'
        "[records]\nsnapshots = 40\ncheckpoint_every = 2\n"
    )
    path = tmp_path / "study.toml"
    found = {}
    for name, counts in (("whole", (100,)), ("parts", (3, 100))):
        for count in counts:
            path.write_text(text.format(count))
            resume = ["--resume"] if count != counts[0] else []
            words = ["run", str(path), "--quiet", "--out", str(tmp_path / name), *resume]
            assert main(words) == 0, capsys.readouterr().err
        with phasewise.open_results(tmp_path / name) as results:
            found[name] = (results.snapshots("snapshots"), results.fields("density"))
    assert found["whole"][0] == found["parts"][0]
    assert (found["whole"][1] == found["parts"][1]).all()
    assert len(found["whole"][0]) < 40 and found["whole"][0][-1] == 39


def test_pictures_show_profiles_and_fields_or_say_what_they_need(run: ReportedRun) -> None:
    profiles = pictures.draw_profiles(run)
    assert not isinstance(profiles, Missing)
    says(profiles.caption, "beside the solution", "t = 0.1", "middle of the others")
    for draw in (pictures.draw_conserved, pictures.draw_timesteps, pictures.draw_errors):
        assert not isinstance(draw(run), Missing)
    absent = pictures.draw_space_time(run)
    assert isinstance(absent, Missing)
    says(absent.sentence, "one axis alone")
    density = fields()[0]
    assert density.turns(run) == [0, 1, 2, 3]
    snapshot = density.snapshot(run, 3)
    assert (snapshot.values.shape, snapshot.time) == ((32, 8), "t = 0.1")
    assert (snapshot.x[-1], snapshot.y[-1]) == (1.0, 0.25)


def test_a_run_that_ends_before_its_first_snapshot_says_when_that_was_due(tmp_path: Path) -> None:
    phasewise.run(study({"snapshots": 2}, timesteps=2), out=tmp_path / "run").close()
    early = ReportedRun(tmp_path / "run")
    absent = pictures.draw_profiles(early)
    early.close()
    assert isinstance(absent, Missing)
    says(absent.sentence, "2 snapshots", "t = 0.05", "hydro.until = 0")


def test_a_report_draws_films_of_the_fields(folder: Path, tmp_path: Path) -> None:
    assert main(["report", str(folder), "--output", str(tmp_path / "report.html")]) == 0
    made = {path.name for path in tmp_path.rglob("*.png")}
    assert {"density.png", "density-film.png", "schlieren-film.png", "profiles.png"} <= made


def test_zones_of_curvilinear_coordinates_are_drawn_where_they_are() -> None:
    cylinder = model_of(study(problem="sedov", coordinates="cylindrical", zones=[4, 8]))
    x, y = corners(cylinder)
    assert (x.shape, y.shape) == ((5, 9), (5, 9))
    assert (x[-1, 2], y[-1, 2]) == (pytest.approx(0.0, abs=1e-15), pytest.approx(1.2))
    sphere = model_of(study(problem="evh1", zones=[4, 8]))
    x, y = corners(sphere)
    # From the pole to the pole, to the right of the axis.
    assert (x[-1, 0], y[-1, 0], y[-1, -1]) == (0.0, 1.2, pytest.approx(-1.2))
    assert (x >= -1e-15).all()


def test_the_gradient_along_an_angle_is_that_of_a_length() -> None:
    own = model_of(study(problem="sedov", coordinates="cylindrical", zones=[32, 256]))
    r = (np.arange(32) + 0.5) * 1.2 / 32
    angle = (np.arange(256) + 0.5) * 2 * np.pi / 256
    # ρ = x has |∇ρ| = 1. Central differences of cos θ are wrong by Δθ²/6 = 1e-4.
    size = gradient_size(own, r[:, None] * np.cos(angle))
    assert size[:, 1:-1] == pytest.approx(1.0, abs=1.1e-4)


def test_arrays_are_those_of_a_file_and_take_several_steps(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    density, pressure = 1 + 0.1 * random.random((2, 12, 8))
    speeds = 0.1 * random.normal(size=(2, 12, 8))
    with h5py.File(tmp_path / "start.h5", "w") as file:
        file["density"], file["pressure"] = density, pressure
        file["velocity1"], file["velocity2"] = speeds
    given = study(
        {"snapshots": 1}, problem="file", file=str(tmp_path / "start.h5"), zones=[12, 8],
        boundaries="periodic", gamma=1.3,
    )  # fmt: skip
    gas = Hydro(density, pressure, speeds, boundaries="periodic", gamma=1.3)
    gas.advance(0.1)
    with phasewise.run(given) as results:
        assert (results.fields("density")[-1] == gas.density).all()
        assert (results.fields("velocity2")[-1] == gas.velocity[1]).all()
        assert gas.timesteps == len(results) and gas.time == 0.1
    gas.advance(0.15)
    assert gas.density.mean() == pytest.approx(density.mean(), rel=1e-14)
    assert gas.record["time"] == gas.time == 0.15
    with pytest.raises(ValueError, match="after the time"):
        gas.advance(0.1)


def test_vacuum_is_floored_and_counted() -> None:
    x = (np.arange(40) + 0.5) / 40
    gas = Hydro(np.where(x < 0.5, 1.0, 0.0), np.where(x < 0.5, 1.0, 0.0), courant=0.5)
    gas.advance(0.02)
    assert gas.record["floors"][0] >= 20 and gas.density.min() >= 1e-12
    for wrong, what in ((-1.0, "negative"), (np.nan, "finite")):
        with pytest.raises(ValueError, match=what):
            Hydro(np.where(x < 0.5, 1.0, wrong), np.ones(40))
    with pytest.raises(ValueError, match="shape"):
        Hydro(np.ones(8), np.ones(9))


def test_a_runs_json_has_the_names_of_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "study.toml"
    path.write_text('workload = "hydro"\ntimesteps = 3\n[hydro]\nproblem = "sod"\nzones = [16]\n')
    assert main(["run", str(path), "--quiet", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"time", "mass", "energy", "floors", "l1"} <= found.keys()
    assert found["timesteps"] == 3 and found["time"] < 0.2
