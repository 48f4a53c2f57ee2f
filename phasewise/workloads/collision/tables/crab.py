"""Crab cavities and crab-waist sextupoles around an interaction point, for one beam."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from phasewise.tables.declared import key, values_of
from phasewise.tables.keys import Key

Pair = tuple[float, float]
Spectrum = tuple[Pair, ...]

METRES = "the unit is metres"
SIDES = ("both", "before", "behind")
QUARTER = (0.25, 0.25)
"""Phase advance [turns] between a cavity and the point, where none is given."""
MOST_CAVITIES = 8
"""On one side of a point."""


@dataclass(frozen=True, kw_only=True)
class Crab:
    """A thin pair of crab cavities around an interaction point."""

    strength: float = key("number", 1.0, least=-100, most=100)
    """1 compensates the crossing angle fully."""
    frequency: float = key("number", 0.0, least=0, most=1e12, unit="Hz")
    """0: linear in z."""


@dataclass(frozen=True, kw_only=True)
class CrabDrift:
    """A slow change of a cavity's phase and amplitude, linear between two turns."""

    phase: float = key("number", 0.0, least=-10, most=10, unit="rad")
    amplitude: float = key("number", 0.0, least=-10, most=10)
    turns: tuple[int, int] = key(
        "integers", needed="the first and the last turn of the drift", length=2, least=0,
        unit="turns",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class CrabCavity:
    """A crab cavity before an interaction point, behind it, or one on each side."""

    side: str = key("word", "both", choices=SIDES)
    frequency: float = key("number", needed="the frequency in Hz", above=0, most=1e12, unit="Hz")
    strength: float | None = key("number", least=-100, most=100)
    """1 compensates the crossing angle fully."""
    voltage: float | None = key("number", least=-1e12, most=1e12, unit="V")
    phase: float = key("number", 0.0, least=-1, most=1, unit="turns", hint="it is not in degrees")
    beta: Pair | None = key(
        "numbers", length=2, shared=True, above=0, least=1e-9, most=1e6, unit="m", hint=METRES
    )
    phase_advance: Pair | None = key(
        "numbers", length=2, shared=True, least=-1e4, most=1e4, unit="turns"
    )
    """Between the cavity and the point."""
    phase_noise: float = key("number", 0.0, least=0, most=10, unit="rad")
    amplitude_noise: float = key("number", 0.0, least=0, most=10)
    phase_spectrum: Spectrum = key("any", ())
    amplitude_spectrum: Spectrum = key("any", ())
    """Rows of frequency [Hz] and one-sided density [rad²/Hz and 1/Hz]; a file, or a list."""
    common_noise: bool = key("flag", False)
    """Whether the cavities of both sides have the same noise."""
    drift_: ClassVar[Key] = Key("table")
    drift: CrabDrift | None

    @property
    def has_place(self) -> bool:
        """Whether its place is given; else it acts as if at the point, at a phase of a quarter."""
        return self.beta is not None or self.phase_advance is not None

    @property
    def advance(self) -> Pair:
        """Phase advance [turns] in x and y between the cavity and the point."""
        return self.phase_advance or QUARTER

    def table(self) -> dict[str, Any]:
        """The keys from which the same cavity is read."""
        values = values_of(self)
        for name in ("phase_spectrum", "amplitude_spectrum"):
            if not values[name]:
                del values[name]
            else:
                values[name] = [list(row) for row in values[name]]
        return values if self.drift is None else values | {"drift": values_of(self.drift)}


@dataclass(frozen=True, kw_only=True)
class Sextupole:
    """The place of a crab-waist sextupole."""

    beta: Pair = key(
        "numbers", needed="the beta functions [x, y] (m) at the sextupole", length=2, above=0,
        least=1e-9, most=1e6, unit="m", hint=METRES,
    )  # fmt: skip
    phase_advance: Pair = key("numbers", (0.5, 0.25), length=2, least=-1e4, most=1e4, unit="turns")
    """Between the sextupole and the point."""

    @property
    def turns_the_waist(self) -> bool:
        """Whether the sextupole sees a particle's x, and its momentum in y."""
        x, y = (2 * math.pi * phase for phase in self.phase_advance)
        return abs(math.cos(x)) > 0.5 and abs(math.sin(y)) > 0.5


@dataclass(frozen=True, kw_only=True)
class CrabSextupoles:
    """The crab-waist sextupoles on both sides of an interaction point."""

    before_: ClassVar[Key] = Key("table", needed="the place of the sextupole before the point")
    before: Sextupole
    behind_: ClassVar[Key] = Key("table")
    behind: Sextupole

    def table(self) -> dict[str, Any]:
        """The keys from which the same sextupoles are read."""
        return {"before": values_of(self.before), "behind": values_of(self.behind)}
