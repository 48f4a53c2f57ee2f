"""Picture of the coherent modes: spectra of the centroids."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from phasewise.analysis.spectrum import Peak, amplitude_spectrum
from phasewise.report.beams.colours import BEAM
from phasewise.report.figure import Drawing, Missing
from phasewise.report.style import log_ticks, new_picture, scientific, with_error
from phasewise.workloads.collision.analysis.coherent import PlaneModes, shift_in_xi
from phasewise.workloads.collision.report.beams_run import BeamsRun

MODES = ("#12817a", "#b3378c")
"""Colours of the sum and the difference of the centroids, neither of which is a beam."""
MIN_TURNS = 64


def draw_spectra(run: BeamsRun) -> Drawing | Missing:
    """Spectra of half the sum and half the difference of the centroids, σ and π marked; those of
    the beams themselves if a run cannot show the modes.
    """
    if len(run.turn) < MIN_TURNS:
        return Missing(f"Run at least turns = {MIN_TURNS} to see the spectra of the centroids.")
    if run.without_centroids:
        return Missing(run.without_centroids)
    canvas, axes = new_picture(1, 2, 3.7)
    sentences = []
    for plane, name in enumerate("xy"):
        modes: PlaneModes = getattr(run.modes, name)
        _draw_plane(axes[0, plane], run, plane, modes)
        sentences.append(_sentence(name, modes))
    axes[0, 0].set_ylabel("amplitude [σ]")
    for axis in axes[0]:
        handles, labels = axis.get_legend_handles_labels()
        axis.legend(handles[::-1], labels[::-1], loc="upper left")
    side = "below" if run.setting.like_charges else "above"
    if not (run.modes.x.sought or run.modes.y.sought):
        what = "Amplitude spectra (Hann window) of the centroids' phasors of each beam at IP 1."
    else:
        what = (
            "Amplitude spectra (Hann window) of half the sum and half the difference of the "
            f"centroids' phasors at IP 1. The π mode of these charges is expected {side} the σ "
            "mode; Y is their distance over ξ summed over the IPs."
        )
    return Drawing(canvas, f"{what} {' '.join(sentences)}")


def _draw_plane(axis: Axes, run: BeamsRun, plane: int, modes: PlaneModes) -> None:
    size = np.sqrt(run.setting.beams[0].emittance[plane])
    colours = MODES if modes.sought else BEAM
    tune = run.centre(plane)
    reach = min(max(3.2 * modes.xi, 25 / len(run.turn)), 0.25)
    top = floor = 0.0
    for (label, signal), colour in reversed(list(zip(run.pair(plane), colours, strict=True))):
        spectrum = amplitude_spectrum(signal)
        away = shift_in_xi(spectrum.frequency, tune, 1.0, complex_signal=True)
        order = np.argsort(away)
        near = order[np.abs(away[order]) <= reach]
        height = np.maximum(spectrum.amplitude[near] / size, 1e-16)
        axis.semilogy(tune + away[near], height, color=colour, label=label, linewidth=1.0)
        top = max(top, float(height.max()))
        floor = float(np.median(height)) if floor == 0 else min(floor, float(np.median(height)))
    axis.set_ylim(max(floor / 10, top * 1e-7), top * 12)
    axis.set_xlim(tune - reach, tune + reach)
    log_ticks(axis)
    above = (modes.shift or 0.0) > 0
    _mark(axis, modes.sigma, tune, "σ", size, MODES[0], "right" if above else "left")
    _mark(axis, modes.pi, tune, "π", size, MODES[1], "left" if above else "right")
    axis.set_xlabel(f"fractional tune, {'xy'[plane]}")
    if modes.xi > 0:
        upper = axis.secondary_xaxis(
            "top",
            functions=(
                lambda q: (np.asarray(q) - tune) / modes.xi,
                lambda u: tune + np.asarray(u) * modes.xi,
            ),
        )
        upper.set_xlabel("(tune − machine tune) / ξ")


def _mark(
    axis: Axes, peak: Peak | None, tune: float, name: str, size: float, colour: str, side: str
) -> None:
    """Mark a line; its name goes to the side where the other one is not."""
    if peak is None:
        return
    place = tune + (peak.frequency - tune + 0.5) % 1.0 - 0.5
    height = peak.amplitude / size
    axis.plot([place], [height], "v", color=colour, markersize=5)
    axis.annotate(
        f"{name} {place % 1.0:.5f}",
        (place, height),
        xytext=(-4 if side == "right" else 4, 5),
        textcoords="offset points",
        ha=side,
        color=colour,
        fontsize=8.0,
    )


def _sentence(name: str, modes: PlaneModes) -> str:
    if modes.yokoya is not None:
        aside = "" if modes.shifted_as_expected else ", on the unexpected side"
        factor = with_error(modes.yokoya, modes.yokoya_error)
        return f"{name}: Y = {factor}{aside}, ξ = {scientific(modes.xi)}."
    advice = ""
    if modes.sought and modes.xi > 0:
        advice = "; beam.1.offset_sigma of a few hundredths excites both modes"
    return f"{name}: there is no Y, as {modes.why}{advice}."
