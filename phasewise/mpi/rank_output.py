"""Makes what the ranks and mpiexec write to standard error readable: shows progress, passes our own
sentences and foreign lines through, and turns mpiexec's paragraphs into one sentence.
"""

from __future__ import annotations

import re

from phasewise.mpi.progress import Progress, choose_progress, relayed
from phasewise.output import message

RULE = re.compile(r"-{20,}\s*$")
HOST_LINE = re.compile(r"\[[\w.-]+:\d+\]")
"""Open MPI's own lines begin with [host:pid]."""
SIGNALLED = re.compile(
    r"process rank (\d+) with PID (\d+) on node (\S+) exited on signal (\d+) \(([^)]*)\)"
)
EXITED = re.compile(r"Process name: \[\[\d+,\d+\],(\d+)\]\s+Exit code:\s+(\d+)")
FORWARDING = re.compile(r"\S*mpi(exec|run)\S*: Forwarding signal")
FAILED = re.compile(r"phasewise: rank \d+ failed( in phase \S+)?: ")
NO_ROOM = "not enough slots"
OURS = "phasewise: "


class RankOutput:
    """Processes standard error line by line."""

    def __init__(self, quiet: bool, unit: str = "turn", keep_errors: bool = False) -> None:
        """quiet: show no progress; unit: what the ranks count; keep_errors: do not show our
        sentences that end the run.
        """
        self.error: str | None = None
        """The first sentence that ended the run."""
        self._keep_errors = keep_errors
        self.reported = False
        """Whether a rank has itself reported why it failed."""
        self.failure: str | None = None
        """The sentence of the first rank that failed alone; no rank prints a JSON object for it."""
        self._quiet = quiet
        self._unit = unit
        self._progress: Progress | None = None
        self._paragraph: list[str] | None = None
        self._swallowed: list[str] = []

    def take(self, line: str) -> None:
        """Process one line, given without its newline."""
        report = relayed(line)
        if report is not None:
            if self._progress is None:
                self._progress = choose_progress(self._quiet, report[3])
            self._progress.update(*report[:3])
            if report[0] == report[1]:
                self.finish()  # before the ranks print their result below it
        elif RULE.match(line):
            self._toggle_paragraph()
        elif line.startswith(OURS):
            self._take_sentence(line)
        elif self._paragraph is not None:
            self._paragraph.append(line.strip())
        elif HOST_LINE.match(line) or FORWARDING.match(line):
            self._swallowed.append(line)
        elif line.strip():
            self.say(line)

    def _take_sentence(self, line: str) -> None:
        """Process one of our own sentences: a note, or an error that ends the run."""
        if _is_note(line):
            self.say(line)
            return
        self.reported = True
        self.error = self.error or line.removeprefix(OURS)
        if self.failure is None and FAILED.match(line):
            self.failure = line.removeprefix(OURS)
        if not self._keep_errors:
            self.say(line)

    def _toggle_paragraph(self) -> None:
        if self._paragraph is None:
            self._paragraph = []
        else:
            self._swallowed.append(" ".join(self._paragraph))
            self._paragraph = None

    def say(self, line: str) -> None:
        """Show a line on standard error, below the live display."""
        if self._progress is not None and line.startswith(OURS):
            self.finish()
        message(line)

    def finish(self) -> None:
        """End the live display."""
        if self._progress is not None:
            self._progress.close()
            self._progress = None

    def verdict(self, status: int, stopped: bool) -> str:
        """One sentence on what ended the ranks, from mpiexec's output."""
        if self._paragraph:
            self._toggle_paragraph()
        text = " ".join(" ".join(self._swallowed).split())
        if stopped:
            return f"stopped by a signal before the first {self._unit} was done"
        signalled = SIGNALLED.search(text)
        if signalled:
            rank, pid, node, number, name = signalled.groups()
            place = f" (process {pid} on {node})" if int(pid) else ""
            return f"rank {rank}{place} was ended by signal {number} ({name})"
        exited = EXITED.search(text)
        if exited:
            return f"rank {exited[1]} ended with status {exited[2]} without a message"
        if NO_ROOM in text:
            return (
                "the batch allocation has too few places for these ranks; give fewer --ranks, or "
                "ask the batch system for more tasks (Slurm: --ntasks)"
            )
        reason = f": {text[:300]}" if text else ""
        return f"mpiexec ended with status {status}{reason}"


def _is_note(line: str) -> bool:
    """Whether one of our sentences is only a note and does not end the run."""
    return "was moved to" in line or "going on from" in line
