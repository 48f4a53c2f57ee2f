"""Serial kernels: every rank runs the same matrix product, eigenproblem or sparse product."""

from phasewise.tables.declared import flat_of, schema_of, values_of
from phasewise.tables.keys import Key
from phasewise.workload.interface import Workload
from phasewise.workloads.kernels.communication import KernelsCommunication, read_communication
from phasewise.workloads.kernels.model import derive, read

WORKLOAD = Workload(
    name="kernels",
    title="serial kernels",
    tables={"kernels": Key("table")},
    read=read,
    resolved=lambda model: {"kernels": values_of(model)},
    parameters=lambda model: ((f"kernels.{name}", value) for name, value in flat_of(model)),
    communication=schema_of(KernelsCommunication),
    read_communication=read_communication,
    records={},
    derive=derive,
    main_phases=("checks",),
)
