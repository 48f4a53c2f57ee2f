"""``phasewise tune``: process grid, layout and algorithms for a machine, predicted and verified."""

from __future__ import annotations

import argparse
from pathlib import Path

from phasewise.errors import StudyError
from phasewise.machines import load_machine
from phasewise.machines.reference import rates_statement
from phasewise.mpi.working import working
from phasewise.options import (
    Parser,
    add_html,
    add_json,
    add_progress,
    add_study,
    add_target,
    count,
    html_target,
)
from phasewise.output import alike, captured, message, number_of, print_json, print_table
from phasewise.study import load
from phasewise.tables.writing import document
from phasewise.tuning.candidates import heads_of
from phasewise.tuning.choice import Tuned, tune
from phasewise.tuning.placement_files import write_all
from phasewise.tuning.search import Entry, Problem

MAX_VERIFIED = 10
"""Most verifying runs; more of them would be a search by running."""

SHOWN = 12
"""Most candidates in the table."""


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print the choice as JSON")
    add_study(parser)
    add_target(parser)
    parser.add_argument(
        "--ranks",
        type=count,
        required=True,
        metavar="N",
        help="MPI ranks; with --cores the largest number",
    )
    parser.add_argument(
        "--cores",
        type=count,
        metavar="C",
        help="compare every split of C cores into ranks × threads",
    )
    parser.add_argument("--model", metavar="NAME", help="the model that ranks the candidates")
    parser.add_argument(
        "--verify", type=int, default=8, metavar="K", help="how many of the best are run (0: none)"
    )
    add_html(parser)
    add_progress(parser)
    parser.add_argument("--out", metavar="DIR", help="folder for what a launcher and a study need")


def main(options: argparse.Namespace) -> int:
    """Tune the study ``options.study`` for ``options.machine`` and return the exit status."""
    if not 0 <= options.verify <= MAX_VERIFIED:
        raise StudyError(f"--verify {options.verify} is not a number from 0 to {MAX_VERIFIED}")
    machine, page = load_machine(options.machine), html_target(options)
    study = load(options.study, options.set)
    if options.cores is not None and not machine.is_hardware:
        raise StudyError(
            f"--cores compares whole {study.workload.unit.many}, which simulated machines do not "
            f"run: {machine.name} was not measured on hardware; leave --cores out"
        )
    if options.cores is not None and options.ranks > options.cores:
        raise StudyError(
            f"--ranks {options.ranks} is more than --cores {options.cores}: a rank takes a core at "
            "least; ask for fewer ranks or more cores"
        )
    problem = Problem(study, machine, options.ranks, options.cores, options.model, options.twin)
    with working(options.progress):
        tuned = tune(problem, options.verify)
    if keys := tuned.choice.candidate.replaces(study):
        message(f"the choice replaces what the study sets in [communication]: {', '.join(keys)}")
    summary = tuned.summary()
    files: list[str] = []
    if options.out is not None:
        chosen = tuned.choice
        split = (chosen.ranks, chosen.threads)
        files = write_all(Path(options.out), study, chosen.candidate, machine, split, summary)
    if page is not None:
        from phasewise.answers.tuned import tuned_answer
        from phasewise.report.answer import write_answer

        write_answer(tuned_answer(tuned, captured(lambda: show(tuned)), options.argv), page)
    if options.json:
        print_json(summary)
    else:
        show(tuned)
    if files:
        message(f"{options.out} has {', '.join(files)}")
    if page is not None:
        message(f"wrote {page}")
    return 0


def show(tuned: Tuned) -> None:
    """Print the best candidates as a table, and the choice as a study has it."""
    problem, choice = tuned.problem, tuned.choice
    split = problem.cores is not None
    columns = [*heads_of(problem.study), "predicted", "verified"]
    unit = problem.timed
    given = [tuned.baseline] if tuned.baseline else []
    steps = tuned.sampled_steps
    part = f", verified by {steps[0]} of its {steps[1]} steps" if steps else ""
    print_table(
        f"{problem.machine.name}: the best of {len(tuned.entries)} candidates, {unit}{part}, in ms",
        columns,
        [_row(entry, split) for entry in (*tuned.entries[:SHOWN], *given)],
    )
    print(document({"communication": choice.candidate.communication()}))
    seconds, low, high = alike(*(1e3 * one for one in (choice.predicted, choice.low, choice.high)))
    print(
        f"{number_of(choice.ranks, 'rank')} × {_threads(choice.threads)}: {seconds} ms expected "
        f"for {unit}, 90 %: {low} to {high} ms (model {problem.model_name})"
    )
    verified = "not verified"
    if choice.verified is not None:
        verified = f"{alike(1e3 * choice.verified)[0]} ms verified"
    print(f"{verified}, {_reference(problem)}")
    if (before := tuned.baseline_seconds) is not None:
        then, now = alike(1e3 * before, 1e3 * tuned.choice_seconds)
        print(f"yours {then} ms → {now} ms")
    if tuned.wrong is not None:
        print(tuned.wrong)
    elif tuned.disturbed is not None:
        print(f"verifying: {tuned.disturbed}")


def _threads(number: int) -> str:
    return "1 thread" if number == 1 else f"{number} threads"


def _reference(problem: Problem) -> str:
    if problem.machine.is_hardware:
        return f"on {problem.machine.name}, measured hardware"
    return (
        f"on {problem.machine.name}, {problem.twin} twin: a simulator, not hardware; "
        f"{rates_statement(problem.machine)}"
    )


def _row(entry: Entry, split: bool) -> list[str]:
    first, *others = entry.candidate.columns()
    ranks = f"{entry.ranks} × {entry.threads}: " if split else ""
    return [
        f"{ranks}{first}",
        *others,
        alike(1e3 * entry.predicted)[0],
        "" if entry.verified is None else alike(1e3 * entry.verified)[0],
    ]
