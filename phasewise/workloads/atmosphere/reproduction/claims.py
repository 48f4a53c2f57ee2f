"""The slides' claims on CAM's load balance, each with the rule that decides whether it holds. Times
are predictions, which have no noise.
"""

from __future__ import annotations

from collections.abc import Mapping

from phasewise.machines import load_machine
from phasewise.reproduction.claim import Claim
from phasewise.reproduction.cray_x1 import CRAY_X1
from phasewise.workloads.atmosphere.communication import ALL, NONE
from phasewise.workloads.atmosphere.crossover import bandwidth_of
from phasewise.workloads.atmosphere.reproduction.times import (
    CHARTED,
    CHEAPER,
    GRID,
    LEVELS,
    MSP,
    OTHERS,
    Time,
    Times,
    crossing,
    does_not_pay,
    on,
    ranks_in,
    rounded,
)

TIE = 1e-3
"""Timesteps that differ by less of them are as long as each other: the model is off by more."""
FEWEST = 2
"""Of the three other machines, how many the claim needs."""
PHYSICS = (
    "Our physics of a column is less than CAM's, whose columns cost more for the same bytes that "
    "move."
)
ASSUMED = "The times to start a loop, and rates of the other machines, are assumed in their files."


def check_claims(times: Times) -> tuple[Claim, ...]:
    """x26 to x28."""
    return best_on_x1(times), costs_more(times), looks_like(times)


def best_on_x1(times: Times) -> Claim:
    """x26: on each number of ranks of the X1 no scheme has a timestep that is shorter than that of
    `all` by a thousandth.
    """
    words, verdicts = [], []
    for ranks in ranks_in(times):
        own = on(times, MSP, ranks)
        verdicts.append(all(own[ALL].seconds * (1 - TIE) <= one.seconds for one in own.values()))
        words.append(f"{ranks} ranks: {_in_words(own)}")
    own = on(times, MSP, CHARTED)
    gain = own[NONE].seconds / own[ALL].seconds
    other = min(one.seconds for name, one in own.items() if name != ALL)
    ahead = other / own[ALL].seconds - 1.0
    beside = (
        "is as fast" if abs(ahead) < TIE else f"takes {other / own[ALL].seconds:.3f} times as long"
    )
    sentence = (
        f"Timesteps [ms] of {GRID[0]} × {GRID[1]} columns of {LEVELS} levels on the solstice, with "
        f"whole latitudes on each rank. On {CHARTED} ranks `all` makes them {gain:.2f} times as "
        f"fast, and the best other scheme {beside}. Bands of latitude on both "
        "sides of the equator have together as many lit columns as any other such pair, so that "
        "schemes with one partner even them out as well. "
        f"{ASSUMED}"
    )
    return CRAY_X1.claim("x26", "; ".join(words), all(verdicts), sentence, fitted=True)


def costs_more(times: Times) -> Claim:
    """x27: on at least two of the other machines `none` is as fast as `all` on 128 ranks, or a
    cheaper scheme is at least as fast as it.
    """
    found = {name: on(times, name, CHARTED) for name in OTHERS}
    so = [name for name, own in found.items() if does_not_pay(own)]
    costly = [name for name, own in found.items() if own[NONE].seconds <= own[ALL].seconds]
    cheaper = {
        name: min(CHEAPER, key=lambda scheme: found[name][scheme].seconds)
        for name, own in found.items()
        if any(own[scheme].seconds <= own[ALL].seconds for scheme in CHEAPER)
    }
    words = "; ".join(f"{name}: {_in_words(own)}" for name, own in found.items())
    sentence = (
        f"Timesteps [ms] on {CHARTED} ranks. `none` is as fast as `all` on "
        f"{', '.join(costly) or 'none of them'}; a cheaper scheme is at least as fast as it on "
        f"{', '.join(f'{name} ({one})' for name, one in cheaper.items()) or 'none of them'}. "
        f"{_bandwidths(times)} {PHYSICS} {ASSUMED}"
    )
    return CRAY_X1.claim("x27", words, len(so) >= FEWEST, sentence, fitted=True)


def _bandwidths(times: Times) -> str:
    """What bandwidth it would take until `none` is as fast as `all`."""
    told = []
    for name in OTHERS:
        at, own = crossing(times, name), bandwidth_of(load_machine(name), CHARTED)
        if at is None:
            told.append(f"{name} at none of those that were looked at")
        else:
            told.append(f"{name} below about {at * own / 1e6:.2g} MB/s ({at:.2g} of its own)")
    return f"`none` would be as fast as `all` on {', '.join(told)}."


def looks_like(times: Times) -> Claim:
    """x28: with `all` the time in phases on 128 ranks of the X1, waiting included, is shorter,
    although more is sent.
    """
    own = on(times, MSP, CHARTED)
    before, after = own[NONE], own[ALL]
    words = (
        f"on {CHARTED} ranks of {MSP}: {1e3 * before.communicating:.3g} ms in phases with none, "
        f"{1e3 * after.communicating:.3g} ms with all, for {before.sent / 1e6:.3g} and "
        f"{after.sent / 1e6:.3g} MB of columns"
    )
    holds = after.communicating < before.communicating and after.sent > before.sent
    sentence = (
        "Means over the ranks. With none all of it is the sum that ends a timestep, in which ranks "
        f"wait for the slowest one; with all columns move for {1e3 * after.moving:.3g} ms, and the "
        f"largest over the mean cost of a rank falls from {before.load:.3f} to {after.load:.3f}. "
        f"{ASSUMED}"
    )
    return CRAY_X1.claim("x28", words, holds, sentence, fitted=True)


def _in_words(of: Mapping[str, Time]) -> str:
    """Milliseconds of each scheme."""
    return f"{', '.join(of)} {rounded(1e3 * one.seconds for one in of.values())}"
