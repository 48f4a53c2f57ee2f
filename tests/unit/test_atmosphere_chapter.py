"""The slides' claims on CAM's load balance by their rules, on made-up times, and the predictions
behind them.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

pytest.importorskip("phasewise._core", reason="the core is not built")

from phasewise.reproduction.cray_x1 import CRAY_X1
from phasewise.workloads.atmosphere.reproduction import claims
from phasewise.workloads.atmosphere.reproduction.pictures import make_table
from phasewise.workloads.atmosphere.reproduction.times import (
    CHARTED,
    FULL,
    MACHINES,
    MSP,
    QUICK,
    SCHEMES,
    Time,
    Times,
    Way,
    crossing,
    on,
    predicted,
)
from tests.sentences import says

NONE_FIRST = (2.0, 2.0, 1.1, 1.05, 1.0)
"""Seconds of each scheme, `all` last and fastest."""
PAIRS_FIRST = (2.0, 2.0, 1.1, 1.0, 1.0)
TIED = (2.0, 2.0, 1.1, 0.9995, 1.0)
PAIRS_AHEAD = (2.0, 2.0, 1.1, 0.99, 1.0)
ALL_LAST = (1.0, 1.0, 1.1, 1.2, 1.3)


def times(found: Mapping[str, tuple[float, ...]], factor: float = 1.0) -> Times:
    """Timesteps by machine and scheme on the ranks of the claims."""
    return {
        Way(machine, CHARTED, scheme, factor): Time(one, one / 2, one / 4, one / 2, one, 0.0)
        for machine, seconds in found.items()
        for scheme, one in zip(SCHEMES, seconds, strict=True)
    }


@pytest.mark.parametrize(
    ("seconds", "holds"),
    [(NONE_FIRST, True), (PAIRS_FIRST, True), (TIED, True), (PAIRS_AHEAD, False),
     (ALL_LAST, False)],
)  # fmt: skip
def test_x26_wants_no_scheme_to_be_faster_than_all(seconds: tuple[float, ...], holds: bool) -> None:
    claim = claims.best_on_x1(times({MSP: seconds}))
    assert (claim.id, claim.holds, claim.fitted) == ("x26", holds, True)
    says(claim.ours, "128 ranks", f"{1e3 * seconds[0]:.0f}", f"{1e3 * seconds[2]:.0f}")


@pytest.mark.parametrize(
    ("p690", "altix", "seaborg", "holds"),
    [
        (ALL_LAST, PAIRS_FIRST, NONE_FIRST, True),
        (NONE_FIRST, NONE_FIRST, ALL_LAST, False),
    ],
)
def test_x27_wants_two_machines_on_which_all_does_not_pay(
    p690: tuple[float, ...], altix: tuple[float, ...], seaborg: tuple[float, ...], holds: bool
) -> None:
    own = {MSP: NONE_FIRST, "p690": p690, "altix": altix, "seaborg": seaborg}
    slow = times(dict.fromkeys(own, ALL_LAST), factor=0.01)
    claim = claims.costs_more({**times(own), **slow})
    assert (claim.id, claim.holds) == ("x27", holds)
    # Between a hundredth of its own bandwidth, 1.6 GB/s, and all of it.
    if not holds:
        says(claim.sentence, "altix below about 1.6e+02 MB/s")


def test_the_bandwidth_at_which_all_begins_to_pay_is_between_two_that_were_looked_at() -> None:
    found = {**times({MSP: ALL_LAST}, 1e-4), **times({MSP: NONE_FIRST}, 1e-2)}
    assert crossing(found, MSP) == pytest.approx(1e-3)
    assert crossing(times({MSP: NONE_FIRST}), MSP) is None


def test_x28_wants_less_time_in_phases_for_more_bytes() -> None:
    before, after = Time(2.0, 1.0, 0.9, 1.0, 1.5, 0.0), Time(1.2, 0.3, 0.1, 1.0, 1.0, 5e6)
    for one, other, holds in ((before, after, True), (after, before, False)):
        found = times({MSP: NONE_FIRST}) | {
            Way(MSP, CHARTED, SCHEMES[0]): one, Way(MSP, CHARTED, SCHEMES[-1]): other,
        }  # fmt: skip
        claim = claims.looks_like(found)
        assert (claim.id, claim.holds) == ("x28", holds)
    assert {"x26", "x27", "x28"} <= CRAY_X1.statements.keys()


def test_quick_ways_are_among_all_and_the_table_has_every_machine() -> None:
    assert set(QUICK.ways()) <= set(FULL.ways())
    table = make_table(times(dict.fromkeys(MACHINES, NONE_FIRST)))
    assert [row[0] for row in table.rows] == list(MACHINES)
    assert {row[7] for row in table.rows} == {"all"}


def test_balance_evens_out_the_load_and_sends_columns_for_it() -> None:
    found = {way: predicted(way) for way in (Way(MSP, 32, "none"), Way(MSP, 32, "all"))}
    before, after = on(found, MSP, 32).values()
    assert before.load > 1.2 and after.load < 1.02
    assert before.sent == 0.0 and after.sent > 1e6
    # What is sent takes less time than waiting for the rank that is lit all day.
    assert after.communicating < 0.2 * before.communicating
    assert 0.0 < after.moving <= after.communicating and before.moving == 0.0
