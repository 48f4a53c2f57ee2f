"""What simulation and results of several workloads show: those of each part, and of the part that
makes the bunches also under their own names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from phasewise.runs.results import Results
from phasewise.runs.simulation import Simulation
from phasewise.study import Study
from phasewise.workloads.composite.parts import (
    own_entries,
    part_of,
    parts_of,
    prefixed,
    workload_of,
)
from phasewise.workloads.composite.results import part_results


class _PartSimulation:
    """A simulation as the view of one of its parts sees it."""

    def __init__(self, simulation: Simulation, name: str) -> None:
        self.study = part_of(simulation.study, name)
        self.driver = simulation.driver.part(name)[0]
        self.start = simulation.start


class CompositeView:
    """What the part that makes the bunches adds to a simulation, such as `beam(number)`."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        workload = workload_of(self._simulation.study)
        host = workload.ring[workload.host]
        view = host.offers("views", "simulation_view", _nothing)
        return getattr(view(_PartSimulation(self._simulation, workload.host)), name)


def simulation_view(simulation: Simulation) -> CompositeView:
    """The view of a simulation."""
    return CompositeView(simulation)


class CompositeResults:
    """The results of each part: `part(name)`."""

    def __init__(self, results: Results) -> None:
        self._results = results

    def part(self, name: str) -> Results:
        """The results of one workload, as if it had run alone; RunError if there is none."""
        return part_results(self._results, name)


def results_view(results: Results) -> CompositeResults:
    """The view of results."""
    return CompositeResults(results)


def naming(study: Study) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Gives what a turn measured the names of the records."""
    named = {
        name: own.workload.offers("views", "naming", _as_measured)(own)
        for name, own in parts_of(study)
    }

    def joined(record: Mapping[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, own in named.items():
            found |= prefixed(name, own(own_entries(name, record)))
        return found

    return joined


def _as_measured(_study: Study) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return dict


def _nothing(_given: Any) -> object:
    return None
