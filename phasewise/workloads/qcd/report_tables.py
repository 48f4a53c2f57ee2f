"""The report's table of the source's four figures against cores and volume."""

from __future__ import annotations

from phasewise.models.recorded_run import Recorded, read_run
from phasewise.report.reported_run import ReportedRun
from phasewise.report.tables import Table
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


def figure_tables(run: ReportedRun) -> list[Table]:
    """The four figures of this run and of those that it is compared with; no table if this run's
    communication was not recorded.
    """
    given = [run.communication, *run.compared]
    runs = [read_run(one.directory) for one in given if one is not None and one.turns > 0]
    solves = [one for one in runs if isinstance(one.study.model, Qcd)]
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


def _row(run: Recorded) -> tuple[str, ...]:
    cores = run.record.ranks * run.record.threads
    figures = recorded_figures(run.study, run.record)
    return *volume_texts(model_of(run.study).lattice.size, cores), *figure_texts(figures)
