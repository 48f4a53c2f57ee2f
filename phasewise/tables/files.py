"""Reads text files and TOML; every error is reported in a sentence."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from phasewise.errors import StudyError

LARGEST_FILE = 16 * 1024 * 1024
"""Largest size of a file [bytes]; a study is a page of text, so a larger file is of another
kind.
"""


def read_text(path: Path) -> str:
    """The UTF-8 text of a file; StudyError if it cannot be read."""
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise StudyError(f"{path} is too large to be a study or a deck")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise StudyError(f"{path} is not a text file in UTF-8") from None
    except FileNotFoundError:
        raise StudyError(f"{path} does not exist") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise StudyError(f"{path} cannot be read: {reason}") from None


def parse(text: str, name: str) -> dict[str, Any]:
    """TOML ``text`` as a dictionary; StudyError, with line and column, where it is not TOML."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise StudyError(f"{name} is not valid TOML: {error}") from None
    except (ValueError, RecursionError):
        raise StudyError(f"{name} is not valid TOML: a number or a nesting is too long") from None
