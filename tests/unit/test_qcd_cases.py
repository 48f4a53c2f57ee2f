"""The solves of lattice QCD by which models are judged, and the ways that a tuner is judged by."""

from __future__ import annotations

from collections import Counter
from typing import cast

import pytest

pytest.importorskip("phasewise._core", reason="the core is not built")

from benchmarks.qcd_cases import FAT_TREE, MAX_MESSAGES, TORUS, Point, halos, points_of
from benchmarks.qcd_tuning import PLACES, first_stage, second_stage
from phasewise.driver import load_planner
from phasewise.machines import load_machine
from phasewise.workload.protocols import comparable
from phasewise.workloads.qcd.communication import SUMS, QcdCommunication
from phasewise.workloads.qcd.model import METHODS, PIONS, PRECISIONS

NUMBER = 120


def own(point: Point) -> QcdCommunication:
    return cast(QcdCommunication, point.study.communication)


@pytest.fixture(scope="module", params=[FAT_TREE, TORUS])
def held_out(request: pytest.FixtureRequest) -> list[Point]:
    """Those of the first table, which have odd numbers, not their simulations."""
    return [next(points_of(request.param, number, 1)) for number in range(1, NUMBER, 2)]


def test_sixty_cases_have_every_protocol_solver_precision_source_and_way_to_sum(
    held_out: list[Point],
) -> None:
    assert len(held_out) == NUMBER // 2 and all(point.held_out for point in held_out)
    solvers = [point.study.model.solver for point in held_out]
    assert {own(point).halo for point in held_out} == set(halos())
    assert {own(point).sums for point in held_out} == set(SUMS)
    assert {solver.method for solver in solvers} == set(METHODS)
    assert {solver.precision for solver in solvers} == set(PRECISIONS)
    sources = {point.study.model.measure.pion for point in held_out}
    assert sources == {None, *PIONS}


def test_quark_terms_rectangles_and_runs_have_their_share(held_out: list[Point]) -> None:
    models = [point.study.model for point in held_out]
    shares = Counter(
        clover=sum(model.quarks.has_clover for model in models),
        anisotropy=sum(model.quarks.anisotropy > 1 for model in models),
        stout=sum(model.quarks.stout_steps > 0 for model in models),
        rectangles=sum(model.measure.rectangles for model in models),
        runs=sum(own(point).blocks == "runs" for point in held_out),
    )
    assert min(shares.values()) >= len(held_out) // 6


def test_a_number_gives_the_same_case_again() -> None:
    first, again = (next(points_of(TORUS, 7, 1)) for _ in range(2))
    assert (first.words, first.text) == (again.words, again.text)


def test_no_case_takes_long_to_simulate(held_out: list[Point]) -> None:
    for point in held_out[:10]:
        planned = load_planner().plan(point.study.parameters(), point.ranks)["phases"]
        assert point.ranks * sum(phase["messages"] for phase in planned) <= MAX_MESSAGES


def test_the_second_stage_of_a_sweep_has_every_protocol_on_the_fastest_places() -> None:
    first = first_stage(load_machine("jaguar"))
    found = {one: float(number) for number, one in enumerate(first)}
    second = second_stage(found)
    places = {one.place for one in second}
    assert len(places) == PLACES and not set(second) & set(first)
    for place in places:
        ways = [one for one in (*first, *second) if one.place == place]
        assert len(ways) == 4 * len(comparable())
    assert places == set(list(dict.fromkeys(one.place for one in first))[:PLACES])
