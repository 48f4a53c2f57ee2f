"""Collectives: what all ranks do together, by the library or by our own rounds of messages."""

from phasewise.workload.interface import Unit, Workload
from phasewise.workloads.collectives.communication import CollectivesCommunication
from phasewise.workloads.collectives.model import Collectives

WORKLOAD = Workload.of_table(
    "collectives", "collectives", Collectives, CollectivesCommunication,
    unit=Unit("exchange", "exchanges"),
    verifies="values",
)  # fmt: skip
