"""The keys of a study of an ocean, and what follows from them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from phasewise.output import engineering, number_of
from phasewise.tables.declared import key
from phasewise.workload.table import OneTable, beyond_memory
from phasewise.workloads.ocean.grid import GEOMETRIES, USUAL_LATITUDES, Size, widths_of

PERIODIC_X, PERIODIC_XY, CLOSED = PERIODICS = ("x", "xy", "none")
CONTINENTS, ALL_SEA, FILE = MASKS = ("continents", "none", "file")
UPWIND, CENTRED = ADVECTIONS = ("upwind", "centred")
GYRE, TRADES, NO_WIND = WIND_PROFILES = ("gyre", "trades", "none")
STRATIFIED, REST, WAVE, FROM_FILE = INITIALS = ("stratified", "rest", "wave", "file")
PCG, CHRONGEAR, PIPELINED, PCSI = SOLVERS = ("pcg", "chrongear", "pipelined", "pcsi")
NONE, DIAGONAL, EVP = PRECONDITIONERS = ("none", "diagonal", "evp")
TOLERANCE = 1e-13
GRAVITY = 9.80616
"""[m/s²]"""
FIELDS = 16
"""Values of a cell in three dimensions: velocities, temperature and salt of two timesteps, their
tendencies, and what the implicit mixing needs.
"""
SURFACES = 30
"""Values of a column: the operator, the solver's fields, depths and metrics."""


@dataclass(frozen=True, kw_only=True)
class OceanRecords:
    """The keys of [records] for an ocean."""

    snapshots_every: int = key("integer", 0, least=0, unit="timesteps")
    """Timesteps between snapshots, which the last timestep has too; 0: none."""


@dataclass(frozen=True, kw_only=True)
class OceanTable(OneTable):
    """The keys of [ocean], all with their final values."""

    DERIVED: ClassVar[tuple[str, ...]] = (
        "cells", "smallest_width", "gravity_wave_speed", "gravity_wave_courant",
        "expected_iterations", "memory_bytes",
    )  # fmt: skip

    grid: Any = key("any", needed='the grid, such as "x1" or [80, 96, 20]')
    """A name, or cells along x and y and levels."""
    size: Size = (0, 0, 0)
    """Cells along x and y, and levels."""
    geometry: str = key("word", GEOMETRIES[0], choices=GEOMETRIES, flat=True)
    latitudes: tuple[float, ...] = key(
        "numbers", length=2, least=-89, most=89, unit="degrees", flat=True,
        as_flat=lambda found: found or USUAL_LATITUDES,
    )  # fmt: skip
    """Of the walls in the south and in the north, on the sphere."""
    extent: tuple[float, ...] = key(
        "numbers", length=2, above=0, most=1e9, unit="m", flat=True,
        as_flat=lambda found: found or (0.0, 0.0),
    )  # fmt: skip
    """Along x and y, in a plane."""
    coriolis: float | None = key(
        "number", least=-1, most=1, unit="1/s", flat=True, as_flat=lambda found: found or 0.0
    )
    """f in the middle of a plane."""
    beta: float | None = key(
        "number", least=-1, most=1, unit="1/(m s)", flat=True, as_flat=lambda found: found or 0.0
    )
    """df/dy of a plane."""
    periodic: str = key("word", choices=PERIODICS, flat=True)
    depth: float = key("number", above=0, most=2e4, unit="m")
    """Of the lowest level's bottom."""
    levels: Any = key("any")
    """How thick the levels are."""
    thicknesses: tuple[float, ...] = ()
    """Of each level, from the uppermost one on [m]."""
    mask: str = key("word", choices=MASKS, flat=True)
    """Where the land is."""
    mask_file: Path | None = key("text")
    mask_variable: str | None = key("text")
    """The variable or the dataset of the file that has the depths."""
    sea: float | None = key(
        "number", above=0, most=1, flat=True, as_flat=lambda share: share or 1.0
    )
    """The share of the sea where the continents follow from the seed."""
    fill_seas: bool = key("flag", False)
    """Whether seas that the largest one does not reach become land."""
    timestep: float = key("number", above=0, most=1e6, unit="s", flat=True)
    implicitness: float = key("number", 0.6, least=0.5, most=1, flat=True)
    """θ of the free surface."""
    advection: str = key("word", ADVECTIONS[0], choices=ADVECTIONS, flat=True)
    viscosity: float = key("number", least=0, most=1e9, unit="m²/s", flat=True)
    diffusivity: float = key("number", least=0, most=1e9, unit="m²/s", flat=True)
    vertical_viscosity: float = key("number", 1e-3, least=0, most=1e6, unit="m²/s", flat=True)
    vertical_diffusivity: float = key("number", 1e-4, least=0, most=1e6, unit="m²/s", flat=True)
    drag: float = key("number", 4e-4, least=0, most=1, unit="m/s", flat=True)
    """Of the bottom, over the velocity in the lowest level."""
    wind: float = key("number", 0.1, least=-100, most=100, unit="N/m²", flat=True)
    """Amplitude of the stress."""
    wind_profile: str = key("word", choices=WIND_PROFILES, flat=True)
    initial: str = key("word", choices=INITIALS, flat=True)
    wave_numbers: tuple[int, ...] | None = key(
        "integers", length=2, least=0, most=10_000, flat=True, as_flat=lambda found: found or (1, 0)
    )
    """Wavelengths in the ocean along x and y."""
    wave_height: float | None = key(
        "number", least=-100, most=100, unit="m", flat=True, as_flat=lambda found: found or 0.0
    )
    initial_file: Path | None = key("text")
    """The HDF5 file with the fields at the start."""
    baroclinic: bool = key("flag", True, flat=True)
    """Whether there are levels, or the surface and the transport alone."""
    solver: str = key("word", PCSI, choices=SOLVERS, flat=True)
    preconditioner: str = key("word", EVP, choices=PRECONDITIONERS, flat=True)
    evp_block: tuple[int, ...] = key(
        "integers", (12, 12), length=2, least=2, most=64, unit="cells", flat=True
    )
    """Cells along x and y of a block that is solved exactly."""
    tolerance: float | None = key("number", least=1e-16, most=0.1)
    """Of the residual over the right-hand side."""
    iterations: int | None = key(
        "integer", least=1, most=10**6, flat=True, as_flat=lambda found: found or 0
    )
    """A fixed number of iterations, in the place of a tolerance."""
    most_iterations: int = key("integer", 2000, least=1, most=10**6, flat=True)
    check_every: int = key("integer", 10, least=1, most=10**4, unit="iterations", flat=True)
    """How often a solver without sums of its own finds the residual."""
    records: OceanRecords = OceanRecords(snapshots_every=0)

    @property
    def columns(self) -> int:
        """Cells of a level."""
        return self.size[0] * self.size[1]

    @property
    def cells(self) -> int:
        """Cells of the grid, those of land among them."""
        return math.prod(self.size)

    @property
    def widths(self) -> tuple[float, float, float]:
        """The least and the largest Δx, and Δy [m]."""
        return widths_of(self.geometry, self.size, self.latitudes, self.extent)

    @property
    def smallest_width(self) -> float:
        """The least width of a cell [m]."""
        least, _, across = self.widths
        return min(least, across)

    @property
    def whole_depth(self) -> float:
        """From the surface to the bottom of the lowest level [m]."""
        return math.fsum(self.thicknesses)

    @property
    def gravity_wave_speed(self) -> float:
        """√(g H) [m/s]."""
        return math.sqrt(GRAVITY * self.whole_depth)

    @property
    def gravity_wave_courant(self) -> float:
        """Cells that a gravity wave crosses in a timestep: the solver has more to do with more."""
        return self.gravity_wave_speed * self.timestep / self.smallest_width

    @property
    def expected_iterations(self) -> int:
        """Iterations that plans take of a solve whose number is not fixed: ⅓ √κ ln(2/ε) with the
        condition number κ = 1 + 4 θ² g H Δt² (1/Δx² + 1/Δy²). Conjugate gradients with the diagonal
        would take ½ √κ ln(2/ε) from zero, and fewer from the surface before. Exact blocks take a
        third of it, and Chebyshev's iteration a quarter more (measured on x1).
        """
        if self.iterations:
            return self.iterations
        least, _, across = self.widths
        speed = self.implicitness * self.gravity_wave_speed * self.timestep
        condition = 1.0 + 4.0 * speed**2 * (1.0 / least**2 + 1.0 / across**2)
        found = math.sqrt(condition) * math.log(2.0 / self.wanted) / 3.0
        found *= 1.0 / 3.0 if self.preconditioner == EVP else 1.0
        found *= 1.25 if self.solver == PCSI else 1.0
        return max(1, min(math.ceil(found), self.most_iterations))

    @property
    def wanted(self) -> float:
        """The tolerance with its default."""
        return TOLERANCE if self.tolerance is None else self.tolerance

    @property
    def memory_bytes(self) -> int:
        """The arrays of all ranks together [bytes]."""
        fields = FIELDS * self.cells if self.baroclinic else 0
        return 8 * (fields + SURFACES * self.columns)

    @property
    def excess(self) -> str:
        """A sentence if one rank's arrays are larger than this machine's memory."""
        other = ", give ocean.baroclinic = false for the solver alone, or simulate with --skeleton"
        given = f"ocean.grid = {self.grid_text}"
        return beyond_memory(
            given, self.memory_bytes, f"give a smaller grid{other if self.baroclinic else ''}"
        )

    @property
    def grid_text(self) -> str:
        """The cells and levels in words."""
        nx, ny, nz = self.size
        return f"{nx} × {ny} × {nz}" if self.baroclinic else f"{nx} × {ny}"

    @property
    def sentence(self) -> str:
        """What follows from the keys."""
        least, most, across = (one / 1e3 for one in self.widths)
        wide = f"{least:.4g}" if least == most else f"{least:.4g} to {most:.4g}"
        return (
            f"{self.grid_text} cells of {wide} × {across:.4g} km down to {self.whole_depth:g} m; "
            f"gravity waves of {self.gravity_wave_speed:.4g} m/s cross "
            f"{number_of(max(1, round(self.gravity_wave_courant)), 'cell')} in a timestep; "
            f"about {engineering(self.memory_bytes, 'B')} of memory for its arrays"
        )

    @property
    def tile(self) -> tuple[str, str, str]:
        """The grid and its solver."""
        return "Grid", self.grid_text, f"{self.solver} with {self.preconditioner}"
