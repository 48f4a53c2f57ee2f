"""A bunch in a lattice with the force of its own field, in three dimensions or less."""

from phasewise.tables.declared import schema_of
from phasewise.workload.interface import Workload
from phasewise.workloads.spacecharge.closed_orbit import closed_orbit
from phasewise.workloads.spacecharge.communication import SpaceChargeCommunication
from phasewise.workloads.spacecharge.derived import derive
from phasewise.workloads.spacecharge.model import (
    TABLES,
    Records,
    parameters,
    read,
    read_guest,
    resolved,
)

WORKLOAD = Workload(
    name="spacecharge",
    title="bunches with space charge",
    commands={"twiss": ("twiss_command", "Show the optics along a lattice.")},
    tables=TABLES,
    marks=("solver",),
    read=read,
    resolved=resolved,
    parameters=parameters,
    communication=schema_of(SpaceChargeCommunication),
    read_communication=SpaceChargeCommunication.read,
    records=schema_of(Records),
    dump_folder="particles",
    free_keys=r"records\.particles_(every|fraction)",
    derive=derive,
    bunches=lambda model: model.bunches,
    read_guest=read_guest,
    closed_orbit=closed_orbit,
)
