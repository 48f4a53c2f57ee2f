"""A case from a recorded program: its messages are those of the run, and models add them up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from phasewise.errors import RunError
from phasewise.machines import load_machine
from phasewise.models import load_model, predict
from phasewise.models.recorded import recorded_case
from tests.sentences import refused
from tests.unit.synthetic_communication import BYTES, write_communication

SHAPE = {"prow": 2, "pcol": 3, "node_size": 3}


@pytest.mark.parametrize("capacity", [10**9, 5])
def test_the_messages_are_those_of_the_run_with_and_without_all_events(
    tmp_path: Path, capacity: int
) -> None:
    write_communication(tmp_path, capacity=capacity, **SHAPE)
    case = recorded_case(tmp_path, load_machine("bassi"))
    assert case.ranks == 12
    # The sum by the library is left out.
    assert [phase.name for phase in case.phases] == ["reduce_column", "broadcast_row"]
    # Every rank sends to the two others of its column, and to both columns of the other beam.
    for phase in case.phases:
        assert phase.count.tolist() == [1.0, 1.0]
        assert phase.bytes.tolist() == [float(BYTES[phase.name])] * 2
    column, row = case.phases
    # A node holds a column: its three ranks send within it, and all of them to the other beam.
    assert column.inter.tolist() == [0, 0]
    assert column.active.tolist() == [3, 3]
    assert row.inter.tolist() == [1, 1]
    assert row.active.tolist() == [3, 3]
    assert sorted(column.distance.tolist()) == [1, 2]


def test_a_model_adds_the_recorded_messages_up(tmp_path: Path) -> None:
    write_communication(tmp_path, **SHAPE)
    machine = load_machine("bassi")
    found = predict(recorded_case(tmp_path, machine), "1a")
    line = machine.paper["ping_pong"]
    for name, seconds in found.phases.items():
        expected = 2 * (line.latency + BYTES[name] / line.bandwidth)
        assert seconds == pytest.approx(expected, rel=1e-12)
    assert found.computation_seconds == 0.0
    assert found.communication_seconds == pytest.approx(np.sum(list(found.phases.values())))


@pytest.mark.parametrize("model", ["contention", "loads"])
def test_a_model_that_follows_ranks_in_time_needs_a_study(tmp_path: Path, model: str) -> None:
    write_communication(tmp_path, **SHAPE)
    case = recorded_case(tmp_path, load_machine("bassi"))
    with refused("model", model, "study"):
        load_model(model).phase_seconds(case)


def test_a_record_without_turns_has_no_program(tmp_path: Path) -> None:
    write_communication(tmp_path, turns=0, **SHAPE)
    with refused(tmp_path, "no turn", by=RunError):
        recorded_case(tmp_path, load_machine("bassi"))
