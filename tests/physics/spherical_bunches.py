"""Bunches that are spheres in their rest frame, in constant focusing of equal strength in all
planes: the thermal equilibrium and Kurth's bunch, as files of particles.

With z scaled by γ all three planes are alike, x'' = -κ x + P x/r³ times the charge within r, P =
N q² r0/(β²γ²).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import phasewise
from phasewise.constants import CLASSICAL_ELECTRON_RADIUS, ELECTRON_MASS, PARTICLES

Floats = NDArray[np.float64]
MASS = PARTICLES["proton"][0]
GAMMA = 1 + 6.7e6 / MASS
KAPPA = 4.0
"""κ [m⁻²]: an oscillation without charge takes π m."""


@dataclass(frozen=True)
class Bunch:
    """Places (3, n) [m] and slopes (3, n) in the scaled coordinates, and P [m]."""

    places: Floats
    slopes: Floats
    perveance: float

    def columns(self) -> Floats:
        """x, px, y, py, z, δ (n, 6): z shrinks by γ, and δ = γ² z'."""
        (x, y, z), (px, py, pz) = self.places, self.slopes
        return np.column_stack([x, px, y, py, z / GAMMA, GAMMA * pz])

    def study(self, path: Path, turns: int, length: float, kicks: int) -> phasewise.Study:
        """A study of `turns` passages of a channel of this length [m], whose particles are in a
        file.
        """
        rows = self.columns()
        np.save(path, rows)
        covariance = np.cov(rows.T, bias=True)
        rms = np.sqrt(np.diag(covariance))
        radius = CLASSICAL_ELECTRON_RADIUS * ELECTRON_MASS / MASS
        tables: dict[str, Any] = {
            "workload": "spacecharge",
            "turns": turns,
            "bunch": {
                "particles": str(path),
                "kinetic_energy": MASS * (GAMMA - 1),
                "bunch_population": self.perveance * (GAMMA**2 - 1) / radius,
                "macroparticles": len(rows),
                "size": [rms[0], rms[2]],
                "geometric_emittance": [rms[0] * rms[1], rms[2] * rms[3]],
                "bunch_length": rms[4],
                "momentum_spread": rms[5],
            },
            "lattice": {
                "element": [
                    {"kind": "constant-focusing", "length": length, "focusing": [KAPPA] * 3}
                ]
            },
            "solver": {"kicks": kicks, "grid": [32, 32, 32]},
        }
        return phasewise.Study.from_dict(tables)


def directions(count: int, random: np.random.Generator) -> Floats:
    """Unit vectors (3, n), uniform on the sphere."""
    found = random.standard_normal((3, count))
    return np.asarray(found / np.linalg.norm(found, axis=0))


def kurth(radius: float, depression: float, count: int, stretch: float = 1.0) -> Bunch:
    """Kurth's sphere of uniform density, f ~ (1 - r² - v² + |r × v|²)^-½, whose oscillations the
    charge slows by a factor; `stretch` its radius beyond that at which it rests.

    At r the square of the velocity across is uniform in (0, 1), and that along r an arc sine over
    (1 - r²)(1 - v²): R. Kurth, "Introduction to Stellar Dynamics" (1957).
    """
    random = np.random.default_rng(7)
    r = np.cbrt(random.uniform(size=count))
    along = directions(count, random)
    other = directions(count, random)
    across = other - (other * along).sum(axis=0) * along
    across /= np.linalg.norm(across, axis=0)
    square = random.uniform(size=count)
    outward = np.sqrt((1 - r**2) * (1 - square)) * np.cos(math.pi * random.uniform(size=count))
    velocity = np.sqrt(square) * across + outward * along
    frequency = depression * math.sqrt(KAPPA)
    return Bunch(
        places=stretch * radius * r * along,
        slopes=radius * frequency * velocity / stretch,
        perveance=KAPPA * (1 - depression**2) * radius**3,
    )


def breathing(radius: float, depression: float, stretch: float, places: Floats) -> Floats:
    """The radius of Kurth's sphere at places along the channel [m], R'' = -κR + P/R² + ε²/R³, by
    the rule of Runge and Kutta.
    """
    perveance = KAPPA * (1 - depression**2) * radius**3
    emittance = depression * math.sqrt(KAPPA) * radius**2

    def rate(state: Floats) -> Floats:
        r, slope = state
        return np.array([slope, -KAPPA * r + perveance / r**2 + emittance**2 / r**3])

    state, at, found = np.array([stretch * radius, 0.0]), 0.0, []
    for place in places:
        steps = max(1, math.ceil((place - at) / 1e-3))
        h = (place - at) / steps
        for _ in range(steps):
            a = rate(state)
            b = rate(state + h / 2 * a)
            c = rate(state + h / 2 * b)
            d = rate(state + h * c)
            state = state + h / 6 * (a + 2 * b + 2 * c + d)
        at = place
        found.append(state[0])
    return np.array(found)


def thermal(temperature: float, perveance: float, count: int) -> Bunch:
    """A bunch of Boltzmann's distribution in its own field, n ~ exp(-(κ r²/2 + u(r))/T), T the
    square of the rms slope; the density in the middle is the one with which all charges sum to 1.
    """
    edge = 6 * math.sqrt(temperature / KAPPA) + 2 * (perveance / KAPPA) ** (1 / 3)
    r = np.linspace(0.0, edge, 4001)
    # A cold bunch has 3κ/4πP in its middle.
    low, high = -60.0, 0.0
    for _ in range(80):
        middle = (low + high) / 2
        charge = _charge(r, temperature, perveance, math.exp(middle))
        low, high = (middle, high) if charge[-1] < 1 else (low, middle)
    charge = _charge(r, temperature, perveance, math.exp(high))
    random = np.random.default_rng(8)
    radii = np.interp(random.uniform(size=count) * charge[-1], charge, r)
    slopes = math.sqrt(temperature) * random.standard_normal((3, count))
    return Bunch(radii * directions(count, random), slopes, perveance)


def _charge(r: Floats, temperature: float, perveance: float, share: float) -> Floats:
    """The charge within r for a density in the middle that is a share of a cold bunch's."""
    start = share * 3 * KAPPA / (4 * math.pi * perveance)
    charge, work = np.zeros_like(r), 0.0
    h = r[1]
    for k in range(1, len(r)):
        pull = KAPPA * r[k - 1] - (perveance * charge[k - 1] / r[k - 1] ** 2 if k > 1 else 0.0)
        work += h * pull
        density = start * math.exp(-min(work / temperature, 700.0))
        charge[k] = charge[k - 1] + 4 * math.pi * (r[k] - h / 2) ** 2 * h * density
    return charge
