"""The report's tables: the pion with its errors, and the source's four figures against cores and
volume.
"""

from __future__ import annotations

import numpy as np

from phasewise.models.recorded_run import Recorded, read_run
from phasewise.report.reported_run import ReportedRun
from phasewise.report.style import with_error
from phasewise.report.tables import Table
from phasewise.workloads.qcd.effective_masses import pion_of
from phasewise.workloads.qcd.four_figures import (
    EXPLAINED,
    HEADS,
    convention,
    figure_texts,
    iteration_flops,
    recorded_figures,
    volume_texts,
)
from phasewise.workloads.qcd.model import Qcd, model_of

MOST_TIMES = 24
"""Most times from the source in the table of the pion."""


def solve_tables(run: ReportedRun) -> list[Table]:
    """The pion, if it was measured, and the four figures."""
    return [*pion_tables(run), *figure_tables(run)]


def pion_tables(run: ReportedRun) -> list[Table]:
    """The correlator of the pion, if it was measured, and its effective mass, up to the middle of
    the lattice.
    """
    if not run.study["measure"].get("pion"):
        return []
    found = pion_of(run.results)
    if not len(found.samples):
        return []
    errors = found.errors
    bars = None if errors is None else np.vstack([errors[0], errors[1]])
    values = np.vstack([found.mean, found.masses])
    half = len(found.mean) // 2
    rows = []
    for t in range(min(half, MOST_TIMES) + 1):
        # Two neighbours of the middle stand on both sides of it, and have no mass.
        shown = [0, 2] if t == half else [0, 1, 2]
        cells = [
            with_error(float(values[k, t]), None if bars is None else float(bars[k, t]))
            if k in shown
            else "–"
            for k in range(3)
        ]
        rows.append((str(t), *cells))
    note = f"Errors: {found.method}. " if bars is not None else ""
    return [
        Table(
            "Pion, in lattice units",
            ("t", "C(t)", "mass, ln C(t)/C(t+1)", "mass, cosh"),
            tuple(rows),
            f"{note}The mass of the pion is the effective mass where it no longer depends on t.",
        )
    ]


def figure_tables(run: ReportedRun) -> list[Table]:
    """The four figures of this run and of those that it is compared with; no table if this run's
    communication was not recorded.
    """
    given = [run.communication, *run.compared]
    runs = [read_run(one.directory) for one in given if one is not None and one.turns > 0]
    solves = [one for one in runs if _solves(one.study.model)]
    if run.communication is None or not solves:
        return []
    flops = dict.fromkeys(iteration_flops(model_of(one.study)) for one in solves)
    others = "" if len(runs) > 1 else " Runs given with --compare stand beside this one."
    kinds = ". ".join(map(convention, flops))
    note = (
        f"{EXPLAINED}. All are means over the ranks and over whole runs, including the "
        f"measurements on the links. {kinds}.{others}"
    )
    return [Table("The source's four figures", HEADS, tuple(map(_row, solves)), note)]


def _solves(model: object) -> bool:
    """Whether a study solves, and does not make configurations."""
    return isinstance(model, Qcd) and model.quarks is not None and model.update is None


def _row(run: Recorded) -> tuple[str, ...]:
    cores = run.record.ranks * run.record.threads
    figures = recorded_figures(run.study, run.record)
    return *volume_texts(model_of(run.study).lattice.size, cores), *figure_texts(figures)
