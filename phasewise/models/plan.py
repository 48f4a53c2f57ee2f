"""``phasewise plan``: what each phase of a turn will send, counted without a run.

The table has the columns of Table 3 of the source paper, and, for nodes of a given size, those of
its Table 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phasewise.driver import Planner, load_planner
from phasewise.errors import StudyError
from phasewise.study import Study
from phasewise.study.laboratory import Pieces, grid_names, planned

COUNTED = ("messages", "bytes_per_rank", "intra_node", "inter_node")

KNOWN = (
    "name",
    "pattern",
    "direction",
    "main",
    "colour",
    "library",
    "per",
    "piece",
    "times",
    "rank",
    "sizes",
    *COUNTED,
)
"""The keys that a phase of any workload may have; every other key is a label of its workload."""

EACH_TURN = "turn"
"""What the core calls a phase that comes in every turn, whatever the workload calls its turns."""


def plan(
    study: Study,
    ranks: int,
    rank: int | None = None,
    planner: Planner | None = None,
    pieces: Pieces | None = None,
) -> dict[str, Any]:
    """What each phase of a turn sends on a number of ranks, shaped as ``plan --json``.

    Each phase's numbers are those of the rank that sends most messages in it, or of ``rank``; a
    node has ``communication.node_size`` ranks, or one. Sizes are in bytes. Totals leave out what
    the library sends inside its calls, which is unknown. They count the messages of data-dependent
    pieces only if `pieces` says how often these come in a turn; their phases then have that number
    as `times`. A workload may add entries of its own (`Laboratory.planned`). StudyError if the
    process grid does not suit the ranks.
    """
    study.check_ranks(ranks)
    if rank is not None and not 0 <= rank < ranks:
        raise StudyError(f"--rank {rank} is not one of the {ranks} ranks, 0 to {ranks - 1}")
    size = study.communication.node_ranks or 1
    chosen = -1 if rank is None else rank
    try:
        found = (planner or load_planner()).plan(study.parameters(), ranks, size, chosen)
    except ValueError as error:
        raise StudyError(str(error)) from error
    unit = study.workload.unit.one
    phases = [_phase(phase, unit, pieces or {}) for phase in found["phases"]]
    grids = grid_names(found["process_grid"])
    result = {
        "ranks": found["ranks"],
        "process_grid": grids[0] if len(grids) == 1 else grids,
        "layout": study.communication.layout_text,
        "node_size": size,
        "phases": phases,
        "totals": _totals(phases, unit),
        "load": found["load"],
    }
    return {**result, **planned(study, result)}


def _phase(found: dict[str, Any], unit: str, pieces: Pieces) -> dict[str, Any]:
    sizes = sorted(found["sizes"])
    listed = [{"bytes": size, "count": count} for size, count in sizes]
    one = sizes[0][0] if sizes else 0
    return {
        **{key: found[key] for key in ("name", "pattern", "direction")},
        **{key: value for key, value in found.items() if key not in KNOWN},
        "library": found["library"],
        "per": unit if found["per"] == EACH_TURN else found["per"],
        **({"piece": found["piece"]} if "piece" in found else {}),
        **({"times": pieces[found["piece"]]} if found.get("piece") in pieces else {}),
        "rank": found["rank"],
        "messages": found["messages"],
        "bytes": one if len(sizes) < 2 else listed,
        **{key: found[key] for key in COUNTED[1:]},
        "synchronisations": found["synchronisations"],
    }


def _totals(phases: Sequence[dict[str, Any]], unit: str) -> dict[str, Any]:
    known = [phase for phase in phases if phase["per"] == unit or "times" in phase]
    sent = [phase for phase in known if not phase["library"]]
    asked = [phase for phase in known if phase["library"]]
    totals = {key: _sum(sent, key) for key in COUNTED}
    return totals | {
        "library_calls": _sum(asked, "messages"),
        "library_bytes": _sum(asked, "bytes_per_rank"),
    }


def _sum(phases: Sequence[dict[str, Any]], key: str) -> int | float:
    """The sum over a turn: a whole number, unless a mean number of pieces is a fraction."""
    found = sum(phase.get("times", 1) * phase[key] for phase in phases)
    return int(found) if found == int(found) else found
