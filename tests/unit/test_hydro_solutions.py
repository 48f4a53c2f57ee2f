"""Exact solutions of hydrodynamics: published digits, conservation by quadrature, and the equations
themselves by differences.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

pytest.importorskip("phasewise._core", reason="the core is not built")

from phasewise.workloads.hydro import exact_riemann, noh, sedov

SOD = {"left": (1, 0, 1), "right": (0.125, 0, 0.1)}
LAX = {"left": (0.445, 0.698, 3.528), "right": (0.5, 0, 0.571)}
EINFELDT = {"left": (1, -2, 0.4), "right": (1, 2, 0.4)}


@pytest.mark.parametrize(
    ("states", "pressure", "velocity", "left", "right", "digits"),
    [
        (SOD, 0.303130178, 0.927452620, 0.426319428, 0.265573712, 1e-9),
        (LAX, 2.46610, 1.52872, 0.344568, 1.30408, 1e-5),
        (EINFELDT, 0.00189387, 0.0, 0.0218521, 0.0218521, 1e-6),
    ],
)
def test_the_gas_between_the_waves_has_the_published_digits(
    states: Any, pressure: float, velocity: float, left: float, right: float, digits: float
) -> None:
    star = exact_riemann([0.0], 1.0, **states).star
    assert not star.vacuum
    # Half of the last digit.
    near = 0.5 * digits
    assert star.pressure == pytest.approx(pressure, abs=max(near, 0.5e-9))
    assert star.velocity == pytest.approx(velocity, abs=near)
    assert star.density_left == pytest.approx(left, abs=near)
    assert star.density_right == pytest.approx(right, abs=near)


def test_the_shock_of_sod_has_its_speed() -> None:
    star = exact_riemann([0.0], 1.0, **SOD).star  # type: ignore[arg-type]
    assert star.right_head == star.right_tail == pytest.approx(1.752155732, abs=5e-10)
    assert star.left_head == pytest.approx(-math.sqrt(1.4), rel=1e-15)


def velocity_change(p: float, density: float, pressure: float, gamma: float) -> Any:
    """f of Toro, equation 4.6: by what the velocity changes in the wave to pressure p."""
    if p > pressure:
        a, b = 2 / ((gamma + 1) * density), (gamma - 1) / (gamma + 1) * pressure
        return (p - pressure) * math.sqrt(a / (p + b))
    sound = math.sqrt(gamma * pressure / density)
    return 2 * sound / (gamma - 1) * ((p / pressure) ** ((gamma - 1) / (2 * gamma)) - 1)


@pytest.mark.parametrize("seed", range(2))
def test_pressures_between_random_states_are_those_of_a_bracketed_root(seed: int) -> None:
    from scipy.optimize import brentq

    random = np.random.default_rng(seed)
    for _ in range(10):
        gamma = random.uniform(1.1, 3.0)
        left, right = (
            (10 ** random.uniform(-3, 3), random.normal(), 10 ** random.uniform(-3, 3))
            for _ in range(2)
        )

        def excess(p: float, left: Any = left, right: Any = right, gamma: float = gamma) -> Any:
            found = sum(velocity_change(p, one[0], one[2], gamma) for one in (left, right))
            return found + right[1] - left[1]

        if excess(1e-300) > 0:
            assert exact_riemann([0.0], 1.0, left, right, gamma).star.vacuum
            continue
        root = brentq(excess, 1e-300, 1e9, xtol=1e-300, rtol=1e-14, maxiter=2000)
        # The root is known as well as f, whose terms are rounded, and as steep as f is.
        assert exact_riemann([0.0], 1.0, left, right, gamma).star.pressure == pytest.approx(
            root, rel=1e-9
        )


def test_mass_momentum_and_energy_of_a_riemann_problem_are_conserved() -> None:
    """Their change within [-1, 1] is what flows in at both ends until the waves arrive there."""
    from scipy.integrate import quad

    gamma, t = 1.4, 0.3
    star = exact_riemann([0.0], t, **SOD).star  # type: ignore[arg-type]
    speeds = (star.left_head, star.left_tail, star.velocity, star.right_head)
    breaks = [speed * t for speed in speeds]

    def of(x: float) -> list[float]:
        gas = exact_riemann([x], t, **SOD)  # type: ignore[arg-type]
        rho, u, p = (float(one[0]) for one in (gas.density, gas.velocity, gas.pressure))
        return [rho, rho * u, p / (gamma - 1) + 0.5 * rho * u * u]

    edges = [-1.0, *breaks, 1.0]
    found = [
        sum(quad(lambda x, n=n: of(x)[n], a, b)[0] for a, b in pairwise(edges)) for n in range(3)
    ]
    # At rest at both ends, only the pressures push.
    assert found == pytest.approx([1.125, (1 - 0.1) * t, 1.1 / (gamma - 1)], rel=1e-7)


def test_the_bits_of_a_mirrored_problem_are_mirrored() -> None:
    x = np.linspace(-1, 1, 101)
    one = exact_riemann(x, 0.2, left=(1, 0.3, 1), right=(0.125, 0, 0.1))
    other = exact_riemann(-x, 0.2, left=(0.125, 0, 0.1), right=(1, -0.3, 1))
    assert (one.density == other.density).all() and (one.pressure == other.pressure).all()
    assert (one.velocity == -other.velocity).all()


@pytest.mark.parametrize(
    ("dimensions", "gamma", "alpha"),
    [(1, 1.4, 1.077486), (2, 1.4, 0.984074), (3, 1.4, 0.851072),
     (1, 5 / 3, 0.602935), (2, 5 / 3, 0.564283), (3, 5 / 3, 0.493590)],
)  # fmt: skip
def test_sedovs_alpha_has_the_published_digits(dimensions: int, gamma: float, alpha: float) -> None:
    found = sedov([0.5], 1.0, energy=2.0, density=3.0, gamma=gamma, dimensions=dimensions)
    assert found.alpha == pytest.approx(alpha, abs=1e-6)
    radius = (2.0 / (found.alpha * 3.0)) ** (1 / (dimensions + 2))
    assert found.shock == pytest.approx(radius, rel=1e-14)


SURFACE = {1: 2.0, 2: 2 * math.pi, 3: 4 * math.pi}
"""That of a sphere of radius 1 in so many dimensions."""


@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_the_gas_behind_sedovs_shock_has_the_swept_mass_and_the_energy(dimensions: int) -> None:
    from scipy.integrate import fixed_quad

    energy, density, t, gamma = 2.0, 3.0, 1.7, 1.4
    shock = sedov([0.0], t, energy, density, gamma, dimensions).shock

    def shells(r: Any) -> Any:
        gas = sedov(r, t, energy, density, gamma, dimensions)
        total = gas.pressure / (gamma - 1) + 0.5 * gas.density * gas.velocity**2
        return SURFACE[dimensions] * r ** (dimensions - 1) * np.array([gas.density, total])

    mass, total = fixed_quad(shells, 0, shock * (1 - 1e-12), n=200)[0]
    # The profile is interpolated linearly between 8192 places: of relative order 1/8192².
    swept = density * SURFACE[dimensions] / dimensions * shock**dimensions
    assert mass == pytest.approx(swept, rel=1e-5)
    assert total == pytest.approx(energy, rel=1e-5)


def test_sedovs_gas_moves_as_euler_says() -> None:
    """∂ρ/∂t + u ∂ρ/∂r + ρ (∂u/∂r + 2u/r) = 0 and ρ (∂u/∂t + u ∂u/∂r) = -∂p/∂r in differences."""
    r, t = np.linspace(0.5, 0.9, 9), 1.0

    def at(r: Any, t: float) -> Any:
        gas = sedov(r, t, energy=0.851072)
        return np.array([gas.density, gas.velocity, gas.pressure])

    def wrong_by(h: float) -> Any:
        rho, u, _ = at(r, t)
        in_time = (at(r, t + h) - at(r, t - h)) / (2 * h)
        in_space = (at(r + h, t) - at(r - h, t)) / (2 * h)
        mass = in_time[0] + u * in_space[0] + rho * (in_space[1] + 2 * u / r)
        momentum = rho * (in_time[1] + u * in_space[1]) + in_space[2]
        return np.array([mass, momentum])

    # Central differences are wrong by terms with h², and then with h⁴, which are smaller by some
    # (9 h)², as the density goes with the ninth power: 0.8 % of the change in mass.
    coarse, fine = wrong_by(0.01), wrong_by(0.005)
    left = np.abs(4 * fine - coarse).max(axis=1) / np.abs(coarse).max(axis=1)
    assert (left < 0.02).all()


@pytest.mark.parametrize(("dimensions", "density"), [(1, 4.0), (2, 16.0), (3, 64.0)])
def test_noh_has_the_published_density_and_conserves_what_crosses_its_shock(
    dimensions: int, density: float
) -> None:
    gas = noh([0.1, 0.3], 0.6, dimensions=dimensions)
    assert gas.shock == pytest.approx(0.2, rel=1e-15)
    assert gas.density[0] == pytest.approx(density, rel=1e-14)
    assert gas.density[1] == pytest.approx(3.0 ** (dimensions - 1), rel=1e-14)
    assert gas.velocity.tolist() == [0.0, -1.0]
    # Mass and momentum through the shock, which moves with 1/3 into gas of velocity -1.
    before = (1 + 0.6 / 0.2) ** (dimensions - 1)
    assert density / 3 == pytest.approx(before * (1 / 3 + 1))
    assert gas.pressure[0] == pytest.approx(before * (1 / 3 + 1), rel=1e-14)


def test_places_may_have_any_shape_and_values_are_checked() -> None:
    assert noh(np.ones((2, 3)), 0.1).density.shape == (2, 3)
    for wrong in ({"t": 0.0}, {"gamma": 1.0}, {"dimensions": 4}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            noh([0.1], **({"t": 1.0} | wrong))
    with pytest.raises(ValueError, match="left"):
        exact_riemann([0.0], 1.0, left=(-1, 0, 1), right=(1, 0, 1))
