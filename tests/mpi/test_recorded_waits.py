"""Each state of waiting of a recorded program lasts as long as the rank that comes late sleeps."""

import json
from pathlib import Path
from typing import Any

import pytest

from phasewise.cli import main
from tests.mpi.recorded import LIBRARIES, SOURCES, built, checked, ranks_of, record

pytestmark = pytest.mark.skipif(not LIBRARIES, reason="no MPI library with a compiler is here")
SLEEP = 0.05


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("waits")
    program = built(folder, "waits.c", LIBRARIES[0])
    record(folder / "run", ranks_of(LIBRARIES[0], 3, program))
    return folder / "run"


@pytest.fixture
def report(recorded: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["report", str(recorded), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    ("comment", "cause", "rank", "ranks"),
    [
        ("late sender", "late sender", 0, 1),
        ("late receiver", "late receiver", 1, 1),
        ("last rank", "wait at a collective", 2, 2),
        ("root", "wait at a collective", 0, 2),
        ("at the root", "wait at a collective", 2, 1),
        ("passed on", "late sender", 2, 1),
        ("probe", "late sender", 2, 1),
        ("nonblocking", "wait at a collective", 2, 2),
    ],
)
def test_partners_wait_as_long_as_a_rank_sleeps(
    report: dict[str, Any], comment: str, cause: str, rank: int, ranks: int
) -> None:
    source = (SOURCES / "waits.c").read_text().splitlines()
    line = next(k for k, text in enumerate(source, 1) if text.endswith(f"// {comment}"))
    rows = [row for row in report["waiting"] if f"waits.c:{line})" in row["site"]]
    slept = [row for row in rows if row["meanwhile"] == "computing"]
    assert {row["cause"] for row in slept} == {cause}
    own = sum(row["seconds"] for row in slept if row["caused_by_rank"] == rank)
    # A sleep is never shorter, and the partner may be scheduled late itself; the rank that sleeps
    # may leave the barrier before the partners do, by far less than half of its sleep.
    assert own > 0.5 * ranks * SLEEP
    assert own > 0.7 * sum(row["seconds"] for row in rows)


def test_the_critical_path_lasts_as_long_as_the_run(report: dict[str, Any], recorded: Path) -> None:
    one = checked(recorded)
    start, end = (
        pick(float(clock.of(time)) for time, clock in zip(times, one.matching.clocks, strict=True))
        for pick, times in (
            (min, [file.head.began for file in one.files]),
            (max, [file.last for file in one.files]),
        )
    )
    path = report["critical_path"]
    # The path begins on one rank, and another one may have begun before it by a little.
    assert sum(step["seconds"] for step in path) == pytest.approx(end - start, abs=0.02)
    sleeping = [step for step in path if step["part"] == "computing" and step["seconds"] >= SLEEP]
    assert len(sleeping) >= 6
    for step in sleeping:
        # The other ranks wait all the time, so that without the sleep the run is shorter by it.
        assert 0.5 * SLEEP < step["shorter"] <= step["seconds"] + 1e-9
