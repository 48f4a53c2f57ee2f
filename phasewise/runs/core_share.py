"""How much of a core the ranks of a run had: CPU time over wall time of the turns; and of memory.

The CPU time is that of the thread that runs a rank's turns: it computes, or spins in MPI or at the
end of a loop. A rank's other threads may sleep between loops, which says nothing about other work.
Ranks that had less than a whole core were held up: by other work on the machine, or by each other.
"""

from __future__ import annotations

import math
import os
import resource
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from phasewise.output import number_of

QUIET = 0.9
"""If the mean share of a core is below this, times are not those of a quiet machine."""

QUIET_MEMORY = 0.8
"""If the ranks had less than this of their machine's memory bandwidth, times are not those of a
quiet machine. On a quiet one, a stream in main memory has 0.9 to 1.05 of it.
"""


class ProcessorTimes:
    """What the system gave one rank during its turns."""

    def __init__(self) -> None:
        self.seconds = 0.0
        """Wall time [s]."""
        self.own_seconds = 0.0
        """CPU time [s] of the thread that runs the turns."""
        self.cpu_seconds = 0.0
        """CPU time [s] of all threads."""
        self.switches = 0
        """How often a thread that could have run on lost its core to another thread: the system
        took the core, or the thread yielded it while it waited in MPI. Linux counts both as
        involuntary switches.
        """
        self.bandwidths: list[float] = []
        """The memory bandwidth [B/s] that the rank had between turns, each time it was measured."""

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Add the times that pass in this context."""
        before = _now()
        try:
            yield
        finally:
            after = _now()
            self.seconds += after[0] - before[0]
            self.own_seconds += after[1] - before[1]
            self.cpu_seconds += after[2] - before[2]
            self.switches += round(after[3] - before[3])

    def to_dict(self) -> dict[str, Any]:
        """The times as a rank's entry of ``communication.json`` has them."""
        share = min(self.own_seconds / self.seconds, 1.0) if self.seconds > 0 else None
        return {
            "cpu_seconds": self.cpu_seconds,
            "core_share": share,
            "involuntary_switches": self.switches,
            "memory_bandwidths": self.bandwidths,
        }


def _now() -> tuple[float, float, float, float]:
    switches = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw
    return time.perf_counter(), time.thread_time(), time.process_time(), float(switches)


@dataclass(frozen=True)
class CoreShare:
    """The share of a core and the memory bandwidth that the ranks of a run had.

    share: the mean over the ranks. cores and load (the load average): of rank 0's node, 0 if
    unknown. crowd: the threads of all ranks there. bandwidth [B/s]: the mean over the ranks, and
    over the times when it was measured; None if unknown.
    """

    share: float
    ranks: int
    crowd: int = 0
    cores: int = 0
    load: float = 0.0
    bandwidth: float | None = None

    @property
    def disturbed(self) -> bool:
        """Whether the ranks had too little of their cores for the times of a quiet machine."""
        return self.share < QUIET

    def shortage(self, bandwidth: float) -> str | None:
        """The sentence on what held the ranks up on a machine whose ranks have this memory
        bandwidth [B/s] when it is quiet; None where nothing is known to have.
        """
        if self.disturbed:
            return self.sentence
        if self.bandwidth is None or self.bandwidth >= QUIET_MEMORY * bandwidth:
            return None
        return (
            f"a stream through memory beside the run had {self.bandwidth / 1e9:.3g} GB/s on each "
            f"rank, and {bandwidth / 1e9:.3g} GB/s when the machine was measured: other work took "
            "the rest; times are not those of a quiet machine"
        )

    @property
    def sentence(self) -> str:
        """A sentence on what held the ranks up."""
        who, mean = ("the rank", "") if self.ranks == 1 else ("the ranks", " on average")
        return (
            f"{who} had {100 * self.share:.0f} % of a core{mean} (CPU time over wall time), since "
            f"{self.cause}; times are not those of a quiet machine"
        )

    @property
    def cause(self) -> str:
        """Why the ranks had less than a core each."""
        if not self.cores:
            return "there was other work, or more ranks than cores"
        load = (
            f" (load average {self.load:.3g} on {number_of(self.cores, 'core')})"
            if self.load
            else ""
        )
        if self.crowd <= self.cores:
            return f"other work had the rest{load}"
        crowd = f"{self.ranks} ranks" if self.crowd == self.ranks else f"{self.crowd} threads"
        alone = self.cores / self.crowd
        others = f" with other work{load}" if self.share < QUIET * alone else ""
        return f"{crowd} share {number_of(self.cores, 'core')}{others}"


def node_facts(threads: int) -> dict[str, Any]:
    """What a record states about rank 0's node at the end of a run."""
    return {"threads": threads, "cores": os.cpu_count() or 0, "load_average": load_average()}


def load_average() -> float:
    """Runnable processes of this computer in the last minute; 0 if the system does not say."""
    try:
        return os.getloadavg()[0]
    except OSError:
        return 0.0


def core_share_of(head: Mapping[str, Any], ranks: Sequence[Mapping[str, Any]]) -> CoreShare | None:
    """The share in a record with this head and these ranks; None if it is unknown.

    Records of simulated machines and of earlier versions have none. ValueError if a number is
    impossible.
    """
    shares = [rank.get("core_share") for rank in ranks]
    if not shares or any(share is None for share in shares):
        return None
    known = [_number(share, 1.0) for share in shares]
    bandwidths = [_number(one) for rank in ranks for one in rank.get("memory_bandwidths", ())]
    node = ranks[0].get("node")
    here = sum(rank.get("node") == node for rank in ranks)
    return CoreShare(
        share=sum(known) / len(known),
        ranks=len(ranks),
        crowd=here * round(_number(head.get("threads", 1))),
        cores=round(_number(head.get("cores", 0))),
        load=_number(head.get("load_average", 0.0)),
        bandwidth=sum(bandwidths) / len(bandwidths) if bandwidths else None,
    )


def _number(value: Any, most: float = 2.0**53) -> float:
    number = float(value)
    if not (math.isfinite(number) and 0 <= number <= most):
        raise ValueError("the processor time in it is impossible")
    return number
