"""The few numbers a run ends with, for a table and for scripts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from phasewise.errors import RunError
from phasewise.output import message, print_table
from phasewise.runs.results import Results
from phasewise.study import Study
from phasewise.traces.records import Communication
from phasewise.traces.writing import communication_summary

PLANES = ("x", "y", "z")
PER_SECOND = "cm^-2 s^-1"
PER_CROSSING = "m^-2 per crossing"
PER_SQUARE_CENTIMETRE = 1e-4


class LuminosityUnit:
    """Unit of the luminosities shown: per second where the study gives ring and bunches."""

    def __init__(self, study: dict[str, Any], derived: dict[str, Any]) -> None:
        bunches = study["ring"].get("bunches")
        frequency = derived["beams"][0]["revolution_frequency"]
        known = bunches is not None and frequency is not None
        self.factor = bunches * frequency * PER_SQUARE_CENTIMETRE if known else 1.0
        self.name = PER_SECOND if known else PER_CROSSING

    def show(self, per_crossing: float) -> str:
        """A luminosity per crossing [m⁻²] in this unit."""
        return f"luminosity {per_crossing * self.factor:.4g} {self.name}"


def summarise(results: Results, record: Communication | None = None) -> dict[str, Any]:
    """turns, seconds_per_turn, luminosity, beams, coherent_modes and, with the record of it,
    communication of a run (docs/records.md).

    Luminosities are those of the first interaction point that records one; with more than one,
    `luminosity["ips"]` lists them all. Charge that fell outside a mesh is said on standard error,
    whatever else is printed: then the fields are not those of the beams.
    """
    from phasewise.analysis import coherent_modes, growth

    if len(results) == 0:
        raise RunError(f"{results.path} holds no turn")
    growths = growth(results)
    beams = [_beam(results, number, growths[number - 1]) for number in (1, 2)]
    if sentence := outside_warning(beams):
        message(f"warning: {sentence}")
    return {
        "turns": int(results.turn[-1]) + 1,
        "seconds_per_turn": results.seconds_per_turn,
        "luminosity": _luminosity(results),
        "beams": beams,
        "coherent_modes": coherent_modes(results).to_dict(),
        "communication": None if record is None else communication_summary(record),
    }


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
    from phasewise.analysis.deposits import deposits_per_particle

    beam = results.beam(number)
    planes = [getattr(growth, plane) for plane in PLANES]
    outside = beam.outside.sum(axis=0)
    deposits = int(beam.particles.sum()) * deposits_per_particle(results.study)
    return {
        "emittance": beam.emittance[-1].tolist(),
        "emittance_growth": [None if p.growth is None else p.growth.per_turn for p in planes],
        "emittance_growth_error": [None if p.growth is None else p.growth.error for p in planes],
        "emittance_noise_floor": [p.noise_floor for p in planes],
        "losses": int(beam.losses[-1]),
        "sizes": beam.size[-1].tolist(),
        "outside": outside.tolist(),
        "outside_share": (outside / np.maximum(deposits, 1)).tolist(),
    }


def warnings_of(study: Study) -> list[str]:
    """What the study allows and yet probably does not mean, a sentence each, as `check` says it."""
    from phasewise.study.derived import derive

    return list(derive(study).warnings)


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


def finite(value: Any) -> Any:
    """`value` with None in the place of every NaN and infinity, as JSON has neither."""
    if isinstance(value, dict):
        return {key: finite(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def show_summary(summary: dict[str, Any]) -> None:
    """Print the summary as a short table."""
    luminosity = summary["luminosity"]
    rows = [["turns", str(summary["turns"]), ""]]
    rows.append(["seconds per turn", _number(summary["seconds_per_turn"]), ""])
    rows += [
        [f"luminosity, {name} [{luminosity['unit']}]", _number(luminosity[name]), ""]
        for name in ("mean", "last", "nominal")
    ]
    for index, plane in enumerate(PLANES):
        rows.append([f"emittance {plane} [m]", *_both(summary, "emittance", index)])
        growths = [_growth(beam, index) for beam in summary["beams"]]
        rows.append([f"growth per turn, {plane} (noise floor)", *growths])
        rows.append([f"rms size {plane} [m]", *_both(summary, "sizes", index)])
    rows.append(["particles lost", *(str(beam["losses"]) for beam in summary["beams"])])
    for plane, modes in summary["coherent_modes"].items():
        found = [f"{name} {_number(modes[name])}" for name in ("sigma", "pi") if modes[name]]
        rows.append([f"coherent tunes, {plane}", *[*found, "", ""][:2]])
        if modes["yokoya"] is not None:
            factor = _with_error(modes["yokoya"], modes["yokoya_error"])
            rows.append([f"Yokoya factor, {plane}", factor, ""])
    print_table("Result", ["", "beam 1", "beam 2"], rows)


def _growth(beam: dict[str, Any], index: int) -> str:
    """Growth of one emittance with its standard error and, in brackets, its noise floor."""
    rate = _with_error(beam["emittance_growth"][index], beam["emittance_growth_error"][index])
    floor = beam["emittance_noise_floor"][index]
    return rate if floor is None else f"{rate} ({floor:.2g})"


def _with_error(value: float | None, error: float | None) -> str:
    return _number(value) if value is None or error is None else f"{value:.3g} ± {error:.2g}"


def _both(summary: dict[str, Any], name: str, index: int) -> list[str]:
    return [_number(beam[name][index]) for beam in summary["beams"]]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.5g}"
