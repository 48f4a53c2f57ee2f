"""``phasewise reproduce``: a source's tables, figures and claims, regenerated."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from phasewise.errors import RunError, StudyError
from phasewise.machines.smpirun import simulated_tree
from phasewise.mpi.launch import this_machine
from phasewise.mpi.progress import duration
from phasewise.options import Parser, add_json
from phasewise.output import message, print_json, print_table
from phasewise.report.page import render
from phasewise.reproduction.claim import Claim, Reproduction
from phasewise.reproduction.reproducing import Reproducing
from phasewise.reproduction.source import Source, join
from phasewise.runs.disk import disk_reason, replace_text
from phasewise.tables.keys import nearest
from phasewise.workload.discovery import find_workload, with_part
from phasewise.workload.interface import Workload

PAGE, CLAIMS = "index.html", "claims.json"
MAX_WORKERS = 2
"""Simulations at the same time: each of 256 ranks needs up to a gigabyte."""


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print claims and errors as JSON")
    parser.add_argument(
        "--quick", action="store_true", help="fewer simulations, or kept ones: under two minutes"
    )
    parser.add_argument("--source", metavar="NAME", help="which source; by default the beam paper")
    parser.add_argument(
        "--workload", metavar="NAME", help="instead of --source: the source that this workload has"
    )
    parser.add_argument("--out", metavar="DIR", default="reproduced", help="folder for the page")


def main(options: argparse.Namespace) -> int:
    """Regenerate everything into the folder ``options.out``; the exit status."""
    out, started = Path(options.out), time.monotonic()
    name = chosen_source(options.source, options.workload)
    simulated_tree()
    _make_folder(out)
    workers = min(this_machine().cores, MAX_WORKERS)
    found = _reproduced(name, out, options.quick, workers)
    _write(out / CLAIMS, json.dumps(found.record, indent=2, ensure_ascii=False) + "\n")
    _write(out / PAGE, render(found.page))
    message(f"the page is {out / PAGE}, after {duration(time.monotonic() - started)}")
    if options.json:
        print_json(found.record)
    else:
        show(found.claims, found.notes, name)
    return 0


def whole_sources() -> dict[str, Reproducing]:
    """What reproduces a source by itself, by the source's name."""
    return {part.SOURCE: part for part in with_part(Reproducing).values() if part.SOURCE}


def shared_sources() -> dict[str, Source]:
    """The sources that several workloads share, by name."""
    found = (part.CHAPTER_OF for part in with_part(Reproducing).values())
    return {source.name: source for source in found if source is not None}


def chosen_source(name: str | None, workload: str | None = None) -> str:
    """The name of a source, or that of the only one that a workload has; StudyError, with the
    nearest name, for what is not known.
    """
    known = [*whole_sources(), *sorted(shared_sources())]
    if name is None:
        return known[0] if workload is None else source_of(find_workload(workload))
    if workload is not None:
        raise StudyError(
            f'--source "{name}" and --workload "{workload}" exclude each other: give one of them'
        )
    if name not in known:
        raise StudyError(
            f'--source "{name}" is not known{nearest(name, known)}; accepted: {", ".join(known)}'
        )
    return name


def source_of(workload: Workload) -> str:
    """The name of the only source that a workload reproduces, or a chapter of it; StudyError if it
    has none or several.
    """
    part = workload.part(Reproducing)
    own = [part.SOURCE] if part.SOURCE else []
    own += [part.CHAPTER_OF.name] if part.CHAPTER_OF is not None else []
    given = f'--workload "{workload.name}"'
    if not own:
        able = ", ".join(with_part(Reproducing))
        raise StudyError(f"{given} has no source; workloads that have one: {able}")
    if len(own) > 1:
        raise StudyError(
            f"{given} has several sources: give one of them, --source {' or '.join(own)}"
        )
    return own[0]


def _reproduced(name: str, out: Path, quick: bool, workers: int) -> Reproduction:
    whole = whole_sources().get(name)
    if whole is not None:
        found = whole.reproduce(out, quick, workers)
        return replace(found, record={"source": name, **found.record})
    source = shared_sources()[name]
    chapters = {
        workload: part.chapter(out, quick, workers)
        for workload, part in with_part(Reproducing).items()
        if part.CHAPTER_OF is source
    }
    return join(source, chapters, quick)


def show(claims: Sequence[Claim], notes: Sequence[str], name: str) -> None:
    """Print the claims as a table, and the notes."""
    rows = [[str(c.id), c.title, c.paper, c.ours, c.verdict, marks(c) or "-"] for c in claims]
    title = f"The claims of the source {name}; the reference is a simulator, not hardware"
    print_table(title, ["", "claim", "the source", "here", "holds", "marks"], rows)
    for note in notes:
        message(note)


def marks(claim: Claim) -> str:
    """Whether something was fitted to the claim, whether kept simulations were used, and whether
    it was measured on this computer, or is arithmetic alone.
    """
    words = (
        ("fitted in part", claim.fitted),
        ("kept", claim.kept),
        ("measured here", claim.real and not claim.mixed),
        ("measured here and simulated", claim.mixed),
        ("arithmetic", claim.arithmetic),
    )
    return ", ".join(word for word, holds in words if holds)


def _make_folder(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"the folder {out} cannot be used ({disk_reason(error)})") from error


def _write(path: Path, text: str) -> None:
    try:
        replace_text(path, text)
    except OSError as error:
        raise RunError(f"{path} cannot be written ({disk_reason(error)})") from error
