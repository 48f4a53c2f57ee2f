"""Runs the driver on a simulated machine under SimGrid's smpirun, and reports how it ended."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from tempfile import TemporaryFile

from phasewise.errors import RunError, StudyError
from phasewise.machines.twin import Twin
from phasewise.mpi.children import child
from phasewise.mpi.launch import OURS

FOLDER_VARIABLE = "PHASEWISE_SIMULATED"
"""Variable with the folder of the simulated build, if it is not build/simulated of a checkout."""
CHECKOUT = Path(__file__).parents[2]
"""The checkout in which this file stands, if it is not installed elsewhere."""

DRIVER, PLATFORM = "phasewise-driver", "phasewise-platform.so"
PLATFORM_VARIABLE = "PHASEWISE_PLATFORM"

BAD_INPUT = 2

STALLED = "Stalling SMPI instance"
"""What smpirun says, with the status 0, where all ranks wait for each other."""

LAST_WORDS = (
    (
        re.compile(rf"[Dd]eadlock|{STALLED}"),
        "the simulated ranks wait for each other and none can go on",
    ),
    (re.compile(r"bad_alloc|[Oo]ut of memory|Cannot allocate"), "there is not enough memory"),
    (re.compile(r"[Ss]egmentation fault|SIGSEGV|Access violation"), "it met a segmentation fault"),
)
"""Meaning of messages of SimGrid or the shell."""

SIGNALS = {9: "it was killed, perhaps for want of memory", 11: "it met a segmentation fault"}
"""Meaning of the signals that may end smpirun's process."""


def simulated_tree() -> tuple[Path, Path]:
    """The driver and the platform built for simulated machines; RunError if they are not built."""
    if shutil.which("smpirun") is None:
        raise RunError(
            "simulated machines need SimGrid, whose smpirun is not found: install libsimgrid-dev "
            "(Debian's name) and run make setup in a checkout of phasewise"
        )
    named = os.environ.get(FOLDER_VARIABLE)
    if not named and not (CHECKOUT / "CMakeLists.txt").is_file():
        raise RunError(
            "simulated machines need the driver for SimGrid, which an installed package does not "
            "have: run make setup in a checkout of phasewise, and name its folder build/simulated "
            f"in {FOLDER_VARIABLE}"
        )
    folder = Path(named or CHECKOUT / "build" / "simulated")
    driver, platform = folder / DRIVER, folder / PLATFORM
    if not driver.is_file() or not platform.is_file():
        raise RunError(
            f"{folder} holds no driver for simulated machines: run make setup, or name the folder "
            f"that does in {FOLDER_VARIABLE}"
        )
    return driver, platform


def simulate_driver(twin: Twin, parameters: str, folder: Path, option: str = "") -> None:
    """Run the driver with the flat `parameters` on `twin`; its records go into `folder`.

    option: an option of the driver. With --probe, `parameters` holds the patterns of a probe; with
    --times, the names of files in `folder`, each with the parameters of a study. StudyError if the
    driver refuses what it is given; RunError, one sentence, if it fails.
    """
    driver, platform = simulated_tree()
    files = {
        "parameters": parameters,
        "platform": twin.platform,
        "hosts": "\n".join(twin.hosts) + "\n",
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    command = [
        "smpirun", "-quiet", "-np", str(len(twin.hosts)),
        "-platform", str(platform.resolve()), "-hostfile", "hosts",
        *twin.options, "--cfg=smpi/tmpdir:.",
        *("--log=root.thres:critical", "--log=smpi.thres:info"),
        str(driver.resolve()), *([option] if option else []), "parameters", "--out", ".",
    ]  # fmt: skip
    # smpirun splits its options at blanks, which the folder's own name may have, so it runs inside
    # the folder. It gets one thread: the ranks are simulated one after another.
    environment = os.environ | {
        PLATFORM_VARIABLE: str(folder / "platform"),
        "OMP_NUM_THREADS": "1",
        "TMPDIR": ".",
    }
    with TemporaryFile() as words:
        with child(command, environment, [folder], stderr=words, cwd=folder) as process:
            status = process.wait()
        words.seek(0)
        output = words.read().decode(errors="replace")
    if status != 0 or STALLED in output:
        raise _failure(status, output, twin)


def _failure(status: int, output: str, twin: Twin) -> RunError | StudyError:
    """The error that ended the simulation, in one sentence: a rank's own, or the meaning of what
    smpirun printed.
    """
    lines = output.splitlines()
    for line in lines:
        if line.startswith(OURS):
            sentence = line.removeprefix(OURS)
            return StudyError(sentence) if status == BAD_INPUT else RunError(sentence)
    reason = next((meaning for words, meaning in LAST_WORDS if words.search(output)), None)
    if reason is None:
        number = status - 128 if status > 128 else -status
        reason = SIGNALS.get(number) or f"smpirun ended with status {status}: {_last_word(lines)}"
    ranks = len(twin.hosts)
    return RunError(f"the simulation of {ranks} ranks on {twin.machine} failed: {reason}")


def _last_word(lines: list[str]) -> str:
    """The line that SimGrid marks as critical, or else the last line."""
    critical = [line.partition("CRITICAL] ")[2] for line in lines if "CRITICAL] " in line]
    written = [line.strip() for line in critical or lines if line.strip()]
    return written[-1][:200] if written else "it said nothing"
