"""The summary of a run of solves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from phasewise.runs.results import Results
from phasewise.runs.summary import Summary
from phasewise.workloads.qcd.model import RECTANGLES
from phasewise.workloads.qcd.resampling import jackknife


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
    """Means over the solves, with their jackknife errors."""
    samples = {
        "plaquette": 0.5 * (results.rows("plaquette_space") + results.rows("plaquette_time")),
        "link_trace": results.rows("link_trace"),
    }
    if results.study["measure"].get("pion"):
        samples["pion"] = results.rows("pion")
    found: dict[str, Any] = {"solves": len(results)}
    for name, values in samples.items():
        mean, error = jackknife(values)
        found[name] = {"mean": mean.tolist(), "error": error.tolist()}
    return found


class QcdSummary(Summary):
    """What it adds to the summary of a run."""

    def summarise(self, results: Results) -> dict[str, Any]:
        """plaquette, with its parts; rectangle, None where it is not measured; action of a site,
        None without gauge.beta; link_trace; polyakov, four of [re, im]; correlators; solver:
        iterations of all solves and the largest residual. The links are those of the last
        solve. ensemble: means over the solves of several files, with errors.
        """
        last = {
            name: results.rows(name)[-1]
            for name in ("plaquette_space", "plaquette_time", "link_trace", "polyakov")
        }
        space, time = float(last["plaquette_space"]), float(last["plaquette_time"])
        measure = results.study["measure"]
        pion, rectangles = measure.get("pion"), measure.get("rectangles")
        rectangle = float(results.rows("rectangle")[-1]) if rectangles else None
        files = results.study["gauge"].get("files") or ()
        ensemble = {"ensemble": _ensemble(results)} if len(files) > 1 and len(results) > 1 else {}
        return {
            **ensemble,
            "plaquette": 0.5 * (space + time),
            "plaquette_space": space,
            "plaquette_time": time,
            "rectangle": rectangle,
            "action": _action(results.study["gauge"], 0.5 * (space + time), rectangle),
            "link_trace": float(last["link_trace"]),
            "polyakov": last["polyakov"].tolist(),
            "correlators": {"pion": results.rows("pion")[-1].tolist()} if pion else {},
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
        pion = summary["correlators"].get("pion", [])
        found += [[f"pion at t = {t}", f"{value:.10g}"] for t, value in enumerate(pion[:8])]
        return ["", ""], found
