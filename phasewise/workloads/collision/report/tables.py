"""Tables of a report on colliding beams: the study, what follows from it, the results."""

from __future__ import annotations

from typing import Any

import numpy as np

from phasewise.analysis.growth_rate import Growth
from phasewise.report.style import scientific, unit_text, with_error
from phasewise.report.tables import Table, rows_of, text
from phasewise.workloads.collision.analysis.moments import sizes
from phasewise.workloads.collision.lifetimes import lifetimes_of
from phasewise.workloads.collision.radiation import (
    bhabha_of,
    bhabha_rows,
    lifetime_rows,
    photon_rows,
    photons_of,
)
from phasewise.workloads.collision.report.beams_run import BeamsRun
from phasewise.workloads.collision.summary import debunched
from phasewise.workloads.collision.tables.point import slices_of


def study_tables(run: BeamsRun) -> list[Table]:
    """The study's parameters and derived quantities: beams, then each interaction point."""
    return [_beams(run), *(_point(run, k) for k in range(len(run.derived["ips"])))]


def result_tables(run: BeamsRun) -> list[Table]:
    """Luminosity, emittance growth against the noise floor, coherent modes, state of the beams."""
    return [_luminosity(run), _growth(run), _modes(run), _state(run), *_radiation(run)]


def _radiation(run: BeamsRun) -> list[Table]:
    """Photons, events of scattering and lifetimes; nothing where no energy is lost."""
    beams = [
        photons_of(run.results, number)
        | bhabha_of(run.results, number)
        | lifetimes_of(run.results, number)
        for number in (1, 2)
    ]
    rows = [*photon_rows(beams), *bhabha_rows(beams), *lifetime_rows(beams)]
    heads = ("", "beam 1", "beam 2")
    note = "Lifetimes by radiative Bhabha scattering are those that the luminosity lets expect."
    shown = tuple(tuple(row) for row in rows)
    return [Table("Radiation in the collisions", heads, shown, note)] if rows else []


def _beams(run: BeamsRun) -> Table:
    given = [run.study["beam"][b] for b in "12"]
    found = run.derived["beams"]
    arcs = [run.study["arc"][b] for b in "12"]
    entries: list[tuple[str, list[Any]]] = [
        ("particle", [b["particle"] for b in given]),
        ("total energy [eV]", [float(b["energy"]) for b in given]),
        ("Lorentz factor γ", [b["gamma"] for b in found]),
        ("bunch population", [float(b["bunch_population"]) for b in given]),
        ("macroparticles", [b.get("macroparticles", "strong beam") for b in given]),
        ("normalised emittance x, y [m]", [b["normalized_emittance"] for b in found]),
        ("geometric emittance x, y [m]", [b["geometric_emittance"] for b in found]),
        ("bunch length, rms [m]", [b["bunch_length"] for b in given]),
        ("momentum spread, rms", [b["momentum_spread"] for b in given]),
        ("offset at IP 1, x px y py z δ", [_unless_zero(b["offset"]) for b in given]),
        ("tune x, y", [b["tune"] for b in found]),
        ("synchrotron tune", [b["synchrotron_tune"] for b in found]),
        ("chromaticity x, y", [_unless_zero(a.get("chromaticity")) for a in arcs]),
        ("damping x, y, z [turns]", [_unless_zero(a.get("damping_turns")) for a in arcs]),
        ("momentum aperture, −δ and δ", [a.get("momentum_aperture") for a in arcs]),
        ("revolution frequency [Hz]", [b["revolution_frequency"] for b in found]),
        ("bunch current [A]", [b["bunch_current"] for b in found]),
    ]
    return Table("Beams", ("", "beam 1", "beam 2"), rows_of(entries))


def _unless_zero(values: Any) -> Any:
    return values if values is not None and any(values) else None


def _point(run: BeamsRun, index: int) -> Table:
    ip, found = run.study["ip"][str(index + 1)], run.derived["ips"][index]
    optics = [ip["beam"][b] for b in "12"]
    mesh = f"{ip['grid'][0]} × {ip['grid'][1]}, {ip['weighting']}"
    kind = ip["model"]
    entries: list[tuple[str, list[Any]]] = [
        ("β x, y [m]", [o["beta"] for o in optics]),
        ("rms size x, y [m]", [at["size"] for at in found["beams"]]),
        ("beam-beam parameter ξ x, y", [at.get("xi_effective") for at in found["beams"]]),
        ("ξ head-on x, y", [at["xi"] for at in found["beams"]]),
        ("half crossing angle [rad]", [ip["half_crossing_angle"], ""]),
        ("separation x, y [m]", [_unless_zero(ip.get("separation")), ""]),
        ("Piwinski angle Φ", [found["piwinski_angle"], ""]),
        ("hourglass reduction", [found["hourglass_reduction"], ""]),
        ("crossing reduction", [found["crossing_reduction"], ""]),
        ("nominal luminosity, head-on [m⁻² per crossing]", [found["luminosity_head_on"], ""]),
        ("nominal luminosity [m⁻² per crossing]", [found["luminosity"], ""]),
        ("nominal luminosity [cm⁻² s⁻¹]", [found["luminosity_per_second"], ""]),
        ("slices", _slices(ip)),
        ("mesh", [mesh if kind == "strong-strong" else None, ""]),
        *_expected_radiation(found),
    ]
    shown = [(n, v) for n, v in entries if v[0] is not None]
    rows = tuple((n, *(text(v) if v != "" else "" for v in values)) for n, values in shown)
    return Table(f"Interaction point {index + 1}, {kind}", ("", "beam 1", "beam 2"), rows)


def _expected_radiation(found: dict[str, Any]) -> list[tuple[str, list[Any]]]:
    """What is expected of Gaussian bunches; reports of earlier versions have none of it."""
    entries: list[tuple[str, list[Any]]] = []
    if radiation := found.get("beamstrahlung"):
        at_rest = radiation["equilibrium"]
        entries = [
            ("photons per particle", radiation["photons"]),
            ("energy loss by them, relative", radiation["loss"]),
            ("largest Υ", radiation["upsilon"]),
            ("bunch length in equilibrium, rms [m]", at_rest["bunch_length"]),
            ("momentum spread in equilibrium, rms", at_rest["momentum_spread"]),
        ]
    cross_section = found.get("bhabha_cross_section")
    return [*entries, ("cross section of radiative Bhabha scattering [m²]", [cross_section, ""])]


def _slices(ip: dict[str, Any]) -> list[Any]:
    if ip["model"] == "none":
        return [None, ""]
    first, second = slices_of(ip)
    return [first, second if first != second else ""]


def _luminosity(run: BeamsRun) -> Table:
    rows = []
    for k, found in enumerate(run.luminosity, 1):
        if found is None:
            continue
        ratio = found.mean / found.nominal if found.nominal else None
        fit = found.growth
        change = with_error(fit.per_turn, fit.error) if fit else "–"
        values = (found.mean, found.last, found.nominal, ratio)
        rows.append((f"IP {k} [{unit_text(found.unit)}]", *(scientific(v) for v in values), change))
    heads = ("", "mean", "last", "nominal", "mean / nominal", "relative change per turn")
    return Table("Luminosity", heads, tuple(rows))


def _growth(run: BeamsRun) -> Table:
    rows = []
    for number, beam in enumerate(run.growth, 1):
        for plane in "xyz":
            found = getattr(beam, plane)
            fit = found.growth
            if fit is None:
                continue
            rows.append(
                (
                    f"beam {number}, ε {plane}",
                    f"{scientific(fit.start)} m",
                    *_rates(fit, found.noise_floor, found.noise_floor_per_hour),
                )
            )
    for plane, both in zip("xyz", run.growth_of_both, strict=True):
        if both is not None:
            rows.append((f"sum, ε {plane}", "", *_rates(both.growth, None, None)))
    heads = (
        "",
        "at the start",
        "per turn",
        "noise floor",
        "% per hour",
        "noise floor [% per hour]",
    )
    note = (
        "Relative growth of a straight line. Its standard error takes in that the beams hand "
        "emittance to each other slowly; their sum, each over its value at the start, keeps what "
        "they hand on. A growth near the noise floor may be an artefact of the number of "
        "macroparticles: repeat the run with more."
    )
    for plane, both in zip("xyz", run.growth_of_both, strict=True):
        if both is not None and both.disagree:
            note += f" Note that {both.sentence(plane)}."
    if why := next((b.x.noise_floor_why for b in run.growth if b.x.noise_floor_why), ""):
        note += f" There is no noise floor: {why}."
    return Table("Emittance growth", heads, tuple(rows), note)


def _rates(fit: Growth, floor: float | None, floor_per_hour: float | None) -> tuple[str, ...]:
    """Growth and noise floor per turn and in % per hour."""
    return (
        with_error(fit.per_turn, fit.error),
        scientific(floor, 2),
        with_error(_percent(fit.per_hour), _percent(fit.error_per_hour)),
        scientific(_percent(floor_per_hour), 2),
    )


def _percent(value: float | None) -> float | None:
    return None if value is None else 100 * value


def _modes(run: BeamsRun) -> Table:
    rows = []
    for plane in "xy":
        modes = getattr(run.modes, plane)
        lines = (
            with_error(peak.frequency, peak.uncertainty) if peak else "not seen"
            for peak in (modes.sigma, modes.pi)
        )
        factor = with_error(modes.yokoya, modes.yokoya_error)
        rows.append((plane, *lines, scientific(modes.xi), factor))
    heads = ("plane", "Q of σ mode", "Q of π mode", "Σξ", "Yokoya factor |Qπ − Qσ|/Σξ")
    return Table("Coherent modes", heads, tuple(rows))


def _state(run: BeamsRun) -> Table:
    rows: list[tuple[str, list[Any]]] = []
    last = [sizes(np.asarray(beam.covariance[-1:]))[0] for beam in run.beams]
    for coordinate, name in ((0, "x"), (2, "y"), (4, "z")):
        rows.append((f"rms size {name} [m]", [float(size[coordinate]) for size in last]))
    rows += [
        ("rms momentum deviation δ", [float(size[5]) for size in last]),
        ("macroparticles alive", [int(beam.particles[-1]) for beam in run.beams]),
        ("macroparticles lost", [int(beam.losses[-1]) for beam in run.beams]),
        ("macroparticles debunched", [debunched(run.results, number) for number in (1, 2)]),
        (
            "most deposits outside the mesh in a turn",
            [int(b.outside.sum(axis=1).max()) for b in run.beams],
        ),
    ]
    title = f"Beams at turn {int(run.turn[-1])}"
    return Table(title, ("", "beam 1", "beam 2"), rows_of(rows))
