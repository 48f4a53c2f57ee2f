"""The parser of the command line, options that several subcommands share, and what they mean."""

from __future__ import annotations

import argparse
import difflib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

from phasewise.errors import StudyError
from phasewise.workload.communication import LAYOUTS

PAGES = (".html", ".htm")
"""How the names of pages end."""
NOISE_TURNS = 500
"""The turns of each run for the noise floor unless others are given."""


class Parser(argparse.ArgumentParser):
    """An argument parser whose errors are StudyError sentences, with the nearest valid name."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        self._options: list[str] = []
        self._choices: list[str] = []
        self.otherwise = ""
        """What is said of an unknown option that is near to none."""
        super().__init__(*arguments, **settings)

    def add_argument(self, *names: Any, **settings: Any) -> argparse.Action:
        """Add an argument as argparse does, and keep its names for suggestions."""
        action = super().add_argument(*names, **settings)
        self._options += action.option_strings
        self.suggest(map(str, action.choices or ()))
        return action

    def suggest(self, choices: Iterable[str]) -> None:
        """Add words that may be suggested in place of an unknown one."""
        self._choices += choices

    def error(self, message: str) -> NoReturn:
        raise StudyError(f"{message}{self._nearest(message)} (see {self.prog} --help)")

    def _nearest(self, message: str) -> str:
        if message.startswith("unrecognized arguments: "):
            unknown = message.partition(": ")[2].split()[0].partition("=")[0]
            names = self._options
            otherwise = self.otherwise
        elif "invalid choice: " in message:
            unknown = message.partition("invalid choice: ")[2].partition(" (")[0].strip("'")
            names, otherwise = self._choices, ""
        else:
            return ""
        near = difflib.get_close_matches(unknown, names, n=1)
        return f"; did you mean {near[0]}?" if near else otherwise


def count(text: str) -> int:
    """A number of ranks, threads or turns: an integer of at least 1."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= 10**6:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to 1000000")
    return number


def counts(text: str) -> list[int]:
    """Several numbers of ranks: 32,64,128."""
    return [count(word) for word in text.split(",")]


def add_json(parser: Parser, what: str) -> None:
    """Add ``--json``; `what` says what it prints."""
    parser.add_argument("--json", action="store_true", help=what)


def add_noise(parser: Parser) -> None:
    """The option ``--noise``."""
    parser.add_argument(
        "--noise",
        type=count,
        nargs="?",
        const=NOISE_TURNS,
        metavar="TURNS",
        help="find the noise floor of the emittances by short runs with few macroparticles "
        f"(default {NOISE_TURNS} turns)",
    )


def add_progress(parser: Parser) -> None:
    """Add ``--progress``."""
    parser.add_argument(
        "--progress",
        action="store_true",
        help="say on standard error how far it is, also where that is no terminal",
    )


def add_html(parser: Parser) -> None:
    """Add ``--html``, which `html_target` reads."""
    parser.add_argument(
        "--html",
        metavar="FILE",
        help="one self-contained page with the answer, pictures, conditions, and how sure it is",
    )


def html_target(options: argparse.Namespace) -> Path | None:
    """The file of ``--html``; StudyError, before any work, if no page can be written there."""
    if options.html is None:
        return None
    path = Path(options.html)
    if path.suffix.lower() not in PAGES:
        raise StudyError(f"--html {path}: give a name that ends in {', '.join(PAGES)}")
    check_folder("--html", path)
    return path


def check_folder(option: str, file: str | Path) -> None:
    """StudyError if there is no folder for the file of an option."""
    folder = Path(file).parent
    if not folder.absolute().is_dir():
        raise StudyError(f"{option} {file}: there is no folder {folder}")


def add_study(parser: Parser) -> None:
    """Add the study, and overrides of its keys."""
    parser.add_argument(
        "study", metavar="STUDY", help="the study, a TOML file, or a folder of record"
    )
    add_overrides(parser)


def add_replay(parser: Parser) -> None:
    """Add what says how a recorded program computes elsewhere."""
    parser.add_argument(
        "--compute",
        metavar="memory|flops|FACTOR",
        help="of a recorded program: computing takes as much longer than recorded as the memory "
        "or the flops of the two machines say, or FACTOR times as long",
    )
    parser.add_argument(
        "--recorded-on",
        metavar="M",
        help="the machine, or its file, that the program was recorded on",
    )
    parser.add_argument(
        "--steady",
        action="store_true",
        help="of a recorded program: computing takes the median of all times at its place",
    )


def add_overrides(parser: Parser) -> None:
    """Add ``--set``."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="override one key, such as ip.1.slices=4; repeat for more",
    )


def add_processors(parser: Parser) -> None:
    """Add ``--ranks`` and ``--threads``."""
    parser.add_argument("--ranks", type=count, metavar="N", help="MPI ranks to start")
    add_threads(parser)


def add_threads(parser: Parser) -> None:
    """Add ``--threads``."""
    parser.add_argument("--threads", type=count, default=1, metavar="T", help="threads per rank")


def add_target(parser: Parser) -> None:
    """Add the machine, and the option for which simulated twin of it is meant."""
    from phasewise.machines import TWINS  # runs, which share this module, need no machines

    parser.add_argument(
        "--machine", required=True, metavar="M", help="such as bassi, or a machine's TOML file"
    )
    parser.add_argument(
        "--twin", choices=TWINS, default="full", help="which twin of a simulated machine is meant"
    )


def add_machine(parser: Parser) -> None:
    """Add ``--machine``, which `machine_override` reads, to a command that needs no machine."""
    parser.add_argument(
        "--machine",
        metavar="M",
        help='machine for which the process grid "auto" is chosen (modern by default)',
    )


def machine_override(options: argparse.Namespace) -> list[str]:
    """The override that ``--machine`` stands for; a machine's file is relative to the working
    folder.
    """
    if options.machine is None:
        return []
    name = str(options.machine)
    value = str(Path(name).resolve()) if name.endswith(".toml") or "/" in name else name
    return [f"communication.machine={_toml(value)}"]


def add_device(parser: Parser) -> None:
    """Add ``--device``, which `device_override` reads."""
    parser.add_argument(
        "--device",
        metavar="D",
        help="where the kernels run: auto, cpu, cuda or emulated (by default as the study says)",
    )


def device_override(options: argparse.Namespace) -> list[str]:
    """The override that ``--device`` stands for."""
    return [] if options.device is None else [f"run.device={_toml(options.device)}"]


def add_models(parser: Parser) -> None:
    """Add ``--model`` and ``--fit``."""
    parser.add_argument(
        "--model",
        metavar="NAME,…",
        help="one model or several (by default the best for the machine)",
    )
    parser.add_argument(
        "--fit", nargs="+", default=[], metavar="DIR", help="recorded runs for model measured"
    )


def add_counts(parser: Parser) -> None:
    """Add ``--iterations`` and ``--records``, for pieces of a turn whose number depends on data."""
    parser.add_argument(
        "--iterations",
        type=count,
        metavar="N",
        help="iterations that a solver takes, which depend on data",
    )
    parser.add_argument(
        "--records",
        metavar="DIR",
        help="run that recorded how often data-dependent pieces of a turn come",
    )


def add_placement(parser: Parser) -> None:
    """Add ``--process-grid``, ``--layout`` and ``--node-size``, which `placement` reads."""
    parser.add_argument(
        "--process-grid", metavar="PxQ", help="Prow x Pcol, such as 8x16; 2x2,1x3 for each beam"
    )
    parser.add_argument(
        "--layout", metavar="L", help="random, row-first, column-first, or the file of a layout"
    )
    parser.add_argument("--node-size", type=count, metavar="K", help="ranks of a node")


def placement(options: argparse.Namespace) -> list[str]:
    """The overrides that --process-grid, --layout and --node-size stand for.

    Two grids are written 2x2,1x3; a layout's file is relative to the working folder.
    """
    overrides = []
    if options.process_grid is not None:
        grids = options.process_grid.split(",")
        value = grids if len(grids) > 1 else grids[0]
        overrides.append(f"communication.process_grid={_toml(value)}")
    if options.layout is not None:
        file = Path(options.layout)
        word = options.layout in LAYOUTS or not file.exists()
        value = options.layout if word else str(file.resolve())
        overrides.append(f"communication.layout={_toml(value)}")
    if options.node_size is not None:
        overrides.append(f"communication.node_size={options.node_size}")
    return overrides


def _toml(value: str | list[str]) -> str:
    # Texts, and lists of texts, are written alike in JSON and in TOML.
    return json.dumps(value, ensure_ascii=False)
