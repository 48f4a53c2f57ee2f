"""Several workloads in one ring, as one workload: they hand its bunches from one to the next.

It names none of them. Its plan, phases, records and checkpoints are those of its parts, under names
that begin with the part's name; so do their keys of [records] and [communication].
"""

from phasewise.workloads.composite.workload import composite_of

__all__ = ["composite_of"]
