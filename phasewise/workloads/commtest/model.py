"""The table [commtest]: what pairs of ranks exchange, and what follows from it."""

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
from phasewise.workloads.commtest.pairs import flat_pairs, ranges_of

OPERATORS = ("swap", "echo", "stream")
MAX_BYTES = 10**9
MAX_WINDOW = 1024
LINE = 64
"""Messages begin at multiples of it [bytes]."""


@dataclass(frozen=True, kw_only=True)
class Commtest:
    """The keys of [commtest]."""

    operator: str = key("word", OPERATORS[0], choices=OPERATORS, flat=True)
    """swap: both ways at once; echo: there and back; stream: `window` messages one way, and an
    answer of 8 bytes.
    """
    bytes: int = key("integer", least=1, most=MAX_BYTES, unit="bytes of a message", flat=True)
    pairs: str = key("text", "0-1", flat=True, as_flat=flat_pairs)
    """Who exchanges with whom (phasewise.workloads.commtest.pairs)."""
    window: int = key("integer", 16, least=1, most=MAX_WINDOW, unit="messages", flat=True)
    """Pieces of a message that are under way at once; of a stream, its messages too."""
    verify: bool = key("flag", True, flat=True)
    """Whether every byte that arrives is checked after each exchange."""

    @property
    def messages(self) -> int:
        """Messages one way in an exchange."""
        return self.window if self.operator == "stream" else 1

    @property
    def memory_bytes(self) -> int:
        """Memory of a rank for its messages [bytes]."""
        return 2 * self.messages * -(-self.bytes // LINE) * LINE + 2 * LINE

    def bandwidth(self, seconds: float) -> float:
        """Bytes per second of a pair whose exchange takes this time: a swap moves 2 messages, an
        echo one each way, so that s bytes take half of its time.
        """
        moved = self.messages if self.operator == "stream" else 2
        return moved * self.bytes / seconds


@dataclass(frozen=True)
class DerivedCommtest:
    """What follows from a study."""

    messages: int
    """One way in an exchange."""
    memory_bytes: int
    """Memory of a rank for its messages [bytes]."""
    warnings: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON can hold it."""
        return asdict(self) | {"warnings": list(self.warnings)}


def read(tables: Mapping[str, Any], _records: Mapping[str, Any], _folder: Path) -> Commtest:
    """The model of a study's tables."""
    schema = schema_of(Commtest)
    values = with_defaults(check_table(tables["commtest"] or {}, schema, "commtest"), schema)
    if values["bytes"] is None:
        raise StudyError("commtest.bytes is missing: it is the length of a message")
    ranges_of(values["pairs"])
    return Commtest(**values)


def derive(model: Commtest) -> DerivedCommtest:
    """Sizes, and a warning where they are too large for this machine."""
    too_large = excess(model)
    return DerivedCommtest(
        messages=model.messages,
        memory_bytes=model.memory_bytes,
        warnings=(too_large,) if too_large else (),
    )


def excess(model: Commtest) -> str:
    """A sentence if a rank's messages alone are larger than this machine's memory; else empty."""
    here = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if model.memory_bytes <= here:
        return ""
    needed, found = (engineering(size, "B") for size in (model.memory_bytes, here))
    return (
        f"commtest.bytes = {model.bytes} takes {needed} of memory a rank, and this machine has "
        f"{found}: give fewer bytes, or a smaller window"
    )


def model_of(study: Any) -> Commtest:
    """The model of a study of this workload."""
    return cast(Commtest, study.model)
