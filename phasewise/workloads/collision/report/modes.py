"""Pictures in the tune plane: spectra of the coherent modes and the footprint of the particles."""

from __future__ import annotations

from math import gcd
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PathCollection

from phasewise.analysis.spectrum import Floats, Peak, amplitude_spectrum
from phasewise.report.figure import Drawing, Missing
from phasewise.report.style import INK, LINE, MUTED, log_ticks, new_picture, scientific, with_error
from phasewise.workloads.collision.analysis.coherent import PlaneModes, mode_spectra, shift_in_xi
from phasewise.workloads.collision.analysis.tune_footprint import Footprint
from phasewise.workloads.collision.report.beams_run import BeamsRun
from phasewise.workloads.collision.report.colours import BEAM, RESONANCE

MIN_TURNS = 64
MAX_RESONANCES = 12
HIGHEST_ORDER = 16


def draw_spectra(run: BeamsRun) -> Drawing | Missing:
    """Spectra of half the sum and half the difference of the centroids, σ and π marked; those of
    the beams themselves where a run cannot show the modes.
    """
    if len(run.turn) < MIN_TURNS:
        return Missing(f"Run at least turns = {MIN_TURNS} to see the spectra of the centroids.")
    if not np.isfinite(run.phasors).all():
        what = run.lost or "The centroids are not finite"
        return Missing(f"{what}: without centroids to the end there is no spectrum.")
    canvas, axes = new_picture(1, 2, 3.7)
    sentences = []
    for plane, name in enumerate("xy"):
        modes: PlaneModes = getattr(run.modes, name)
        _draw_plane(axes[0, plane], run, plane, modes)
        sentences.append(_sentence(name, modes))
    axes[0, 0].set_ylabel("amplitude [σ]")
    for axis in axes[0]:
        axis.legend(loc="upper left")
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
    first, second = run.phasors[0][plane], run.phasors[1][plane]
    if modes.sought:
        together, against = mode_spectra(first, second)
        names = "sum", "difference"
    else:
        together, against = amplitude_spectrum(first), amplitude_spectrum(second)
        names = "beam 1", "beam 2"
    tune = run.setting.tune(plane)
    if tune is None:
        tune = modes.sigma.frequency if modes.sigma else 0.25
    reach = min(max(3.2 * modes.xi, 25 / len(run.turn)), 0.25)
    top = floor = 0.0
    for spectrum, colour, label in (
        (against, BEAM[1], names[1]),
        (together, BEAM[0], names[0]),
    ):
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
    _mark(axis, modes.sigma, tune, "σ", size, BEAM[0], "right" if above else "left")
    _mark(axis, modes.pi, tune, "π", size, BEAM[1], "left" if above else "right")
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


def draw_footprint(run: BeamsRun) -> Drawing | Missing:
    """Tunes of the tracked particles with the resonance lines that cross them."""
    shown = [(i, found) for i, found in enumerate(run.footprints) if found is not None]
    if not shown:
        return Missing(
            "Set records.tracked to some hundreds, and run 64 turns or more, to see the footprint."
        )
    canvas, axes = new_picture(1, len(shown), 4.6 if len(shown) > 1 else 5.4)
    points = [_draw_one(axes[0, i], run, index, found) for i, (index, found) in enumerate(shown)]
    bar = canvas.colorbar(points[-1], ax=axes[0, -1], fraction=0.046, pad=0.02)
    bar.set_label("amplitude √(ax² + ay²) [σ]")
    bar.outline.set_visible(False)
    particles = sum(len(found.particle) for _, found in shown)
    turns = shown[0][1].turns
    return Drawing(
        canvas,
        f"Tunes of {particles} tracked particles over {turns} turns (NAFF, Hann window), by the "
        "amplitude of their line. Cross: machine tune; square: the machine tune shifted by the "
        "sum of ξ. Lines, labelled (m,n,p): resonances m Qx + n Qy = p of the lowest orders that "
        "cross the picture. "
        f"Lines within 2/T = {scientific(2 / turns, 2)} of each other are not told apart.",
    )


def _draw_one(axis: Axes, run: BeamsRun, index: int, found: Footprint) -> PathCollection:
    beam = run.setting.beams[index]
    machine = np.array(beam.tune or (0.0, 0.0)) % 1.0
    tune = machine + (found.tune - machine + 0.5) % 1.0 - 0.5
    sign = -1 if run.setting.like_charges else 1
    shifted = machine + sign * np.array(beam.xi)
    low, high = _limits(np.vstack([tune, machine, shifted]))
    _draw_resonances(axis, low, high)
    amplitude = np.hypot(found.amplitude[:, 0], found.amplitude[:, 1])
    order = np.argsort(-amplitude)
    points = axis.scatter(
        tune[order, 0],
        tune[order, 1],
        c=amplitude[order],
        s=7,
        linewidths=0,
        vmin=0,
        vmax=6,
        rasterized=True,
    )
    axis.plot(*machine, "+", color=INK, markersize=11, markeredgewidth=1.6)
    axis.plot(*shifted, "s", color=INK, markersize=6, markerfacecolor="none")
    axis.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    axis.set_title(f"beam {index + 1}")
    axis.set_xlabel("Qx")
    axis.set_ylabel("Qy")
    axis.grid(False)
    axis.tick_params(axis="x", labelrotation=30)
    return points


def _limits(points: Floats) -> tuple[Floats, Floats]:
    """A square window around nearly all points."""
    low, high = np.quantile(points[:-2], [0.005, 0.995], axis=0)
    low, high = np.minimum(low, points[-2:].min(axis=0)), np.maximum(high, points[-2:].max(axis=0))
    centre, half = (low + high) / 2, 0.6 * float(np.max(high - low)) + 1e-5
    return centre - half, centre + half


def _draw_resonances(axis: Axes, low: Floats, high: Floats) -> None:
    for m, n, p, corners in resonances(low, high):
        strength = max(0.35, 1.5 - 0.11 * (abs(m) + abs(n)))
        axis.plot(*corners.T, color=RESONANCE, linewidth=strength, alpha=0.65, zorder=0)
        along = corners[0] + 0.92 * (corners[1] - corners[0])
        style: dict[str, Any] = {"fontsize": 6.0, "color": MUTED, "ha": "center", "va": "center"}
        axis.text(along[0], along[1], f"({m},{n},{p})", clip_on=True, **style)
    axis.spines[["left", "bottom"]].set_color(LINE)


def resonances(low: Floats, high: Floats) -> list[tuple[int, int, int, Floats]]:
    """Resonances m Qx + n Qy = p through a window of the tune plane, lowest orders first.

    Each with the two points (2, 2) where it meets the window's border. Only whole orders are
    given, and no more than fit in a readable picture.
    """
    found: list[tuple[int, int, int, Floats]] = []
    for order in range(1, HIGHEST_ORDER + 1):
        of_order = []
        for m in range(order + 1):
            for n in {order - m, m - order}:
                if m == 0 and n < 0:
                    continue
                corner = [m * x + n * y for x in (low[0], high[0]) for y in (low[1], high[1])]
                for p in range(int(np.ceil(min(corner))), int(np.floor(max(corner))) + 1):
                    ends = _crossings(m, n, p, low, high)
                    if ends is not None and gcd(gcd(m, n), p) == 1:
                        of_order.append((m, n, p, ends))
        if len(found) + len(of_order) > MAX_RESONANCES:
            break
        found += of_order
    return found


def _crossings(m: int, n: int, p: int, low: Floats, high: Floats) -> Floats | None:
    ends = []
    if n:
        ends += [(x, (p - m * x) / n) for x in (low[0], high[0])]
    if m:
        ends += [((p - n * y) / m, y) for y in (low[1], high[1])]
    margin = 1e-12
    inside = [
        end
        for end in ends
        if low[0] - margin <= end[0] <= high[0] + margin
        and low[1] - margin <= end[1] <= high[1] + margin
    ]
    return np.array([min(inside), max(inside)]) if len(inside) >= 2 else None
