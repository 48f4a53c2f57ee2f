"""Figures 3 to 9 of the source paper, from simulated runs, probes and predictions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib.colors import LogNorm
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

from phasewise.machines.curves import Curve, find
from phasewise.report.beams.colours import BEAM
from phasewise.report.figure import Drawing, Figure, Missing, make_figure
from phasewise.report.palette import STATES
from phasewise.report.predictions import (
    SIMULATED,
    Series,
    Variant,
    draw_ratios,
    draw_scaling,
    draw_variants,
)
from phasewise.report.style import INK, MUTED, new_picture, whole_ticks
from phasewise.workloads.collision.reproduction.claims import SMP, TORI
from phasewise.workloads.collision.reproduction.extent import VARIANTS, Run
from phasewise.workloads.collision.reproduction.plans import traffic
from phasewise.workloads.collision.reproduction.results import PaperResults

LEVELS = ("1a", "1b", "2", "3", "4")
GRIDS = ("1b", "4", "5", "6")
"""The paper's models that the figures show for SMP machines and for tori."""

SOURCE = "The reference is a simulator, not hardware"
MATRIX_RANKS = 128
KIB = 1024


def make_figures(results: PaperResults, pictures: Path | None) -> list[Figure]:
    """All figures in the order of the paper; those of many machines one by one."""
    drawn: list[tuple[str, str, Callable[[], Drawing | Missing]]] = [
        ("figure-3", "Figure 3: total and communication time", lambda: _times(results))
    ]
    ratios: list[tuple[int, str, str, Sequence[str]]] = []
    ratios += [(4, name, "base", LEVELS) for name in SMP]
    ratios += [(5, name, "base", GRIDS) for name in TORI]
    ratios += [(5, "jaguar", "optimised", GRIDS)]
    for number, name, variant, models in ratios:
        title = f"Figure {number}: models on {name}, {variant}"
        draw = partial(_ratios, results, name, variant, models)
        drawn.append((f"figure-{number}-{name}-{variant}", title, draw))
    drawn.append(("figure-6", "Figure 6: message times", lambda: _protocol(results)))
    for number, word, panel in ((7, "gains", _gains), (8, "scaling", _scaling)):
        for name in (*SMP, *TORI):
            title = f"Figure {number}: {word} on {name}"
            drawn.append((f"figure-{number}-{name}", title, partial(panel, results, name)))
    drawn.append(("figure-9", "Figure 9: volume between ranks", _matrices))
    return [make_figure(name, title, draw, pictures) for name, title, draw in drawn]


def _source(results: PaperResults) -> str:
    kept = f". Simulations were kept from {results.kept}" if results.kept else ""
    return f"{SOURCE}{kept}"


def _times(results: PaperResults) -> Drawing:
    """Total and communication time and its share, as in Figure 3."""
    names, ranks = list(results.machines), results.extent.ranks
    canvas, axes = new_picture(1, len(names), 3.4)
    for axis, name in zip(axes[0], names, strict=True):
        exchange = np.array([results.simulated[Run(name, n, "base")] for n in ranks])
        total = exchange + np.array([results.computing[name, n] for n in ranks])
        at = np.arange(len(ranks))
        axis.bar(at - 0.2, total, 0.4, color=STATES["computing"], label="total")
        axis.bar(at + 0.2, exchange, 0.4, color=STATES["communicating"], label="communication")
        for place, share, height in zip(at, exchange / total, total, strict=True):
            axis.annotate(
                f"{100 * share:.0f} %", (place, height), ha="center", va="bottom", fontsize=7
            )
        axis.set_xticks(at, [str(n) for n in ranks])
        axis.set_title(f"{name} [s]")
        axis.set_xlabel("ranks")
        axis.grid(False, axis="x")
        axis.margins(y=0.3)
    axes[0, 0].legend()
    return Drawing(
        canvas,
        "Time of a turn of the base, and the share of communication. Communication is simulated. "
        f"{_source(results)}. Computation is the work of the kernels at the processor rates of the "
        "machine files, which are assumed, with the original code's work for each particle.",
    )


def _ratios(
    results: PaperResults, name: str, variant: str, models: Sequence[str]
) -> Drawing | Missing:
    """Simulated time relative to that of the paper's models and of `contention`, as in Figures 4
    and 5.
    """
    found = _ratios_of(results, name, variant, (*models, "contention"))
    return draw_ratios({f"{name}, {variant}": found}, _source(results), SIMULATED)


def _ratios_of(
    results: PaperResults, name: str, variant: str, models: Sequence[str]
) -> dict[str, dict[str, float]]:
    """Model → ranks → simulated over predicted."""
    found: dict[str, dict[str, float]] = {}
    for model in models:
        for ranks in results.extent.ranks:
            run = Run(name, ranks, variant)
            ours = model == "contention"
            ratio = results.own_ratio(run, model) if ours else results.ratio(run, model)
            if ratio is not None:
                found.setdefault(model, {})[str(ranks)] = ratio
    return found


def _protocol(results: PaperResults) -> Drawing | Missing:
    """Times of single messages with the protocol's change, and L + s/B, as in Figure 6."""
    name = "jacquard"
    machine = results.machines[name]
    curves = {
        title: find(machine.curves, benchmark, level="network", pairs=machine.node_ranks)
        for title, benchmark in (("ping-ping", "ping-ping"), ("parallel ping-ping", "parallel"))
    }
    known = {title: curve for title, curve in curves.items() if curve is not None}
    if not known:
        return Missing(f"{name} has no measured curves.")
    canvas, axes = new_picture(1, len(known), 3.4)
    for axis, (title, curve) in zip(axes[0], known.items(), strict=False):
        sizes, seconds = _positive(curve)
        axis.loglog(sizes, 1e6 * seconds, "-o", color=BEAM[0], markersize=2.5, label="twin")
        line = np.array([curve.line.seconds(size) for size in sizes])
        axis.loglog(sizes, 1e6 * line, "--", color=MUTED, label="L + s/B, fitted")
        key = "ping_ping" if title == "ping-ping" else "parallel_inter"
        if key in machine.paper:
            stated = np.array([machine.paper[key].seconds(size) for size in sizes])
            axis.loglog(sizes, 1e6 * stated, ":", color=INK, label="L + s/B of Table 4")
        for edge in (4 * KIB, 128 * KIB):
            axis.axvline(edge, color=BEAM[1], linewidth=0.8)
        axis.set_title(f"{name}, {title}: time of a message [µs]")
        axis.set_xlabel("bytes")
        axis.legend()
    return Drawing(
        canvas,
        "Time of a message between two nodes against its size, measured on the simulated machine; "
        "lines at 4 and 128 kB, between which the paper's Figure 6 leaves the straight line, from "
        f"which its protocol was set. {_source(results)}.",
    )


def _positive(curve: Curve) -> tuple[np.ndarray, np.ndarray]:
    sizes, seconds = np.array(curve.sizes, dtype=float), np.array(curve.seconds)
    return sizes[sizes > 0], seconds[sizes > 0]


def _gains(results: PaperResults, name: str) -> Drawing | Missing:
    """Simulated and predicted time of each variant on the most ranks, as in Figure 7."""
    ranks, model = results.extent.ranks[-1], "contention"
    variants = []
    for variant in VARIANTS:
        found = results.predicted.get((Run(name, ranks, variant), model))
        if found is not None:
            # The interval is that of all communication, so it is scaled to the exchanges.
            scale = found.exchange_seconds / found.communication_seconds
            own = results.simulated[Run(name, ranks, variant)]
            ends = (found.low * scale, found.high * scale)
            variants.append(Variant(variant, found.exchange_seconds, *ends, own))
    source = f"{ranks} ranks; model {model}. {_source(results)}"
    return draw_variants({name: variants}, source, actual=SIMULATED)


def _scaling(results: PaperResults, name: str) -> Drawing | Missing:
    """Simulated up to 256 ranks and predicted beyond, as in Figure 8."""
    every = (*results.extent.ranks, *results.extent.predicted)
    series = []
    for variant in ("optimised", "hypercube"):
        stated = tuple(results.table_4[Run(name, n, variant)] for n in every)
        series.append(Series(f"{variant}, L and B of Table 4", every, stated))
        pairs = [(n, results.predicted.get((Run(name, n, variant), "contention"))) for n in every]
        known = [(n, one.exchange_seconds) for n, one in pairs if one is not None]
        if known:
            numbers, seconds = zip(*known, strict=True)
            series.append(Series(f"{variant}, model contention", numbers, seconds))
        runs = [Run(name, n, variant) for n in results.extent.ranks]
        simulated = tuple(results.simulated[run] for run in runs)
        label = f"{variant}, simulated"
        series.append(Series(label, results.extent.ranks, simulated, measured=True))
    return draw_scaling({name: series}, f"{_source(results)}. Beyond 256 ranks there are 8 columns")


def _matrices() -> Drawing:
    """Volume between ranks in three layouts, as in Figure 9; from the plan."""
    panels = {
        "random": traffic(MATRIX_RANKS, "base", "random"),
        "base": traffic(MATRIX_RANKS, "base"),
        "optimised": traffic(MATRIX_RANKS, "optimised"),
    }
    largest = max(float(matrix.max()) for matrix in panels.values()) / 1e6
    least = min(float(matrix[matrix > 0].min()) for matrix in panels.values()) / 1e6
    canvas, axes = new_picture(1, len(panels), 3.5)
    for axis, (name, matrix) in zip(axes[0], panels.items(), strict=True):
        shown = np.ma.masked_less_equal(matrix / 1e6, 0)
        picture = axis.imshow(shown, norm=LogNorm(least, largest), interpolation="none")
        axis.set_title(name)
        axis.set_xlabel("to rank")
        axis.grid(False)
        whole_ticks(axis.xaxis)
        whole_ticks(axis.yaxis)
    axes[0, 0].set_ylabel("from rank")
    bar = canvas.colorbar(picture, ax=list(axes[0]), fraction=0.03, pad=0.02)
    bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    bar.ax.yaxis.set_minor_formatter(NullFormatter())
    bar.ax.yaxis.set_major_locator(FixedLocator([0.2, 0.5, 1, 2, 5]))
    bar.set_label("MB per turn")
    return Drawing(
        canvas,
        f"Volume that each of {MATRIX_RANKS} ranks sends to each other in a turn, logarithmic "
        "colour, empty where there is none. From the plan: nothing is run.",
    )
