"""What neighbours exchange: the tables [halo] and [communication], and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, cast

from phasewise.errors import StudyError
from phasewise.output import engineering
from phasewise.tables.declared import declared, key
from phasewise.workload.communication import MACHINE, NODE_SIZE, ROW_FIRST, TUNE, Communication
from phasewise.workload.grids import check_fits, check_written, grid_key
from phasewise.workload.protocols import PROTOCOL
from phasewise.workload.table import OneTable, beyond_memory

PAGE = 4096
"""Bytes of a page of memory: a long row's two ends, and those of the next row, are on one."""

MAX_WORDS = 2**19
"""With so long messages a rank's array takes 2 TB."""


@dataclass(frozen=True, kw_only=True)
class Halo(OneTable):
    """The keys of [halo]."""

    DERIVED: ClassVar[tuple[str, ...]] = ("message_bytes", "cells", "memory_bytes")

    words: int = key(
        "integer", needed="the size of a message in words", least=1, most=MAX_WORDS, unit="words",
        flat=True,
    )  # fmt: skip
    """Words of one message, all rows of the halo together."""
    rows: int = key("integer", 1, least=1, most=2, unit="rows of halo on each side", flat=True)
    word_size: int = key("integer", 8, least=4, most=8, unit="bytes of a word", flat=True)
    at_once: bool = key("flag", False, flat=True)
    """Whether all four messages go together."""
    verify: bool = key("flag", True, flat=True)
    """Whether every cell of the halo is checked after each exchange."""

    def check(self) -> None:
        """StudyError where keys do not suit each other."""
        if self.word_size not in (4, 8):
            raise StudyError(f"halo.word_size = {self.word_size} must be 4 or 8 bytes")
        if self.rows == 2 and (self.words % 2 or self.words < 4):
            raise StudyError(
                f"halo.words = {self.words} must be an even number of at least 4: two rows of halo "
                "share the words of a message"
            )

    @property
    def cells(self) -> int:
        """Cells along each side of a rank's own part of the array."""
        return self.words // self.rows

    @property
    def message_bytes(self) -> int:
        """Size of a message [bytes]."""
        return self.words * self.word_size

    @property
    def memory_bytes(self) -> int:
        """Memory that a rank's array takes [bytes]: an exchange touches only the edges of a large
        one, and their pages alone count.
        """
        rows = self.cells + 2 * self.rows
        whole = rows * rows * self.word_size
        return min(whole, rows * PAGE + 4 * self.rows * rows * self.word_size)

    @property
    def sentence(self) -> str:
        """The sizes that follow from the keys."""
        message, array = (engineering(n, "B") for n in (self.message_bytes, self.memory_bytes))
        return f"{message} a message; {self.cells} × {self.cells} cells a rank, with halo {array}"

    @property
    def tile(self) -> tuple[str, str, str]:
        """The size of a message."""
        return "Words of a message", str(self.words), f"{self.message_bytes} B"

    @property
    def excess(self) -> str:
        """A sentence if a rank's array alone is larger than this machine's memory."""
        return beyond_memory(f"halo.words = {self.words}", self.memory_bytes, "give fewer words")


@dataclass(frozen=True, kw_only=True)
class HaloCommunication(Communication):
    """The keys of [communication]."""

    ALGORITHMS: ClassVar[tuple[str, ...]] = ("protocol",)
    LAYOUT: ClassVar[str] = ROW_FIRST
    """Ranks with the same y are consecutive."""

    process_grid: str = grid_key(2)
    """Px x Py; auto: the pair nearest to a square, Px not below Py."""
    protocol: str = declared(PROTOCOL)
    node_size: int = declared(NODE_SIZE)
    tune: str = declared(TUNE)
    machine: str = declared(MACHINE)

    def check(self) -> None:
        """StudyError if the process grid is none."""
        check_written(self.process_grid, 2)

    def check_ranks(self, _model: Any, ranks: int) -> None:
        """StudyError if the process grid does not have this number of ranks."""
        check_fits(self.process_grid, ranks)


def model_of(study: Any) -> Halo:
    """The model of a study of this workload."""
    return cast(Halo, study.model)
