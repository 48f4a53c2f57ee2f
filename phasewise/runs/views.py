"""What Python shows of a workload's simulations and results: the contract `Views`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from phasewise.study import Study
from phasewise.workload.interface import Part

Naming = Callable[[Mapping[str, Any]], dict[str, Any]]
"""A function that gives the values measured in a turn the names that they have in the records."""


def attribute_of(view: object, name: str, whose: str, instead: str = "") -> Any:
    """The attribute `name` of a view; AttributeError, one sentence, where it has none.

    whose: the beginning of that sentence, such as "a simulation of beams has"; instead: its end.
    """
    try:
        return getattr(view, name)
    except AttributeError as error:
        if error.obj is not view or error.name != name:
            raise
        raise AttributeError(f"{whose} no attribute {name!r}{instead}", name=name) from None


class Views(Part):
    """Objects whose attributes are also attributes of a simulation or of results."""

    MODULE = "views"

    def simulation_view(self, simulation: Any) -> object:
        """The object that has what a `Simulation` shows besides, such as `beam(number)` of
        colliding beams.
        """
        return None

    def results_view(self, results: Any) -> object:
        """The object that has what `Results` show besides, such as `luminosity` of beams."""
        return None

    def naming(self, study: Study) -> Naming:
        """How `Simulation.record` names what a turn measured; by default as the driver does."""
        return dict
