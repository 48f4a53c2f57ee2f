"""The report of space charge, and what a scan of it shows."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import pytest

import phasewise
from phasewise.cli import main
from phasewise.errors import RunError
from phasewise.report.figure import Drawing, Missing
from phasewise.report.style import picture_style
from phasewise.runs.results import Results
from phasewise.study import Study
from phasewise.workloads.common.noise_by_number import LEAST_TURNS
from phasewise.workloads.spacecharge.report.ring_run import RingRun
from phasewise.workloads.spacecharge.report.tables import result_tables, study_tables, tune_tables
from phasewise.workloads.spacecharge.reporting import SpaceChargeReporting
from phasewise.workloads.spacecharge.scanning import SpaceChargeScanning
from phasewise.workloads.spacecharge.summary import SpaceChargeSummary
from tests.sentences import says
from tests.unit.spacecharge_study import study
from tests.unit.test_tune_shift import channel, scraped

pytest.importorskip("phasewise._core", reason="the core is not built")

PICTURES = {
    *("emittances", "sizes", "centroids", "losses", "footprint", "lattice"),
    *("phase-space", "density"),
}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """A run of a bunch that is tracked, dumped and measured at a monitor."""
    element = channel()["lattice"]["element"]
    tables = channel(
        turns=70,
        lattice={"element": [*element, {"kind": "monitor"}]},
        records={"tracked": 60, "particles_every": 35},
    )
    return phasewise.run(Study.from_dict(tables), out=tmp_path_factory.mktemp("runs") / "a")


def test_a_report_has_the_noise_floor_on_request(tmp_path: Path) -> None:
    folder, page = tmp_path / "run", tmp_path / "page.html"
    phasewise.run(study("turns=3", "bunch.macroparticles=400", "solver.grid=[8, 8, 8]"), out=folder)
    assert main(["report", str(folder), "-o", str(page), "--noise", str(LEAST_TURNS)]) == 0
    title = f"Emittance growth per turn, 2 seeds, {LEAST_TURNS} turns"
    says(page.read_text(), "Noise of the macroparticles", title, "noise floor of the study")


def test_a_report_draws_all_pictures(ran: Results) -> None:
    run = RingRun(ran.folder)
    drawn = {}
    with picture_style():
        for chapter in SpaceChargeReporting.CHAPTERS:
            drawn |= {name: draw(run) for name, _, draw in chapter.figures}
    assert set(drawn) == PICTURES
    losses = drawn.pop("losses")
    assert isinstance(losses, Missing)
    says(losses.sentence, "No particle was lost")
    assert all(isinstance(one, Drawing) for one in drawn.values())
    says(drawn["footprint"].caption, "60 tracked particles", "rms spread")
    says(drawn["lattice"].caption, "monitors in turn 69")
    figure, ax = plt.subplots()
    assert ran.plot.lattice(ax).shape == (4, 1)
    plt.close(figure)
    assert {name.replace("-", "_") for name in PICTURES} <= set(dir(ran.plot))


def test_a_report_has_the_tables_of_a_ring(ran: Results) -> None:
    run = RingRun(ran.folder)
    tables = {one.title: one for one in study_tables(run) + result_tables(run) + tune_tables(run)}
    rows = {row[0]: row for table in tables.values() for row in table.rows}
    assert rows["bunch_length [m]"][1] == "1"
    tunes = tables["Tunes"].rows[0]
    ring = run.ring
    assert ring is not None and ring.shift is not None
    assert float(tunes[5].replace("\N{MINUS SIGN}", "-")) == pytest.approx(ring.shift[0], rel=1e-2)
    assert "±" in tables["Emittances"].rows[0][3]


def test_losses_are_drawn_by_place(tmp_path: Path) -> None:
    results = phasewise.run(Study.from_dict(scraped()), out=tmp_path / "run")
    history, places = results.plot.losses()[0]
    assert places.get_xlabel() == "s [m]"
    heights = [path.vertices[1, 1] for path in places.collections[0].get_paths()]
    assert heights == results.beam(1).losses_at.sum(axis=0).tolist()
    assert "collimator" in [text.get_text() for text in places.texts]
    assert history.lines[0].get_ydata()[-1] == results.beam(1).losses[-1]
    with pytest.raises(RunError, match="no periodic optics"):
        results.plot.footprint()


def test_a_scan_shows_tune_shifts_emittances_and_losses(ran: Results) -> None:
    summary = SpaceChargeSummary(ran.workload).summarise(ran)
    shown = SpaceChargeScanning(ran.workload).headlines(summary)
    assert list(shown.values()) == [
        *("Laslett tune shift x", "Laslett tune shift y"),
        *("tune spread x, rms", "emittance x, last [m]", "growth of ε x, per turn"),
        *("tune spread y, rms", "emittance y, last [m]", "growth of ε y, per turn"),
        "macroparticles lost",
    ]
    for name in shown:
        value = summary
        for step in name.split("."):
            value = value[int(step)] if isinstance(value, list) else value[step]
        assert isinstance(value, float | int)
