"""The slides' claims on POP by their rules, on made-up times, and a small chapter from end to
end.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from phasewise.loopmarks.compiling import CHECKOUT
from phasewise.loopmarks.picture import extent_of
from phasewise.report import figure
from phasewise.reproduction.claim import Claim
from phasewise.reproduction.reproducing import Reproducing
from phasewise.workload.discovery import find_workload
from phasewise.workloads.ocean import reproducing
from phasewise.workloads.ocean.grid import TENTH
from phasewise.workloads.ocean.reproduction import charts, claims
from phasewise.workloads.ocean.reproduction.listings import SOURCES
from phasewise.workloads.ocean.reproduction.stages import (
    ALTIX,
    COARRAYS,
    LARGER,
    MESSAGES,
    MSP,
    NODES,
    ORIGINAL,
    SIMULATOR,
    STORES,
    VECTOR,
    Way,
    machine_of,
)
from phasewise.workloads.ocean.reproduction.times import (
    CHARTED,
    FULL,
    QUICK,
    TWICE,
    Extent,
    Time,
    Times,
    bound_from,
    on_grids,
    posted,
    predicted,
)
from tests.sentences import says


def time(share: float = 0.5, seconds: float = 1.0, **parts: float) -> Time:
    """A timestep with this share of communication."""
    usual = {"momentum": 0.1, "baroclinic_boundary": 0.1, "barotropic_boundary": 0.1}
    return Time(seconds, share * seconds, (1 - share) * seconds, usual | parts, 1.0, "1x1")


def stage(name: str, machine: str, shares: dict[int, float], grid: str = "x1") -> Times:
    return {Way(name, machine, ranks, grid): time(share) for ranks, share in shares.items()}


def claim_of(times: Times, check: str) -> Claim:
    found: Claim = getattr(claims, check)(times)
    assert found.reference == "simulated"
    return found


@pytest.mark.parametrize(("gain", "holds"), [(8.0, True), (3.0, False), (20.0, False)])
def test_x19_wants_about_eight_times(gain: float, holds: bool) -> None:
    own = {
        Way(ORIGINAL, MSP, CHARTED): time(momentum=0.0, momentum_plain=0.1 * gain),
        Way(VECTOR, MSP, CHARTED): time(),
    }
    found = claim_of(own, "vector_loops")
    assert (found.id, found.holds, found.fitted) == ("x19", holds, True)
    says(found.ours, f"{gain:.1f} times")


@pytest.mark.parametrize(
    ("before", "other", "holds"), [(0.2, 1.01, True), (0.05, 1.01, False), (0.2, 1.06, False)]
)
def test_x20_wants_both_boundaries_shorter_and_no_sense_of_posting(
    before: float, other: float, holds: bool
) -> None:
    own = {
        Way(VECTOR, MSP, CHARTED): time(baroclinic_boundary=before, barotropic_boundary=0.3),
        Way(MESSAGES, MSP, CHARTED): time(),
        posted(): time(seconds=other),
    }
    assert claim_of(own, "packed_messages").holds is holds


@pytest.mark.parametrize(("seconds", "holds"), [(0.9, True), (0.7, False)])
def test_x21_wants_little_from_twice_as_many_ranks(seconds: float, holds: bool) -> None:
    own = {
        Way(MESSAGES, MSP, TWICE[0]): time(),
        Way(MESSAGES, MSP, TWICE[1]): time(seconds=seconds),
    }
    assert claim_of(own, "two_sided").holds is holds


@pytest.mark.parametrize(
    ("shares", "holds"),
    [
        ({160: 0.4, 240: 0.6, 360: 0.7}, True),
        ({128: 0.4, 160: 0.6, 240: 0.6}, True),
        ({128: 0.6, 160: 0.6, 240: 0.6}, False),
        ({160: 0.4, 240: 0.4, 360: 0.4}, False),
    ],
)
def test_x22_wants_the_bound_beyond_240(shares: dict[int, float], holds: bool) -> None:
    found = claim_of(stage(COARRAYS, LARGER, shares), "coarrays")
    assert found.holds is holds
    says(found.sentence, "128 nodes", "times as long")


@pytest.mark.parametrize(
    ("shares", "holds"), [({32: 0.3, 128: 0.6}, True), ({32: 0.6, 128: 0.6}, False)]
)
def test_x23_wants_the_bound_at_128(shares: dict[int, float], holds: bool) -> None:
    assert claim_of(stage(MESSAGES, SIMULATOR, shares), "earth_simulator").holds is holds


@pytest.mark.parametrize(
    ("share", "gain", "holds"), [(0.4, 1.05, True), (0.6, 1.05, False), (0.4, 1.2, False)]
)
def test_x24_wants_no_bound_and_no_gain(share: float, gain: float, holds: bool) -> None:
    own = {
        Way(MESSAGES, ALTIX, 256): time(share),
        Way(STORES, ALTIX, 256): time(share, 1.0 / gain),
    }
    assert claim_of(own, "altix").holds is holds


@pytest.mark.parametrize(
    ("on_x1", "beyond", "holds"),
    [
        (0.4, {320: 0.4, 1280: 0.6}, True),
        (0.6, {320: 0.4, 1280: 0.6}, False),
        (0.4, {320: 0.6, 1280: 0.6}, False),
    ],
)
def test_x25_wants_computing_up_to_500_and_messages_from_1280(
    on_x1: float, beyond: dict[int, float], holds: bool
) -> None:
    own = {
        **stage(COARRAYS, LARGER, {500: on_x1, 512: 0.9}, TENTH),
        **stage(MESSAGES, SIMULATOR, beyond, TENTH),
    }
    assert claim_of(own, "tenth").holds is holds


def test_communication_bounds_from_the_last_number_of_ranks_that_it_does_not() -> None:
    shares = {16: 0.6, 32: 0.4, 64: 0.6, 128: 0.7}
    assert bound_from({ranks: time(share) for ranks, share in shares.items()}) == 64
    assert bound_from({16: time(0.6), 32: time(0.4)}) is None


@pytest.mark.parametrize("extent", [FULL, QUICK])
def test_what_is_predicted_holds_what_the_claims_compare(extent: Extent) -> None:
    ways = extent.ways()
    assert len(ways) == len(set(ways))
    assert {Way(name, MSP, CHARTED) for name in (ORIGINAL, VECTOR, MESSAGES, COARRAYS)} < {*ways}
    assert {Way(MESSAGES, MSP, ranks) for ranks in TWICE} | {posted()} < set(ways)
    assert claims.MIDDLE in extent.coarrays and claims.MOST_ON_ALTIX in extent.altix
    assert charts.QUICK_RANKS in QUICK.compared and charts.RANKS in FULL.compared


def test_the_copy_of_the_machine_has_twice_as_many_nodes() -> None:
    one, other = machine_of(MSP), machine_of(LARGER)
    assert (one.nodes, other.nodes) == (64, NODES)
    assert replace(other, name=one.name, nodes=one.nodes) == one


@pytest.mark.parametrize("title", SOURCES)
def test_the_listed_loops_stand_in_the_source(title: str) -> None:
    source = SOURCES[title]
    if not (CHECKOUT / source.file).is_file():
        pytest.skip("this is no checkout")
    texts = (CHECKOUT / source.file).read_text().splitlines()
    for begins in source.functions:
        first, last = extent_of(texts, begins)
        assert last - first < 60


def test_a_prediction_takes_the_fastest_of_all_process_grids() -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    way = Way(MESSAGES, MSP, 8)
    best = predicted(way)
    each = [
        predicted(replace(way, changes=(("process_grid", study.communication.grid_text),)))
        for study in on_grids(way, FULL.grids)
    ]
    assert len(each) > 2
    fastest = min(each, key=lambda one: one.seconds)
    assert (best.seconds, best.process_grid) == (fastest.seconds, fastest.process_grid)
    parts = sum(best.parts.values())
    assert 0 < best.share < 1 and parts == pytest.approx(best.seconds, rel=0.5)


def test_a_small_chapter_has_a_picture_of_every_slide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    few = replace(
        QUICK, compared=(8,), coarrays=(96, 240), simulator=(32,), tenth=(128,),
        tenth_simulator=(128,), grids=1,
    )  # fmt: skip
    monkeypatch.setattr(reproducing, "QUICK", few)
    monkeypatch.setattr(charts, "QUICK_RANKS", 8)
    monkeypatch.setattr(charts, "QUICK_ITERATIONS", 2)
    monkeypatch.setattr(figure, "PNG_RESOLUTION", 40)
    found = find_workload("ocean").part(Reproducing).chapter(tmp_path, True, 1)
    assert [claim.id for claim in found.claims] == [f"x{number}" for number in range(19, 26)]
    assert all(claim.holds is not None for claim in found.claims)
    drawn = {one.name for one in found.figures if one.svg is not None}
    curves = {"ocean-platforms", "ocean-implementations", "ocean-diagnosis", "ocean-tenth"}
    pairs = {f"ocean-{impact}-{name}" for impact in charts.IMPACTS for name in charts.CHARTS}
    assert drawn == curves | pairs | {"ocean-co-array-fortran-solver"}
    assert {point["stage"] for point in found.record["timesteps"]} >= {ORIGINAL, COARRAYS}
