"""Bunches that pass from one workload to another in a ring."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SharedBunch:
    """A bunch that a workload makes and that others may act on."""

    number: int
    """Of its beam, from 1."""
    mass: float
    """Of a particle [eV]."""
    charge: float
    """Of a particle [elementary charges]."""
    energy: float
    """Of a particle, total [eV]."""
    population: float
    macroparticles: int

    @property
    def gamma(self) -> float:
        """Lorentz factor E/m."""
        return self.energy / self.mass
