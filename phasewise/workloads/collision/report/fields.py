"""Pictures of the collision itself: field of a slice, slices, luminosity of the slice pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import MaxNLocator

from phasewise.analysis.spectrum import Floats
from phasewise.report.beams.colours import BEAM
from phasewise.report.figure import Drawing, Missing
from phasewise.report.style import INK, MUTED, new_picture, scale, scientific, whole_ticks
from phasewise.workloads.collision.report.beams_run import BeamsRun
from phasewise.workloads.collision.tables.point import slices_of

ONE_SLICE = Missing("Set slices to more than 1 at the interaction point to see slices compared.")

MOST_FLAT = 5.0
"""A mesh whose sides differ by a larger factor is drawn in rms sizes of its charge."""
PANEL = 2.3
"""Width of one of three panels beside each other [inches]."""
MOST_HEIGHT = 3.0
"""Largest height of a panel [inches]."""


def draw_field(run: BeamsRun) -> Drawing | Missing:
    """Charge, potential and field of the middle slice of both beams at the first IP.

    Both axes have the same scale, in metres or, if the mesh is flat, in rms sizes.
    """
    turns = run.results.snapshots("field")
    if not turns:
        return Missing(
            'Set records.field = true with model = "strong-strong" to see the field of a slice '
            "of the last turn."
        )
    turn, ip = turns[-1], _first_mesh(run)
    fields = [run.results.field(turn, ip, beam) for beam in (1, 2)]
    flat = any(_flatness(field) > MOST_FLAT for field in fields)
    height = max(1.0, max(_height(field, flat) for field in fields) * PANEL)
    canvas, axes = new_picture(2, 3, 2 * (min(height, MOST_HEIGHT) + 0.7))
    for index, field in enumerate(fields):
        x, y, labels = _in_sizes(field) if flat else _in_metres(field)
        size = np.hypot(field["ex"], field["ey"])
        potential = field["potential"] - field["potential"].min()
        titles = ("charge", "potential", "field |E|")
        for axis, title, values in zip(
            axes[index], titles, (field["charge"], potential, size), strict=True
        ):
            picture = _image(axis, x, y, values)
            axis.set_title(f"beam {index + 1}, {title}")
            axis.set(xlabel=labels[0], ylabel=labels[1])
        if np.ptp(potential) > 0:
            look: dict[str, Any] = {"colors": "white", "linewidths": 0.5, "alpha": 0.7}
            axes[index, 1].contour(x, y, potential.T, levels=9, **look)
    bar = canvas.colorbar(picture, ax=list(axes.flat), fraction=0.03, pad=0.02, shrink=0.8)
    bar.outline.set_visible(False)
    bar.set_label("over the largest value of the panel")
    unit = "rms sizes σ of the charge shown, as the mesh is flat" if flat else "metres"
    return Drawing(
        canvas,
        f"Middle slice of each beam at IP {ip}, turn {turn}, on its mesh; the potential is counted "
        "from its lowest value on the mesh, and the lines are equipotentials. Both axes have one "
        f"scale, in {unit}.",
    )


def _spans(x: Floats, y: Floats) -> tuple[float, float]:
    return float(np.ptp(x)), float(np.ptp(y))


def _flatness(field: dict[str, Floats]) -> float:
    """The longer side of a field's mesh divided by the shorter one."""
    spans = _spans(field["x"], field["y"])
    return max(spans) / min(spans)


def _height(field: dict[str, Floats], flat: bool) -> float:
    """The height of a field's panel divided by its width."""
    x, y, _ = _in_sizes(field) if flat else _in_metres(field)
    width, height = _spans(x, y)
    return height / width


def _in_metres(field: dict[str, Floats]) -> tuple[Floats, Floats, tuple[str, str]]:
    """The mesh in one unit of length along both axes, and their labels."""
    factor, unit = scale(np.concatenate([field["x"], field["y"]]), "m")
    return field["x"] * factor, field["y"] * factor, (f"x [{unit}]", f"y [{unit}]")


def _in_sizes(field: dict[str, Floats]) -> tuple[Floats, Floats, tuple[str, str]]:
    """The mesh in rms sizes of the charge on it, and the labels of the axes with these sizes."""
    found, labels = [], []
    for name, along in (("x", 1), ("y", 0)):
        charge = np.abs(field["charge"]).sum(axis=along)
        total = max(float(charge.sum()), np.finfo(float).tiny)
        away = field[name] - charge @ field[name] / total
        size = float(np.sqrt(charge @ away**2 / total)) or float(np.ptp(away))
        factor, unit = scale(size, "m")
        found.append(field[name] / size)
        labels.append(f"{name} / σ {name} ({size * factor:.3g} {unit})")
    return found[0], found[1], (labels[0], labels[1])


def _image(axis: Axes, x: Floats, y: Floats, values: Floats) -> Any:
    """Draw values (nx, ny) relative to the largest, with the same scale in x and y."""
    largest = max(float(np.max(values)), np.finfo(float).tiny)
    picture = axis.imshow(
        (values / largest).T,
        origin="lower",
        extent=(x[0], x[-1], y[0], y[-1]),
        aspect="equal",
        vmin=0,
        vmax=1,
    )
    axis.xaxis.set_major_locator(MaxNLocator(5))
    axis.yaxis.set_major_locator(MaxNLocator(5))
    axis.grid(False)
    return picture


def draw_pair_luminosity(run: BeamsRun) -> Drawing | Missing:
    """Share of the luminosity that each pair of slices gives."""
    turns = run.results.snapshots("pair_luminosity")
    if not turns:
        return Missing(
            "Set records.pair_luminosity_every to a number of turns to see the luminosity of each "
            "pair of slices."
        )
    turn = turns[-1]
    points = [k for k in run.points if max(_slices(run, k)) > 1][:3]
    if not points:
        return ONE_SLICE
    canvas, axes = new_picture(1, max(len(points), 2), 3.6)
    totals = []
    for axis, ip in zip(axes[0], points, strict=False):
        pairs = run.results.pair_luminosity(turn, ip)
        total = float(np.nansum(pairs))
        totals.append(f"IP {ip}: {scientific(total)} m⁻² per crossing")
        share = 100 * pairs / total if total > 0 else np.zeros_like(pairs)
        ends = [count + 0.5 for count in pairs.shape]
        picture = axis.imshow(
            share.T,
            origin="lower",
            extent=(0.5, ends[0], 0.5, ends[1]),
            aspect="auto" if ends[0] != ends[1] else "equal",
            interpolation="nearest",
            vmin=0,
        )
        _bar(canvas, picture, axis, "share [%]")
        axis.set_title(f"IP {ip}")
        axis.set_xlabel("slice of beam 1")
        axis.set_ylabel("slice of beam 2")
        axis.grid(False)
        whole_ticks(axis.xaxis)
        whole_ticks(axis.yaxis)
    if len(points) == 1:
        _draw_by_step(axes[0, 1], run.results.pair_luminosity(turn, points[0]))
    return Drawing(
        canvas,
        f"Luminosity of each pair of slices at turn {turn}, slices numbered from the head; sum "
        f"{', '.join(totals)}.",
    )


def _draw_by_step(axis: Axes, pairs: Floats) -> None:
    steps = np.arange(1, sum(pairs.shape))
    total = max(float(np.nansum(pairs)), np.finfo(float).tiny)
    # Step k collides the pairs i + j = k + 1: the antidiagonals.
    share = [100 * np.trace(np.fliplr(pairs), offset=pairs.shape[1] - k) / total for k in steps]
    axis.bar(steps, share, color=MUTED, width=0.8)
    axis.set_xlabel("step of the collision")
    axis.set_title("share by step [%]")
    axis.grid(False, axis="x")
    whole_ticks(axis.xaxis)


def draw_slices(run: BeamsRun) -> Drawing | Missing:
    """Charge, centroids and sizes along the bunches at the last turn at which they were
    recorded.
    """
    turns = run.results.snapshots("slices")
    if not turns:
        return Missing("Set records.slices_every to a number of turns to see the slices.")
    turn, ip = turns[-1], run.points[0]
    if max(_slices(run, ip)) == 1:
        return ONE_SLICE
    tables = [run.results.slices(turn, ip, beam) for beam in (1, 2)]
    canvas, axes = new_picture(2, 3, 4.8, sharex=True)
    z_factor, z_unit = scale(np.concatenate([t["z"] for t in tables]), "m")
    rows = (("mean", "⟨{}⟩"), ("sigma", "σ {}"))
    for row, (key, label) in enumerate(rows):
        for plane, name in enumerate("xy"):
            axis = axes[row, plane]
            factor, unit = scale(np.concatenate([t[key][:, 2 * plane] for t in tables]), "m")
            for index, table in enumerate(tables):
                _along(axis, table, table[key][:, 2 * plane] * factor, z_factor, index)
            axis.set_title(f"{label.format(name)} [{unit}]")
    for index, table in enumerate(tables):
        share = 100 * table["count"] / max(float(table["count"].sum()), 1.0)
        _along(axes[0, 2], table, share, z_factor, index)
    axes[0, 2].set_title("share of the particles [%]")
    axes[0, 2].set_ylim(0, 1.1 * axes[0, 2].get_ylim()[1])
    axes[0, 2].legend(loc="lower center", ncols=2)
    for index, table in enumerate(tables):
        _along(axes[1, 2], table, table["sigma"][:, 2] / table["sigma"][:, 0], z_factor, index)
    axes[1, 2].set_title("σ y / σ x")
    for axis in axes[1]:
        axis.set_xlabel(f"z [{z_unit}]")
    return Drawing(
        canvas,
        f"Slices at IP {ip}, turn {turn}, in the frame of the collision; the head is at positive "
        "z of each beam.",
    )


def _along(axis: Axes, table: dict[str, Floats], values: Floats, factor: float, index: int) -> None:
    """Draw one quantity along a bunch; beam 2 has thinner marks, which are seen on those of beam
    1.
    """
    look: dict[str, Any] = {"linewidth": (2.2, 1.0)[index], "markersize": (5, 2.5)[index]}
    label = f"beam {index + 1}"
    axis.plot(table["z"] * factor, values, "o-", color=BEAM[index], label=label, **look)


def _slices(run: BeamsRun, ip: int) -> tuple[int, int]:
    return slices_of(run.study["ip"][str(ip)])


def _first_mesh(run: BeamsRun) -> int:
    """First interaction point with a mesh."""
    return next(k for k in run.points if run.study["ip"][str(k)]["model"] == "strong-strong")


def _bar(canvas: Canvas, picture: Any, axis: Axes, label: str | None) -> None:
    bar = canvas.colorbar(picture, ax=axis, fraction=0.046, pad=0.02)
    bar.outline.set_visible(False)
    bar.ax.tick_params(color=INK)
    if label:
        bar.set_label(label)
