"""Pictures of predictions: times against the number of ranks, variants side by side, and measured
over predicted times, as in Figures 8, 7, 4 and 5 of Shan, Strohmaier, Qiang, Bailey, Yelick (2006).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from phasewise.errors import RunError
from phasewise.models import Prediction
from phasewise.report.figure import PNG_RESOLUTION, Drawing
from phasewise.report.palette import colours_of
from phasewise.report.picture_file import check_picture
from phasewise.report.style import INK, MUTED, new_picture, picture_style, scale
from phasewise.runs.disk import disk_reason, replacing
from phasewise.workload.interface import Unit

TURN = Unit()
MEASURED, SIMULATED = "measured", "simulated"
"""Sources of the actual times."""
COLOURS = ("#2f74d0", "#d9622b", "#2c9a63", "#8a63c9", "#b0638f", "#8a5a2b", "#0f7173", "#a3a9b1")
COMPUTATION, WAITING = "computation", "waiting"
"""Parts of a turn beside its phases."""
GROUP = 0.8
"""Share of a group's width that its bars take."""
LINE = 118
"""Most letters of a line over a picture."""
MAX_BANDS = 2
"""Most intervals drawn as areas; with more, each is a line beside its point."""
ASIDE = 0.06
"""Distance between such lines, as a power of two in the number of ranks."""


@dataclass(frozen=True)
class Series:
    """Seconds (n,) on numbers of ranks (n,), with their interval where they are predicted."""

    label: str
    ranks: tuple[int, ...]
    seconds: tuple[float, ...]
    low: tuple[float, ...] | None = None
    high: tuple[float, ...] | None = None
    measured: bool = False


@dataclass(frozen=True)
class Variant:
    """One group of bars of Figure 7: a variant's predicted time [s] and the actual one."""

    label: str
    predicted: float
    low: float
    high: float
    measured: float | None = None


def draw_predictions(
    predictions: Sequence[Prediction],
    title: str,
    source: str,
    unit: Unit,
    colours: Mapping[str, str],
) -> Drawing:
    """Communication and its interval by each model, beside the phases of the first one. colours:
    those of phases that look the same in all pictures.
    """
    models = list(dict.fromkeys(one.model for one in predictions))
    canvas, axes = new_picture(1, 2, 3.9, width_ratios=(1, 1))
    _draw_series(axes[0, 0], [series_of(predictions, model) for model in models], unit)
    first = [one for one in predictions if one.model == models[0]]
    _draw_phases(axes[0, 1], first, unit, colours)
    lines = [*wrap(title, LINE), *wrap(source, LINE)]
    canvas.suptitle("\n".join(lines), x=0.01, ha="left", fontsize=9, color=INK)
    return Drawing(
        canvas,
        f"Predicted communication of {unit.indefinite} with its 90 % interval, and its phases "
        f"beside the computation. {source}.",
    )


def series_of(predictions: Sequence[Prediction], model: str, label: str | None = None) -> Series:
    """The communication that a model predicts, by rising number of ranks."""
    own = sorted((one for one in predictions if one.model == model), key=lambda one: one.ranks)
    return Series(
        label or f"model {model}",
        tuple(one.ranks for one in own),
        tuple(one.communication_seconds for one in own),
        tuple(one.low for one in own),
        tuple(one.high for one in own),
    )


def draw_scaling(panels: Mapping[str, Sequence[Series]], source: str, unit: Unit = TURN) -> Drawing:
    """Communication against the number of ranks, with a panel for each machine, as in Figure 8."""
    canvas, axes = new_picture(1, max(len(panels), 1), 3.6)
    for axis, (name, series) in zip(axes[0], panels.items(), strict=False):
        _draw_series(axis, series, unit, f"{name}: ")
    return Drawing(
        canvas,
        f"Communication of {unit.indefinite} against the number of ranks: lines with their 90 % "
        f"interval are predicted, dots measured or simulated. {source}.",
    )


def draw_variants(
    panels: Mapping[str, Sequence[Variant]], source: str, unit: Unit = TURN, actual: str = MEASURED
) -> Drawing:
    """Predicted and actual communication of variants, with a panel for each machine, as in Figure
    7.

    actual: MEASURED or SIMULATED.
    """
    canvas, axes = new_picture(1, max(len(panels), 1), 3.6)
    for axis, (name, variants) in zip(axes[0], panels.items(), strict=False):
        _draw_variants(axis, variants, unit, f"{name}: ", actual)
    axes[0, 0].legend()
    return Drawing(
        canvas,
        f"Communication of {unit.indefinite}, predicted with its 90 % interval and {actual}. "
        f"{source}.",
    )


def draw_ratios(
    panels: Mapping[str, Mapping[str, Mapping[str, float]]], source: str, actual: str = MEASURED
) -> Drawing:
    """Actual over predicted communication, as in Figures 4 and 5. panels: panel → model → run →
    ratio.

    actual: MEASURED or SIMULATED.
    """
    canvas, axes = new_picture(1, max(len(panels), 1), 3.6, sharey=True)
    for axis, (name, models) in zip(axes[0], panels.items(), strict=False):
        _draw_ratios(axis, models)
        title = f"{actual} over predicted"
        axis.set_title(f"{name}: {title}" if name else title)
    axes[0, -1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return Drawing(canvas, f"Ratio of {actual} to predicted communication; 1 is right. {source}.")


def save_picture(draw: Callable[[], Drawing], path: str | Path) -> None:
    """Draw and write a picture in the format of its name; RunError if it cannot be written."""
    target = Path(path)
    check_picture(str(target))
    kind = target.suffix.lower().removeprefix(".")
    try:
        with replacing(target) as file, picture_style():
            draw().canvas.savefig(file, format=kind, dpi=PNG_RESOLUTION, facecolor="white")
    except OSError as error:
        raise RunError(f"{target} cannot be written ({disk_reason(error)})") from error


def _draw_series(axis: Axes, series: Sequence[Series], unit: Unit, opening: str = "") -> None:
    factor, second = scale([value for one in series for value in one.seconds], "s")
    predicted = [one for one in series if not one.measured]
    for one, colour in zip(series, _colours(len(series)), strict=True):
        seconds = np.array(one.seconds) * factor
        line = "none" if one.measured else "-"
        size = 4.5 if one.measured else 3
        axis.plot(
            one.ranks, seconds, "o", linestyle=line, color=colour, markersize=size, label=one.label
        )
        if one.low is None or one.high is None:
            continue
        low, high = np.array(one.low) * factor, np.array(one.high) * factor
        if len(predicted) <= MAX_BANDS:
            axis.fill_between(one.ranks, low, high, color=colour, alpha=0.15, linewidth=0)
        else:
            aside = 2 ** (ASIDE * (predicted.index(one) - (len(predicted) - 1) / 2))
            axis.vlines(np.array(one.ranks) * aside, low, high, color=colour, linewidth=1)
    axis.set_title(f"{opening}communication of {unit.indefinite} [{second}]")
    rank_axis(axis, sorted({number for one in series for number in one.ranks}))
    if any(value > 0 for one in series for value in one.seconds):
        logarithmic(axis)
    columns = min(len(series), 3)
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=columns)


def logarithmic(axis: Axes) -> None:
    """A logarithmic axis of values, with plain numbers at 1, 2 and 5."""
    axis.set_yscale("log")
    axis.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.yaxis.set_minor_locator(NullLocator())


def rank_axis(axis: Axes, ranks: Sequence[int]) -> None:
    """A logarithmic axis with ticks at these numbers of ranks; callers may change its label."""
    axis.set_xscale("log", base=2)
    axis.xaxis.set_major_locator(FixedLocator(list(ranks)))
    axis.xaxis.set_minor_locator(NullLocator())
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{round(value)}"))
    axis.set_xlabel("ranks")


def _draw_phases(
    axis: Axes, first: Sequence[Prediction], unit: Unit, chosen: Mapping[str, str]
) -> None:
    factor, second = scale([one.turn_seconds for one in first], "s")
    most = sorted(first, key=lambda one: -len(one.phases))
    names = (*dict.fromkeys(name for one in most for name in one.phases), WAITING)
    computes = (True, *(False,) * len(names))
    colours = colours_of((COMPUTATION, *names), computes, chosen) | {WAITING: MUTED}
    at, bottom = np.arange(len(first)), np.zeros(len(first))
    for name, colour in colours.items():
        values = [_part(one, name) for one in first]
        heights = np.array(values) * factor
        if heights.any():
            axis.bar(at, heights, 0.62, bottom, color=colour, label=name)
            bottom += heights
    axis.set_title(f"time of {unit.indefinite} [{second}], model {first[0].model}")
    axis.set_xticks(at, [str(one.ranks) for one in first])
    axis.set_xlabel("ranks")
    axis.grid(False, axis="x")
    handles, labels = axis.get_legend_handles_labels()
    axis.legend(handles[::-1], labels[::-1], loc="center left", bbox_to_anchor=(1.0, 0.5))


def _part(one: Prediction, name: str) -> float:
    """Seconds of one part of a turn; WAITING is the communication that a model assigns to no
    phase.
    """
    if name == COMPUTATION:
        return one.computation_seconds
    if name == WAITING:
        return max(one.communication_seconds - sum(one.phases.values()), 0.0)
    return one.phases.get(name, 0.0)


def _draw_variants(
    axis: Axes, variants: Sequence[Variant], unit: Unit, opening: str, actual: str
) -> None:
    factor, second = scale([one.predicted for one in variants], "s")
    at = np.arange(len(variants))
    predicted = np.array([one.predicted for one in variants]) * factor
    ends = np.array([[one.low for one in variants], [one.high for one in variants]]) * factor
    known = [(i, one.measured) for i, one in enumerate(variants) if one.measured is not None]
    width = GROUP / 2 if known else GROUP
    shift = width / 2 if known else 0.0
    if known:
        places, values = zip(*known, strict=True)
        heights = np.array(values) * factor
        axis.bar(np.array(places) - shift, heights, width, color=COLOURS[0], label=actual)
    axis.bar(at + shift, predicted, width, color=COLOURS[1], label="predicted")
    # An interval may lie to one side of the prediction if a model is known to be too low.
    axis.vlines(at + shift, ends[0], ends[1], color=INK, linewidth=1)
    axis.set_xticks(at, [one.label for one in variants])
    axis.set_title(f"{opening}communication of {unit.indefinite} [{second}]")
    axis.grid(False, axis="x")


def _draw_ratios(axis: Axes, models: Mapping[str, Mapping[str, float]]) -> None:
    runs = list(dict.fromkeys(run for ratios in models.values() for run in ratios))
    width = GROUP / max(len(runs), 1)
    for place, (run, colour) in enumerate(zip(runs, _colours(len(runs)), strict=True)):
        at = np.arange(len(models)) + (place - (len(runs) - 1) / 2) * width
        heights = [ratios.get(run, np.nan) for ratios in models.values()]
        axis.bar(at, heights, width, color=colour, label=run)
    axis.axhline(1.0, color=MUTED, linewidth=1)
    axis.set_xticks(np.arange(len(models)), [f"model {name}" for name in models])
    axis.grid(False, axis="x")


def _colours(count: int) -> list[str]:
    return [COLOURS[i % len(COLOURS)] for i in range(count)]
