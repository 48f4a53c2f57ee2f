"""How far the models are off, and how wide their intervals must be: simulate, fit, judge.

    .venv/bin/python -m benchmarks.residuals --cache DIR --workers 2

simulates the cases of phasewise/reproduction/cases.py; what DIR holds is not simulated again. The
reference is a simulator, not hardware.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from phasewise.cli import count
from phasewise.errors import PhasewiseError
from phasewise.output import message
from phasewise.reproduction.cases import MACHINES, samples
from phasewise.reproduction.telling import Telling
from phasewise.simulations import simulate_many


def main(words: Sequence[str]) -> int:
    """Simulate, and, unless that is all, fit and judge; the exit status."""
    options = parse(words)
    cache = Path(options.cache)
    chosen = [sample for name in options.machines for sample in samples(name)]
    try:
        tasks = [sample.task() for sample in chosen]
        simulate_many(tasks, cache, options.workers, Telling("simulations"))
    except PhasewiseError as error:
        message(f"phasewise: {error}")
        return error.exit_status
    return 0


def parse(words: Sequence[str]) -> argparse.Namespace:
    """The options of this script."""
    parser = argparse.ArgumentParser(description="How far the models are off.")
    parser.add_argument("--cache", required=True, metavar="DIR", help="where simulations are kept")
    parser.add_argument("--workers", type=count, default=2, metavar="W", help="processes")
    parser.add_argument("--simulate-only", action="store_true", help="simulate, and no more")
    parser.add_argument("--machines", nargs="+", choices=MACHINES, default=list(MACHINES))
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
