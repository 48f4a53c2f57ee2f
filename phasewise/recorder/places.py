"""Functions, files and lines of call sites, from DWARF or symbols of the objects."""

from __future__ import annotations

import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from phasewise.recorder.cplusplus import readable
from phasewise.recorder.raw import Frame
from phasewise.recorder.symbols import functions_at

ET_EXEC = 2
"""The kind of an ELF file whose addresses are absolute."""
TOGETHER = 500
"""Addresses in one command."""
UNKNOWN = "??"
"""What addr2line prints for a function or a file that it does not know."""


@dataclass(frozen=True)
class Place:
    """Where a call was made. Without debugging information `file` is the object and `line` None;
    without symbols `function` is the object and the offset in it.
    """

    function: str
    file: str | None
    line: int | None

    @property
    def text(self) -> str:
        """The place as tables show it."""
        if self.file is None or self.line is None:
            return self.function
        return f"{self.function} ({Path(self.file).name}:{self.line})"


def places_of(frames: Iterable[Frame]) -> dict[Frame, Place]:
    """The places of frames."""
    by_object: dict[str, dict[int, list[Frame]]] = defaultdict(lambda: defaultdict(list))
    for frame in dict.fromkeys(frames):
        # Each process has the object elsewhere in memory.
        by_object[frame.path][frame.offset].append(frame)
    found: dict[Frame, Place] = {}
    for path, own in by_object.items():
        offsets = list(own)
        for first in range(0, len(own), TOGETHER):
            part = offsets[first : first + TOGETHER]
            places = _looked_up(path, [own[offset][0] for offset in part])
            for offset, place in zip(part, places, strict=True):
                found |= dict.fromkeys(own[offset], place)
    return found


def _is_file(path: str) -> bool:
    """Whether there is such a file, in a folder that this person may enter."""
    try:
        return Path(path).is_file()
    except PermissionError:
        return False


def _looked_up(path: str, frames: Sequence[Frame]) -> list[Place]:
    lines = [UNKNOWN, f"{UNKNOWN}:0"] * len(frames)
    if path.startswith("/") and _is_file(path):
        absolute = _is_absolute(path)
        addresses = [one.offset + (one.start if absolute else 0) for one in frames]
        found = _addr2line(path, addresses)
        lines = found if len(found) == len(lines) else lines
        if not _has_symbols(path):
            # addr2line would name the nearest exported function, however far that is.
            lines[::2] = [name or UNKNOWN for name in functions_at(path, addresses)]
    return [_place(frame, lines[2 * k], lines[2 * k + 1]) for k, frame in enumerate(frames)]


def _addr2line(path: str, offsets: Sequence[int]) -> list[str]:
    """Lines for each address: its function, then its file and line; none without binutils."""
    program = shutil.which("addr2line")
    if program is None:
        return []
    addresses = [hex(one) for one in offsets]
    # binutils 2.40 names the function of the first address of a command by its symbol alone.
    addresses.insert(0, addresses[0])
    try:
        done = subprocess.run(
            [program, "-f", "-C", "-e", path, *addresses],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return done.stdout.splitlines()[2:]


def _has_symbols(path: str) -> bool:
    """Whether an object has the symbols of its own functions, not only of those that it exports."""
    program = shutil.which("readelf")
    if program is None:
        return False
    done = subprocess.run(
        [program, "-S", "-W", path], capture_output=True, text=True, errors="replace", check=False
    )
    return " .symtab " in done.stdout


def _is_absolute(path: str) -> bool:
    try:
        with Path(path).open("rb") as file:
            head = file.read(18)
    except OSError:
        return False
    return int.from_bytes(head[16:18], "little") == ET_EXEC


def _place(frame: Frame, function: str, where: str) -> Place:
    file, _, line = where.rpartition(":")
    number = line.partition(" ")[0]
    name = readable(function if function != UNKNOWN else frame.symbol)
    if not name:
        name = f"{Path(frame.path).name or 'unknown'}+0x{frame.offset:x}"
    if file in ("", UNKNOWN) or not number.isdigit() or number == "0":
        return Place(name, frame.path or None, None)
    return Place(name, file, int(number))
