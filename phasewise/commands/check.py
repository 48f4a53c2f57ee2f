"""``phasewise check``: the resolved study with its derived quantities, as tables or as JSON."""

from __future__ import annotations

import argparse

from phasewise.errors import StudyError
from phasewise.options import Parser, add_json, add_noise, add_study
from phasewise.output import console, message, print_json
from phasewise.study import Study, load
from phasewise.study.checking import Checking


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print the resolved study as JSON")
    add_noise(parser)
    add_study(parser)


def main(options: argparse.Namespace) -> int:
    """Check the study ``options.study`` with ``options.set``; the exit status."""
    study = load(options.study, options.set)
    checking = study.workload.part(Checking)
    try:
        found_beside = checking.check(study)
    except StudyError as error:
        raise StudyError(f"{options.study}: {error}") from None
    derived = study.derive()
    warnings = [*derived.warnings, *found_beside]
    noise = None
    if options.noise is not None:
        noise = checking.simulate_noise(study, options.noise, message)
    if options.json:
        found = derived.to_dict() | {"warnings": warnings}
        entries = checking.entries(study)
        if noise is not None:
            entries |= {"noise": noise.to_dict()}
        print_json({"study": study.resolved(), "derived": found, **entries})
    else:
        show(study)
        if noise is not None:
            noise.show()
    for warning in warnings:
        message(f"warning: {warning}")
    return 0


def show(study: Study) -> None:
    """Print the study as tables."""
    count = study.workload.unit.of(study.count)
    console().print(f"{study.title}: {count}, seed {study.seed}")
    study.workload.part(Checking).show(study)
