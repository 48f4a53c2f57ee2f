"""Green functions of the first turn: how many there are, and where ranks wait for them."""

from __future__ import annotations

from typing import Any

import pytest

from phasewise.machines.machine import parse_machine
from phasewise.models import Case, Prediction, first_turn, predict
from phasewise.models.prediction import predict_many
from phasewise.study import Study
from phasewise.study.laboratory import first_pieces
from tests.unit import spacecharge_study
from tests.unit.study_tables import tables

core: Any = pytest.importorskip("phasewise._core", reason="the core is not built")

MACHINE = parse_machine(
    """
name = "pairs"
[node]
ranks = 1
[network]
kind = "fat-tree"
latency = 2e-6
flow_bandwidth = 1e9
adapter_bandwidth = 1e9
[processor]
peak = 4e9
flops = 1e9
bandwidth = 1e10
""",
    "pairs",
)


def study(grid: str = "4x1", **changes: Any) -> Study:
    own = {"ip__1__grid": [128, 128], "ip__1__half_crossing_angle": 0.0}
    return Study.from_dict(tables(communication__process_grid=grid, **(own | changes)))


def contention(case: Study, ranks: int, greens: float) -> Prediction:
    return predict(Case(case, MACHINE, ranks, pieces={"green": greens}), "contention")


def test_slices_that_share_a_window_share_a_green_function() -> None:
    assert first_pieces(study(), 8) == {"green": 1.0}
    assert first_pieces(study(ip__1__green_function="every-step"), 8) == {}


def test_each_distance_of_windows_has_a_green_function() -> None:
    # S slices of a beam that lie side by side, each in a window of its own, meet those of the other
    # beam at 2 S - 1 distances at most. A column of two slices meets 2 S pairs at most.
    slices = 8
    own = {"ip__1__slices": slices, "ip__1__slicing": "equal-width", "ip__1__interpolation": "none"}
    apart = study(ip__1__half_crossing_angle=2e-3, ip__1__longitudinal_kick=False, **own)
    (one,) = first_pieces(apart, 1).values()
    (each,) = first_pieces(apart, 8).values()
    assert slices / 2 <= each < min(one, 2 * slices + 1) and one <= 2 * (2 * slices - 1)


def test_a_step_makes_one_for_each_distance_that_its_slices_meet() -> None:
    own = {"ip__1__slices": 8, "ip__1__slicing": "equal-width", "ip__1__interpolation": "none"}
    own |= {"ip__1__green_function": "every-step", "ip__1__longitudinal_kick": False}

    def greens(angle: float) -> float:
        case = study("1x4", ip__1__half_crossing_angle=angle, **own)
        phases = core.plan(case.parameters(), 8)["phases"]
        return next(float(one["messages"]) for one in phases if one["name"] == "green")

    # Head on, all pairs of the 15 steps share a window; a rank of a column of 4 sends 3 messages.
    assert greens(0.0) == 3 * 15
    assert greens(2e-3) > greens(0.0)


def test_columns_make_their_green_functions_one_after_another() -> None:
    """Each of the first steps brings one more column to work, and all wait for its Green function,
    so that the turn grows by that of each column. In a single column all ranks make it together.
    """
    for grid, columns in (("4x1", 4), ("1x4", 1)):
        case = study(grid)
        (kernel,) = (
            each
            for each in core.work(case.parameters(), 8, {"green": 1.0})
            if each["name"] == "green"
        )
        one = kernel["flops"] / MACHINE.processor.flops
        grown = contention(case, 8, 1.0).turn_seconds - contention(case, 8, 0.0).turn_seconds
        # The messages of a column's transpose come in addition.
        assert columns * one <= grown * 1.01 < 1.5 * columns * one + 1e-3, grid
        assert kernel["load"] == pytest.approx(columns)


def test_a_tenth_of_the_green_functions_is_a_tenth_of_the_turns() -> None:
    case = study()
    none, some, all_of_them = (contention(case, 8, greens) for greens in (0.0, 0.1, 1.0))
    for name in ("communication_seconds", "computation_seconds", "turn_seconds", "waiting_seconds"):
        ends = (getattr(none, name), getattr(all_of_them, name))
        assert getattr(some, name) == pytest.approx(0.9 * ends[0] + 0.1 * ends[1], rel=1e-9)


def test_the_first_turn_is_what_first_predicts() -> None:
    case = study()
    found = predict(first_turn(case, MACHINE, 8), "contention")
    (same,) = predict_many({8: case}, MACHINE, ["contention"], first=True)
    (later,) = predict_many({8: case}, MACHINE, ["contention"])
    assert same.turn_seconds == found.turn_seconds > later.turn_seconds
    assert "green" not in later.phases


def test_pieces_of_every_second_timestep_alternate_in_the_first_ones() -> None:
    gas = Study.from_dict(
        {
            "workload": "hydro",
            "timesteps": 9,
            "hydro": {"problem": "kelvin-helmholtz", "zones": [16, 16]},
        }
    )
    ways = [
        [first_pieces(gas, 2, turns)[name] * turns for name in ("forwards", "backwards", "start")]
        for turns in (1, 2, 3, 4)
    ]
    # x y, y x, x y, y x; the fastest zone is looked for once before.
    assert ways == [[1, 0, 1], [1, 1, 1], [2, 1, 1], [2, 2, 1]]


def test_a_bunch_that_breathes_meets_the_meshes_of_its_run() -> None:
    # With so little charge a run's particles move as the sample does, which has all of them.
    weak = spacecharge_study.study("bunch.bunch_population=1.0", "solver.kicks=8")
    run = core.start(weak.parameters(), 1)
    run.step()
    assert 1 < first_pieces(weak, 1)["green"] == run.pieces()["green"] < 8
    # Under their own charge some hundredths of the particles' outermost places differ, and a mesh
    # with them only if it lies at the edge of a step of 2^(1/8).
    strong = spacecharge_study.study("bunch.bunch_population=3e12", "solver.kicks=8")
    run = core.start(strong.parameters(), 1)
    run.step()
    assert abs(first_pieces(strong, 1)["green"] - run.pieces()["green"]) <= 1
    fixed = weak.replace(**{"solver.mesh": "fixed", "solver.mesh_half_width": [0.05, 0.05, 0.5]})
    assert first_pieces(fixed, 4)["green"] == 1.0
