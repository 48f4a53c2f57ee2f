"""A library in a process of its own: two would take each other's symbols, and one that crashes ends
nothing but its case. The process is `python -m phasewise.workloads.kernels.worker`: it reads lines
of JSON with flat parameters, and answers each with a line.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import IO, Any

from phasewise.compiled import CHOICE
from phasewise.driver import Run, load_core
from phasewise.errors import RunError
from phasewise.mpi.children import end_with_parent
from phasewise.mpi.launch import without_mpi
from phasewise.study import Study
from phasewise.workloads.kernels.timing import Timed, timed

READY = {"ready": True}
"""The answer that the data of a case are there, so that it may begin."""


class CaseError(RunError):
    """A case that could not be run; the sentence names library, kernel and size."""


class Worker:
    """The process of one library. It starts with the first case, and again after a crash."""

    def __init__(self, library: str) -> None:
        self.library = library
        self._process: subprocess.Popen[str] | None = None

    def time(self, study: Study, seconds: float, begin: Callable[[], None]) -> Timed:
        """Time a case; `begin` is called when its data are there, just before it runs.

        CaseError if the library cannot be loaded, fails or crashes; `begin` is called then too.
        """
        asked = json.dumps({"parameters": study.parameters(), "seconds": seconds})
        try:
            ready = self._ask(asked, study)
        finally:
            begin()
        assert ready == READY, ready
        return Timed(**self._ask("go", study))

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _ask(self, line: str, study: Study) -> dict[str, Any]:
        process = self._process = self._process or _started()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(line + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer.endswith("\n"):
            raise CaseError(f"{_case(study)} crashed ({self._end()})")
        found: dict[str, Any] = json.loads(answer)
        if "error" in found:
            raise CaseError(f"{_case(study)} failed: {found['error']}")
        return found

    def _end(self) -> str:
        assert self._process is not None
        self._process.communicate()
        status = self._process.returncode
        self._process = None
        return signal.Signals(-status).name if status < 0 else f"status {status}"


def _case(study: Study) -> str:
    model = study.model
    return f"{model.kernel} of {model.library}, n = {model.n},"


def _started() -> subprocess.Popen[str]:
    environment = without_mpi(os.environ) | {CHOICE: "serial", "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", __name__],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=end_with_parent,
    )


def serve(asked: IO[str], answers: IO[str]) -> None:
    """Answer each line until there are no more."""

    def answer(found: dict[str, Any]) -> None:
        answers.write(json.dumps(found) + "\n")
        answers.flush()

    core = load_core()
    for line in asked:
        case = json.loads(line)
        try:
            run: Run = core.start(case["parameters"])
            answer(READY)
            asked.readline()
            answer(timed(run, core.measure_present_rate, case["seconds"])._asdict())
        except (RuntimeError, ValueError, MemoryError) as error:
            answer({"error": str(error) or type(error).__name__})


if __name__ == "__main__":
    serve(sys.stdin, sys.stdout)
