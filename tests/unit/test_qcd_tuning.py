"""What a tuner compares for a lattice, and what a machine without costs of messages cannot tell."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from phasewise.machines import load_machine
from phasewise.models import Case, predict
from phasewise.models.prediction import predict_many
from phasewise.tuning.candidates import candidates
from tests.sentences import refused
from tests.unit.test_qcd_study import study

pytest.importorskip("phasewise._core", reason="the core is not built")


def layouts(machine: str, ranks: int) -> set[Any]:
    """Those that a tuner compares there."""
    found = candidates(study((16, 16, 16, 16)), ranks, load_machine(machine))
    return {one.communication()["layout"] for one in found}


def test_a_tuner_compares_the_layouts_that_differ_on_a_machine() -> None:
    assert layouts("altix", 64) == {"x-first"}  # one node of 128
    assert layouts("jaguar", 64) == {"x-first", "t-first"}  # a rank a node
    assert layouts("bassi", 64) == {"x-first", "t-first", "bricks"}  # eight nodes of 8
    assert layouts("wilson", 16) == {"x-first", "t-first"}  # 12 and 4


def test_every_candidate_can_be_predicted() -> None:
    machine = load_machine("bassi")
    own = study((8, 8, 8, 8), solver={"iterations": 1})
    for candidate in candidates(own, 16, machine)[::7]:
        assert predict(Case(candidate.apply(own), machine, 16), "contention").turn_seconds > 0


def test_runs_cost_nothing_more_on_a_machine_without_overheads_and_are_refused() -> None:
    own = study((8, 8, 8, 8), process_grid="1x1x2x2", blocks="runs")
    machine = load_machine("bassi")
    with refused('communication.blocks = "runs"', "bassi", "[overhead]", '"packed"'):
        predict(Case(own, machine, 4), "contention")
    given = replace(machine, overhead=load_machine("altix").overhead)
    packed = study((8, 8, 8, 8), process_grid="1x1x2x2")
    seconds = [predict(Case(one, given, 4), "contention").turn_seconds for one in (own, packed)]
    # A face along z is four messages in place of one.
    assert seconds[0] > seconds[1]


def test_the_ranks_of_a_first_solve_begin_together() -> None:
    own, machine = study((8, 8, 8, 16), solver={"iterations": 2}), load_machine("jaguar")
    first = predict_many({16: own}, machine, ["contention"], first=True)[0]
    together, apart = (
        predict(Case(own, machine, 16, pieces={"links": 1.0}, agreed=agreed), "contention")
        for agreed in (True, False)
    )
    assert first.phases == together.phases != apart.phases
