"""Reads text files, TOML and JSON; every error is reported in a sentence."""

from __future__ import annotations

import json
import os
import re
import stat
import tomllib
from pathlib import Path
from typing import Any

from phasewise.errors import RunError, StudyError

LARGEST_FILE = 16 * 1024 * 1024
"""Largest size of a file [bytes]; a study is a page of text, so a larger file is of another
kind.
"""


MOST_PARTS = 32
"""Most parts of a dotted key; the time that tomllib takes grows as their square."""

PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
LONG_KEY = re.compile(rf"(?<![\w-])(?:{PART}[ \t]*+\.[ \t]*+){{{MOST_PARTS}}}")


SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
"""An escape in JSON that stands for half of a character, and needs the other half."""


def special(path: Path) -> str:
    """What `path` leads to if it is no regular file and no folder, in a clause, and nothing
    otherwise. A named pipe counts: whoever opens it waits until something is written.

    OSError if there is nothing.
    """
    kind = path.stat().st_mode
    if stat.S_ISREG(kind) or stat.S_ISDIR(kind):
        return ""
    return "is no file, but a pipe, a device or a socket"


def read_text(path: Path, pipe: bool = False) -> str:
    """The UTF-8 text of a file; StudyError if it cannot be read.

    pipe: it may also be a pipe without a name, as a shell makes them, which is read to its end.
    """
    try:
        nameless = pipe and path.is_fifo() and not Path(os.path.realpath(path)).exists()
        if not nameless and (what := special(path)):
            raise StudyError(f"{path} {what}")
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


def read_json(path: Path) -> Any:
    """The content of a JSON file; FileNotFoundError if there is none, RunError if it cannot be
    read.
    """
    try:
        if what := special(path):
            raise RunError(f"{path} {what}")
        return parse_json(path.read_text(encoding="utf-8"), str(path))
    except FileNotFoundError:
        raise
    except (OSError, UnicodeDecodeError, MemoryError) as error:
        reason = getattr(error, "strerror", None) or error or "there is not enough memory"
        raise RunError(f"{path} cannot be read ({reason})") from None


def parse_json(text: str, name: str) -> Any:
    """The value of a JSON text; RunError if it is none, or cannot be written as text again."""
    try:
        value = json.loads(text)
        if SURROGATE.search(text):
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except RecursionError:
        raise RunError(f"{name} is damaged: it is nested too deeply") from None
    except UnicodeEncodeError:
        raise RunError(f"{name} is damaged: it holds halves of characters") from None
    except ValueError as error:
        raise RunError(f"{name} is damaged: {error}") from None
