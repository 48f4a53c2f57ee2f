"""The simulated runs against which the models are judged: about sixty on each of five machines.

They vary everything that a prediction depends on: ranks, process grid, layout, algorithms,
schedule, aggregation, crossing, mesh, slices, field planes. A hash of its number determines a case,
and whether it is for fitting or held out.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from phasewise.driver import load_planner
from phasewise.errors import StudyError
from phasewise.machines import Machine, load_machine
from phasewise.simulated.many import Task
from phasewise.simulated.simulate import Request
from phasewise.study import Study
from phasewise.tables.files import parse, read_text

STUDY = Path(__file__).with_name("paper.toml")
"""The source paper's case and the base of its variants; examples/paper explains it."""

MACHINES = ("seaborg", "bassi", "jacquard", "jaguar", "bluegene-l")
"""The machines of the source paper, in its order."""

PER_MACHINE = 58
MAX_MESSAGES = 250_000
"""Most messages of a simulation: SimGrid takes 20 to 30 s of a core for a million."""

FIT_SHARE = 0.4
"""Share of the cases that the intervals of predictions are fitted to; the others are held out."""

RANKS = (32, 64, 128, 48, 32, 64, 128, 256, 32, 64, 128, 96)
SIZES = ((128, 4), (128, 8), (128, 16), (256, 4), (256, 8), (256, 8), (256, 16))
"""Nodes of the mesh in each direction, and slices."""
LAYOUTS = ("row-first", "row-first", "column-first", "column-first", "random")
ALGORITHMS = (
    *(("mesh", "mesh"), ("mesh", "mesh"), ("hypercube", "hypercube"), ("hypercube", "hypercube")),
    *(("mesh", "hypercube"), ("direct", "direct"), ("node-aware", "node-aware")),
    *(("mpi", "mpi"), ("mpi-allreduce", "mpi-gatherv")),
)
TRANSPOSES = ("pairwise", "pairwise", "ring", "bruck")

CHOICES = (
    *("process_grid", "layout", "reduce", "broadcast", "schedule", "transpose"),
    *("aggregate", "crossing", "padded"),
)
"""Keys of [communication] that a case sets."""

Option = TypeVar("Option")


@dataclass(frozen=True)
class SimulatedCase:
    """One simulated turn: a machine, ranks, and the changes to the source paper's case.

    nodes: nodes of the mesh in each direction. planes: planes of the field for each pair of slices.
    seed: the seed of a random layout.
    """

    machine: str
    ranks: int
    process_grid: str
    layout: str
    reduce: str
    broadcast: str
    schedule: str
    transpose: str
    aggregate: bool
    crossing: str
    nodes: int
    slices: int
    planes: int
    green: str = "every-step"
    luminosity: bool = False
    padded: bool = False
    seed: int = 1

    @property
    def text(self) -> str:
        """All of it in one line."""
        return " ".join(f"{field.name}={getattr(self, field.name)}" for field in fields(self))

    @property
    def held_out(self) -> bool:
        """Whether it judges the models; the others fit the intervals."""
        return _fraction(self.text) >= FIT_SHARE

    def study(self) -> Study:
        """The study of one turn; StudyError if its values contradict each other."""
        tables = paper_tables()
        tables |= {"seed": self.seed}
        tables["ip"]["1"] |= {
            "grid": [self.nodes, self.nodes],
            "slices": self.slices,
            "interpolation": "none" if self.planes == 1 else "linear",
            "green_function": self.green,
            "luminosity": self.luminosity,
        }
        tables["communication"] = {name: getattr(self, name) for name in CHOICES}
        return Study.from_dict(tables)

    def task(self, twin: str = "full", computation: bool = True) -> Task:
        """The simulation of a whole turn, without contents. computation: whether it takes time,
        which the source paper's models leave out.
        """
        machine = load_machine(self.machine)
        request = Request(machine, self.ranks, twin, skeleton=True, computation=computation)
        return Task(self.study(), request)


def paper_tables() -> dict[str, Any]:
    """The source paper's case, one turn of it, with the default communication."""
    tables = parse(read_text(STUDY), str(STUDY))
    del tables["communication"]
    changes = {"title": "the source paper's case", "turns": 1, "records": {"moments_order": 2}}
    return tables | changes


def paper_case(machine: str, ranks: int, variant: str) -> SimulatedCase:
    """The source paper's case: `variant` base, optimised, aggregated or hypercube.

    Columns have 16 processes on up to 256 ranks; on more there are 8 columns (section 5 of the
    paper).
    """
    rows = 16 if ranks <= 256 else ranks // 16
    base = variant == "base"
    algorithm = "hypercube" if variant == "hypercube" else "mesh"
    return SimulatedCase(
        machine=machine,
        ranks=ranks,
        process_grid=f"{ranks // 2 // rows}x{rows}",
        layout="row-first" if base else "column-first",
        reduce=algorithm,
        broadcast=algorithm,
        schedule="ring",
        transpose="pairwise",
        aggregate=variant in ("aggregated", "hypercube"),
        crossing="4b" if base else "4a",
        nodes=256,
        slices=8,
        planes=1,
        padded=True,
    )


@cache
def simulated_cases(machine: str) -> tuple[SimulatedCase, ...]:
    """The cases of a machine, always the same: some of the paper's, then others by a hash."""
    chosen = [
        paper_case(machine, ranks, variant)
        for ranks in (32, 64)
        for variant in ("base", "optimised", "hypercube")
    ]
    found = load_machine(machine)
    while len(chosen) < PER_MACHINE:
        ranks = RANKS[len(chosen) % len(RANKS)]
        drawn = (_drawn(found, ranks, f"{len(chosen)} {trial}") for trial in count())
        chosen.append(next(one for one in drawn if one not in chosen and _bearable(one)))
    return tuple(chosen)


def _drawn(machine: Machine, ranks: int, number: str) -> SimulatedCase:
    """The case of a number; not every one is valid."""

    def pick(name: str, options: Sequence[Option]) -> Option:
        return options[int(_fraction(f"{machine.name} {number} {name}") * len(options))]

    nodes, slices = pick("size", SIZES)
    layout = pick("layout", LAYOUTS)
    # With one rank per node the node-aware algorithms do not apply.
    algorithms = [pair for pair in ALGORITHMS if machine.node_ranks > 1 or "node" not in pair[0]]
    reduce, broadcast = pick("algorithms", algorithms)
    return SimulatedCase(
        machine=machine.name,
        ranks=ranks,
        process_grid=pick("process grid", list(_grids(ranks // 2, slices))),
        layout=layout,
        reduce=reduce,
        broadcast=broadcast,
        schedule=pick("schedule", ("ring", "pairwise")),
        transpose=pick("transpose", TRANSPOSES),
        aggregate=pick("aggregate", (True, True, False)),
        crossing=pick("crossing", ("4a", "4a", "4b")),
        nodes=nodes,
        slices=slices,
        planes=pick("planes", (1, 1, 2)),
        green=pick("green", ("every-step", "as-needed")),
        luminosity=pick("luminosity", (False, True)),
        seed=pick("seed", range(1, 1001)) if layout == "random" else 1,
    )


def _grids(ranks: int, slices: int) -> Iterator[str]:
    """Process grids of a beam, with no more columns than slices and at least two ranks in a
    column.
    """
    for columns in range(1, min(slices, ranks // 2) + 1):
        if ranks % columns == 0:
            yield f"{columns}x{ranks // columns}"


def _bearable(sample: SimulatedCase) -> bool:
    """Whether it is valid, and has no more messages than can be simulated in a few seconds."""
    try:
        study = sample.study()
        study.check_ranks(sample.ranks)
    except StudyError:
        return False
    return messages(study, sample) <= MAX_MESSAGES


def messages(study: Study, sample: SimulatedCase) -> float:
    """Approximate number of messages of all ranks in a turn: those of the busiest rank times the
    ranks.

    A library call counts as the messages of a ring, or of a tree over all ranks.
    """
    columns, rows = map(int, sample.process_grid.split("x"))
    tree = 2 * math.log2(sample.ranks)
    of_call = {"column": rows, "row": columns, "beam": rows * columns}
    planned = load_planner().plan(study.parameters(), sample.ranks)["phases"]
    each = (
        float(phase["messages"] * of_call.get(phase["direction"], tree))
        if phase["library"]
        else float(phase["messages"])
        for phase in planned
    )
    return sample.ranks * sum(each)


def _fraction(text: str) -> float:
    """A number from 0 to 1 from a hash that is the same everywhere."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") / 2.0**48
