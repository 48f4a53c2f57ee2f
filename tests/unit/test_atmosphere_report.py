"""What a run of an atmosphere's columns shows: its summary, its snapshots, its pictures, and where
the best scheme changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("phasewise._core", reason="the core is not built")

import phasewise
from phasewise.machines import load_machine
from phasewise.report.figure import Drawing, Missing
from phasewise.report.reported_run import ReportedRun
from phasewise.runs.summary import summarise
from phasewise.workloads.atmosphere import crossover_picture, pictures, seasons
from phasewise.workloads.atmosphere.crossover import Crossover, cross_over, with_bandwidth
from phasewise.workloads.atmosphere.driver import schedule_of
from phasewise.workloads.atmosphere.maps import fields, hour_text, study_of, study_on_nodes
from phasewise.workloads.atmosphere.model import model_of
from phasewise.workloads.atmosphere.reporting import AtmosphereReporting
from tests.sentences import missing, says

GRID = [8, 16]


def study(ways: Any = None, **own: Any) -> phasewise.Study:
    return phasewise.Study.from_dict(
        {
            "workload": "atmosphere",
            "timesteps": 4,
            "atmosphere": {"grid": GRID, "levels": 5, "timestep": 3600.0} | own,
            "records": {"snapshots_every": 2},
            "communication": ways or {},
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four hours on one rank, with snapshots."""
    path = tmp_path_factory.mktemp("atmosphere") / "run"
    phasewise.run(study(), out=path).close()
    return path


@pytest.fixture
def run(folder: Path) -> Iterator[ReportedRun]:
    found = ReportedRun(folder)
    yield found
    found.close()


@pytest.fixture
def on_four_ranks(run: ReportedRun, monkeypatch: pytest.MonkeyPatch) -> ReportedRun:
    """The run as if it had been on four ranks."""
    for module in (pictures, seasons, crossover_picture):
        monkeypatch.setattr(module, "ranks_of", lambda _run: 4)
    return run


def test_a_summary_has_what_scripts_rely_on(folder: Path) -> None:
    with phasewise.open_results(folder) as results:
        found = summarise(results)
        assert found["load_before"] == found["load_after"] == 1.0
        assert found["moved"] == found["bytes"] == 0
        assert 0 <= found["energy_residual"] < 1e-9
        assert 200 < found["temperature"] < 300
        assert (np.asarray(results.rows("lit")) == np.prod(GRID) / 2).all()
        np.testing.assert_array_equal(results.time, [13.0, 14.0, 15.0, 16.0])


def test_snapshots_are_maps_from_the_south(folder: Path) -> None:
    with phasewise.open_results(folder) as results:
        surface = results.maps("surface_temperature")
        assert surface.shape == (2, *GRID)
        # The reference climate is the warmest at the equator.
        assert surface[:, 3:5].mean() > surface[:, [0, -1]].mean() + 10
        assert (results.maps("cost") > 0).all() and (results.maps("precipitation") >= 0).all()
        assert results.latitudes[0] < 0 < results.latitudes[-1]
        with pytest.raises(ValueError, match="vapour"):
            results.maps("vapour")


def test_a_simulation_has_fields_of_its_levels() -> None:
    simulation = phasewise.Simulation(study())
    simulation.step()
    temperature = simulation.field("temperature")
    assert temperature is not None and temperature.shape == (*GRID, 5)
    # Level 0 is the uppermost one, and the coldest.
    assert (temperature[..., 0] < temperature[..., -1]).all()
    assert (np.asarray(simulation.field("vapour")) >= 0).all()
    with pytest.raises(ValueError, match="humidity"):
        simulation.field("humidity")


def test_every_picture_of_a_run_on_several_ranks_is_drawn(on_four_ranks: ReportedRun) -> None:
    for chapter in AtmosphereReporting.CHAPTERS:
        for name, _, draw in chapter.figures:
            found = draw(on_four_ranks)
            assert isinstance(found, Drawing), (name, found)
    drawn = pictures.draw_loads(on_four_ranks)
    assert isinstance(drawn, Drawing)
    says(drawn.caption, "balance = all", "1.000")


def test_pictures_of_a_run_on_nodes_are_of_its_nodes(on_four_ranks: ReportedRun) -> None:
    run = on_four_ranks
    assert run.communication is not None
    run.communication = replace(run.communication, node=np.array([0, 0, 1, 1]))
    run.study["communication"] |= {"balance": "node", "division": "longitudes", "node_size": 0}
    timestep, found = pictures.worst_of(run)
    own = study_of(run)
    assert found.moved == schedule_of(own, 4, timestep, node_ranks=2).moved > 0
    assert schedule_of(own, 4, timestep).moved == 0
    assert "node" in seasons.shown_schemes(study_on_nodes(run), 4)


def test_one_rank_has_no_loads_and_no_moves(run: ReportedRun) -> None:
    for draw in (pictures.draw_loads, pictures.draw_moves, seasons.draw_seasons):
        found = draw(run)
        assert isinstance(found, Missing)
        says(found.sentence, "several ranks")


def test_fields_have_both_projections_and_the_sun(run: ReportedRun) -> None:
    every = {field.name: field for field in fields()}
    assert {"lit", "cost", "surface-temperature-mollweide"} <= every.keys()
    turns = every["lit"].turns(run)
    assert list(turns) == [1, 3]
    lit = every["lit"].snapshot(run, 1)
    assert lit.values.shape == (16, 8) and lit.values.mean() == 0.5
    assert every["lit-mollweide"].snapshot(run, 1).x.shape == (17, 9)
    told = every["cost"].note(run)
    says(told, "above 4 times the median")
    assert missing(told, "program")
    assert hour_text(model_of(study()), 15) == "day 173, 3 h"


def test_slow_messages_make_the_cheaper_scheme_the_best_one() -> None:
    given = study({"balance": "none"}, grid=[32, 64], levels=26)
    machine = load_machine("seaborg")
    found = cross_over(given, machine, 16, (1e-5, 1e-2, 1.0, 100.0))
    # Bands around the pole are lit all day: evening them out gains where messages are fast.
    assert found.best[0] == "none" and found.best[-1] != "none"
    assert len(found.changes) >= 1
    says(found.sentence, "16 ranks of seaborg", "GB/s")
    fast = with_bandwidth(machine, 3.0)
    assert fast.network.flow_bandwidth == 3 * machine.network.flow_bandwidth
    assert fast.network.latency == machine.network.latency


def test_a_crossover_lies_between_two_bandwidths() -> None:
    found = Crossover("m", 8, (1e8, 1e10), 1e10, {"none": (1.0, 1.0), "all": (2.0, 0.5)})
    ((at, below, above),) = found.changes
    assert (round(at), below, above) == (10**9, "none", "all")
    says(found.sentence, "best scheme is all", "none, all above 1 GB/s")
