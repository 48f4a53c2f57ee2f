"""Compiles a source so that gcc writes its optimisation record."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from phasewise.errors import RunError, StudyError
from phasewise.loopmarks.loops import HEADER_SUFFIXES, is_fortran
from phasewise.loopmarks.record import Reported, read_record
from phasewise.scratch import temporary_folder

DEFAULT = ("gcc", "-O3", "-march=native", "-fopenmp", "-c")
"""Used for a file for which no other command is known; gcc finds the language from its name."""

CHECKOUT = Path(__file__).parents[2]
COMMANDS = CHECKOUT / "build" / "python" / "compile_commands.json"
"""The commands of phasewise's own core, if this file stands in a checkout that was built."""

LIMIT = 600.0
"""Longest time [s] of a compilation."""
_RECORD = "record"
_BATCHED = re.compile(r'^#include "(/.*)"$', re.MULTILINE)
_CACHES = ("ccache", "sccache", "distcc")


@dataclass(frozen=True)
class Command:
    """A command that compiles a source, and the folder it runs in."""

    words: tuple[str, ...]
    folder: Path

    @property
    def text(self) -> str:
        """The command as it would be typed."""
        return shlex.join(self.words)


def command_for(source: Path, given: str | None) -> Command:
    """The command for a source: the one given, phasewise's own, or the default; StudyError if the
    one given cannot be parsed.
    """
    if given is not None:
        try:
            words = shlex.split(given)
        except ValueError as error:
            raise StudyError(f"--compile {given!r} is no command: {str(error).lower()}") from None
        if not words:
            raise StudyError('--compile is empty: give a command such as "gcc -O2 -c wave.c"')
        return Command(tuple(words), Path.cwd())
    own = _own_command(source.resolve())
    return own or Command((*DEFAULT, str(source)), Path.cwd())


def _own_command(source: Path) -> Command | None:
    """The command by which phasewise compiles a file of its own core; for a header, the command of
    a file that includes it.
    """
    if not source.is_relative_to(CHECKOUT / "core") or not COMMANDS.is_file():
        return None
    commands = json.loads(COMMANDS.read_text(encoding="utf-8"))
    name = source.relative_to(CHECKOUT / "core").as_posix()
    for entry in commands:
        compiled = Path(entry["directory"], entry["file"])
        for file in _sources(compiled):
            if file == source or (source.suffix in HEADER_SUFFIXES and _includes(file, name)):
                words = shlex.split(entry["command"])
                while Path(words[0]).name in _CACHES:
                    words = words[1:]
                alone = (str(file) if word == entry["file"] else word for word in words)
                return Command(tuple(alone), Path(entry["directory"]))
    return None


def _sources(compiled: Path) -> list[Path]:
    """The sources that CMake's unity file `compiled` includes, or the file itself if it is none."""
    found = _BATCHED.findall(_text(compiled)) if "/Unity/" in compiled.as_posix() else []
    return [Path(source) for source in found] or [compiled]


def _includes(file: Path, header: str) -> bool:
    return f'#include "{header}"' in _text(file)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def compile_and_read(source: Path, command: Command) -> Reported:
    """Compile a source with a command and return what gcc reports about it; the object file is
    thrown away.

    StudyError if the command cannot be run, fails, is not gcc's, or compiles another source.
    """
    try:
        with temporary_folder("loopmarks") as folder:
            _run(command, source, Path(folder))
            records = sorted(Path(folder).glob("*.opt-record.json.gz"))
            if not records:
                raise StudyError(
                    f"the command wrote no optimisation record of {source}: give one of gcc, g++ "
                    f"or gfortran that compiles it ({command.text})"
                )
            reported = read_record(records[0], source, command.folder)
    except OSError as error:
        raise RunError(f"{source} cannot be compiled ({error.strerror or error})") from None
    _check_source(source, command, reported)
    return reported


def _check_source(source: Path, command: Command, reported: Reported) -> None:
    """StudyError unless the command names the source, or the record mentions it, as it does for a
    header.
    """
    whole = source.resolve()
    given = any((command.folder / word).resolve() == whole for word in command.words[1:])
    if not given and not reported.named:
        words = (word for word in command.words[1:] if (command.folder / word).is_file())
        other = next(words, None) or next(iter(reported.others), "another source")
        raise StudyError(
            f"the optimisation record is of {other}, not of {source}: give --compile a command "
            f"that compiles {source.name}"
        )


def _run(command: Command, source: Path, folder: Path) -> None:
    words = [
        *_without_output(command.words), "-c", "-fno-lto", "-fsave-optimization-record",
        "-o", str(folder / f"{_RECORD}.o"), "-dumpdir", f"{folder}/", "-dumpbase", _RECORD,
    ]  # fmt: skip
    environment = os.environ | {"LC_ALL": "C", "CCACHE_DISABLE": "1"}
    try:
        done = subprocess.run(
            words, cwd=command.folder, env=environment, capture_output=True, text=True,
            errors="replace", timeout=LIMIT, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except FileNotFoundError:
        raise StudyError(
            f"{words[0]}, which is to compile {source}, is not found: install gcc, or give "
            "another command with --compile"
        ) from None
    except subprocess.TimeoutExpired:
        raise StudyError(f"{source} took more than {LIMIT:.0f} s to compile") from None
    except (OSError, ValueError) as error:
        raise StudyError(f"{words[0]} cannot be run ({error})") from None
    if done.returncode != 0:
        raise StudyError(_failure(source, command, done.stderr))


def _without_output(words: tuple[str, ...]) -> list[str]:
    """The words of a command without those that name its output."""
    kept, at = [], 0
    while at < len(words):
        if words[at] == "-o":
            at += 2
            continue
        if not (words[at].startswith("-o") and len(words[at]) > 2):
            kept.append(words[at])
        at += 1
    return kept


def _failure(source: Path, command: Command, words: str) -> str:
    if is_fortran(source) and "f951" in words:
        return f"{source} is in Fortran, for which gcc needs gfortran (Debian's package gfortran)"
    if "no input files" in words:
        return (
            f"--compile {command.text!r} names no file: give a command that compiles {source}, "
            f'such as "{command.text} {source}"'
        )
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    told = next((line for line in lines if "rror" in line), lines[-1] if lines else "no message")
    return f"{source} does not compile with {command.words[0]}: {told[:300]}"
