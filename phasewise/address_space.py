"""Whether `ulimit -v` leaves this process the address space that it needs.

OpenBLAS, of which NumPy and SciPy load a copy each, asks again and again for memory that it does
not get, so that a process may hang where it loads one.
"""

from __future__ import annotations

import os
import resource

from phasewise.errors import RunError

LIBRARIES = 280e6
"""Address space of Python with all libraries that phasewise loads [B], measured on x86-64 with
NumPy 2.4, SciPy 1.17 and Matplotlib 3.11.
"""
THREAD = 80e6
"""What each thread of both copies of OpenBLAS takes beside that [B]: a buffer of 32 MB and a stack
of 8 MB.
"""
MOST_THREADS = 64
"""The threads for which NumPy's and SciPy's wheels build OpenBLAS."""


def check_address_space(command: str) -> None:
    """RunError if the limit is too low for this subcommand."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    needed = LIBRARIES + THREAD * blas_threads()
    if limit == resource.RLIM_INFINITY or limit >= needed:
        return
    raise RunError(
        f"phasewise {command} needs {needed / 1e6:.0f} MB of address space, and ulimit -v leaves "
        f"{limit / 1e6:.0f} MB: raise it, or set OPENBLAS_NUM_THREADS=1, with which "
        f"{(LIBRARIES + THREAD) / 1e6:.0f} MB are enough"
    )


def blas_threads() -> int:
    """The threads that OpenBLAS starts: those of its variables, at most those of the cores."""
    cores = min(len(os.sched_getaffinity(0)), MOST_THREADS)
    for name in ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS"):
        given = os.environ.get(name, "")
        if given.isdigit() and int(given) > 0:
            return min(int(given), cores)
    return cores
