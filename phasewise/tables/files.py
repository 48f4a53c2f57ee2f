"""Reads text files and TOML; every error is reported in a sentence."""

from __future__ import annotations

import re
import stat
import tomllib
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError

LARGEST_FILE = 16 * 1024 * 1024
"""Largest size of a file [bytes]; a study is a page of text, so a larger file is of another
kind.
"""


MOST_PARTS = 32
"""Most parts of a dotted key; the time that tomllib takes grows as their square."""

PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
LONG_KEY = re.compile(rf"(?<![\w-])(?:{PART}[ \t]*+\.[ \t]*+){{{MOST_PARTS}}}")


def read_text(path: Path, pipe: bool = False) -> str:
    """The UTF-8 text of a file; StudyError if it cannot be read.

    pipe: it may also be a pipe, which is read to its end.
    """
    try:
        kind = path.stat().st_mode
        if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind) or (pipe and stat.S_ISFIFO(kind))):
            raise StudyError(f"{path} is no file, but a pipe, a device or a socket")
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise StudyError(f"{path} is too large to be a study or a deck")
        return data.decode().replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise StudyError(f"{path} is not a text file in UTF-8") from None
    except FileNotFoundError:
        raise StudyError(f"{path} does not exist") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StudyError(f"{path} cannot be read: {reason}") from None


def parse(text: str, name: str) -> dict[str, Any]:
    """TOML ``text`` as a dictionary; StudyError, with line and column, if it is not TOML."""
    if LONG_KEY.search(text):
        raise StudyError(f"{name} has a key of more than {MOST_PARTS} parts")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise StudyError(f"{name} is not valid TOML: {error}") from None
    except (ValueError, RecursionError):
        raise StudyError(f"{name} is not valid TOML: a number or a nesting is too long") from None
