"""Faces under way while the interior is computed, as the model `contention` follows them."""

from __future__ import annotations

import pytest

from phasewise.machines import load_machine
from phasewise.models import Case, predict
from phasewise.models.plan import plan
from phasewise.simulated.simulate import Request
from phasewise.simulated.timing import time_simulated
from tests.sentences import refused
from tests.unit.test_qcd_study import study

pytest.importorskip("phasewise._core", reason="the core is not built")


def communicating(halo: str, overlap: bool) -> float:
    """Seconds of a solve on a torus, whose interiors take longer than their faces."""
    own = study(
        (16, 16, 16, 32), solver={"iterations": 4}, process_grid="1x1x2x4", halo=halo,
        overlap=overlap,
    )  # fmt: skip
    case = Case(own, load_machine("jaguar"), 8)
    return predict(case, "contention").communication_seconds


def test_faces_that_overlap_with_the_interior_are_hidden_behind_it() -> None:
    # The sums are left.
    assert communicating("irecv-isend", True) < 0.2 * communicating("irecv-isend", False)


def test_a_put_is_flushed_before_the_interior_is_computed() -> None:
    # Nothing but the empty messages behind the data are hidden.
    hidden = communicating("put", False) - communicating("put", True)
    assert 0 <= hidden < 0.05 * communicating("put", False)


def test_calls_that_block_hide_nothing() -> None:
    plain = communicating("sendrecv", False)
    assert communicating("sendrecv", True) == pytest.approx(plain, rel=1e-3)


def test_a_thread_that_communicates_is_planned_and_neither_predicted_nor_simulated() -> None:
    own = study((8, 8, 8, 8), process_grid="1x1x2x2", overlap="thread")
    assert "communication.overlap = thread" in own.parameters().splitlines()
    same = study((8, 8, 8, 8), process_grid="1x1x2x2", overlap=True)
    assert plan(own, 4)["phases"] == plan(same, 4)["phases"]
    machine = load_machine("jaguar")
    facts = ("communication.overlap", '"thread"', "measured", "true", "messages")
    with refused(*facts):
        predict(Case(own, machine, 4), "contention")
    with refused(*facts):
        time_simulated([own], Request(machine, 4))
