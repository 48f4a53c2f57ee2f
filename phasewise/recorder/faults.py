"""Why a command left no record, in one sentence."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from phasewise.recorder.building import Library
from phasewise.recorder.recording import Recording


def why_nothing(
    recording: Recording, command: Sequence[str], libraries: Sequence[Library], status: int
) -> str:
    """Why no rank of the command left a record."""
    notes = recording.notes
    if "other-library" in notes:
        used = Path(notes["other-library"][0]).name
        known = " or ".join(f"{one.version} ({one.soname})" for one in libraries)
        return (
            f"the program uses {used}, and the recorder is there for {known}: give the mpiexec of "
            "the program's own library"
        )
    if "unloadable" in notes:
        return f"the recorder could not be loaded: {notes['unloadable'][0]}"
    if "unwritable" in notes:
        where = recording.folder
        return f"the ranks could not write to {where} ({notes['unwritable'][0]})"
    if "session" in notes:
        return "the program uses MPI by sessions (MPI_Session_init), which are not followed"
    preloaded = next((word for word in command if word.startswith("LD_PRELOAD=")), None)
    if preloaded is not None:
        return (
            f"the command sets {preloaded}, which leaves the recorder out: set LD_PRELOAD in the "
            "environment of phasewise record, which keeps it"
        )
    program = next((p for word in command if (p := _static(word))), None)
    if program is not None:
        return (
            f"{program} has MPI linked statically, where nothing can be put before it: link it to "
            "the shared library"
        )
    if status:
        return f"the command ended with status {status} before any rank had begun with MPI"
    return "the program made no call of MPI_Init: nothing was recorded"


def _static(word: str) -> str | None:
    """The program, if it contains MPI_Init itself."""
    path = shutil.which(word)
    if path is None or word.startswith("-"):
        return None
    with Path(path).open("rb") as file:
        if file.read(4) != b"\x7fELF":
            return None
    lister = shutil.which("nm")
    if lister is None:
        return None
    done = subprocess.run(
        [lister, path], capture_output=True, text=True, errors="replace", check=False
    )
    defined = (line.split()[-2:] for line in done.stdout.splitlines() if line)
    return path if ["T", "PMPI_Init"] in defined or ["T", "MPI_Init"] in defined else None
