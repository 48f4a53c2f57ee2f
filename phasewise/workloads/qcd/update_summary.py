"""What the summary of a run says of its trajectories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from phasewise.runs.results import Results
from phasewise.workloads.qcd.ensemble_statistics import (
    Thermalisation,
    is_chain,
    thermalisation,
)
from phasewise.workloads.qcd.update_records import FEWEST_JUDGED, low_acceptance

FORCE = "force_"


def monomial_names(results: Results) -> list[str]:
    """The monomials of a run, in the order of its model."""
    study = results.study
    update = study.get("update")
    if update is None or not results.holds("delta_h"):
        return []
    masses = len(update.get("hasenbusch") or ())
    names = ["gauge", "quarks", *(f"hasenbusch_{k}" for k in range(1, masses + 1))]
    return [name for name in names if results.holds(f"{FORCE}{name}")]


def chain_entries(results: Results) -> dict[str, Any]:
    """thermalisation; acceptance and ΔH of the last trajectory, None in a heat-bath; monomials,
    each with its iterations in a trajectory, None without solves, and its force, the root of the
    mean square over links; warnings, sentences on what should be changed. Empty for a run without
    trajectories.
    """
    if not is_chain(results):
        return {}
    found = thermalisation(results)
    first = min(found.trajectories, len(results) - 1)
    hmc = results.holds("delta_h")
    acceptance = float(results.rows("accepted")[first:].mean()) if hmc else None
    return {
        "thermalisation": asdict(found),
        "acceptance": acceptance,
        "delta_h": float(results.rows("delta_h")[-1]) if hmc else None,
        "monomials": {name: _monomial(results, name, first) for name in monomial_names(results)},
        "warnings": [one for one in _warnings(results, found, acceptance, first) if one],
    }


def _warnings(
    results: Results, found: Thermalisation, acceptance: float | None, first: int
) -> Iterator[str]:
    counted = len(results) - first
    # A short run is judged by all that its thermalisation leaves, but not by one trajectory.
    fewest = min(FEWEST_JUDGED, max(2, int(results.study["trajectories"]) - first))
    if acceptance is not None and counted >= fewest:
        update = results.study["update"]
        yield low_acceptance(update["steps"], update["length"], acceptance, counted)
    if not found.settled:
        yield (
            f"the chain has not settled within the first half of its {len(results)} trajectories: "
            "go on with more, or give measure.thermalisation"
        )


def _monomial(results: Results, name: str, first: int) -> dict[str, float | None]:
    force = np.asarray(results.rows(f"{FORCE}{name}"))[first:]
    finite = force[np.isfinite(force)]
    solves = f"iterations_{name}"
    return {
        "iterations": float(results.rows(solves)[first:].mean()) if results.holds(solves) else None,
        "force": float(np.sqrt((finite**2).mean())) if len(finite) else None,
    }


def chain_rows(summary: Mapping[str, Any]) -> list[list[str]]:
    """The rows of the table of a run of trajectories."""
    left_out = summary.get("thermalisation")
    if left_out is None:
        return []
    way = "chosen" if left_out["chosen"] else "given"
    found = [["thermalisation", f"{left_out['trajectories']} trajectories, {way}"]]
    if summary["acceptance"] is not None:
        found.append(["acceptance", f"{100 * summary['acceptance']:.4g} %"])
    for name, one in summary["monomials"].items():
        if one["iterations"] is not None:
            found.append([f"iterations of {name}", f"{one['iterations']:.5g} a trajectory"])
    for name, one in summary["monomials"].items():
        if one["force"] is not None:
            found.append([f"force of {name}", f"{one['force']:.4g}"])
    return found + [["warning", sentence] for sentence in summary["warnings"]]
