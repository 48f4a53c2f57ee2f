"""Solves for planning and comparing."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError
from phasewise.study.laboratory import Laboratory
from phasewise.traces.records import CommunicationRecord
from phasewise.workload.grids import grid_of
from phasewise.workloads.qcd.communication import FILE, LAYOUTS, QcdCommunication
from phasewise.workloads.qcd.model import Qcd


class QcdLaboratory(Laboratory):
    """How it is planned, simulated and compared."""

    WHEN = {
        "links": "once for each configuration",
        "iteration": "once in an iteration",
        "update": "once in an update from double precision",
    }
    PIECES = {"links": "configurations", "iteration": "iterations", "update": "updates"}

    def iterated(self, model: Qcd, _communication: Any, iterations: int | None) -> dict[str, float]:
        """Iterations of all right-hand sides, with an update for every ten in mixed precision;
        StudyError where the study fixes them. None: as many as it fixes.
        """
        fixed = model.solver.iterations
        if iterations is not None and fixed is not None:
            raise StudyError(
                f"--iterations {iterations} and solver.iterations = {fixed} exclude each other: "
                "the study fixes how many there are"
            )
        each = iterations or fixed
        if each is None:
            return {}
        found = {"iteration": float(each * model.right_sides)}
        if model.solver.precision == "mixed":
            found["update"] = float(model.right_sides * math.ceil(each / 10))
        return found

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
