"""The noise floor of a run's emittances, where it can be estimated, or the reason why not."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from phasewise.workloads.collision.analysis.pair_noise import (
    MOST_TURNS,
    BeamAtPoint,
    NoisyBeam,
    NoisyPoint,
    Pair,
    noise_growth,
)
from phasewise.workloads.collision.derived.crabs import Wave

MOST_XI = 0.03
"""Effective ξ above which the beams' mutual focusing, which pairs leave out, changes the optics."""

MOST_DISRUPTION = 0.3
"""Disruption above which a slice is moved within the collision."""

MOST_PIWINSKI = 0.7
"""Piwinski angle left by crab cavities above which the tune spread in x comes as much from z, which
the detuning leaves out: at 1 the estimate for x is 2.5 times too high.
"""

MOST_UNLIKE = 1.02
"""Ratio of the beams' products of ξ and macroparticles above which beams of like tunes hand on
action to each other. The response of both beams together decides how much; pairs do not show it.
"""

RESONANCES = (4, 6)
"""Orders of the resonances that a head-on beam drives most strongly. Particles that one of them
holds do not pass through the others' tunes as pairs on unperturbed orbits do, and the mean force
itself makes emittances grow there: measured growth was 0.04 to 3 times the estimate.
"""

RESONANCE_MARGIN = 0.1
"""The part of a beam's tune spread by which a resonance may lie outside of it and still count."""

LEAST_TURNS_TIMES_XI = 1.0
"""Turns, times ξ, below which the tune spread has not brought pairs out of step."""

LEAST_CELLS = 1.0
"""Cells per rms size below which a mesh does not show the beam."""

LARGEST_ERROR = 0.5
"""Relative error of the integral over pairs above which it is no estimate."""

Study = Mapping[str, Any]


@dataclass(frozen=True)
class NoiseFloor:
    """Relative growth per turn in x and y of both beams, for as many macroparticles as the run has;
    None if there is no estimate, for the reason in `why`.
    """

    growth: tuple[Pair, Pair] | None
    why: str = ""


def noise_floor(study: Study, derived: Study, turns: int) -> NoiseFloor:
    """The floor of a run of this many turns, from its resolved study and derived quantities."""
    points = [study["ip"][str(k + 1)] for k in range(len(study["ip"]))]
    if all(point["model"] in ("weak-strong", "none") for point in points):
        return NoiseFloor(((0.0, 0.0), (0.0, 0.0)))
    if why := next(_obstacles(study, derived, points, turns), ""):
        return NoiseFloor(None, why)
    beams = _beam(study, derived, 0), _beam(study, derived, 1)
    found = _estimate(beams, tuple(_point(study, derived, k) for k in range(len(points))))
    if found is None:
        return NoiseFloor(None, "the growth by pairs of macroparticles scatters too much")
    return NoiseFloor(found)


@lru_cache(maxsize=8)
def _estimate(
    beams: tuple[NoisyBeam, NoisyBeam], points: tuple[NoisyPoint, ...]
) -> tuple[Pair, Pair] | None:
    growth, error = noise_growth(beams, points)
    if (error > LARGEST_ERROR * growth).any():
        return None
    (x1, y1), (x2, y2) = growth.tolist()
    return (x1, y1), (x2, y2)


def _obstacles(study: Study, derived: Study, points: list[Any], turns: int) -> Iterator[str]:
    if any("disruption" not in at for ip in derived["ips"] for at in ip["beams"]):
        yield "the records are those of an earlier version"
        return
    for k, point in enumerate(points, 1):
        if point["model"] in ("soft-gaussian", "weak-strong"):
            yield f"ip.{k} is {point['model']}; noise is estimated only for strong-strong points"
            return
    if any("tune" not in study["arc"][b] for b in "12"):
        yield "a map gives the arc, so that the tunes of the particles are not known"
        return
    xi = max(abs(v) for beam in derived["beams"] for v in beam["xi"]["effective"]["sum"])
    if xi > MOST_XI:
        yield f"the effective ξ is {xi:.2g}, and noise is estimated only up to {MOST_XI:g}"
    if xi < 1 / MOST_TURNS:
        least = f"{1 / MOST_TURNS:.1g}"
        yield f"the effective ξ is {xi:.2g}, and noise is estimated only from {least} on"
    if _hand_on(study, derived):
        yield (
            "the beams have like tunes, and differ in macroparticles or ξ: "
            "give both the same numbers"
        )
    yield from _resonances(derived, points)
    for k, point in enumerate(points):
        if point["model"] != "none":
            yield from _obstacles_at(k, point, derived)
    if turns * xi < LEAST_TURNS_TIMES_XI:
        yield (
            f"the run is too short: turns times ξ is {turns * xi:.2g}, and at least "
            f"{LEAST_TURNS_TIMES_XI:g} is needed"
        )


def _hand_on(study: Study, derived: Study) -> bool:
    """Whether particles of the two beams stay in step although the beams are not alike."""
    xi = [[abs(v) for v in beam["xi"]["effective"]["sum"]] for beam in derived["beams"]]
    strength = [sum(xi[k]) * study["beam"][b]["macroparticles"] for k, b in enumerate("12")]
    apart = min(
        abs((one - two + 0.5) % 1 - 0.5)
        for one in derived["beams"][0]["tune"]
        for two in derived["beams"][1]["tune"]
    )
    unlike = max(strength) > MOST_UNLIKE * min(strength)
    return bool(unlike and apart < max(max(pair) for pair in xi))


def _resonances(derived: Study, points: list[Any]) -> Iterator[str]:
    """The resonances within the spread of tunes, from the machine's to that of small amplitudes."""
    colliding = [at for at, p in zip(derived["ips"], points, strict=True) if p["model"] != "none"]
    for b, beam in enumerate(derived["beams"]):
        for plane, name in enumerate("xy"):
            shift = sum(
                (1 if ip["attractive"] else -1) * ip["beams"][b]["xi_effective"][plane]
                for ip in colliding
            )
            for order in RESONANCES:
                found = resonance_within(beam["tune"][plane] % 1, shift, order)
                if found is not None:
                    yield (
                        f"the tunes of beam {b + 1} in {name} reach the resonance {found}: they "
                        f"spread from {beam['tune'][plane] % 1:.4g} by {shift:+.2g}"
                    )


def resonance_within(tune: float, shift: float, order: int) -> Fraction | None:
    """The multiple of 1/order that lies within the tunes, from `tune` to `tune + shift`, or beside
    them by at most RESONANCE_MARGIN of the shift; None without one.
    """
    margin = RESONANCE_MARGIN * abs(shift)
    low, high = min(tune, tune + shift) - margin, max(tune, tune + shift) + margin
    multiple = math.ceil(low * order)
    return Fraction(multiple, order) if multiple <= high * order else None


def _obstacles_at(k: int, point: Any, derived: Study) -> Iterator[str]:
    name, at = f"ip.{k + 1}", derived["ips"][k]["beams"]
    if any(any(point["beam"][b]["dispersion"]) for b in "12"):
        yield f"there is dispersion at {name}"
    if "ramp" in point:
        yield f"the separation at {name} changes from turn to turn"
    disruption = max(abs(v) for beam in at for v in beam["disruption"])
    if disruption > MOST_DISRUPTION:
        yield (
            f"the disruption parameter at {name} is {disruption:.2g}, and noise is estimated "
            f"only up to {MOST_DISRUPTION:g}"
        )
    widened = [e / s for b in at for e, s in zip(b["effective_size"], b["size"], strict=True)]
    piwinski = math.sqrt(max(widened) ** 2 - 1)
    if piwinski > MOST_PIWINSKI:
        yield (
            f"the Piwinski angle that is left at {name} is {piwinski:.2g}, and noise is estimated "
            f"only up to {MOST_PIWINSKI:g}"
        )
    if min(derived["resolution"]["ips"][k]["cells_per_sigma"]) < LEAST_CELLS:
        yield f"the mesh of {name} does not resolve the beams"


def _beam(study: Study, derived: Study, index: int) -> NoisyBeam:
    own = study["beam"][str(index + 1)]
    return NoisyBeam(
        emittance=_pair(own["geometric_emittance"]),
        bunch_length=own["bunch_length"],
        synchrotron_tune=derived["beams"][index]["synchrotron_tune"],
        macroparticles=own["macroparticles"],
    )


def _point(study: Study, derived: Study, index: int) -> NoisyPoint:
    point, found = study["ip"][str(index + 1)], derived["ips"][index]
    tilt, plane = math.tan(point["half_crossing_angle"]), point["crossing_plane"]
    cells = derived["resolution"]["ips"][index]["cells_per_sigma"] or (1.0, 1.0)
    smaller = [min(beam["size"][p] for beam in found["beams"]) for p in (0, 1)]
    return NoisyPoint(
        beams=(_at(point, found, 0), _at(point, found, 1)),
        tilt=(tilt * math.cos(plane), tilt * math.sin(plane)),
        separation=_pair(point.get("separation", (0.0, 0.0))),
        cell=(smaller[0] / cells[0], smaller[1] / cells[1]),
    )


def _at(point: Any, found: Any, index: int) -> BeamAtPoint:
    optics = point["beam"][str(index + 1)]
    own, other = found["beams"][index], found["beams"][1 - index]
    met = 0 if point["model"] == "none" else 1
    sign = met if found["attractive"] else -met
    x, y = other["size"]
    return BeamAtPoint(
        beta=_pair(optics["beta"]),
        alpha=_pair(optics["alpha"]),
        advance=_pair(optics["phase_advance"]),
        kick=met * 4 * math.pi * own["xi"][0] * x * (x + y) / optics["beta"][0],
        shift=(sign * own["xi_effective"][0], sign * own["xi_effective"][1]),
        lens=_pair(other["effective_size"]),
        crab=_waves(optics, own),
    )


def _waves(optics: Any, derived: Any) -> tuple[Wave, ...]:
    """The waves of a beam's crab cavities, from its resolved optics and what follows from them."""
    if found := derived.get("crab_cavities"):
        return tuple((wave["strength"], wave["frequency"], wave["phase"]) for wave in found)
    crab = optics["crab"]
    return ((crab["strength"], crab["frequency"], 0.0),)


def _pair(values: Sequence[float]) -> Pair:
    return values[0], values[1]
