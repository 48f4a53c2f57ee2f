"""``phasewise plan``: what each phase of a turn sends, without running it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from phasewise.models.counted import counted
from phasewise.models.plan import KNOWN, plan
from phasewise.options import (
    Parser,
    add_counts,
    add_json,
    add_machine,
    add_placement,
    add_study,
    count,
    machine_override,
    placement,
)
from phasewise.output import console, message, number_of, print_json, print_table
from phasewise.study import Study, load
from phasewise.study.laboratory import load_names, show_planned, when
from phasewise.study.replaying import ranks_of, remarks_on
from phasewise.tuning.automatic import machine_of, settle

MOST_LOADS = 8
"""Most loads that are listed; --json has all."""
MARKS = "†‡§¶"
"""Marks of phases that do not belong to every turn: one for each piece of a turn, in the plan's
order.
"""


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print the plan as JSON")
    add_study(parser)
    parser.add_argument(
        "--ranks", type=count, metavar="N", help="MPI ranks; those of a recorded program's record"
    )
    parser.add_argument(
        "--rank", type=int, metavar="R", help="plan this rank instead of the busiest one"
    )
    add_counts(parser)
    add_placement(parser)
    add_machine(parser)


def main(options: argparse.Namespace) -> int:
    """Plan the study ``options.study`` on ``options.ranks`` and return the exit status."""
    given = load(options.study, [*options.set, *placement(options), *machine_override(options)])
    (options.ranks,) = ranks_of(given, options.ranks and [options.ranks])
    settled = settle(given, options.ranks, machine_of(given))
    study = settled.study
    pieces = counted(study, options.iterations, options.records)
    planned = plan(study, options.ranks, options.rank, pieces=pieces)
    settled.say()
    for remark in remarks_on(study):
        message(remark)
    if options.json:
        print_json(planned)
    else:
        show(study, planned, options.rank)
    return 0


def show(study: Study, planned: dict[str, Any], rank: int | None) -> None:
    """Print a plan as a table, its totals and its load."""
    nodes = planned["node_size"]
    console().print(study.title)
    title = (
        f"{number_of(planned['ranks'], 'rank')}, process grid {_grid(planned)}, "
        f"{Path(planned['layout']).name}, {number_of(nodes, 'rank')} a node"
    )
    labels, unit = labels_of(planned), study.workload.unit.one
    sizes = ["bytes", "messages", "MB", "in / out"]
    columns = ["phase", "pattern", "along", *labels, *sizes]
    marks = _marks(planned, unit)
    rows = [_row(phase, labels, marks.get(phase["per"], "")) for phase in planned["phases"]]
    print_table(title, columns, rows)
    console().print("\n".join(_closing(study, planned, rank)), soft_wrap=True)
    show_planned(study, planned)


def _grid(planned: dict[str, Any]) -> str:
    grid = planned["process_grid"]
    return grid if isinstance(grid, str) else " and ".join(grid)


def labels_of(planned: dict[str, Any]) -> list[str]:
    """The keys that the workload adds to those that every phase has, without those that are 0 in
    all phases.
    """
    found = {
        key: None
        for phase in planned["phases"]
        for key, value in phase.items()
        if key not in KNOWN and value != 0
    }
    return [key for key in found if key != "bytes"]


def _marks(planned: dict[str, Any], unit: str) -> dict[str, str]:
    """The mark of each piece that has a line of its own below the table."""
    pieces = dict.fromkeys(p["per"] for p in planned["phases"] if p["per"] != unit)
    return {piece: MARKS[i % len(MARKS)] * (1 + i // len(MARKS)) for i, piece in enumerate(pieces)}


def _row(phase: dict[str, Any], labels: Sequence[str], piece: str) -> list[str]:
    mark = ("*" if phase["library"] else "") + piece
    nodes = "–" if phase["library"] else f"{phase['intra_node']} / {phase['inter_node']}"
    return [
        phase["name"] + mark,
        *(str(phase.get(key, "–")) for key in ("pattern", "direction", *labels)),
        _sizes(phase),
        str(phase["messages"]),
        f"{phase['bytes_per_rank'] / 1e6:.3f}",
        nodes,
    ]


def _sizes(phase: dict[str, Any]) -> str:
    """The size, or the least and the largest one; --json has each with its count."""
    if not phase["messages"]:
        return "–"
    if isinstance(phase["bytes"], int):
        return str(phase["bytes"])
    sizes = [size["bytes"] for size in phase["bytes"]]
    return f"{sizes[0]}…{sizes[-1]}"


def _load_text(values: Sequence[float]) -> str:
    """A load of each group of ranks, or the range of many."""
    if len(values) > MOST_LOADS:
        return f"{min(values):.3f} to {max(values):.3f}"
    return ", ".join(f"{value:.3f}" for value in values)


def _closing(study: Study, planned: dict[str, Any], rank: int | None) -> list[str]:
    """The lines below the table."""
    totals, load, unit = planned["totals"], planned["load"], study.workload.unit
    one = unit.one
    groups, names = load_names(study)
    among = f" ({groups})" if groups else ""
    whose = "of the rank that sends most in each phase" if rank is None else f"of rank {rank}"
    lines = [
        f"Total {whose}: {totals['messages']:.9g} messages and "
        f"{totals['bytes_per_rank'] / 1e6:.1f} MB per {one}; in / out: "
        f"{totals['intra_node']:.9g} messages in its node and {totals['inter_node']:.9g} to others",
    ]
    if load:
        loads = (f"{names.get(key, key)} {_load_text(values)}" for key, values in load.items())
        lines.append(f"Load, largest over mean{among}: {'; '.join(loads)}")
    if any(phase["library"] for phase in planned["phases"]):
        lines.append(
            f"* done by the MPI library: {totals['library_calls']:.9g} calls for "
            f"{totals['library_bytes'] / 1e6:.4g} MB per {one}, which the total leaves out, since "
            "what the library sends inside them cannot be seen"
        )
    times = {p["per"]: p.get("times") for p in planned["phases"] if p["per"] != one}
    marks = _marks(planned, one)
    return lines + [
        f"{marks[piece]} {when(study, piece)}: "
        + ("not in the total" if count is None else f"{count:g} times in {unit.indefinite}")
        for piece, count in times.items()
    ]
