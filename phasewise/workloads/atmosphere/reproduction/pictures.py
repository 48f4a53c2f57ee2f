"""Timesteps by scheme on the source's machines, against the ranks and against the bandwidth."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from phasewise.machines import load_machine
from phasewise.report.figure import Drawing, Figure, make_figure
from phasewise.report.style import MUTED, log_ticks, new_picture
from phasewise.report.tables import Table
from phasewise.workloads.atmosphere.communication import ALL, NONE
from phasewise.workloads.atmosphere.crossover import bandwidth_of
from phasewise.workloads.atmosphere.reproduction.times import (
    CHARTED,
    GRID,
    LEVELS,
    MACHINES,
    MODEL,
    MSP,
    OTHERS,
    Times,
    factors_in,
    on,
    ranks_in,
)
from phasewise.workloads.atmosphere.seasons import COLOURS, WIDTHS

PREDICTED = f"Predicted by the model {MODEL}"


def make_figures(times: Times, out: Path) -> tuple[Figure, ...]:
    """All pictures; PNG files go into `out`."""
    title = "CAM Load Balance (schemes against the bandwidth of messages)"
    return (make_figure("atmosphere-bandwidths", title, partial(_bandwidths, times), out),)


def _bandwidths(times: Times) -> Drawing:
    machines = (MSP, *OTHERS)
    canvas, axes = new_picture(1, len(machines), 2.8, sharey=True)
    for axis, machine in zip(axes[0], machines, strict=True):
        own = bandwidth_of(load_machine(machine), CHARTED)
        at = [factor for factor in factors_in(times) if on(times, machine, CHARTED, factor)]
        found = [on(times, machine, CHARTED, factor) for factor in at]
        for name in found[0]:
            shown = [one[name].seconds / one[NONE].seconds for one in found]
            axis.plot(
                [own * one for one in at], shown, color=COLOURS[name], linewidth=WIDTHS[name],
                label=name,
            )  # fmt: skip
        axis.axvline(own, color=MUTED, linestyle="--", linewidth=0.9)
        axis.set_xscale("log")
        log_ticks(axis, "x")
        axis.set_title(machine)
        axis.set_xlabel("bandwidth [B/s]")
    axes[0, 0].set_ylim(0.0, 2.0)
    axes[0, 0].set_ylabel("timestep over that of none")
    canvas.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    return Drawing(
        canvas,
        f"{GRID[0]} × {GRID[1]} columns of {LEVELS} levels on {CHARTED} ranks, with messages of "
        f"other bandwidths, within nodes too; the dashed line is the machine's own. {PREDICTED}.",
    )


def make_table(times: Times) -> Table:
    """Milliseconds of a timestep by machine, ranks and scheme."""
    rows = []
    for machine in MACHINES:
        for ranks in ranks_in(times):
            own = on(times, machine, ranks)
            best = min(own, key=lambda name: own[name].seconds)
            cells = (f"{1e3 * one.seconds:.4g}" for one in own.values())
            sent = f"{own[ALL].sent / 1e6:.3g}"
            rows.append((machine, str(ranks), *cells, best, f"{1e3 * own[ALL].moving:.3g}", sent))
    heads = ("machine", "ranks", *own, "shortest", "columns move with all [ms]", "all sends [MB]")
    note = f"{PREDICTED}, means over the hours of the solstice."
    return Table("Timesteps by scheme of balance [ms]", heads, tuple(rows), note)
