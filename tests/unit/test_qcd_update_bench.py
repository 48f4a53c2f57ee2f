"""The bench of what makes configurations, and the trajectories by which models are judged."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from phasewise.cli import main
from phasewise.models import first_turn, predict
from phasewise.runs.timing import WARM_UP_TURNS
from phasewise.study import Study
from phasewise.workload.discovery import find_workload
from phasewise.workloads.qcd import bench_updates
from phasewise.workloads.qcd.choosing import QcdChoosing
from phasewise.workloads.qcd.tuning import QcdTuning
from tests.sentences import refused, says

pytest.importorskip("phasewise._core", reason="the core is not built")

from benchmarks.qcd_cases import FAT_TREE, TRAJECTORIES, Point, points_of
from phasewise.driver import load_planner
from phasewise.machines import load_machine

EXAMPLE = Path(__file__).parents[2] / "examples" / "clover-hmc" / "study.toml"
SMALL = {
    "heat-bath": ["lattice.size=[4, 4, 4, 4]"],
    "flow": ["lattice.size=[4, 4, 4, 4]", "measure.flow_until=0.04"],
    "trajectory": [
        "lattice.size=[4, 4, 4, 4]", "quarks.kappa=0.1", "update.length=0.1",
        "update.steps=[1, 1, 1]", "update.hasenbusch=[0.2]",
        "update.force_tolerance=1e-4", "update.action_tolerance=1e-6",
    ],
}  # fmt: skip


def study(kind: str) -> Study:
    return bench_updates.study_of(kind, [f"{SMALL[kind][0]}"], 1)


def kernel(name: str, seconds: float) -> dict[str, Any]:
    return {"name": name, "seconds": seconds, "items": 10.0, "roof_share": 0.5}


def made_up() -> dict[str, Any]:
    """Two cores, of which rank 0 computes for 4 ms and sweeps exchange for 1 ms a trajectory."""
    turns = 2
    return {
        "ranks": 1,
        "threads": 2,
        "trajectories": turns,
        "seconds_per_trajectory": 0.010,
        "kernels": [kernel("heat_bath", 0.001), kernel("over_relaxation", 0.003)],
        "phases": [{"name": "sweep_t", "seconds": 0.001 * (turns + WARM_UP_TURNS)}],
    }


def test_nanoseconds_a_link_count_sweeps_with_their_exchanges() -> None:
    model = study("heat-bath").model
    found = bench_updates.figures_of("heat-bath", model, made_up())
    # Five sweeps of 4 · 256 links in 5 ms on two cores; the kernels reach half of the roof.
    assert found["ns_per_link"] == pytest.approx(2 * 5e6 / (5 * 4 * 256))
    assert found["roof_share"] == pytest.approx(0.5)
    assert found["shares"] == pytest.approx({"sweeps": 0.8, "communication": 0.2})
    # A trajectory counts all of its time, and no link twice.
    whole = bench_updates.figures_of("trajectory", study("trajectory").model, made_up())
    assert whole["ns_per_link"] == pytest.approx(2 * 10e6 / (4 * 256))
    assert whole["roof_share"] == pytest.approx(0.2)


@pytest.mark.parametrize("case", list(SMALL))
def test_the_fast_kernels_stand_beside_the_plain_ones(
    case: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [word for key in SMALL[case] for word in ("--set", key)]
    assert main(["bench", "qcd", "--case", case, "--turns", "1", "--json", *words]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"kernels", "phases", "roof", "ranks", "threads", "shares"} <= found.keys()
    assert found["kernel"] == "fast" and found["trajectories"] == 1
    assert found["ns_per_link"] > 0 and found["roof_share"] > 0
    assert found["plain"]["ns_per_link"] > 0
    kernels, _ = bench_updates.MAIN[case]
    assert set(kernels) <= found["plain"]["times_as_fast"].keys()
    assert sum(found["shares"].values()) == pytest.approx(1.0)
    assert found["iterations"].keys() == (
        {"quarks", "hasenbusch_1"} if case == "trajectory" else set()
    )


def test_a_flow_without_steps_is_refused() -> None:
    with refused("measure.flow_until = 0", "bench qcd --case flow", "more than 0"):
        bench_updates.study_of("flow", ["measure.flow_until=0"], 1)


def test_the_trajectory_is_that_of_the_example() -> None:
    with EXAMPLE.open("rb") as file:
        example = tomllib.load(file)
    for table, keys in bench_updates.CASES["trajectory"].items():
        assert example[table].items() >= keys.items()


def test_plain_loops_alone_have_nothing_beside_them(capsys: pytest.CaptureFixture[str]) -> None:
    plain = "communication.kernel=plain"
    words = [word for key in (*SMALL["heat-bath"], plain) for word in ("--set", key)]
    assert main(["bench", "qcd", "--case", "heat-bath", "--turns", "1", *words]) == 0
    shown = capsys.readouterr().out
    assert "4×4×4×4" in shown and "heat_bath" in shown and "over_relaxation" in shown


@pytest.fixture(scope="module")
def drawn() -> list[Point]:
    return list(points_of(FAT_TREE, 1, 24, TRAJECTORIES))


def test_drawn_trajectories_are_of_all_kinds_and_small(drawn: list[Point]) -> None:
    models = [point.study.model for point in drawn]
    kinds = Counter((model.update.method, model.quarks is not None) for model in models)
    assert kinds.keys() == {("hmc", False), ("hmc", True), ("heat-bath", False)}
    assert any(model.measure.flow_steps for model in models)
    assert any(model.update.hasenbusch for model in models)
    assert all(point.study.trajectories == 1 for point in drawn)


def test_drawn_trajectories_are_predicted(drawn: list[Point]) -> None:
    for point in drawn[:6]:
        case = first_turn(point.study, point.machine, point.ranks)
        assert predict(case, "described").turn_seconds > 0
        planned = load_planner().plan(point.study.parameters(), point.ranks)["phases"]
        assert sum(phase["messages"] for phase in planned) > 0


def test_a_tuner_chooses_places_for_links_alone_and_says_why_a_run_tries_nothing() -> None:
    own = find_workload("qcd")
    quenched, quarks = study("heat-bath").model, study("trajectory").model
    choosing = QcdChoosing(own)
    assert choosing.choices(quenched, 16).keys() == {"process_grid", "layout"}
    assert choosing.choices(quarks, 16).keys() > {"process_grid", "layout"}
    says(choosing.nothing_to_try(quenched), "one way")
    says(choosing.nothing_to_try(quarks), "iterations", "phasewise tune")
    wide = bench_updates.study_of("heat-bath", [], 1)
    found = QcdTuning(own).candidates(wide, 16, load_machine("bassi"))
    assert {dict(one.values)["layout"] for one in found} >= {"x-first", "t-first"}
