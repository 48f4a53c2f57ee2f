"""Wallcraft's HALO: neighbours in a periodic grid of ranks exchange the edges of their arrays."""

from phasewise.workload.interface import Unit, Workload
from phasewise.workloads.halo.model import Halo, HaloCommunication

WORKLOAD = Workload.of_table(
    "halo", "halo exchanges", Halo, HaloCommunication,
    unit=Unit("exchange", "exchanges"),
    verifies="halo cells",
)  # fmt: skip
