"""``phasewise plan``: what each phase of a turn sends, without running it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from phasewise.models.plan import plan
from phasewise.options import Parser, add_json, add_placement, add_study, count, placement
from phasewise.output import console, print_json, print_table
from phasewise.study import Study, load

MOST_SIZES = 9
"""Sizes of messages that a cell of the table lists."""


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print the plan as JSON")
    add_study(parser)
    parser.add_argument("--ranks", type=count, required=True, metavar="N", help="MPI ranks")
    parser.add_argument("--rank", type=int, metavar="R", help="of this rank, not the busiest")
    add_placement(parser)


def main(options: argparse.Namespace) -> int:
    """Plan the study ``options.study`` on ``options.ranks``; the exit status."""
    study = load(options.study, [*options.set, *placement(options)])
    planned = plan(study, options.ranks, options.rank)
    if options.json:
        print_json(planned)
    else:
        show(study, planned, options.rank)
    return 0


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
