"""The model `measured`: which terms it finds in recorded runs, and which runs it refuses."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from phasewise.errors import StudyError
from phasewise.machines import load_machine
from phasewise.models import Case, load_model
from phasewise.models.measured import Point, fit
from phasewise.study import Study
from tests.unit.study_tables import tables
from tests.unit.synthetic_communication import write_communication

RANKS = (4, 8, 16, 32, 64)


def of_ranks(ranks: int) -> Point:
    return Point(ranks, 1.0, 1.0)


def test_a_power_of_the_ranks_is_found_and_carried_on() -> None:
    times = np.array([1e-4 + 2e-5 * math.sqrt(p) for p in RANKS])
    # The hypothesis is among those tried, and no noise was added: only rounding remains.
    assert fit([of_ranks(p) for p in RANKS], times)(of_ranks(1024)) == pytest.approx(
        1e-4 + 2e-5 * 32, rel=1e-6
    )


def test_a_logarithm_of_the_ranks_is_found_and_carried_on() -> None:
    times = np.array([3e-5 * math.log2(p) for p in RANKS])
    assert fit([of_ranks(p) for p in RANKS], times)(of_ranks(1024)) == pytest.approx(3e-4, rel=1e-6)


def test_latency_and_bandwidth_are_found_where_messages_and_bytes_differ() -> None:
    points = [Point(p, 15.0 * (p - 1), 3e6 / p) for p in RANKS]
    times = np.array([5e-6 * point.messages + point.bytes / 4e8 for point in points])
    far = Point(256, 15 * 4.0, 1e5)  # fewer messages by another algorithm
    assert fit(points, times)(far) == pytest.approx(5e-6 * 60 + 1e5 / 4e8, rel=1e-6)


def test_noise_of_a_few_percent_stays_noise_of_a_few_percent() -> None:
    noise = np.array([1.02, 0.98, 1.01, 0.99, 1.02])
    times = np.array([2e-4 + 1e-5 * p for p in RANKS]) * noise
    # Twice as far as the last run, each factor is known to about the noise: 10 % holds three times.
    assert fit([of_ranks(p) for p in RANKS], times)(of_ranks(128)) == pytest.approx(
        2e-4 + 1e-5 * 128, rel=0.1
    )


def test_a_phase_that_takes_no_time_is_predicted_to_take_none() -> None:
    assert fit([of_ranks(p) for p in RANKS], np.zeros(5))(of_ranks(128)) == 0.0


def case(records: list[Path]) -> Case:
    study = Study.from_dict(tables())
    return Case(study, load_machine("bassi"), 16, records=tuple(records))


def test_fewer_than_three_different_runs_are_refused(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        write_communication(tmp_path / name, prow=1 + (name == "c"), machine="bassi")
    with pytest.raises(StudyError, match=r"3 recorded runs or more .* but 2 were given"):
        load_model("measured").phase_seconds(case([tmp_path / name for name in "abc"]))


def test_simulated_runs_are_not_mixed_with_real_ones(tmp_path: Path) -> None:
    for prow, machine in ((1, None), (2, "bassi"), (3, "bassi")):
        write_communication(tmp_path / str(prow), prow=prow, machine=machine)
    with pytest.raises(StudyError, match="runs of the same kind"):
        load_model("measured").phase_seconds(case([tmp_path / name for name in "123"]))


def test_runs_that_lack_a_phase_of_the_study_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    for prow in (1, 2, 3):
        write_communication(tmp_path / str(prow), prow=prow, machine="bassi")
    with pytest.raises(StudyError, match="the recorded runs have the phase"):
        load_model("measured").phase_seconds(case([tmp_path / name for name in "123"]))
