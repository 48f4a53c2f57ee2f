"""The load of a study's ranks against the hour and against the day, as its plan has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes

from phasewise.driver import Floats
from phasewise.errors import StudyError
from phasewise.report.figure import Drawing, Missing
from phasewise.report.palette import SERIES
from phasewise.report.reported_run import ReportedRun
from phasewise.report.style import legend_above, new_picture
from phasewise.study import Study
from phasewise.workloads.atmosphere.communication import (
    ALL,
    MEASURED,
    NODE,
    NONE,
    PAIRS,
    TWIN,
    no_twins,
)
from phasewise.workloads.atmosphere.driver import schedule_of
from phasewise.workloads.atmosphere.maps import ranks_of, study_on_nodes
from phasewise.workloads.atmosphere.model import model_of
from phasewise.workloads.atmosphere.pictures import SEVERAL_RANKS

SHOWN = (NONE, NODE, TWIN, PAIRS, ALL)
"""The schemes that are drawn; what `measured` does depends on times."""
COLOURS = dict(zip((*SHOWN, MEASURED), SERIES, strict=False))
WIDTHS = dict(zip((*SHOWN, MEASURED), (1.3, 1.3, 4.2, 2.8, 1.3, 1.3), strict=False))
"""The colour and the width of each scheme's curve in all pictures; equal curves show each other."""
HOURS = np.arange(0.0, 24.0, 1.0)
DAYS = np.arange(1.0, 366.0, 14.0)
DAY_HOURS = (0.0, 6.0)
"""The hours whose loads are the mean of a day; others differ little."""
MOST_TIMES = 48
"""Most timesteps of costs from a file that are drawn."""

Loads = Mapping[str, Floats]
"""Loads by scheme."""


def shown_schemes(study: Study, ranks: int) -> list[str]:
    """The schemes that differ for a study."""
    absent = {TWIN} if no_twins(model_of(study)) else set()
    if not 1 < study.communication.node_ranks < ranks:
        absent.add(NODE)
    return [name for name in SHOWN if name not in absent]


def with_scheme(study: Study, name: str) -> Study:
    """The study with another scheme."""
    return study.replace(**{"communication.balance": name})


def load_of(study: Study, ranks: int, timestep: int = 0) -> float:
    """The largest over the mean cost of what ranks compute at a timestep."""
    return float(schedule_of(study, ranks, timestep).after.max())


def by_hour(study: Study, ranks: int, hours: Sequence[float] | Floats = HOURS) -> Loads:
    """The loads of each scheme at hours of the study's day."""
    return {
        name: np.array(
            [load_of(own.replace(**{"atmosphere.hour": float(hour)}), ranks) for hour in hours]
        )
        for name in shown_schemes(study, ranks)
        for own in (with_scheme(study, name),)
    }


def by_day(study: Study, ranks: int, days: Sequence[float] | Floats = DAYS) -> Loads:
    """The mean loads of each scheme on days of the year."""
    found: dict[str, Floats] = {}
    for name in shown_schemes(study, ranks):
        own = with_scheme(study, name)
        loads = [
            [
                load_of(own.replace(**{"atmosphere.day": int(day), "atmosphere.hour": hour}), ranks)
                for hour in DAY_HOURS
            ]
            for day in days
        ]
        found[name] = np.mean(loads, axis=1)
    return found


def by_timestep(study: Study, ranks: int) -> tuple[Floats, Loads]:
    """Timesteps of costs from a file, and the loads of each scheme."""
    times = np.unique(np.linspace(0, study.count - 1, min(study.count, MOST_TIMES)).astype(int))
    return times.astype(np.float64), {
        name: np.array([load_of(with_scheme(study, name), ranks, int(time)) for time in times])
        for name in shown_schemes(study, ranks)
    }


def draw_seasons(run: ReportedRun) -> Drawing | Missing:
    """The load by scheme against the hour of the day and the day of the year."""
    study, ranks = study_on_nodes(run), ranks_of(run)
    if ranks == 1:
        return SEVERAL_RANKS
    try:
        return _drawn(study, ranks)
    except StudyError as error:
        return Missing(f"{error}.")


def _drawn(study: Study, ranks: int) -> Drawing:
    model = model_of(study)
    if model.costs is not None:
        canvas, axes = new_picture(1, 1, 2.8)
        times, loads = by_timestep(study, ranks)
        _curves(axes[0, 0], times, loads, "timestep")
        return Drawing(canvas, f"Largest over mean cost of what each of {ranks} ranks computes.")
    canvas, axes = new_picture(1, 2, 2.8, sharey=True)
    _curves(axes[0, 0], HOURS, by_hour(study, ranks), "hour at longitude 0")
    _curves(axes[0, 1], DAYS, by_day(study, ranks), "day of the year")
    axes[0, 1].set_ylabel("")
    return Drawing(
        canvas,
        f"Largest over mean cost of what each of {ranks} ranks computes, as planned: on day "
        f"{model.day} by the hour, and by the day of the year at hours that stand for all. The sun "
        "is up over half of the columns in any season.",
    )


def _curves(axis: Axes, x: Floats, loads: Loads, label: str) -> None:
    for name, values in loads.items():
        axis.plot(x, values, color=COLOURS[name], linewidth=WIDTHS[name], label=name)
    axis.set_xlabel(label)
    axis.set_ylabel("load, largest over mean")
    legend_above(axis)
