"""Links of a file that several ranks read together, each those of its own box of sites."""

from __future__ import annotations

from phasewise.driver import Communicator
from phasewise.mpi.ranks import collectively, on_rank_zero
from phasewise.output import message
from phasewise.workloads.qcd.gauge.files import (
    check_matrices,
    check_sums,
    check_values,
    remarks,
)
from phasewise.workloads.qcd.gauge.reading import (
    FORMATS,
    Deviations,
    Reading,
    loop_means,
    read_box,
)
from phasewise.workloads.qcd.gauge.stored import Floats, Stored, empty_links
from phasewise.workloads.qcd.grids import Extents


def read_own_links(stored: Stored, origin: Extents, extents: Extents, comm: Communicator) -> Floats:
    """The links of a rank's box in SU(3), [t][z][y][x][4][3][3][2]; collective. StudyError, on all
    ranks, if those of all boxes are not what the file says of them, or no gauge field.
    """
    links = empty_links(extents)
    reading = collectively(
        comm,
        lambda: read_box(stored, origin, extents, loops=bool(stored.loops), kept=links),
    )
    parts = comm.gather(reading.to_bytes())
    on_rank_zero(comm, lambda: check_readings(stored, [*map(Reading.from_bytes, parts)]))
    if comm.rank() == 0:
        for sentence in remarks(stored):
            message(f"phasewise: {sentence}")
    return links


def check_readings(stored: Stored, readings: list[Reading]) -> None:
    """StudyError if the links of all boxes are not what the file says of them, or no gauge
    field.
    """
    # Sums first: bytes in another order give numbers that are not finite.
    check_sums(stored, FORMATS[stored.format].combined([one.checksums for one in readings]))
    deviations = Deviations()
    for one in readings:
        deviations = deviations.with_those(vars(one.deviations).values())
    check_matrices(stored, all(one.finite for one in readings), deviations)
    if stored.loops:
        values = loop_means(stored.size, [one.loops for one in readings])
        check_values(stored, values, deviations)
