"""The source's Figures 3 to 5, overall rate against cores, and overheads beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from phasewise.report.figure import Drawing, Figure, make_figure
from phasewise.report.predictions import COLOURS, logarithmic, rank_axis
from phasewise.report.style import new_picture
from phasewise.workloads.qcd.reproduction.published import Column
from phasewise.workloads.qcd.reproduction.runs import Exchange

LARGE, SMALL = (48, 48, 48, 96), (24, 24, 24, 48)

PICTURES = {
    "scaling": ("Figure 3: strong scaling of 48³×96", LARGE, ("altix-4700", "altix-dense")),
    "platforms-small": ("Figure 4: three platforms, 24³×48", SMALL, ("altix-4700", "xt4", "p690")),
    "platforms-large": ("Figure 5: three platforms, 48³×96", LARGE, ("altix-4700", "xt4", "p690")),
}
"""Title, lattice and machines of each picture, by its name."""
PLATFORM_CORES = 512
"""Most cores in pictures that compare three platforms."""

Found = Mapping[Column, Exchange]


def make_figures(found: Found, pictures: Path | None) -> tuple[Figure, ...]:
    """All pictures; they are written as PNG files to the folder `pictures`, if it is given."""
    return tuple(
        make_figure(name, title, partial(_draw, title, _lines(found, name)), pictures)
        for name, (title, *_) in PICTURES.items()
    )


def _lines(found: Found, name: str) -> dict[str, list[Exchange]]:
    """The results that are drawn for each machine, sorted by cores."""
    _, size, machines = PICTURES[name]
    most = PLATFORM_CORES if "xt4" in machines else max(column.cores for column in found)
    return {
        machine: sorted(
            (
                one
                for column, one in found.items()
                if (column.machine, column.size) == (machine, size) and column.cores <= most
            ),
            key=lambda one: one.column.cores,
        )
        for machine in machines
    }


def _draw(title: str, lines: Mapping[str, Sequence[Exchange]]) -> Drawing:
    canvas, axes = new_picture(1, 2, 3.6)
    cores = sorted({one.column.cores for own in lines.values() for one in own})
    for (machine, own), colour in zip(lines.items(), COLOURS, strict=False):
        at = [one.column.cores for one in own]
        measured = [one.column for one in own]
        here = {"color": colour, "label": f"{machine}, here"}
        source = {"color": colour, "label": f"{machine}, the source"}
        axes[0, 0].plot(at, [one.overall / 1e9 for one in own], "-", **here)
        axes[0, 0].plot(at, [one.overall / 1e9 for one in measured], "o", **source)
        axes[0, 1].plot(at, [100 * one.overhead for one in own], "-", **here)
        axes[0, 1].plot(at, [100 * one.overhead for one in measured], "o", **source)
    for axis, heading in zip(axes[0], ("overall [Gflop/s]", "overhead [%]"), strict=True):
        rank_axis(axis, [n for n in cores if n & (n - 1) == 0])  # 3072 has no room
        axis.set_xlabel("cores")
        axis.set_title(heading)
    logarithmic(axes[0, 0])
    axes[0, 1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return Drawing(
        canvas,
        f"{title}. Lines: simulated or predicted with the source's compute rates; the reference is "
        "a simulator, not hardware. Points: what the source measured.",
    )
