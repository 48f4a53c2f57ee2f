"""Datasets that solves and trajectories record, and files of links."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np

from phasewise.driver import Communicator, Run
from phasewise.errors import StudyError
from phasewise.runs.layout import Dataset, Detail, Recording, Remark
from phasewise.study import Study
from phasewise.workload.protocols import check_protocol
from phasewise.workloads.qcd.derived import links_of_size
from phasewise.workloads.qcd.driver import QcdRun
from phasewise.workloads.qcd.gauge.writing import write_own_links
from phasewise.workloads.qcd.model import Qcd, model_of
from phasewise.workloads.qcd.solver_faults import solver_fault
from phasewise.workloads.qcd.update_records import Remarks, UpdateDetail, update_rows

AXES = ("x", "y", "z", "t")
FLOW = {
    "flow_energy_space": "E of the planes in space, after each number of steps.",
    "flow_energy_time": "E of the planes of space and time, after each number of steps.",
    "flow_charge": "Topological charge after each number of steps.",
    "flow_plaquette": "Mean plaquette after each number of steps, 1 when cold.",
}
LINKS = {
    "plaquette_space": Dataset((), "Mean plaquette of two directions in space, 1 when cold."),
    "plaquette_time": Dataset((), "Mean plaquette of space and time, 1 when cold."),
    "link_trace": Dataset((), "Mean real trace of a link over 3."),
    "polyakov": Dataset(
        (4, 2),
        "Mean Polyakov loop along x, y, z, t, real and imaginary part.",
        columns=("re", "im"),
    ),
}
SHOWN = 1000
"""Most residuals of a right-hand side that are recorded."""


class QcdRecording(Recording):
    """What its runs record."""

    def rows(self, study: Study) -> dict[str, Dataset]:
        """What each solve or trajectory has, and what was measured on the links."""
        model = model_of(study)
        found = {**update_rows(model), **_solve_rows(model), **LINKS}
        if model.measure.rectangles:
            found["rectangle"] = Dataset((), "Mean loop of two links by one, 1 when cold.")
        if model.measure.flow_steps:
            along = (model.measure.flow_steps + 1,)
            found |= {name: Dataset(along, text) for name, text in FLOW.items()}
        if model.measure.pion:
            times = model.lattice.size[3]
            found["pion"] = Dataset((times,), "Correlator of the pion by time from the source.")
        return found

    def values(self, study: Study, record: Mapping[str, Any]) -> dict[str, Any]:
        """The driver's values, with as many residuals as are recorded."""
        if "residuals" not in record:
            return dict(record)
        wanted = min(model_of(study).solver.most, SHOWN)
        residuals = np.full(wanted, np.nan)
        given = np.asarray(record["residuals"])[:wanted]
        residuals[: len(given)] = given
        found = {**record, "residuals": residuals}
        model = model_of(study)
        if model.update is not None and solver_fault(model.solver, record):
            found["pion"] = np.full(model.lattice.size[3], np.nan)
        return found

    def detail(self, study: Study) -> Detail:
        """The plaquette, ΔH and the acceptance so far of a trajectory; nothing of a solve."""
        return super().detail(study) if model_of(study).update is None else UpdateDetail()

    def remark(self, study: Study) -> Remark:
        """Why a trajectory was rejected that went wrong, and that few are accepted."""
        model = model_of(study)
        return super().remark(study) if model.update is None else Remarks(model, study.count)

    def dump(
        self, folder: Path, run: Run, comm: Communicator, study: Study, at_start: bool
    ) -> None:
        """Write the links after the last solve or trajectory, and after every `links_every`
        trajectories, each rank its own; collective.
        """
        model = model_of(study)
        form, every = model.records.form, model.records.links_every
        due = run.turn == study.count or (every > 0 and run.turn % every == 0)
        if form is None or at_start or not due:
            return
        own = cast(QcdRun, run)
        write_own_links(
            folder / f"{study.workload.unit.one}-{run.turn:012d}.{form.format}",
            form,
            model.lattice.size,
            own.origin,
            np.asarray(own.links()).reshape(*reversed(own.extents), 4, 3, 3, 2),
            comm,
        )

    def check(self, study: Study) -> None:
        """StudyError if the build lacks the protocol, if no trajectory counts or is measured, or if
        a file of an ensemble is missing or of another lattice.
        """
        check_protocol(study.communication.tunable()["halo"])
        check_trajectories(study)
        model = model_of(study)
        for path in model.gauge.files or ():
            links_of_size(path, model.lattice.size)

    def fault(self, study: Study, record: Mapping[str, Any]) -> str:
        """Why a solve is worth nothing: it did not converge, or not to a solution. A chain goes on
        without that measurement.
        """
        model = model_of(study)
        return "" if model.update is not None else solver_fault(model.solver, record)


def _solve_rows(model: Qcd) -> dict[str, Dataset]:
    """What the solves of a turn have; a trajectory solves for the pion alone."""
    if model.quarks is None or (model.update is not None and not model.measure.pion):
        return {}
    return {
        "iterations": Dataset((), "Iterations of all right-hand sides.", kind="i8"),
        "residual": Dataset((), "Largest |b - D x| / |b| of the right-hand sides."),
        "residuals": Dataset(
            (min(model.solver.most, SHOWN),),
            "Residual of the even sites over that of the start, of the first right-hand side's "
            "iterations; NaN beyond the last one.",
        ),
    }


def check_trajectories(study: Study) -> None:
    """StudyError if no trajectory of a run is measured, or all are left out of means."""
    model = model_of(study)
    measure = model.measure
    measuring = model.update is not None and (measure.flow_steps or measure.pion)
    if measuring and measure.every > study.count:
        raise StudyError(
            f"measure.every = {measure.every} measures none of {study.count} trajectories; give "
            f"{study.count} or less"
        )
    left_out = measure.thermalisation
    if left_out is not None and left_out >= study.count:
        raise StudyError(
            f"measure.thermalisation = {left_out} leaves none of {study.count} trajectories; give "
            f"{study.count - 1} or less"
        )
