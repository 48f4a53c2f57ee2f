"""The ``phasewise`` command: its subcommands and options, and how its errors end it.

Exit status: 0 done, 1 a failed run, 2 bad input. Errors a person can act on are one sentence on
standard error; with ``--json`` standard output then holds one object with that sentence as
``error``.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import os
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module, metadata
from typing import Any, NoReturn

from phasewise.driver import launched_rank
from phasewise.errors import PhasewiseError, RunError, StudyError
from phasewise.output import describe, drop_output, message, print_json, tolerate_any_text

COMMANDS = {
    "run": "phasewise.run",
    "check": "phasewise.check",
    "report": "phasewise.report",
    "plan": "phasewise.plan",
    "simulate": "phasewise.simulate",
    "machine": "phasewise.machine",
    "predict": "phasewise.predict",
    "compare": "phasewise.compare",
    "tune": "phasewise.tune",
    "reproduce": "phasewise.reproduce",
    "trace": "phasewise.trace",
    "import": "phasewise.importers",
    "bench": "phasewise.bench",
}
"""Module of each subcommand; its ``main(arguments)`` returns the exit status."""

CASES = ("paper", "fine", "small")

TWINS = ("plain", "full")


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are StudyError sentences, with the nearest valid name."""

    def error(self, message: str) -> NoReturn:
        raise StudyError(f"{message}{self._nearest(message)} (see {self.prog} --help)")

    def _nearest(self, message: str) -> str:
        if message.startswith("unrecognized arguments: "):
            unknown = message.partition(": ")[2].split()[0].partition("=")[0]
            names = [option for action in self._actions for option in action.option_strings]
        elif "invalid choice: " in message:
            unknown = message.partition("invalid choice: ")[2].partition(" (")[0].strip("'")
            names = [str(c) for action in self._actions for c in action.choices or ()]
        else:
            return ""
        near = difflib.get_close_matches(unknown, names, n=1)
        return f"; did you mean {near[0]}?" if near else ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line ``arguments`` (those of the process by default); the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    as_json = "--json" in words
    tolerate_any_text()
    try:
        options = parse(words)
        module = import_module(COMMANDS[options.command])
        return int(module.main(options))
    except PhasewiseError as error:
        return _fail(str(error), error.exit_status, as_json)
    except ModuleNotFoundError as error:
        if error.name not in ("phasewise._core", *COMMANDS.values()):
            raise
        sentence = f"this installation lacks {error.name}: build phasewise first (make setup)"
        return _fail(sentence, RunError.exit_status, as_json)
    except KeyboardInterrupt:
        return _fail("interrupted", RunError.exit_status, as_json)
    except BrokenPipeError:
        drop_output()
        return RunError.exit_status
    except Exception as error:
        if os.environ.get("PHASEWISE_DEBUG"):
            traceback.print_exception(error)
        return _fail(describe(error), RunError.exit_status, as_json)


def _fail(sentence: str, status: int, as_json: bool) -> int:
    """Report an error; of several ranks that all meet it before they can talk, the first does."""
    if launched_rank() in (None, 0):
        message(f"phasewise: {sentence}")
        if as_json:
            with contextlib.suppress(OSError):
                print_json({"error": sentence, "status": status})
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        return status
    drop_output()
    return status


def parse(words: Sequence[str]) -> argparse.Namespace:
    """The options of a command line; StudyError where they cannot be understood."""
    parser = build_parser()
    options, unknown = parser.parse_known_args(words)
    if unknown:
        # Reported by the subcommand's parser, which knows the options that come nearest.
        _subparsers(parser)[options.command].error("unrecognized arguments: " + " ".join(unknown))
    return options


def _subparsers(parser: argparse.ArgumentParser) -> dict[str, Any]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}


def build_parser() -> Parser:
    """The parser of every subcommand."""
    parser = Parser(
        prog="phasewise",
        description="Strong-strong simulation of colliding particle beams.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"phasewise {_version()}")
    commands = parser.add_subparsers(
        dest="command", required=True, metavar="COMMAND", parser_class=Parser
    )
    _add_run(commands)
    _add_check(commands)
    _add_report(commands)
    _add_plan(commands)
    _add_simulate(commands)
    _add_machine(commands)
    _add_predict(commands)
    _add_compare(commands)
    _add_tune(commands)
    _add_reproduce(commands)
    _add_trace(commands)
    _add_import(commands)
    _add_bench(commands)
    return parser


def _version() -> str:
    try:
        return metadata.version("phasewise")
    except metadata.PackageNotFoundError:
        return "of a source tree that is not installed"


def _command(commands: Any, name: str, summary: str, json_help: str) -> Any:
    parser = commands.add_parser(name, help=summary, description=summary, allow_abbrev=False)
    parser.add_argument("--json", action="store_true", help=json_help)
    return parser


def _add_study(parser: Any) -> None:
    parser.add_argument("study", metavar="STUDY", help="the study, a TOML file")
    _add_overrides(parser)


def _add_overrides(parser: Any) -> None:
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="override one key, such as ip.1.slices=4; repeat for more",
    )


def _add_processors(parser: Any) -> None:
    parser.add_argument("--ranks", type=count, metavar="N", help="MPI ranks to start")
    parser.add_argument("--threads", type=count, default=1, metavar="T", help="threads per rank")


def count(text: str) -> int:
    """A number of ranks, threads or turns: an integer of at least 1."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= 10**6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to 1000000")
    return number


def _add_run(commands: Any) -> None:
    parser = _command(commands, "run", "Run a study.", "print the summary as JSON")
    _add_study(parser)
    _add_processors(parser)
    parser.add_argument("--out", metavar="DIR", help="folder for records (runs/<study> by default)")
    parser.add_argument("--resume", action="store_true", help="go on from the last checkpoint")
    parser.add_argument("--quiet", action="store_true", help="no progress, no table")
    parser.add_argument(
        "--events", type=count, default=0, metavar="N", help="time line: events kept by each rank"
    )


def _add_check(commands: Any) -> None:
    summary = "Check a study and show it with its derived quantities."
    _add_study(_command(commands, "check", summary, "print the resolved study as JSON"))


def _add_report(commands: Any) -> None:
    summary = "Make one self-contained HTML file from a run."
    parser = _command(commands, "report", summary, "print the report's figures as JSON")
    parser.add_argument("directory", metavar="DIR", help="folder of the run")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="the HTML file (DIR/report.html by default)"
    )
    parser.add_argument(
        "--compare",
        action="extend",
        nargs="+",
        default=[],
        metavar="DIR2",
        help="folders of runs whose communication is shown beside this one's",
    )


def _add_trace(commands: Any) -> None:
    summary = "Write the time line of a run for Perfetto."
    parser = _command(commands, "trace", summary, "print what was written as JSON")
    parser.add_argument("directory", metavar="DIR", help="folder of a run with --events")
    parser.add_argument(
        "--chrome", metavar="FILE", required=True, help="the file, Chrome trace events in JSON"
    )


def _add_plan(commands: Any) -> None:
    summary = "Show what each phase of a turn sends, without running it."
    parser = _command(commands, "plan", summary, "print the plan as JSON")
    _add_study(parser)
    parser.add_argument("--ranks", type=count, required=True, metavar="N", help="MPI ranks")
    parser.add_argument("--rank", type=int, metavar="R", help="of this rank, not the busiest")
    _add_placement(parser)


def _add_simulate(commands: Any) -> None:
    summary = "Run a study on a simulated machine."
    parser = _command(commands, "simulate", summary, "print the summary as JSON")
    _add_study(parser)
    parser.add_argument(
        "--machine", required=True, metavar="M", help="such as bassi, or a machine's TOML file"
    )
    parser.add_argument("--ranks", type=count, required=True, metavar="N", help="MPI ranks")
    _add_placement(parser)
    parser.add_argument(
        "--twin", choices=TWINS, default="full", help="how much of the machine is simulated"
    )
    parser.add_argument("--turns", type=count, metavar="T", help="turns (1 by default)")
    parser.add_argument(
        "--steps", type=count, metavar="K", help="K of a turn's steps, scaled, stand for the turn"
    )
    parser.add_argument(
        "--skeleton", action="store_true", help="the true messages without particles"
    )
    parser.add_argument(
        "--no-computation", action="store_true", help="communication alone takes time"
    )
    parser.add_argument(
        "--events", type=count, default=0, metavar="N", help="time line: events kept by each rank"
    )
    parser.add_argument("--out", metavar="DIR", help="folder for the records (none by default)")


def _add_machine(commands: Any) -> None:
    summary = "Measure a machine's messages, memory and kernels, and write its file."
    parser = _command(commands, "machine", summary, "print what was measured as JSON")
    parser.add_argument("action", choices=["measure"], help="what to do")
    parser.add_argument(
        "--machine", metavar="M", help="a simulated machine; without it the one this runs on"
    )
    parser.add_argument("--ranks", type=count, metavar="N", help="ranks that take part")
    parser.add_argument("--twin", choices=TWINS, default="full", help="of a simulated machine")
    parser.add_argument("--quick", action="store_true", help="fewer sizes and repetitions")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the machine's file")


def _add_predict(commands: Any) -> None:
    summary = "Predict the time of a turn on a machine, without running it."
    parser = _command(commands, "predict", summary, "print the predictions as JSON")
    _add_study(parser)
    _add_target(parser)
    parser.add_argument(
        "--ranks", type=counts, required=True, metavar="N,N,…", help="numbers of MPI ranks"
    )
    _add_models(parser)
    _add_placement(parser)
    parser.add_argument(
        "--algorithm", metavar="A", help="of all reduce and broadcast phases, such as hypercube"
    )
    parser.add_argument("--picture", metavar="FILE", help="the predictions as a picture (SVG, PNG)")
    parser.add_argument(
        "--export", nargs=2, metavar=("extrap", "FILE"), help="the points as a file for Extra-P"
    )


def _add_compare(commands: Any) -> None:
    summary = "Compare what runs measured with what models predict."
    parser = _command(commands, "compare", summary, "print the comparison as JSON")
    parser.add_argument("directories", metavar="DIR", nargs="+", help="folders of runs")
    parser.add_argument(
        "--machine", metavar="M", help="that of the runs (of simulated ones by default their own)"
    )
    _add_models(parser)
    parser.add_argument("--picture", metavar="FILE", help="the ratios as a picture (SVG, PNG)")


def _add_tune(commands: Any) -> None:
    summary = "Choose process grid, layout and algorithms for a machine."
    parser = _command(commands, "tune", summary, "print the choice as JSON")
    _add_study(parser)
    _add_target(parser)
    parser.add_argument(
        "--ranks",
        type=count,
        required=True,
        metavar="N",
        help="MPI ranks; with --cores at most so many",
    )
    parser.add_argument(
        "--cores",
        type=count,
        metavar="C",
        help="cores: compare every split of them into ranks × threads",
    )
    parser.add_argument("--model", metavar="NAME", help="the model that ranks the candidates")
    parser.add_argument(
        "--verify", type=int, default=8, metavar="K", help="so many of the best are run (0: none)"
    )
    parser.add_argument("--out", metavar="DIR", help="folder for what a launcher and a study need")


def _add_reproduce(commands: Any) -> None:
    summary = "Regenerate the source paper's tables and figures."
    parser = _command(commands, "reproduce", summary, "print claims and errors as JSON")
    parser.add_argument("--quick", action="store_true", help="fewer ranks, under two minutes")
    parser.add_argument("--out", metavar="DIR", default="reproduced", help="folder for the page")


def _add_target(parser: Any) -> None:
    parser.add_argument(
        "--machine", required=True, metavar="M", help="such as bassi, or a machine's TOML file"
    )
    parser.add_argument("--twin", choices=TWINS, default="full", help="of a simulated machine")


def _add_models(parser: Any) -> None:
    parser.add_argument(
        "--model", metavar="NAME,…", help="one model or several (the best for the machine)"
    )
    parser.add_argument(
        "--fit", nargs="+", default=[], metavar="DIR", help="recorded runs for model measured"
    )


def counts(text: str) -> list[int]:
    """Several numbers of ranks: 32,64,128."""
    return [count(word) for word in text.split(",")]


def _add_placement(parser: Any) -> None:
    parser.add_argument(
        "--process-grid", metavar="PxQ", help="Prow x Pcol, such as 8x16; 2x2,1x3 for each beam"
    )
    parser.add_argument(
        "--layout", metavar="L", help="random, row-first, column-first, or the file of a layout"
    )
    parser.add_argument("--node-size", type=count, metavar="K", help="ranks of a node")


def _add_import(commands: Any) -> None:
    summary = "Translate the deck of another code into a study."
    parser = _command(commands, "import", summary, "print the study and what was left out as JSON")
    parser.add_argument("code", choices=["beambeam3d"], help="the code the deck is for")
    parser.add_argument("directory", metavar="DIR", help="folder with the deck")
    parser.add_argument(
        "-o", "--output", metavar="STUDY", help="the TOML file (standard output by default)"
    )


def _add_bench(commands: Any) -> None:
    summary = "Measure seconds per turn and each kernel against the machine."
    parser = _command(commands, "bench", summary, "print the measurements as JSON")
    parser.add_argument("workload", choices=["collision"], help="what to measure")
    parser.add_argument("--case", choices=CASES, default="paper", help="problem size")
    _add_processors(parser)
    parser.add_argument("--turns", type=count, metavar="K", help="turns to measure")
    _add_overrides(parser)
