"""The page of ``phasewise tune``."""

from __future__ import annotations

from collections.abc import Sequence

from phasewise.answers.conditions import conditions, on, plain, time_text, within
from phasewise.models.discovery import load_model
from phasewise.models.interval import residuals_of, spread
from phasewise.output import Printed, number_of
from phasewise.report.answer import Answer, tables_of
from phasewise.report.figure import Drawing
from phasewise.report.intervals import Timed, draw_intervals
from phasewise.report.page import Tile
from phasewise.report.tables import Table
from phasewise.tuning.choice import Tuned
from phasewise.tuning.search import Entry

DRAWN = 12
"""Most candidates in the picture."""


def tuned_answer(tuned: Tuned, printed: Printed, argv: Sequence[str]) -> Answer:
    """Which way to exchange is the fastest. printed: what the command prints."""
    problem, choice = tuned.problem, tuned.choice
    study, machine = problem.study, problem.machine
    unit = study.workload.unit
    tiles = [_tile(f"expected {unit.one}", choice.predicted)]
    if choice.verified is not None:
        tiles.append(_tile(f"verified {unit.one}", choice.verified))
    if (before := tuned.baseline_seconds) is not None:
        tiles.append(_tile(f"{unit.one} of the study as it is", before))
    keys = choice.candidate.communication()
    own = Table(
        "The choice, as the study's [communication] has it",
        ("", ""),
        tuple((key, plain(value)) for key, value in keys.items()),
        words=True,
    )
    given = conditions(study, [machine], [choice.ranks], argv)
    return Answer(
        question=(
            f"Which way to exchange makes “{study.title}” fastest on {on(problem.ranks)} of "
            f"{machine.name}?"
        ),
        answer=_sentence(tuned),
        tiles=tiles,
        pictures=[("candidates", "The best candidates", lambda: _draw(tuned))],
        tables=[own, *tables_of(printed)],
        conditions={"threads of a rank": str(choice.threads), "twin": problem.twin} | given,
        certainty=_certainty(tuned),
        study=study.resolved(),
    )


def _tile(name: str, seconds: float) -> Tile:
    return Tile(name, time_text(seconds))


def _sentence(tuned: Tuned) -> str:
    choice = tuned.choice
    words = [f"{key} {plain(value)}" for key, value in choice.candidate.communication().items()]
    whole = within(choice.predicted, choice.low, choice.high)
    told = f"{', '.join(words)}: {tuned.problem.timed} is predicted to take {whole}"
    if choice.verified is not None:
        told += f", and took {time_text(choice.verified)} when it was verified"
    told += "."
    if (before := tuned.baseline_seconds) is not None and tuned.gain is not None:
        told += (
            f" The study as it is takes {time_text(before)}: the choice is faster by a "
            f"factor of {tuned.gain:.3g}."
        )
    return told


def _draw(tuned: Tuned) -> Drawing:
    entries = tuned.entries[:DRAWN]
    lines = [_line(entry, entry is tuned.choice) for entry in entries]
    if tuned.baseline is not None:
        lines.append(_line(tuned.baseline, False))
    return draw_intervals(lines, tuned.problem.timed, "verified")


def _line(entry: Entry, chosen: bool) -> Timed:
    label = " ".join(dict.fromkeys(filter(None, entry.candidate.columns())))
    ends = (entry.predicted, entry.low, entry.high)
    return Timed(label, *ends, actual=entry.verified, marked=chosen)


def _certainty(tuned: Tuned) -> list[str]:
    problem, choice = tuned.problem, tuned.choice
    residuals = residuals_of(problem.study.workload)
    found = spread(choice.model, problem.machine, problem.twin, residuals, choice.ranks)
    title = load_model(choice.model).TITLE
    tried = sum(entry.verified is not None for entry in tuned.entries)
    told = [
        f"{number_of(len(tuned.entries), 'candidate')} were predicted; "
        + (f"the best {tried} were verified." if tried else "none was verified by a run."),
        f"The interval of model {choice.model} ({title}) comes from {found.source}.",
    ]
    if steps := tuned.sampled_steps:
        told.append(f"Verifying simulated {steps[0]} of {steps[1]} steps, scaled to all.")
    if choice.inside:
        told.append("The verified time lies within the interval.")
    return told + [f"{words}." for words in (tuned.wrong, tuned.disturbed) if words]
