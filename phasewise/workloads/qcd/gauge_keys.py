"""The table [gauge] of a study: the action of the links, and where the links come from."""

from __future__ import annotations

import glob
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError
from phasewise.tables.declared import key
from phasewise.tables.keys import show

COLD, HOT, FILE, FILES = "cold", "hot", "file", "files"
STARTS = (COLD, HOT, FILE, FILES)
RECTANGLES = {"wilson": 0.0, "symanzik": -1 / 12, "iwasaki": -0.331}
"""The coefficient c₁ of rectangles in the action; plaquettes have the coefficient 1 - 8 c₁ (tree
level: Weisz, Nucl. Phys. B 212 (1983) 1; Iwasaki, Nucl. Phys. B 258 (1985) 141).
"""


@dataclass(frozen=True, kw_only=True)
class Gauge:
    """The keys of [gauge]."""

    action: str = key("word", "wilson", choices=tuple(RECTANGLES))
    """The action of the links: Wilson's has plaquettes only; others have rectangles too, and these
    are then measured.
    """
    beta: float | None = key("number", above=0, most=1000)
    """β of the action; if it is given, the summary contains the action of a site."""
    start: str = key(
        "word", COLD, choices=STARTS, flat=True,
        as_flat=lambda start: FILE if start == FILES else start,
    )  # fmt: skip
    """cold: unit matrices; hot: random links from the seed; file: links read from `file`; files:
    links read from `files`, in turn.
    """
    file: Path | None = key("text")
    files: tuple[Path, ...] | None = key(
        "any", flat=True, as_flat=lambda files: 1 if files is None else len(files)
    )
    """Files of an ensemble, which solves take in turn, instead of `file`: a list of names and
    patterns, or a pattern such as "links/*.ildg".
    """

    @property
    def from_files(self) -> bool:
        """Whether the links come from files."""
        return self.start in (FILE, FILES)

    def file_of(self, solve: int) -> Path | None:
        """The file of a solve's links; None: they come from no file."""
        return self.files[solve % len(self.files)] if self.files else self.file

    @property
    def every_file(self) -> tuple[Path, ...]:
        """All files of links."""
        return self.files or (() if self.file is None else (self.file,))


def read_files(file: str | None, files: Any, folder: Path) -> dict[str, Any]:
    """The values of gauge.file and gauge.files as paths; StudyError if they are none."""
    if files is None:
        return {"file": None if file is None else (folder / file).resolve()}
    if file is not None:
        raise StudyError(
            "gauge.file and gauge.files exclude each other: give one file, or those of an ensemble"
        )
    if isinstance(files, str) and files:
        return {"files": _matching(files, folder)}
    if (
        not isinstance(files, list | tuple)
        or not files
        or not all(isinstance(one, str | Path) and str(one) for one in files)
    ):
        raise StudyError(
            "gauge.files must be a list of names of files and patterns, or a pattern such as "
            f'"links/*.ildg", but is {show(files)}'
        )
    found = (path for one in files for path in _named(one, folder))
    return {"files": tuple(found)}


def _named(one: str | Path, folder: Path) -> tuple[Path, ...]:
    """The file of an entry of a list, or those that match it if it is a pattern; a file may have
    the letters of a pattern in its name.
    """
    path = (folder / one).resolve()
    if path.exists() or not glob.has_magic(str(one)):
        return (path,)
    return _matching(str(one), folder)


def _matching(pattern: str, folder: Path) -> tuple[Path, ...]:
    """The files that match a pattern, sorted by name; numbers in names count as numbers."""
    # A pattern may be absolute, and hidden files are those that are being written.
    names = glob.glob(pattern, root_dir=folder, recursive=True)  # noqa: PTH207
    found = (folder / name for name in names)
    files = sorted({one.resolve() for one in found if one.is_file()}, key=_by_numbers)
    if not files:
        raise StudyError(
            f"gauge.files = {show(pattern)} matches no file; it is relative to {folder.resolve()}"
        )
    return tuple(files)


def _by_numbers(path: Path) -> list[tuple[int, str]]:
    """A key of order in which conf-9 stands before conf-10."""
    parts = re.split(r"(\d+)", str(path))
    return [(int(part), part) if part.isdecimal() else (0, part) for part in parts]


def check_start(gauge: Gauge) -> None:
    """StudyError if the start and the files do not belong together."""
    if gauge.from_files != bool(gauge.every_file):
        raise StudyError(
            'gauge.start = "file" and gauge.file or gauge.files belong together: '
            f"start is {show(gauge.start)} and there is "
            f"{'a' if gauge.every_file else 'no'} file"
        )
    if gauge.start == FILES and not gauge.files:
        raise StudyError(
            'gauge.start = "files" takes the files of gauge.files in turn; give them, or '
            'gauge.start = "file" for gauge.file'
        )
