"""What a run of an ocean shows: its summary, its snapshots, its pictures; and fields of a file."""

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
from phasewise.report import figure
from phasewise.report.figure import Missing
from phasewise.report.reported_run import ReportedRun
from phasewise.runs.summary import summarise
from phasewise.workloads.ocean import pictures
from phasewise.workloads.ocean.planes import fields
from tests.sentences import command_refused, says

NX, NY, NZ = 24, 20, 3


def study(records: dict[str, Any] | None = None, timesteps: int = 4, **own: Any) -> phasewise.Study:
    table = {"grid": [NX, NY, NZ], "solver": "chrongear", "preconditioner": "diagonal"}
    return phasewise.Study.from_dict(
        {
            "workload": "ocean",
            "timesteps": timesteps,
            "ocean": table | own,
            "records": records or {},
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of four timesteps with two snapshots."""
    path = tmp_path_factory.mktemp("ocean") / "run"
    phasewise.run(study({"snapshots_every": 2}), out=path).close()
    return path


@pytest.fixture
def run(folder: Path) -> Iterator[ReportedRun]:
    found = ReportedRun(folder)
    yield found
    found.close()


def test_a_summary_has_what_scripts_rely_on(folder: Path) -> None:
    with phasewise.open_results(folder) as results:
        found = summarise(results)
        rows = np.asarray(results.rows("iterations"))
    assert found["solver"]["iterations"] == rows.sum()
    assert found["solver"]["iterations_per_solve"] == rows.mean()
    assert 0 < found["solver"]["residual"] <= 1e-13
    # A round number of cells have volumes of some 1e13 m³; their sum changes by rounding alone.
    assert abs(found["volume_change"]) < 1e-13
    assert {"volume", "kinetic_energy", "largest_speed", "mean_temperature"} <= found.keys()


def test_snapshots_are_maps_and_a_section_with_land_as_nan(folder: Path) -> None:
    with phasewise.open_results(folder) as results:
        assert results.snapshot_time.tolist() == [3600.0, 7200.0]
        surface, warm = results.maps("surface"), results.maps("temperature")
        section = results.maps("temperature_section")
        assert surface.shape == warm.shape == (2, NY, NX) and section.shape == (2, NZ, NY)
        land = np.isnan(surface[0])
        assert 0 < land.sum() < NX * NY and (np.isnan(warm[1]) == land).all()
        column = int(results.array("snapshots/3/column")[0])
        assert np.array_equal(section[1, 0], warm[1, :, column], equal_nan=True)
        assert results.edges[0][[0, -1]].tolist() == [0.0, 360.0]
        with pytest.raises(ValueError, match="salt"):
            results.maps("salt")
    with phasewise.run(study(timesteps=2)) as bare, pytest.raises(RunError, match="snapshots"):
        bare.maps("surface")


def test_pictures_show_the_land_and_the_solver(run: ReportedRun) -> None:
    for draw in (pictures.draw_mask, pictures.draw_residuals, pictures.draw_iterations,
                 pictures.draw_conserved):  # fmt: skip
        assert not isinstance(draw(run), Missing)
    mask = pictures.draw_mask(run)
    assert not isinstance(mask, Missing)
    says(mask.caption, "1 block")
    surface, _, _, section = fields()
    assert surface.turns(run) == [1, 3]
    assert surface.snapshot(run, 1).values.shape == (NX, NY)
    shown = section.snapshot(run, 3)
    assert shown.values.shape == (NY, NZ) and shown.y[0] == pytest.approx(-5000.0)
    says(section.note(run), "° E")


def test_a_report_draws_films(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figure, "PNG_RESOLUTION", 40)
    assert main(["report", str(folder), "--output", str(tmp_path / "report.html")]) == 0
    made = {path.name for path in tmp_path.rglob("*.png")}
    wanted = {"mask.png", "residuals.png", "surface-film.png", "temperature-section-film.png"}
    assert wanted <= made


def test_an_ocean_without_levels_has_a_surface_alone(tmp_path: Path) -> None:
    given = study({"snapshots_every": 2}, baroclinic=False)
    with phasewise.run(given, out=tmp_path / "run") as results:
        assert results.maps("surface").shape == (2, NY, NX)
        assert not results.holds("mean_temperature")
    found = ReportedRun(tmp_path / "run")
    missing = fields()[1].turns(found)
    found.close()
    assert isinstance(missing, Missing)
    says(missing.sentence, "ocean.baroclinic")


def test_fields_of_a_file_are_those_at_the_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    flat = {"grid": [8, 6, 2], "geometry": "plane", "extent": [8e5, 6e5], "wind_profile": "none"}
    warm = np.full((2, 6, 8), 12.5)
    with h5py.File(tmp_path / "start.h5", "w") as file:
        file["temperature"] = warm
    given = study(initial_file=str(tmp_path / "start.h5"), **flat)
    simulation = phasewise.Simulation(given)
    assert (simulation.field("temperature") == warm).all()
    assert simulation.field("surface").shape == (6, 8)
    with h5py.File(tmp_path / "start.h5", "w") as file:
        file["temperature"] = np.ones((3, 6, 8))
    path = tmp_path / "study.toml"
    path.write_text(
        'workload = "ocean"\ntimesteps = 1\n[ocean]\ngrid = [8, 6, 2]\ninitial_file = "start.h5"\n'
    )
    command_refused(capsys, ["check", path], "ocean.initial_file", "3 × 6 × 8", "2 × 6 × 8")


def test_check_and_run_refuse_alike(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "study.toml"
    path.write_text(
        'workload = "ocean"\ntimesteps = 3\n[ocean]\ngrid = [16, 12, 2]\ntimestep = 1e5\n'
    )
    for words in (["check", path], ["run", path, "--quiet", "--out", tmp_path / "a"]):
        command_refused(capsys, words, "ocean.timestep = 100000 s", "give at most")
    path.write_text(
        'workload = "ocean"\ntimesteps = 3\n[ocean]\ngrid = [16, 12, 2]\nmost_iterations = 3\n'
        'solver = "pcg"\npreconditioner = "diagonal"\n'
    )
    command_refused(
        capsys, ["run", path, "--quiet", "--out", tmp_path / "b"], "did not converge",
        "3 iterations", "residual", status=1,
    )  # fmt: skip


def test_a_runs_json_has_the_names_of_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "study.toml"
    path.write_text(
        'workload = "ocean"\ntimesteps = 2\n[ocean]\ngrid = [16, 12, 2]\nevp_block = [4, 4]\n'
    )
    assert main(["run", str(path), "--quiet", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["volume"] > 0 and len(found["solver"]["bounds"]) == 2
    assert {"iterations", "residual"} <= found["solver"].keys()
