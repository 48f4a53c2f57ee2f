"""``phasewise check``: the resolved study with its derived quantities, as tables or as JSON."""

from __future__ import annotations

import argparse
from typing import Any

from phasewise.options import Parser, add_json, add_study
from phasewise.output import console, message, print_json, print_table
from phasewise.study import Study, load
from phasewise.study.derived import Derived, derive


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print the resolved study as JSON")
    add_study(parser)


def main(options: argparse.Namespace) -> int:
    """Check the study ``options.study`` with ``options.set``; the exit status."""
    study = load(options.study, options.set)
    derived = derive(study)
    if options.json:
        print_json({"study": study.resolved(), "derived": derived.to_dict()})
    else:
        show(study, derived)
    for warning in derived.warnings:
        message(f"phasewise: {options.study}: {warning}")
    return 0


def show(study: Study, derived: Derived) -> None:
    """Print the study as tables."""
    turns = f"{study.turns} turn{'s' if study.turns > 1 else ''}, seed {study.seed}"
    console().print(f"{study.title}: {turns}", markup=False)
    print_table("Beams", ["", "beam 1", "beam 2"], _beam_rows(study, derived))
    print_table("Arcs", ["", "beam 1", "beam 2"], _arc_rows(study, derived))
    for k in range(len(study.ips)):
        _show_point(study, derived, k)
    core = derived.seconds_per_turn
    estimate = (
        f"Estimate: {_engineering(derived.memory_bytes, 'B')} of memory, "
        f"{_engineering(core, 's')} per turn and {duration(core * study.turns)} in all on one core"
    )
    console().print(estimate, markup=False)


def _beam_rows(study: Study, derived: Derived) -> list[list[str]]:
    rows: list[list[Any]] = [
        ["particle", *(b.particle for b in study.beams)],
        ["charge [e]", *(b.charge for b in study.beams)],
        ["energy [eV]", *(b.energy for b in study.beams)],
        ["Lorentz factor", *(b.gamma for b in derived.beams)],
        ["bunch population", *(b.bunch_population for b in study.beams)],
        ["bunch current [A]", *(b.bunch_current for b in derived.beams)],
        ["macroparticles", *("strong" if b.strong else b.macroparticles for b in study.beams)],
        ["normalized emittance [m]", *(b.normalized_emittance for b in derived.beams)],
        ["geometric emittance [m]", *(b.geometric_emittance for b in derived.beams)],
        ["bunch length [m]", *(b.bunch_length for b in study.beams)],
        ["momentum spread", *(b.momentum_spread for b in study.beams)],
        ["distribution", *(b.distribution for b in study.beams)],
    ]
    return _rows(rows)


def _arc_rows(study: Study, derived: Derived) -> list[list[str]]:
    arcs = [beam.arc for beam in study.beams]
    rows: list[list[Any]] = [
        ["revolution frequency [Hz]", *(b.revolution_frequency for b in derived.beams)],
        ["tune", *("by the map" if a.tune is None else a.tune for a in arcs)],
        ["synchrotron tune", *(b.synchrotron_tune for b in derived.beams)],
        ["chromaticity", *(a.chromaticity for a in arcs)],
        ["longitudinal motion", *(a.longitudinal for a in arcs)],
        ["damping turns", *(a.damping_turns if any(a.damping_turns) else None for a in arcs)],
        ["aperture [m]", *(a.aperture for a in arcs)],
    ]
    return _rows(rows)


def _show_point(study: Study, derived: Derived, index: int) -> None:
    ip, point = study.ips[index], derived.ips[index]
    optics = [beam.optics[index] for beam in study.beams]
    shift = "+" if point.attractive else "-"
    rows: list[list[Any]] = [
        ["β [m]", *(o.beta for o in optics)],
        ["phase advance to the next [turns]", *(o.phase_advance for o in optics)],
        ["σ [m]", *(at.size for at in point.beams)],
        ["σ' [rad]", *(at.angle for at in point.beams)],
        [f"beam-beam parameter ξ (tune shift {shift}ξ)", *(at.xi for at in point.beams)],
    ]
    name = f"Interaction point {index + 1}"
    print_table(f"{name}, {ip.model}", ["", "beam 1", "beam 2"], _rows(rows))
    both: list[list[Any]] = [
        ["half crossing angle [rad]", ip.half_crossing_angle],
        ["separation [m]", ip.separation[:2]],
        ["Piwinski angle", point.piwinski_angle],
        ["reduction by the hourglass", point.hourglass_reduction],
        ["reduction by the crossing angle", point.crossing_reduction],
        ["reduction by all effects", point.reduction],
        ["luminosity per crossing, head-on [m⁻²]", point.luminosity_head_on],
        ["luminosity per crossing, all effects [m⁻²]", point.luminosity],
        ["luminosity, head-on [cm⁻² s⁻¹]", point.luminosity_head_on_per_second],
        ["luminosity, crossing angle only [cm⁻² s⁻¹]", point.luminosity_crossing_per_second],
        ["luminosity, all effects [cm⁻² s⁻¹]", point.luminosity_per_second],
    ]
    if ip.model != "none":
        grid = f"{ip.grid[0]} × {ip.grid[1]}, {ip.weighting}"
        both += [["slices", ip.slices], *([["mesh", grid]] if ip.model == "strong-strong" else [])]
    print_table(f"{name}, both beams", ["", "value"], _rows(both))


def _rows(rows: list[list[Any]]) -> list[list[str]]:
    """Rows as text; a row without any value is left out."""
    return [
        [str(row[0]), *(_text(v) for v in row[1:])]
        for row in rows
        if any(v is not None for v in row[1:])
    ]


def _text(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, tuple):
        return ", ".join(_text(v) for v in value)
    if isinstance(value, float):
        return f"{value:.7g}"
    return str(value)


def _engineering(value: float, unit: str) -> str:
    for factor, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")):
        if value >= factor:
            return f"{value / factor:.3g} {prefix}{unit}"
    for factor, prefix in ((1e-3, "m"), (1e-6, "µ")):
        if value >= factor:
            return f"{value / factor:.3g} {prefix}{unit}"
    return f"{value:.3g} {unit}"


def duration(seconds: float) -> str:
    """``seconds`` in the unit that a person would choose."""
    for factor, unit in ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes")):
        if seconds >= 2 * factor:
            return f"{seconds / factor:.3g} {unit}"
    return f"{seconds:.3g} seconds"
