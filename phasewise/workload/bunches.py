"""Bunches: what workloads share of them in a ring, and those whose particles come from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError
from phasewise.tables.keys import show

FILE = "file"
"""The distribution of a bunch whose particles come from a file."""


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
    beta_function: tuple[float, float] | None = None
    """β in x and y [m] with which it is made, where it goes over to another workload; None if that
    depends on the others.
    """
    on_closed_orbit: bool = False
    """Whether it is made on the closed orbit of the lattice through which another workload takes
    it.
    """

    @property
    def gamma(self) -> float:
        """Lorentz factor E/m."""
        return self.energy / self.mass

    @property
    def beta(self) -> float:
        """Velocity in units of c."""
        gamma = self.gamma
        return float(((gamma - 1) * (gamma + 1)) ** 0.5 / gamma)


def particles_file(given: Mapping[str, Any], folder: Path, where: str) -> tuple[str, Path | None]:
    """The distribution of a bunch and, if it comes from a file, its path, by the keys of the table
    `where`; StudyError if they do not agree, or if there is no such file.
    """
    named = given.get("particles")
    distribution = given.get("distribution", FILE if named else "gaussian")
    if distribution != FILE:
        if named:
            raise StudyError(
                f'{where}.particles needs distribution = "file", but it is {show(distribution)}'
            )
        return distribution, None
    if not named:
        raise StudyError(f'{where}.particles, the file, is missing: distribution = "file" needs it')
    path = (folder / named).resolve()
    try:
        found = path.is_file()
    except OSError:
        found = False
    if not found:
        raise StudyError(f"{where}.particles: the file {path} does not exist")
    return distribution, path
