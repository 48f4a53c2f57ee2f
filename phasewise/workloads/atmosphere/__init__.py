"""Physics of columns of an atmosphere, whose load day and season unbalance, and schemes that
balance it.

>>> from phasewise.workloads.atmosphere import radiation
"""

from phasewise.tables.declared import schema_of
from phasewise.tables.keys import Key
from phasewise.workload.interface import Unit, Workload
from phasewise.workloads.atmosphere import model
from phasewise.workloads.atmosphere.communication import AtmosphereCommunication
from phasewise.workloads.atmosphere.table import AtmosphereRecords, AtmosphereTable

__all__ = ["WORKLOAD"]

WORKLOAD = Workload.of_table(
    "atmosphere", "timesteps of an atmosphere's columns", AtmosphereTable, AtmosphereCommunication,
    unit=Unit("timestep", "timesteps"),
    tables={"atmosphere": Key("table")},
    read=model.read,
    resolved=model.resolved,
    parameters=model.parameters,
    records=schema_of(AtmosphereRecords),
    free_keys=r"records\.snapshots_every",
)  # fmt: skip
