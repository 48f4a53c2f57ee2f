"""Radiation and convective adjustment of arrays of columns, as the workload computes them.

A column's levels are layers of equal mass from the top down; fluxes stand between them, above each
level and at the surface. The equations are on the page docs/atmosphere.md.

>>> import numpy as np
>>> from phasewise.workloads.atmosphere import radiation
>>> temperature = np.linspace(210.0, 288.0, 26)
>>> found = radiation.long_wave(temperature, 289.0, vapour=1e-3)
>>> found.up.shape, found.heating.shape
((27,), (26,))
>>> bool(found.up[0] < found.up[-1])
True
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from operator import index
from typing import Any, SupportsIndex, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phasewise.driver import Floats, load_planner
from phasewise.errors import RunError, StudyError

FAST, PLAIN = "fast", "plain"
MOST_LEVELS, MOST_BANDS, MOST_SWEEPS, MOST_THREADS = 10_000, 1_000, 1_000_000, 1_024
HOTTEST = 1e4
"""[K]"""
MOST_COEFFICIENT = 1e12
"""[m²/kg]"""

Band = TypeVar("Band", "LongWaveBand", "ShortWaveBand")


@dataclass(frozen=True)
class LongWaveBand:
    """Absorption in a band of long wave radiation, in m² a kilogram of the absorber."""

    share: float
    """Of black-body radiation."""
    vapour: float = 0.0
    gas: float = 0.0
    """The well-mixed gas: in m² a kilogram of air."""
    cloud: float = 0.0


@dataclass(frozen=True)
class ShortWaveBand:
    """Optics of a band of short wave radiation; coefficients are in m² a kilogram."""

    share: float
    """Of the sun's radiation."""
    vapour: float = 0.0
    """Absorption by vapour."""
    rayleigh: float = 0.0
    """Scattering by air."""
    cloud: float = 0.0
    """Extinction by cloud water."""
    cloud_absorption: float = 0.0
    """1 - ω, ω the single scattering albedo of cloud water."""
    asymmetry: float = 0.85
    """g of cloud water."""


@dataclass(frozen=True)
class Fluxes:
    """Radiation in columns of some shape."""

    up: Floats
    """(…, levels + 1) [W/m²]: above each level, and at the surface."""
    down: Floats
    """(…, levels + 1) [W/m²], with the direct beam."""
    heating: Floats
    """(…, levels) [K/s]."""

    @property
    def net(self) -> Floats:
        """(…, levels + 1) [W/m²]: upward minus downward flux."""
        return self.up - self.down


@dataclass(frozen=True)
class Adjusted:
    """Columns after convective adjustment, in arrays of the shape of what was given."""

    temperature: Floats
    """K"""
    vapour: Floats
    """kg in a kilogram of air."""
    cloud: Floats
    """kg of liquid in a kilogram of air."""
    sweeps: NDArray[np.int64]
    """(…,): of each column."""


@dataclass(frozen=True)
class Layer:
    """What a layer does with the light that falls on it, as shares of it."""

    reflection: float
    """Of diffuse light."""
    transmission: float
    beam_reflection: float
    """Of the beam, into diffuse light."""
    beam_transmission: float
    """Of the beam, into diffuse light."""
    direct: float
    """Of the beam, what passes as such."""


def long_wave(
    temperature: ArrayLike,
    surface_temperature: ArrayLike,
    vapour: ArrayLike = 0.0,
    cloud: ArrayLike = 0.0,
    *,
    bands: int | Sequence[LongWaveBand] = 8,
    kernel: str = FAST,
    threads: int = 1,
) -> Fluxes:
    """Two streams of long wave radiation through isothermal layers that do not scatter.

    Args:
        temperature: (…, levels) [K].
        surface_temperature: (…,) [K]; the surface is black.
        vapour: kg in a kilogram of air; a number, or an array like the temperature.
        cloud: kg of liquid in a kilogram of air, as the vapour.
        bands: Bands, or how many of the workload's own.
        kernel: fast (lanes across columns) or plain (one column at a time), with the same bits.
        threads: That share the columns.

    Raises:
        StudyError: An argument is none that can be used; it is a ValueError.
    """
    given = _Columns(temperature, "temperature", least=1.0, most=HOTTEST)
    surface = given.of_columns(surface_temperature, "surface_temperature", 1.0, HOTTEST)
    own = _long_wave_table(bands)
    found = _core().atmosphere_long_wave(
        given.values, given.absorber(vapour, "vapour"), given.absorber(cloud, "cloud"), surface,
        own, *_manner(kernel, threads),
    )  # fmt: skip
    return Fluxes(*(given.back(one) for one in found))


def short_wave(
    cosine: ArrayLike,
    vapour: ArrayLike,
    cloud: ArrayLike = 0.0,
    *,
    albedo: float = 0.2,
    solar_constant: float = 1361.0,
    bands: int | Sequence[ShortWaveBand] = 8,
    kernel: str = FAST,
    threads: int = 1,
) -> Fluxes:
    """Two streams of the sun's radiation in the delta-Eddington approximation.

    Args:
        cosine: (…,), of the sun's zenith angle; columns where it is not positive are dark.
        vapour: (…, levels), kg in a kilogram of air.
        cloud: kg of liquid in a kilogram of air; a number, or an array like the vapour.
        albedo: Of the surface, 0 to 1.
        solar_constant: W/m², through a plane across the beam.
        bands: Bands, or how many of the workload's own.
        kernel: fast (lanes across columns) or plain (one column at a time), with the same bits.
        threads: That share the columns.

    Raises:
        StudyError: An argument is none that can be used; it is a ValueError.
    """
    given = _Columns(vapour, "vapour", least=0.0, most=1.0)
    sun = given.of_columns(cosine, "cosine", -1.0, 1.0)
    own = _short_wave_table(bands)
    reflected = _number(albedo, "albedo", most=1.0)
    beam = _number(solar_constant, "solar_constant", most=1e9)
    found = _core().atmosphere_short_wave(
        sun, given.values, given.absorber(cloud, "cloud"), own, reflected, beam,
        *_manner(kernel, threads),
    )  # fmt: skip
    return Fluxes(*(given.back(one) for one in found))


def adjust(
    temperature: ArrayLike,
    vapour: ArrayLike,
    cloud: ArrayLike = 0.0,
    *,
    most_sweeps: int = 200,
    kernel: str = FAST,
    threads: int = 1,
) -> Adjusted:
    """Moist convective adjustment, until no layer is unstable.

    Args:
        temperature: (…, levels) [K].
        vapour: kg in a kilogram of air; a number, or an array like the temperature.
        cloud: kg of liquid in a kilogram of air, as the vapour.
        most_sweeps: After which it gives up.
        kernel: fast (lanes across columns) or plain (one column at a time), with the same bits.
        threads: That share the columns.

    Raises:
        StudyError: An argument is none that can be used; it is a ValueError.
        RunError: A column is still unstable after the most sweeps.
    """
    given = _Columns(temperature, "temperature", least=1.0, most=HOTTEST)
    sweeps = _integer(most_sweeps, "most_sweeps", MOST_SWEEPS)
    found = _core().atmosphere_adjust(
        given.values, given.like(vapour, "vapour"), given.like(cloud, "cloud"), sweeps,
        *_manner(kernel, threads),
    )  # fmt: skip
    counts = found[3].astype(np.int64).reshape(given.shape)
    if (counts > sweeps).any():
        first = np.unravel_index(int(np.argmax(counts > sweeps)), given.shape)
        place = tuple(int(one) for one in first)
        raise RunError(
            f"the column {place} is still unstable after the most sweeps, {sweeps}; give more "
            "with most_sweeps"
        )
    temperature, vapour, cloud = (given.back(one) for one in found[:3])
    return Adjusted(temperature, vapour, cloud, counts)


def layer(
    optical_thickness: float,
    single_scattering_albedo: float,
    asymmetry: float = 0.0,
    cosine: float = 1.0,
) -> Layer:
    """A layer in the delta-Eddington approximation (Meador, Weaver, J. Atmos. Sci. 37 (1980) 630,
    equations 11 to 13, with the scaling of Joseph, Wiscombe, Weinman, ibid. 33 (1976) 2452).

    Args:
        optical_thickness: Before the scaling.
        single_scattering_albedo: 0 to 1.
        asymmetry: -1 to 1.
        cosine: Of the beam's angle with the vertical, above 0 and at most 1.

    Raises:
        StudyError: An argument is out of its range; it is a ValueError.
    """
    thickness = _number(optical_thickness, "optical_thickness", most=1e9)
    omega = _number(single_scattering_albedo, "single_scattering_albedo", most=1.0)
    g = _number(asymmetry, "asymmetry", least=-1.0, most=1.0)
    mu = _number(cosine, "cosine", least=1e-6, most=1.0)
    absorption, scattering = (1.0 - omega) * thickness, omega * thickness
    return Layer(
        *_core().atmosphere_layer(
            absorption,
            absorption + (1.0 - g) * scattering,
            (1.0 - g * g) * scattering,
            (g - g * g) * scattering,
            mu,
        )
    )


def long_wave_bands(number: int) -> list[LongWaveBand]:
    """The workload's bands of long wave radiation, where a study asks for so many."""
    own = _integer(number, "number", MOST_BANDS)
    return [LongWaveBand(*row) for row in _long_wave_table(own).tolist()]


def short_wave_bands(number: int) -> list[ShortWaveBand]:
    """The workload's bands of short wave radiation, where a study asks for so many."""
    own = _integer(number, "number", MOST_BANDS)
    return [ShortWaveBand(*row) for row in _short_wave_table(own).tolist()]


def layer_mass(levels: int) -> float:
    """The mass of each of so many layers [kg/m²]."""
    return float(_core().atmosphere_layer_mass(_integer(levels, "levels", MOST_LEVELS)))


class _Columns:
    """An array with the levels of columns along its last axis, and arrays that go with it."""

    def __init__(self, given: ArrayLike, name: str, least: float, most: float) -> None:
        array = _numbers(given, name, least, most)
        if array.ndim == 0 or not 1 <= array.shape[-1] <= MOST_LEVELS:
            raise StudyError(
                f"{name} must have 1 to {MOST_LEVELS} levels along its last axis, but its shape is "
                f"{array.shape}"
            )
        self.shape = array.shape[:-1]
        self.levels = array.shape[-1]
        self.values = self._rows(array)

    def like(self, given: ArrayLike, name: str) -> Floats:
        """Shares of the air in an array of the same shape, as (columns, levels)."""
        array = _numbers(given, name, most=1.0)
        return self._rows(self._spread(array, (*self.shape, self.levels), name))

    def absorber(self, given: ArrayLike, name: str) -> Floats | None:
        """The same; None if there is none of it."""
        return None if isinstance(given, float) and given == 0.0 else self.like(given, name)

    def of_columns(self, given: ArrayLike, name: str, least: float, most: float) -> Floats:
        """A number for each column."""
        array = _numbers(given, name, least, most)
        return np.ascontiguousarray(self._spread(array, self.shape, name).reshape(-1))

    def back(self, found: Any) -> Floats:
        """(columns, values) in the shape of the columns."""
        return np.asarray(found, dtype=np.float64).reshape(*self.shape, found.shape[-1])

    def _rows(self, array: Floats) -> Floats:
        return np.ascontiguousarray(array.reshape(-1, self.levels))

    @staticmethod
    def _spread(array: Floats, shape: tuple[int, ...], name: str) -> Floats:
        try:
            return np.broadcast_to(array, shape)
        except ValueError:
            raise StudyError(
                f"{name} has the shape {array.shape}, which does not fit {shape}"
            ) from None


def _numbers(given: ArrayLike, name: str, least: float = 0.0, most: float = np.inf) -> Floats:
    try:
        if np.iscomplexobj(given):
            raise TypeError
        array = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise StudyError(f"{name} must be an array of numbers") from None
    top = most if np.isfinite(most) else np.finfo(np.float64).max
    if array.size and not (array.min() >= least and array.max() <= top):  # nor if it has NaN
        beyond = f", at most {most:g}" if np.isfinite(most) else ""
        raise StudyError(f"{name} must be finite numbers of at least {least:g}{beyond}")
    return array


def _number(given: float, name: str, least: float = 0.0, most: float = np.inf) -> float:
    array = _numbers(given, name, least, most)
    if array.ndim:
        raise StudyError(f"{name} must be a number, but has the shape {array.shape}")
    return float(array)


def _integer(given: object, name: str, most: int) -> int:
    """A number from 1 to `most`, of any kind of integer."""
    if isinstance(given, SupportsIndex) and not isinstance(given, bool | np.bool_):
        with suppress(TypeError):  # of an array
            if 1 <= index(given) <= most:
                return index(given)
    raise StudyError(f"{name} = {given!r} must be an integer from 1 to {most}")


def _long_wave_table(bands: int | Sequence[LongWaveBand]) -> Floats:
    return _table(bands, LongWaveBand, _core().atmosphere_long_wave_bands)


def _short_wave_table(bands: int | Sequence[ShortWaveBand]) -> Floats:
    found = _table(bands, ShortWaveBand, _core().atmosphere_short_wave_bands)
    absorbed, asymmetry = found[:, 4], found[:, 5]
    if (absorbed > 1.0).any() or (asymmetry > 1.0).any():
        raise StudyError("cloud_absorption and asymmetry of a band must be at most 1")
    return found


def _table(bands: int | Sequence[Band], kind: type[Band], own: Any) -> Floats:
    """(bands, coefficients): of the bands, or of so many of the workload's own."""
    if isinstance(bands, SupportsIndex) and np.ndim(bands) == 0:
        return np.asarray(own(_integer(bands, "bands", MOST_BANDS)), dtype=np.float64)
    if not isinstance(bands, list | tuple) or not bands or {type(one) for one in bands} != {kind}:
        raise StudyError(f"bands must be an integer, or a list of {kind.__name__}")
    rows = [astuple(one) for one in bands]
    return np.ascontiguousarray(_numbers(rows, "a band's coefficients", most=MOST_COEFFICIENT))


def _manner(kernel: str, threads: int) -> tuple[bool, int]:
    if not isinstance(kernel, str) or kernel not in (FAST, PLAIN):
        raise StudyError(f"kernel = {kernel!r} must be {FAST} or {PLAIN}")
    return kernel == FAST, _integer(threads, "threads", MOST_THREADS)


def _core() -> Any:
    return cast(Any, load_planner())
