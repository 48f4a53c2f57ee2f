"""``phasewise check``: the resolved study with its derived quantities, as tables or as JSON.

A workload's part `checking` has `show(study)`, which prints its tables, and
`check_files(study)`: StudyError where a file that the study names cannot be used.
"""

from __future__ import annotations

import argparse

from phasewise.options import Parser, add_json, add_study
from phasewise.output import console, message, print_json, print_table
from phasewise.study import Study, load
from phasewise.tables.keys import show as as_toml


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print the resolved study as JSON")
    add_study(parser)


def main(options: argparse.Namespace) -> int:
    """Check the study ``options.study`` with ``options.set``; the exit status."""
    study = load(options.study, options.set)
    study.workload.offers("checking", "check_files", _nothing)(study)
    derived = study.derive()
    if options.json:
        print_json({"study": study.resolved(), "derived": derived.to_dict()})
    else:
        show(study)
    for warning in derived.warnings:
        message(f"warning: {warning}")
    return 0


def _nothing(_study: Study) -> None:
    """The study names no file beyond those that it is read from."""


def show(study: Study) -> None:
    """Print the study as tables."""
    count = study.workload.unit.of(study.count)
    console().print(f"{study.title}: {count}, seed {study.seed}")
    study.workload.offers("checking", "show", _show_keys)(study)


def _show_keys(study: Study) -> None:
    """Every key with its value, for a workload without tables of its own."""
    for name, table in study.resolved().items():
        if isinstance(table, dict):
            rows = [[key, as_toml(value)] for key, value in table.items()]
            print_table(name, ["", "value"], rows)
