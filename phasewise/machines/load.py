"""How busy a computer is before it is measured."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from phasewise.mpi.launch import this_machine
from phasewise.runs.core_share import load_average

BUSY = 0.1
"""The largest share of its cores that a quiet computer has in use."""
WATCHED = 0.5
"""Seconds in which the use of the cores is watched."""
STATISTICS = Path("/proc/stat")


@dataclass(frozen=True)
class Load:
    """Load average of the last minute, and the share of the cores in use now; None: unknown."""

    average: float
    cores: int
    used: float | None

    @property
    def busy(self) -> bool:
        """Whether the machine is so loaded that a measurement now would be too slow."""
        return self.average > BUSY * self.cores if self.used is None else self.used > BUSY

    @property
    def sentence(self) -> str:
        """What a person should know before the measurement."""
        used = "" if self.used is None else f", and {100 * self.used:.0f} % of them are in use"
        what = f"the load average is {self.average:.3g} on {self.cores} cores{used}"
        if not self.busy:
            return f"{what}: the machine is quiet"
        return (
            f"{what}: what is measured now is slower than on a quiet machine; the measurement "
            "goes on"
        )


def load_now(statistics: Path = STATISTICS) -> Load:
    """Look at the load; this takes WATCHED s."""
    before = _times(statistics)
    if before is not None:
        time.sleep(WATCHED)
    return Load(load_average(), this_machine().cores, _used(before, _times(statistics)))


def _times(statistics: Path) -> tuple[float, float] | None:
    """Ticks of all cores together: in use, and in all; None where the system does not say."""
    try:
        words = statistics.read_text(encoding="utf-8").splitlines()[0].split()
        # user nice system idle iowait irq softirq steal (proc(5)); guests are part of user.
        ticks = [float(word) for word in words[1:9]]
        idle = ticks[3] + ticks[4]
    except (OSError, ValueError, LookupError):
        return None
    return sum(ticks) - idle, sum(ticks)


def _used(before: tuple[float, float] | None, after: tuple[float, float] | None) -> float | None:
    if before is None or after is None or after[1] <= before[1]:
        return None
    return (after[0] - before[0]) / (after[1] - before[1])
