"""What the simulation and the results of several workloads show: the views of each part. Those of
the part that makes the bunches are also found under their own names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from phasewise.runs.results import Results
from phasewise.runs.simulation import Simulation
from phasewise.runs.views import Naming, Views
from phasewise.study import Study
from phasewise.workloads.common.views import Pictures
from phasewise.workloads.composite.parts_of import (
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
        own = cast(Simulation, _PartSimulation(self._simulation, workload.host))
        view = workload.ring[workload.host].part(Views).simulation_view(own)
        return getattr(view, name)


class CompositeResults(Pictures):
    """The pictures of the whole run, and the results of each part: `part(name)`."""

    def part(self, name: str) -> Results:
        """The results of one workload, as if it had run alone; RunError if there is none."""
        return part_results(self._results, name)


class CompositeViews(Views):
    """Those of the parts."""

    def simulation_view(self, simulation: Simulation) -> object:
        return CompositeView(simulation)

    def results_view(self, results: Results) -> object:
        return CompositeResults(results)

    def naming(self, study: Study) -> Naming:
        named = {name: own.workload.part(Views).naming(own) for name, own in parts_of(study)}

        def joined(record: Mapping[str, Any]) -> dict[str, Any]:
            found: dict[str, Any] = {}
            for name, own in named.items():
                found |= prefixed(name, own(own_entries(name, record)))
            return found

        return joined
