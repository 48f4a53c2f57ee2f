"""COMMTEST: pairs of ranks swap messages, echo them, or send a stream of them."""

from phasewise.workload.interface import Unit, Workload
from phasewise.workloads.commtest.communication import CommtestCommunication
from phasewise.workloads.commtest.model import Commtest

WORKLOAD = Workload.of_table(
    "commtest", "exchanges between pairs", Commtest, CommtestCommunication,
    unit=Unit("exchange", "exchanges"),
    verifies="bytes",
)  # fmt: skip
