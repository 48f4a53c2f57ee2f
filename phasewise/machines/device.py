"""The device on which a machine runs the kernels of a study with [run] device; the table [device]
of the machine's file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from phasewise.machines import schema
from phasewise.machines.curves import straight_on
from phasewise.machines.kernel_rates import KernelRate, read_kernels
from phasewise.machines.rank_rates import read_columns
from phasewise.runs.roof import TO_DEVICE, TO_HOST
from phasewise.tables.declared import check_needed
from phasewise.tables.keys import check_table


@dataclass(frozen=True)
class Transfers:
    """Seconds of copies of `sizes` bytes from the host's memory to the device's, and back."""

    sizes: tuple[int, ...]
    to_device: tuple[float, ...]
    to_host: tuple[float, ...]

    def seconds_of(self, way: str, size: float) -> float:
        """Seconds of a copy of `size` bytes; `way` is TO_DEVICE or TO_HOST."""
        return float(straight_on(self.sizes, getattr(self, way), np.asarray(size)))


@dataclass(frozen=True)
class Device:
    """A device that one rank has to itself.

    kind: "cuda" or "emulated". memory [B]. bandwidth [B/s] of its memory, flops [flop/s] in double
    precision, additions [1/s] to the nodes of a few meshes. launch [s]: the time from one kernel to
    the next; wait [s]: the time of a kernel for which the host waits. kernels: rates of kernels
    that run there.
    """

    name: str
    kind: str
    memory: float
    bandwidth: float
    flops: float
    additions: float
    launch: float
    wait: float
    transfers: Transfers
    kernels: dict[str, KernelRate] = field(default_factory=dict)

    def seconds(self, flops: float, moved: float) -> float:
        """Seconds of work with these flops and bytes moved: the longer of the two times."""
        return max(flops / self.flops, moved / self.bandwidth)

    @property
    def rates(self) -> dict[str, Any]:
        """Name and roof as the core has them, for phasewise.runs.roof.from_rates."""
        return {
            "name": self.name,
            "bytes_per_second": self.bandwidth,
            "flops_per_second": self.flops,
            "additions_per_second": self.additions,
        }


def measured_device(kind: str, rates: Mapping[str, Any]) -> Device:
    """The device that `_core.measure_device` found, without rates of kernels."""
    copies = rates["copies"]
    return Device(
        name=str(rates["name"]),
        kind=kind,
        memory=float(rates["memory"]),
        bandwidth=float(rates["bytes_per_second"]),
        flops=float(rates["flops_per_second"]),
        additions=float(rates["additions_per_second"]),
        launch=float(rates["launch_seconds"]),
        wait=float(rates["wait_seconds"]),
        transfers=Transfers(
            tuple(int(copy["bytes"]) for copy in copies),
            tuple(float(copy["in"]) for copy in copies),
            tuple(float(copy["out"]) for copy in copies),
        ),
    )


def words_of(device: Device | None) -> str:
    """Words for what a machine's file has, in a sentence about a device that it lacks."""
    return "no [device]" if device is None else f'a [device] of kind "{device.kind}" alone'


def read_device(table: object) -> Device:
    """The table [device] of a machine file; StudyError, one sentence, if it is wrong."""
    given = check_table(table, schema.DEVICE, "device")
    check_needed(given, schema.DEVICE, "device")
    where = "device.transfers"
    transfers = check_table(given.pop("transfers"), schema.TRANSFERS, where)
    rows = read_columns(where, transfers, "sizes", TO_DEVICE, TO_HOST)
    kernels = read_kernels(given.pop("kernels", {}), "device.kernels")
    sizes = tuple(map(int, rows.pop("sizes")))
    return Device(**given, transfers=Transfers(sizes, **rows), kernels=kernels)
