"""What all tests share: where the repository is, and an environment that makes them repeatable."""

import atexit
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import hypothesis
import pytest

# Pictures are drawn into files, tables have one width everywhere, threads are asked for explicitly,
# and MPI may be started by root and with more ranks than there are cores, as it is in a container.
os.environ["MPLBACKEND"] = "Agg"
os.environ["COLUMNS"] = "100"
os.environ["OMPI_ALLOW_RUN_AS_ROOT"] = os.environ["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
os.environ.setdefault("OMPI_MCA_rmaps_base_oversubscribe", "1")
# Two launchers of Open MPI that begin at the same time may both want to make the same folder, and
# the one that comes second ends with "File exists". Each worker has a folder of its own.
sessions = tempfile.mkdtemp(prefix="ompi-", dir="/tmp")
os.environ.update({"OMPI_MCA_orte_tmpdir_base": sessions})
atexit.register(shutil.rmtree, sessions, ignore_errors=True)
# Some thousand processes are started: the threads of NumPy's BLAS would cost each 0.1 s of a core.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Without kept bytecode each would compile the package anew, which costs 0.2 to 1 s of a core.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Files that take longest begin first, so that no worker is left alone with one of them at the end.
FIRST = (
    *("tests/wheel/test_wheel.py", "tests/unit/test_report.py", "tests/mpi/test_bits.py"),
    *("tests/unit/test_site.py", "examples/workload-template/check.py", "tests/unit/test_scan.py"),
    *("tests/unit/test_loopmarks_of_kernels.py", "tests/mpi/test_killed.py"),
)
WITH_RANKS = "tests/mpi/"

# A shell ignores these for what it runs in the background, and what the tests start would too.
for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, usual)

# The same examples on every run: a failure found once is found again. No deadline: the machine may
# be busy.
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None)
hypothesis.settings.load_profile("repeatable")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--device", help="where collisions of the physics tests run: cpu (default), cuda, emulated"
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """FIRST, then the other files, with those that start ranks spread evenly among them: two at a
    time have more ranks than there are cores.
    """
    files = list(dict.fromkeys(map(file_of, items)))
    kinds: dict[bool, list[str]] = {True: [], False: []}
    for name in sorted(files, key=lambda name: not name.startswith("examples/")):
        kinds[name.startswith(WITH_RANKS)].append(name)
    place = {name: at / len(kind) for kind in kinds.values() for at, name in enumerate(kind)}
    place |= {name: at - len(FIRST) for at, name in enumerate(FIRST)}
    items.sort(key=lambda item: place[file_of(item)])


def file_of(item: pytest.Item) -> str:
    """The path of a test's file in the source tree."""
    return item.nodeid.partition("::")[0]


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the source tree."""
    return Path(__file__).resolve().parents[1]
