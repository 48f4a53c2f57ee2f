"""The last message that arrives at each rank, byte by byte, for all operators and protocols."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import phasewise
from phasewise.driver import load_core
from phasewise.mpi.launch import (
    find_mpiexec,
    mpiexec_options,
    rank_variables,
    this_machine,
    without_mpi,
)
from phasewise.workload.protocols import available

STUDY = Path(__file__).parent / "study.toml"
OPERATORS = ("swap", "echo", "stream")
SIZES = ((8, 0, 1), (1000, 0, 3), (1000, 96, 2), (4096, 512, 16))
"""Bytes of a message, of a packet, and the window; 1000 is no multiple of 96."""
ANSWER = 8
EXCHANGES = 2


def made_by(rank: int, length: int, message: int, number: int) -> NDArray[np.uint8]:
    """The bytes of a message."""
    place = np.arange(length)
    return ((place + 7 * number + 13 * rank + 89 * message) % 251).astype(np.uint8)


def expected(operator: str, rank: int, size: int, length: int, window: int, number: int) -> bytes:
    """The last message that arrives: of i-(i+1), even ranks lead; an odd last has no partner."""
    peer = rank ^ 1
    if peer >= size:
        return b""
    leads = rank % 2 == 0
    if operator == "stream" and leads:
        return made_by(peer, ANSWER, 0, number).tobytes()
    last = window - 1 if operator == "stream" else 0
    maker = rank if operator == "echo" and leads else peer
    return made_by(maker, length, last, number).tobytes()


def differences() -> list[str]:
    """What is wrong on this rank, over all operators, protocols and sizes."""
    core = load_core()
    wrong = []
    for operator, protocol, sizes in itertools.product(OPERATORS, available(), SIZES):
        length, packet, window = sizes
        keys = {
            "commtest.operator": operator,
            "commtest.bytes": length,
            "commtest.window": window,
            "communication.protocol": protocol,
            "communication.packet": packet,
        }
        study = phasewise.load(STUDY, [f"{key}={value}" for key, value in keys.items()])
        run: Any = core.start(study.parameters())
        for number in range(EXCHANGES):
            run.step()
            due = expected(operator, core.rank(), core.size(), length, window, number)
            if run.arrived() != due or run.record()["wrong"] != 0:
                wrong.append(f"rank {core.rank()}, {keys}, exchange {number}")
    return wrong


@pytest.mark.skipif(shutil.which("mpiexec") is None, reason="mpiexec is not installed")
@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_every_byte_arrives(ranks: int) -> None:
    path, open_mpi = find_mpiexec()
    machine = this_machine()
    done = subprocess.run(
        [path, *mpiexec_options(machine, ranks, 1, open_mpi), sys.executable, __file__],
        env=without_mpi(os.environ) | rank_variables(machine, ranks, 1),
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr[-2000:]


if __name__ == "__main__":
    for sentence in differences():
        print(sentence)
