"""Collectives: what all ranks do together, by the library or by our own rounds of messages."""

from phasewise.tables.declared import flat_of, schema_of, values_of
from phasewise.tables.keys import Key
from phasewise.workload.interface import Unit, Workload
from phasewise.workloads.collectives.communication import (
    CollectivesCommunication,
    check_ranks,
    read_communication,
)
from phasewise.workloads.collectives.model import PHASES, derive, read

WORKLOAD = Workload(
    name="collectives",
    title="collectives",
    unit=Unit("exchange", "exchanges"),
    tables={"collectives": Key("table")},
    read=read,
    resolved=lambda model: {"collectives": values_of(model)},
    parameters=lambda model: ((f"collectives.{name}", value) for name, value in flat_of(model)),
    communication=schema_of(CollectivesCommunication),
    read_communication=read_communication,
    records={},
    derive=derive,
    check_ranks=check_ranks,
    main_phases=PHASES,
)
