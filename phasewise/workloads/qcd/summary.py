"""The summary of a run of solves or of trajectories."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from phasewise.runs.results import Results
from phasewise.runs.summary import Summary, finite
from phasewise.workloads.qcd.effective_masses import Floats, pion_of
from phasewise.workloads.qcd.ensemble_statistics import (
    configurations,
    ensemble_of,
    is_chain,
    measured_rows,
)
from phasewise.workloads.qcd.flow_scales import t0_of, times_of, w0_of
from phasewise.workloads.qcd.gauge_keys import RECTANGLES
from phasewise.workloads.qcd.update_summary import chain_entries, chain_rows, monomial_names

SCALES = ("t0", "w0")
MEANS = {
    "plaquette": "plaquette",
    "link trace": "link_trace",
    "rectangle": "rectangle",
    "exp(-ΔH)": "exp_minus_delta_h",
    "ΔH": "delta_h",
    "charge squared": "charge_squared",
    "t0": "t0",
    "w0": "w0",
}
"""The means over configurations in the table of a run, with their names in the JSON."""
MOST_TIMES = 8
"""Most times from the source in the table of a run; the JSON has all."""
MOST_MASSES = 16
"""The same of effective masses, whose plateau is far from the source."""


def _action(gauge: dict[str, Any], plaquette: float, rectangle: float | None) -> float | None:
    """Action of the links per site, β (c₀ Σ (1 - P) + c₁ Σ (1 - R)), with 6 plaquettes and 12
    rectangles a site; None without β.
    """
    c1 = RECTANGLES[gauge["action"]]
    if gauge.get("beta") is None:
        return None
    beta = float(gauge["beta"])
    found = (1 - 8 * c1) * 6 * (1 - plaquette)
    return beta * (found + c1 * 12 * (1 - rectangle) if rectangle is not None else found)


def _ensemble(results: Results) -> dict[str, Any]:
    """Means over the configurations, with their errors."""
    found: dict[str, Any] = {}
    if not is_chain(results):
        found = {"solves": len(results), "configurations": configurations(results)}
    return found | ensemble_of(results)


def flow_of(results: Results) -> tuple[Floats, dict[str, Floats]]:
    """The flow times (N+1,), and the series of every solve's links (T, N+1) by name."""
    names = ("energy_space", "energy_time", "charge", "plaquette")
    series = {name: np.asarray(results.rows(f"flow_{name}")) for name in names}
    step = float(results.study["measure"]["flow_step"])
    return times_of(step, series["charge"].shape[1]), series


def _flow(results: Results) -> dict[str, Any]:
    """t0 and w0 of the links that were measured last, None where the flow ends before, and energy,
    charge and plaquette at its end; None where nothing is measured yet.
    """
    times, series = flow_of(results)
    measured = measured_rows(results)
    found: dict[str, Any] = {"until": float(times[-1])}
    if not len(measured):
        return found | dict.fromkeys(("t0", "w0", "energy", "charge", "plaquette"))
    last = {name: rows[measured[-1]] for name, rows in series.items()}
    energy = last["energy_space"] + last["energy_time"]
    return found | {
        "t0": t0_of(times, energy),
        "w0": w0_of(times, energy),
        "energy": float(energy[-1]),
        "charge": float(last["charge"][-1]),
        "plaquette": float(last["plaquette"][-1]),
    }


def _effective_mass(results: Results) -> dict[str, Any]:
    """The effective mass of the pion by time from the source, in lattice units, up to the middle of
    the lattice; None where it does not exist. Errors are None with one configuration.
    """
    found = pion_of(results)
    half = len(found.mean) // 2
    masses, errors = found.masses, None if found.errors is None else found.errors[1]
    entries: dict[str, Any] = {"configurations": len(found.samples)}
    # Two neighbours stand about t + 1/2, which is still before the middle.
    for k, (kind, times) in enumerate((("log", half), ("cosh", half + 1))):
        entries[kind] = finite(masses[k, :times].tolist())
        entries[f"{kind}_error"] = None if errors is None else finite(errors[k, :times].tolist())
    return entries


def _pion(results: Results) -> dict[str, Any]:
    """The pion's correlator as it was measured last, and its effective mass."""
    measured = measured_rows(results)
    if not results.holds("pion") or not len(measured):
        return {"correlators": {}, "effective_mass": {}}
    counts = len(pion_of(results).samples) > 0
    return {
        "correlators": {"pion": results.rows("pion")[measured[-1]].tolist()},
        "effective_mass": {"pion": _effective_mass(results)} if counts else {},
    }


def _solver(results: Results) -> dict[str, Any]:
    """Iterations of all solves, and the largest residual of those of the pion; None without."""
    names = [f"iterations_{name}" for name in monomial_names(results)]
    names = [name for name in ("iterations", *names) if results.holds(name)]
    residuals = results.rows("residual") if results.holds("residual") else np.array([])
    residuals = residuals[measured_rows(results)] if len(residuals) else residuals
    return {
        "iterations": sum(int(results.rows(name).sum()) for name in names) if names else None,
        "residual": float(residuals.max()) if len(residuals) else None,
    }


class QcdSummary(Summary):
    """What it adds to the summary of a run."""

    def summarise(self, results: Results) -> dict[str, Any]:
        """plaquette, with its parts; rectangle, None where it is not measured; action of a site,
        None without gauge.beta; link_trace; polyakov, four of [re, im]; correlators; solver:
        iterations of all solves and the largest residual. The links are those of the last solve or
        trajectory; flow, charge and correlators are those of the last measurement, the first two
        None without a flow. effective_mass:
        that of the pion, and ensemble: means over the configurations of a run of trajectories or of
        several files, both with errors. What trajectories have: `chain_entries`.
        """
        last = {
            name: results.rows(name)[-1]
            for name in ("plaquette_space", "plaquette_time", "link_trace", "polyakov")
        }
        space, time = float(last["plaquette_space"]), float(last["plaquette_time"])
        rectangles = results.study["measure"].get("rectangles")
        rectangle = float(results.rows("rectangle")[-1]) if rectangles else None
        flow = _flow(results) if results.holds("flow_charge") else None
        files = results.study["gauge"].get("files") or ()
        several = is_chain(results) or (len(files) > 1 and len(results) > 1)
        return {
            **({"ensemble": _ensemble(results)} if several else {}),
            "flow": flow,
            "charge": None if flow is None else flow["charge"],
            **chain_entries(results),
            "plaquette": 0.5 * (space + time),
            "plaquette_space": space,
            "plaquette_time": time,
            "rectangle": rectangle,
            "action": _action(results.study["gauge"], 0.5 * (space + time), rectangle),
            "link_trace": float(last["link_trace"]),
            "polyakov": last["polyakov"].tolist(),
            **_pion(results),
            "solver": _solver(results),
        }

    def rows(self, summary: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
        """Heads and rows of the table of a run."""
        found = [
            ["plaquette", f"{summary['plaquette']:.10g}"],
            ["link trace", f"{summary['link_trace']:.10g}"],
        ]
        solver = summary["solver"]
        if solver["iterations"] is not None:
            found.append(["iterations", str(solver["iterations"])])
        if solver["residual"] is not None:
            found.append(["residual", f"{solver['residual']:.3g}"])
        found += chain_rows(summary) + _mean_rows(summary)
        found += _flow_rows(summary.get("flow"), alone="ensemble" not in summary)
        found += _pion_rows(summary)
        return ["", ""], found


def _mean_rows(summary: Mapping[str, Any]) -> list[list[str]]:
    """Means over the configurations, where they exist, and scales that the flow does not reach."""
    ensemble, found = summary.get("ensemble", {}), []
    for name, key in MEANS.items():
        one = ensemble.get(key)
        if one is not None and one["mean"] is not None:
            found.append([f"mean {name}", with_error(one["mean"], one["error"])])
        elif one is not None and key in SCALES:
            found.append([f"mean {name}", _not_reached(summary["flow"])])
    return found


def with_error(value: float, error: float | None) -> str:
    """A mean with its error, where it has one."""
    return f"{value:.8g}" if error is None else f"{value:.8g} ± {error:.2g}"


def _not_reached(flow: Mapping[str, Any]) -> str:
    return f"not reached until t = {flow['until']:g}"


def _flow_rows(flow: Mapping[str, Any] | None, alone: bool) -> list[list[str]]:
    """The charge of the last configuration; alone, without an ensemble, also its scales, or until
    where the flow went without reaching them.
    """
    if flow is None or flow["charge"] is None:
        return []
    scales = [
        [name, f"{flow[name]:.6g}" if flow[name] is not None else _not_reached(flow)]
        for name in SCALES
    ]
    last = [f"charge at t = {flow['until']:g}", f"{flow['charge']:.6g}"]
    return [*scales, last] if alone else [last]


def _pion_rows(summary: Mapping[str, Any]) -> list[list[str]]:
    """The pion's correlator, with errors where there are several configurations, and its effective
    mass.
    """
    last = summary["correlators"].get("pion", [])
    mean = summary.get("ensemble", {}).get("pion")
    shown = range(min(len(last), MOST_TIMES))
    if mean is None:
        found = [[f"pion at t = {t}", f"{last[t]:.10g}"] for t in shown]
    else:
        pairs = zip(mean["mean"] or (), mean["error"], strict=False)
        found = [
            [f"pion at t = {t}, mean", with_error(*pair)]
            for t, pair in zip(shown, pairs, strict=False)
        ]
    masses = summary["effective_mass"].get("pion")
    if masses is None:
        return found
    for t, value in enumerate(masses["cosh"][: MOST_MASSES + 1]):
        if value is not None:
            error = None if masses["cosh_error"] is None else masses["cosh_error"][t]
            bar = "" if error is None else f" ± {error:.2g}"
            found.append([f"effective mass at t = {t} (cosh)", f"{value:.6g}{bar}"])
    return found
