"""The slides' claims on EVH1 by their rules, on made-up times, and a small chapter from end to
end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from phasewise.loopmarks.compiling import CHECKOUT
from phasewise.loopmarks.picture import extent_of
from phasewise.machines import load_machine
from phasewise.models.model import Case
from phasewise.models.prediction import turn_of
from phasewise.report import figure
from phasewise.reproduction.reproducing import Reproducing
from phasewise.workload.discovery import find_workload
from phasewise.workloads.hydro import reproducing
from phasewise.workloads.hydro.communication import FAST
from phasewise.workloads.hydro.reproduction import claims
from phasewise.workloads.hydro.reproduction.listings import SOURCES
from phasewise.workloads.hydro.reproduction.pictures import make_table, variants_of
from phasewise.workloads.hydro.reproduction.times import (
    FULL,
    GRIDS,
    MODEL,
    QUICK,
    Compared,
    Extent,
    Time,
    Times,
    Way,
    leads,
    predicted,
)
from tests.sentences import says

NUMBERS = (1, 2, 8, 32)
Leads = Mapping[int, tuple[float, ...]]
HELD: Leads = {
    128: (2.2, 2.0, 1.6, 0.5),
    256: (1.2, 1.2, 1.1, 0.6),
    512: (1.1, 1.1, 1.05, 0.8),
}


def times(found: Leads, fast: tuple[float, float] = (0.5, 0.9)) -> Times:
    """Timesteps of 1 s on MSPs, a tenth of it messages; fast: shares of the time that loops over
    all pencils take on MSPs and on SSPs.
    """
    made: dict[Way, Time] = {}
    for zones, ratios in found.items():
        for number, ratio in zip(NUMBERS, ratios, strict=True):
            for ssp, seconds in ((False, 1.0), (True, 1.0 / ratio)):
                gain = seconds * (1.0 - fast[ssp])
                made[Way(zones, number, ssp)] = Time(
                    seconds, 0.1 * seconds, 0.9 * seconds, 0.01, 0.1, gain
                )
    return made


@pytest.mark.parametrize(
    ("ratios", "holds"),
    [
        (HELD[128], True),
        ((2.6, 2.0, 1.6, 0.5), False),
        ((2.2, 2.0, 1.4, 0.5), False),
        ((2.2, 2.0, 1.6, 1.1), False),
    ],
)
def test_x16_wants_twice_up_to_eight_and_less_than_once_at_the_end(
    ratios: tuple[float, ...], holds: bool
) -> None:
    claim = claims.half_vectors(times({128: ratios}), Compared(0.004, 6))
    assert (claim.id, claim.holds, claim.fitted) == ("x16", holds, True)
    assert claim.reference == "simulated"
    says(claim.ours, "1, 2, 8, 32 MSPs", f"{ratios[2]:.2f}")
    says(claim.sentence, "10 % of their timestep", "31 messages", "6 timesteps", "0.4 %")


@pytest.mark.parametrize(
    ("zones", "ratios", "holds"),
    [
        (256, HELD[256], True),
        (256, (1.2, 1.2, 0.9, 0.6), False),
        (512, (2.3, 1.2, 1.1, 0.6), False),
        (512, (1.2, 1.2, 1.1, 1.01), False),
    ],
)
def test_x17_wants_a_smaller_lead_that_is_lost(
    zones: int, ratios: tuple[float, ...], holds: bool
) -> None:
    claim = claims.longer_vectors(times({**HELD, zones: ratios}))
    assert (claim.id, claim.holds) == ("x17", holds)
    says(claim.ours, "256²", "512²")
    says(claim.sentence, "by 2.20 at most")


@pytest.mark.parametrize(
    ("shares", "holds"), [((0.5, 0.9), True), ((0.9, 0.5), False), ((0.9, 0.9), False)]
)
def test_x18_holds_where_msps_gain_more(shares: tuple[float, float], holds: bool) -> None:
    claim = claims.outer_loops(times(HELD, shares))
    assert (claim.id, claim.holds) == ("x18", holds)
    says(claim.ours, f"{1 / shares[0]:.2f}", f"{1 / shares[1]:.2f}")
    says(claim.sentence, "expects", "no figure")


@pytest.mark.parametrize("extent", [FULL, QUICK])
def test_what_is_predicted_holds_what_the_claims_compare(extent: Extent) -> None:
    ways = extent.ways()
    assert len(ways) == len(set(ways))
    for zones in GRIDS:
        numbers = extent.msps[zones]
        assert {1, 4, 8} <= set(numbers) and max(numbers) > claims.FEW
        assert all(Way(zones, n, ssp) in ways for n in numbers for ssp in (False, True))
    assert max(way.ranks for way in ways if way.zones == 128) == 128
    assert set(extent.simulated) <= set(ways)


def test_a_time_with_loops_over_all_pencils_is_that_of_its_own_study() -> None:
    """The gain changes no waiting, since all ranks have the same work."""
    pytest.importorskip("phasewise._core", reason="the core is not built")
    way = Way(128, 1, True)
    case = Case(way.study(FAST), load_machine(way.machine), way.ranks)
    found = predicted(way)
    assert found.fast == pytest.approx(turn_of(case, MODEL).seconds, rel=1e-9)
    assert 0.0 < found.between < found.starts < found.computing < found.seconds


def test_slower_parts_are_added() -> None:
    time = Time(1.0, 0.1, 0.9, 0.01, 0.1, 0.2)
    assert time.with_more(between=10.0) == pytest.approx(1.09)
    assert time.with_more(starts=5.0) == pytest.approx(1.4)
    assert time.with_more(computing=2.0) == pytest.approx(1.9)
    found = variants_of(times(HELD), 128)
    says(" ".join(found), "10 times", "2 times", "5 times", "Strang")
    assert not found["axes in turn (Strang)"]
    # More work of the same processors moves the ratio to that of the work alone.
    assert found["computing 2 times as long"][1] == pytest.approx(1.9 / (1.9 / 2.2))


@pytest.mark.parametrize("kernel", SOURCES)
def test_the_listed_solver_stands_in_the_source(kernel: str) -> None:
    source = SOURCES[kernel]
    if not (CHECKOUT / source.file).is_file():
        pytest.skip("this is no checkout")
    assert source.through is not None and (CHECKOUT / source.through).is_file()
    texts = (CHECKOUT / source.file).read_text().splitlines()
    for begins in source.functions:
        first, last = extent_of(texts, begins)
        assert any("for (" in text for text in texts[first:last]) and last - first < 30


def test_a_small_chapter_has_a_picture_of_every_slide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    few: dict[int, tuple[int, ...]] = dict.fromkeys(GRIDS, (1,))
    monkeypatch.setattr(reproducing, "QUICK", replace(QUICK, msps=few, alone={128: (2,)}))
    monkeypatch.setattr(figure, "PNG_RESOLUTION", 40)
    found = find_workload("hydro").part(Reproducing).chapter(tmp_path, True, 1)
    assert [claim.id for claim in found.claims] == ["x16", "x17", "x18"]
    assert all(claim.holds is not None for claim in found.claims)
    drawn = {one.name for one in found.figures if one.svg is not None}
    assert drawn == {f"hydro-{zones}" for zones in GRIDS}
    assert all((tmp_path / f"{name}.png").is_file() for name in drawn)
    points = found.record["timesteps"]
    assert {point["ranks"] for point in points} == {1, 2, 4}
    assert all(0 < point["seconds"]["fast"] < point["seconds"]["plain"] for point in points)


def test_the_table_has_every_grid_and_a_dash_where_there_is_no_time() -> None:
    table = make_table(times({**HELD, 512: HELD[512]}))
    assert {row[0] for row in table.rows} == {"128 × 128", "256 × 256", "512 × 512"}
    assert leads(times(HELD), 128)[1] == pytest.approx(2.2)
