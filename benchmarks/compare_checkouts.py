"""Compares two checkouts of phasewise: their bits, their messages and their times.

    python -m benchmarks.compare_checkouts keep CHECKOUT --out kept.json
    python -m benchmarks.compare_checkouts differ OLD.json NEW.json [--tolerance 1e-12]
    python -m benchmarks.compare_checkouts time OLD_CHECKOUT NEW_CHECKOUT --case small

`keep` runs, plans, predicts and simulates some forty studies with the command line of a checkout
that is built in its own .venv, and writes the results: hashes of records and particles, numbers of
plans, predictions and messages. `differ` prints what has changed or disappeared; additions are
counted, but are no difference. `time` lets both checkouts take turns at `phasewise bench
collision`. This script needs h5py and NumPy, but not phasewise itself.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol

from benchmarks.checkout_facts import Facts, said, written
from benchmarks.checkout_studies import FILES, IN_RANKS, OUT, WORK, Call, every_call

AT_ONCE = 2
"""Calls of one process that run at once; calls of several ranks have the machine to themselves."""
LONGEST = 600
"""Seconds that a call may take."""
CASES = ("paper", "fine", "small")
MOST_SHOWN = 100
"""How many characters of a value a line shows."""

BUILT = (".venv/stamps/build", ".venv/stamps/simulated-with")
"""What `make setup` touches when it has built."""

Kept = dict[str, dict[str, dict[str, Facts]]]
"""Facts by section, case and call."""


class CallError(Exception):
    """A call of phasewise failed; the message is the sentence that it ended with."""


class Checkout:
    """A source tree with phasewise built into its .venv."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._bin = self.root / ".venv" / "bin"
        # An environment uses the package that it was made for, wherever that package is.
        where = ["-P", "-c", "import phasewise; print(phasewise.__file__)"]
        package = Path(self._output([str(self._bin / "python"), *where]).strip())
        built = subprocess.run(["make", "-q", *BUILT], cwd=self.root, capture_output=True)
        if not package.is_relative_to(self.root) or built.returncode == 1:
            raise CallError(f"{self.root} is not built from its present sources: make setup")

    def call(self, words: Sequence[str]) -> str:
        """What `phasewise WORDS --json` prints; CallError where it fails."""
        return self._output([str(self._bin / "phasewise"), *words, "--json"])

    def commit(self) -> str:
        """The commit, with + if files differ from it."""
        status = self._output(["git", "status", "--porcelain", "--untracked-files=no"])
        return self._output(["git", "rev-parse", "HEAD"]).strip() + ("+" if status else "")

    def _output(self, command: Sequence[str]) -> str:
        ours = ("PHASEWISE_", "PYTHONPATH")
        environment = {name: v for name, v in os.environ.items() if not name.startswith(ours)}
        try:
            done = subprocess.run(
                command, cwd=self.root, env=environment, timeout=LONGEST, check=False,
                capture_output=True, text=True,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CallError(str(error)) from error
        if done.returncode != 0:
            lines = done.stderr.strip().splitlines() or ["it said nothing"]
            raise CallError(f"status {done.returncode}: {lines[-1]}")
        return done.stdout


def keep(checkout: Checkout) -> tuple[Kept, list[str]]:
    """The facts of every call, and a sentence for each call that failed."""
    kept: Kept = {}
    failures: list[str] = []
    calls = every_call(checkout.root)
    with tempfile.TemporaryDirectory(prefix="compare-checkouts-") as folder:
        work = Path(folder)
        for name, text in FILES.items():
            (work / name).write_text(text)
        for call, facts in in_stages(calls, lambda call: gather(checkout, call, work)):
            place = f"{call.section}, {call.case}, {call.label}"
            failures += [f"{place}: {facts['failed']}"] if "failed" in facts else []
            kept.setdefault(call.section, {}).setdefault(call.case, {})[call.label] = facts
            print(f"{place}: {len(facts)} facts", file=sys.stderr, flush=True)
    return kept, failures


def in_stages(calls: Sequence[Call], do: Callable[[Call], Facts]) -> Iterator[tuple[Call, Facts]]:
    """Each call with its facts, stage after stage."""
    for stage, group in groupby(calls, key=lambda call: call.stage):
        now = list(group)
        with ThreadPoolExecutor(1 if stage == IN_RANKS else AT_ONCE) as pool:
            yield from zip(now, pool.map(do, now), strict=True)


def gather(checkout: Checkout, call: Call, work: Path) -> Facts:
    """Make a call; return its facts, or under `failed` why there are none."""
    with tempfile.TemporaryDirectory(dir=work) as out:
        words = [word.replace(WORK, str(work)).replace(OUT, out) for word in call.words]
        try:
            text = checkout.call(words)
            facts = said(words[0], text) | written(words[0], Path(out), call.counts)
        except CallError as error:
            facts = {"failed": str(error)}
    # The folders have other names each time.
    whole = json.dumps(facts).replace(str(work), "WORK").replace(str(checkout.root), "CHECKOUT")
    placeless: Facts = json.loads(whole)
    return placeless


def differ(old: Kept, new: Kept, tolerance: float) -> int:
    """Print what has changed or disappeared, section by section; return the exit status.

    tolerance: the relative difference up to which two numbers count as equal.
    """
    total = 0
    for section in old:
        before, now = in_lines(old, section), in_lines(new, section)
        changed = [
            place
            for place, value in before.items()
            if place not in now or not same(value, now[place], tolerance)
        ]
        for place in changed:
            value = shown(now[place]) if place in now else "gone"
            print(f"{place}: {shown(before[place])} -> {value}")
        added = len(now.keys() - before.keys())
        print(f"{section}: {len(changed)} of {len(before)} differ; {added} were added")
        total += len(changed)
    return 1 if total else 0


def same(one: Any, other: Any, tolerance: float) -> bool:
    """Whether two facts are equal; numbers may differ by rounding."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=tolerance, abs_tol=0.0)
    return bool(one == other)


def in_lines(kept: Kept, section: str) -> Facts:
    """Every fact of a section under words that say where it comes from."""
    return {
        f"{section}, {case}, {label}, {key}": value
        for case, calls in kept.get(section, {}).items()
        for label, facts in calls.items()
        for key, value in facts.items()
    }


def shown(value: Any) -> str:
    """A value as it is shown in a line."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"


def rows(result: dict[str, Any]) -> dict[str, float]:
    """The numbers of `bench --json` that are compared, by name."""
    named = {
        "seconds per turn": "seconds_per_turn",
        "fastest turn [s]": "fastest_turn",
        "core-ns per encounter": "core_ns_per_encounter",
        "memory [bytes]": "memory_bytes",
    }
    return (
        {name: result[key] for name, key in named.items()}
        | {f"kernel {kernel['name']} [s]": kernel["seconds"] for kernel in result["kernels"]}
        | {f"phase {phase['name']} [s]": phase["seconds"] for phase in result["phases"]}
    )


class Side(Protocol):
    """One of the two sides that are compared."""

    def call(self, words: Sequence[str]) -> str:
        """What `phasewise WORDS --json` prints; CallError where it fails."""


def measure(sides: Sequence[Side], words: Sequence[str], repeats: int) -> list[list[Facts]]:
    """Rows of each side; the two sides take turns, and swap their order every time."""
    found: list[list[Facts]] = [[], []]
    for repeat in range(repeats):
        for side in (1, 0) if repeat % 2 else (0, 1):
            result = json.loads(sides[side].call(["bench", "collision", *words]))
            found[side].append(rows(result))
    return found


def show_times(old: Sequence[Facts], new: Sequence[Facts]) -> None:
    """Medians and their ratio, without rows of zeros and rows that one checkout lacks."""
    print(f"{'median':32} {'old':>12} {'new':>12} {'new/old':>8}")
    for name in old[0]:
        if name in new[0]:
            before, now = (statistics.median(row[name] for row in side) for side in (old, new))
            if before > 0 and now > 0:
                print(f"{name:32} {before:12.5g} {now:12.5g} {now / before:8.3f}")


def parse(words: Sequence[str] | None = None) -> argparse.Namespace:
    """The options of this script."""
    parser = argparse.ArgumentParser(description="Compare two checkouts of phasewise.")
    actions = parser.add_subparsers(dest="action", required=True)
    one = actions.add_parser("keep", help="write what a checkout gives")
    one.add_argument("checkout", type=Path)
    one.add_argument("--out", type=Path, required=True, metavar="FILE")
    two = actions.add_parser("differ", help="compare what two checkouts gave")
    two.add_argument("--tolerance", type=float, default=0.0, metavar="X", help="relative")
    both = actions.add_parser("time", help="how fast two checkouts are")
    for parser_of_two in (two, both):
        parser_of_two.add_argument("old", type=Path)
        parser_of_two.add_argument("new", type=Path)
    both.add_argument("--case", choices=CASES, default="small")
    both.add_argument("--repeats", type=int, default=5, metavar="N", help="of each checkout")
    both.add_argument("--ranks", type=int, default=1, metavar="N")
    both.add_argument("--threads", type=int, default=1, metavar="T")
    return parser.parse_args(words)


def main(words: Sequence[str] | None = None) -> int:
    """The exit status: 1 if something differs or failed."""
    options = parse(words)
    if options.action == "differ":
        old, new = (json.loads(path.read_text())["sections"] for path in (options.old, options.new))
        return differ(old, new, options.tolerance)
    try:
        return keep_into(options) if options.action == "keep" else compare_times(options)
    except CallError as error:
        print(error, file=sys.stderr)
        return 1


def keep_into(options: argparse.Namespace) -> int:
    """Write what a checkout gives, and say what failed; return the exit status."""
    checkout = Checkout(options.checkout)
    commit = checkout.commit()
    kept, failures = keep(checkout)
    content = {"commit": commit, "sections": kept}
    options.out.write_text(json.dumps(content, ensure_ascii=False, indent=0) + "\n")
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


def compare_times(options: argparse.Namespace) -> int:
    """Print how fast two checkouts are; return the exit status."""
    words = ["--case", options.case, "--threads", str(options.threads)]
    words += ["--ranks", str(options.ranks)] if options.ranks > 1 else []
    sides = [Checkout(path) for path in (options.old, options.new)]
    show_times(*measure(sides, words, options.repeats))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
