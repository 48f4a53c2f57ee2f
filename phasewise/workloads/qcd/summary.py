"""The summary of a run of solves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from phasewise.runs.results import Results
from phasewise.runs.summary import Summary
from phasewise.workloads.qcd.effective_masses import (
    Floats,
    by_configuration,
    configurations,
    pion_of,
)
from phasewise.workloads.qcd.flow_scales import t0_of, times_of, w0_of
from phasewise.workloads.qcd.gauge_keys import RECTANGLES
from phasewise.workloads.qcd.resampling import jackknife

SCALES = ("t0", "w0")
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
    """Means over the configurations, with their jackknife errors."""
    names = ["plaquette_space", "plaquette_time", "link_trace"]
    if results.study["measure"].get("pion"):
        names.append("pion")
    rows = {name: by_configuration(results, name) for name in names}
    space, time = rows.pop("plaquette_space"), rows.pop("plaquette_time")
    samples = {"plaquette": 0.5 * (space + time), **rows}
    found: dict[str, Any] = {"solves": len(results), "configurations": configurations(results)}
    for name, values in samples.items():
        mean, error = jackknife(values)
        found[name] = {"mean": mean.tolist(), "error": error.tolist()}
    return found


def flow_of(results: Results) -> tuple[Floats, dict[str, Floats]]:
    """The flow times (N+1,), and the series of every solve's links (T, N+1) by name."""
    names = ("energy_space", "energy_time", "charge", "plaquette")
    series = {name: np.asarray(results.rows(f"flow_{name}")) for name in names}
    step = float(results.study["measure"]["flow_step"])
    return times_of(step, series["charge"].shape[1]), series


def _flow(results: Results) -> dict[str, Any]:
    """t0 and w0 of the last solve's links, None where the flow ends before, and energy, charge and
    plaquette at its end.
    """
    times, series = flow_of(results)
    energy = series["energy_space"][-1] + series["energy_time"][-1]
    return {
        "until": float(times[-1]),
        "t0": t0_of(times, energy),
        "w0": w0_of(times, energy),
        "energy": float(energy[-1]),
        "charge": float(series["charge"][-1, -1]),
        "plaquette": float(series["plaquette"][-1, -1]),
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
        entries[kind] = _list(masses[k, :times])
        entries[f"{kind}_error"] = None if errors is None else _list(errors[k, :times])
    return entries


def _list(values: Floats) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in values]


class QcdSummary(Summary):
    """What it adds to the summary of a run."""

    def summarise(self, results: Results) -> dict[str, Any]:
        """plaquette, with its parts; rectangle, None where it is not measured; action of a site,
        None without gauge.beta; link_trace; polyakov, four of [re, im]; correlators; solver:
        iterations of all solves and the largest residual. The links are those of the last
        solve. effective_mass: that of the pion, and ensemble: means over the configurations of
        several files, both with errors.
        """
        last = {
            name: results.rows(name)[-1]
            for name in ("plaquette_space", "plaquette_time", "link_trace", "polyakov")
        }
        space, time = float(last["plaquette_space"]), float(last["plaquette_time"])
        measure = results.study["measure"]
        pion, rectangles = measure.get("pion"), measure.get("rectangles")
        rectangle = float(results.rows("rectangle")[-1]) if rectangles else None
        flow = {"flow": _flow(results)} if results.holds("flow_charge") else {}
        files = results.study["gauge"].get("files") or ()
        ensemble = {"ensemble": _ensemble(results)} if len(files) > 1 and len(results) > 1 else {}
        return {
            **ensemble,
            **flow,
            "plaquette": 0.5 * (space + time),
            "plaquette_space": space,
            "plaquette_time": time,
            "rectangle": rectangle,
            "action": _action(results.study["gauge"], 0.5 * (space + time), rectangle),
            "link_trace": float(last["link_trace"]),
            "polyakov": last["polyakov"].tolist(),
            "correlators": {"pion": results.rows("pion")[-1].tolist()} if pion else {},
            "effective_mass": {"pion": _effective_mass(results)} if pion else {},
            "solver": {
                "iterations": int(results.rows("iterations").sum()),
                "residual": float(results.rows("residual").max()),
            },
        }

    def rows(self, summary: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
        """Heads and rows of the table of a run."""
        found = [
            ["plaquette", f"{summary['plaquette']:.10g}"],
            ["link trace", f"{summary['link_trace']:.10g}"],
            ["iterations", str(summary["solver"]["iterations"])],
            ["residual", f"{summary['solver']['residual']:.3g}"],
        ]
        for name in ("plaquette", "link_trace") if "ensemble" in summary else ():
            one = summary["ensemble"][name]
            found.append(
                [f"mean {name.replace('_', ' ')}", f"{one['mean']:.8f} ± {one['error']:.2g}"]
            )
        found += _flow_rows(summary.get("flow"))
        found += _pion_rows(summary)
        return ["", ""], found


def _flow_rows(flow: Mapping[str, Any] | None) -> list[list[str]]:
    """The scales of the flow, or until where it went without reaching them, and the charge."""
    if flow is None:
        return []
    until = f"not reached until t = {flow['until']:g}"
    return [
        *([name, f"{flow[name]:.6g}" if flow[name] is not None else until] for name in SCALES),
        [f"charge at t = {flow['until']:g}", f"{flow['charge']:.6g}"],
    ]


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
        pairs = [(mean["mean"][t], mean["error"][t]) for t in shown]
        found = [
            [f"pion at t = {t}, mean", f"{value:.8g} ± {error:.2g}"]
            for t, (value, error) in enumerate(pairs)
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
