"""The slides' claims on PSTSWM by their rules, on made-up rates, and a small chapter from end to
end.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from phasewise.errors import RunError
from phasewise.loopmarks.compiling import CHECKOUT
from phasewise.loopmarks.picture import extent_of
from phasewise.machines.smpirun import simulated_tree
from phasewise.report import figure
from phasewise.reproduction.reproducing import Reproducing
from phasewise.workload.discovery import find_workload
from phasewise.workloads.sphere import reproducing
from phasewise.workloads.sphere.bench import LEVELS_AT
from phasewise.workloads.sphere.communication import FAST
from phasewise.workloads.sphere.reproduction import claims, simulated, variants
from phasewise.workloads.sphere.reproduction.listings import SOURCES
from phasewise.workloads.sphere.reproduction.measured import Range, Timing, range_of
from phasewise.workloads.sphere.reproduction.simulated import MACHINES, MSP, SSP, Way
from phasewise.workloads.sphere.reproduction.variants import FULL, QUICK, Extent, Variant
from tests.sentences import says

NOISE = (0.99, 1.0, 1.01, 1.0, 1.0)
"""Timesteps over their median: their range is 2 % wide."""


def timing(
    seconds: float, kernel: str = FAST, fourier: float = 0.3, legendre: float = 0.6
) -> Timing:
    """Timesteps of 1 Gflop; those of other kernels are disturbed at other times."""
    noise = NOISE if kernel == FAST else NOISE[::-1]
    return Timing(tuple(seconds * one for one in noise), 1e9, (fourier,) * 5, (legendre,) * 5, {})


def versions(gain_of_one: float, gain_of_many: float) -> dict[Variant, Timing]:
    """Timesteps at T85 and T170; gains: shares of the time that compiled-in levels save."""
    gains = {1: gain_of_one, 18: gain_of_many}
    return {
        Variant(truncation, levels, kernel): timing(1.0 - gain * (kernel == "fixed"), kernel)
        for truncation in (85, 170)
        for levels, gain in gains.items()
        for kernel in ("fast", "fixed")
    }


@pytest.mark.parametrize(
    ("gains", "holds"),
    [
        ((0.2, 0.05), True),
        ((0.05, 0.2), False),
        ((0.06, 0.05), None),
        ((0.0, 0.0), None),
        ((-0.1, -0.2), False),
    ],
)
def test_x11_compares_gains_beyond_their_noise(
    gains: tuple[float, float], holds: bool | None
) -> None:
    claim = claims.compiled_in(versions(*gains))
    assert (claim.id, claim.holds, claim.reference) == ("x11", holds, "measured here")
    assert (claim.verdict == "undecided") is (holds is None)
    says(claim.ours, f"T170: {100 * gains[0]:.1f} %", "eighteen")
    assert "T85" not in claim.ours


def levels(*rates: float) -> dict[Variant, Timing]:
    return {
        Variant(LEVELS_AT, number): timing(1.0 / rate)
        for number, rate in zip((1, 8, 66), rates, strict=True)
    }


def on_machines(x1: tuple[float, ...], ssp: tuple[float, ...]) -> dict[str, dict[Variant, float]]:
    def curve(rates: tuple[float, ...]) -> dict[Variant, float]:
        return {Variant(LEVELS_AT, n): r for n, r in zip((1, 8, 66), rates, strict=True)}

    return {name: curve((0.8, 0.8, 0.8)) for name in MACHINES} | {MSP: curve(x1), SSP: curve(ssp)}


RISING = on_machines((0.2, 1.0, 3.0), (0.3, 1.2, 2.0))


@pytest.mark.parametrize(
    ("here", "machines", "holds"),
    [
        ((3.0, 4.0, 5.0), RISING, True),
        ((3.0, 5.0, 4.0), RISING, False),
        ((3.0, 3.0, 3.01), RISING, None),
        ((5.0, 4.9, 4.8), RISING, False),
        ((5.0, 4.9, 4.7), RISING, False),
        ((3.0, 5.0, 4.9), RISING, True),
        ((3.0, 5.0, 4.7), RISING, None),
        ((3.0, 4.0, 5.0), on_machines((0.2, 3.0, 1.0), (0.3, 1.2, 2.0)), False),
        ((3.0, 4.0, 5.0), on_machines((0.2, 1.0, 3.0), (0.3, 0.4, 0.5)), False),
        ((3.0, 4.0, 5.0), on_machines((0.2, 1.0, 3.0), (1.0, 1.2, 2.0)), False),
    ],
)
def test_x12_needs_growth_here_and_on_the_machines(
    here: tuple[float, ...], machines: Any, holds: bool | None
) -> None:
    claim = claims.growth(levels(*here), machines)
    assert (claim.id, claim.holds, claim.fitted) == ("x12", holds, True)
    assert claim.reference == "measured here and simulated"
    says(claim.ours, "1, 8, 66 levels", f"{here[0]:.2f}", "phoenix-ssp")
    says(claim.sentence, "p690 (15 % of its peak)", "altix (15 % of its peak)")


@pytest.mark.parametrize(
    ("fourier", "legendre", "holds"),
    [((0.26,), (0.51,), True), ((0.24,), (0.51,), False), ((0.24, 0.26), (0.51,), None)],
)
def test_x13_wants_a_quarter_and_a_half(
    fourier: tuple[float, ...], legendre: tuple[float, ...], holds: bool | None
) -> None:
    found = Timing((1.0,), 1e9, fourier, legendre, {})
    other = Timing((1.0,), 1e9, (0.1,), (0.1,), {})
    claim = claims.shares_of_peak({Variant(170): found, Variant(85): other, Variant(170, 1): other})
    assert (claim.id, claim.holds, claim.real) == ("x13", holds, True)
    says(claim.ours, "at T170", "51.0 %")


def ways(*times: float) -> dict[Way, float]:
    """Of timesteps with plain sums, with order-free ones, and with the slow rank; the transposing
    one first.
    """
    kinds = (("plain", False), ("order-free", False), ("plain", True))
    keys = [Way(name, *kind) for kind in kinds for name in ("transpose", "ring")]
    return dict(zip(keys, times, strict=True))


def test_x14_holds_where_the_transpose_is_faster_with_all_sums() -> None:
    first = claims.transpose_first(ways(1.0, 1.1, 1.2, 1.3, 2.0, 2.1), 4)
    assert (first.id, first.holds, first.reference) == ("x14", True, "simulated")
    says(first.ours, "1.000 s and 1.100 s", "1.200 s", "T680L96", "32 ranks", "4 blocks")
    says(first.sentence, "expected", "no result")
    assert claims.transpose_first(ways(1.0, 0.9, 1.2, 1.3, 2.0, 2.1), 4).holds is False
    assert claims.transpose_first(ways(1.0, 1.1, 1.2, 1.1, 2.0, 2.1), 4).holds is False


@pytest.mark.parametrize(("ring", "holds"), [(2.1, True), (2.3, False)])
def test_x15_holds_where_the_transpose_grows_by_a_larger_factor(ring: float, holds: bool) -> None:
    loads = {"transpose": 0.95, "ring": 1.0}
    found = claims.slow_rank(ways(1.0, 1.1, 1.2, 1.3, 2.0, ring), loads)
    assert (found.id, found.holds, found.fitted) == ("x15", holds, True)
    assert found.reference == "simulated"
    says(found.ours, "2.000", f"{ring / 1.1:.3f}", "rank 24")
    says(found.sentence, "0.95 of the work", "1.00 with the ring")


def test_a_range_holds_the_median_of_nine_values_without_their_extremes() -> None:
    """Of nine values the second and the last but one hold the median with 96 %, the third and the
    seventh with 82 %.
    """
    assert range_of([9, 1, 5, 2, 8, 3, 7, 4, 6]) == Range(5, 2, 8)
    assert range_of([3, 1, 2, 4]) == Range(2.5, 1, 4)


@pytest.mark.parametrize("extent", [FULL, QUICK])
def test_what_is_measured_holds_what_the_claims_compare(extent: Extent) -> None:
    found = {variant for group in extent.versions() for variant in group}
    assert extent.last in found and extent.last.truncation >= variants.LARGE
    for truncation in (one for one in extent.truncations if one >= variants.LARGE):
        for number in (1, 18):
            assert {Variant(truncation, number, kernel) for kernel in ("fast", "fixed")} <= found
    assert (extent.levels[0], extent.levels[-1]) == (1, 66)
    assert {Variant(LEVELS_AT, n) for n in extent.levels} <= set(simulated.variants_on_machines())


@pytest.mark.parametrize("kernel", SOURCES)
def test_the_listed_loops_stand_in_the_source(kernel: str) -> None:
    source = SOURCES[kernel]
    (begins,) = source.functions
    if not (CHECKOUT / source.file).is_file():
        pytest.skip("this is no checkout")
    texts = (CHECKOUT / source.file).read_text().splitlines()
    first, last = extent_of(texts, begins)
    assert any("for (" in text for text in texts[first:last]) and last - first < 30


def test_a_small_chapter_has_a_picture_of_every_slide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    try:
        simulated_tree()
    except RunError as error:
        pytest.skip(str(error))
    small = Extent((5, 10), 5, {1: 5, 18: 5}, (1, 66), 2, 1, (), 1, ("plain",))
    monkeypatch.setattr(reproducing, "QUICK", small)
    monkeypatch.setattr(claims, "LARGE", 10)
    monkeypatch.setattr(figure, "PNG_RESOLUTION", 40)
    monkeypatch.setattr(simulated, "TRUNCATIONS", (5, 10))
    monkeypatch.setattr(variants, "PROBLEM", (21, 1))
    monkeypatch.setattr(simulated, "RANKS", 4)
    for module in (simulated, claims):
        monkeypatch.setattr(module, "SLOW", {2: 2.0})
    found = find_workload("sphere").part(Reproducing).chapter(tmp_path, True, 1)
    assert [claim.id for claim in found.claims] == ["x11", "x12", "x13", "x14", "x15"]
    drawn = {one.name for one in found.figures if one.svg is not None}
    assert {one.name for one in found.figures} - drawn == {
        "sphere-loopmarks", "sphere-together",
    }  # fmt: skip
    assert all((tmp_path / f"{name}.png").is_file() for name in drawn) and len(drawn) == 9
    assert {point["kernel"] for point in found.record["versions"]} == {"plain", FAST, "fixed"}
    assert found.record["algorithms"][0]["seconds"] > 0.0
    assert [table.title.split(":")[0] for table in found.tables] == [
        "PSTSWM Experiment Particulars", "Memory alignment",
    ]  # fmt: skip
