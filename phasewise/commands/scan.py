"""``phasewise scan``: a study at many values of its keys and with many seeds."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from phasewise.errors import StudyError
from phasewise.mpi.progress import choose_progress
from phasewise.options import (
    Parser,
    add_device,
    add_html,
    add_json,
    add_study,
    count,
    device_override,
    html_target,
)
from phasewise.output import captured, message, print_json
from phasewise.scanning.axes import read_axis
from phasewise.scanning.definition import Definition
from phasewise.scanning.expected import LONG, expected
from phasewise.scanning.folder import COMPLETE, FAILED
from phasewise.scanning.results import ScanResults
from phasewise.scanning.scan import Request, default_folder, run_scan, samples_of
from phasewise.scanning.telling import remarks, show_results
from phasewise.study import load

SHORT = 10.0
"""Seconds of a scan of which nothing is said beforehand."""


def add_options(parser: Parser) -> None:
    """The options of this subcommand."""
    add_json(parser, "print the points with their results as JSON")
    add_study(parser)
    parser.add_argument(
        "--over",
        action="append",
        default=[],
        metavar="KEY=VALUES",
        help="a list (5,9 or [15,1],[5,5]), START:END:COUNT, or LOW:HIGH for samples; repeat",
    )
    parser.add_argument("--seeds", type=count, metavar="N", help="run each point with N seeds")
    parser.add_argument(
        "--random", type=count, default=0, metavar="N", help="N random samples of the ranges"
    )
    parser.add_argument(
        "--sobol", type=count, default=0, metavar="N", help="N samples of a Sobol sequence"
    )
    parser.add_argument(
        "--sample-seed", type=count, default=1, metavar="S", help="seed of the samples (1)"
    )
    parser.add_argument(
        "--jobs", type=count, default=0, metavar="N", help="points that run at a time"
    )
    parser.add_argument("--ranks", type=count, default=1, metavar="N", help="MPI ranks of a point")
    parser.add_argument("--threads", type=count, default=1, metavar="T", help="threads per rank")
    parser.add_argument(
        "--batch",
        type=count,
        default=1,
        metavar="N",
        help="points that one process runs together on one device",
    )
    add_device(parser)
    parser.add_argument(
        "--part",
        default="1/1",
        metavar="I/N",
        help="run every N-th point from the I-th on, for a batch array",
    )
    parser.add_argument("--out", metavar="DIR", help="folder (scans/<study> by default)")
    parser.add_argument(
        "--yes",
        action="store_true",
        help="run more than 1000 points, or for more than an hour, without asking",
    )
    parser.add_argument(
        "--plot", action="append", default=[], metavar="RESULT", help="a column to show; repeat"
    )
    parser.add_argument(
        "--converge",
        action="append",
        default=[],
        metavar="KEY[:ORDER]",
        help="extrapolate in this key, whose error falls as its power -ORDER; repeat",
    )
    parser.add_argument("--parquet", action="store_true", help="write the table as Parquet too")
    add_html(parser)
    parser.add_argument("--quiet", action="store_true", help="no progress, no table")


def main(options: argparse.Namespace) -> int:
    """Scan the study ``options.study`` and return the exit status."""
    options.set = [*options.set, *device_override(options)]
    page = html_target(options)
    study = load(options.study, options.set)
    axes = tuple(read_axis(text) for text in options.over)
    samples = samples_of(options.random, options.sobol, options.sample_seed)
    definition = Definition(study, axes, samples, options.seeds)
    definition.check_count(options.yes)
    source = Path(options.study)
    request = Request(
        out=Path(options.out or default_folder(source)),
        jobs=options.jobs,
        ranks=options.ranks,
        threads=options.threads,
        batch=options.batch,
        part=part_of(options.part),
        plot=tuple(options.plot),
        converge=tuple(options.converge),
        parquet=options.parquet,
        source=(source, tuple(options.set)),
    )
    _tell_time(definition, request, options)
    results = run_scan(definition, request, choose_progress(options.quiet, "point"))
    if page is not None:
        from phasewise.answers.scanned import scanned_answer
        from phasewise.report.answer import write_answer

        told = captured(lambda: show_results(results, options.plot))
        write_answer(scanned_answer(results, options.plot, told, options.argv), page)
        message(f"wrote {page}")
    if options.json:
        print_json(results.to_dict())
    elif not options.quiet:
        show_results(results, options.plot)
        for sentence in remarks(results, options.plot):
            message(sentence)
    return _verdict(results)


def _tell_time(definition: Definition, request: Request, options: argparse.Namespace) -> None:
    """Say how long the scan will take, and ask in a terminal if that is long; StudyError if the
    answer is no.
    """
    if options.quiet and options.yes:
        return
    found = expected(definition, request)
    if found is None or found.seconds < SHORT:
        return
    if not options.quiet:
        message(found.sentence)
    if found.seconds <= LONG or options.yes or not sys.stdin.isatty():
        return
    message("go on? [y/N] (--yes goes on without asking)")
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise StudyError("the scan was not begun; --yes begins it without asking")


def part_of(text: str) -> tuple[int, int]:
    """I and N of I/N; StudyError if there is no such part."""
    place, _, parts = text.partition("/")
    if not (place.isdigit() and parts.isdigit() and 1 <= int(place) <= int(parts)):
        raise StudyError(f"--part {text}: give I/N with I from 1 to N, such as 3/16")
    return int(place), int(parts)


def _verdict(results: ScanResults) -> int:
    """Say how many points are complete and which one failed first; return the exit status, which is
    1 if one failed.
    """
    failed = [point for point in results.points if point.status == FAILED]
    done = sum(point.status == COMPLETE for point in results.points)
    every = len(results.points)
    message(f"{done} of {every} points are complete; the table is {results.table}")
    if not failed:
        return 0
    first = failed[0]
    message(
        f"phasewise: {len(failed)} of {every} points failed, such as {first.number}: {first.why}; "
        "the table has the reason for each, and the same command tries them again"
    )
    return 1
