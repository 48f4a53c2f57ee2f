"""The source paper's Tables 3 and 5, and the same numbers from the plan of its case."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from phasewise.driver import load_planner
from phasewise.models.plan import plan
from phasewise.study import Study
from phasewise.workloads.collision.reproduction.cases import paper_case

RANKS = (32, 64, 128, 256)
NODES = (2, 8, 16)
VARIANTS = ("base", "optimised")

TABLE_5: dict[tuple[int, str], tuple[int, ...]] = {
    (32, "base"): (128, 1792, 896, 1024, 1920, 0),
    (32, "optimised"): (128, 1792, 896, 1024, 1920, 0),
    (64, "base"): (0, 1080, 216, 864, 504, 576),
    (64, "optimised"): (72, 1008, 504, 576, 1080, 0),
    (128, "base"): (0, 660, 44, 616, 132, 528),
    (128, "optimised"): (44, 616, 308, 352, 660, 0),
    (256, "base"): (0, 450, 0, 450, 30, 420),
    (256, "optimised"): (30, 420, 210, 240, 450, 0),
}
"""Messages of phase 3 within and between nodes of 2, 8 and 16 ranks, as printed."""

SIX = {
    "green": "1: Greenf2D",
    "reduce_column": "2a: Guardsum2D",
    "reduce_row": "2b: Guardsum2Drow",
    "solve": "3: Fieldsolver2D",
    "broadcast_row": "4a: Guardexch2Drow",
    "broadcast_column": "4b: Guardexch2D",
}
"""The paper's name of each phase."""


@dataclass(frozen=True)
class Plans:
    """Plans of the paper's case: planned[ranks, variant, node size], as ``phasewise plan`` gives
    them.
    """

    planned: dict[tuple[int, str, int], dict[str, Any]]

    def row_of_table_5(self, ranks: int, variant: str) -> tuple[int, ...]:
        """The planned messages as a row of TABLE_5."""
        found = [self.phase(ranks, variant, "solve", node) for node in NODES]
        return tuple(int(p[key]) for p in found for key in ("intra_node", "inter_node"))

    def phase(self, ranks: int, variant: str, name: str, node: int = 2) -> dict[str, Any]:
        """One phase of a plan; empty if there is none."""
        phases: list[dict[str, Any]] = self.planned[ranks, variant, node]["phases"]
        return next((phase for phase in phases if phase["name"] == name), {})

    def megabytes(self, ranks: int, variant: str) -> float:
        """Volume that the busiest rank sends in a turn."""
        return float(self.planned[ranks, variant, NODES[0]]["totals"]["bytes_per_rank"]) / 1e6

    def crossing_megabytes(self, ranks: int, variant: str) -> float:
        """Volume that a rank sends to the other beam."""
        phases = (self.phase(ranks, variant, name) for name in SIX)
        return sum(float(p["bytes_per_rank"]) for p in phases if p.get("beam") == "other") / 1e6


def study_of(ranks: int, variant: str, layout: str | None = None, node: int = 0) -> Study:
    """The paper's study on a number of ranks, optionally in another layout or for given nodes."""
    study = paper_case("bassi", ranks, variant).study()
    tables = json.loads(json.dumps(study.resolved()))
    tables["communication"]["node_size"] = node
    if layout is not None:
        tables["communication"]["layout"] = layout
    return Study.from_dict(tables)


def make_plans() -> Plans:
    """Every plan that the tables need; nothing is run."""
    return Plans(
        {
            (ranks, variant, node): plan(study_of(ranks, variant, node=node), ranks)
            for ranks in RANKS
            for variant in VARIANTS
            for node in NODES
        }
    )


def traffic(ranks: int, variant: str, layout: str | None = None) -> np.ndarray[Any, Any]:
    """Bytes per turn (R, R) from row to column, of a plan."""
    found: Any = load_planner()
    listed = found.traffic(study_of(ranks, variant, layout).parameters(), ranks)
    matrix = np.zeros((ranks, ranks))
    np.add.at(matrix, (np.asarray(listed["from"]), np.asarray(listed["to"])), listed["bytes"])
    return matrix
