"""The ways to divide the ranks and to exchange that a tuner compares. They are distinct, and valid
for the study and the ranks.

`candidates` is the product of the keys that matter most (process grid, layout, algorithms, place of
the crossing), without duplicates that send the same messages, plus the minor keys one at a time
around the usual best. `neighbours` changes one minor key of a candidate, phase by phase.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, cast

from phasewise.driver import load_planner
from phasewise.errors import StudyError
from phasewise.machines import Machine
from phasewise.study import Study
from phasewise.tuning.candidates import Tuning, node_levels
from phasewise.workloads.collision.tables.communication import (
    AT_ONCE,
    TRANSPOSES,
    BeamCommunication,
    Shape,
    grid_value,
)
from phasewise.workloads.collision.tables.model import collision_of
from phasewise.workloads.collision.tables.process_grid import halves, rooms
from phasewise.workloads.collision.tables.read_communication import build_communication

PAIRS = (
    ("hypercube", "hypercube"),
    ("mesh", "mesh"),
    ("hypercube", "mesh"),
    ("mesh", "hypercube"),
    ("direct", "direct"),
    ("node-aware", "node-aware"),
    ("hypercube", "node-aware"),
)
"""Algorithms of reduce and of broadcast."""

PROMISING = tuple(PAIRS[index] for index in (0, 5, 4, 1, 2, 3, 6))
"""The same algorithms, beginning with those that are best most often."""

LESSER: tuple[dict[str, Any], ...] = (
    {"transpose": "bruck"},
    {"transpose": "ring"},
    {"transpose": "alltoallw"},
    {"overlap": True},
    {"aggregate": False},
    {"reduce": "mpi", "broadcast": "mpi"},
    {"reduce": "mesh", "broadcast": "mesh", "schedule": "pairwise"},
)
"""Values that are tried one at a time around the usual best of each process grid and layout."""

SAMPLED_FROM = 64
"""Number of ranks from which on some of a turn's steps stand for all."""
SAMPLED_STEPS = 4

HEADS = ("process grid, layout", "reduce, broadcast", "other keys")
"""Heads of a candidate's columns in a table."""

IN_PHASE = ("direct", "hypercube", "node-aware", "mpi")

Shapes = tuple[Shape, Shape]


@dataclass(frozen=True)
class Candidate:
    """One choice of [communication]; the keys are those of docs/communication.md.

    shapes: of beams 1 and 2, None for one rank. phases: (name, key, value) of single phases.
    """

    shapes: Shapes | None
    layout: str = "column-first"
    reduce: str = "hypercube"
    broadcast: str = "hypercube"
    schedule: str = "ring"
    transpose: str = "pairwise"
    aggregate: bool = True
    crossing: str = "4a"
    overlap: bool = False
    phases: tuple[tuple[str, str, Any], ...] = ()

    def communication(self) -> dict[str, Any]:
        """The table [communication] of a study, without keys that no candidate varies."""
        table: dict[str, Any] = {"process_grid": grid_value(self.shapes)}
        table |= {key: value for key, value in vars(self).items() if key in KEYS}
        phases: dict[str, dict[str, Any]] = {}
        for name, key, value in self.phases:
            phases.setdefault(name, {})[key] = value
        return table | ({"phase": phases} if phases else {})

    def apply(self, study: Study) -> Study:
        """`study` with this choice; ranks of a node and machine stay as the study has them."""
        kept = {key: getattr(study.communication, key) for key in ("node_size", "machine")}
        table = self.communication() | kept
        return replace(study, communication=build_communication(table, Path()))

    def replaces(self, study: Study) -> list[str]:
        """Keys of [communication] that `study` has set, and that `apply` sets otherwise."""
        given, chosen, usual = (
            _flat(entry.resolved())
            for entry in (
                study.communication,
                self.apply(study).communication,
                build_communication({}, Path()),
            )
        )
        return [k for k, v in given.items() if v not in (usual.get(k), chosen.get(k))]

    @property
    def design(self) -> tuple[object, ...]:
        """The main keys: candidates with the same ones differ in minor keys only."""
        return (*self.place, self.reduce, self.broadcast)

    @property
    def place(self) -> tuple[object, ...]:
        """Process grid and layout."""
        return (self.shapes, self.layout)

    @property
    def kind(self) -> tuple[object, ...]:
        """Candidates are of one kind if they have the same place: all other keys decide which
        messages are sent.
        """
        return self.place

    def columns(self) -> tuple[str, str, str]:
        """The cells of a table under `HEADS`."""
        grid = grid_value(self.shapes)
        both = self.reduce if self.reduce == self.broadcast else f"{self.reduce}, {self.broadcast}"
        text = grid if isinstance(grid, str) else ",".join(grid)
        return f"{text} {self.layout}", both, self._others()

    def _others(self) -> str:
        """The minor keys that differ from their usual values."""
        usual = Candidate(None)
        names = ("crossing", "transpose", "schedule", "aggregate", "overlap")
        changed = [n for n in names if getattr(self, n) != getattr(usual, n)]
        words = [f"{name}={str(getattr(self, name)).lower()}" for name in changed]
        return ", ".join([*words, *(f"{n}.{k}={str(v).lower()}" for n, k, v in self.phases)])

    def with_phase(self, name: str, key: str, value: Any) -> Candidate:
        """The candidate with `key` of one phase set."""
        others = [entry for entry in self.phases if entry[:2] != (name, key)]
        return replace(self, phases=tuple(sorted([*others, (name, key, value)])))

    def phase_value(self, name: str, key: str) -> Any:
        """The value of `key` in one phase, whether set there or for all phases."""
        for phase, own, value in self.phases:
            if (phase, own) == (name, key):
                return value
        if key != "algorithm":
            return getattr(self, key)
        what = name.partition("_")[0]
        algorithm = self.transpose if what in ("green", "solve") else getattr(self, what)
        return "direct" if algorithm == "mesh" else algorithm


KEYS = ("layout", *BeamCommunication.ALGORITHMS)
"""Fields that stand in a study as they are."""


def _flat(table: dict[str, Any]) -> dict[str, Any]:
    """`table` of [communication], the keys of single phases under dotted names."""
    phases = table.get("phase", {})
    found = {key: value for key, value in table.items() if key != "phase"}
    return found | {f"phase.{n}.{k}": v for n, keys in phases.items() for k, v in keys.items()}


def valid_shapes(study: Study, ranks: int) -> list[Shapes | None]:
    """Every process grid for the ranks, by rising columns; both beams have the same.

    With an odd number of ranks, or more slices in one beam, the other beam has the grid of as many
    columns, or of most below.
    """
    if ranks == 1:
        return [None]
    parts, room = halves(ranks), rooms(collision_of(study))
    lead = 0 if room[0].slices >= room[1].slices else 1
    first, second = parts[lead], parts[1 - lead]
    found: list[Shapes | None] = []
    for columns in range(1, first + 1):
        if first % columns == 0:
            most = min(columns, room[1 - lead].slices)
            other = max(n for n in range(1, most + 1) if second % n == 0)
            own, theirs = (columns, first // columns), (other, second // other)
            shapes = (own, theirs) if lead == 0 else (theirs, own)
            if _fits(study, shapes, ranks):
                found.append(shapes)
    if not found:
        # Raises the error that names the accepted numbers of ranks.
        Candidate(None).apply(study).check_ranks(ranks)
        raise StudyError(f"no process grid suits {ranks} ranks")
    return found


def _fits(study: Study, shapes: Shapes, ranks: int) -> bool:
    try:
        Candidate(shapes).apply(study).check_ranks(ranks)
    except StudyError:
        return False
    return True


def exchanges(study: Study) -> bool:
    """Whether a study has a mesh, which is what the candidates' phases exchange."""
    return bool(collision_of(study).meshes)


def _main(grids: Iterable[Shapes | None], levels: bool) -> Iterator[Candidate]:
    for shapes, layout, pair, crossing in product(
        grids, ("row-first", "column-first"), PAIRS, ("4a", "4b")
    ):
        candidate = Candidate(shapes, layout, *pair, crossing=crossing)
        if layout in _layouts(shapes) and _differs(candidate, levels):
            yield candidate


def _around(base: Candidate, study: Study) -> Iterator[Candidate]:
    transposes, several = _transposes(base), _several_pairs(base, study)
    alone = not transposes and not _columns(base)
    needs = {"transpose": transposes, "overlap": several, "aggregate": several, "reduce": not alone}
    for change in LESSER:
        if all(needs.get(key, True) for key in change):
            yield replace(base, **change)


def _several_pairs(candidate: Candidate, study: Study) -> bool:
    """Whether a column has more than one pair of slices in some step, to send or to overlap."""
    most = max((min(ip.slices) for ip in collision_of(study).meshes), default=0)
    return candidate.shapes is not None and any(prow < most for prow, _ in candidate.shapes)


def _columns(candidate: Candidate) -> bool:
    return candidate.shapes is not None and any(prow > 1 for prow, _ in candidate.shapes)


def _transposes(candidate: Candidate) -> bool:
    return candidate.shapes is not None and any(pcol > 1 for _, pcol in candidate.shapes)


def _layouts(shapes: Shapes | None) -> tuple[str, ...]:
    """Row-first is column-first where a beam has a single column, or columns of one process."""
    two_ways = Candidate(shapes)
    both = _columns(two_ways) and _transposes(two_ways)
    return ("row-first", "column-first") if both else ("column-first",)


def _differs(candidate: Candidate, levels: bool) -> bool:
    """Whether no earlier candidate sends the same messages."""
    pair = (candidate.reduce, candidate.broadcast)
    both_ways = _columns(candidate) and _transposes(candidate)
    if not _columns(candidate) and not _transposes(candidate):
        return pair == PAIRS[0] and candidate.crossing == "4a"  # one process a beam
    if "node-aware" in pair and not levels:
        return False
    if "direct" in pair and not both_ways:
        return False  # the mesh is direct within the only column or row
    return candidate.crossing == "4a" or crossing_matters(candidate)


def crossing_matters(candidate: Candidate) -> bool:
    """Whether phases 4a and 4b send different messages, so that there are two to choose from."""
    if candidate.broadcast in AT_ONCE:
        return False
    return candidate.broadcast == "mesh" or (_columns(candidate) and _transposes(candidate))


def phase_names(candidate: Candidate) -> list[str]:
    """Phases that send messages between the processes of a beam, and can be set by themselves."""
    columns, transposes = _columns(candidate), _transposes(candidate)
    names = ["green", "solve"] if transposes else []
    for what in ("reduce", "broadcast"):
        if getattr(candidate, what) in AT_ONCE:
            names.append(what)
        else:
            names += [f"{what}_column"] if transposes else []
            names += [f"{what}_row"] if columns else []
    return names


def _algorithms(name: str, levels: bool) -> tuple[str, ...]:
    if name in ("green", "solve"):
        return TRANSPOSES
    if name in ("reduce", "broadcast"):
        return AT_ONCE if levels else ("direct",)
    return tuple(word for word in IN_PHASE if levels or word != "node-aware")


def _other_values(
    candidate: Candidate, name: str, key: str, values: Iterable[Any]
) -> list[Candidate]:
    now = candidate.phase_value(name, key)
    return [candidate.with_phase(name, key, value) for value in values if value != now]


class CollisionTuning(Tuning):
    """What tuners compare."""

    def candidates(self, study: Study, ranks: int, machine: Machine) -> list[Candidate]:
        """The first stage of a search, in an order that is always the same; at least one.

        For the paper's case and 64 ranks there are more than 100. StudyError if no process grid
        suits the ranks.
        """
        grids = valid_shapes(study, ranks)
        if not exchanges(study) or ranks == 1:
            return [Candidate(shapes) for shapes in grids[:1]]
        found = dict.fromkeys(_main(grids, node_levels(machine, ranks)))
        for shapes, layout in product(grids, ("row-first", "column-first")):
            if layout in _layouts(shapes):
                found |= dict.fromkeys(_around(Candidate(shapes, layout), study))
        if ranks > 2:
            found[Candidate(grids[-1], "random")] = None
        return list(found)

    def open_grids(self, study: Study, ranks: int) -> list[dict[str, Any]]:
        """Process grids for "auto": the core's default, then those with most columns; none where no
        phase exchanges anything, or where the default gives the interaction points different grids.
        """
        if not exchanges(study):
            return []
        usual = load_planner().plan(study.parameters(), ranks, 1, 0)["process_grid"]
        first, second = ((prow, pcol) for prow, pcol in usual)
        if not _fits(study, (first, second), ranks):
            return []
        grids = dict.fromkeys([(first, second), *reversed(valid_shapes(study, ranks))])
        return [{"process_grid": shapes} for shapes in grids]

    def open_variants(
        self, study: Study, grid: Mapping[str, Any], levels: bool
    ) -> list[dict[str, Any]]:
        """Layouts and algorithms that send different messages; phases that are set by themselves
        keep their algorithms.
        """
        single = bool(cast(BeamCommunication, study.communication).phases)
        pairs = PAIRS[:1] if single else PROMISING
        shapes = grid["process_grid"]
        found = (
            Candidate(shapes, layout, *pair)
            for pair, layout in product(pairs, reversed(_layouts(shapes)))
        )
        keys = ("layout",) if single else ("layout", "reduce", "broadcast")
        return [{key: getattr(one, key) for key in keys} for one in found if _differs(one, levels)]

    def neighbours(
        self, candidate: Candidate, study: Study, levels: bool
    ) -> Iterator[list[Candidate]]:
        """The candidates that differ in one minor key, key by key; levels: see `node_levels`."""
        several = _several_pairs(candidate, study)
        for name in phase_names(candidate):
            yield _other_values(candidate, name, "algorithm", _algorithms(name, levels))
            if several and name != "green":
                yield _other_values(candidate, name, "aggregate", (True, False))
        for name in phase_names(candidate):
            if (
                name not in ("green", "solve")
                and candidate.phase_value(name, "algorithm") == "direct"
            ):
                yield _other_values(candidate, name, "schedule", ("ring", "pairwise"))
        if crossing_matters(candidate):
            yield [replace(candidate, crossing="4b" if candidate.crossing == "4a" else "4a")]
        if several:
            yield [replace(candidate, overlap=not candidate.overlap)]

    def heads(self, _study: Study) -> tuple[str, ...]:
        """The heads of a candidate's columns."""
        return HEADS

    def sampled_steps(self, study: Study, ranks: int) -> list[int] | None:
        """How many of how many steps a simulated turn has, such as [4, 15]; None if it has all."""
        points = [ip.steps for ip in collision_of(study).meshes]
        if ranks < SAMPLED_FROM or not points or min(points) <= SAMPLED_STEPS:
            return None
        return [SAMPLED_STEPS, max(points)]
