"""Wallcraft's HALO: neighbours in a periodic grid of ranks exchange the edges of their arrays."""

from phasewise.tables.declared import flat_of, schema_of, values_of
from phasewise.tables.keys import Key
from phasewise.workload.interface import Unit, Workload
from phasewise.workloads.halo.communication import (
    HaloCommunication,
    check_process_grid,
    read_communication,
)
from phasewise.workloads.halo.model import derive, read

WORKLOAD = Workload(
    name="halo",
    title="halo exchanges",
    unit=Unit("exchange", "exchanges"),
    tables={"halo": Key("table")},
    read=read,
    resolved=lambda model: {"halo": values_of(model)},
    parameters=lambda model: ((f"halo.{name}", value) for name, value in flat_of(model)),
    communication=schema_of(HaloCommunication),
    read_communication=read_communication,
    records={},
    derive=derive,
    check_ranks=check_process_grid,
    main_phases=("halo_x", "halo_y"),
)
