"""The memory bandwidth that the ranks have beside a long run: what other programs take of it does
not show in the ranks' share of their cores.
"""

from __future__ import annotations

import time
from contextlib import suppress

from phasewise.driver import Core
from phasewise.runs.core_share import ProcessorTimes

LONG = 10.0
"""Runs that take less time [s] measure no bandwidth, which takes 0.1 s at either end."""


def measure_stream(core: Core, processor: ProcessorTimes, threads: int, seconds: float) -> float:
    """If a run of this length [s] is long, let each rank stream through its memory, all at the same
    time, and keep the bandwidth in `processor`. Returns the seconds that this took. Collective.
    """
    if not core.any(seconds >= LONG):
        return 0.0
    begin = time.monotonic()
    core.barrier()
    with suppress(MemoryError):  # The bandwidth stays unknown.
        processor.bandwidths.append(core.measure_present_bandwidth(threads))
    core.barrier()
    return time.monotonic() - begin
