"""An ocean with a free surface, and a laboratory for its elliptic solver.

>>> from phasewise.workloads.ocean import NinePoint
>>> found = NinePoint(coefficients, mask).solve(b, solver="pcsi", preconditioner="evp")
"""

from typing import TYPE_CHECKING, Any

from phasewise.tables.declared import schema_of
from phasewise.tables.keys import Key
from phasewise.workload.interface import Unit, Workload
from phasewise.workloads.ocean import model
from phasewise.workloads.ocean.communication import OceanCommunication
from phasewise.workloads.ocean.table import OceanRecords, OceanTable

if TYPE_CHECKING:
    from phasewise.workloads.ocean.nine_point import NinePoint

__all__ = ["WORKLOAD", "NinePoint"]


def __getattr__(name: str) -> Any:
    # The command finds workloads by importing them; arrays are imported only where they are used.
    if name == "NinePoint":
        from phasewise.workloads.ocean import nine_point

        return nine_point.NinePoint
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


WORKLOAD = Workload.of_table(
    "ocean", "timesteps of an ocean", OceanTable, OceanCommunication,
    unit=Unit("timestep", "timesteps"),
    tables={"ocean": Key("table")},
    read=model.read,
    resolved=model.resolved,
    parameters=model.parameters,
    records=schema_of(OceanRecords),
    free_keys=r"records\.snapshots_every",
)  # fmt: skip
