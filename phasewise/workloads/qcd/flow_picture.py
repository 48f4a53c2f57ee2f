"""The picture of the gradient flow: of single configurations, and the mean of an ensemble."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from phasewise.analysis.autocorrelated import LEAST, autocorrelation
from phasewise.output import number_of
from phasewise.report.figure import Drawing, Missing
from phasewise.report.palette import SERIES
from phasewise.report.reported_run import ReportedRun
from phasewise.report.style import MUTED, legend_above, new_picture, with_error
from phasewise.workloads.qcd.ensemble_statistics import ensemble_of, samples_of
from phasewise.workloads.qcd.flow_scales import (
    LEVEL,
    Floats,
    derivative,
    dimensionless,
    times_of,
)
from phasewise.workloads.qcd.pictures import shown_solves

NEEDED = "The picture needs measure.flow = { step = 0.02, until = 4.0 } in the study."

SCALES = (("t0", "t₀", 1), ("w0", "w₀", 2))
"""The scales: name in the ensemble, symbol, and the power of it that is a flow time."""


@dataclass(frozen=True)
class Band:
    """The mean (N,) of curves of several configurations, and its standard error; the error is zero
    for fewer configurations than have one.
    """

    mean: Floats
    error: Floats

    @classmethod
    def of(cls, curves: Floats) -> Band:
        """Of curves (configurations, N), which depend on those before them."""
        mean = np.asarray(curves.mean(axis=0))
        if len(curves) < LEAST:
            return cls(mean, np.zeros_like(mean))
        errors = [autocorrelation(curves[:, k]).error for k in range(curves.shape[1])]
        return cls(mean, np.asarray(errors))


def draw_flow(run: ReportedRun) -> Drawing | Missing:
    """t²E and its logarithmic derivative, with the scales, and the charge along the flow."""
    if not run.results.holds("flow_charge"):
        return Missing(NEEDED)
    results = run.results
    space, time = (samples_of(results, f"flow_energy_{kind}") for kind in ("space", "time"))
    energy = space + time
    charge = samples_of(results, "flow_charge")
    if not len(charge):
        return Missing("The picture needs a configuration that counts, with a gradient flow.")
    times = times_of(float(run.study["measure"]["flow_step"]), charge.shape[1])
    curves = (
        np.stack([dimensionless(times, one) for one in energy]),
        np.stack([derivative(times, one) for one in energy]),
    )
    canvas, axes = new_picture(1, 2, 3.2)
    left, right = axes[0]
    shown = shown_solves(len(energy))
    many = len(energy) >= LEAST
    means = ensemble_of(results)
    for number, (name, own) in enumerate(zip(("t²E", "t d(t²E)/dt"), curves, strict=True)):
        _draw_curves(left, times, own, number, shown)
        _mark_scale(left, name, number, means)
    for one in shown:
        right.plot(times, charge[one], color=SERIES[2], linewidth=0.9, alpha=0.5 if many else 1.0)
    left.axhline(LEVEL, color=MUTED, linestyle="--", linewidth=0.9)
    left.set_ylabel("dimensionless energy density")
    right.set_ylabel("topological charge")
    for axis in axes[0]:
        axis.set_xlabel("flow time t, lattice units")
    legend_above(left)
    band = (
        f" Lines are the means over all {len(energy)}, with bands of one standard error."
        if many
        else ""
    )
    return Drawing(
        canvas,
        f"The gradient flow of {number_of(len(shown), 'configuration')}. Left: t²E and "
        "t d(t²E)/dt; they reach 0.3, the dashed line, at t₀ and at w₀², the dotted ones. Right: "
        f"the charge, which settles as the fluctuations are smoothed.{band}",
    )


def _draw_curves(axis: Axes, times: Floats, curves: Floats, number: int, shown: list[int]) -> None:
    """Curves of single configurations; of many, faint ones, and their mean with its band."""
    colour, many = SERIES[number], len(curves) >= LEAST
    for one in shown:
        width, alpha = (0.6, 0.35) if many else (0.9, 1.0)
        axis.plot(times, curves[one], color=colour, linewidth=width, alpha=alpha)
    if many:
        band = Band.of(curves)
        axis.plot(times, band.mean, color=colour, linewidth=1.4)
        low, high = band.mean - band.error, band.mean + band.error
        axis.fill_between(times, low, high, color=colour, alpha=0.3, linewidth=0)


def _mark_scale(axis: Axes, name: str, number: int, means: Mapping[str, Any]) -> None:
    """The name of a curve, and its scale: a vertical line where it reaches the level."""
    key, scale, power = SCALES[number]
    found, error = means[key]["mean"], means[key]["error"]
    label = name
    if found is not None:
        axis.axvline(found**power, color=SERIES[number], linewidth=0.8, linestyle=":")
        label = f"{name}: {scale} = {with_error(found, error)}"
    axis.plot([], [], color=SERIES[number], label=label)
