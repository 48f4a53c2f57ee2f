"""The slides' claims on PSTSWM, each with the rule that decides whether it holds. Where what is
measured lies within its noise, a claim is left undecided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from phasewise.output import number_of
from phasewise.reproduction.claim import Claim
from phasewise.reproduction.cray_x1 import CRAY_X1
from phasewise.workloads.sphere.bench import USUAL_LEVELS
from phasewise.workloads.sphere.communication import FAST, FIXED
from phasewise.workloads.sphere.reproduction.measured import Measured, Range, Timings, range_of
from phasewise.workloads.sphere.reproduction.simulated import (
    ALTIX,
    MSP,
    P690,
    SSP,
    Rates,
    Simulated,
    Way,
    assumed_rates,
)
from phasewise.workloads.sphere.reproduction.variants import (
    ALGORITHMS,
    COMPARED_LEVELS,
    LARGE,
    PROBLEM,
    RANKS,
    SLOW,
    Variant,
    by_levels,
    by_truncation,
)

PLACEMENT = 0.01
"""Share by which two runs of the same program may differ for as long as they last, since each has
its own place in memory; rates that differ by less count as equal.
"""
FALL = 0.05
"""Share by which a rate may fall below that of fewer levels and still count as growing."""
FFT_SHARE, LEGENDRE_SHARE = 0.25, 0.5
"""Shares of the peak that the slide gives."""
NO_GAIN = Range(0.0, 0.0, 0.0)
ASSUMED_BANDWIDTH = "What a rank alone can send is assumed in the machine's file."


def check_claims(measured: Measured, simulated: Simulated) -> tuple[Claim, ...]:
    """x11 to x15."""
    return (
        compiled_in(measured.versions),
        growth(measured.levels, simulated.rates),
        shares_of_peak(measured.versions),
        transpose_first(simulated.seconds, simulated.blocks),
        slow_rank(simulated.seconds, simulated.loads),
    )


def compiled_in(versions: Timings) -> Claim:
    """x11: from T170 on the number of levels, compiled in, makes one level faster, and by more than
    eighteen.
    """
    found, verdicts = [], []
    for truncation in sorted({one.truncation for one in versions if one.truncation >= LARGE}):
        one, many = (_gain(versions, truncation, levels) for levels in COMPARED_LEVELS)
        verdicts += [_exceeds(one, NO_GAIN, PLACEMENT), _exceeds(one, many, PLACEMENT)]
        found.append(
            f"T{truncation}: {_percent(one)} with one level, {_percent(many)} with eighteen"
        )
    words = f"less time by {'; '.join(found)}"
    sentence = (
        "These are medians over pairs of timesteps in turn, each with a range that holds it. Only "
        "the loops that combine the coefficients of products have the number of levels compiled "
        "in; products of matrices do not."
    )
    return CRAY_X1.claim("x11", words, _all(verdicts), sentence, real=True)


def _gain(versions: Timings, truncation: int, levels: int) -> Range:
    """By which share of its time the program is faster with the levels compiled in."""
    fast, fixed = (versions[Variant(truncation, levels, kernel)] for kernel in (FAST, FIXED))
    ratio = fixed.times(fast)
    return Range(1.0 - ratio.median, 1.0 - ratio.high, 1.0 - ratio.low)


def growth(levels: Timings, rates: Rates) -> Claim:
    """x12: with more levels at T85 the rate grows, measured here and on the X1; on an SSP it begins
    below those of the p690 and the Altix and ends above them.
    """
    own = {number: timing.gigaflops for number, timing in by_levels(levels).items()}
    curves = {name: by_levels(of) for name, of in rates.items()}
    on_x1 = list(curves[MSP].values())
    passed = {name: _passes(curves[SSP], curves[name]) for name in (P690, ALTIX)}
    verdicts = [
        _grows(list(own.values())),
        on_x1 == sorted(on_x1) and on_x1[0] < on_x1[-1],
        all(number is not None for number in passed.values()),
    ]
    words = (
        f"here, {', '.join(map(str, own))} levels: "
        f"{', '.join(f'{rate.median:.2f}' for rate in own.values())} Gflop/s; "
        f"{MSP}, 1 and {max(curves[MSP])} levels: {on_x1[0]:.2f} and {on_x1[-1]:.2f}; "
        f"{SSP} passes {', '.join(_passing(name, at) for name, at in passed.items())}"
    )
    sentence = (
        "On the machines the rate depends on the levels by the length of loops: a loop takes "
        f"whole vectors and the time to start, which is assumed. {assumed_rates()}"
    )
    return CRAY_X1.claim("x12", words, _all(verdicts), sentence, real=True, mixed=True, fitted=True)


def _passes(rates: Mapping[int, float], others: Mapping[int, float]) -> int | None:
    """From which number of levels on a rate is above another one, below which it begins; None if it
    is not like that.
    """
    below = [number for number, rate in rates.items() if rate <= others[number]]
    if not below or max(below) == max(rates):
        return None
    return min(number for number in rates if number > max(below))


def _passing(name: str, number: int | None) -> str:
    return f"{name} not at all" if number is None else f"{name} at {number}"


def _grows(rates: Sequence[Range]) -> bool | None:
    """Whether no rate falls below an earlier one by more than FALL, and the last is above the
    first; None where noise leaves that open.
    """
    pairs = [(one, later) for at, one in enumerate(rates) for later in rates[at + 1 :]]
    if any(later.high < (1.0 - FALL) * one.low for one, later in pairs):
        return False
    hidden = any(later.median < (1.0 - FALL) * one.median for one, later in pairs)
    above = _exceeds(rates[-1], rates[0], PLACEMENT * rates[-1].median)
    return _all([None if hidden else True, above])


def shares_of_peak(versions: Timings) -> Claim:
    """x13: with eighteen levels, at some truncation, each of them reaches its share."""
    own = by_truncation(versions, USUAL_LEVELS, FAST)
    words, verdicts = [], []
    for name, share, values in (
        ("FFT", FFT_SHARE, {at: range_of(one.fourier) for at, one in own.items()}),
        ("LT", LEGENDRE_SHARE, {at: range_of(one.legendre) for at, one in own.items()}),
    ):
        best = max(values, key=lambda at: values[at].median)
        found = values[best]
        verdicts.append(True if found.low >= share else False if found.high < share else None)
        words.append(f"{name} {_percent(found)} at T{best}")
    sentence = (
        "The peak is the rate of multiply-adds in registers, measured between the timesteps. Flops "
        "are those of the kernels' cards, which count the moves of a row beside its FFT. There are "
        "eighteen levels here; the slide does not say how many it has."
    )
    return CRAY_X1.claim("x13", "; ".join(words), _all(verdicts), sentence, real=True)


def transpose_first(seconds: Mapping[Way, float], blocks: int) -> Claim:
    """x14: the transposing timestep takes less time, however the sums are added; blocks: of the
    ring.
    """
    found, verdicts = [], []
    for sums in dict.fromkeys(way.sums for way in seconds):
        transpose, ring = (seconds[Way(name, sums)] for name in ALGORITHMS)
        verdicts.append(transpose < ring)
        found.append(f'{transpose:.3f} s and {ring:.3f} s with sums = "{sums}"')
    truncation, levels = PROBLEM
    words = (
        f"a timestep of T{truncation}L{levels} on {RANKS} ranks of {MSP}, transpose and ring "
        f"in {number_of(blocks, 'block')}: {'; '.join(found)}"
    )
    sentence = (
        "The slide expected this, and its text gives no result, so that this agrees with an "
        'expectation. PSTSWM adds sums as sums = "plain" does. ' + ASSUMED_BANDWIDTH
    )
    return CRAY_X1.claim("x14", words, all(verdicts), sentence, fitted=True)


def slow_rank(seconds: Mapping[Way, float], loads: Mapping[str, float]) -> Claim:
    """x15: the slow rank makes the transposing timestep longer by a larger factor than the ring's,
    with sums as in the source.
    """
    ways = {way.legendre: way for way in seconds if way.slow}
    transpose, ring = (
        seconds[ways[name]] / seconds[replace(ways[name], slow=False)] for name in ALGORITHMS
    )
    ((rank, times),) = SLOW.items()
    words = (
        f"with rank {rank} slow by {times:g} a timestep takes {transpose:.3f} times as long with "
        f"the transpose, {ring:.3f} times with the ring"
    )
    by_transpose, by_ring = (loads[name] for name in ALGORITHMS)
    sentence = (
        "Both ways need all ranks in every timestep, so that both wait for the slow one. Without "
        f"its slowness it has {by_transpose:.2f} of the work of the busiest other rank with the "
        f"transpose, and {by_ring:.2f} with the ring. The busiest rank sets the time when none is "
        f"slow. On the slide process {rank} is slow in the transposing run alone, perhaps by the "
        f"alignment of its memory; here it is slow in both. {ASSUMED_BANDWIDTH}"
    )
    return CRAY_X1.claim("x15", words, transpose > ring, sentence, fitted=True)


def _exceeds(one: Range, other: Range, least: float) -> bool | None:
    """Whether a value is above another one; None if they differ by no more than their noise and
    `least`.
    """
    if one.low > other.high + least:
        return True
    return False if one.high < other.low - least else None


def _all(verdicts: Sequence[bool | None]) -> bool | None:
    """Whether all hold; None if some are undecided and none fails."""
    if not all(verdict is not False for verdict in verdicts):
        return False
    return None if None in verdicts or not verdicts else True


def _percent(share: Range) -> str:
    """A share with the range that holds it."""
    return f"{100 * share.median:.1f} % ({100 * share.low:.1f} to {100 * share.high:.1f})"
