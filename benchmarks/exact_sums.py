"""What exact sums cost: whole turns with them, and with plain sums in a build of their own.

    .venv/bin/python -m benchmarks.exact_sums --case paper

The sources are copied, the roundings that make sums exact are removed from the copy (`PLAIN`), and
its module is built with the options of an ordinary build. Both take turns at `phasewise bench
collision`. The exit status is 0 if exact sums take less than `--below` of a turn.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from benchmarks.compare_checkouts import CallError, measure, show_times
from phasewise.options import count
from phasewise.workloads.collision.bench import CollisionBench

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("CMakeLists.txt", "pyproject.toml", "cmake", "core")

PLAIN: dict[str, tuple[tuple[str, str], ...]] = {
    "core/numerics/order_free_sum.hpp": (
        # Weights of charge and terms of a sum are not rounded to a multiple.
        (
            "return (value + rounding_offset) - rounding_offset;",
            "static_cast<void>(rounding_offset);\n  return value;",
        ),
        ("    low += round_to_multiple(term - upper, grid.low_offset);\n", ""),
    ),
    "core/beam/moments.cpp": (
        ("    low += numerics::round_to_multiple(value - upper, g.low_offset);\n", ""),
    ),
}
"""For each file, the texts that make sums exact, and what replaces them for plain sums."""

LOAD = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("phasewise._core", sys.argv.pop(1))
sys.modules[spec.name] = module_from_spec(spec)
spec.loader.exec_module(sys.modules[spec.name])
from phasewise.cli import main
sys.exit(main(sys.argv[1:]))
"""
"""Runs phasewise with a compiled module that is given as a file."""


class Build:
    """phasewise with one compiled module."""

    def __init__(self, module: Path) -> None:
        self._module = module

    def call(self, words: Sequence[str]) -> str:
        """What `phasewise WORDS --json` prints; CallError where it fails."""
        command = [sys.executable, "-c", LOAD, str(self._module), *words, "--json"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise CallError(done.stderr.strip().splitlines()[-1])
        return done.stdout


def with_plain_sums(name: str, text: str) -> str:
    """The text of a source file with plain sums; CallError if it is not as PLAIN expects."""
    for exact, plain in PLAIN.get(name, ()):
        if text.count(exact) != 1:
            raise CallError(f'{name} has no longer one "{exact.strip()}": mend PLAIN in {__file__}')
        text = text.replace(exact, plain)
    return text


def build_plain(folder: Path) -> Path:
    """Build the module with plain sums in an empty folder; CallError if that fails."""
    for name in SOURCES:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, folder / name)
    for name in PLAIN:
        path = folder / name
        path.write_text(with_plain_sums(name, path.read_text(encoding="utf-8")), encoding="utf-8")
    tree = folder / "build"
    configure = ["cmake", "-S", str(folder), "-B", str(tree), "-G", "Ninja"]
    configure += ["-DCMAKE_BUILD_TYPE=Release", "-DPHASEWISE_PYTHON=ON"]
    configure += [f"-DPython_EXECUTABLE={sys.executable}"]
    for command in (configure, ["cmake", "--build", str(tree), "--target", "_core_mpi"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise CallError(f"the module with plain sums cannot be built: {done.stdout[-500:]}")
    (module,) = tree.glob("_core_mpi*.so")
    return module


def installed_module() -> Path:
    """The compiled module of this environment; CallError if there is none."""
    try:
        return Path(str(import_module("phasewise._core").__file__))
    except ImportError as error:
        raise CallError(f"phasewise is not built ({error}): make setup") from error


def share(exact: float, plain: float) -> float:
    """The fraction of a turn [s] with exact sums that plain sums save."""
    return 1 - plain / exact


def main(words: Sequence[str] | None = None) -> int:
    """The exit status: 0 if exact sums take less than asked for, else 1, also after a failure."""
    parser = argparse.ArgumentParser(description="What exact sums cost.")
    parser.add_argument(
        "--case", choices=CollisionBench.CASES, default="small", help="problem size"
    )
    parser.add_argument("--threads", type=count, default=1, metavar="T")
    parser.add_argument("--repeats", type=count, default=5, metavar="N", help="of each build")
    parser.add_argument("--below", type=float, default=0.1, metavar="X", help="share allowed")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(words)
    bench = ["--case", options.case, "--threads", str(options.threads)]
    with tempfile.TemporaryDirectory(prefix="exact-sums-") as folder:
        try:
            builds = [Build(installed_module()), Build(build_plain(Path(folder)))]
            exact, plain = measure(builds, bench, options.repeats)
        except CallError as error:
            print(error, file=sys.stderr)
            return 1
    medians = [
        statistics.median(row["seconds per turn"] for row in side) for side in (exact, plain)
    ]
    found = share(*medians)
    if options.json:
        print(json.dumps({"case": options.case, "exact": medians[0], "plain": medians[1],
                          "share": found}))  # fmt: skip
    else:
        print("old: exact sums; new: plain sums")
        show_times(exact, plain)
        print(f"exact sums take {100 * found:.1f} % of a turn")
    return 0 if found < options.below else 1


if __name__ == "__main__":
    raise SystemExit(main())
