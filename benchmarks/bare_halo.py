"""How much more an exchange costs through core/comm than the same exchange in bare MPI.

    .venv/bin/python -m benchmarks.bare_halo --ranks 2

For each protocol and length three exchanges run in alternation in the same ranks: bare MPI, ours,
and ours with the recorder of messages, as in a run. The overhead is the median over the repetitions
of the difference with the recorder; the goal is at most 5 % or 150 ns.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from phasewise.mpi.launch import launch_command
from phasewise.options import count
from phasewise.output import print_json, print_table
from phasewise.study import Study

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build/python"
TARGET = "bare-halo"
PROTOCOLS = ("irecv-isend", "sendrecv", "persistent")
WORDS = tuple(2**power for power in range(1, 16))
SHARE, NANOSECONDS = 0.05, 150.0
"""The goal is an overhead of at most one of these two."""
VALUES = ("bare", "seconds", "overhead", "without_records")


def main() -> None:
    """Build the program, run it for each protocol and length, and print what it finds."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--ranks", type=count, default=2, metavar="R")
    options.add_argument(
        "--repeats", type=count, default=201, metavar="K", help="repetitions of each"
    )
    options.add_argument("--words", type=count, nargs="+", default=WORDS, metavar="N")
    options.add_argument("--protocol", choices=PROTOCOLS, nargs="+", default=PROTOCOLS)
    options.add_argument("--rows", type=int, choices=(1, 2), default=1)
    options.add_argument("--json", action="store_true", help="print one JSON object")
    given = options.parse_args()
    subprocess.run(["cmake", "--build", BUILD, "--target", TARGET], check=True, capture_output=True)
    points = [
        measured(protocol, words, given.rows, given.ranks, given.repeats)
        for protocol in given.protocol
        for words in given.words
    ]
    if given.json:
        print_json({"ranks": given.ranks, "points": points})
    else:
        show(points, given.ranks)


def measured(protocol: str, words: int, rows: int, ranks: int, repeats: int) -> dict[str, object]:
    """Medians of the seconds of an exchange, and of their differences."""
    study = Study.from_dict(
        {
            "workload": "halo",
            "exchanges": 1,
            "halo": {"words": words, "rows": rows, "verify": False},
            "communication": {"protocol": protocol},
        }
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "parameters")
        path.write_text(study.parameters())
        program = [str(BUILD / TARGET), str(path), str(repeats)]
        command, environment = launch_command(program, ranks, 1, alone=True)
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    bare, plain, recorded = np.loadtxt(done.stdout.splitlines(), ndmin=2).T
    extra = float(np.median(recorded - bare))
    seconds = float(np.median(bare))
    return {
        "protocol": protocol,
        "words": words,
        "bare": seconds,
        "seconds": float(np.median(recorded)),
        "overhead": extra,
        "without_records": float(np.median(plain - bare)),
        "holds": extra <= max(SHARE * seconds, NANOSECONDS * 1e-9),
    }


def show(points: list[dict[str, object]], ranks: int) -> None:
    """Print the points as a table."""
    rows = []
    for point in points:
        bare, ours, extra, plain = (float(str(point[k])) for k in VALUES)
        times = (f"{bare * 1e6:.2f}", f"{ours * 1e6:.2f}", f"{plain * 1e9:.0f}")
        times += (f"{extra * 1e9:.0f}",)
        share = f"{100 * extra / bare:.1f}"
        holds = "yes" if point["holds"] else "no"
        rows.append([str(point["protocol"]), str(point["words"]), *times, share, holds])
    print_table(
        f"halo in bare MPI and through core/comm on {ranks} ranks, per exchange",
        ["protocol", "words", "bare µs", "ours µs", "unrecorded ns", "more ns", "more %", "holds"],
        rows,
    )


if __name__ == "__main__":
    main()
