"""What a run of shallow water shows: its summary, its table, its pictures and its report."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import phasewise
from phasewise.cli import main
from phasewise.report.figure import Missing
from phasewise.report.reported_run import ReportedRun
from phasewise.runs.summary import summarise
from phasewise.workloads.sphere import maps, pictures
from tests.sentences import says

pytest.importorskip("phasewise._core", reason="the core is not built")


def study(case: str, levels: int, maps_every: int, stations: list[list[float]]) -> phasewise.Study:
    return phasewise.Study.from_dict(
        {
            "workload": "sphere",
            "timesteps": 6,
            "sphere": {"case": case, "truncation": 10, "levels": levels, "timestep": 900.0},
            "records": {"maps_every": maps_every, "stations": stations},
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two levels with three maps."""
    path = tmp_path_factory.mktemp("sphere") / "run"
    phasewise.run(study("williamson-5", 2, 2, [[40.46, 255.94]]), out=path).close()
    return path


@pytest.fixture
def run(folder: Path) -> Iterator[ReportedRun]:
    found = ReportedRun(folder)
    yield found
    found.close()


def test_a_summary_has_numbers_of_one_level_and_lists_of_several(folder: Path) -> None:
    with phasewise.open_results(folder) as results:
        several = summarise(results)
        assert several["mass"] == results.rows("mass")[-1].tolist()
        assert several["stations"] == [results.rows("stations")[-1, 0].tolist()]
        assert several["l2"] is None
    with phasewise.run(study("williamson-2", 1, 0, [])) as results:
        one = summarise(results)
        assert 0 <= one["l2"] < 1e-12
        assert (one["mass"], one["stations"]) == (results.rows("mass")[-1, 0], [])
    with phasewise.run(study("williamson-1", 1, 0, [])) as results:
        bell = summarise(results)
        # The bell's mean depth: 500 m over a cap of a third of the radius, times (1 + cos)/1.
        assert bell["mass"] == pytest.approx(1000 * cap_mean(), rel=0.02)
        assert math.isnan(bell["energy"])


def cap_mean() -> float:
    """The mean over the sphere of (1 + cos(3πr))/2 for r < 1/3."""
    r = np.linspace(0, 1 / 3, 2001)
    values = 0.25 * (1 + np.cos(3 * math.pi * r)) * np.sin(r)
    return float(((values[1:] + values[:-1]) / 2).sum() * (r[1] - r[0]))


def test_a_report_shows_maps_in_both_projections_and_films(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(folder), "--json"]) == 0
    made = {path.name for path in (folder / "pictures").iterdir()}
    pictures_of = ("surface", "vorticity", "surface-mollweide", "vorticity-mollweide")
    assert {f"{name}{film}.png" for name in pictures_of for film in ("", "-film")} <= made
    assert {"invariants.png", "spectrum.png", "stations.png"} <= made
    assert "errors.png" not in made
    json.loads(capsys.readouterr().out)
    page = (folder / "report.html").read_text()
    says(page, "T10", "16 × 32, 2 levels", "1.5 h", "Mollweide", "The first of 2 levels")


def test_a_map_stands_north_up_and_from_west_to_east(run: ReportedRun) -> None:
    field = maps.field_of(maps.SURFACE, mollweide=False)
    assert field.turns(run) == [1, 3, 5]
    shown, values = field.snapshot(run, 5), run.results.array("maps/5/surface")[0]
    assert shown.time == "1.5 h"
    assert (shown.y[0], shown.y[-1]) == pytest.approx((-90.0, 90.0))
    assert np.diff(shown.x) == pytest.approx(360 / 32)
    assert shown.values[3, -1] == values[0, 3]
    projected = maps.field_of(maps.SURFACE, mollweide=True).snapshot(run, 5)
    assert np.array_equal(projected.values, shown.values)
    # The map is twice as wide as high, and poles are points.
    assert (projected.x.min(), projected.y.max()) == pytest.approx((-1.0, 0.5), abs=0.04)
    assert np.ptp(projected.x[:, 0]) == pytest.approx(0.0, abs=1e-7)


def test_a_simulation_shows_its_fields_and_results_their_maps(folder: Path, tmp_path: Path) -> None:
    simulation = phasewise.Simulation(study("williamson-5", 2, 0, []))
    # The cone falls from 2000 m to 0 over 20°; its top is on a meridian of the grid.
    away = np.abs(simulation.latitude - 30).min()
    assert simulation.field("mountain").max() == pytest.approx(2000 * (1 - away / 20))
    assert simulation.latitude[0] > 80 > simulation.latitude[-1]
    while simulation.turn < 6:
        simulation.step()
    with phasewise.open_results(folder) as results:
        for name in ("surface", "vorticity", "u", "v"):
            np.testing.assert_array_equal(simulation.field(name), results.maps(name)[-1])
        assert results.map_time.tolist() == [1800.0, 3600.0, 5400.0]
        assert results.time[-1] == 5400.0
        results.film("surface", tmp_path / "film.png")
        assert "vorticity_mollweide" in dir(results.plot)
        with pytest.raises(ValueError, match="surface, vorticity, u, v"):
            results.maps("h")
    with pytest.raises(ValueError, match="vorticity or mountain"):
        simulation.field("w")


def test_a_picture_without_its_records_says_what_it_needs() -> None:
    with phasewise.run(study("williamson-2", 1, 0, [])) as results:
        bare = ReportedRun(results.folder, results=results)
        needs = {
            pictures.draw_spectrum: "records.maps_every",
            pictures.draw_stations: "records.stations",
        }
        for draw, key in needs.items():
            found = draw(bare)
            assert isinstance(found, Missing)
            says(found.sentence, key)
        assert not isinstance(pictures.draw_norms(bare), Missing)


def test_a_picture_of_many_stations_says_which_it_shows() -> None:
    stations = [[latitude, 0.0] for latitude in range(0, 50, 5)]
    with phasewise.run(study("williamson-5", 1, 0, stations)) as results:
        found = pictures.draw_stations(ReportedRun(results.folder, results=results))
    assert not isinstance(found, Missing)
    says(found.caption, "the first 8 of 10 stations")
    assert len(found.canvas.axes[0].lines) == 8
