"""The section of a report on the noise of macroparticles, from short runs."""

from __future__ import annotations

from phasewise.mpi.working import at
from phasewise.output import captured, message
from phasewise.report.answer import tables_of
from phasewise.report.page import Section
from phasewise.report.reported_run import ReportedRun
from phasewise.study import Study
from phasewise.study.checking import Checking


def noise_section(run: ReportedRun, turns: int) -> Section:
    """Growth of the emittances by noise alone, from runs of this many turns with few macroparticles
    (`phasewise check --noise`); StudyError if the run's study has no such noise.
    """
    at("noise of the macroparticles", 0, 1)
    study = Study.from_dict(run.study, run.directory)
    found = study.workload.part(Checking).simulate_noise(study, turns, message)
    shown = captured(found.show)
    title = "Noise of the macroparticles"
    return Section("noise", title, tuple(tables_of(shown)), sentences=shown.lines)
