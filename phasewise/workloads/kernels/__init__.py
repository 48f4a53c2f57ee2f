"""Serial kernels: every rank runs the same matrix product, eigenproblem or sparse product."""

from phasewise.workload.interface import Workload
from phasewise.workloads.kernels.model import Kernels, KernelsCommunication

WORKLOAD = Workload.of_table("kernels", "serial kernels", Kernels, KernelsCommunication)
