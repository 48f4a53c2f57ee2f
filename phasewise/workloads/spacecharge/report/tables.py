"""Tables of a report on space charge: the study, what follows from it, the results."""

from __future__ import annotations

from typing import Any

from phasewise.analysis.growth_rate import Growth
from phasewise.report.style import scientific, with_error
from phasewise.report.tables import Table, rows_of
from phasewise.tables.declared import schema_of
from phasewise.tables.keys import Schema, with_unit
from phasewise.workloads.spacecharge.analysis import PLANES, tune_spread
from phasewise.workloads.spacecharge.bunch import Bunch
from phasewise.workloads.spacecharge.model import Solver
from phasewise.workloads.spacecharge.report.losses import loss_tables
from phasewise.workloads.spacecharge.report.ring_run import RingRun


def study_tables(run: RingRun) -> list[Table]:
    """The bunch and the solver with their units, and the optics of the lattice."""
    given = (("Bunch", "bunch", schema_of(Bunch)), ("Solver", "solver", schema_of(Solver)))
    tables = [
        Table(title, ("", ""), _with_units(run.study[name], schema))
        for title, name, schema in given
        if isinstance(run.study.get(name), dict)
    ]
    communication = [(key, [value]) for key, value in run.study["communication"].items()]
    exchanges = Table("Communication", ("", ""), rows_of(communication))
    return [*tables, *_optics(run), exchanges]


def _with_units(table: dict[str, Any], schema: Schema) -> tuple[tuple[str, ...], ...]:
    return rows_of([(with_unit(key, schema), [value]) for key, value in table.items()])


def _optics(run: RingRun) -> list[Table]:
    ring = run.ring
    if ring is None or ring.optics is None:
        return []
    optics = ring.optics
    entries: list[tuple[str, list[Any]]] = [
        ("length [m]", [ring.model.lattice.length]),
        ("elements", [len(ring.model.lattice.elements) * ring.model.lattice.periods]),
        ("tunes x, y", [optics.tunes]),
        ("chromaticity dQ/dδ x, y", [optics.chromaticity]),
        ("β at the start x, y [m]", [optics.beta]),
        ("α at the start x, y", [optics.alpha]),
        ("dispersion D, D' of x, y [m, 1]", [optics.dispersion]),
        ("closed orbit x px y py z δ [m, 1]", [_unless_zero(optics.closed_orbit)]),
        ("momentum compaction", [optics.momentum_compaction]),
        ("transition energy [eV]", [optics.transition_energy]),
        ("synchrotron tune", [optics.synchrotron_tune]),
        ("Laslett tune shift x, y", [ring.shift]),
        ("revolution frequency [Hz]", [ring.model.revolution_frequency]),
    ]
    note = "About the closed orbit. All but the Laslett shift is without space charge."
    return [Table("Lattice", ("", ""), rows_of(entries), note)]


def _unless_zero(values: Any) -> Any:
    return values if any(values) else None


def result_tables(run: RingRun) -> list[Table]:
    """Emittances and their growth, and what was lost where."""
    return [*(_growth(run, index) for index in range(len(run.beams))), *loss_tables(run)]


def _growth(run: RingRun, index: int) -> Table:
    beam, fits = run.beams[index], run.growth[index]
    first, last = beam.emittance[0], beam.emittance[-1]
    sizes = beam.size[-1]
    rows = tuple(
        (
            f"ε {name}",
            *(scientific(float(values[plane])) for values in (first, last)),
            _rate(fits[plane]),
            _per_second(run, fits[plane]),
            scientific(float(sizes[plane])),
        )
        for plane, name in enumerate(PLANES)
    )
    heads = ("", "first turn [m]", "last turn [m]", "growth per turn", "per second", "rms size [m]")
    title = "Emittances" if len(run.beams) == 1 else f"Emittances of {run.name(beam)}"
    lost = f"{int(beam.losses[-1])} of {int(beam.particles[0] + beam.losses[0])}"
    note = (
        "Geometric, x and y without dispersion. The error bar takes in noise as slow as the "
        "record. Growth by the noise of the macroparticles is part of the rate, and falls as 1/N: "
        "`phasewise report --noise` finds it by short runs. "
        f"Lost: {lost} macroparticles.{_of_maps(run)}"
    )
    return Table(title, heads, rows, note)


def _of_maps(run: RingRun) -> str:
    """A sentence on maps that change emittances by themselves."""
    if run.ring is None or run.ring.model.lattice.maps != "second-order":
        return ""
    return (
        " Maps of second order are not quite symplectic, and change emittances by themselves: with "
        'lattice.maps = "exact" the growth is that of the bunch.'
    )


def _rate(fit: Growth | None) -> str:
    return "–" if fit is None else with_error(fit.per_turn, fit.error)


def _per_second(run: RingRun, fit: Growth | None) -> str:
    frequency = None if run.ring is None else run.ring.model.revolution_frequency
    if fit is None or frequency is None:
        return "–"
    return with_error(fit.per_turn * frequency, fit.error * frequency)


def tune_tables(run: RingRun) -> list[Table]:
    """The tune shifts of the tracked particles beside the Laslett shift; no table without them."""
    ring = run.ring
    if ring is None or ring.optics is None:
        return []
    tables = []
    for beam, found in zip(run.beams, run.footprints, strict=True):
        if found is None:
            continue
        spread = tune_spread(found, ring.optics)
        shift = ring.shift or (None, None)
        rows = tuple(
            (
                name,
                f"{ring.optics.tunes[plane]:.6g}",
                scientific(spread.mean[plane], 3),
                scientific(spread.spread[plane], 3),
                scientific(spread.largest[plane], 3),
                scientific(shift[plane], 3),
            )
            for plane, name in enumerate("xy")
        )
        heads = ("", "machine tune", "mean shift", "rms spread", "largest shift", "Laslett shift")
        note = (
            f"Shifts of the tunes of {spread.particles} tracked particles of {run.name(beam)}. "
            "The Laslett shift is that of a particle at the centre of the bunch; one that swings "
            "through the bunch is shifted less."
        )
        tables.append(Table("Tunes", heads, rows, note))
    return tables
