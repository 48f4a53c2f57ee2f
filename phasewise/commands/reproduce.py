"""``phasewise reproduce``: the source paper's tables, figures and claims, regenerated."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path

from phasewise.errors import RunError
from phasewise.machines.smpirun import simulated_tree
from phasewise.mpi.launch import this_machine
from phasewise.mpi.progress import duration
from phasewise.options import Parser, add_json
from phasewise.output import message, print_json, print_table
from phasewise.report.page import render
from phasewise.reproduction.claims import Claim
from phasewise.reproduction.contents import make_page, summarise
from phasewise.reproduction.gains import check_claims
from phasewise.reproduction.plans import make_plans
from phasewise.reproduction.results import FULL, QUICK, gather
from phasewise.reproduction.tables import (
    VERDICT,
)
from phasewise.runs.disk import disk_reason, replace_text

PAGE, CLAIMS, FOLDER = "index.html", "claims.json", "simulations"
MOST_WORKERS = 2
"""Simulations at the same time: each of 256 ranks needs up to a gigabyte."""


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print claims and errors as JSON")
    parser.add_argument("--quick", action="store_true", help="fewer ranks, under two minutes")
    parser.add_argument("--out", metavar="DIR", default="reproduced", help="folder for the page")


def main(options: argparse.Namespace) -> int:
    """Regenerate everything into the folder ``options.out``; the exit status."""
    out, started = Path(options.out), time.monotonic()
    simulated_tree()
    _make_folder(out)
    plans = make_plans()
    extent = QUICK if options.quick else FULL
    results = gather(extent, out / FOLDER, min(this_machine().cores, MOST_WORKERS))
    claims = check_claims(plans, results)
    record = summarise(claims, results, options.quick)
    _write(out / CLAIMS, json.dumps(record, indent=2, ensure_ascii=False) + "\n")
    _write(out / PAGE, render(make_page(plans, results, claims, out, options.quick)))
    message(f"the page is {out / PAGE}, after {duration(time.monotonic() - started)}")
    if options.json:
        print_json(record)
    else:
        show(claims)
    return 0


def show(claims: Sequence[Claim]) -> None:
    """Print the claims as a table."""
    rows = [[str(c.id), c.title, c.paper, c.ours, VERDICT[c.holds]] for c in claims]
    title = "The source paper's claims; the reference is a simulator, not hardware"
    print_table(title, ["", "claim", "the paper", "here", "holds"], rows)


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
