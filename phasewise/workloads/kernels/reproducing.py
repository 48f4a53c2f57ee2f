"""The chapter on serial kernels of the slides on the Cray X1, for `phasewise reproduce`: DGEMM,
MOD2D and MOD2E on one core of this computer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from phasewise.driver import load_core
from phasewise.report.tables import Table
from phasewise.reproduction.claim import NOTHING, Claim
from phasewise.reproduction.cray_x1 import CRAY_X1
from phasewise.reproduction.reproducing import Reproducing
from phasewise.reproduction.source import Chapter
from phasewise.workloads.kernels.bench import Suite, measure
from phasewise.workloads.kernels.model import EIGENPROBLEMS, PLAIN
from phasewise.workloads.kernels.pictures import make_figures

FULL = Suite(
    dgemm=(64, 128, 256, 512, 1000),
    dense=(100, 200, 500, 1000),
    lanczos=(32, 64, 128, 256),
    vectors=False,
)
QUICK = Suite(dgemm=(64, 256, 800), dense=(100, 200, 400), lanczos=(16, 32, 64), vectors=False)

Rows = Sequence[Mapping[str, Any]]
"""What `bench kernels` says of each kernel, library and size."""

GOOD = 0.8
"""Share of the peak that the slide calls good."""
SOON = 1000
"""Rows of a matrix by which it is reached relatively quickly."""
GROWTH = 0.01
"""Share by which a rate must exceed those of smaller sizes to grow."""


class KernelReproducing(Reproducing):
    """Its chapter of the source."""

    CHAPTER_OF = CRAY_X1

    def chapter(self, out: Path, quick: bool, workers: int) -> Chapter:
        """Measure, one kernel after another whatever `workers` is, and draw into `out`."""
        del workers  # a kernel is timed alone
        result = measure(load_core(), QUICK if quick else FULL)
        rows = result["kernels"]
        return Chapter(
            "Serial kernels",
            check_claims(rows),
            (_table(rows),),
            make_figures(rows, out),
            {"kernels": rows, "roof": result["roof"]},
            tuple(result["failed"]),
        )


def check_claims(rows: Rows) -> tuple[Claim, ...]:
    """x1 and x2; a claim without libraries to measure is not looked at."""
    return _share_of_peak(rows), _growth(rows)


def _share_of_peak(rows: Rows) -> Claim:
    """x1: up to 1000 rows some library's product reaches 80 % of the peak."""
    products = [row for row in rows if row["kernel"] == "dgemm" and row["library"] != PLAIN]
    sentence = (
        "The peak is the rate of multiply-adds in registers, measured between the calls. The "
        "machine file phoenix says nothing of it: its rate is 80 % of the peak because of this "
        "slide."
    )
    if not products:
        return CRAY_X1.claim("x1", NOTHING, None, sentence, real=True)
    best = max((row for row in products if row["n"] <= SOON), key=lambda row: row["peak_share"])
    ours = (
        f"{best['library']} reaches {_percent(best['peak_share'])} of the peak at n = {best['n']}, "
        f"where that is {best['present_rate'] / 1e9:.1f} Gflop/s"
    )
    last = max(row["n"] for row in products)
    ends = ", ".join(
        f"{row['library']} {_percent(row['peak_share'])}" for row in products if row["n"] == last
    )
    found = f"{ours}; at n = {last}: {ends}"
    return CRAY_X1.claim("x1", found, best["peak_share"] >= GOOD, sentence, real=True)


def _growth(rows: Rows) -> Claim:
    """x2: with the library that is fastest at the largest size, both solvers are fastest at that
    size.
    """
    sentence = "dsyevd and dgeev compute no vectors here; the slide does not name the routine."
    found, holds = [], []
    for kernel in EIGENPROBLEMS:
        own = [row for row in rows if row["kernel"] == kernel]
        if not own:
            return CRAY_X1.claim("x2", NOTHING, None, sentence, real=True)
        last = max(row["n"] for row in own)
        library = max((row for row in own if row["n"] == last), key=lambda row: row["gigaflops"])[
            "library"
        ]
        rates = [row["gigaflops"] for row in own if row["library"] == library]
        found.append(f"{kernel} of {library} {', '.join(f'{rate:.2f}' for rate in rates)} Gflop/s")
        holds.append(rates[-1] > (1.0 + GROWTH) * max(rates[:-1]))
    sizes = sorted({row["n"] for row in rows if row["kernel"] in EIGENPROBLEMS})
    ours = f"n = {', '.join(map(str, sizes))}: {'; '.join(found)}"
    return CRAY_X1.claim("x2", ours, all(holds), sentence, real=True)


def _table(rows: Rows) -> Table:
    heads = ("Gflop/s", "library", "n", "rate", "of peak", "of roof", "residual")
    cells = tuple(
        (
            row["kernel"],
            row["library"],
            str(row["n"]),
            f"{row['gigaflops']:.3g}",
            _percent(row["peak_share"]),
            f"{_percent(row['roof_share'])} ({row['level']})",
            f"{row['residual']:.2g}",
        )
        for row in rows
    )
    note = "Measured here, on one core; the roof is that of the memory level that holds the data."
    return Table("Serial kernels", heads, cells, note)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
