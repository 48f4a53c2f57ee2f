"""What is made of simulated times of COMMTEST: the slides' claims by their rules."""

from __future__ import annotations

from phasewise.machines.turn_times import TurnTime
from phasewise.workloads.commtest.reproduction.claims import check_claims
from phasewise.workloads.commtest.reproduction.times import (
    CURVES,
    ECHO,
    FAR,
    MANY,
    NEAR,
    SHMEM,
    SWAP,
    X1,
    Curve,
    Point,
    Times,
)
from tests.sentences import says

LENGTHS = (8, 8192, 65536, 2**24)


def times(lost: dict[int, float], gain: float, gain_of_many: float = 1.5) -> Times:
    """A pair carries 1 B/s alone; lost: by many pairs at each length."""
    nothing = TurnTime(1.0, 1.0, 1.0, 1.0, False)

    def bandwidth(curve: Curve, length: int) -> float:
        alone = 1.0 - lost.get(length, 0.0) if curve.pairs == MANY else 1.0
        if curve.operator == SWAP:
            return alone
        return alone / (gain_of_many if curve.pairs == MANY else gain)

    return {c: {n: Point(nothing, bandwidth(c, n)) for n in LENGTHS} for c in CURVES}


def holds(found: Times) -> list[bool | None]:
    return [claim.holds for claim in check_claims(found)]


def test_the_curves_hold_what_the_claims_compare() -> None:
    pairs = {(NEAR, ECHO, SHMEM), (MANY, ECHO, SHMEM), (MANY, SWAP, SHMEM)}
    assert {Curve(X1, *one) for one in pairs} | {Curve(X1, FAR)} <= set(CURVES)
    assert {curve.pairs: curve.ranks for curve in CURVES}["96-192"] == 193


def test_contention_must_begin_beyond_8_kb() -> None:
    assert holds(times({65536: 0.2, 2**24: 0.3}, 1.5)) == [True, True]
    assert holds(times({8192: 0.11, 2**24: 0.3}, 1.5)) == [False, True]
    assert holds(times({2**24: 0.09}, 1.5)) == [False, True]
    long, _ = check_claims(times({65536: 0.2}, 1.5))
    says(long.ours, "10 %", "65536 B")


def test_swap_must_carry_more_everywhere() -> None:
    assert holds(times({2**24: 0.3}, 0.9)) == [True, False]
    many = times({2**24: 0.3}, 1.5, 0.9)
    assert holds(many) == [True, False]
    (_, claim) = check_claims(times({2**24: 0.3}, 1.5))
    assert claim.ours.count("1.50") == 2 and claim.fitted
