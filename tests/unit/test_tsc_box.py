"""Triangular shaped clouds in a box: exact charge, conserved momentum, order."""

from __future__ import annotations

from functools import partial
from math import erf

import numpy as np
import pytest
from numpy.typing import NDArray

import phasewise._core as core

Floats = NDArray[np.float64]

UNIT = (1.0, 1.0, 1.0)
ZERO = (0.0, 0.0, 0.0)
deposit = partial(core.deposit_in_box, weighting="tsc")
gather = partial(core.gather_in_box, weighting="tsc")


def weights(f: float) -> Floats:
    return np.array([0.5 * (0.5 - f) ** 2, 0.75 - f**2, 0.5 * (0.5 + f) ** 2])


def test_charge_is_deposited_to_the_last_bit_in_any_order() -> None:
    random = np.random.default_rng(5)
    places = random.uniform(1.5, 8.4, size=(3, 5000))
    nodes = (12, 11, 13)
    charge = deposit(places, ZERO, UNIT, nodes, 2.0**-36)
    shuffled = np.ascontiguousarray(places[:, random.permutation(5000)])
    assert np.array_equal(charge, deposit(shuffled, ZERO, UNIT, nodes, 2.0**-36))
    assert charge.sum() == 5000.0
    one = deposit(np.array([[2.25], [3.5], [4.875]]), ZERO, UNIT, nodes)
    expected = np.einsum("i,j,k->ijk", weights(-0.125), weights(0.25), weights(-0.5))
    assert one[4:7, 1:4, 3:6] == pytest.approx(expected, abs=1e-11)
    assert one.sum() == 1.0 == one[4:7, 1:4, 3:6].sum()


def test_a_particle_near_the_edge_counts_as_outside() -> None:
    nodes = (8, 8, 8)
    for place in ([1.4, 4, 4], [4, 5.6, 4], [4, 4, -1], [4, 4, 100], [np.nan, 4, 4]):
        where = np.array([place]).T
        assert deposit(where, ZERO, UNIT, nodes).sum() == 0
        assert not gather(np.ones((8, 8, 8)), where, ZERO, UNIT).any()


def test_the_gathered_field_is_the_weighted_difference() -> None:
    u = np.random.default_rng(7).normal(size=(9, 8, 10))
    h, origin = (0.5, 0.7, 2.0), (1.0, -2.0, 3.0)
    at = np.array([1.0 + 3.3 * 0.5, -2.0 + 4.6 * 0.7, 3.0 + 5.9 * 2.0])
    found = gather(u, at[:, None], origin, h)[:, 0]
    gradient = [np.gradient(u, h[k], axis=axis) for k, axis in ((0, 1), (1, 2), (2, 0))]
    for component, g in zip(found, gradient, strict=True):
        near = g[5:8, 2:5, 4:7]
        expected = -np.einsum("i,j,k,ijk", weights(-0.1), weights(0.3), weights(-0.4), near)
        assert component == pytest.approx(expected, rel=1e-10)


def test_charges_exchange_momentum_and_do_not_act_on_themselves() -> None:
    places = np.random.default_rng(11).normal(size=(3, 400)) * [[1.0], [0.7], [2.0]]
    h, nodes = (0.6, 0.5, 1.3), (24, 24, 24)
    origin = tuple(-step * 11.5 for step in h)
    charge = deposit(places, origin, h, nodes)
    assert charge.sum() == 400
    field = gather(core.solve_open_box(charge, h), places, origin, h)
    # Sums of 400 forces of order 100, each with the rounding of the transforms.
    assert np.abs(field.sum(axis=1)).max() < 1e-9
    alone = deposit(places[:, :1].copy(), origin, h, nodes)
    own = gather(core.solve_open_box(alone, h), places[:, :1].copy(), origin, h)
    assert np.abs(own).max() < 1e-12


def scatter_of_force(weighting: str) -> float:
    """How much the force between two charges, 4 cells apart, differs with their place."""
    nodes, h = (16, 16, 16), UNIT
    random = np.random.default_rng(19)
    forces = []
    for _ in range(60):
        first = random.uniform(6, 7, size=3)
        places = np.stack([first, first + np.array([4.0, 0.0, 0.0])], axis=1)
        charge = core.deposit_in_box(places, ZERO, h, nodes, weighting=weighting)
        potential = core.solve_open_box(charge, h)
        forces.append(core.gather_in_box(potential, places, ZERO, h, weighting=weighting)[:, 1])
    found = np.array(forces)
    assert found[:, 0].mean() == pytest.approx(1 / 4**2, rel=0.1)
    return float(found.std(axis=0).max() / found[:, 0].mean())


def test_the_force_between_two_charges_depends_less_on_the_mesh() -> None:
    # The slope of TSC's weights is continuous, and their spectrum falls off faster: ten times here.
    assert scatter_of_force("tsc") < 0.4 * scatter_of_force("cic")


@pytest.mark.parametrize("weighting", ["cic", "tsc"])
def test_the_field_of_a_gaussian_converges_as_the_square_of_the_cells(weighting: str) -> None:
    random = np.random.default_rng(17)
    half = random.normal(size=(3, 40_000))
    places = np.concatenate([half, -half], axis=1)
    places = np.ascontiguousarray(places[:, np.abs(places).max(axis=0) < 4.4])
    errors = []
    for nodes in (31, 61):
        h = (12.0 / (nodes - 1),) * 3
        origin = (-6.0,) * 3
        charge = core.deposit_in_box(places, origin, h, (nodes,) * 3, weighting=weighting)
        potential = core.solve_open_box(charge / places.shape[1], h)
        probe = places[:, :2000].copy()
        field = core.gather_in_box(potential, probe, origin, h, weighting=weighting)
        r = np.sqrt((probe**2).sum(axis=0))
        # E = (erf(r/√2) - r √(2/π) exp(-r²/2))/r², whose mean slope is compared.
        enclosed = np.array([erf(v / 2**0.5) for v in r]) - r * (2 / np.pi) ** 0.5 * np.exp(
            -(r**2) / 2
        )
        expected = enclosed / r**3 * probe
        errors.append(1 - (field * expected).sum() / (expected**2).sum())
    # σ² grows by (1/6 + 1/6 + 1/3) h² of clouds in cells, (1/4 + 1/4 + 1/3) h² of TSC; the field
    # near the middle falls as its power of 3/2, and the next order is a tenth of that at h = 0.4.
    assert 0 < errors[0] < 1.5 * (2 / 3 if weighting == "cic" else 5 / 6) * 0.4**2
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.25)
