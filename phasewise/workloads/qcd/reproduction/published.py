"""The numbers of the source's tables."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from phasewise.reproduction.source import Source, Statement

Size = tuple[int, int, int, int]
"""Extents along x, y, z and t."""

FLOPS_PER_SITE = 7728
"""Flops of a CG iteration with the clover term for an even site, as the source counts them."""


@dataclass(frozen=True)
class Column:
    """A column of a table: overall rate [flop/s], compute rate of a core [flop/s], bytes per second
    that a process sends and receives in its messages, and the share of time that these take.
    """

    machine: str
    table: int
    size: Size
    cores: int
    overall: float
    compute: float
    bandwidth: float
    overhead: float

    @property
    def iteration_seconds(self) -> float:
        """Time of a CG iteration [s]."""
        return FLOPS_PER_SITE * math.prod(self.size) / 2 / self.overall


@cache
def _tables() -> dict[str, Any]:
    text = (Path(__file__).parent / "source.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def columns() -> list[Column]:
    """All columns of Tables 2, 3 and 6, each once."""
    return [
        Column(
            table["machine"], table["table"], _size(table["size"]), cores,
            1e9 * overall, 1e6 * compute, 1e6 * bandwidth, overhead / 100,
        )
        for table in _tables()["measured"]
        for cores, overall, compute, bandwidth, overhead in table["columns"]
    ]  # fmt: skip


def ratios() -> Iterator[tuple[Size, int, float]]:
    """Table 1: size, cores, and the surface to volume ratio."""
    for size, row in _tables()["ratios"].items():
        for cores, ratio in row:
            yield _size(map(int, size.split("x"))), cores, ratio


def _size(extents: Any) -> Size:
    x, y, z, t = extents
    return x, y, z, t


def read_source() -> Source:
    """The source, with its statements."""
    tables = _tables()
    statements = {number: Statement(**one) for number, one in tables["statements"].items()}
    words = {name: tables[name] for name in ("name", "title", "subtitle", "statement")}
    return Source(**words, statements=statements)


SOURCE = read_source()
