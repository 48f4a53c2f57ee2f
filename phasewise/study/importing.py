"""What `phasewise import` asks of a workload: the contract `Importing`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from phasewise.workload.interface import Part


class Translation(Protocol):
    """What a deck of another code becomes. `written` says what the text is, if it is no study."""

    @property
    def text(self) -> str:
        """TOML."""

    @property
    def not_translated(self) -> Sequence[Any]:
        """Entries with `record` and `reason`."""


class Importing(Part):
    """The codes whose decks a workload can read."""

    MODULE = "importing"
    CODES: Mapping[str, Callable[[str, str | None], Translation]] = {}
    """Functions by the name of a code, which take the deck's folder or file, and which of its lines
    is wanted; None: its only one.
    """
