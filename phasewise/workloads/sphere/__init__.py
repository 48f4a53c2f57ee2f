"""Spherical harmonics, and shallow water on the rotating sphere by the spectral transform."""

from phasewise.tables.declared import schema_of
from phasewise.tables.keys import Key
from phasewise.workload.interface import Unit, Workload
from phasewise.workloads.sphere.communication import SphereCommunication
from phasewise.workloads.sphere.model import Sphere, SphereRecords, parameters, read, resolved

WORKLOAD = Workload.of_table(
    "sphere", "timesteps of shallow water", Sphere, SphereCommunication,
    unit=Unit("timestep", "timesteps"),
    tables={"sphere": Key("table")},
    read=read,
    resolved=resolved,
    parameters=parameters,
    records=schema_of(SphereRecords),
    dump_folder="maps",
    free_keys=r"records\.(maps_every|netcdf)",
)  # fmt: skip
