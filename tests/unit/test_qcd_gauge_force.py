"""The actions of the gauge field and their forces, and the moves of links, on one rank."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

pytest.importorskip("phasewise._core", reason="the core is not built")

from phasewise.driver import load_planner
from tests.unit.quark_reference import adjoint, moved, near_links, random_links

core: Any = load_planner()
BOX = (4, 2, 6, 4)
ACTIONS = {"wilson": 0.0, "symanzik": -1 / 12, "iwasaki": -0.331}
PLANES = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))


def reals(values: np.ndarray) -> np.ndarray:
    """As the core takes them."""
    return np.ascontiguousarray(values).view(np.float64)


def field(rectangles: float = 0.0, links: np.ndarray | None = None, **own: Any) -> Any:
    found = core.QcdGaugeField(list(BOX), 5.7, rectangles, **own)
    found.set_links(reals(random_links(BOX) if links is None else links))
    return found


def matrices(values: Any) -> np.ndarray:
    return np.asarray(values).view(np.complex128).reshape(-1, 4, 3, 3)


def algebra(seed: int, shape: tuple[int, ...]) -> np.ndarray:
    """Random traceless anti-Hermitian matrices."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=(*shape, 3, 3)) + 1j * rng.normal(size=(*shape, 3, 3))
    a = (a - adjoint(a)) / 2
    return np.asarray(a - np.trace(a, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) / 3)


def force_of(gauge: Any) -> np.ndarray:
    gauge.set_momenta(np.zeros(int(np.prod(BOX)) * 72))
    gauge.move_momenta(-1.0)
    return matrices(gauge.momenta())


def slope(gauge: Any, action: Any, momenta: np.ndarray) -> float:
    """dS/ds of exp(sP) U at s = 0 from central differences, extrapolated twice; their errors are
    even powers of the step.
    """
    links = np.array(gauge.links())
    gauge.set_momenta(reals(momenta))
    differences = []
    for step in (0.02, 0.01, 0.005):
        ends = []
        for side in (step, -step):
            gauge.set_links(links)
            gauge.move_links(side)
            ends.append(action())
        differences.append((ends[0] - ends[1]) / (2 * step))
    gauge.set_links(links)
    once = [(4 * fine - coarse) / 3 for coarse, fine in pairwise(differences)]
    # The differences themselves have an error of the order step².
    assert differences[0] - once[1] == pytest.approx(4 * (differences[1] - once[1]), rel=0.02)
    return float((16 * once[1] - once[0]) / 15)


@pytest.mark.parametrize("name", ACTIONS)
def test_the_force_is_the_central_difference_of_the_action(name: str) -> None:
    gauge = field(ACTIONS[name])
    force = force_of(gauge)
    np.testing.assert_allclose(force, -adjoint(force), rtol=0, atol=1e-13)
    np.testing.assert_allclose(np.trace(force, axis1=-2, axis2=-1), 0, atol=1e-13)
    momenta = algebra(4, force.shape[:2])
    # dS/ds = Σ p_a ∂_a S = -2 Σ tr P F.
    expected = -2 * np.einsum("xmij,xmji->", momenta, force).real
    assert slope(gauge, gauge.action, momenta) == pytest.approx(expected, rel=1e-8)
    squares = -2 * np.einsum("xmij,xmji->xm", force, force).real
    assert gauge.largest_force() == pytest.approx(squares.max(), rel=1e-13)


@pytest.mark.parametrize("name", ACTIONS)
def test_the_action_is_made_of_plaquettes_and_rectangles(name: str) -> None:
    c1, links = ACTIONS[name], random_links(BOX)
    loops = core.gauge_values(reals(links), list(BOX))
    volume = np.prod(BOX)
    expected = 6 * (1 - 8 * c1) * (1 - loops["plaquette"]) + 12 * c1 * (1 - loops["rectangle"])
    assert field(c1, links).action() == pytest.approx(5.7 * volume * expected, rel=1e-13)
    assert field(c1, links).plaquette() == pytest.approx(loops["plaquette"], abs=1e-14)


def strength(links: np.ndarray) -> np.ndarray:
    """F = (Q - Q†)/8 of the six planes from the leaves around each site, [site][plane][3][3]."""

    def forwards(mu: int) -> np.ndarray:
        return links[:, mu]

    def leaf(mu: int, forth: int, nu: int, up: int) -> np.ndarray:
        """The plaquette around a site that begins along ±mu and comes back along ∓nu."""

        def step(x: tuple[int, int], axis: int, sign: int) -> tuple[np.ndarray, tuple[int, int]]:
            at = dict(zip((mu, nu), x, strict=True))
            if sign < 0:
                at[axis] -= 1
            link = moved(BOX, moved(BOX, forwards(axis), mu, at[mu]), nu, at[nu])
            if sign > 0:
                at[axis] += 1
            return (link if sign > 0 else adjoint(link)), (at[mu], at[nu])

        product, x = np.eye(3), (0, 0)
        for axis, sign in ((mu, forth), (nu, up), (mu, -forth), (nu, -up)):
            link, x = step(x, axis, sign)
            product = product @ link
        return product

    found = []
    for mu, nu in PLANES:
        q = leaf(mu, 1, nu, 1) + leaf(nu, 1, mu, -1) + leaf(mu, -1, nu, -1) + leaf(nu, -1, mu, 1)
        found.append((q - adjoint(q)) / 8)
    return np.stack(found, axis=1)


def test_the_clover_force_is_the_central_difference_of_its_action() -> None:
    gauge = field()
    tensor = algebra(5, (int(np.prod(BOX)), 6))
    # The trace of F counts.
    tensor += 0.3j * np.eye(3)

    def action() -> float:
        return float(np.einsum("xpij,xpji->", tensor, strength(matrices(gauge.links()))).real)

    momenta = algebra(6, (int(np.prod(BOX)), 4))
    gauge.set_momenta(np.zeros(int(np.prod(BOX)) * 72))
    gauge.add_clover_force(reals(tensor), -1.0)
    force = matrices(gauge.momenta())
    expected = -2 * np.einsum("xmij,xmji->", momenta, force).real
    assert slope(gauge, action, momenta) == pytest.approx(expected, rel=1e-8)


def test_links_move_by_the_exponential_and_stay_in_the_group() -> None:
    gauge = field()
    before, momenta = matrices(gauge.links()), algebra(7, (int(np.prod(BOX)), 4))
    gauge.set_momenta(reals(momenta))
    gauge.move_links(0.3)
    values, vectors = np.linalg.eigh(-1j * momenta)
    turned = (vectors * np.exp(0.3j * values)[..., None, :]) @ adjoint(vectors)
    np.testing.assert_allclose(matrices(gauge.links()), turned @ before, rtol=0, atol=2e-15 * 8)
    assert gauge.reunitarise() == 0
    gauge.move_links(-0.3)
    np.testing.assert_allclose(matrices(gauge.links()), before, rtol=0, atol=2e-15 * 8)


def test_only_links_that_have_left_the_group_are_put_back() -> None:
    links = random_links(BOX)
    left = [(0, 0), (7, 3), (101, 2)]
    outside = links.copy()
    for site, axis in left:
        outside[site, axis, 1, 2] += 1e-11
    outside[50, 1, 0, 0] += 1e-13
    gauge = field(links=outside)
    assert gauge.reunitarise() == len(left)
    found = matrices(gauge.links())
    for site, axis in left:
        one = found[site, axis]
        assert np.abs(one @ adjoint(one) - np.eye(3)).max() < 1e-15 * 4
        assert abs(np.linalg.det(one) - 1) < 1e-15 * 8
        outside[site, axis] = one
    np.testing.assert_array_equal(found, outside)


@pytest.mark.parametrize("name", ACTIONS)
def test_vectors_and_threads_keep_the_bits(name: str) -> None:
    tensor = reals(algebra(8, (int(np.prod(BOX)), 6)))

    def after(**own: Any) -> tuple[Any, ...]:
        gauge = field(ACTIONS[name], near_links(BOX, 0.5, 3), **own)
        gauge.set_momenta(reals(algebra(9, (int(np.prod(BOX)), 4))))
        for _ in range(3):
            gauge.move_links(0.1)
            gauge.move_momenta(0.1)
            gauge.add_clover_force(tensor, 0.1)
        return gauge.action(), np.array(gauge.links()), np.array(gauge.momenta())

    expected = after(fast=False)
    for own in ({"fast": True}, {"threads": 2}, {"threads": 2, "fast": False}):
        for one, other in zip(after(**own), expected, strict=True):
            np.testing.assert_array_equal(one, other)
