"""``phasewise reproduce``: the source paper's tables, figures and claims on one page.

The reference is a simulator, not hardware; docs/reproduction.md says what is regenerated, and how.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from phasewise.disk import disk_reason, replace_text
from phasewise.errors import RunError
from phasewise.launch import this_machine
from phasewise.machines.smpirun import simulated_tree
from phasewise.output import message, print_json, print_table
from phasewise.progress import duration
from phasewise.report.page import Page, Section, Tile, render
from phasewise.reproduction.claims import Claim
from phasewise.reproduction.figures import make_figures
from phasewise.reproduction.gains import check_claims
from phasewise.reproduction.holdout import points
from phasewise.reproduction.plans import Plans, make_plans, study_of
from phasewise.reproduction.results import FULL, QUICK, Results, gather
from phasewise.reproduction.tables import (
    ABSENT,
    VERDICT,
    claims_table,
    repeated_table,
    table_3,
    table_4,
    table_5,
    whole_study_table,
)

TITLE = "A colliding-beam code's communication on five machines, reproduced"
SUBTITLE = (
    "Shan, Strohmaier, Qiang, Bailey, Yelick, Performance Modeling and Optimization of a High "
    "Energy Colliding Beam Simulation Code (SC 2006): its tables, figures and claims"
)
SIMULATED = (
    "The machines are simulated: wherever the paper measured, the reference here is a simulator "
    "(SimGrid) on platforms made from the paper's Tables 2 and 4, and not hardware."
)
PAGE, CLAIMS, FOLDER = "index.html", "claims.json", "simulations"
MOST_WORKERS = 2
"""Simulations at the same time: each of 256 ranks needs up to a gigabyte."""


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


def summarise(claims: Sequence[Claim], results: Results, quick: bool) -> dict[str, Any]:
    """What ``reproduce --json`` prints."""
    return {
        "reference": "simulator",
        "quick": quick,
        "claims": [claim.to_dict() for claim in claims],
        "holdout": results.whole and results.whole.errors,
        "holdout_date": results.whole and results.whole.date,
        "holdout_repeated": results.repeated,
    }


def make_page(
    plans: Plans, results: Results, claims: Sequence[Claim], out: Path, quick: bool
) -> Page:
    """The page: claims first, then tables and figures; the figures go into `out` as PNG too."""
    figures = make_figures(results, out)
    quickly = "Two machines on up to 64 ranks: claims on others need a run without --quick."
    return Page(
        TITLE,
        SUBTITLE,
        (*_tiles(claims, results),),
        (SIMULATED, quickly) if quick else (SIMULATED,),
        (
            Section("claims", "Claims", (claims_table(claims),)),
            Section(
                "errors",
                "How far predictions are off",
                (whole_study_table(results.whole), repeated_table(results)),
            ),
            Section(
                "tables", "Tables", (table_3(plans), table_4(results.machines), table_5(plans))
            ),
            Section("figures", "Figures", (), tuple(figures)),
        ),
        study_of(256, "base").resolved(),
    )


def _tiles(claims: Sequence[Claim], results: Results) -> list[Tile]:
    looked_at = [claim for claim in claims if claim.holds is not None]
    holding = sum(claim.holds is True for claim in looked_at)
    whole = results.whole
    judged = Tile("hold-out cases", "–", ABSENT)
    if whole is not None:
        judged = Tile("hold-out cases", str(whole.points), f"of {whole.date}, not repeated here")
    return [
        Tile("claims that hold", f"{holding} of {len(looked_at)}", "by the rules on this page"),
        Tile("simulated turns", str(len(results.simulated)), "of the paper's case"),
        judged,
        Tile("of these, repeated", str(points(results.repeated)), "simulated for this page"),
    ]


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
