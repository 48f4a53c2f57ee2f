"""Sums of doubles that are rounded once, and the rounds by which members add them up."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

core = pytest.importorskip("phasewise._core", reason="the core is not built")

ROUNDS = ("recursive-doubling", "binomial", "dissemination", "node-aware", "put")
LARGEST = float(np.finfo(float).max)
SMALLEST = math.ulp(0.0)


def exact(terms: Any) -> float:
    array = np.asarray(terms, dtype=float)
    together, apart = (float(core.exact_sum(array, one)) for one in (False, True))
    assert together == apart or (math.isnan(together) and math.isnan(apart))
    return together


@pytest.mark.parametrize("kind", ["normal", "all exponents", "subnormal", "cancelling"])
def test_the_sum_is_that_of_fsum(kind: str) -> None:
    rng = np.random.default_rng(1)
    for _ in range(40):
        n = int(rng.integers(1, 300))
        terms = rng.normal(size=n)
        if kind == "all exponents":
            terms = np.ldexp(terms, rng.integers(-1074, 1010, n))
        elif kind == "subnormal":
            terms = np.ldexp(terms, rng.integers(-1074, -1020, n))
        elif kind == "cancelling":
            terms = np.ldexp(terms, rng.integers(-90, 90, n))
            terms = rng.permutation([*terms, *-terms, math.ldexp(0.3, -250)])
        assert exact(terms) == math.fsum(terms)


def test_a_million_terms_give_the_sum_of_fsum_in_any_order() -> None:
    terms = np.random.default_rng(2).normal(size=1_000_000) * 1e8
    assert exact(terms) == exact(terms[::-1].copy()) == math.fsum(terms)


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        ([], 0.0),
        ([-0.0], 0.0),
        ([1.0, 2.0**-53], 1.0),
        ([1.0, 2.0**-53, 2.0**-1000], 1.0 + 2.0**-52),
        ([1.0 + 2.0**-52, 2.0**-53], 1.0 + 2.0**-51),
        ([-SMALLEST] * 3, -3 * SMALLEST),
        ([LARGEST, LARGEST, -LARGEST], LARGEST),
        ([LARGEST, LARGEST], math.inf),
        ([-LARGEST, -LARGEST], -math.inf),
        ([LARGEST, 2.0**969], LARGEST),
        ([LARGEST, 2.0**970], math.inf),
        ([math.inf, -LARGEST, 1.0], math.inf),
        ([-math.inf, LARGEST], -math.inf),
    ],
)
def test_ties_and_what_is_too_large_are_rounded_once(terms: list[float], expected: float) -> None:
    found = exact(terms)
    assert found == expected
    assert math.copysign(1.0, found) == math.copysign(1.0, expected)


@pytest.mark.parametrize("terms", [[math.nan, 1.0], [math.inf, -math.inf], [math.inf, math.nan]])
def test_what_has_no_sum_is_no_number(terms: list[float]) -> None:
    assert math.isnan(exact(terms))


def walked(algorithm: str, nodes: list[int]) -> list[int]:
    """What every member ends with; member i begins with 10^i, so that a digit counts its visits."""
    p = len(nodes)
    rounds = [core.sum_rounds(algorithm, me, nodes) for me in range(p)]
    chunks = [[10**me, 0] for me in range(p)]
    for name in ("added", "stored"):
        assert len({len(one[name]) for one in rounds}) == 1
        for number in range(len(rounds[0][name])):
            under_way: dict[tuple[int, int], list[int]] = defaultdict(list)
            for me, own in enumerate(rounds):
                for peer, (chunk,) in own[name][number]["sends"]:
                    under_way[me, peer].append(chunks[me][chunk])
            for me, own in enumerate(rounds):
                for peer, (chunk,) in own[name][number]["receives"]:
                    arrived = under_way[peer, me].pop(0)
                    chunks[me][chunk] = arrived + (chunks[me][chunk] if name == "added" else 0)
            assert not any(under_way.values())
    return [chunks[me][rounds[me]["result"]] for me in range(p)]


@pytest.mark.parametrize("algorithm", ROUNDS)
def test_every_member_counts_once_in_every_sum(algorithm: str) -> None:
    for p in [*range(1, 18), 31, 32, 33]:
        for nodes in (
            [0] * p,
            list(range(p)),
            [i // 3 for i in range(p)],
            [i % 2 for i in range(p)],
        ):
            assert walked(algorithm, nodes) == [(10**p - 1) // 9] * p, (p, nodes)


def test_doubling_and_dissemination_take_logarithmic_rounds() -> None:
    for p, least in ((2, 1), (8, 3), (16, 4)):
        for algorithm in ("recursive-doubling", "dissemination"):
            assert len(core.sum_rounds(algorithm, 0, [0] * p)["added"]) == least
    assert len(core.sum_rounds("dissemination", 0, [0] * 13)["added"]) == 4


def test_between_nodes_only_the_first_member_of_each_sends() -> None:
    nodes = [i // 4 for i in range(16)]
    for me in range(16):
        found = core.sum_rounds("node-aware", me, nodes)
        peers = {
            peer for name in ("added", "stored") for r in found[name] for peer, _ in r["sends"]
        }
        away = {peer for peer in peers if nodes[peer] != nodes[me]}
        assert away == ({me ^ 4, me ^ 8} if me % 4 == 0 else set())
