"""The table [halo]: how much neighbours exchange, and what follows from it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from phasewise.errors import StudyError
from phasewise.output import engineering
from phasewise.tables.declared import key, schema_of
from phasewise.tables.keys import check_table, with_defaults

WORD_SIZES = (4, 8)
"""Bytes of a word."""

PAGE = 4096
"""Bytes of a page of memory: a long row's two ends, and those of the next row, are on one."""

MAX_WORDS = 2**19
"""With so long messages a rank's array takes 2 TB."""


@dataclass(frozen=True, kw_only=True)
class Halo:
    """The keys of [halo]."""

    words: int = key("integer", least=1, most=MAX_WORDS, unit="words", flat=True)
    """Words of one message, all rows of the halo together."""
    rows: int = key("integer", 1, least=1, most=2, unit="rows of halo on each side", flat=True)
    word_size: int = key("integer", 8, least=4, most=8, unit="bytes of a word", flat=True)
    at_once: bool = key("flag", False, flat=True)
    """Whether all four messages go together."""
    verify: bool = key("flag", True, flat=True)
    """Whether every cell of the halo is checked after each exchange."""

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
        """Memory that a rank's array takes [bytes]: of a large one, in which an exchange touches
        nothing but edges, the pages of these.
        """
        rows = self.cells + 2 * self.rows
        whole = rows * rows * self.word_size
        return min(whole, rows * PAGE + 4 * self.rows * rows * self.word_size)


@dataclass(frozen=True)
class DerivedHalo:
    """What follows from a study."""

    message_bytes: int
    cells: int
    memory_bytes: int
    """Memory of a rank's array [bytes]."""
    warnings: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return asdict(self) | {"warnings": list(self.warnings)}


def read(tables: Mapping[str, Any], _records: Mapping[str, Any], _folder: Path) -> Halo:
    """The model of a study's tables."""
    schema = schema_of(Halo)
    values = with_defaults(check_table(tables["halo"] or {}, schema, "halo"), schema)
    if values["words"] is None:
        raise StudyError("halo.words is missing: it is the size of a message in words")
    if values["word_size"] not in WORD_SIZES:
        raise StudyError(f"halo.word_size = {values['word_size']} must be 4 or 8 bytes")
    model = Halo(**values)
    if model.rows == 2 and (model.words % 2 or model.words < 4):
        raise StudyError(
            f"halo.words = {model.words} must be an even number of at least 4: two rows of halo "
            "share the words of a message"
        )
    return model


def derive(model: Halo) -> DerivedHalo:
    """Sizes, and a warning where the array is too large for this machine."""
    too_large = excess(model)
    return DerivedHalo(
        message_bytes=model.message_bytes,
        cells=model.cells,
        memory_bytes=model.memory_bytes,
        warnings=(too_large,) if too_large else (),
    )


def excess(model: Halo) -> str:
    """A sentence if a rank's array alone is larger than this machine's memory; else empty."""
    here = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if model.memory_bytes <= here:
        return ""
    needed, found = (engineering(size, "B") for size in (model.memory_bytes, here))
    return (
        f"halo.words = {model.words} takes an array of {needed} a rank, and this machine has "
        f"{found} of memory: give fewer words"
    )


def model_of(study: Any) -> Halo:
    """The model of a study of this workload."""
    return cast(Halo, study.model)
