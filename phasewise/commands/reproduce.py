"""``phasewise reproduce``: a source paper's tables, figures and claims, regenerated.

The part `reproducing` of the paper's workload has `reproduce(out, quick, workers)`, which returns a
`Reproduction`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from phasewise.errors import RunError
from phasewise.machines.smpirun import simulated_tree
from phasewise.mpi.launch import this_machine
from phasewise.mpi.progress import duration
from phasewise.options import Parser, add_json
from phasewise.output import message, print_json, print_table
from phasewise.report.page import render
from phasewise.reproduction.claim import VERDICT, Claim, Reproduction
from phasewise.runs.disk import disk_reason, replace_text
from phasewise.workloads.discovery import with_part

PAGE, CLAIMS = "index.html", "claims.json"
MAX_WORKERS = 2
"""Simulations at the same time: each of 256 ranks needs up to a gigabyte."""


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print claims and errors as JSON")
    parser.add_argument(
        "--quick", action="store_true", help="with kept simulations, under two minutes"
    )
    parser.add_argument("--out", metavar="DIR", default="reproduced", help="folder for the page")


def main(options: argparse.Namespace) -> int:
    """Regenerate everything into the folder ``options.out``; the exit status."""
    out, started = Path(options.out), time.monotonic()
    simulated_tree()
    _make_folder(out)
    workers = min(this_machine().cores, MAX_WORKERS)
    found: Reproduction = _part().reproduce(out, options.quick, workers)
    _write(out / CLAIMS, json.dumps(found.record, indent=2, ensure_ascii=False) + "\n")
    _write(out / PAGE, render(found.page))
    message(f"the page is {out / PAGE}, after {duration(time.monotonic() - started)}")
    if options.json:
        print_json(found.record)
    else:
        show(found.claims, found.notes)
    return 0


def _part() -> Any:
    """The part `reproducing` of the first workload that has one."""
    own = next(iter(with_part("reproducing").values()))
    return own.part("reproducing")


def show(claims: Sequence[Claim], notes: Sequence[str]) -> None:
    """Print the claims as a table, and the notes."""
    rows = [
        [str(c.id), c.title, c.paper, c.ours, VERDICT[c.holds], marks(c) or "-"] for c in claims
    ]
    title = "The source paper's claims; the reference is a simulator, not hardware"
    print_table(title, ["", "claim", "the paper", "here", "holds", "marks"], rows)
    for note in notes:
        message(note)


def marks(claim: Claim) -> str:
    """Whether something was fitted to the claim, and whether kept simulations were used."""
    words = (("fitted in part", claim.fitted), ("kept", claim.kept))
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
