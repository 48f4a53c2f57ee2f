"""The keys of a study of gas dynamics, and what follows from them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from phasewise.output import engineering
from phasewise.tables.declared import key
from phasewise.tables.keys import show
from phasewise.workload.table import OneTable, beyond_memory
from phasewise.workloads.hydro.coordinates import (
    COORDINATES,
    Ends,
    check_boundaries,
    check_bounds,
)
from phasewise.workloads.hydro.problems import GRAVITIES, PROBLEMS, symmetry_of

RIEMANNS = ("newton-8", "converged")
STRANG = "strang"
ORDERS = (STRANG, "xyz")
AT_REST = (1.0, 1.0, 0.0, 0.0, 0.0)
ARRAYS = 6
"""Values of a zone: density, pressure, three velocities, flattening."""
COPIES = 2
"""Arrays before and after an exchange."""


@dataclass(frozen=True, kw_only=True)
class HydroRecords:
    """The keys of [records] for hydrodynamics."""

    snapshots: int = key("integer", 0, least=0, most=10_000)
    """How many times the fields are recorded, at equal distances in time; 0: never."""
    l1_every: int = key("integer", 0, least=0, most=10**9, unit="timesteps")
    """Timesteps between comparisons with the solution; 0: the last timestep alone."""


@dataclass(frozen=True, kw_only=True)
class HydroTable(OneTable):
    """The keys of [hydro], all with their final values."""

    DERIVED: ClassVar[tuple[str, ...]] = ("zone_count", "zone_widths", "symmetry", "memory_bytes")

    problem: str = key("word", choices=PROBLEMS, needed="the problem, or file", flat=True)
    zones: tuple[int, ...] = key("any", needed="the number of zones along each axis", flat=True)
    coordinates: str = key("word", choices=COORDINATES, flat=True)
    low: tuple[float, ...] = key("any", flat=True)
    """The lower bound of each axis; angles in radians."""
    high: tuple[float, ...] = key("any", flat=True)
    boundaries: tuple[Ends, ...] = key("any")
    """What happens at the low and at the high end of each axis."""
    inflow: tuple[float, ...] = key("numbers", AT_REST, length=5, flat=True)
    """Density, pressure and velocities of the gas that flows in."""
    gamma: float = key("number", flat=True)
    until: float = key("number", least=0, most=1e30, flat=True)
    """The time at which the run ends; 0: after the timesteps alone."""
    courant: float = key("number", 0.5, above=0, flat=True)
    """Δt max(c, |u|)/Δx."""
    riemann: str = key("word", RIEMANNS[0], choices=RIEMANNS, flat=True)
    order: str = key("word", ORDERS[0], choices=ORDERS, flat=True)
    """Whether the directions of timesteps alternate."""
    gravity: str = key("word", choices=GRAVITIES, flat=True)
    acceleration: tuple[float, ...] | None = key("numbers", length=3)
    """The acceleration of uniform gravity along the axes."""
    point_mass: float | None = key("number", least=0, most=1e30)
    """G M of a point mass at r = 0."""
    density_floor: float = key("number", 1e-12, above=0, most=1e6, flat=True)
    pressure_floor: float = key("number", 1e-12, above=0, most=1e6, flat=True)
    energy: float | None = key("number", above=0, most=1e30)
    """The energy of an explosion in the whole space."""
    radius: float | None = key("number", above=0, most=1e30)
    """The radius of the region that has this energy at first."""
    amplitude: float | None = key("number", least=-1, most=1)
    """The amplitude of a perturbation."""
    ambient_pressure: float = key("number", 1e-6, above=0, most=1e6, flat=True)
    """The pressure of the cold gas around an explosion, or of a gas that falls together."""
    file: Path | None = key("text")
    """The HDF5 file with the arrays at the start, of problem FILE."""
    records: HydroRecords = HydroRecords(snapshots=0, l1_every=0)

    def check(self) -> None:
        """StudyError where keys do not suit each other."""
        check_bounds(self.coordinates, self.low, self.high)
        check_boundaries(self.coordinates, self.low, self.high, self.boundaries)

    @property
    def zone_count(self) -> int:
        """Zones of the grid."""
        return math.prod(self.zones)

    @property
    def zone_widths(self) -> tuple[float, ...]:
        """The width of a zone along each axis; angles in radians."""
        axes = zip(self.low, self.high, self.zones, strict=True)
        return tuple((high - low) / count for low, high, count in axes)

    @property
    def symmetry(self) -> int:
        """The dimension of an explosion on this grid: 1 planar, 2 cylindrical, 3 spherical."""
        return symmetry_of(self.coordinates, len(self.zones))

    @property
    def memory_bytes(self) -> int:
        """The arrays of all ranks together [bytes]."""
        return 8 * ARRAYS * COPIES * self.zone_count

    @property
    def excess(self) -> str:
        """A sentence if one rank's arrays are larger than this machine's memory."""
        given = f"hydro.zones = {show(self.zones)}"
        return beyond_memory(given, 8 * ARRAYS * self.zone_count, "give fewer zones")

    @property
    def grid_text(self) -> str:
        """The zones along each axis in words."""
        return " × ".join(map(str, self.zones))

    @property
    def sentence(self) -> str:
        """What follows from the keys."""
        end = f"; it ends at t = {self.until:g}" if self.until else ""
        widths = " × ".join(f"{width:.4g}" for width in self.zone_widths)
        return (
            f"{self.grid_text} zones of {widths} in {self.coordinates} coordinates{end}; "
            f"{engineering(self.memory_bytes, 'B')} of memory for its arrays"
        )

    @property
    def tile(self) -> tuple[str, str, str]:
        """The grid and its coordinates."""
        return "Zones", self.grid_text, self.coordinates
