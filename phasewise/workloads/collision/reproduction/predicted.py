"""Predictions of the paper's cases: by our models, by the paper's, by the paper's own numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from phasewise.errors import StudyError
from phasewise.machines import Machine, load_machine
from phasewise.models import Case, PhaseMessages, Prediction, first_turn, predict
from phasewise.models.computation import kernel_seconds
from phasewise.reproduction.telling import Telling
from phasewise.simulated.workers import processes
from phasewise.study import Study
from phasewise.workloads.collision.reproduction import published
from phasewise.workloads.collision.reproduction.cases import paper_case
from phasewise.workloads.collision.reproduction.extent import BEST, VARIANTS, Extent, Run, runs_of

STRAIGHT = {"4": "3", "6": "5"}
"""For each of these models the one that has L and B in place of a table, since Table 4 has no
tables.
"""
MODELS = ("1a", "1b", "2", "3", "4", "5", "6", "contention")
"""Our models whose predictions stand beside the paper's."""
PARTICLE_KERNELS = ("arc", "bounds", "encounter", "moments", "sort")
ORIGINAL = 6.0
"""How much longer BeamBeam3D takes for whole turns than phasewise with as many field planes: 229
and 181 ns for each particle and opposing slice against 34 to 38 and 30 to 35 (README.md). The whole
factor is applied to the kernels of particles.
"""


def predict_runs(
    extent: Extent, machines: dict[str, Machine], workers: int
) -> tuple[dict[tuple[Run, str], Prediction], dict[tuple[str, str], str]]:
    """Predictions of every run by our models, and of larger ones by `contention`."""
    beyond = [
        Run(name, ranks, variant)
        for name in extent.machines
        for ranks in extent.followed
        for variant in ("optimised", "hypercube")
    ]
    wanted = [(run, MODELS) for run in runs_of(extent)] + [(run, ("contention",)) for run in beyond]
    predicted: dict[tuple[Run, str], Prediction] = {}
    refused: dict[tuple[str, str], str] = {}
    tell = Telling("cases predicted")
    jobs = [(run, machines[run.machine], models) for run, models in wanted]
    for number, ((run, _), found) in enumerate(zip(wanted, _each(jobs, workers), strict=True), 1):
        for model, one in found.items():
            if isinstance(one, Prediction):
                predicted[run, model] = one
            else:
                refused[model, run.machine] = one
        tell(number, len(wanted))
    return predicted, refused


Job = tuple[Run, Machine, tuple[str, ...]]


def _each(jobs: Sequence[Job], workers: int) -> Iterator[dict[str, Prediction | str]]:
    """`_predictions` of all jobs, in their order, in a number of processes."""
    if workers <= 1:
        yield from map(_predictions, jobs)
        return
    with processes(workers) as pool:
        yield from pool.map(_predictions, jobs)


def _predictions(job: Job) -> dict[str, Prediction | str]:
    """The predictions of a run by some models, or why there is none."""
    run, machine, models = job
    found: dict[str, Prediction | str] = {}
    for model in models:
        try:
            found[model] = predict(_case(run, machine), model, computation=False)
        except StudyError as error:
            found[model] = str(error)
    return found


def by_published_models(
    runs: Sequence[Run], machines: dict[str, Machine]
) -> tuple[dict[tuple[Run, str], float], dict[tuple[str, str], str]]:
    """Predictions of every run by the paper's models, with the curves of the twins, and (model,
    machine) → why a model has no prediction.
    """
    found: dict[tuple[Run, str], float] = {}
    refused: dict[tuple[str, str], str] = {}
    for run in runs:
        case = _case(run, machines[run.machine])
        for name in published.NAMES:
            model = published.model(name)
            try:
                prediction = predict(case, model, computation=False)
            except StudyError as error:
                refused[model.NAME, run.machine] = str(error)
            else:
                found[run, name] = prediction.exchange_seconds
    return found, refused


def by_table_4(extent: Extent) -> dict[Run, float]:
    """Predictions of every variant on all numbers of ranks, including those on which the paper only
    predicted. They come from the paper's best model of each machine, with L and B of its Table 4.
    """
    found = {}
    for name in extent.machines:
        machine, best = load_machine(name), BEST[name]
        model = published.model(STRAIGHT.get(best, best))
        for ranks in (*extent.ranks, *extent.predicted):
            for variant in VARIANTS:
                run = Run(name, ranks, variant)
                prediction = predict(_case(run, machine), model, computation=False)
                found[run] = prediction.exchange_seconds
    return found


def computing_seconds(extent: Extent) -> dict[tuple[str, int], float]:
    """Seconds of a turn's computation at the assumed rates of the machine's processor, with the
    original's work for each particle.
    """
    found = {}
    for name in extent.machines:
        machine = load_machine(name)
        for ranks in extent.ranks:
            kernels = kernel_seconds(_case(Run(name, ranks, "base"), machine))
            found[name, ranks] = sum(
                seconds * (ORIGINAL if kernel in PARTICLE_KERNELS else 1.0)
                for kernel, seconds in kernels.items()
            )
    return found


def _case(run: Run, machine: Machine) -> Case:
    study, program = _planned(run)
    return replace(first_turn(study, machine, run.ranks), program=program)


@cache
def _planned(run: Run) -> tuple[Study, tuple[PhaseMessages, ...]]:
    """One of the paper's cases and its messages, which many predictions need."""
    study = paper_case(*run).study()
    return study, first_turn(study, load_machine(run.machine), run.ranks).phases
