"""The properties of the machine that analyses need, from a run's resolved study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from phasewise.analysis.tune_footprint import Optics
from phasewise.workloads.collision.tables.point import is_strong

Pair = tuple[float, float]


@dataclass(frozen=True)
class BeamSetting:
    """One beam: tunes, |Σξ| over the colliding IPs, emittance [m], rms size at the first IP [m].

    ξ is the effective one, with crossing angle, crab cavities and hourglass.

    `tune` is None if a map gives the arc; `strong`: not tracked.
    """

    tune: Pair | None
    xi: Pair
    emittance: Pair
    size: Pair
    bunch_length: float
    momentum_spread: float
    macroparticles: int
    optics: Optics
    strong: bool


@dataclass(frozen=True)
class Setting:
    """The machine: both beams, design luminosities per crossing [m⁻²], revolution frequency [Hz].

    `luminosity_recorded` says, per IP, whether the study asks for luminosity there.
    """

    beams: tuple[BeamSetting, BeamSetting]
    like_charges: bool
    nominal: tuple[float, ...]
    luminosity_recorded: tuple[bool, ...]
    bunches: int | None
    revolution_frequency: float | None

    def tune(self, plane: int) -> float | None:
        """Mean fractional tune of the beams in plane 0 or 1, in [0, 1), None if a map gives it.

        The beams may differ in the integer part, and the fractions may lie on both sides of 0.
        """
        first, second = (beam.tune for beam in self.beams)
        if first is None or second is None:
            return None
        apart = (second[plane] - first[plane] + 0.5) % 1.0 - 0.5
        return (first[plane] + apart / 2) % 1.0

    def xi(self, plane: int) -> float:
        """Mean of the two beams' |Σξ| in plane 0 or 1."""
        return (self.beams[0].xi[plane] + self.beams[1].xi[plane]) / 2


def setting(study: Mapping[str, Any], derived: Mapping[str, Any]) -> Setting:
    """The setting of a resolved study and its derived quantities."""
    points = [study["ip"][str(k + 1)] for k in range(len(study["ip"]))]
    return Setting(
        beams=(_beam(study, derived, points, 0), _beam(study, derived, points, 1)),
        like_charges=not derived["ips"][0]["attractive"],
        nominal=tuple(float(ip["luminosity"]) for ip in derived["ips"]),
        luminosity_recorded=tuple(ip["luminosity"] and ip["model"] != "none" for ip in points),
        bunches=study["ring"].get("bunches"),
        revolution_frequency=derived["beams"][0]["revolution_frequency"],
    )


def _beam(
    study: Mapping[str, Any], derived: Mapping[str, Any], points: list[Any], index: int
) -> BeamSetting:
    own = study["beam"][str(index + 1)]
    tune = study["arc"][str(index + 1)].get("tune")
    optics = points[0]["beam"][str(index + 1)]
    at = [derived["ips"][k]["beams"][index] for k, ip in enumerate(points) if ip["model"] != "none"]
    first = derived["ips"][0]["beams"][index]
    x, y = own["geometric_emittance"]
    return BeamSetting(
        tune=None if tune is None else (tune[0], tune[1]),
        xi=(_total(at, 0), _total(at, 1)),
        emittance=(x, y),
        size=(first["size"][0], first["size"][1]),
        bunch_length=own["bunch_length"],
        momentum_spread=own["momentum_spread"],
        macroparticles=own.get("macroparticles", 0),
        optics=Optics(
            beta=(optics["beta"][0], optics["beta"][1]),
            alpha=(optics["alpha"][0], optics["alpha"][1]),
            dispersion=tuple(optics["dispersion"]),
        ),
        strong=is_strong(study, index + 1),
    )


def _total(points: list[Any], plane: int) -> float:
    return abs(sum(float(_xi(point)[plane]) for point in points))


def _xi(point: Any) -> Any:
    """The effective ξ; records of an earlier version have only the head-on one."""
    return point.get("xi_effective", point["xi"])
