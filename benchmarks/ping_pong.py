"""Our echo beside NetPIPE and the ping-pong of hpcc, on two ranks of this machine.

    .venv/bin/python -m benchmarks.ping_pong

NetPIPE (Debian netpipe-openmpi) and hpcc take turns with ours. An echo is half the time of a
message there and back; the goal is a difference of at most 10 % from 1 B to 4 MiB. NetPIPE reports
the fastest of its trials, so that our fastest repetition is printed beside our median.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Container, Sequence
from pathlib import Path
from typing import NamedTuple

from phasewise.mpi.launch import launch_command
from phasewise.options import count
from phasewise.output import print_json, print_table

LARGEST = 4 * 2**20
"""Bytes."""
HPCC_VALUES = "8 1 100 1 32 0 1 1 2 16.0 1 2 1 4 1 2 1 1 1 0 1 0 2 64 0 0 1 8 - 0 100 0 32"
HPCC_INPUT = "\n".join(["HPLinpack", "phasewise", "HPL.out", *HPCC_VALUES.split()]) + "\n"
"""hpccinf.txt with the smallest problems."""
ECHO = {"commtest.operator": "echo", "communication.protocol": "ordered"}
ECHOES = ("echo", "quickest_echo")
PROGRAMS = {"NPopenmpi": "netpipe-openmpi", "hpcc": "hpcc"}
"""Programs and their Debian packages."""


def main() -> None:
    """Run all three in turn, and print their times."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--runs", type=count, default=3, metavar="K", help="runs of each")
    options.add_argument("--json", action="store_true", help="print one JSON object")
    given = options.parse_args()
    for program, package in PROGRAMS.items():
        if shutil.which(program) is None:
            sys.exit(f"{program} is not here: install the Debian package {package}")
    theirs, ours, latencies = [], [], []
    for _ in range(given.runs):
        theirs.append(netpipe())
        ours.append(echo(theirs[0]))
        latencies.append(hpcc())
    points = [
        {
            "bytes": size,
            "netpipe": statistics.median(run[size] for run in theirs),
            "echo": statistics.median(run[size].median for run in ours),
            "quickest_echo": statistics.median(run[size].quickest for run in ours),
        }
        for size in sorted(ours[0])
    ]
    named = {name: statistics.median(run[name] for run in latencies) for name in latencies[0]}
    if given.json:
        print_json({"points": points, "hpcc": named})
    else:
        show(points, named)


def run(program: Sequence[str], folder: str) -> str:
    """Start a program on two ranks that are alone on the machine; return what it prints."""
    command, environment = launch_command(program, 2, 1, alone=True)
    done = subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


def netpipe() -> dict[int, float]:
    """NetPIPE's seconds one way by bytes."""
    with tempfile.TemporaryDirectory() as folder:
        run(["NPopenmpi", "-u", str(LARGEST), "-o", "np.out"], folder)
        lines = Path(folder, "np.out").read_text().splitlines()
    rows = [line.split() for line in lines]
    return {int(row[0]): float(row[2]) for row in rows}


def hpcc() -> dict[str, float]:
    """Seconds of 8 bytes, and bytes per second of 2 MB, by the ping-pong of hpcc."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "hpccinf.txt").write_text(HPCC_INPUT)
        run(["hpcc"], folder)
        text = Path(folder, "hpccoutf.txt").read_text()
    latency, bandwidth = (
        float(re.findall(rf"^{name}=([0-9.eE+-]+)$", text, re.MULTILINE)[-1])
        for name in ("AvgPingPongLatency_usec", "AvgPingPongBandwidth_GBytes")
    )
    return {"seconds_of_8_bytes": 1e-6 * latency, "bandwidth_of_2_MB": 1e9 * bandwidth}


class Echo(NamedTuple):
    """Seconds one way."""

    median: float
    quickest: float


def echo(sizes: Container[int]) -> dict[int, Echo]:
    """Our echo for the sizes that both measure; like NetPIPE's, its calls are blocking."""
    command = [sys.executable, "-m", "phasewise", "bench", "commtest", "--ranks", "2", "--json"]
    for key, value in ECHO.items():
        command += ["--set", f'{key}="{value}"']
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    curve = json.loads(done.stdout)["curves"][0]
    points = zip(curve["bytes"], curve["seconds"], curve["quickest"], strict=True)
    return {size: Echo(0.5 * mid, 0.5 * least) for size, mid, least in points if size in sizes}


def show(points: list[dict[str, float]], named: dict[str, float]) -> None:
    """Print the points as a table."""
    print_table(
        "echo on 2 ranks, one way",
        ["bytes", "NetPIPE µs", "ours µs", "quickest", "ours / NetPIPE", "quickest / NetPIPE"],
        [
            [
                f"{point['bytes']:.0f}",
                f"{point['netpipe'] * 1e6:.2f}",
                *(f"{point[name] * 1e6:.2f}" for name in ECHOES),
                *(f"{point[name] / point['netpipe']:.3f}" for name in ECHOES),
            ]
            for point in points
        ],
    )
    print(
        f"hpcc: {named['seconds_of_8_bytes'] * 1e6:.2f} µs for 8 B, "
        f"{named['bandwidth_of_2_MB'] / 1e9:.2f} GB/s for 2 MB"
    )


if __name__ == "__main__":
    main()
