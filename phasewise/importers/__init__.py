"""Decks of other codes as studies: ``phasewise import CODE DIR -o STUDY``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from phasewise.errors import RunError
from phasewise.importers import beambeam3d
from phasewise.output import message, print_json


def main(options: argparse.Namespace) -> int:
    """Translate the deck in ``options.directory``; the exit status."""
    translation = beambeam3d.translate(options.directory)
    if options.output is not None:
        try:
            Path(options.output).write_text(translation.text, encoding="utf-8")
        except OSError as error:
            raise RunError(f"{options.output} cannot be written: {error.strerror}") from None
    for entry in translation.not_translated:
        message(f"phasewise: not translated: {entry.record}: {entry.reason}")
    if options.json:
        print_json(
            {
                "study": translation.text,
                "output": options.output,
                "not_translated": [vars(entry) for entry in translation.not_translated],
            }
        )
    elif options.output is None:
        sys.stdout.write(translation.text)
    return 0
