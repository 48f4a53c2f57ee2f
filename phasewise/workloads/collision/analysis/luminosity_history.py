"""Luminosity: per crossing and per second, and against its nominal value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phasewise.analysis.growth_rate import Growth, growth_rate
from phasewise.analysis.spectrum import Floats

PER_CROSSING = "m^-2 per crossing"
PER_SECOND = "cm^-2 s^-1"
SQUARE_CENTIMETRES_PER_SQUARE_METRE = 1e4


@dataclass(frozen=True)
class Luminosity:
    """Luminosity of one interaction point, in `unit`.

    `value` (T,) turn by turn, `mean` and `last` of it, `nominal` the design value in the same unit
    (None if unknown), `growth` its fitted growth.
    """

    value: Floats
    unit: str
    mean: float
    last: float
    nominal: float | None
    growth: Growth | None


def luminosity_history(
    turn: Floats,
    per_crossing: Floats,
    nominal_per_crossing: float | None = None,
    bunches: int | None = None,
    revolution_frequency: float | None = None,
) -> Luminosity:
    """History (T,) from luminosities per crossing [m⁻²].

    If the number of colliding pairs and the revolution frequency [Hz] are given, it is per second,
    in cm⁻²s⁻¹.
    """
    factor, unit = 1.0, PER_CROSSING
    if bunches and revolution_frequency:
        factor = bunches * revolution_frequency / SQUARE_CENTIMETRES_PER_SQUARE_METRE
        unit = PER_SECOND
    value = np.asarray(per_crossing, dtype=np.float64) * factor
    finite = value[np.isfinite(value)]
    return Luminosity(
        value=value,
        unit=unit,
        mean=float(finite.mean()) if len(finite) else float("nan"),
        last=float(finite[-1]) if len(finite) else float("nan"),
        nominal=None if nominal_per_crossing is None else nominal_per_crossing * factor,
        growth=growth_rate(turn, value, revolution_frequency),
    )
