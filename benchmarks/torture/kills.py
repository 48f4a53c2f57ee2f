"""Kills runs again and again, resumes them on other numbers of ranks, and compares them bit by bit
with a run that was never killed.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.torture.attempts import Tally
from benchmarks.torture.base import QUIET_START, command
from benchmarks.torture.flips import datasets_digest
from phasewise.mpi.guard import members

SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
MOST_KILLS = 4
MOST_RANKS = 3
PATIENCE = 60.0
"""Seconds within which a run of two ranks ends, and within which a killed run's processes end."""
BUSY = "another run is writing"
NOTHING_YET = ("there is no checkpoint", "there is no run", "there are no records")


@dataclass
class Chain:
    """One run, made in parts."""

    study: Path
    out: Path
    rng: random.Random
    kills: int = 0

    def part(self, resume: bool, killed: bool) -> subprocess.CompletedProcess[str]:
        """Start or resume it, and kill it if that is asked for."""
        ranks = self.rng.randint(1, MOST_RANKS)
        words = ["--ranks", str(ranks)] if ranks > 1 else []
        words += [*QUIET_START, *(["--resume"] if resume else [])]
        with subprocess.Popen(
            command(self.study, self.out, *words),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process:
            if killed:
                self._kill(process)
            try:
                said = process.communicate(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        return subprocess.CompletedProcess(words, process.returncode, *said)

    def _kill(self, process: subprocess.Popen[str]) -> None:
        """Kill the command itself, or a rank that it has started, after a random time."""
        try:
            process.wait(self.rng.uniform(0.5, 4.0))
        except subprocess.TimeoutExpired:
            self.kills += 1
            started = [pid for child in children_of(process.pid) for pid in members(child)]
            if started and self.rng.random() < 0.3:
                target, number = self.rng.choice(started), signal.SIGKILL
            else:
                target, number = process.pid, self.rng.choice(SIGNALS)
            with suppress(ProcessLookupError):  # it may have ended by itself just now
                os.kill(target, number)


def children_of(pid: int) -> list[int]:
    """The processes that a process has started."""
    try:
        listing = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(word) for word in listing.split()]


def kill_and_compare(
    study: Path, out: Path, expected: str, rng: random.Random, tally: Tally, what: str
) -> None:
    """Kill a run up to MOST_KILLS times, let it end, and compare its records."""
    chain = Chain(study, out, rng)
    resume = False
    last = time.monotonic() + 4 * PATIENCE
    left = rng.randint(1, MOST_KILLS)
    while time.monotonic() < last:
        try:
            done = chain.part(resume, killed=left > 0)
        except subprocess.TimeoutExpired:
            return tally.add(f"hangs: more than {PATIENCE:g} s", what)
        left -= 1
        if "Traceback" in done.stderr:
            return tally.add(f"leaked: {done.stderr.strip().splitlines()[-1]}", what)
        if done.returncode == 0:
            same = datasets_digest(out) == expected
            tally.counts["kills"] += chain.kills
            return tally.add("same bits" if same else "wrong: other numbers", what)
        if BUSY in done.stderr:
            time.sleep(0.5)
        elif left < 0 and not any(word in done.stderr for word in NOTHING_YET):
            return tally.add(f"wrong: cannot go on: {done.stderr.strip()[-300:]}", what)
        resume = not any(word in done.stderr for word in NOTHING_YET)
    return tally.add("hangs: it is never done", what)
