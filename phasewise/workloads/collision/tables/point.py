"""The keys of [ip.K]: geometry and model of one collision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from phasewise.tables.declared import key
from phasewise.tables.keys import Key
from phasewise.workloads.collision.tables.optics import METRES, Four, Pair

_SEPARATION = Key("numbers", length=2, least=-10, most=10, unit="m", hint=METRES)


@dataclass(frozen=True)
class Ramp:
    """A separation that changes in time."""

    from_: ClassVar[Key] = replace(_SEPARATION, needed="the separation [x, y] (m) before the ramp")
    to: ClassVar[Key] = replace(_SEPARATION, needed="the separation [x, y] (m) after the ramp")
    turns: ClassVar[Key] = Key(
        "integers", needed="the first and the last turn of the ramp", length=2, least=0,
        unit="turns",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Bhabha:
    """Radiative Bhabha scattering, which is drawn event by event."""

    least: float = key("number", 0.001, above=0, most=0.9)
    """Share of its energy that a particle loses at least in an event."""
    beam_size: bool = key("flag", True)
    """Whether virtual photons beyond the bunches' sizes are left out."""
    scale: float = key("number", 1.0, least=1, most=1e15)
    """Events that are drawn for each that happens; one of them is applied."""


@dataclass(frozen=True, kw_only=True)
class InteractionPoint:
    """One interaction point, common to both beams; `Optics` has their optics there."""

    beam: ClassVar[Key] = Key("table")
    half_crossing_angle: float = key(
        "number", 0.0, least=-0.5, most=0.5, unit="rad", hint="the unit is radians", flat=True
    )
    crossing_plane: float = key(
        "number", 0.0, least=-7, most=7, unit="rad", hint="it is not in degrees", flat=True
    )
    separation_: ClassVar[Key] = _SEPARATION
    separation: Four
    """Beam 1 minus beam 2 [m]: x and y before the ramp, x and y after it."""
    separation_sigma: ClassVar[Key] = Key("numbers", length=2, least=-1e3, most=1e3, unit="rms")
    ramp: ClassVar[Key] = Key("table")
    separation_ramp: tuple[int, int]
    """Turns between which the separation changes; both 0: it does not."""
    model: str = key(
        "word",
        "strong-strong",
        choices=("strong-strong", "soft-gaussian", "weak-strong", "none"),
        flat=True,
    )
    strong_beam: int = key("integer", 2, least=1, most=2)
    grid: tuple[int, int] = key(
        "integers", (128, 128), length=2, least=8, most=8192, unit="cells", flat=True
    )
    slices: tuple[int, int] = key(
        "integers", (8, 8), length=2, shared=True, least=1, most=255, flat=True
    )
    """Slices of beams 1 and 2."""
    slicing: str = key("word", "equal-charge", choices=("equal-charge", "equal-width"), flat=True)
    slice_extent: float = key("number", 3.0, above=0, most=100, unit="rms", flat=True)
    weighting: str = key("word", "cic", choices=("cic", "tsc"), flat=True)
    interpolation: str = key("word", "linear", choices=("linear", "none"), flat=True)
    planes: str = key("word", "shared", choices=("shared", "pair"), flat=True)
    """With linear interpolation: whether neighbouring slices share the plane between them, or each
    pair of slices has two planes of its own.
    """
    longitudinal_kick: bool = key("flag", True, flat=True)
    static_kick: bool = key("flag", True, flat=True)
    """False: what a particle on the design orbit gets from the other beam's design bunch is taken
    out, as by the correction of the orbit.
    """
    mesh: str = key("word", "follow", choices=("follow", "fixed"), flat=True)
    mesh_extent: float = key("number", 6.0, least=1, most=1e3, unit="rms", flat=True)
    mesh_half_width: Pair | None = key(
        "numbers", length=2, above=0, most=10, unit="m", hint=METRES,
        flat=True, as_flat=lambda width: width or (0.0, 0.0),
    )  # fmt: skip
    luminosity: bool = key("flag", True, flat=True)
    green_function: str = key("word", "as-needed", choices=("as-needed", "every-step"), flat=True)
    beamstrahlung: str | None = key("word", choices=("quantum", "mean"), flat=True)
    """None: particles do not radiate in the other beam's field."""
    bhabha_: ClassVar[Key] = Key("table")
    bhabha: Bhabha | None
    """None: no scattering."""

    @property
    def radiates(self) -> bool:
        """Whether particles radiate in the other beam's field."""
        return self.beamstrahlung is not None and self.model != "none"

    @property
    def scatters(self) -> bool:
        """Whether particles are scattered by those of the other beam."""
        return self.bhabha is not None and self.model != "none"

    @property
    def has_two_planes(self) -> bool:
        """Whether a slice lays its charge where it meets the head and the tail of another."""
        return self.model == "strong-strong" and self.interpolation == "linear"

    @property
    def in_lanes(self) -> bool:
        """Whether a processor solves for the field by transforms of several rows at once
        (core/collision/build_point.cpp).
        """
        return self.has_two_planes and self.planes == "shared"

    @property
    def steps(self) -> int:
        """Steps of a collision, in each of which pairs of slices meet."""
        return sum(self.slices) - 1


def slices_of(point: Mapping[str, Any]) -> tuple[int, int]:
    """Slices of beams 1 and 2 at an interaction point of a resolved study."""
    given = point["slices"]
    first, second = given if isinstance(given, list) else (given, given)
    return int(first), int(second)


def is_strong(study: Mapping[str, Any], beam: int) -> bool:
    """Whether beam 1 or 2 of a resolved study is strong, and not tracked."""
    return any(
        point["model"] == "weak-strong" and point["strong_beam"] == beam
        for point in study["ip"].values()
    )


def radiates(point: Mapping[str, Any]) -> bool:
    """Whether particles radiate at an interaction point of a resolved study."""
    return "beamstrahlung" in point and point["model"] != "none"
