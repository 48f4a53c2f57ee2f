"""The functions that an object exports, for objects whose other symbols were stripped.

ELF, 64 bits: Tool Interface Standard, Executable and Linking Format, version 1.2 (1995), and the
System V ABI of the processors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

IDENTITY = b"\x7fELF\x02\x01"
"""An ELF file of 64 bits, little endian."""
DYNAMIC_SYMBOLS = 11
FUNCTIONS = (2, 10)
"""Types of symbols: a function, and one that is chosen when the object is loaded (GNU)."""
SECTION = np.dtype(
    {
        "names": ["type", "offset", "size", "link"],
        "formats": ["<u4", "<u8", "<u8", "<u4"],
        "offsets": [4, 24, 32, 40],
        "itemsize": 64,
    }
)
SYMBOL = np.dtype(
    [
        ("name", "<u4"),
        ("info", "u1"),
        ("other", "u1"),
        ("section", "<u2"),
        ("value", "<u8"),
        ("size", "<u8"),
    ]
)


@dataclass(frozen=True)
class Symbols:
    """Functions by increasing address, and the text that their names are in."""

    table: NDArray[np.void]
    names: bytes

    def function(self, address: int) -> str:
        """The function that an address of the file lies in; empty if it exports none there."""
        place = int(np.searchsorted(self.table["value"], address, side="right")) - 1
        if place < 0:
            return ""
        name, first, size = (int(self.table[key][place]) for key in ("name", "value", "size"))
        if address >= first + size:
            return ""
        return self.names[name : self.names.find(b"\0", name)].decode(errors="replace")


def exported(path: str) -> Symbols | None:
    """The functions that an object exports; None if it cannot be read."""
    try:
        return _exported(np.memmap(path, np.uint8, "r"))
    except (OSError, ValueError, LookupError):
        return None


def _exported(data: NDArray[np.uint8]) -> Symbols | None:
    head = bytes(data[:64])
    if not head.startswith(IDENTITY):
        return None
    at, count = int.from_bytes(head[40:48], "little"), int.from_bytes(head[60:62], "little")
    sections = data[at : at + 64 * count].view(SECTION)
    own = sections[sections["type"] == DYNAMIC_SYMBOLS]
    if not len(own):
        return None
    table = _part(data, own[0]).view(SYMBOL)
    kept = np.isin(table["info"] & 15, FUNCTIONS) & (table["section"] > 0) & (table["size"] > 0)
    table = table[kept]
    names = bytes(_part(data, sections[own[0]["link"]]))
    return Symbols(table[np.argsort(table["value"], kind="stable")], names)


def _part(data: NDArray[np.uint8], section: NDArray[np.void]) -> NDArray[np.uint8]:
    start = int(section["offset"])
    return data[start : start + int(section["size"])]


def functions_at(path: str, addresses: Sequence[int]) -> list[str]:
    """The exported functions that addresses of an object's file lie in; empty where it has none."""
    symbols = exported(path)
    return [symbols.function(address) if symbols else "" for address in addresses]
