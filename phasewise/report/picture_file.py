"""The file of a picture that a user asks for."""

from __future__ import annotations

from pathlib import Path

from phasewise.errors import StudyError

FORMATS = (".svg", ".png", ".pdf")


def check_picture(path: str, option: str = "--picture") -> None:
    """StudyError if no picture can be written under this name, which `option` gives."""
    if Path(path).suffix.lower() not in FORMATS:
        raise StudyError(f"{option} {path}: give a name that ends in {', '.join(FORMATS)}")
