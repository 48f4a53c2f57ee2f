"""The slides' chapter on serial kernels: its rules on made-up rates, and a page with pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from phasewise.reproduction.reproducing import Reproducing
from phasewise.workload.discovery import find_workload
from phasewise.workloads.kernels import bench, reproducing
from phasewise.workloads.kernels.bench import Suite
from phasewise.workloads.kernels.reproducing import check_claims
from tests.sentences import says


def row(kernel: str, library: str, n: int, rate: float, share: float = 0.0) -> dict[str, Any]:
    shares = {"peak_share": share, "roof_share": share, "present_rate": 6e10}
    return {"kernel": kernel, "library": library, "n": n, "gigaflops": rate} | shares


def eigenproblems(*rates: float) -> list[dict[str, Any]]:
    sizes = range(100, 100 * len(rates) + 1, 100)
    kernels = ("dsyevd", "dgeev")
    return [
        row(kernel, "blis", n, r) for kernel in kernels for n, r in zip(sizes, rates, strict=True)
    ]


@pytest.mark.parametrize(("share", "n", "holds"), [(0.8, 500, True), (0.79, 1000, False)])
def test_x1_holds_where_a_product_of_a_library_reaches_80_percent(
    share: float, n: int, holds: bool
) -> None:
    rows = [row("dgemm", "blis", n, 1.0, share), row("dgemm", "plain", n, 1.0, 0.9)]
    claim = check_claims([*rows, row("dgemm", "blis", 2000, 1.0, 0.9)])[0]
    assert (claim.id, claim.holds, claim.real) == ("x1", holds, True)
    says(claim.ours, "blis", f"{100 * share:.0f} %", f"n = {n}", "60.0 Gflop/s")


@pytest.mark.parametrize(
    ("rates", "holds"), [((1, 2, 3), True), ((1, 3, 2.9), False), ((1, 3, 3.01), False)]
)
def test_x2_holds_where_the_largest_size_is_fastest(rates: tuple[float, ...], holds: bool) -> None:
    claim = check_claims(eigenproblems(*rates))[1]
    assert (claim.id, claim.holds, claim.real) == ("x2", holds, True)


def test_claims_without_a_library_are_not_looked_at() -> None:
    assert [claim.holds for claim in check_claims([])] == [None, None]


def test_the_chapter_measures_and_draws_every_slide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    level = {"name": "memory", "bytes": None, "bytes_per_second": 1e10}
    monkeypatch.setattr(bench, "measure_roof", lambda *_: {"levels": [level]})
    monkeypatch.setattr(bench, "SECONDS", 0.0)
    monkeypatch.setattr(reproducing, "QUICK", Suite((16, 32), (10, 20), (), (16,), vectors=False))
    found = find_workload("kernels").part(Reproducing).chapter(tmp_path, True, 1)
    assert [claim.id for claim in found.claims] == ["x1", "x2"]
    names = {"kernels-dgemm", "kernels-mod2d", "kernels-mod2e"}
    assert {figure.name for figure in found.figures} == names
    assert (tmp_path / "kernels-mod2e.png").is_file()
    assert {row["kernel"] for row in found.record["kernels"]} >= {"dgemm", "lanczos"}
