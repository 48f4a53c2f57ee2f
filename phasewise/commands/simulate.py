"""``phasewise simulate``: runs a study with the same driver on a simulated machine."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

from phasewise.machines import TWINS, Machine, load_machine
from phasewise.models.computing_elsewhere import MEMORY, scaled_computing
from phasewise.models.replayed import replays_of
from phasewise.options import (
    Parser,
    add_json,
    add_placement,
    add_replay,
    add_study,
    count,
    placement,
)
from phasewise.output import message, print_json
from phasewise.scratch import temporary_folder
from phasewise.simulated.simulate import Request, simulate
from phasewise.study import Study, load
from phasewise.study.replaying import asked_to_replay, ranks_of, remarks_on, steady
from phasewise.traces.records import CommunicationRecord
from phasewise.traces.summary import show_communication
from phasewise.traces.unlike import sampling_error
from phasewise.tuning.automatic import settle


class Slow(argparse.Action):
    """Collects slow ranks by their number."""

    def __call__(self, _parser: Any, options: Any, value: Any, _name: Any = None) -> None:
        """Add a rank; the last one counts if it is given twice."""
        rank, times = value
        setattr(options, self.dest, {**getattr(options, self.dest), rank: times})


def slow_rank(text: str) -> tuple[int, float]:
    """A rank and how many times its kernels are charged, from ``24:2``."""
    rank, colon, times = text.partition(":")
    try:
        found = int(rank), float(times)
    except ValueError:
        found = -1, 0.0
    if not colon or found[0] < 0 or not 0 < found[1] < math.inf:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not RANK:TIMES, such as 24:2 for a rank whose kernels take twice as long"
        )
    return found


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print the summary as JSON")
    add_study(parser)
    parser.add_argument(
        "--machine", required=True, metavar="M", help="such as bassi, or a machine's TOML file"
    )
    parser.add_argument(
        "--ranks", type=count, metavar="N", help="MPI ranks; those of a recorded program's record"
    )
    add_replay(parser)
    add_placement(parser)
    parser.add_argument(
        "--twin", choices=TWINS, default="full", help="how much of the machine is simulated"
    )
    parser.add_argument(
        "--turns", type=count, metavar="T", help="turns, or what the study counts (1 by default)"
    )
    parser.add_argument(
        "--steps",
        type=count,
        metavar="K",
        help="simulate K steps of a long series and scale them to all",
    )
    parser.add_argument(
        "--skeleton", action="store_true", help="messages of the true sizes without contents"
    )
    parser.add_argument(
        "--no-computation", action="store_true", help="let only communication take time"
    )
    parser.add_argument(
        "--events", type=count, default=0, metavar="N", help="time line: events kept by each rank"
    )
    parser.add_argument(
        "--ideal",
        action="store_true",
        help="simulate it again with messages that take no time, which separates serialisation "
        "from transfer",
    )
    parser.add_argument(
        "--slow",
        action=Slow,
        type=slow_rank,
        default={},
        metavar="RANK:TIMES",
        help="charge the kernels of a rank this many times; may be repeated",
    )
    parser.add_argument("--out", metavar="DIR", help="folder for the records (none by default)")


def main(options: argparse.Namespace) -> int:
    """Simulate the study ``options.study`` on ``options.machine`` and return the exit status."""
    machine = load_machine(options.machine)
    study = load(options.study, [*options.set, *placement(options)], count=1)
    (options.ranks,) = ranks_of(study, options.ranks and [options.ranks])
    if asked_to_replay(study, options):
        study = _replayed(options, steady(study, options), machine)
    if options.turns is not None:
        study = study.with_count(options.turns)
    settled = settle(study, options.ranks, machine, options.twin)
    study = settled.study
    request = Request(
        machine,
        options.ranks,
        twin=options.twin,
        steps=options.steps or 0,
        skeleton=options.skeleton,
        computation=not options.no_computation,
        events=options.events,
        ideal=options.ideal,
        slow=options.slow,
    )
    if options.out is None:
        with temporary_folder() as folder:
            summary, record = simulate(study, request, Path(folder))
    else:
        source = Path(options.study)
        own = None if source.is_dir() else source
        summary, record = simulate(study, request, Path(options.out), own)
    settled.say()
    if options.json:
        print_json(summary)
    else:
        show(summary, record)
        if options.out is not None:
            message(f"records are in {options.out}")
    return 0


def _replayed(options: argparse.Namespace, study: Study, machine: Machine) -> Study:
    """A recorded program with its computing scaled: with the machine of the record alone, as memory
    scales it.
    """
    way = options.compute or (options.recorded_on and MEMORY)
    computing = scaled_computing(way, options.recorded_on, machine)
    (found,) = replays_of(study, computing).values()
    message(computing.text)
    for remark in remarks_on(study):
        message(remark)
    return found


def show(summary: dict[str, Any], record: CommunicationRecord) -> None:
    """Print the phases as a table, and the times of a turn."""
    show_communication(record)
    done, every = summary["sampled_steps"]
    if done < every:
        whole = f"the {record.unit.one}, scaled by the bytes of each phase"
        print(f"{done} of {every} steps stand for {whole} {sampling_error()}")
    if record.slow:
        print(record.slow)
    if summary["skeleton"]:
        print("messages only, without contents")
    work = "at the machine's rates" if summary["computation"] else "not charged"
    print(
        f"{record.unit.indefinite}: {summary['turn_seconds']:.4g} s, communication "
        f"{summary['communication_seconds']:.4g} s (mean of the ranks), not less than "
        f"{summary['floor_seconds']:.3g} s for these messages; computation {work}"
    )
    print(f"simulated on {summary['machine']}, {summary['twin']} twin: a simulator, not hardware")
