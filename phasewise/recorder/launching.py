"""A command run as it is, with the recorder preloaded into all that it starts."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from phasewise.errors import RunError
from phasewise.mpi.signals import SIGNALS, give_back, handled
from phasewise.recorder.building import Library, built_libraries, library_of, stub_of

LAUNCHER = re.compile(r"(mpiexec|mpirun|orterun|prterun|prun)(\..+)?")
OTHER_LAUNCHERS = ("srun", "aprun", "jsrun")
"""Launchers that belong to a batch system, and to no MPI library."""
STANDARD = "mpicc_abi"
"""The compiler for the standard ABI, which several libraries have."""
KINDS = {".hydra": ".mpich"}
"""Debian's name of a launcher, and that of the compiler of its library."""
VARIABLE = "PHASEWISE_RECORD"
"""It tells the stub where the recording goes."""
VARIABLES = ("LD_PRELOAD", VARIABLE, "ASAN_OPTIONS")
"""All that the ranks need."""
ENVIRONMENT_LIST = "OMPI_MCA_mca_base_env_list"
"""Open MPI's list of the variables that it takes along to other nodes."""


def libraries_for(command: Sequence[str]) -> list[Library]:
    """The recorders that the ranks of a command may need, first that for its launcher's library, or
    for that of the ``mpicc`` on the PATH. RunError if there is none.
    """
    first = _own_libraries(compiler_of(command))
    others = [one for one in built_libraries() if one.soname not in {x.soname for x in first}]
    if not first and not others:
        raise RunError(
            f"there is no mpicc beside {command[0]} or on the PATH, with which to build the "
            "recorder: install the MPI library's development files"
        )
    return [*first, *others]


def _own_libraries(compiler: str | None) -> list[Library]:
    """The library of an ``mpicc``, and the standard ABI's if that has a compiler beside it."""
    if compiler is None:
        return []
    found = [library_of(compiler)]
    beside = Path(compiler).with_name(STANDARD)
    if beside.is_file() and beside != Path(compiler):
        with suppress(RunError):
            found.append(library_of(str(beside)))
    return found


def starts_ranks(command: str) -> bool:
    """Whether a command is a launcher."""
    name = Path(command).name
    return name in OTHER_LAUNCHERS or LAUNCHER.fullmatch(name) is not None


def options_of(command: Sequence[str]) -> Sequence[str]:
    """The words of a launcher's command before its program, the first one that can be run."""
    words = (k for k, word in enumerate(command) if k and not word.startswith("-"))
    return command[1 : next((k for k in words if shutil.which(command[k])), len(command))]


def compiler_of(command: Sequence[str]) -> str | None:
    """The ``mpicc`` of the library whose launcher a command names; for other launchers and scripts
    the one on the PATH.
    """
    return _compiler_beside(command) or shutil.which("mpicc")


def _compiler_beside(command: Sequence[str]) -> str | None:
    """The ``mpicc`` beside the launcher that a command names, if it names one."""
    given = shutil.which(command[0])
    if given is not None and LAUNCHER.fullmatch(Path(given).name):
        paths = _links(Path(given))
        # A longer name of the launcher tells its library more exactly.
        beside = [path.parent / name for path in paths for name in _compilers_of(path.name)]
        beside += [path.parent / "mpicc" for path in paths]
        return next((str(path) for path in beside if path.is_file()), None)
    return None


def _links(path: Path) -> list[Path]:
    """A path, and those that it leads to link by link."""
    found = [path]
    while path.is_symlink() and len(found) < 10:
        path = path.parent / path.readlink()
        found.append(path)
    return found


def _compilers_of(launcher: str) -> tuple[str, ...]:
    found = LAUNCHER.fullmatch(launcher)
    suffix = (found[2] or "") if found else ""
    return (f"mpicc{KINDS.get(suffix, suffix)}", f"mpicc{suffix}") if suffix else ()


def prepare(
    folder: Path, libraries: Sequence[Library], limit: int, command: Sequence[str]
) -> dict[str, str]:
    """Write for the stub what it needs into `folder`, and return the environment of the command.

    limit: bytes of a rank's trace. The stub has the functions of the libraries of the command's
    launcher alone: programs ask whether a function is there before they call it.
    """
    folder.mkdir()
    lines = [str(limit), *(f"{one.soname}\t{one.recorder}" for one in reversed(libraries))]
    (folder / "recorders").write_text("\n".join(lines) + "\n", encoding="utf-8")
    beside = _compiler_beside(command)
    return with_recorder(os.environ, stub_of(_own_libraries(beside) or libraries), folder)


def with_recorder(environment: Mapping[str, str], stub: Path, folder: Path) -> dict[str, str]:
    """An environment in which programs load the stub first, and what they preloaded before."""
    before = environment.get("LD_PRELOAD")
    preload = f"{stub}:{before}" if before else str(stub)
    # AddressSanitizer demands to be the first library, and works as well where it is not.
    sanitizer = [o for o in (environment.get("ASAN_OPTIONS"), "verify_asan_link_order=0") if o]
    return {
        **environment,
        "LD_PRELOAD": preload,
        VARIABLE: str(folder.resolve()),
        "ASAN_OPTIONS": ":".join(sanitizer),
    }


def taken_along(environment: Mapping[str, str], command: Sequence[str]) -> dict[str, str]:
    """The environment with which Open MPI takes the variables of the recorder to other nodes. It
    refuses to do so where the command has ``-x``; variables then reach this node alone.
    """
    if "-x" in options_of(command):
        return dict(environment)
    before = environment.get(ENVIRONMENT_LIST)
    names = [before] if before else []
    return {**environment, ENVIRONMENT_LIST: ";".join([*names, *VARIABLES])}


def run(command: Sequence[str], environment: Mapping[str, str], to_errors: bool) -> int:
    """Run a command to its end and return its exit status, 128 more than the signal that ended it.

    to_errors: its standard output goes to standard error. RunError if it cannot be started.
    """
    sys.stdout.flush()
    try:
        process = subprocess.Popen(command, env=environment, stdout=2 if to_errors else None)
    except OSError as error:
        raise RunError(f"{command[0]} cannot be started ({error.strerror})") from None

    def forward(number: int, _: object) -> None:
        # The terminal has sent an interrupt to the command already.
        if number != signal.SIGINT:
            process.send_signal(number)

    former = handled(SIGNALS, forward)
    try:
        status = process.wait()
    finally:
        give_back(former)
    return status if status >= 0 else 128 - status
