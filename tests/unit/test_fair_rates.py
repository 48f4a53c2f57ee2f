"""Flows that share links: max-min fair rates, against progressive filling and counted by hand."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

core: Any = pytest.importorskip("phasewise._core", reason="the core is not built")

ROUNDING = 1e-9
"""Far above rounding errors of some thousand additions, far below any error of a rate."""

SHARE_TOLERANCE = 2e-3
"""Links whose shares differ by less are filled together."""

Flows = tuple[list[float], list[list[int]], list[float]]


def random_flows(seed: int) -> Flows:
    """Capacities of links, links of flows, and the most that each flow gets."""
    draw = random.Random(seed)
    links = draw.randint(1, 12)
    # From a few values too, so that links and limits are alike.
    capacities = [draw.choice([1.0, 2.0, draw.uniform(0.1, 10)]) for _ in range(links)]
    flows = [draw.sample(range(links), draw.randint(1, links)) for _ in range(draw.randint(1, 40))]
    return capacities, flows, [draw.choice([0.05, 0.5, draw.uniform(0.01, 5)]) for _ in flows]


def progressive_filling(capacities: list[float], links: list[list[int]], most: list[float]) -> Any:
    """All rates grow alike; each stops at its limit, or where a link of its way is full."""
    rates = np.zeros(len(links))
    crosses = np.array([[link in way for link in range(len(capacities))] for way in links])
    growing = np.ones(len(links), dtype=bool)
    while growing.any():
        number = (crosses & growing[:, None]).sum(axis=0)
        left = np.array(capacities) - rates @ crosses
        room = min(left[number > 0] / number[number > 0], default=math.inf)
        step = min(room, (np.array(most) - rates)[growing].min())
        rates[growing] += step
        full = np.array(capacities) - rates @ crosses <= ROUNDING * np.array(capacities)
        growing &= (rates < np.array(most) * (1 - ROUNDING)) & ~(crosses & full).any(axis=1)
    return rates


@pytest.mark.parametrize("seed", range(100))
def test_no_link_carries_more_than_it_can_and_no_flow_gets_more_than_it_may(seed: int) -> None:
    capacities, links, most = random_flows(seed)
    rates = core.fair_rates(capacities, links, most)
    for link, capacity in enumerate(capacities):
        carried = sum(rate for rate, way in zip(rates, links, strict=True) if link in way)
        assert carried <= capacity * (1 + ROUNDING)
    assert all(0 < rate <= limit for rate, limit in zip(rates, most, strict=True))


@pytest.mark.parametrize("seed", range(100))
def test_a_flow_below_its_limit_gets_the_most_of_all_on_a_full_link(seed: int) -> None:
    # The condition that makes rates max-min fair (Bertsekas, Gallager, section 6.5.2).
    capacities, links, most = random_flows(seed)
    rates = core.fair_rates(capacities, links, most)
    for rate, way, limit in zip(rates, links, most, strict=True):
        held_up = rate >= limit
        for link in way:
            there = [r for r, w in zip(rates, links, strict=True) if link in w]
            full = sum(there) >= capacities[link] * (1 - ROUNDING)
            held_up = held_up or (full and rate >= max(there) * (1 - ROUNDING))
        assert held_up


@pytest.mark.parametrize("seed", range(100, 200))
def test_fair_rates_are_those_of_progressive_filling(seed: int) -> None:
    flows = random_flows(seed)
    assert core.fair_rates(*flows) == pytest.approx(progressive_filling(*flows), rel=1e-6)


def test_three_flows_over_two_links_share_as_in_the_textbook() -> None:
    # One flow over both links, one over each: the narrow link is halved, the other gets the rest.
    rates = core.fair_rates([1.0, 3.0], [[0, 1], [0], [1]], [9.0, 9.0, 9.0])
    assert rates == pytest.approx([0.5, 0.5, 2.5], rel=ROUNDING)


@pytest.mark.parametrize("seed", range(100))
def test_links_that_are_filled_together_are_overfull_by_the_tolerance_at_most(seed: int) -> None:
    capacities, links, most = random_flows(seed)
    tolerance = 0.1
    rates = core.fair_rates(capacities, links, most, tolerance)
    for link, capacity in enumerate(capacities):
        carried = sum(rate for rate, way in zip(rates, links, strict=True) if link in way)
        assert carried <= capacity * (1 + tolerance) * (1 + ROUNDING)
    assert min(rates) > 0


def test_the_last_of_many_flows_is_given_its_share_although_the_others_got_slightly_more() -> None:
    # 799 flows have links of their own, shared with one other, that have 0.15 % more for each than
    # the link that they share with all: in all more than a whole share.
    many = 799
    ways = [[i + 1] for i in range(many)] + [[i + 1, 0] for i in range(many)] + [[0]]
    capacities = [many + 1.0] + [2 * 1.0015] * many
    rates = core.fair_rates(capacities, ways, [9.0] * len(ways), SHARE_TOLERANCE)
    assert rates == pytest.approx([1.0] * len(ways), rel=SHARE_TOLERANCE)
