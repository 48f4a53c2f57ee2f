"""A separate environment for xfields, from PyPI, and the process that runs in it."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

from benchmarks.comparison import Timing
from benchmarks.peer_environment import interpreter_of
from phasewise.errors import RunError

HERE = Path(__file__).resolve().parent


def python() -> Path:
    """The interpreter of the environment, which is first made if it is missing or outdated."""
    return interpreter_of("xfields", "xfields", "Python 3.11 or later, gcc, and PyPI within reach")


class Worker:
    """The xfields side in its own process, on one thread, driven command by command.

    If ``native`` is set, it compiles its kernels for this processor before the first turns.
    script: the script of this folder that runs there.
    """

    def __init__(
        self, work: dict[str, Any], folder: Path, native: bool, script: str = "xfields_worker.py"
    ) -> None:
        self.log = folder / "xfields.log"
        environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        if native:
            environment |= {"XSUITE_FORCE_KERNEL_COMPILATION": "1", "CFLAGS": "-O3 -march=native"}
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [str(python()), str(HERE / script)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=folder,
                env=environment,
                text=True,
            )
        self._say(json.dumps(work))

    def turn(self, model: str) -> Timing:
        """Make one turn of the collision ``model``; the worker itself times it."""
        return Timing(**self._ask(f"turn {model}"))

    def kick(self, model: str) -> None:
        """Let the worker write the kicks of the first collision of ``model``."""
        self._ask(f"kick {model}")

    def close(self) -> None:
        """End the process."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.process.wait()

    def _ask(self, command: str) -> dict[str, Any]:
        self._say(command)
        assert self.process.stdout is not None
        answer = self.process.stdout.readline()
        if not answer:
            lines = self.log.read_text().strip().splitlines() or ["no message"]
            raise RunError(f"the xfields side failed at {command!r}: {lines[-1]}")
        result: dict[str, Any] = json.loads(answer)
        return result

    def _say(self, line: str) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # the missing answer tells why
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
