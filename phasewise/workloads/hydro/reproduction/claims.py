"""The slides' claims on EVH1, each with the rule that decides whether it holds. Times are
predictions, which have no noise.
"""

from __future__ import annotations

from collections.abc import Iterable

from phasewise.output import number_of
from phasewise.reproduction.claim import Claim
from phasewise.reproduction.cray_x1 import CRAY_X1
from phasewise.workloads.hydro.reproduction.times import (
    GRIDS,
    SSPS,
    Compared,
    Ratios,
    Times,
    leads,
    pairs,
    rounded,
)

FEW = 8
"""Up to so many MSPs are few."""
TWICE = (1.5, 2.5)
"""What counts as approximately twice."""
SHORT, *LONGER = GRIDS
STARTS = 5
"""How many times as many loops VH-1 starts for a pencil as our sweep, which starts 13. Its `ppmlr`
calls `paraset` (3 loops) and three times `parabola` (8 loops); the slide's Riemann solver has 8.
These are 35, and the remap calls both again, for density, velocities and energy.
"""
STARTED = (
    f"VH-1 starts some {STARTS} times as many loops for a pencil: eight in each parabola, and one "
    "in each Newton step of the Riemann problem, where ours takes all eight steps in one loop."
)
ASSUMED = "The time to start a loop is assumed in the machines' files."


def check_claims(times: Times, compared: Compared | None) -> tuple[Claim, ...]:
    """x16 to x18."""
    return half_vectors(times, compared), longer_vectors(times), outer_loops(times)


def half_vectors(times: Times, compared: Compared | None) -> Claim:
    """x16: with 128² zones SSPs are approximately twice as fast at few MSPs, and slower at the
    largest number that has both.
    """
    found, (low, high) = leads(times, SHORT), TWICE
    twice = {number: low <= ratio <= high for number, ratio in few(found).items()}
    holds = all(twice.values()) and found[max(found)] < 1.0
    last = max(twice)
    msp, ssp = pairs(times, SHORT)[last]
    sentence = (
        f"Approximately twice is {low} to {high} times, on up to {FEW} MSPs; it is so on "
        f"{_numbers(number for number, so in twice.items() if so)}. On {last} MSPs the SSPs "
        f"compute {msp.computing / ssp.computing:.2f} times as fast, but "
        f"{_percent(ssp.communicating / ssp.seconds)} of their timestep are messages and waiting, "
        f"since each rank sends {SSPS * last - 1} messages in each of two redistributions. "
        f"{ASSUMED}{_simulated(compared)}"
    )
    return CRAY_X1.claim("x16", in_words(SHORT, found), holds, sentence, fitted=True)


def longer_vectors(times: Times) -> Claim:
    """x17: with more zones SSPs lead at few MSPs, at most by less than they do with 128² zones, and
    are slower at the largest number that has both.
    """
    bound = max(leads(times, SHORT).values())
    found = {zones: leads(times, zones) for zones in LONGER}
    holds = all(
        min(few(own).values()) > 1.0 and max(own.values()) < bound and own[max(own)] < 1.0
        for own in found.values()
    )
    first = [pairs(times, zones)[1] for zones in LONGER]
    alone = [msp.computing / ssp.computing for msp, ssp in first]
    more = [msp.with_more(starts=STARTS) / ssp.with_more(starts=STARTS) for msp, ssp in first]
    sentence = (
        f"Few are up to {FEW} MSPs; with {SHORT}² zones they lead by {bound:.2f} at most. Without "
        f"messages one MSP's SSPs would be {rounded(alone)} times as fast, since {SSPS} of them do "
        "the scalar work between loops, and start loops, at the same time; with messages their "
        f"lead is smaller, since one MSP sends none. {STARTED} With so many "
        f"loops they would be {rounded(more)} times as fast. {ASSUMED}"
    )
    words = "; ".join(in_words(zones, own) for zones, own in found.items())
    return CRAY_X1.claim("x17", words, holds, sentence, fitted=True)


def outer_loops(times: Times) -> Claim:
    """x18: loops over all pencils of a rank make timesteps faster by a larger factor in MSP mode
    than in SSP mode, on each grid and each number of processors.
    """
    words, verdicts, left = [], [], []
    for zones in GRIDS:
        own = pairs(times, zones)
        msps, ssps = ([both[n].seconds / both[n].fast for both in own.values()] for n in (0, 1))
        verdicts += [msp > ssp for msp, ssp in zip(msps, ssps, strict=True)]
        words.append(
            f"{zones}², {_numbers(own)}: MSPs {rounded(msps)}, SSPs {rounded(ssps)} times as fast "
            "as with loops along a pencil"
        )
        left.append(own[1][0].fast / own[1][1].fast)
    sentence = (
        'The slide expects this ("should"), and has no figure. With kernel = "fast" all pencils '
        "of a rank are one batch; temporaries are arrays over its zones and pencils, so that a "
        f"loop goes over both. The SSPs of one MSP are then {rounded(left)} times as fast as the "
        f"MSP, with {', '.join(f'{zones}²' for zones in GRIDS)} zones. {ASSUMED}"
    )
    return CRAY_X1.claim("x18", "; ".join(words), all(verdicts), sentence, fitted=True)


def few(ratios: Ratios) -> Ratios:
    """Those of few MSPs."""
    return {number: ratio for number, ratio in ratios.items() if number <= FEW}


def in_words(zones: int, found: Ratios) -> str:
    """How many times as fast SSPs are with a grid."""
    return f"{zones}², {_numbers(found)}: SSPs {rounded(found.values())} times as fast"


def _numbers(found: Iterable[int]) -> str:
    return f"{', '.join(map(str, found)) or 'no'} MSPs"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _simulated(compared: Compared | None) -> str:
    if compared is None:
        return ""
    return (
        f" Times are predicted by the model contention; {number_of(compared.count, 'timestep')} "
        f"were simulated, too, and differ by {100 * compared.largest:.2g} % at most."
    )
