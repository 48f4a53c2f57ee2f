"""``phasewise plan``: what each phase of a turn will send, counted without a run.

The table has the columns of Table 3 of the source paper, and, for nodes of a given size, those of
its Table 5.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from phasewise.errors import RunError, StudyError
from phasewise.output import console, print_json, print_table
from phasewise.study import Study, load
from phasewise.study.communication import LAYOUTS, grid_value
from phasewise.study.process_grid import check_process_grid

MOST_SIZES = 9
"""Sizes of messages that a cell of the table lists."""

COUNTED = ("messages", "bytes_per_rank", "intra_node", "inter_node")


class Planner(Protocol):
    """The part of `phasewise._core` that plans; it needs no MPI."""

    def plan(
        self, parameters: str, ranks: int, node_size: int = 1, rank: int = -1
    ) -> dict[str, Any]: ...


def load_planner() -> Planner:
    """The compiled module, without starting MPI; RunError where it is not built."""
    try:
        return cast(Planner, import_module("phasewise._core"))
    except ImportError as error:
        raise RunError(
            f"the compiled core cannot be loaded ({error}); build it with make setup"
        ) from error


def main(options: argparse.Namespace) -> int:
    """Plan the study ``options.study`` on ``options.ranks``; the exit status."""
    study = load(options.study, [*options.set, *placement(options)])
    planned = plan(study, options.ranks, options.rank)
    if options.json:
        print_json(planned)
    else:
        show(study, planned, options.rank)
    return 0


def placement(options: argparse.Namespace) -> list[str]:
    """The overrides that --process-grid, --layout and --node-size stand for.

    Two grids are written 2x2,1x3; a layout's file is relative to the working folder.
    """
    overrides = []
    if options.process_grid is not None:
        grids = options.process_grid.split(",")
        value = grids if len(grids) > 1 else grids[0]
        overrides.append(f"communication.process_grid={_toml(value)}")
    if options.layout is not None:
        file = Path(options.layout)
        word = options.layout in LAYOUTS or not file.exists()
        value = options.layout if word else str(file.resolve())
        overrides.append(f"communication.layout={_toml(value)}")
    if options.node_size is not None:
        overrides.append(f"communication.node_size={options.node_size}")
    return overrides


def _toml(value: str | list[str]) -> str:
    # JSON's texts and lists of texts are TOML's too.
    return json.dumps(value, ensure_ascii=False)


def plan(
    study: Study, ranks: int, rank: int | None = None, planner: Planner | None = None
) -> dict[str, Any]:
    """What each phase of a turn sends on so many ranks, shaped as ``plan --json``.

    Of each phase, the numbers are of the rank that sends most messages in it, or of ``rank``;
    a node has ``communication.node_size`` ranks, or one. Sizes are in bytes. Totals leave out what
    the library sends, which cannot be seen, and what is sent only for a new mesh. StudyError where
    the process grid does not suit the ranks.
    """
    check_process_grid(study, ranks)
    if rank is not None and not 0 <= rank < ranks:
        raise StudyError(f"--rank {rank} is not one of the {ranks} ranks, 0 to {ranks - 1}")
    size = study.communication.node_size or 1
    chosen = -1 if rank is None else rank
    try:
        found = (planner or load_planner()).plan(study.parameters(), ranks, size, chosen)
    except ValueError as error:
        raise StudyError(str(error)) from error
    phases = [_phase(phase) for phase in found["phases"]]
    (prow1, pcol1), (prow2, pcol2) = found["process_grid"]
    return {
        "ranks": found["ranks"],
        "process_grid": grid_value(((prow1, pcol1), (prow2, pcol2))),
        "layout": str(study.communication.layout_file or study.communication.layout),
        "node_size": size,
        "phases": phases,
        "totals": _totals(phases),
        "load": found["load"],
    }


def _phase(found: dict[str, Any]) -> dict[str, Any]:
    sizes = sorted(found["sizes"])
    listed = [{"bytes": size, "count": count} for size, count in sizes]
    one = sizes[0][0] if sizes else 0
    return {
        **{key: found[key] for key in ("name", "pattern", "direction", "beam", "library", "per")},
        "rank": found["rank"],
        "messages": found["messages"],
        "bytes": one if len(sizes) < 2 else listed,
        **{key: found[key] for key in COUNTED[1:]},
    }


def _totals(phases: Sequence[dict[str, Any]]) -> dict[str, Any]:
    each_turn = [phase for phase in phases if phase["per"] == "turn"]
    sent = [phase for phase in each_turn if not phase["library"]]
    asked = [phase for phase in each_turn if phase["library"]]
    totals = {key: sum(phase[key] for phase in sent) for key in COUNTED}
    return totals | {
        "library_calls": sum(phase["messages"] for phase in asked),
        "library_bytes": sum(phase["bytes_per_rank"] for phase in asked),
    }


def show(study: Study, planned: dict[str, Any], rank: int | None) -> None:
    """Print a plan as a table, its totals and its load."""
    nodes = planned["node_size"]
    console().print(study.title, markup=False)
    title = (
        f"{planned['ranks']} ranks, process grid {_grid(planned)}, {Path(planned['layout']).name}, "
        f"{nodes} rank{'s' if nodes > 1 else ''} a node"
    )
    columns = ["phase", "pattern", "along", "beam", "bytes × count", "messages", "MB", "in / out"]
    print_table(title, columns, [_row(phase) for phase in planned["phases"]])
    console().print("\n".join(_closing(planned, rank)), markup=False, soft_wrap=True)


def _grid(planned: dict[str, Any]) -> str:
    grid = planned["process_grid"]
    return grid if isinstance(grid, str) else " and ".join(grid)


def _row(phase: dict[str, Any]) -> list[str]:
    mark = ("*" if phase["library"] else "") + ("†" if phase["per"] == "mesh" else "")
    nodes = "–" if phase["library"] else f"{phase['intra_node']} / {phase['inter_node']}"
    return [
        phase["name"] + mark,
        *(phase[key] for key in ("pattern", "direction", "beam")),
        _sizes(phase),
        str(phase["messages"]),
        f"{phase['bytes_per_rank'] / 1e6:.3f}",
        nodes,
    ]


def _sizes(phase: dict[str, Any]) -> str:
    """One size a line."""
    if not phase["messages"]:
        return "–"
    if isinstance(phase["bytes"], int):
        return f"{phase['bytes']} × {phase['messages']}"
    sizes = [f"{size['bytes']} × {size['count']}" for size in phase["bytes"]]
    if len(sizes) > MOST_SIZES:
        sizes[MOST_SIZES - 1 :] = [f"… {len(sizes) - MOST_SIZES + 1} more"]
    return "\n".join(sizes)


def _closing(planned: dict[str, Any], rank: int | None) -> list[str]:
    """The lines below the table."""
    totals, load = planned["totals"], planned["load"]
    whose = "of the rank that sends most in each phase" if rank is None else f"of rank {rank}"
    lines = [
        f"Total {whose}: {totals['messages']} messages and "
        f"{totals['bytes_per_rank'] / 1e6:.1f} MB per turn; in / out: {totals['intra_node']} "
        f"messages in its node and {totals['inter_node']} to others",
        "Load, largest over mean (beam 1, beam 2): "
        + "; ".join(
            f"{name} {load[key][0]:.3f}, {load[key][1]:.3f}"
            for key, name in (("particles", "particles"), ("grid", "grid work"))
        ),
    ]
    if any(phase["library"] for phase in planned["phases"]):
        lines.append(
            f"* by the MPI library: calls and the volume asked for, {totals['library_calls']} and "
            f"{totals['library_bytes'] / 1e6:.4g} MB per turn, not in the total: what it sends "
            "inside cannot be seen"
        )
    if any(phase["per"] == "mesh" for phase in planned["phases"]):
        lines.append("† only when the mesh has changed: not in the total")
    return lines
