"""The pages of ``phasewise bench --batch`` and ``--together``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from phasewise.answers.benched import about, conditions_of
from phasewise.machines.targets import this_host
from phasewise.output import Printed, number_of
from phasewise.report.answer import Answer, origin, tables_of
from phasewise.report.benching import Batches, Bench
from phasewise.report.page import Tile
from phasewise.report.rates import draw_shares

TILES = 6
"""Most shares at the top."""


def batches_answer(
    part: Batches, case: str, result: dict[str, Any], printed: Printed, argv: Sequence[str]
) -> Answer:
    """How fast studies are that run at once in one rank. printed: what the command prints."""
    return Answer(
        question=f"How fast are several studies of {part.workload.name} ({case}) that run at once "
        f"in one rank on {this_host()}?",
        answer=part.sentence(result),
        tiles=[],
        pictures=[("batches", "Against the number of studies", lambda: part.draw(result))],
        tables=tables_of(printed),
        conditions=conditions_of([result]) | origin(argv),
        certainty=[*printed.lines, about()],
    )


def copies_answer(
    part: Bench, case: str, result: dict[str, Any], printed: Printed, argv: Sequence[str]
) -> Answer:
    """How much of its speed a run keeps beside its copies."""
    shares: Mapping[str, float] = result["ratio"]
    copies = number_of(result["copies"], "copy", "copies")
    return Answer(
        question=f"How much of its speed does {part.workload.name} ({case}) keep on {this_host()} "
        "where every core runs a copy of it?",
        answer=_kept(shares, copies),
        tiles=[Tile(name, f"{100 * share:.0f} %") for name, share in list(shares.items())[:TILES]],
        pictures=[("shares", "Beside copies", lambda: draw_shares(shares))],
        tables=tables_of(printed),
        conditions={"copies at once": str(result["copies"])}
        | conditions_of([result])
        | origin(argv),
        certainty=[*printed.lines, about()],
    )


def _kept(shares: Mapping[str, float], copies: str) -> str:
    least, most = min(shares.values()), max(shares.values())
    if f"{least:.2f}" == f"{most:.2f}":
        part = f"{100 * least:.0f} %"
    else:
        part = f"{100 * least:.0f} to {100 * most:.0f} %"
    return f"With {copies} at once, each has {part} of the speed that one has alone."
