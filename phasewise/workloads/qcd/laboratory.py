"""Solves and trajectories for planning and comparing."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

from phasewise.driver import load_planner
from phasewise.errors import StudyError
from phasewise.study import Study
from phasewise.study.laboratory import Laboratory
from phasewise.traces.records import CommunicationRecord
from phasewise.workload.grids import grid_of
from phasewise.workloads.qcd.communication import FILE, LAYOUTS, QcdCommunication
from phasewise.workloads.qcd.model import Qcd, model_of

PRESUMED = 100
"""Iterations of a solve that a prediction takes where nobody says how many they are
(core/qcd/turn_pieces.cpp).
"""


def solves_in_a_turn(model: Qcd) -> dict[str, float]:
    """How many solves a turn has, by what the names of their pieces end with: those of the study's
    right-hand sides, which have no name, and those of each monomial.
    """
    found: dict[str, float] = {}
    if model.update is None:
        return {"": float(model.right_sides)} if model.quarks is not None else {}
    if model.measure.pion:
        found[""] = model.right_sides / model.measure.every
    return found | {f"_{name}": float(n) for name, n in solves_of_monomials(model).items()}


def solves_of_monomials(model: Qcd) -> dict[str, int]:
    """The solves of a trajectory by monomial: one for each force, for the action at the start and
    at the end, and one more for the pseudofermions of a ratio of determinants.
    """
    update, names = model.update, model.solving_monomials
    if update is None or not names:
        return {}
    core: Any = load_planner()
    moves = core.qcd_schedule(update.integrator, update.length, list(update.steps))
    forces = Counter(level for level, _ in moves)
    return {name: forces[level] + 2 + int(name != names[-1]) for level, name in enumerate(names)}


def _iterations(model: Qcd, each: int) -> dict[str, float]:
    """The iterations and updates of a turn whose solves take so many iterations each."""
    found: dict[str, float] = {}
    for suffix, solves in solves_in_a_turn(model).items():
        found[f"iteration{suffix}"] = solves * each
        if model.solver.precision == "mixed":
            found[f"update{suffix}"] = solves * math.ceil(each / 10)
    return found


class QcdLaboratory(Laboratory):
    """How it is planned, simulated and compared."""

    WHEN = {
        "links": "once for each configuration",
        "iteration": "once in an iteration",
        "update": "once in an update from double precision",
    }
    PIECES = {
        "links": "configurations",
        "iteration": "iterations",
        "update": "updates",
    }

    def pieces_name(self, piece: str) -> str:
        """The plural of a piece's name, with the monomial whose solves have it."""
        kind, _, monomial = piece.partition("_")
        return super().pieces_name(kind) + _of(monomial)

    def when(self, piece: str) -> str:
        """When a piece occurs, with that monomial."""
        kind, _, monomial = piece.partition("_")
        return super().when(kind) + _of(monomial)

    def iterated(self, model: Qcd, _communication: Any, iterations: int | None) -> dict[str, float]:
        """Iterations of all right-hand sides, and of all solves of a trajectory, with an update for
        every ten in mixed precision; StudyError where the study fixes them. None: as many as it
        fixes.
        """
        fixed = model.solver.iterations
        if iterations is not None and fixed is not None:
            raise StudyError(
                f"--iterations {iterations} and solver.iterations = {fixed} exclude each other: "
                "the study fixes how many there are"
            )
        each = iterations or fixed
        return {} if each is None else _iterations(model, each)

    def presumed(self, study: Study) -> dict[str, float]:
        """The iterations of solves that end at a tolerance."""
        model = model_of(study)
        return {} if model.solver.iterations else _iterations(model, PRESUMED)

    def known_pieces(self, study: Study) -> dict[str, float]:
        """Measurements come after every so many trajectories."""
        model = model_of(study)
        if model.update is None or not (model.measure.flow_steps or model.measure.pion):
            return {}
        share = 1 / model.measure.every
        sides = share * model.right_sides if model.measure.pion else 0.0
        return {"measurement": share, **({"source": sides, "solution": sides} if sides else {})}

    def placed(self, given: QcdCommunication, record: CommunicationRecord) -> QcdCommunication:
        """`given` with the process grid and the layout of a record, and with its places if a file
        gave them, since that file may be gone.
        """
        x, y, z, t = record.process_grid[0]
        found: dict[str, Any] = {"process_grid": grid_of(x, y, z, t), "layout": record.layout}
        file, places = None, tuple[int, ...]()
        if record.layout not in LAYOUTS:
            found["layout"], file = FILE, Path(record.layout)
            steps = (1, x, x * y, x * y * z)
            places = tuple(
                sum(int(at) * step for at, step in zip(place, steps, strict=True))
                for place in record.place
            )
        return given.changed({**found, "layout_file": file, "places": places})

    def check_simulated(self, model: Qcd, skeleton: bool) -> None:
        """StudyError if links come from a file and are needed."""
        if model.gauge.from_files and not skeleton:
            raise StudyError(
                "gauge.file: links from a file cannot be handed to simulated ranks; simulate a "
                "cold or hot start, or only the messages with --skeleton"
            )


def _of(monomial: str) -> str:
    return f" of {monomial}" if monomial else ""
