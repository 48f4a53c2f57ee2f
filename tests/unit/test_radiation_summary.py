"""What a run says of photons, events of scattering and lifetimes, from records that are known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from phasewise.workloads.collision.lifetimes import lifetimes_of
from phasewise.workloads.collision.radiation import (
    bhabha_of,
    bhabha_rows,
    lifetime_rows,
    photon_rows,
    photons_of,
)
from phasewise.workloads.collision.views import BeamResults
from tests.unit.study_tables import build
from tests.unit.test_radiation_keys import ELECTRONS

TURNS, FREQUENCY = 4, 1000.0
RECORDS: dict[str, Any] = {
    "particles": [1000, 1000, 990, 980],
    # Of turn n those before it: 4 by energy, 2 after an event and 4 at the aperture in turn 1.
    "losses": [0, 0, 10, 20],
    "lost_by_energy": [[0], [4], [6], [1]],
    "bhabha_lost": [[0], [2], [0], [0]],
    "bhabha_losses_expected": [[2e4], [2e4], [2e4], [2e4]],
    "bhabha_expected": [[1e5]] * TURNS,
    "bhabha_events": [[10], [20], [30], [40]],
    "photons": [[0.1], [0.2], [0.3], [0.4]],
    "photon_loss": [[1e-5]] * TURNS,
    "upsilon": [[1e-4], [3e-4], [2e-4], [1e-4]],
}
STUDY = ELECTRONS | {
    "beam__1__macroparticles": 1000,
    "beam__1__bunch_population": 1e10,
    "arc__momentum_aperture": 0.02,
    "ip__1__beamstrahlung": "quantum",
    "ip__1__bhabha": {"scale": 5.0},
}


class Recorded:
    """Results whose beams have the records above, or others in their place."""

    def __init__(self, records: dict[str, Any], **changes: Any) -> None:
        study = build(**STUDY | changes)
        self.study, self.derived = study.resolved(), study.derived()
        for beam in self.derived["beams"]:
            beam["revolution_frequency"] = FREQUENCY
        self._records = records

    def __len__(self) -> int:
        return TURNS

    def holds(self, name: str) -> bool:
        return name.partition("/")[2] in self._records

    def rows(self, name: str) -> Any:
        return np.array(self._records[name.partition("/")[2]])

    def beam(self, number: int) -> BeamResults:
        return BeamResults(self, number)  # type: ignore[arg-type]


def recorded(**changes: Any) -> Any:
    return Recorded(RECORDS, **changes)


def test_photons_are_means_over_turns_and_the_largest_upsilon() -> None:
    found = photons_of(recorded(), 1)["photons"]
    assert (found["number"], found["loss"]) == pytest.approx((0.25, 1e-5))
    assert found["upsilon"] == 3e-4


def test_events_are_those_of_the_real_particles() -> None:
    found = bhabha_of(recorded(), 1)["bhabha"]
    # 1e7 real particles in a macroparticle, and five events drawn for each.
    assert (found["expected"], found["events"]) == pytest.approx((1e5, 100 * 1e7 / 5 / TURNS))
    assert found["error"] == pytest.approx(found["events"] / 10)
    assert found["drawn"] == 100


def test_lifetimes_are_told_by_cause() -> None:
    found = lifetimes_of(recorded(), 1)["lifetime"]
    passed = 3970
    assert found["beamstrahlung"]["turns"] == pytest.approx(passed / 11)
    assert found["beamstrahlung"]["seconds"] == pytest.approx(passed / 11 / FREQUENCY)
    assert found["beamstrahlung"]["error"] == pytest.approx(passed / 11**1.5 / FREQUENCY)
    assert found["bhabha"]["turns"] == pytest.approx(passed * 1e7 / 8e4)
    # 20 were lost before the last turn, 12 of them by their energy.
    assert found["aperture"]["turns"] == pytest.approx(passed / 8)
    rates = [1 / found[cause]["turns"] for cause in ("beamstrahlung", "bhabha", "aperture")]
    assert found["turns"] == pytest.approx(1 / sum(rates))


def test_where_nobody_radiates_a_loss_by_energy_is_one_at_an_aperture() -> None:
    without = {name: RECORDS[name] for name in RECORDS if not name.startswith("photon")}
    known: Any = Recorded(without, ip__1__beamstrahlung=None)
    found = lifetimes_of(known, 1)["lifetime"]
    assert "beamstrahlung" not in found
    assert found["aperture"]["turns"] == pytest.approx(3970 / 19)


def test_a_population_that_rises_is_counted_turn_by_turn() -> None:
    ramp = {"turns": [0, 3], "particles": [1e9, 10e9]}
    found = recorded(beam__1__population_ramp=ramp, beam__1__bunch_population=1e9)
    each = np.array([1e6, 4e6, 7e6, 10e6])
    rate = (2e4 / each).sum() / 3970
    assert lifetimes_of(found, 1)["lifetime"]["bhabha"]["turns"] == pytest.approx(1 / rate)
    drawn = (each * [10, 20, 30, 40]).sum() / 5 / TURNS
    assert bhabha_of(found, 1)["bhabha"]["events"] == pytest.approx(drawn)


def test_a_strong_beam_has_no_lifetime() -> None:
    strong = {"ip__1__model": "weak-strong", "ip__1__strong_beam": 2}
    found = recorded(**strong)
    lifetimes = [lifetimes_of(found, number) for number in (1, 2)]
    assert lifetimes[1] == {}
    assert photons_of(found, 2) == {}
    shown = photon_rows([photons_of(found, 1), photons_of(found, 2)])
    assert {row[2] for row in shown} == {"-"}
    scattered = bhabha_of(found, 2)
    assert {scattered["bhabha"][name] for name in ("events", "error", "drawn")} == {None}
    assert bhabha_rows([bhabha_of(found, 1), scattered])[1][2] == "-"
    rows = lifetime_rows(lifetimes)
    assert [row[0] for row in rows] == [
        "lifetime", "lifetime by beamstrahlung", "lifetime by bhabha", "lifetime by aperture",
    ]  # fmt: skip
    assert all(row[2] == "-" for row in rows)
