"""The source paper's models as the paper had them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from phasewise.machines import Machine, load_machine
from phasewise.machines.curves import Curve
from phasewise.models import Case, PhaseMessages
from phasewise.workloads.collision.reproduction.published import model, through_ends
from tests.sentences import refused

BENT = (0, 1000, 2000), (1e-6, 5e-6, 5e-6)
"""Sizes, and seconds that leave the straight line through their ends: 1 µs + s/(0.5 GB/s)."""


def curve(benchmark: str, times: float = 1.0, **labels: object) -> Curve:
    seconds = tuple(times * value for value in BENT[1])
    # A line that was fitted to all sizes, which the paper's models do not take.
    own: dict[str, object] = {"latency": 9e-6, "bandwidth": 1e9, "level": "network"}
    return Curve(
        benchmark=benchmark, sizes=BENT[0], seconds=seconds, low=seconds, high=seconds,
        **(own | labels),  # type: ignore[arg-type]
    )  # fmt: skip


def case(machine: Machine, direction: str = "column", distance: int = 1) -> Case:
    """Three messages of 1000 B to another node."""
    one = PhaseMessages(
        "solve", "transpose", direction, 0, np.array([1000.0]), np.array([3.0]), np.array([1]),
        np.array([0]), np.array([distance]), np.array([1]), np.array([1]),
    )  # fmt: skip
    return Case(None, machine, 64, program=(one,))


def with_curves(name: str, *curves: Curve) -> Machine:
    return replace(load_machine(name), curves=curves)


def seconds(name: str, machine: Machine, direction: str = "column", distance: int = 1) -> float:
    return model(name).phase_seconds(case(machine, direction, distance))["solve"]


def test_the_line_goes_through_the_smallest_and_the_largest_message() -> None:
    line = through_ends(curve("ping-ping"))
    assert (line.latency, line.bandwidth) == pytest.approx((1e-6, 0.5e9))
    machine = with_curves("jaguar", curve("ping-ping"))
    assert seconds("1b", machine) == pytest.approx(3 * (1e-6 + 1000 / 0.5e9))


@pytest.mark.parametrize(("name", "times"), [("jaguar", 2.0), ("bassi", 1.0)])
def test_a_ping_pong_is_a_round_trip_on_tori_alone(name: str, times: float) -> None:
    machine = with_curves(name, curve("ping-pong"))
    assert seconds("1a", machine) == pytest.approx(times * 3 * (1e-6 + 1000 / 0.5e9))


GRIDS = [
    curve("grid", times, direction=direction, distance=distance, ranks=64)
    for direction, distance, times in (("column", 1, 1.0), ("column", 8, 3.0), ("row", 1, 10.0))
]


@pytest.mark.parametrize(("name", "one"), [("5", 3e-6), ("6", 5e-6)])
def test_the_grid_s_models_know_the_direction_but_not_the_distance(name: str, one: float) -> None:
    machine = with_curves("jaguar", *GRIDS)
    for distance in (1, 8):
        found = seconds(name, machine, "column", distance)
        assert found == pytest.approx(3 * (1.0 + 3.0) / 2 * one)
    assert seconds(name, machine, "row") == pytest.approx(3 * 10.0 * one)


def test_without_curves_model_5_has_the_row_of_table_4_and_6_is_refused() -> None:
    jaguar = load_machine("jaguar")
    assert seconds("5", jaguar) == pytest.approx(3 * (9.72e-6 + 1000 / 346e6))
    with refused("jaguar", "curves", "ping-ping", "process grid"):
        seconds("6", jaguar)
