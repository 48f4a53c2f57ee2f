"""Copies of a serial command that run at once on one node, in step: at each barrier of its core a
copy waits for all others, so that all copies do the same part of their work at the same time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import IO, Any, cast

from phasewise.compiled import CHOICE
from phasewise.driver import Core
from phasewise.errors import RunError
from phasewise.mpi.children import end_with_parent
from phasewise.mpi.launch import without_mpi

VARIABLE = "PHASEWISE_COPY"
"""A copy has this variable: the descriptors at which it waits, and at which it says that it
waits.
"""


class InStep:
    """The core of a copy: a run of one rank whose barrier waits for all copies."""

    def __init__(self, core: Core, wait: int, arrive: int) -> None:
        self._core, self._wait, self._arrive = core, wait, arrive

    def __getattr__(self, name: str) -> Any:
        return getattr(self._core, name)

    def barrier(self) -> None:
        """Wait until every copy that still runs is here."""
        os.write(self._arrive, b".")
        if not os.read(self._wait, 1):
            raise RunError("the command that started this copy has ended")


def in_step(core: Core) -> Core:
    """The core, in step with other copies if this process is one of them."""
    given = os.environ.get(VARIABLE)
    if not given:
        return core
    wait, arrive = map(int, given.split())
    return cast(Core, InStep(core, wait, arrive))


class _Copy:
    """One copy: its process, what it prints, and the pipes of its barrier."""

    def __init__(self, argv: Sequence[str], core: int | None) -> None:
        self.output: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        wait, self.release = os.pipe()
        self.arrived, arrive = os.pipe()

        def place() -> None:
            end_with_parent()
            if core is not None:
                os.sched_setaffinity(0, {core})

        environment = without_mpi(os.environ) | {
            CHOICE: "serial",
            "OMP_NUM_THREADS": "1",
            VARIABLE: f"{wait} {arrive}",
        }
        self.process = subprocess.Popen(
            [sys.executable, "-m", "phasewise", *argv],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=self.output,
            stderr=subprocess.DEVNULL,
            pass_fds=(wait, arrive),
            preexec_fn=place,
        )
        os.close(wait)
        os.close(arrive)

    def result(self) -> dict[str, Any]:
        """What the copy printed; RunError with the copy's own sentence if it failed."""
        status = self.process.wait()
        self.output.seek(0)
        text = self.output.read().decode()
        try:
            found: dict[str, Any] = json.loads(text)
        except json.JSONDecodeError as error:
            raise RunError(f"a copy of the command ended with status {status}") from error
        if status:
            raise RunError(str(found.get("error", f"a copy ended with status {status}")))
        return found

    def close(self) -> None:
        """End the copy if it still runs."""
        self.process.kill()
        self.process.wait()
        self.output.close()
        os.close(self.release)
        os.close(self.arrived)


def run_copies(argv: Sequence[str], count: int) -> list[dict[str, Any]]:
    """What a number of copies of a command print as JSON. Each is bound to a core if there are
    enough cores.

    RunError with the sentence of the first copy that fails.
    """
    cores: list[int | None] = [*sorted(os.sched_getaffinity(0))]
    copies: list[_Copy] = []
    try:
        bound = cores[:count] if count <= len(cores) else [None] * count
        copies.extend(_Copy(argv, core) for core in bound)
        running = copies
        while running:
            running = [copy for copy in running if os.read(copy.arrived, 1)]
            for copy in running:
                _release(copy)
        return [copy.result() for copy in copies]
    finally:
        for copy in copies:
            copy.close()


def _release(copy: _Copy) -> None:
    try:
        os.write(copy.release, b".")
    except BrokenPipeError:
        return  # it is ending, as the next read will say
