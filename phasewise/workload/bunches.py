"""Bunches that pass from one workload to another in a ring."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SharedBunch:
    """A bunch that a workload makes and that others may act on."""

    number: int
    """The number of its beam, from 1."""
    mass: float
    """Mass of a particle [eV]."""
    charge: float
    """Charge of a particle [elementary charges]."""
    energy: float
    """Total energy of a particle [eV]."""
    population: float
    macroparticles: int

    @property
    def gamma(self) -> float:
        """Lorentz factor E/m."""
        return self.energy / self.mass
