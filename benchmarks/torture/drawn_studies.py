"""Random small studies of several kinds, and random ways to exchange."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from benchmarks.torture import draw_collision, draw_qcd, draw_ring, draw_spacecharge
from benchmarks.torture.draw import Draw
from phasewise.errors import PhasewiseError
from phasewise.study import Study

KINDS: dict[str, Any] = {
    "collision": draw_collision,
    "spacecharge": draw_spacecharge,
    "qcd": draw_qcd,
    "ring": draw_ring,
}
TRIES = 400


def drawn(kind: str, seed: int) -> dict[str, Any]:
    """The tables of a study that can be used, the same for the same seed."""
    draw = Draw(f"{kind} {seed}")
    for _ in range(TRIES):
        tables: dict[str, Any] = KINDS[kind].study(draw)
        try:
            Study.from_dict(copy.deepcopy(tables), Path()).parameters()
        except PhasewiseError:
            continue
        return tables
    raise RuntimeError(f"no study of {kind} in {TRIES} draws with seed {seed}")


def ways(kind: str, seed: int, way: int) -> dict[str, Any]:
    """The table [communication] of a way to exchange; way 0 is the default."""
    if way == 0:
        return {}
    draw = Draw(f"{kind} {seed} {way}")
    found: dict[str, Any] = KINDS[kind].ways(draw)
    return found | {"node_size": draw.one((0, 0, 1, 2, 3))}
