"""The report's tiles and tables of trajectories, and of the configurations of files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from phasewise.report.page import Tile
from phasewise.report.reported_run import ReportedRun
from phasewise.report.style import scientific, with_error
from phasewise.report.tables import Table
from phasewise.workloads.qcd.histories import Floats, Histories
from phasewise.workloads.qcd.update_summary import chain_entries

NAMES = {
    "polyakov_x": "Re Polyakov loop along x", "polyakov_y": "Re Polyakov loop along y",
    "polyakov_z": "Re Polyakov loop along z", "polyakov_t": "Re Polyakov loop along t",
    "exp_minus_delta_h": "exp(-ΔH)", "delta_h": "ΔH", "charge_squared": "charge squared",
    "link_trace": "link trace", "t0": "t₀", "w0": "w₀",
}  # fmt: skip
"""How a table writes names of the ensemble; others are written as they are."""


def ensemble_tables(run: ReportedRun) -> list[Table]:
    """Means over the configurations that count, and what each term of the action cost."""
    own = Histories(run.results)
    return [*_ensemble(own), *_monomials(own)]


def _ensemble(own: Histories) -> list[Table]:
    rows = [
        (
            NAMES.get(name, name),
            with_error(entry["mean"], entry["error"]),
            scientific(entry.get("autocorrelation_time"), 3),
            str(entry.get("configurations", len(own.trajectory))),
        )
        for name, entry in own.ensemble.items()
        if isinstance(entry, Mapping) and _is_one_mean(entry)
    ]
    if not rows:
        return []
    heads = ("", "mean", "autocorrelation time", "configurations")
    counted = f"Trajectories from number {own.start} on count. " if own.chain else ""
    note = f"{counted}{_about_errors(own)} Everything is in lattice units."
    return [Table("Means over the ensemble", heads, tuple(rows), note)]


def _about_errors(own: Histories) -> str:
    if own.jackknifed:
        return "Errors are those of the jackknife over the files, which know of no autocorrelation."
    return (
        f"Errors allow for autocorrelation, whose time is in {own.unit.many}, ½ where they do not "
        "depend on each other."
    )


def _is_one_mean(entry: Mapping[str, Any]) -> bool:
    """Whether an entry is of one number. A correlator without configurations that count has no
    mean, but still a list of errors.
    """
    return not any(isinstance(entry.get(key), list) for key in ("mean", "error"))


def _monomials(own: Histories) -> list[Table]:
    """What each term of the action did in the trajectories that count."""
    rows = tuple(
        (
            name,
            scientific(entry["force"]),
            scientific(_largest(own.of(f"force_max_{name}")[own.start :])),
            scientific(entry["iterations"]),
        )
        for name, entry in chain_entries(own.results).get("monomials", {}).items()
    )
    if not rows:
        return []
    heads = ("term of the action", "force", "largest force", "iterations a trajectory")
    note = (
        "The norm of a force is √Σ_a(∂_a S)² on a link; the force is the root of its mean square "
        "over links, evaluations and trajectories."
    )
    return [Table("Terms of the action", heads, rows, note)]


def _largest(values: Floats) -> float | None:
    finite = values[np.isfinite(values)]
    return float(finite.max()) if len(finite) else None


def ensemble_tiles(run: ReportedRun) -> list[Tile]:
    """The lattice, its plaquette, and how the trajectories went."""
    own, study = Histories(run.results), run.study
    found = [_lattice(study), _plaquette(own)]
    if own.accepts:
        found.append(_acceptance(own))
    squared = own.ensemble.get("charge_squared")
    if squared is not None and squared["mean"] is not None:
        found.append(Tile("Charge squared", with_error(squared["mean"], squared["error"])))
    return found


def _lattice(study: Mapping[str, Any]) -> Tile:
    size = "×".join(map(str, study["lattice"]["size"]))
    quarks = study.get("quarks")
    kappa = f", κ = {quarks['kappa']:g}" if quarks else ", no quarks"
    return Tile("Lattice", size, f"β = {study['gauge']['beta']:g}{kappa}")


def _plaquette(own: Histories) -> Tile:
    mean = own.mean(own.series["plaquette"])
    if mean is None:
        return Tile("Plaquette", f"{own.series['plaquette'][-1]:.6f}", "of the last links")
    of = f"τ = {with_error(mean.time, mean.time_error)} trajectories"
    return Tile("Plaquette", with_error(mean.value, mean.error), of)


def _acceptance(own: Histories) -> Tile:
    counted = own.of("accepted")[own.start :]
    rate = "–" if not len(counted) else f"{100 * float(counted.mean()):.1f} %"
    weight = own.ensemble["exp_minus_delta_h"]
    about = f"⟨exp(-ΔH)⟩ = {with_error(weight['mean'], weight['error'])}" if len(counted) else ""
    return Tile("Acceptance", rate, about)
