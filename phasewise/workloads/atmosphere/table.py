"""The keys of a study of an atmosphere's columns, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from phasewise.output import engineering, number_of
from phasewise.tables.declared import key
from phasewise.workload.table import OneTable, beyond_memory
from phasewise.workloads.atmosphere.grid import OBLIQUITY, Grid, declination

USUAL_GRID = (64, 128)
RESULTS = 11
"""Numbers that a column brings back beside its state: its results, and the seconds that it took
(core/atmosphere/column_bytes.hpp).
"""
MOST_COLUMNS = 2**24
OF_PHYSICS = (
    "levels", "timestep", "day", "hour", "obliquity", "long_wave_bands", "short_wave_bands",
    "adjustment", "most_sweeps", "solar_constant", "albedo",
)  # fmt: skip
"""The keys that say nothing where costs come from a file."""


@dataclass(frozen=True, kw_only=True)
class AtmosphereRecords:
    """The keys of [records] for an atmosphere."""

    snapshots_every: int = key("integer", 0, least=0, unit="timesteps")
    """Timesteps between snapshots, which the last timestep has too; 0: none."""


@dataclass(frozen=True, kw_only=True)
class AtmosphereTable(OneTable):
    """The keys of [atmosphere], all with their final values."""

    DERIVED: ClassVar[tuple[str, ...]] = (
        "columns", "declination", "bytes_out", "bytes_back", "memory_bytes",
    )  # fmt: skip

    grid: Grid = key("integers", length=2, least=1, most=2**15, flat=True)
    """Gaussian latitudes and longitudes."""
    levels: int = key("integer", 26, least=2, most=200, flat=True)
    timestep: float = key("number", 1200.0, above=0, most=86400, unit="s", flat=True)
    day: int = key("integer", 172, least=1, most=365, flat=True)
    """Of the year, at the first timestep."""
    hour: float = key("number", 12.0, least=0, most=23.999, unit="h", flat=True)
    """At longitude 0, of the first timestep."""
    obliquity: float = key("number", OBLIQUITY, least=0, most=90, unit="degrees", flat=True)
    """Declination of the sun on day 172."""
    long_wave_bands: int = key("integer", 8, least=1, most=64, flat=True)
    short_wave_bands: int = key("integer", 8, least=1, most=64, flat=True)
    adjustment: bool = key("flag", True, flat=True)
    """Whether unstable layers are adjusted, with rain."""
    most_sweeps: int = key("integer", 200, least=1, most=10**6, flat=True)
    """Of an adjustment, after which it has failed."""
    solar_constant: float = key("number", 1361.0, least=0, most=1e5, unit="W/m²", flat=True)
    albedo: float = key("number", 0.2, least=0, most=1, flat=True)
    """Of the surface."""
    costs: Path | None = key("text")
    """The file with the seconds of each column."""
    costs_variable: str | None = key("text")
    """The variable of the file that has them."""
    costs_fingerprint: str | None = key("text")
    """Of the file's numbers, which those of a resumed run must have too."""
    column_bytes: tuple[int, ...] | None = key(
        "integers", length=2, least=1, most=2**30, unit="bytes"
    )
    """Of a column that moves, out and back, where its costs come from a file."""
    records: AtmosphereRecords = AtmosphereRecords(snapshots_every=0)

    @property
    def columns(self) -> int:
        """Columns of the grid."""
        return self.grid[0] * self.grid[1]

    @property
    def declination(self) -> float:
        """Of the sun on the first day [degrees]."""
        return declination(self.day, self.obliquity)

    @property
    def values(self) -> int:
        """Numbers of a column: temperature, vapour and cloud water of each level, and the
        surface.
        """
        return 3 * self.levels + 1

    @property
    def bytes_out(self) -> int:
        """Bytes of a column that goes to another rank."""
        return 8 * self.values if self.column_bytes is None else self.column_bytes[0]

    @property
    def bytes_back(self) -> int:
        """Bytes of a column that comes back, with what is recorded of it."""
        if self.column_bytes is None:
            return 8 * (self.values + RESULTS)
        return self.column_bytes[1]

    @property
    def memory_bytes(self) -> int:
        """The columns of all ranks together [bytes]."""
        return self.columns * (self.bytes_out + self.bytes_back)

    @property
    def excess(self) -> str:
        """A sentence if one rank's columns are larger than this machine's memory."""
        given = f"atmosphere.grid = {self.grid_text}"
        return beyond_memory(given, self.memory_bytes, "give fewer columns")

    @property
    def grid_text(self) -> str:
        """Latitudes and longitudes in words."""
        return f"{self.grid[0]} × {self.grid[1]}"

    @property
    def sentence(self) -> str:
        """What follows from the keys."""
        moved = f"a column is {self.bytes_out} B on its way out and {self.bytes_back} B back"
        if self.costs is not None:
            return f"{number_of(self.columns, 'column')} whose seconds come from a file; {moved}"
        return (
            f"{number_of(self.columns, 'column')} of {number_of(self.levels, 'level')}, half of "
            f"them lit; declination {self.declination:.2f}°; {moved}; "
            f"{engineering(self.memory_bytes, 'B')} of memory for all of them"
        )

    @property
    def tile(self) -> tuple[str, str, str]:
        """The grid."""
        beside = "costs from a file" if self.costs else number_of(self.levels, "level")
        return "Columns", self.grid_text, beside
