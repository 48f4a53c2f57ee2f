"""Gas dynamics by sweeps: the piecewise parabolic method, with transposes between the directions.

>>> from phasewise.workloads.hydro import Hydro
>>> gas = Hydro(density, pressure, gamma=1.4)
>>> gas.advance(0.2)
"""

from typing import TYPE_CHECKING, Any

from phasewise.tables.declared import schema_of
from phasewise.tables.keys import Key
from phasewise.workload.interface import Unit, Workload
from phasewise.workloads.hydro import model
from phasewise.workloads.hydro.communication import HydroCommunication
from phasewise.workloads.hydro.table import HydroRecords, HydroTable

if TYPE_CHECKING:
    from phasewise.workloads.hydro.gas import Hydro
    from phasewise.workloads.hydro.solutions import exact_riemann, noh, sedov

__all__ = ["WORKLOAD", "Hydro", "exact_riemann", "noh", "sedov"]


def __getattr__(name: str) -> Any:
    # The command finds workloads by importing them; arrays are imported only where they are used.
    if name == "Hydro":
        from phasewise.workloads.hydro import gas

        return gas.Hydro
    if name in ("exact_riemann", "sedov", "noh"):
        from phasewise.workloads.hydro import solutions

        return getattr(solutions, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


WORKLOAD = Workload.of_table(
    "hydro", "timesteps of gas dynamics", HydroTable, HydroCommunication,
    unit=Unit("timestep", "timesteps"),
    tables={"hydro": Key("table")},
    read=model.read,
    resolved=model.resolved,
    parameters=model.parameters,
    records=schema_of(HydroRecords),
)  # fmt: skip
