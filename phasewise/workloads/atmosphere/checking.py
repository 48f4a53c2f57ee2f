"""What `phasewise check` asks of a study of an atmosphere's columns."""

from __future__ import annotations

from collections.abc import Sequence

from phasewise.study import Study
from phasewise.study.checking import Checking
from phasewise.tuning.automatic import machine_of
from phasewise.workloads.atmosphere.communication import NODE, AtmosphereCommunication
from phasewise.workloads.atmosphere.costs_file import costs_of
from phasewise.workloads.atmosphere.laboratory import alone_in_nodes
from phasewise.workloads.atmosphere.model import model_of


class AtmosphereChecking(Checking):
    """How studies of it are checked."""

    def check(self, study: Study) -> Sequence[str]:
        """A warning for a scheme within nodes of one rank; StudyError if the grid has no twins, if
        costs of a file are none of the study's columns, or if there is no machine of the name by
        which a scheme or a process grid is to be chosen.
        """
        model, ways = model_of(study), study.communication
        assert isinstance(ways, AtmosphereCommunication)
        ways.check_twins(model)
        if model.costs is not None:
            costs_of(model)
        if ways.balance != NODE and not ways.leaves_grid_open:
            return ()
        machine = machine_of(study)
        if ways.balance != NODE:
            return ()
        alone = machine.node_ranks == 1 and not ways.node_size
        if ways.node_size == 1 or alone:
            where = f"each node of {machine.name}" if alone else "each node"
            return (alone_in_nodes(where).removesuffix("."),)
        return ()
