"""Twiss functions of the beams at an interaction point, and bunches that are matched to them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from phasewise.tables.declared import key
from phasewise.tables.keys import Key
from phasewise.workloads.collision.tables.crab import CrabCavity, CrabSextupoles

METRES = "the unit is metres"

Array = NDArray[np.float64]
Pair = tuple[float, float]
Triple = tuple[float, float, float]
Four = tuple[float, float, float, float]
Six = tuple[float, float, float, float, float, float]


@dataclass(frozen=True, kw_only=True)
class Optics:
    """Twiss functions of one beam at one interaction point, and its phase advance [turns] to the
    next one.
    """

    beta: Pair = key(
        "numbers", length=2, above=0, least=1e-9, most=1e6, unit="m", hint=METRES, flat=True
    )
    alpha: Pair = key("numbers", (0.0, 0.0), length=2, least=-1e6, most=1e6, flat=True)
    dispersion: Four = key(
        "numbers", (0.0,) * 4, length=4, least=-1e3, most=1e3, unit="(m, 1, m, 1)", flat=True
    )
    coupling: Four = key("nested", (0.0,) * 4, shape=(2, 2), flat=True)
    """The matrix C of Edwards and Teng that mixes the normal modes, whose functions `beta` and
    `alpha` are then. (x, px) = g a + C b, (y, py) = g b - C* a, g² = 1 - det C, C* its adjugate.
    """
    coupling_r_: ClassVar[Key] = Key("numbers", length=4, least=-1e6, most=1e6, unit="1, m, 1/m, 1")
    """The same as r1 … r4 of SAD: C = [[r4, -r2], [-r3, r1]]."""
    phase_advance: Pair = key("numbers", length=2, least=-1e4, most=1e4, unit="turns")
    crab_: ClassVar[Key] = Key("table")
    crab: Pair
    """Strength and frequency [Hz] of `Crab`."""
    crab_waist: float = key("number", 0.0, least=-10, most=10)
    """1 turns the waist in y of every particle to the axis of the other beam."""
    crab_sextupoles_: ClassVar[Key] = Key("table")
    crab_sextupoles: CrabSextupoles | None
    crab_cavities_: ClassVar[Key] = Key("any")
    crab_cavities: tuple[CrabCavity, ...]

    @property
    def gamma(self) -> Pair:
        """Twiss γ = (1 + α²)/β [1/m] in x and y."""
        x, y = ((1 + a * a) / b for a, b in zip(self.alpha, self.beta, strict=True))
        return (x, y)

    @property
    def coupled(self) -> bool:
        """Whether x and y are coupled."""
        return any(self.coupling)

    @property
    def determinant(self) -> float:
        """Of the matrix C of the coupling."""
        a, b, c, d = self.coupling
        return a * d - b * c

    @property
    def mixing(self) -> Array:
        """The matrix V (4, 4) by which the normal modes become x, px, y, py."""
        c = np.reshape(self.coupling, (2, 2))
        adjugate = np.array([[c[1, 1], -c[0, 1]], [-c[1, 0], c[0, 0]]])
        g = math.sqrt(1 - self.determinant) * np.eye(2)
        return np.asarray(np.block([[g, c], [-adjugate, g]]))

    @property
    def unmixing(self) -> Array:
        """The inverse of `mixing`."""
        mixing = self.mixing
        mixing[:2, 2:] *= -1
        mixing[2:, :2] *= -1
        return mixing

    @property
    def mode_dispersion(self) -> Four:
        """The dispersion of the normal modes (m, 1, m, 1)."""
        if not self.coupled:
            return self.dispersion
        a, b, c, d = map(float, self.unmixing @ np.array(self.dispersion))
        return (a, b, c, d)

    def covariance(self, emittance: Pair, spread: float) -> Array:
        """Second moments of x, px, y, py [m², m, 1], (4, 4), of a bunch with these geometric
        emittances [m] and this momentum spread, its dispersion included.
        """
        modes = np.zeros((4, 4))
        for k in (0, 1):
            a, b = self.alpha[k], self.beta[k]
            modes[2 * k : 2 * k + 2, 2 * k : 2 * k + 2] = emittance[k] * np.array(
                [[b, -a], [-a, self.gamma[k]]]
            )
        mixing, dispersion = self.mixing, np.array(self.dispersion)
        return np.asarray(mixing @ modes @ mixing.T + spread**2 * np.outer(dispersion, dispersion))

    def beta_at(self, plane: int, s: Array) -> Array:
        """β [m] in x (0) or y (1) at distances ``s`` [m] along the beam, in a drift."""
        return self.beta[plane] - 2 * self.alpha[plane] * s + self.gamma[plane] * s * s


def matched_rms(optics: Optics, emittance: Pair, bunch_length: float, spread: float) -> Six:
    """Rms of x, px, y, py, z, delta [m and 1] of a bunch matched to ``optics``: sqrt(εβ + (Dσδ)²),
    sqrt(εγ + (D'σδ)²).
    """
    if optics.coupled:
        x, px, y, py = map(float, np.sqrt(np.diag(optics.covariance(emittance, spread))))
        return (x, px, y, py, bunch_length, spread)
    squares = []
    for plane in (0, 1):
        d, dp = optics.dispersion[2 * plane : 2 * plane + 2]
        squares.append(emittance[plane] * optics.beta[plane] + (d * spread) ** 2)
        squares.append(emittance[plane] * optics.gamma[plane] + (dp * spread) ** 2)
    x, px, y, py = (math.sqrt(square) for square in squares)
    return (x, px, y, py, bunch_length, spread)
