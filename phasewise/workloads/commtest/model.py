"""The table [commtest]: what pairs of ranks exchange, and what follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, cast

from phasewise.output import engineering
from phasewise.tables.declared import key
from phasewise.workload.table import OneTable, beyond_memory
from phasewise.workloads.commtest.pairs import flat_pairs, ranges_of

OPERATORS = ("swap", "echo", "stream")
MAX_BYTES = 10**9
MAX_WINDOW = 1024
LINE = 64
"""Messages begin at multiples of it [bytes]."""


@dataclass(frozen=True, kw_only=True)
class Commtest(OneTable):
    """The keys of [commtest]."""

    DERIVED: ClassVar[tuple[str, ...]] = ("messages", "memory_bytes")

    operator: str = key("word", OPERATORS[0], choices=OPERATORS, flat=True)
    """swap: both ways at once; echo: there and back; stream: `window` messages one way, and an
    answer of 8 bytes.
    """
    bytes: int = key(
        "integer", needed="the length of a message", least=1, most=MAX_BYTES,
        unit="bytes of a message", flat=True,
    )  # fmt: skip
    pairs: str = key("text", "0-1", flat=True, as_flat=flat_pairs)
    """Who exchanges with whom (phasewise.workloads.commtest.pairs)."""
    window: int = key("integer", 16, least=1, most=MAX_WINDOW, unit="messages", flat=True)
    """Pieces of a message that are under way at once; of a stream, its messages too."""
    verify: bool = key("flag", True, flat=True)
    """Whether every byte that arrives is checked after each exchange."""

    def check(self) -> None:
        """StudyError if the pairs are none."""
        ranges_of(self.pairs)

    @property
    def messages(self) -> int:
        """Messages one way in an exchange."""
        return self.window if self.operator == "stream" else 1

    @property
    def memory_bytes(self) -> int:
        """Memory of a rank for its messages [bytes]."""
        return 2 * self.messages * -(-self.bytes // LINE) * LINE + 2 * LINE

    @property
    def sentence(self) -> str:
        """The sizes that follow from the keys."""
        size, memory = (engineering(n, "B") for n in (self.bytes, self.memory_bytes))
        return f"{self.messages} × {size} one way; {memory} of memory a rank"

    @property
    def tile(self) -> tuple[str, str, str]:
        """The message."""
        return "Message", engineering(self.bytes, "B"), f"{self.operator} between {self.pairs}"

    @property
    def excess(self) -> str:
        """A sentence if a rank's messages alone are larger than this machine's memory."""
        given = f"commtest.bytes = {self.bytes}"
        return beyond_memory(given, self.memory_bytes, "give fewer bytes, or a smaller window")

    def bandwidth(self, seconds: float) -> float:
        """Bytes per second of a pair whose exchange takes this time: a swap moves 2 messages, an
        echo one each way, so that s bytes take half of its time.
        """
        moved = self.messages if self.operator == "stream" else 2
        return moved * self.bytes / seconds


def model_of(study: Any) -> Commtest:
    """The model of a study of this workload."""
    return cast(Commtest, study.model)
