"""Keep the simulations and the measured curves that `phasewise reproduce --quick` shows.

    .venv/bin/python -m benchmarks.keep_reproduction --cache DIR --workers 2

simulates everything that a full reproduction simulates (except what DIR already holds), measures
the twins, and writes kept.json beside the reproduction's code. Run it again when a twin, the
paper's study or the messages of a turn have changed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from phasewise.errors import PhasewiseError
from phasewise.options import count
from phasewise.output import message
from phasewise.reproduction.measured import measured_machine
from phasewise.reproduction.telling import Telling
from phasewise.simulated.many import simulate_many
from phasewise.workloads.collision.reproduction.extent import FULL
from phasewise.workloads.collision.reproduction.kept import FILE, write_kept
from phasewise.workloads.collision.reproduction.results import tasks_of


def main(words: Sequence[str]) -> int:
    """Simulate and keep; return the exit status."""
    parser = argparse.ArgumentParser(description="Keep the simulations of the reproduction.")
    parser.add_argument("--cache", required=True, metavar="DIR", help="where simulations are kept")
    parser.add_argument("--workers", type=count, default=2, metavar="W", help="processes")
    options = parser.parse_args(words)
    cache, tasks = Path(options.cache), tasks_of(FULL)
    try:
        found = simulate_many(tasks, cache, options.workers, Telling("simulations"))
        machines = {name: measured_machine(name, cache) for name in FULL.machines}
    except PhasewiseError as error:
        message(f"phasewise: {error}")
        return error.exit_status
    today = datetime.now(UTC).date().isoformat()
    write_kept(today, zip(tasks, found, strict=True), machines)
    message(f"wrote {FILE}: {len(tasks)} simulations, {len(machines)} machines")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
