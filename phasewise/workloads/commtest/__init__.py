"""COMMTEST: pairs of ranks swap messages, echo them, or send a stream of them."""

from phasewise.tables.declared import flat_of, schema_of, values_of
from phasewise.tables.keys import Key
from phasewise.workload.interface import Unit, Workload
from phasewise.workloads.commtest.communication import (
    CommtestCommunication,
    check_ranks,
    read_communication,
)
from phasewise.workloads.commtest.model import OPERATORS, derive, read

WORKLOAD = Workload(
    name="commtest",
    title="exchanges between pairs",
    unit=Unit("exchange", "exchanges"),
    tables={"commtest": Key("table")},
    read=read,
    resolved=lambda model: {"commtest": values_of(model)},
    parameters=lambda model: ((f"commtest.{name}", value) for name, value in flat_of(model)),
    communication=schema_of(CommtestCommunication),
    read_communication=read_communication,
    records={},
    derive=derive,
    check_ranks=check_ranks,
    main_phases=OPERATORS,
)
