"""Colours of phases, kernels and states: cool ones compute, warm ones communicate."""

from __future__ import annotations

from phasewise.report.style import LINE

STATES = {
    "computing": "#2f74d0",
    "communicating": "#e9b03a",
    "waiting": "#c73e3a",
    "not recorded": LINE,
}
OTHER = "#a3a9b1"

# The paper's phases have the same colours in all figures.
_PHASES = {
    "green": "#8a5a2b",
    "reduce_column": "#f2c14e",
    "reduce_row": "#f08a24",
    "solve": "#9b59b6",
    "broadcast_row": "#d6336c",
    "broadcast_column": "#f48fb1",
    "reduce": "#f08a24",
    "broadcast": "#d6336c",
}
_WARM = ("#b5651d", "#e4572e", "#c9a7eb", "#a4243b", "#d8973c", "#7b2d26")
_COOL = ("#2f74d0", "#2c9a63", "#6fc3df", "#1b4079", "#8bc34a", "#5c80bc", "#0f7173", "#9ad1b3")


def colours_of(names: tuple[str, ...], computes: tuple[bool, ...]) -> dict[str, str]:
    """A colour for each name; those beyond the palette share a grey."""
    warm, cool = iter(_WARM), iter(_COOL)
    return {
        name: _PHASES.get(name) or next(cool if kernel else warm, OTHER)
        for name, kernel in zip(names, computes, strict=True)
    }
