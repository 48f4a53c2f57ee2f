"""``phasewise import``: the deck of another code as a study, or its lattice as a study's file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from phasewise.errors import RunError
from phasewise.options import Parser, add_json
from phasewise.output import message, print_json
from phasewise.runs.disk import disk_reason, replace_text
from phasewise.study.importing import Importing, Translation
from phasewise.workload.discovery import with_part


def codes() -> dict[str, Callable[[str, str | None], Translation]]:
    """The functions that translate decks, by the name of the code."""
    return {
        code: translate
        for part in with_part(Importing).values()
        for code, translate in part.CODES.items()
    }


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print the text and what was left out as JSON")
    parser.add_argument("code", choices=list(codes()), help="the code the deck is for")
    parser.add_argument("directory", metavar="DECK", help="folder of the deck, or its file")
    parser.add_argument(
        "--line", metavar="NAME", help="which line or sequence of the file, if it has several"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="the TOML file (standard output by default)"
    )


def main(options: argparse.Namespace) -> int:
    """Translate the deck ``options.directory``; the exit status."""
    translation = codes()[options.code](options.directory, options.line)
    if options.output is not None:
        try:
            replace_text(Path(options.output), translation.text)
        except OSError as error:
            raise RunError(f"{options.output} cannot be written: {disk_reason(error)}") from None
        if not options.json:
            message(f"wrote {options.output}")
    for entry in translation.not_translated:
        message(f"phasewise: not translated: {entry.record}: {entry.reason}")
    if options.json:
        print_json(
            {
                getattr(translation, "written", "study"): translation.text,
                "output": options.output,
                "not_translated": [vars(entry) for entry in translation.not_translated],
            }
        )
    elif options.output is None:
        sys.stdout.write(translation.text)
    return 0
