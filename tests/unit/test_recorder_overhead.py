"""The arithmetic of the recorder's overhead, and that both simulations take turns."""

import numpy as np
import pytest

from benchmarks import recorder_overhead
from benchmarks.recorder_overhead import WARM_UP, measure, overhead
from phasewise.study import Study
from tests.unit.fake_core import FakeRank, World, tables


def test_the_ratio_is_that_of_neighbouring_turns_whatever_disturbs_both() -> None:
    off = np.array([1.0, 1.0, 8.0, 1.0, 3.0])
    found = overhead(1.01 * off, off)
    assert (found.on, found.off) == (pytest.approx(1.01), 1.0)
    # Every pair has the same ratio, and so has each resample: to rounding, 1.01.
    assert (found.ratio, found.low, found.high) == pytest.approx((1.01, 1.01, 1.01), rel=1e-14)


def test_the_interval_holds_the_ratio_and_narrows_with_more_turns() -> None:
    noise = np.random.default_rng(5).normal(1.0, 0.05, 1000)
    few, many = (overhead(noise[:n], np.ones(n)) for n in (20, 1000))
    assert few.low < few.ratio < few.high
    # As one over the square root of 50 times as many turns, 0.14; half of it to spare for chance.
    assert many.high - many.low < 0.28 * (few.high - few.low)


def test_both_do_the_same_turns_and_each_goes_first_as_often(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, order = [], []

    def simulation(_: FakeRank, parameters: str, threads: int) -> str:
        assert threads == 1
        asked.append(parameters.splitlines()[-1])
        return asked[-1]

    def timed(driver: str, _: FakeRank) -> float:
        order.append(driver)
        return float(driver[-1])

    monkeypatch.setattr(FakeRank, "start", simulation)
    monkeypatch.setattr(recorder_overhead, "timed_turn", timed)
    study = Study.from_dict(tables())
    (times,) = World(1).run(lambda rank: measure(rank, study, 1, 6))
    assert asked == ["records.communication = 1", "records.communication = 0"]
    assert times.tolist() == [[1.0] * 6, [0.0] * 6]
    counted = order[2 * WARM_UP :]
    assert counted[::2].count(asked[0]) == counted[::2].count(asked[1]) == 3
    assert len(order) == 2 * (6 + WARM_UP)
