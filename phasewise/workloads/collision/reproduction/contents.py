"""``phasewise reproduce``: the source paper's tables, figures and claims on one page.

The reference is a simulator, not hardware; docs/reproduction.md says what is regenerated, and how.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from phasewise.report.page import Page, Section, Tile
from phasewise.reproduction.claim import Claim
from phasewise.workloads.collision.reproduction.figures import make_figures
from phasewise.workloads.collision.reproduction.holdout import points
from phasewise.workloads.collision.reproduction.plans import Plans, study_of
from phasewise.workloads.collision.reproduction.results import PaperResults
from phasewise.workloads.collision.reproduction.tables import (
    ABSENT,
    claims_table,
    compared_table,
    models_table,
    repeated_table,
    sensitivity_table,
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


def summarise(claims: Sequence[Claim], results: PaperResults, quick: bool) -> dict[str, Any]:
    """What ``reproduce --json`` prints."""
    return {
        "reference": "simulator",
        "quick": quick,
        "kept": results.kept or None,
        "claims": [claim.to_dict() for claim in claims],
        "compared": [asdict(one) | {"same": one.same} for one in results.compared],
        "sensitivity": [asdict(one) for one in results.sensitivity],
        "holdout": results.whole and results.whole.errors,
        "holdout_date": results.whole and results.whole.date,
        "holdout_repeated": results.repeated,
    }


def make_page(plans: Plans, results: PaperResults, claims: Sequence[Claim], out: Path) -> Page:
    """The page: claims first, then tables and figures; the figures go into `out` as PNG too."""
    figures = make_figures(results, out)
    compared = (compared_table(results),) if results.compared else ()
    return Page(
        TITLE,
        SUBTITLE,
        (*_tiles(claims, results),),
        (SIMULATED, *notes_on(results)),
        (
            Section(
                "claims", "Claims", (claims_table(claims), sensitivity_table(results), *compared)
            ),
            Section(
                "errors",
                "How far predictions are off",
                (
                    models_table(results),
                    whole_study_table(results.whole),
                    repeated_table(results),
                ),
            ),
            Section(
                "tables", "Tables", (table_3(plans), table_4(results.machines), table_5(plans))
            ),
            Section("figures", "Figures", (), tuple(figures)),
        ),
        study_of(256, "base").resolved(),
    )


def notes_on(results: PaperResults) -> tuple[str, ...]:
    """Sentences on kept simulations."""
    if not results.kept:
        return ()
    kept = (
        "Simulated times and curves were not made for this page: they were made on "
        f"{results.kept} and come with phasewise. Without --quick all are made anew."
    )
    other = [one for one in results.compared if not one.same]
    if not other:
        return (kept,)
    names = ", ".join(f"{one.run.machine} on {one.run.ranks} ranks" for one in other)
    return (kept, f"Made again, {names} differs from what was kept: run without --quick.")


def _tiles(claims: Sequence[Claim], results: PaperResults) -> list[Tile]:
    looked_at = [claim for claim in claims if claim.holds is not None]
    holding = sum(claim.holds is True for claim in looked_at)
    whole = results.whole
    judged = Tile("hold-out cases", "–", ABSENT)
    if whole is not None:
        judged = Tile("hold-out cases", str(whole.points), f"of {whole.date}, not repeated here")
    return [
        Tile("claims that hold", f"{holding} of {len(looked_at)}", "by the rules on this page"),
        Tile(
            "simulated turns",
            str(len(results.simulated)),
            f"of the paper's case{f', kept of {results.kept}' if results.kept else ''}",
        ),
        judged,
        Tile("of these, repeated", str(points(results.repeated)), "simulated for this page"),
    ]
