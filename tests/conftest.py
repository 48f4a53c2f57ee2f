"""What all tests share: where the repository is, and an environment that makes them repeatable."""

import os
import signal
import sys
from pathlib import Path

import hypothesis
import pytest

# Pictures are drawn into files, tables have one width everywhere, threads are asked for explicitly,
# and MPI may be started by root and with more ranks than there are cores, as it is in a container.
os.environ["MPLBACKEND"] = "Agg"
os.environ["COLUMNS"] = "100"
os.environ["OMPI_ALLOW_RUN_AS_ROOT"] = os.environ["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1"
os.environ.setdefault("OMPI_MCA_rmaps_base_oversubscribe", "1")
# Some thousand processes are started: the threads of NumPy's BLAS would cost each 0.1 s of a core.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Without kept bytecode each would compile the package anew, which costs 0.2 to 1 s of a core.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Files that take longest begin first, so that no worker is left alone with one of them at the end.
FIRST = (
    *("tests/wheel/test_wheel.py", "examples/workload-template/check.py"),
    *("tests/unit/test_report.py", "tests/unit/test_site.py", "tests/mpi/test_bits.py"),
)

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
    """Files of FIRST in its order, then all others in theirs."""
    place = {name: number for number, name in enumerate(FIRST)}
    items.sort(key=lambda item: place.get(item.nodeid.partition("::")[0], len(FIRST)))


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the source tree."""
    return Path(__file__).resolve().parents[1]
