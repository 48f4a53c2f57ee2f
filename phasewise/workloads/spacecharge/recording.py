"""Datasets that a run with space charge records, turn by turn (docs/records.md)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations
from pathlib import Path
from typing import Any, cast

import numpy as np

from phasewise.driver import Communicator, Run
from phasewise.runs.layout import Dataset, Detail, Recording
from phasewise.study import Study
from phasewise.workloads.common.dumps import DumpedBeam, Moment, write_dump
from phasewise.workloads.common.particle_files import COORDINATES
from phasewise.workloads.spacecharge.driver import SpaceChargeRun
from phasewise.workloads.spacecharge.model import model_of

PLACE = "lattice.end"
"""Where a dump is made, by the name that its files have."""

UNITS = ("m", "1", "m", "1", "m", "1")
SQUARES = tuple(
    tuple("m^2" if a == b == "m" else "m" if "m" in (a, b) else "1" for b in UNITS) for a in UNITS
)

ROWS = {
    "mean": Dataset((6,), "Mean of each coordinate.", UNITS, COORDINATES),
    "covariance": Dataset((6, 6), "Central second moments.", SQUARES, COORDINATES),
    "emittance": Dataset(
        (3,), "Geometric emittances, in x and y without dispersion.", "m", ("x", "y", "z")
    ),
    "particles": Dataset((), "Living macroparticles.", kind="i8"),
    "losses": Dataset((), "Macroparticles lost so far.", kind="i8"),
    "outside": Dataset((), "Particles outside the mesh, summed over the kicks.", kind="i8"),
}
"""The bunch where the lattice ends."""
EIGEN = Dataset(
    (3,),
    "Eigen-emittances of the second moments, which coupling does not change, each next to a plane.",
    "m",
    ("1", "2", "3"),
)
"""What a lattice that couples planes has in addition."""


class SpaceChargeRecording(Recording):
    """What its runs record."""

    def rows(self, study: Study) -> dict[str, Dataset]:
        """Each dataset that is extended turn by turn."""
        model = model_of(study)
        entries = dict(ROWS)
        if model.lattice.couples:
            entries["eigenemittance"] = EIGEN
        if count := model.lattice.monitors:
            entries["monitor_mean"] = Dataset(
                (count, 6), "Mean of each coordinate at each monitor.", UNITS, COORDINATES
            )
            entries["monitor_covariance"] = Dataset(
                (count, 6, 6), "Central second moments at each monitor.", SQUARES, COORDINATES
            )
        if count := model.lattice.apertures:
            entries["losses_at"] = Dataset(
                (count,), "Macroparticles lost in the turn at each aperture.", kind="i8"
            )
        entries["tracked"] = Dataset(
            (model.records.tracked, 6), "Coordinates of the tracked particles.", UNITS, COORDINATES
        )
        beams = [f"beam{bunch.number}" for bunch in model.bunches]
        return {f"{beam}/{name}": row for beam in beams for name, row in entries.items()}

    def values(self, study: Study, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """The driver's values, and the eigen-emittances where planes are coupled."""
        model = model_of(study)
        if not model.lattice.couples:
            return record
        found = dict(record)
        for bunch in model.bunches:
            beam = f"beam{bunch.number}"
            found[f"{beam}/eigenemittance"] = eigenemittances(
                record[f"{beam}/covariance"], record[f"{beam}/emittance"]
            )
        return found

    def fault(self, study: Study, record: Mapping[str, Any]) -> str:
        """What leaves nothing to track: no particle, or sizes that are no numbers."""
        for bunch in model_of(study).bunches:
            if record[f"beam{bunch.number}/particles"] == 0:
                return "the bunch is lost: none of its particles is left"
            if not np.all(np.isfinite(record[f"beam{bunch.number}/covariance"])):
                return "the bunch's size is not a finite number"
        return ""

    def dump(
        self, folder: Path, run: Run, comm: Communicator, study: Study, at_start: bool
    ) -> None:
        """Dump the particles at the start, at the turns that are due, and after the last turn;
        collective.
        """
        model = model_of(study)
        every, bunch = model.records.particles_every, model.bunch
        due = at_start or run.turn == study.count
        if not every or bunch is None or not (due or run.turn % every == 0):
            return
        frequency = model.revolution_frequency
        rows = cast(SpaceChargeRun, run).particles()
        beam = DumpedBeam(bunch.shared, bunch.particle, rows)
        at = Moment(run.turn, study.title, frequency, PLACE)
        write_dump(folder, at, comm, [beam], model.records.particles_fraction)

    def detail(self, study: Study) -> Detail:
        """The rms sizes of the first bunch."""
        beam = f"beam{model_of(study).bunches[0].number}"

        def sizes(record: Mapping[str, Any]) -> str:
            x, y, z = np.sqrt(np.diagonal(record[f"{beam}/covariance"])[[0, 2, 4]])
            return f"sizes {x:.3g} {y:.3g} {z:.3g} m"

        return sizes


def eigenemittances(covariance: Any, emittance: Any) -> Any:
    """The eigen-emittances [m] of second moments (6, 6), in the order in which they are nearest to
    the emittances of the planes (3,).

    They are the moduli of the eigenvalues of Σ Ω (Dragt, Neri, Rangarajan, Phys. Rev. A 45 (1992)
    2572), here the singular values of Lᵀ Ω L with Σ = L Lᵀ, each twice.
    """
    values, vectors = np.linalg.eigh(np.where(np.isfinite(covariance), covariance, 0.0))
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    form = np.kron(np.eye(3), [[0.0, 1.0], [-1.0, 0.0]])
    found = np.linalg.svd(root.T @ form @ root, compute_uv=False)[::2]
    least = np.finfo(np.float64).tiny
    planes = np.log(np.maximum(np.asarray(emittance), least))
    own = np.log(np.maximum(found, least))

    def distance(order: tuple[int, ...]) -> float:
        return float(np.abs(own[list(order)] - planes).sum())

    nearest = min(permutations(range(3)), key=distance)
    return found[list(nearest)]
