"""The ``phasewise`` command: its subcommands and its exit status.

Exit status: 0 done, 1 a failed run, 2 bad input. Errors a person can act on are one sentence on
standard error; with ``--json`` standard output then holds one object with that sentence as
``error``.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import traceback
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, NoReturn

from phasewise.address_space import check_address_space
from phasewise.driver import launched_rank
from phasewise.errors import PhasewiseError, RunError
from phasewise.machines import machine_names
from phasewise.mpi.signals import unwinding
from phasewise.options import Parser
from phasewise.output import (
    describe,
    drop_output,
    message,
    open_standard_streams,
    print_json,
    tolerate_any_text,
)
from phasewise.version import __version__

COMMANDS = {
    "init": ("init", "Write a commented study to begin with."),
    "run": ("run", "Run a study."),
    "check": ("check", "Check a study and show it with its derived quantities."),
    "scan": ("scan", "Run a study at many values of its keys, with many seeds."),
    "report": ("report", "Make one self-contained HTML file from a run."),
    "plan": ("plan", "Show what each phase of communication sends, without a run."),
    "simulate": ("simulate", "Run a study on a simulated machine."),
    "machine": ("machine", "List machines, show one, or measure one and write its file."),
    "predict": ("predict", "Predict how long a study takes on a machine, without a run."),
    "platforms": ("platforms", "Compare machines by a study: rates, and what limits them."),
    "compare": ("compare", "Compare what runs measured with what models predict."),
    "tune": ("tune", "Choose process grid, layout and algorithms for a machine."),
    "reproduce": ("reproduce", "Regenerate the source paper's tables and figures."),
    "loopmarks": ("loopmarks", "Mark the loops of a source: which are vectorised, and why not."),
    "record": ("record", "Run any MPI program and record its communication."),
    "trace": ("trace", "Write the time line of a run for Perfetto."),
    "import": ("import_deck", "Translate the deck of another code into a study."),
    "bench": ("bench", "Measure the speed of a workload and of its kernels here."),
}
"""Module in `phasewise.commands` and summary of each subcommand.

The module has `add_options(parser)`, and `main(options)`, which returns the exit status. Only the
module of the subcommand in use is imported. A workload's part `commands` has `COMMANDS` too, whose
modules are in the workload's package; it is read if a subcommand is none of these.
"""

SHELLS = ("bash", "zsh")
"""Shells whose completion is offered."""
LIGHT = ("init", "check", "plan", "record", "trace", "loopmarks", "import")
"""Subcommands that load NumPy and the core alone."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line ``arguments`` (those of the process by default); the exit status."""
    argv = list(sys.argv[1:] if arguments is None else arguments)
    # What comes after -- belongs to another program.
    as_json = "--json" in argv[: argv.index("--") if "--" in argv else len(argv)]
    open_standard_streams()
    tolerate_any_text()
    if "MPLBACKEND" in os.environ:
        # Commands draw into files alone. Matplotlib cannot be imported where it knows no such
        # backend.
        os.environ["MPLBACKEND"] = "agg"
    try:
        with unwinding():
            options = _parsed(argv)
            if options.command not in LIGHT:
                check_address_space(options.command)
            module = import_module(module_name(options.command))
            status = int(module.main(options))
            sys.stdout.flush()
            return status
    except PhasewiseError as error:
        return _fail(str(error), error.exit_status, as_json)
    except ModuleNotFoundError as error:
        if error.name not in (
            "phasewise._core",
            *(f"phasewise.commands.{module}" for module, _ in COMMANDS.values()),
        ):
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


def _parsed(argv: Sequence[str]) -> argparse.Namespace:
    try:
        return parse(argv)
    except SystemExit:
        sys.stdout.flush()  # what --help or --version has printed
        raise


def _fail(sentence: str, status: int, as_json: bool) -> int:
    """Report an error. If several ranks meet it before MPI starts, only the first one reports
    it.
    """
    if launched_rank() in (None, 0):
        message(f"phasewise: {sentence}")
        if as_json:
            with contextlib.suppress(OSError, RunError):
                print_json({"error": sentence, "status": status})
    with contextlib.suppress(OSError, ValueError, RunError):
        sys.stdout.flush()
        return status
    drop_output()
    return status


def module_name(command: str) -> str:
    """Full name of the module of a subcommand."""
    if command in COMMANDS:
        return f"phasewise.commands.{COMMANDS[command][0]}"
    return workload_commands()[command][0]


def workload_commands() -> dict[str, tuple[str, str]]:
    """Full name of the module, and summary, of each subcommand that a workload brings."""
    # Imported when needed: it imports all workloads.
    from phasewise.workload.discovery import workloads

    return {
        name: (f"{own.package}.{module}", summary)
        for own in workloads().values()
        for name, (module, summary) in own.commands.items()
    }


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The options of a command line; StudyError if they cannot be understood."""
    parser, subparsers = build_parsers(argv)
    options, unknown = parser.parse_known_args(argv)
    if unknown:
        # The subcommand's parser reports it, since it knows the nearest options.
        subparsers[options.command].error("unrecognized arguments: " + " ".join(unknown))
    options.argv = list(argv)  # pages say by which command they were made
    return options


def whole_parser() -> Parser:
    """The parser with the options of all subcommands, for completion in a shell."""
    parser, subparsers = build_parsers([])
    for name, one in subparsers.items():
        import_module(module_name(name)).add_options(one)
    return parser


class PrintCompletion(argparse.Action):
    """Prints what a shell needs to complete the command line, made by shtab."""

    def __call__(self, _parser: Any, _options: Any, shell: Any, _name: Any = None) -> NoReturn:
        try:
            import shtab
        except ModuleNotFoundError:
            raise RunError(
                "this installation lacks shtab, which writes completions: pip install shtab"
            ) from None
        parser = whole_parser()
        files = {"STUDY": shtab.FILE, "FILE": shtab.FILE, "DIR": shtab.DIRECTORY}
        for one in actions_of(parser):
            if one.dest == "machine":
                one.choices = machine_names()
            elif kind := files.get(str(one.metavar)):
                one.complete = kind  # type: ignore[attr-defined]
        print(shtab.complete(parser, shell))
        raise SystemExit(0)


def actions_of(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """The arguments of a parser and of its subcommands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield from actions_of(one)


def build_parsers(argv: Sequence[str]) -> tuple[Parser, dict[str, Parser]]:
    """The parser of the command and of the subcommands; only the subcommand in `argv` gets its
    options.
    """
    parser = Parser(
        prog="phasewise",
        description="Parallel physics that measures, models and tunes its own communication.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"phasewise {__version__}")
    parser.add_argument(
        "--print-completion",
        action=PrintCompletion,
        choices=SHELLS,
        metavar="SHELL",
        help=f"print a completion script for {' or '.join(SHELLS)}, and end",
    )
    # What stands before the subcommand is --help, --version or --print-completion.
    chosen = next((word for word in argv if not word.startswith("-")), None)
    summaries = {name: summary for name, (_, summary) in COMMANDS.items()}
    if chosen not in COMMANDS:
        summaries |= {name: summary for name, (_, summary) in workload_commands().items()}
    parser.suggest(summaries)
    adder = parser.add_subparsers(
        dest="command", required=True, metavar="COMMAND", parser_class=Parser
    )
    subparsers = {
        name: adder.add_parser(name, help=summary, description=summary, allow_abbrev=False)
        for name, summary in summaries.items()
    }
    if chosen in subparsers:
        import_module(module_name(chosen)).add_options(subparsers[chosen])
    return parser, subparsers
