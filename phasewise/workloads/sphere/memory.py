"""Memory that a study of shallow water takes."""

from __future__ import annotations

import os

from phasewise.mpi.launch import allocated_nodes
from phasewise.output import engineering, number_of
from phasewise.workloads.sphere.model import TABLE, Sphere

FIELDS, SURFACES = 4, 2
"""On the grid: winds, vorticity and geopotential of each level; the ground and the Coriolis
parameter of all.
"""
PRODUCTS, STATE, STATES = 5, 3, 4
"""Fields that are transformed together, those of a state, and states: two timesteps, the next one
and the tendency.
"""
COMPLEX = 16  # B


def memory_bytes(model: Sphere) -> int:
    """The large arrays on one rank [bytes]: fields on the grid, columns of a Legendre transform,
    states, and the table of Legendre functions if it is kept. Several ranks have as much together,
    and with transposes the columns a second time.
    """
    fields = (FIELDS * model.levels + SURFACES) * model.points // 2 * COMPLEX
    wavenumbers = model.truncation + 1
    columns = 2 * PRODUCTS * model.levels * model.pairs * wavenumbers * COMPLEX
    states = STATES * STATE * model.levels * model.coefficients * COMPLEX
    return fields + columns + states + (model.table_bytes if model.functions == TABLE else 0)


def excess_of(model: Sphere) -> str:
    """A sentence if this machine, or the nodes of its batch allocation if each has as much memory,
    cannot hold the study; else empty.
    """
    nodes = allocated_nodes(os.environ)
    here = nodes * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    needed = memory_bytes(model)
    if needed <= here:
        return ""
    memory, found = (engineering(size, "B") for size in (needed, here))
    where = "this machine has" if nodes == 1 else f"the {nodes} nodes of this job have"
    return (
        f"sphere.truncation = {model.truncation} with {number_of(model.levels, 'level')} takes "
        f"{memory} of memory, and {where} {found}: give a smaller truncation, or fewer levels, or "
        "run on more nodes"
    )
