"""Spherical harmonics, and shallow water on the rotating sphere by the spectral transform.

>>> from phasewise.workloads.sphere import SphericalTransform
>>> transform = SphericalTransform(truncation=170, levels=18)
"""

from typing import TYPE_CHECKING, Any

from phasewise.tables.declared import schema_of
from phasewise.tables.keys import Key
from phasewise.workload.interface import Unit, Workload
from phasewise.workloads.sphere.communication import SphereCommunication
from phasewise.workloads.sphere.model import Sphere, SphereRecords, parameters, read, resolved

if TYPE_CHECKING:
    from phasewise.workloads.sphere.spherical_transform import SphericalTransform

__all__ = ["WORKLOAD", "SphericalTransform"]


def __getattr__(name: str) -> Any:
    # The command finds workloads by importing them; arrays are imported only where they are used.
    if name == "SphericalTransform":
        from phasewise.workloads.sphere import spherical_transform

        return spherical_transform.SphericalTransform
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


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
