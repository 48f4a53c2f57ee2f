"""The slides' curves of POP: platforms, implementations, and their phases."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from matplotlib.axes import Axes

from phasewise.report.figure import Drawing, Figure, make_figure
from phasewise.report.palette import SERIES
from phasewise.report.predictions import logarithmic, rank_axis
from phasewise.report.style import MUTED, new_picture
from phasewise.report.tables import Table
from phasewise.workloads.ocean.grid import TENTH, X1
from phasewise.workloads.ocean.laboratory import OceanLaboratory
from phasewise.workloads.ocean.reproduction.stages import (
    ALTIX,
    COARRAYS,
    ITERATIONS,
    LARGER,
    MESSAGES,
    MSP,
    ORIGINAL,
    SIMULATOR,
    VECTOR,
    Way,
)
from phasewise.workloads.ocean.reproduction.times import (
    BAROCLINIC,
    CHARTED,
    MODEL,
    Time,
    Times,
    of_stage,
)

PREDICTED = f"Predicted by the model {MODEL}; the reference is a simulator, not hardware"
STAGES = (ORIGINAL, VECTOR, MESSAGES, COARRAYS)
Curves = Mapping[str, Mapping[int, float]]
YEARS = "simulated years a day"


def make_figures(times: Times, out: Path) -> tuple[Figure, ...]:
    """All curves; PNG files go into `out`."""
    drawn: dict[str, tuple[str, Callable[[], Drawing]]] = {
        "ocean-platforms": ("POP Simulation Rate", partial(_platforms, times)),
        "ocean-implementations": ("POP Implementation Comparison", partial(_stages, times)),
        "ocean-diagnosis": ("POP Performance Diagnosis", partial(_shares, times)),
        "ocean-tenth": ("POP Simulation Rate: 0.1 benchmark (the solver)", partial(_tenth, times)),
    }
    return tuple(make_figure(name, title, draw, out) for name, (title, draw) in drawn.items())


def _platforms(times: Times) -> Drawing:
    curves = {
        f"{machine}, {stage}": {n: one.years for n, one in of_stage(times, stage, machine).items()}
        for machine, stage in (
            (MSP, MESSAGES), (LARGER, COARRAYS), (SIMULATOR, MESSAGES), (ALTIX, MESSAGES),
        )
    }  # fmt: skip
    canvas, axes = new_picture(1, 1, 3.8)
    _lines(axes[0, 0], curves)
    axes[0, 0].set_title(YEARS)
    axes[0, 0].legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return Drawing(
        canvas,
        f"A timestep of x1 with {ITERATIONS[X1]} iterations of the solver. {PREDICTED}.",
    )


def _stages(times: Times) -> Drawing:
    own = {stage: of_stage(times, stage, MSP) for stage in STAGES}
    panels: dict[str, Callable[[Time], float]] = {
        f"whole [{YEARS}]": lambda one: one.years,
        "baroclinic phase [ms]": lambda one: 1e3 * baroclinic(one),
        "barotropic phase [ms]": lambda one: 1e3 * barotropic(one),
    }
    canvas, axes = new_picture(1, len(panels), 3.6)
    for axis, (title, value) in zip(axes[0], panels.items(), strict=True):
        _lines(
            axis, {stage: {n: value(t) for n, t in found.items()} for stage, found in own.items()}
        )
        axis.set_title(title)
    canvas.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return Drawing(
        canvas,
        f"Stages of the program on {MSP}: the whole timestep of x1, and the time of its phases "
        f"without waiting that belongs to none. {PREDICTED}.",
    )


def baroclinic(one: Time) -> float:
    """Seconds of the baroclinic phase."""
    return one.task(*BAROCLINIC)


def barotropic(one: Time) -> float:
    """Seconds of the barotropic phase."""
    return one.task(*(name for name in OceanLaboratory.TASKS if name not in BAROCLINIC))


def _shares(times: Times) -> Drawing:
    curves = {
        f"{machine}, {stage}": {
            n: 100 * one.share for n, one in of_stage(times, stage, machine).items()
        }
        for machine, stage in (
            (MSP, MESSAGES), (LARGER, COARRAYS), (SIMULATOR, MESSAGES), (ALTIX, MESSAGES),
        )
    }  # fmt: skip
    return _share_picture(curves, f"x1 with {ITERATIONS[X1]} iterations")


def _tenth(times: Times) -> Drawing:
    curves = {
        f"{machine}, {stage}": {
            n: 100 * one.share for n, one in of_stage(times, stage, machine, TENTH).items()
        }
        for machine, stage in ((LARGER, COARRAYS), (SIMULATOR, MESSAGES))
    }
    return _share_picture(curves, f"The solver of tenth with {ITERATIONS[TENTH]} iterations")


def _share_picture(curves: Curves, what: str) -> Drawing:
    canvas, axes = new_picture(1, 1, 3.6)
    axis = axes[0, 0]
    _lines(axis, curves, logarithm=False)
    axis.axhline(50.0, color=MUTED, linewidth=0.8)
    axis.set_ylim(0, 100)
    axis.set_title("communication [% of a timestep]")
    axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return Drawing(canvas, f"{what}; the line is at a half. {PREDICTED}.")


def _lines(axis: Axes, curves: Curves, logarithm: bool = True) -> None:
    for colour, (name, curve) in zip(SERIES, curves.items(), strict=False):
        axis.plot(list(curve), list(curve.values()), "o-", color=colour, markersize=3, label=name)
    rank_axis(axis, sorted({at for curve in curves.values() for at in curve}))
    axis.tick_params(axis="x", labelsize="x-small", rotation=60)
    if logarithm:
        logarithmic(axis)


def make_table(times: Times) -> Table:
    """Milliseconds of each task on the charted ranks, stage by stage."""
    own = {stage: times[Way(stage, MSP, CHARTED)] for stage in STAGES}
    rows = [
        (task, *(f"{1e3 * one.task(task):.3g}" for one in own.values()))
        for task in OceanLaboratory.TASKS
    ]
    rows.append(("a timestep", *(f"{1e3 * one.seconds:.3g}" for one in own.values())))
    note = f"{PREDICTED}. Waiting that belongs to no phase counts in the timestep alone."
    return Table(
        f"Tasks of x1 on {CHARTED} ranks of {MSP} [ms]", ("task", *STAGES), tuple(rows), note
    )
