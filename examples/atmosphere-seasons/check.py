"""Loads by day and division beside those that follow by counting lit columns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("phasewise._core", reason="the core is not built")

import phasewise
from phasewise.workloads.atmosphere.driver import schedule_of
from phasewise.workloads.atmosphere.grid import declination, latitudes_of, longitudes_of
from phasewise.workloads.atmosphere.seasons import by_day, by_hour

STUDY = Path(__file__).parent / "study.toml"
RANKS = 16


def lit(day: int, hour: float) -> np.ndarray:
    """(64, 128): where the cosine of the sun's zenith angle is above 0, by its formula. The
    declination is that of the hour: it is largest at noon of day 172.
    """
    delta = np.radians(declination(day + (hour - 12.0) / 24.0))
    phi = np.radians(latitudes_of(64))[:, None]
    away = np.radians(longitudes_of(128) - 15.0 * (12.0 - hour))[None, :]
    return np.sin(phi) * np.sin(delta) + np.cos(phi) * np.cos(delta) * np.cos(away) > 0


@pytest.mark.parametrize("day", [80, 126, 172])
@pytest.mark.parametrize("division", ["latitudes", "longitudes"])
def test_the_load_is_that_of_the_rank_with_most_lit_columns(day: int, division: str) -> None:
    changes = [f"atmosphere.day={day}", f"communication.division={division}"]
    found = schedule_of(phasewise.load(STUDY, changes), RANKS, 0)
    night, dear = np.unique(found.cost)
    shares = lit(day, 0.0).mean(axis=1 if division == "latitudes" else 0)
    most = shares.reshape(RANKS, -1).mean(axis=1).max()
    expected = (night + most * (dear - night)) / (night + 0.5 * (dear - night))
    assert found.before.max() == pytest.approx(expected, rel=1e-12)


def test_bands_have_the_same_load_all_day_and_slabs_in_any_season_noon() -> None:
    study = phasewise.load(STUDY, ["atmosphere.day=172"])
    hours = by_hour(study, RANKS, [0.0, 5.0, 13.0])
    assert np.ptp(hours["none"]) < 1e-12
    # The grid has as many lit columns at any hour, so that twins and `all` are even at all of them.
    for scheme in ("twin", "all"):
        assert hours[scheme].max() == pytest.approx(1.0, abs=1e-12)
    days = by_day(study, RANKS, [80, 172])
    assert days["none"][0] < 1.05 and days["none"][1] > 1.4
