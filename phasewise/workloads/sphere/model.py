"""Shallow water on a rotating sphere: the table [sphere], its own keys of [records], and what
follows from them.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, cast

from phasewise.errors import StudyError
from phasewise.mpi.launch import allocated_node_count
from phasewise.output import engineering, number_of
from phasewise.tables.declared import flat_of, key, read_table, values_of
from phasewise.tables.keys import Key, convert, plain, show
from phasewise.workload.table import OneTable, machine_memory
from phasewise.workloads.sphere.cases import CASES, FILE, JET, JET_DEPTH, SOLVED, Scales, scales_of
from phasewise.workloads.sphere.grid import (
    even_functions_of,
    fast_longitudes,
    fewest_latitudes,
    fewest_longitudes,
    functions_of,
    largest_truncation,
)
from phasewise.workloads.sphere.places import Place, read_stations
from phasewise.workloads.sphere.stability import EXPLICIT, SCHEMES, largest_timestep

MOST_DEGREES, MOST_LEVELS = 2**14, 2**12
AUTO, TABLE, PANELS = "auto", "table", "panels"
LAST_AMPLITUDE = 0.5
"""Amplitude of the last of several levels; those between fall linearly from 1."""
FEWEST_GROUPS, PAIRS_OF_GROUP = 8, 16
"""Groups of latitudes, where there are as many pairs, and pairs of a group of large grids."""
TABLE_SHARE = 0.25
"""Largest share of this machine's memory that a table of Legendre functions takes by itself."""
COMPLEX_BYTES = 16
OF_CASE = {"angle": SOLVED, "mean_depth": (JET,), "perturbed": (JET,), "file": (FILE,)}
"""Keys that belong to some cases alone."""
AMPLITUDE = Key("number", least=-10, most=10)


@dataclass(frozen=True, kw_only=True)
class SphereRecords:
    """The keys of [records] for shallow water."""

    stations: tuple[Place, ...] = key("any", ())
    """Latitude and longitude [degrees] of the points at which the height is recorded."""
    maps_every: int = key("integer", 0, least=0, unit="timesteps")
    """Timesteps between maps, which the last timestep has too; 0: none."""
    netcdf: bool = key("flag", False)
    """Whether each map is also a NetCDF file."""


@dataclass(frozen=True, kw_only=True)
class Sphere(OneTable):
    """The keys of [sphere], all with their final values."""

    DERIVED: ClassVar[tuple[str, ...]] = (
        "latitudes", "longitudes", "points", "coefficients", "shortest_wavelength",
        "gravity_wave_speed", "largest_timestep", "table_bytes", "memory_bytes",
    )  # fmt: skip

    case: str = key("word", choices=CASES, needed="the test case, or file", flat=True)
    truncation: int = key(
        "integer", needed="the largest degree of the coefficients", least=1, most=MOST_DEGREES,
        flat=True,
    )  # fmt: skip
    """M: coefficients have |m| ≤ l ≤ M."""
    latitudes: int = key("integer", 0, least=0, most=2 * MOST_DEGREES, flat=True)
    longitudes: int = key("integer", 0, least=0, most=4 * MOST_DEGREES, flat=True)
    """Points of the Gaussian grid; 0: the usual grid of the truncation."""
    levels: int = key("integer", 1, least=1, most=MOST_LEVELS, flat=True)
    """Levels, which do not interact."""
    latitude_groups: int = key("integer", 0, least=0, most=MOST_DEGREES, flat=True)
    """Groups of pairs of latitudes that are summed by themselves; 0: chosen for the grid."""
    timestep: float = key("number", needed="Δt in seconds", above=0, most=1e6, unit="s", flat=True)
    radius: float = key("number", 6.37122e6, above=0, most=1e12, unit="m", flat=True)
    rotation: float = key("number", 7.292e-5, least=-1, most=1, unit="1/s", flat=True)
    gravity: float = key("number", 9.80616, above=0, most=1e6, unit="m/s²", flat=True)
    scheme: str = key("word", SCHEMES[0], choices=SCHEMES, flat=True)
    filter: float = key("number", 0.0, least=0, most=0.5, flat=True)
    """Asselin's coefficient; 0: no filter."""
    diffusion: float = key("number", 0.0, least=0, most=1e30, unit="m²/s or m⁴/s", flat=True)
    """ν of implicit diffusion in all three equations; 0: none."""
    diffusion_order: int = key("integer", 2, least=2, most=4, flat=True)
    """2: ∇²; 4: ∇⁴."""
    angle: float | None = key(
        "number", least=-math.tau, most=math.tau, unit="rad", flat=True,
        as_flat=lambda angle: angle or 0.0,
    )  # fmt: skip
    """α between the axis of the flow and that of the sphere, in cases 1 and 2."""
    amplitudes: tuple[float, ...] | None = key("any")
    """A factor of each level's winds."""
    mean_depth: float | None = key("number", above=0, most=1e6, unit="m")
    """Mean depth of Galewsky's jet."""
    perturbed: bool | None = key("flag", flat=True, as_flat=bool)
    """Whether Galewsky's jet has the bump of its height, from which it becomes unstable."""
    functions: str = key("word", AUTO, choices=(AUTO, TABLE, PANELS), flat=True)
    """Whether the Legendre functions are kept or made as they are used."""
    file: Path | None = key("text")
    """The HDF5 file with the fields at the start, of case FILE."""
    records: SphereRecords = SphereRecords(stations=(), maps_every=0, netcdf=False)

    def check(self) -> None:
        """StudyError where keys do not suit each other."""
        for name, cases in OF_CASE.items():
            if getattr(self, name) is not None and self.case not in cases:
                raise StudyError(
                    f"sphere.{name} belongs to case = {' or '.join(map(show, cases))}, but the "
                    f"case is {show(self.case)}"
                )
        if self.case == FILE and self.file is None:
            raise StudyError(f'sphere.file is missing: case = "{FILE}" needs it')
        if self.diffusion_order == 3:
            raise StudyError("sphere.diffusion_order = 3 must be 2 for ∇² or 4 for ∇⁴")
        if self.records.netcdf and not self.records.maps_every:
            raise StudyError(
                "records.netcdf writes maps as files, and records.maps_every gives none; give "
                "records.maps_every too"
            )

    @property
    def pairs(self) -> int:
        """Pairs of latitudes φ and -φ."""
        return self.latitudes // 2

    @property
    def points(self) -> int:
        """Points of the grid."""
        return self.latitudes * self.longitudes

    @property
    def coefficients(self) -> int:
        """Coefficients of a field of one level."""
        return functions_of(self.truncation)

    @property
    def level_amplitudes(self) -> tuple[float, ...]:
        """The factor of each level's winds: by default it falls linearly; fields of a file are
        taken as they are.
        """
        if self.amplitudes is not None:
            return self.amplitudes
        if self.case == FILE or self.levels == 1:
            return (1.0,) * self.levels
        fall = (1 - LAST_AMPLITUDE) / (self.levels - 1)
        return tuple(1 - fall * level for level in range(self.levels))

    @property
    def scales(self) -> Scales | None:
        """The fastest wind of all levels and the depth; None where they stand in a file."""
        found = [self._scales_of(amplitude) for amplitude in self.level_amplitudes]
        known = [one for one in found if one is not None]
        if not known:
            return None
        return Scales(
            max(one.wind for one in known),
            max(one.depth for one in known),
            min(one.least for one in known),
        )

    def _scales_of(self, amplitude: float) -> Scales | None:
        return scales_of(
            self.case, self.radius, self.rotation, self.gravity, self.mean_depth, amplitude
        )

    def check_depth(self) -> None:
        """StudyError if the depth that balances the winds of a level is not above 0."""
        for level, amplitude in enumerate(self.level_amplitudes):
            found = self._scales_of(amplitude)
            if found is not None and not found.least > 0:
                raise StudyError(
                    f"sphere.amplitudes: winds of level {level} with the amplitude {amplitude:g} "
                    f"need a depth of {found.least:.4g} m somewhere; give a smaller amplitude"
                )

    @property
    def gravity_wave_speed(self) -> float | None:
        """√(g h) of the case's depth [m/s]; None where it stands in a file."""
        return None if self.scales is None else math.sqrt(self.gravity * self.scales.depth)

    @property
    def largest_timestep(self) -> float | None:
        """The largest stable timestep [s]; None where winds stand in a file."""
        return None if self.scales is None else self.stable_up_to(self.scales)

    def stable_up_to(self, scales: Scales) -> float:
        """The largest stable timestep [s] for these scales."""
        # Case 1 advects by a wind that is given: nothing turns it.
        rotation = self.rotation if scales.depth else 0.0
        waves = math.sqrt(self.gravity * scales.depth)
        return largest_timestep(
            self.truncation, self.radius, rotation, scales.wind, waves, self.scheme
        )

    def check_timestep(self, scales: Scales) -> None:
        """StudyError if the timestep is beyond stability for these scales."""
        most = self.stable_up_to(scales)
        if self.timestep <= most:
            return
        waves = math.sqrt(self.gravity * scales.depth)
        feels = f" and gravity waves of {waves:.4g} m/s" if self.scheme == EXPLICIT else ""
        other = f', or scheme = "{SCHEMES[0]}"' if feels and scales.depth else ""
        raise StudyError(
            f"sphere.timestep = {self.timestep:g} s is beyond stability: with winds of "
            f"{scales.wind:.4g} m/s{feels} at truncation {self.truncation}, give at most "
            f"{_rounded_down(most):g} s{other}"
        )

    @property
    def shortest_wavelength(self) -> float:
        """Length of the shortest wave on the equator [m]."""
        return math.tau * self.radius / self.truncation

    @property
    def table_bytes(self) -> int:
        """Memory of a table of the Legendre functions with even l - m, at half of the latitudes, up
        to degree M + 1 [bytes].
        """
        return 8 * self.pairs * even_functions_of(self.truncation)

    @property
    def memory_bytes(self) -> int:
        """The large arrays on one rank [bytes]: four fields and two of the surface on the grid, the
        columns of five products, four states of three fields, and a table of Legendre functions
        that is kept. Several ranks have as much together, and with transposes the columns twice.
        """
        fields = (4 * self.levels + 2) * self.points // 2
        columns = 2 * 5 * self.levels * self.pairs * (self.truncation + 1)
        states = 4 * 3 * self.levels * self.coefficients
        table = self.table_bytes if self.functions == TABLE else 0
        return COMPLEX_BYTES * (fields + columns + states) + table

    @property
    def excess(self) -> str:
        """A sentence if this machine, or the nodes of its batch job if all have as much memory,
        cannot hold the study.
        """
        nodes = allocated_node_count(os.environ)
        here = nodes * machine_memory()
        if self.memory_bytes <= here:
            return ""
        memory, found = (engineering(size, "B") for size in (self.memory_bytes, here))
        where = "this machine has" if nodes == 1 else f"the {nodes} nodes of this job have"
        return (
            f"sphere.truncation = {self.truncation} with {number_of(self.levels, 'level')} takes "
            f"{memory} of memory, and {where} {found}: give a smaller truncation, or fewer levels, "
            "or run on more nodes"
        )

    @property
    def sentence(self) -> str:
        """What follows from the keys."""
        waves, most = self.gravity_wave_speed, self.largest_timestep
        speed = f"; gravity waves of {waves:.4g} m/s" if waves else ""
        limit = "" if most in (None, math.inf) else f"; stable up to {_rounded_down(most):g} s"
        table, memory = (engineering(n, "B") for n in (self.table_bytes, self.memory_bytes))
        return (
            f"{self.latitudes} × {self.longitudes} points, {self.coefficients} coefficients; "
            f"shortest wave {self.shortest_wavelength / 1e3:.4g} km{speed}{limit}; Legendre "
            f"functions: {self.functions}, {table} as a table; about {memory} of memory on one rank"
        )

    @property
    def tile(self) -> tuple[str, str, str]:
        """The truncation and its grid."""
        grid = f"{self.latitudes} × {self.longitudes}"
        return "Truncation", f"T{self.truncation}", f"{grid}, {number_of(self.levels, 'level')}"


def _rounded_down(seconds: float) -> float:
    """A time with four digits, no longer than the one given."""
    step = 10.0 ** (math.floor(math.log10(seconds)) - 3) if math.isfinite(seconds) else 1.0
    return math.floor(seconds / step) * step if math.isfinite(seconds) else seconds


def read(tables: Mapping[str, Any], records: Mapping[str, Any], folder: Path) -> Sphere:
    """The model that a study's tables describe; StudyError if they do not describe one."""
    given = read_table(Sphere, tables["sphere"] or {}, "sphere")
    own = SphereRecords(**{**records, "stations": read_stations(records["stations"])})
    found = replace(
        given,
        records=own,
        amplitudes=_amplitudes(given),
        file=None if given.file is None else (folder / given.file).resolve(),
        **_case_keys(given),
        **_grid(given),
    )
    found = replace(found, latitude_groups=_groups(found), functions=_functions(found))
    found.check()
    found.check_depth()
    if found.scales is not None:
        found.check_timestep(found.scales)
    return found


def _case_keys(given: Sphere) -> dict[str, Any]:
    """The keys of a case with their defaults."""
    jet = given.case == JET
    return {
        "angle": 0.0 if given.angle is None and given.case in SOLVED else given.angle,
        "mean_depth": JET_DEPTH if given.mean_depth is None and jet else given.mean_depth,
        "perturbed": True if given.perturbed is None and jet else given.perturbed,
    }


def _grid(given: Sphere) -> dict[str, Any]:
    """The grid, whole; StudyError if it is none, or too small for the truncation."""
    m = given.truncation
    longitudes = given.longitudes or fast_longitudes(m)
    usual = longitudes // 2 // 2 * 2
    latitudes = given.latitudes or max(usual, fewest_latitudes(m))
    for name, count in (("latitudes", latitudes), ("longitudes", longitudes)):
        if count % 2:
            near = f"ones are {count - 1} and {count + 1}" if count > 1 else "one is 2"
            raise StudyError(f"sphere.{name} = {count} is odd; the nearest even {near}")
    if latitudes < fewest_latitudes(m) or longitudes < fewest_longitudes(m):
        most = largest_truncation(latitudes, longitudes)
        holds = f"it holds truncations up to {most}" if most > 0 else "it holds no truncation"
        raise StudyError(
            f"the grid of {latitudes} latitudes and {longitudes} longitudes is too small for "
            f"sphere.truncation = {m}: {holds}, and {m} needs at least {fewest_latitudes(m)} and "
            f"{2 * -(-fewest_longitudes(m) // 2)}"
        )
    return {"latitudes": latitudes, "longitudes": longitudes}


def _groups(found: Sphere) -> int:
    """The number of groups; StudyError if there are more than pairs of latitudes."""
    usual = min(found.pairs, max(FEWEST_GROUPS, found.pairs // PAIRS_OF_GROUP))
    groups = found.latitude_groups or usual
    if groups > found.pairs:
        raise StudyError(
            f"sphere.latitude_groups = {groups} is more than the {found.pairs} pairs of "
            f"{found.latitudes} latitudes"
        )
    return groups


def _functions(found: Sphere) -> str:
    """How the Legendre functions are had where the study leaves it open."""
    if found.functions != AUTO:
        return found.functions
    return TABLE if found.table_bytes <= TABLE_SHARE * machine_memory() else PANELS


def _amplitudes(given: Sphere) -> tuple[float, ...] | None:
    """sphere.amplitudes as numbers; StudyError if there is not one for each level."""
    found, where = plain(given.amplitudes), "sphere.amplitudes"
    if found is None:
        return None
    if not isinstance(found, list | tuple) or len(found) != given.levels:
        raise StudyError(
            f"{where} must be a list with a number for each level, and sphere.levels = "
            f"{given.levels}, but is {show(found)}"
        )
    return tuple(convert(one, AMPLITUDE, f"{where}[{i}]") for i, one in enumerate(found, 1))


def resolved(model: Sphere) -> dict[str, Any]:
    """The tables from which `read` makes the same model."""
    records = values_of(model.records)
    stations = [list(place) for place in model.records.stations]
    return {"sphere": values_of(model), "records": records | {"stations": stations}}


def parameters(model: Sphere) -> Iterator[tuple[str, Any]]:
    """The flat parameters of a model."""
    for name, value in flat_of(model):
        yield f"sphere.{name}", value
    yield "sphere.amplitudes", model.level_amplitudes
    yield "sphere.mean_depth", model.mean_depth or 0.0
    if model.records.stations:
        yield "sphere.stations", tuple(at for place in model.records.stations for at in place)


def model_of(study: Any) -> Sphere:
    """The model of a study of this workload."""
    return cast(Sphere, study.model)
