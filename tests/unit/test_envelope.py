"""Envelopes and moving means keep what a history of too many turns for its pixels shows."""

import numpy as np
import pytest

from phasewise.analysis.moving import moving
from phasewise.report.envelope import envelope, envelope_note, plot_history, stretch
from phasewise.report.style import new_picture, picture_style
from tests.sentences import refused, says


def history(turns: int) -> tuple[np.ndarray, np.ndarray]:
    turn = np.arange(turns, dtype=np.float64)
    value = np.sin(turn)
    value[turns // 2] = 9.0
    return turn, value


def test_the_envelope_contains_every_value() -> None:
    turn, value = history(10_007)
    found = envelope(turn, value, 25)
    place = np.arange(len(turn)) // 25
    assert len(found.turn) == place[-1] + 1
    assert np.all(found.low[place] <= value) and np.all(value <= found.high[place])
    assert found.high.max() == 9.0 and np.all(np.diff(found.turn) > 0)
    assert found.mean[0] == pytest.approx(value[:25].mean())
    # The last stretch is what is left.
    assert found.turn[-1] == turn[10_000:].mean()


def test_turns_without_a_value_are_passed_over() -> None:
    turn, value = history(100)
    value[20:34] = np.nan
    found = envelope(turn, value, 10)
    assert np.flatnonzero(np.isnan(found.mean)).tolist() == [2]
    assert found.mean[3] == pytest.approx(value[34:40].mean())
    assert np.flatnonzero(np.isnan(found.low)).tolist() == [2]


def test_turns_that_outnumber_the_pixels_become_an_envelope_and_fewer_a_line() -> None:
    with picture_style():
        _, axes = new_picture(1, 2, 3.0)
        few, many = axes[0]
        plot_history(few, *history(200), "red")
        plot_history(many, *history(20_000), "red")
    assert not few.collections and len(few.lines[0].get_xdata()) == 200
    (shade,) = many.collections
    assert shade.get_datalim(many.transData).y1 == 9.0
    assert len(many.lines[-1].get_xdata()) < 20_000 / 8
    assert envelope_note(few, 200) == ""
    says(envelope_note(many, 20_000), f"{stretch(many, 20_000)} turns")


def test_the_moving_mean_is_that_of_the_turns_around() -> None:
    value = np.random.default_rng(3).normal(size=50) + 1e6
    value[30] = np.nan
    found = moving(value, 7)
    for turn in range(50):
        around = value[max(turn - 3, 0) : turn + 4]
        # Values of 1e6 have an error of 1e-10.
        assert found.mean[turn] == pytest.approx(np.nanmean(around), abs=1e-8)
        assert found.deviation[turn] == pytest.approx(np.nanstd(around), abs=1e-6)
    with refused("window", "4 turns", by=ValueError):
        moving(value, 4)
