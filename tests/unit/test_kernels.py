"""The workload `kernels`: its keys, what is refused, its rates, and libraries that fail."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from phasewise.cli import main
from phasewise.models.plan import plan
from phasewise.report.benching import Bench
from phasewise.runs.layout import fault_of
from phasewise.study import Study
from phasewise.workload.discovery import find_workload
from phasewise.workloads.kernels.worker import CaseError, Worker
from tests.sentences import Nearest, one_sentence, refused, says


def study(**keys: Any) -> Study:
    return Study.from_dict({"workload": "kernels", "turns": 1, "kernels": keys})


def test_every_key_becomes_its_flat_parameter() -> None:
    given = study(kernel="dgeev", library="blis", n=50, repetitions=2, vectors=True)
    assert given.parameters().splitlines()[3:] == [
        "kernels.kernel = dgeev",
        "kernels.library = blis",
        "kernels.n = 50",
        "kernels.repetitions = 2",
        "kernels.vectors = 1",
        "kernels.verify = 1",
        "communication.node_size = 0",
    ]
    assert Study.from_dict(given.resolved()) == given
    assert study(kernel="dsyevd").library == "openblas"


@pytest.mark.parametrize(
    ("keys", "facts"),
    [
        ({"n": 0}, ("kernels.n = 0", 1)),
        ({"kernel": "dgem"}, ("kernels.kernel", '"dgem"', Nearest("dgemm"))),
        ({"library": "openblass"}, ("kernels.library", '"openblass"', Nearest("openblas"))),
        ({"library": "plain", "kernel": "csr"}, ('kernels.library = "plain"', "dgemm", "csr")),
        (
            {"library": "phasewise", "kernel": "dgeev"},
            ('kernels.library = "phasewise"', "dgeev", "openblas"),
        ),
        ({"library": "blis", "kernel": "sell"}, ('kernels.library = "blis"', "sell", "phasewise")),
        ({"kernel": "lanczos", "n": 11}, ("kernels.n = 11", 12, "lanczos")),
        ({"vectors": True}, ("kernels.vectors = true", "dsyevd", "dgeev")),
        ({"library": "/a b/lib.so"}, ('kernels.library = "/a b/lib.so"', "spaces")),
    ],
)
def test_what_cannot_be_used_is_refused_in_a_sentence(
    keys: dict[str, Any], facts: tuple[object, ...]
) -> None:
    with refused(*facts):
        study(**keys)


def test_a_plan_has_the_checks_alone() -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    assert [phase["name"] for phase in plan(study(), 4)["phases"]] == ["checks"]


@pytest.mark.parametrize("library", ["phasewise", "plain"])
@pytest.mark.parametrize("n", [1, 7, 65])
def test_our_products_are_right(library: str, n: int) -> None:
    core = pytest.importorskip("phasewise._core", reason="the core is not built")
    run = core.start(study(library=library, n=n).parameters())
    run.step()
    assert run.record()["residual"] < 30


class WrongRun:
    """A run whose last result is wrong."""

    turn = 3

    def record(self) -> dict[str, Any]:
        return {"residual": float("nan")}


def test_a_wrong_result_ends_a_run_in_a_sentence() -> None:
    says(fault_of(study(), WrongRun().record()), "dgemm", "phasewise", "n = 256", "nan")


def library_of(folder: Path, body: str) -> Path:
    """A library whose dgemm does this."""
    (folder / "fake.c").write_text(f"#include <stdlib.h>\nvoid dgemm_(void) {{ {body} }}\n")
    path = folder / "libfake.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", path, folder / "fake.c"], check=True)
    return path


def test_a_library_that_crashes_ends_its_case_alone(tmp_path: Path) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    path = library_of(tmp_path, "abort();")
    worker = Worker(str(path))
    for n in (5, 6):  # the second one in a new process
        with refused("dgemm", path, f"n = {n}", "SIGABRT", by=CaseError):
            worker.time(study(library=str(path), n=n), 0.0, lambda: None)
    worker.close()


def test_a_library_without_a_function_fails_and_names_it(tmp_path: Path) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    path = str(library_of(tmp_path, ""))
    worker = Worker(path)
    with refused(path, "dsyevd_", by=CaseError):
        worker.time(study(kernel="dsyevd", library=path, n=5), 0.0, lambda: None)
    worker.close()


def test_a_run_with_a_library_that_cannot_be_loaded_ends_with_status_2(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    file = tmp_path / "study.toml"
    file.write_text('workload = "kernels"\nturns = 1\nkernels.library = "nowhere/libblas.so"\n')
    assert main(["run", str(file), "--out", str(tmp_path / "out")]) == 2
    one_sentence(capfd.readouterr().err, tmp_path / "nowhere/libblas.so", "loaded")


def test_bench_gives_a_row_for_each_kernel(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    assert main(["bench", "kernels", "--case", "small", "--turns", "1", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    found = {(row["kernel"], row["library"]) for row in result["kernels"]}
    ours = {("dgemm", "phasewise"), ("dgemm", "plain"), ("csr", "phasewise"), ("sell", "phasewise")}
    assert found >= ours | {("lanczos", "phasewise")}
    for row in result["kernels"]:
        assert row["gigaflops"] > 0 and row["peak_share"] > 0 and row["roof_share"] > 0
        assert row["residual"] < 30 or row["library"].startswith("arpack")
    assert result["roof"]["flops_per_second"] > 0
    assert len(find_workload("kernels").part(Bench).rates(result)) == len(result["kernels"])
