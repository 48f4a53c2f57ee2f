"""The summary of a run of colliding beams, for a table and for scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from phasewise.output import message
from phasewise.runs.results import Results
from phasewise.runs.summary import Summary, number
from phasewise.workloads.collision.analysis import (
    BothBeams,
    coherent_modes,
    growth,
    growth_of_both,
    setting_of,
)
from phasewise.workloads.collision.analysis.deposits import deposits_per_particle
from phasewise.workloads.collision.lifetimes import lifetimes_of
from phasewise.workloads.collision.luminosity import LuminosityUnit
from phasewise.workloads.collision.radiation import (
    bhabha_of,
    bhabha_rows,
    lifetime_rows,
    photon_rows,
    photons_of,
)

PLANES = ("x", "y", "z")


def _luminosity(results: Results) -> dict[str, Any]:
    study, derived = results.study, results.derived
    unit = LuminosityUnit(study, derived)
    history = results.luminosity * unit.factor
    points = []
    for k, point in enumerate(derived["ips"]):
        recorded = study["ip"][str(k + 1)]
        if recorded["luminosity"] and recorded["model"] != "none":
            points.append(
                {
                    "ip": k + 1,
                    "mean": float(np.mean(history[:, k])),
                    "last": float(history[-1, k]),
                    "nominal": point["luminosity"] * unit.factor,
                }
            )
    first = points[0] if points else {"mean": None, "last": None, "nominal": None}
    summary = {name: first[name] for name in ("mean", "last", "nominal")} | {"unit": unit.name}
    return summary if len(points) < 2 else summary | {"ips": points}


def _beam(results: Results, number: int, growth: Any) -> dict[str, Any]:
    beam = results.beam(number)
    planes = [getattr(growth, plane) for plane in PLANES]
    outside = beam.outside.sum(axis=0)
    deposits = int(beam.particles.sum()) * deposits_per_particle(
        results.study, results.derived, number
    )
    return {
        "emittance": beam.emittance[-1].tolist(),
        "emittance_growth": [None if p.growth is None else p.growth.per_turn for p in planes],
        "emittance_growth_error": [None if p.growth is None else p.growth.error for p in planes],
        "emittance_noise_floor": [p.noise_floor for p in planes],
        "emittance_noise_floor_why": growth.x.noise_floor_why,
        "losses": int(beam.losses[-1]),
        "debunched": debunched(results, number),
        "sizes": beam.size[-1].tolist(),
        "outside": outside.tolist(),
        "outside_share": (outside / np.maximum(deposits, 1)).tolist(),
        **photons_of(results, number),
        **bhabha_of(results, number),
        **lifetimes_of(results, number),
    }


def _both(found: Sequence[BothBeams | None]) -> dict[str, Any]:
    """Growth of the sum of the beams, and the sentences on equal beams that disagree."""
    return {
        "emittance_growth": [None if both is None else both.growth.per_turn for both in found],
        "emittance_growth_error": [None if both is None else both.growth.error for both in found],
        "disagree": [
            sentence
            for both, plane in zip(found, PLANES, strict=True)
            if both is not None and (sentence := both.sentence(plane))
        ],
    }


def debunched(results: Results, number: int) -> int | None:
    """Particles of a beam outside the RF bucket in the last turn; None if they are not counted,
    since there is no RF or the beam is strong.
    """
    count = int(results.beam(number).debunched[-1])
    counted = "rf" in results.study["arc"][str(number)] and count >= 0
    return count if counted and not setting_of(results).beams[number - 1].strong else None


def outside_warning(beams: list[dict[str, Any]]) -> str:
    """The sentence on charge outside the meshes, from the summary's beams; empty without any."""
    places = [
        f"{count} of beam {number} at ip.{ip} ({100 * share:.2g} %)"
        for number, beam in enumerate(beams, 1)
        for ip, (count, share) in enumerate(
            zip(beam["outside"], beam["outside_share"], strict=True), 1
        )
        if count
    ]
    if not places:
        return ""
    return (
        f"deposits of charge outside the mesh were left out: {', '.join(places)}; "
        "raise mesh_extent or mesh_half_width"
    )


class CollisionSummary(Summary):
    """What it adds to the summary of a run."""

    def summarise(self, results: Results) -> dict[str, Any]:
        """luminosity, beams, both_beams and coherent_modes of a run (docs/records.md).

        Luminosities are those of the first interaction point that records one; with more than one,
        `luminosity["ips"]` lists them all. Where charge fell outside a mesh, a sentence on standard
        error reports it: then the fields are not those of the beams.
        """
        growths = growth(results)
        beams = [_beam(results, number, growths[number - 1]) for number in (1, 2)]
        if sentence := outside_warning(beams):
            message(f"warning: {sentence}")
        return {
            "luminosity": _luminosity(results),
            "beams": beams,
            "both_beams": _both(growth_of_both(results)),
            "coherent_modes": coherent_modes(results).to_dict(),
        }

    def rows(self, summary: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
        """Heads and rows of the table of a run."""
        luminosity = summary["luminosity"]
        found = [
            [f"luminosity, {name} [{luminosity['unit']}]", number(luminosity[name]), ""]
            for name in ("mean", "last", "nominal")
        ]
        for index, plane in enumerate(PLANES):
            found.append([f"emittance {plane} [m]", *_of_each(summary, "emittance", index)])
            growths = [_growth(beam, index) for beam in summary["beams"]]
            found.append([f"growth per turn, {plane} (noise floor)", *growths])
            both = summary.get("both_beams")
            if both and both["emittance_growth"][index] is not None:
                found.append([f"growth per turn, {plane}, sum of both", _rate(both, index), ""])
            found.append([f"rms size {plane} [m]", *_of_each(summary, "sizes", index)])
        reasons = [beam["emittance_noise_floor_why"] for beam in summary["beams"]]
        if why := next(filter(None, reasons), ""):
            found.append(["noise floor", f"none: {why}", ""])
        sentences = (summary.get("both_beams") or {}).get("disagree", [])
        found += [["growth", sentence, ""] for sentence in sentences]
        for rows in (photon_rows, bhabha_rows, lifetime_rows):
            found += rows(summary["beams"])
        found.append(["particles lost", *(str(beam["losses"]) for beam in summary["beams"])])
        if any(beam["debunched"] for beam in summary["beams"]):
            counts = (beam["debunched"] for beam in summary["beams"])
            found.append(["particles debunched", *("-" if n is None else str(n) for n in counts)])
        for plane, modes in summary["coherent_modes"].items():
            seen = [f"{name} {number(modes[name])}" for name in ("sigma", "pi") if modes[name]]
            if seen:
                found.append([f"coherent tunes, {plane}", *[*seen, ""][:2]])
            if modes["yokoya"] is not None:
                factor = _with_error(modes["yokoya"], modes["yokoya_error"])
                found.append([f"Yokoya factor, {plane}", factor, ""])
            else:
                found.append([f"Yokoya factor, {plane}", f"none: {modes['why']}", ""])
        return ["", "beam 1", "beam 2"], found


def _growth(beam: dict[str, Any], index: int) -> str:
    """Growth of one emittance with its standard error and, in brackets, its noise floor."""
    rate = _rate(beam, index)
    floor = beam["emittance_noise_floor"][index]
    return rate if floor is None else f"{rate} ({floor:.2g})"


def _rate(of: dict[str, Any], index: int) -> str:
    return _with_error(of["emittance_growth"][index], of["emittance_growth_error"][index])


def _with_error(value: float | None, error: float | None) -> str:
    return number(value) if value is None or error is None else f"{value:.3g} ± {error:.2g}"


def _of_each(summary: Mapping[str, Any], name: str, index: int) -> list[str]:
    return [number(beam[name][index]) for beam in summary["beams"]]
