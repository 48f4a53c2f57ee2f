"""Colours of phases, kernels and states: cool ones compute, warm ones communicate."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from phasewise.report.style import LINE
from phasewise.traces.records import CommunicationRecord

STATES = {
    "computing": "#2f74d0",
    "communicating": "#e9b03a",
    "waiting": "#c73e3a",
    "not recorded": LINE,
}
OTHER = "#a3a9b1"
_WARM = ("#b5651d", "#e4572e", "#c9a7eb", "#a4243b", "#d8973c", "#7b2d26")
_COOL = ("#2f74d0", "#2c9a63", "#6fc3df", "#1b4079", "#8bc34a", "#5c80bc", "#0f7173", "#9ad1b3")


SERIES = (
    "#2f74d0", "#e4572e", "#2c9a63", "#a868d8", "#0f8b8d", "#c77f1a", "#d1578f", "#7a8b3a",
)  # fmt: skip
"""Colours of curves beside each other; each has a contrast of at least 3 on light and dark
pages.
"""


def colours_of(
    names: tuple[str, ...], computes: tuple[bool, ...], chosen: Mapping[str, str]
) -> dict[str, str]:
    """A colour for each name: the one that its workload has chosen, or else the next one of the
    palette; names beyond the palette share a grey.
    """
    warm, cool = iter(_WARM), iter(_COOL)
    return {
        name: chosen.get(name) or next(cool if kernel else warm, OTHER)
        for name, kernel in zip(names, computes, strict=True)
    }


def colours_in(
    records: Iterable[CommunicationRecord], others: Mapping[str, bool]
) -> dict[str, str]:
    """The colour of each phase and kernel of some runs, the same in all pictures of a report: those
    that take most time get the first colours.

    others: names that no run recorded, such as declared tasks, and whether they compute. They stand
    in the place of those in them, and have the first colours too.
    """
    seconds: dict[str, float] = {}
    computes: dict[str, bool] = {}
    chosen: dict[str, str] = {}
    for record in records:
        chosen = {**record.colours, **chosen}
        for phase in record.phases:
            own = float(phase.computing.mean() + phase.communicating.mean())
            seconds[phase.name] = seconds.get(phase.name, 0.0) + own
            computes.setdefault(phase.name, not phase.communicates)
    names = sorted(computes, key=lambda name: -seconds[name])
    beside = [name for name in others if name not in computes]
    return colours_of(tuple(names), tuple(computes[name] for name in names), chosen) | colours_of(
        tuple(beside), tuple(others[name] for name in beside), chosen
    )
