"""The longest timesteps with which an ocean is stable.

Surface waves are implicit, and so are Coriolis forces and vertical mixing. What is left is explicit
by Adams and Bashforth's second order: internal waves, mixing along x and y, and advection.

A diffusion ∂u/∂t = A ∇²u has the largest rate 4 A (1/Δx² + 1/Δy²), and the scheme keeps it bounded
where the rate times Δt is at most 1 (Durran, Numerical Methods for Fluid Dynamics, 2nd ed., 2010,
section 2.4).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

GRAVITY = 9.80616
"""[m/s²]"""
DIFFUSION_LIMIT = 1.0
"""Largest rate of decay times Δt."""
ROUNDING = 1e-12
FASTEST, SAFE = 1.0, 0.5
"""Cells that a current may cross in a timestep before a run is ended, and cells with the timestep
that is then named.
"""


@dataclass(frozen=True)
class Limits:
    """The longest stable timestep by each cause [s], infinite where it sets no limit."""

    viscosity: float = math.inf
    diffusivity: float = math.inf
    internal_waves: float = math.inf

    @property
    def longest(self) -> float:
        """The longest timestep that is stable by all of them."""
        return min(self.viscosity, self.diffusivity, self.internal_waves)

    @property
    def words(self) -> str:
        """What sets the limit, as the subject of a sentence in the plural."""
        causes = {
            "the viscosities": self.viscosity,
            "the diffusivities": self.diffusivity,
            "internal waves": self.internal_waves,
        }
        return min(causes, key=causes.__getitem__)


def wave_speed(depth: float) -> float:
    """√(g H) of waves of the surface [m/s]."""
    return math.sqrt(GRAVITY * depth)


def limits_of(
    along: float,
    across: float,
    thicknesses: Sequence[float],
    viscosity: float,
    diffusivity: float,
    *,
    stratified: bool,
) -> Limits:
    """The limits of a grid with cells of these least widths [m] and these levels [m]; no levels:
    the transport alone.
    """
    del stratified
    steepest = 4.0 * (1.0 / along**2 + 1.0 / across**2)
    mixing = diffusivity if thicknesses else 0.0
    return Limits(_of_mixing(viscosity, steepest), _of_mixing(mixing, steepest))


def _of_mixing(coefficient: float, steepest: float) -> float:
    return DIFFUSION_LIMIT / (coefficient * steepest) if coefficient > 0 else math.inf


def rounded_down(seconds: float) -> float:
    """A time with four digits, no longer than the one given but for rounding."""
    step = 10.0 ** (math.floor(math.log10(seconds)) - 3)
    return math.floor(seconds / step * (1 + ROUNDING)) * step
