"""What a person does in Python: keys changed, pictures on axes, luminosities per second."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import matplotlib.pyplot as plt
import numpy as np
import pytest

import phasewise
from phasewise.constants import SPEED_OF_LIGHT
from phasewise.report.style import picture_style
from phasewise.runs.results import Results
from phasewise.study import Study
from phasewise.tables.writing import document
from phasewise.workloads.collision.report import luminosity
from phasewise.workloads.collision.report.beams_run import BeamsRun
from tests.sentences import Nearest, refused
from tests.unit.study_tables import RF, build, tables
from tests.unit.synthetic_communication import write_communication
from tests.unit.synthetic_run import write_run


def test_replaced_keys_are_those_of_a_study_that_was_given_them() -> None:
    study = build()
    other = study.replace(turns=7, **{"ip.1.slices": np.int64(16), "beam.2.offset_sigma": [1] * 6})
    assert other == build(turns=7, ip__1__slices=16, beam__2__offset_sigma=[1] * 6)
    assert study == build()
    assert study.with_count(9).replace(seed=5) == build(turns=9, seed=5)


def test_tables_numbered_with_integers_are_changed_too() -> None:
    given = tables()
    given["ip"] = {1: given["ip"]["1"]}
    study = Study.from_dict(given)
    given["ip"][1]["slices"] = 5
    assert study.replace(title="x").ips[0].slices == (4, 4)
    assert study.replace(**{"ip.1.slices": 8}).ips[0].slices == (8, 8)


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        ({"ip.1.slice": 4}, ("ip.1", '"slice"', Nearest("slices"))),
        ({"ip.1.slices": 0}, ("ip.1.slices = 0", 1)),
        ({"ip.1.slices.x": 4}, ("ip.1.slices", 4, "table")),
    ],
)
def test_a_key_that_cannot_be_replaced_is_one_sentence(
    changes: dict[str, Any], facts: tuple[object, ...]
) -> None:
    with refused(*facts):
        build().replace(**changes)


@pytest.mark.parametrize("changes", [{}, RF, {"title": 'quotes ", \\ and σ\n'.strip()}])
def test_a_study_written_for_ranks_is_read_as_the_same(
    tmp_path: Path, changes: dict[str, Any]
) -> None:
    study = build(**changes)
    file = tmp_path / "study.toml"
    file.write_text(document(study.resolved()), encoding="utf-8")
    assert phasewise.load(file) == study


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Results of a run that recorded all but particles and fields."""
    folder = tmp_path_factory.mktemp("run")
    changes = {"records__particles_every": 0, "records__field": False}
    write_run(folder, turns=101, **changes)
    write_communication(folder)
    with Results(folder) as found:
        yield found
    plt.close("all")


def test_luminosity_per_second_is_that_of_all_bunches(results: Any, tmp_path: Path) -> None:
    frequency = SPEED_OF_LIGHT / 26658.883  # of 7 TeV protons, to 1e-8
    expected = results.luminosity * 2808 * frequency * 1e-4
    np.testing.assert_allclose(results.luminosity_rate, expected, rtol=1e-7)
    write_run(tmp_path, turns=2, ring={}, records__particles_every=0)
    with refused("ring.bunches", "ring.circumference", by=phasewise.RunError):
        _ = Results(tmp_path).luminosity_rate


def test_pictures_are_drawn_on_given_axes_on_parts_of_them_or_on_new_ones(results: Any) -> None:
    figure, (left, right) = plt.subplots(1, 2)
    assert results.plot.luminosity(ax=left) is left and left.lines
    assert results.plot.emittances(right).shape == (3, 1)
    assert plt.get_fignums() == [figure.number]
    made = results.plot.pair_luminosity()
    assert made.shape == (1, 2) and made[0, 0].figure is not figure
    _, given = plt.subplots(2, 1)
    np.testing.assert_array_equal(results.plot.centroids(given), given[:, None])
    with refused("2 x 1 panels", "ax", 3, by=ValueError):
        results.plot.centroids(plt.subplots(1, 3)[1])
    figure.draw_without_rendering()


def test_a_picture_from_python_is_the_one_of_the_report(results: Any) -> None:
    ours = results.plot.luminosity()
    with picture_style():
        drawn = luminosity.draw_luminosity(BeamsRun(results.folder))
    theirs = drawn.canvas.axes[0]
    for one, other in zip(ours.lines, theirs.lines, strict=True):
        np.testing.assert_array_equal(one.get_xydata(), other.get_xydata())


def test_pictures_are_listed_and_what_was_not_recorded_is_asked_for(results: Any) -> None:
    assert {"luminosity", "phase_space", "spectra", "volume"} <= set(dir(results.plot))
    assert results.plot.size().shape == results.plot.sizes().shape
    for draw, facts in (
        (results.plot.density, ("records.particles_every",)),
        (results.plot.losses, ("particle", "lost", "mesh")),
        (results.plot.waterfall, ("turns = 512",)),
        (results.plot.phase_times, ("--compare",)),
    ):
        with refused(*facts, by=phasewise.RunError):
            draw()
    assert results.plot.phase_times(compare=[results.folder]).shape == (1, 2)
    with refused("'nothing'", "dir(results.plot)", by=AttributeError):
        _ = results.plot.nothing


def test_a_turn_s_record_has_the_names_of_the_datasets(results: Any) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    simulation = phasewise.Simulation(build(records__tracked=3))
    simulation.step()
    record = simulation.record()
    with h5py.File(results.path, locking=False) as file:
        names = [f"{beam}/{name}" for beam in ("beam1", "beam2") for name in file[beam]]
    for name in names:
        np.testing.assert_array_equal(record[name], record[name.removeprefix("beam")])
        assert hasattr(results.beam(1), name.removeprefix("beam1/").removeprefix("beam2/"))
    variances = np.diagonal(record["beam2/covariance"])[::2]
    np.testing.assert_array_equal(record["beam2/size"], np.sqrt(variances))
    assert record["luminosity_rate"].shape == record["luminosity"].shape == (1,)


def test_no_tracked_particles_are_an_empty_entry_as_in_the_records() -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    simulation = phasewise.Simulation(build(records__tracked=0))
    simulation.step()
    assert simulation.record()["beam1/tracked"].shape == (0, 6)


def test_the_package_says_that_it_is_typed() -> None:
    assert Path(phasewise.__file__).with_name("py.typed").is_file()
