"""The few numbers a run ends with, for a table and for scripts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from phasewise.errors import RunError
from phasewise.output import console, print_table
from phasewise.results import Results

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


def summarise(results: Results) -> dict[str, Any]:
    """turns, seconds_per_turn, luminosity, beams, coherent_modes of a run (docs/records.md).

    Luminosities are those of the first interaction point that records one; with more than one,
    `luminosity["ips"]` lists them all.
    """
    from phasewise.analysis import coherent_modes, growth

    if len(results) == 0:
        raise RunError(f"{results.path} holds no turn")
    growths = growth(results)
    return {
        "turns": int(results.turn[-1]) + 1,
        "seconds_per_turn": results.seconds_per_turn,
        "luminosity": _luminosity(results),
        "beams": [_beam(results, number, growths[number - 1]) for number in (1, 2)],
        "coherent_modes": coherent_modes(results).to_dict(),
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
    beam = results.beam(number)
    planes = (getattr(growth, plane) for plane in PLANES)
    return {
        "emittance": beam.emittance[-1].tolist(),
        "emittance_growth": [None if p.growth is None else p.growth.per_turn for p in planes],
        "losses": int(beam.losses[-1]),
        "sizes": beam.size[-1].tolist(),
        "outside": beam.outside.sum(axis=0).tolist(),
    }


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
        rows.append([f"growth of it per turn, {plane}", *_both(summary, "emittance_growth", index)])
        rows.append([f"rms size {plane} [m]", *_both(summary, "sizes", index)])
    rows.append(["particles lost", *(str(beam["losses"]) for beam in summary["beams"])])
    for plane, modes in summary["coherent_modes"].items():
        found = [f"{name} {_number(modes[name])}" for name in ("sigma", "pi") if modes[name]]
        rows.append([f"coherent tunes, {plane}", *[*found, "", ""][:2]])
        if modes["yokoya"] is not None:
            rows.append([f"Yokoya factor, {plane}", _number(modes["yokoya"]), ""])
    print_table("Result", ["", "beam 1", "beam 2"], rows)
    for number, beam in enumerate(summary["beams"], 1):
        for ip, count in enumerate(beam["outside"], 1):
            if count:
                console().print(
                    f"Warning: particles of beam {number} were outside the mesh of ip.{ip} {count} "
                    "times in all; raise mesh_extent or mesh_half_width",
                    markup=False,
                )


def _both(summary: dict[str, Any], name: str, index: int) -> list[str]:
    return [_number(beam[name][index]) for beam in summary["beams"]]


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.5g}"
