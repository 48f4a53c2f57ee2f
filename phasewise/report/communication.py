"""Pictures of the communication: volume between ranks, and phase times against rank count."""

from __future__ import annotations

from dataclasses import dataclass, replace

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.image import AxesImage
from matplotlib.ticker import FuncFormatter, NullFormatter

from phasewise.analysis.spectrum import Floats
from phasewise.report.figure import Drawing, Missing
from phasewise.report.palette import OTHER, STATES
from phasewise.report.planned import other_layout, planned_traffic
from phasewise.report.reported_run import ReportedRun
from phasewise.report.style import INK, LINE, new_picture, scale, whole_ticks
from phasewise.traces.efficiency import node_edges, phase_costs, share_on_node
from phasewise.traces.records import CommunicationRecord, common_unit
from phasewise.traces.values import Integers

NO_RECORD = Missing(
    "This folder holds no communication.json; run the study again to see its communication."
)
ONE_RUN = Missing(
    "Give runs on other numbers of ranks with --compare to see their phases beside each other: "
    "those of this run are in the table Time in phases and kernels."
)
# Most nodes that are marked; more lines would hide the picture.
MAX_NODES = 40
# Most bars in a picture of phase times.
MAX_BARS = 16
BAR = 0.62
NODE = "#8b95a3"
# Larger volumes are brighter; empty cells are darker than the smallest volume.
COLOURS = mpl.colormaps["viridis"].with_extremes(bad="#1e0426")
# Most phases that a bar shows one by one.
MAX_PHASES = 9


@dataclass(frozen=True)
class Volume:
    """Volume between ranks: bytes per turn (R, R) from row to column, and where the ranks are."""

    title: str
    matrix: Floats
    node: Integers
    on_node: float | None
    source: str


def draw_volume(run: ReportedRun) -> Drawing | Missing:
    """Heat map of the volume between ranks, beside that in another layout.

    It follows Figure 9 of Shan, Strohmaier, Qiang, Bailey, Yelick, SC 2006, which shows IPM's
    profile.
    """
    record = run.communication
    if record is None:
        return NO_RECORD
    own = _recorded(record)
    if not own.matrix.any():
        return Missing(
            "No messages between single ranks were recorded: run the study on 2 or more ranks, and "
            'with other algorithms than "mpi", to see the volume between them.'
        )
    panels = [own, *_beside(run, record)]
    largest = max(float(panel.matrix.max()) for panel in panels)
    least = min(float(m[m > 0].min()) for m in (p.matrix for p in panels) if m.any())
    factor, unit = scale(largest, "B")
    # The scale spans whole decades, so that it has ticks even if the volumes hardly differ.
    decades = np.floor(np.log10(least * factor)), np.floor(np.log10(largest * factor)) + 1
    norm = LogNorm(*(10.0**decade for decade in decades))
    canvas, axes = new_picture(1, len(panels), 4.4)
    for axis, panel in zip(axes[0], panels, strict=True):
        picture = _heat_map(axis, panel, factor, norm)
    bar = canvas.colorbar(picture, ax=list(axes[0]), fraction=0.04, pad=0.02)
    bar.outline.set_visible(False)
    bar.ax.tick_params(color=INK)
    bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    bar.ax.yaxis.set_minor_formatter(NullFormatter())
    talking = _talking(run)
    one = common_unit([record, *talking[:1]]).one
    bar.set_label(f"{unit} per {one}")
    silent = [_name(other) for other in run.compared if not _talks(other)]
    return Drawing(canvas, _volume_caption(record, panels, one, silent))


def _recorded(record: CommunicationRecord) -> Volume:
    matrix = record.traffic.matrix(record.ranks) / max(record.turns, 1)
    title = f"{record.layout}, {'simulated' if record.simulated else 'recorded'}"
    share = share_on_node(record.traffic, record.node)
    return Volume(title, matrix, record.node, share, record.source)


def _beside(run: ReportedRun, record: CommunicationRecord) -> list[Volume]:
    """The panel on the right: another run with messages if one was given, else the plan."""
    if talking := _talking(run):
        other = _recorded(talking[0])
        name = _name(talking[0])
        return [replace(other, title=f"{other.title} ({name})")]
    layout = other_layout(record)
    planned = planned_traffic(run, record, layout)
    if planned is None or not planned.bytes.any():
        return []
    share = share_on_node(planned, record.node)
    matrix = planned.matrix(record.ranks)
    return [Volume(f"{layout}, planned", matrix, record.node, share, "the plan")]


def _talking(run: ReportedRun) -> list[CommunicationRecord]:
    return [other for other in run.compared if _talks(other)]


def _talks(record: CommunicationRecord) -> bool:
    """Whether messages between single ranks were recorded."""
    return bool(record.traffic.bytes.any())


def _name(record: CommunicationRecord) -> str:
    return record.directory.resolve().name


def _heat_map(axis: Axes, panel: Volume, factor: float, norm: LogNorm) -> AxesImage:
    ranks = len(panel.matrix)
    shown = np.ma.masked_less_equal(panel.matrix * factor, 0)
    box = (-0.5, ranks - 0.5, ranks - 0.5, -0.5)
    picture = axis.imshow(shown, extent=box, norm=norm, interpolation="none", cmap=COLOURS)
    edges = node_edges(panel.node)
    if 0 < len(edges) < MAX_NODES:
        width = 0.7 if len(edges) < MAX_NODES / 3 else 0.35
        axis.hlines(np.array(edges) - 0.5, *box[:2], color=NODE, linewidth=width)
        axis.vlines(np.array(edges) - 0.5, *box[2:], color=NODE, linewidth=width)
    for spine in axis.spines.values():
        spine.set_visible(True)
        spine.set_color(LINE)
    axis.grid(False)
    axis.set_title(panel.title)
    axis.set_xlabel("to rank")
    axis.set_ylabel("from rank")
    whole_ticks(axis.xaxis)
    whole_ticks(axis.yaxis)
    return picture


def _volume_caption(
    record: CommunicationRecord, panels: list[Volume], one: str, silent: list[str]
) -> str:
    sides = ("left", "right") if len(panels) > 1 else ("",)
    shares = ", ".join(
        f"{100 * panel.on_node:.1f} %{f' ({side})' if side else ''}"
        for side, panel in zip(sides, panels, strict=True)
        if panel.on_node is not None
    )
    sources = list(dict.fromkeys(panel.source for panel in panels))
    edges = node_edges(record.node)
    lines = "; lines separate nodes" if 0 < len(edges) < MAX_NODES else ""
    caption = (
        f"Volume that each rank sends to each other per {one}, logarithmic colour{lines}. Share of "
        f"the volume that stays on a node: {shares}. Source: {'; '.join(sources)}."
    )
    library = [phase.name for phase in record.phases if phase.library]
    if library:
        caption += f" What the library sends inside cannot be seen: {', '.join(library)}."
    if silent:
        caption += (
            f" These runs have no messages between ranks, and so no picture: {', '.join(silent)}."
        )
    elif len(panels) == 1:
        caption += " Give another run with --compare to see both side by side."
    return caption


def draw_phase_times(run: ReportedRun) -> Drawing | Missing:
    """Stacked times of a turn by phase against the rank count, and the share of communication.

    It follows Figure 3 of the same paper, which shows total and communication time on five
    machines.
    """
    if run.communication is None:
        return NO_RECORD
    records = sorted([run.communication, *run.compared], key=lambda record: record.ranks)
    records = [record for record in records if record.seconds > 0][:MAX_BARS]
    if not records:
        return Missing("No time was recorded: run the study again to see its phases.")
    if len(records) == 1:
        return ONE_RUN
    turn = np.array([record.seconds / max(record.turns, 1) for record in records])
    computing, communicating = _times(records)
    total = np.sum(list(communicating.values()), axis=0) if communicating else np.zeros(len(turn))
    rest = np.maximum(turn - computing - total, 0.0)
    canvas, axes = new_picture(1, 2, 3.9, width_ratios=(3, 2))
    unit = common_unit(records).indefinite
    shown = _largest(communicating, MAX_PHASES)
    colours = run.colours
    parts = [("computing", computing, STATES["computing"])]
    parts += [(name, values, colours.get(name, OTHER)) for name, values in shown.items()]
    _draw_stack(axes[0, 0], turn, [*parts, ("not recorded", rest, STATES["not recorded"])])
    axes[0, 0].set_title(f"time of {unit} [{scale(turn, 's')[1]}]")
    _draw_share(axes[0, 1], 100 * total / turn)
    for axis in axes[0]:
        _name_bars(axis, records)
    sources = list(dict.fromkeys(record.source for record in records))
    caption = (
        f"Time of {unit} by phase, mean over the ranks, waiting included; computing is that of all "
        f"kernels together. Source: {'; '.join(sources)}."
    )
    return Drawing(canvas, caption)


def _times(records: list[CommunicationRecord]) -> tuple[Floats, dict[str, Floats]]:
    """Times per turn [s], means over the ranks, of n runs: computing (n,), phases (n,) by name."""
    costs = [{cost.name: cost for cost in phase_costs(record)} for record in records]
    computing = np.array([sum(cost.computing.mean for cost in by.values()) for by in costs])
    names = dict.fromkeys(n for by in costs for n, cost in by.items() if cost.communicates)
    phases = {
        name: np.array([by[name].communicating.mean if name in by else 0.0 for by in costs])
        for name in names
    }
    return computing, phases


def _draw_stack(axis: Axes, turn: Floats, parts: list[tuple[str, Floats, str]]) -> None:
    """Draw the times of turns [s] (n,) as stacked parts, each with its name and its colour."""
    factor, _ = scale(turn, "s")
    bottom = np.zeros(len(turn))
    for name, values, colour in parts:
        if values.any():
            axis.bar(np.arange(len(turn)), values * factor, BAR, bottom, color=colour, label=name)
            bottom += values * factor
    axis.margins(y=0.04)
    handles, labels = axis.get_legend_handles_labels()
    axis.legend(handles[::-1], labels[::-1], loc="center left", bbox_to_anchor=(1.0, 0.5))


def _draw_share(axis: Axes, share: Floats) -> None:
    axis.bar(np.arange(len(share)), share, BAR, color=STATES["communicating"])
    for at, value in enumerate(share):
        axis.annotate(
            f"{value:.1f}", (at, value), (0, 2), textcoords="offset points", ha="center", fontsize=8
        )
    axis.set_ylim(0, max(1.0, 1.15 * float(share.max())))
    axis.set_title("share of communication [%]")


def _largest(values: dict[str, Floats], most: int) -> dict[str, Floats]:
    """The largest `most` series in their order, the others as their sum."""
    if len(values) <= most:
        return values
    kept = sorted(values, key=lambda name: -float(values[name].sum()))[: most - 1]
    chosen = {name: series for name, series in values.items() if name in kept}
    others = [series for name, series in values.items() if name not in kept]
    return {**chosen, f"{len(others)} others": np.asarray(np.sum(others, axis=0))}


def _name_bars(axis: Axes, records: list[CommunicationRecord]) -> None:
    several = len({record.ranks for record in records}) < len(records)
    machines = len({record.machine for record in records}) > 1
    names = []
    for record in records:
        lines = [str(record.ranks)]
        lines += [record.layout] if several else []
        lines += [record.machine or "here"] if machines else []
        names.append("\n".join(lines))
    crowded = several and len(records) > 4
    axis.set_xticks(
        np.arange(len(records)), names, rotation=40 if crowded else 0, fontsize=7 if several else 8
    )
    axis.set_xlim(-0.7, max(len(records), 3) - 0.3)
    axis.set_xlabel("ranks")
    axis.grid(False, axis="x")
