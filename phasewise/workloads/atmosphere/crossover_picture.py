"""Which scheme of balance pays, as a picture: predicted timesteps against the bandwidth of messages
and against the number of ranks, on the machine of a study.
"""

from __future__ import annotations

from matplotlib.axes import Axes

from phasewise.errors import StudyError
from phasewise.machines import Machine, load_machine
from phasewise.report.figure import Drawing, Missing
from phasewise.report.reported_run import ReportedRun
from phasewise.report.style import MUTED, legend_above, log_ticks, new_picture
from phasewise.study import Study
from phasewise.tuning.automatic import machine_of
from phasewise.workloads.atmosphere.crossover import (
    Crossover,
    Seconds,
    best_of,
    cross_over,
    over_ranks,
)
from phasewise.workloads.atmosphere.maps import ranks_of, study_of
from phasewise.workloads.atmosphere.seasons import COLOURS, WIDTHS

RANKS = tuple(2**power for power in range(1, 9))
USUAL_RANKS = 32
"""Ranks of the crossover of a run on one."""


def draw_crossover(run: ReportedRun) -> Drawing | Missing:
    """Timesteps by scheme on the machine of a simulated run, or else of communication.machine."""
    study, record = study_of(run), run.communication
    try:
        simulated = record.machine if record is not None else None
        machine = load_machine(simulated) if simulated else machine_of(study)
        ranks = ranks_of(run) if ranks_of(run) > 1 else USUAL_RANKS
        return drawn(study, machine, ranks)
    except StudyError as error:
        return Missing(f"{error}.")


def drawn(study: Study, machine: Machine, ranks: int) -> Drawing:
    """The picture for a study on ranks of a machine; StudyError if they do not fit."""
    found = cross_over(study, machine, ranks)
    numbers, seconds = over_ranks(study, machine, RANKS)
    canvas, axes = new_picture(1, 2, 3.0)
    _against_bandwidth(axes[0, 0], found)
    _against_ranks(axes[0, 1], numbers, seconds, found)
    words = _from_ranks(numbers, best_of(seconds, len(numbers)))
    return Drawing(
        canvas,
        f"Predicted timesteps over that of balance = none: at other bandwidths of messages, with "
        f"latencies and costs of calls as they are, on {ranks} ranks of {machine.name}, whose own "
        f"bandwidth is the dashed line, and on other numbers of ranks. {found.sentence} {words}",
    )


def _against_bandwidth(axis: Axes, found: Crossover) -> None:
    usual = next(iter(found.seconds.values()))
    for name, values in found.seconds.items():
        shown = [value / other for value, other in zip(values, usual, strict=True)]
        axis.plot(found.bandwidths, shown, color=COLOURS[name], linewidth=WIDTHS[name], label=name)
    axis.axvline(found.own, color=MUTED, linestyle="--", linewidth=0.9)
    axis.set_xscale("log")
    log_ticks(axis, "x")
    best = min(min(values) / max(usual) for values in found.seconds.values())
    axis.set_ylim(max(0.0, best - 0.1), 1.6)
    axis.set_xlabel("bandwidth of a message [B/s]")
    axis.set_ylabel("timestep over that of none")
    legend_above(axis)


def _against_ranks(axis: Axes, numbers: list[int], seconds: Seconds, beside: Crossover) -> None:
    """Curves that the other panel has too need no second label."""
    usual = next(iter(seconds.values()))
    for name, values in seconds.items():
        shown = [value / other for value, other in zip(values, usual, strict=True)]
        label = None if name in beside.seconds else name
        axis.plot(
            numbers, shown, "o-", markersize=3, color=COLOURS[name], linewidth=WIDTHS[name],
            label=label,
        )  # fmt: skip
    axis.set_xscale("log", base=2)
    axis.set_xticks(numbers, labels=[str(number) for number in numbers])
    axis.set_xlabel("ranks")
    legend_above(axis)


def _from_ranks(numbers: list[int], best: tuple[str, ...]) -> str:
    """From which number of ranks on each scheme is the best one."""
    if not numbers:
        return ""
    found = [(numbers[0], best[0])]
    found += [
        (number, name)
        for number, name, before in zip(numbers[1:], best[1:], best[:-1], strict=True)
        if name != before
    ]
    words = ", ".join(f"{name} from {number} on" for number, name in found)
    return f"On the numbers of ranks that are shown the best one is {words}."
