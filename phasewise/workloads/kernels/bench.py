"""`phasewise bench kernels`: rates of dense and sparse kernels on one core, ours and those of the
libraries that are found, against the machine's measured roof.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from phasewise.driver import Core
from phasewise.mpi.ranks import collectively
from phasewise.mpi.working import at
from phasewise.output import message, print_table
from phasewise.report.benching import Bench
from phasewise.runs.roof import level_of
from phasewise.runs.roof import measure as measure_roof
from phasewise.study import Study
from phasewise.study.reading import apply_override
from phasewise.workloads.kernels.arpack import arpack
from phasewise.workloads.kernels.model import EIGENPROBLEMS, LIBRARIES, OURS, PLAIN, model_of
from phasewise.workloads.kernels.timing import Timed, timed
from phasewise.workloads.kernels.worker import CaseError, Worker

SECONDS = 0.3
"""Least time for which a case is timed [s]."""
MOST_SECONDS = 60.0
"""A case that is expected to take longer [s] is left out; the expectation is the time of the size
before it, which grows as n³.
"""
PLAIN_MOST = 1000
"""Largest size of a product by plain loops."""


@dataclass(frozen=True)
class Suite:
    """Sizes of the kernels of a case of this benchmark."""

    dgemm: tuple[int, ...] = ()
    dense: tuple[int, ...] = ()
    products: tuple[int, ...] = ()
    lanczos: tuple[int, ...] = ()
    vectors: bool = True
    """Whether dense eigenproblems compute vectors too."""


_SUITES = {
    "all": Suite((64, 128, 256, 512, 1000), (100, 200, 500), (64, 256, 512, 2048), (256,)),
    "dgemm": Suite(dgemm=(64, 128, 256, 512, 1000, 2000)),
    "mod2d": Suite(dense=(100, 200, 500, 1000, 2000)),
    "mod2e": Suite(products=(32, 64, 128, 256, 512, 1024, 2048), lanczos=(128, 256, 512)),
    "small": Suite((64,), (50,), (32,), (16,)),
}


def measure(
    core: Core,
    suite: Suite,
    overrides: Sequence[str] = (),
    threads: int = 1,
    turns: int | None = None,
) -> dict[str, Any]:
    """Time all kernels of a suite: `kernels`, `roof`, and `failed`, sentences."""
    roof = measure_roof(core, threads)
    studies = collectively(core, lambda: _distinct(_studies(suite, overrides)))
    rows: list[dict[str, Any]] = []
    failed: list[str] = []
    done = 0
    for library in dict.fromkeys(model_of(study).library for study in studies):
        own = [study for study in studies if model_of(study).library == library]
        found, wrong = _timed_library(core, library, own, turns, (done, len(studies)))
        done += len(own)
        rows += [_row(study, one, roof) for study, one in found]
        failed += wrong
    for ours in [row for row in rows if row["kernel"] == "lanczos"]:
        rows += [_row_of(ours | row, roof) for row in arpack(ours["n"], core.barrier)]
    for sentence in failed if core.rank() == 0 else []:
        message(f"phasewise: {sentence}")
    return {"ranks": core.size(), "kernels": rows, "roof": roof, "failed": failed}


def _studies(suite: Suite, overrides: Sequence[str]) -> Iterator[Study]:
    """A study for each kernel, library and size."""
    for n in suite.dgemm:
        for library in (OURS, PLAIN, *LIBRARIES):
            if library != PLAIN or n <= PLAIN_MOST:
                yield _study(overrides, kernel="dgemm", library=library, n=n)
    for kernel in EIGENPROBLEMS if suite.dense else ():
        for vectors in (False, True) if suite.vectors else (False,):
            for n in suite.dense:
                for library in LIBRARIES:
                    yield _study(overrides, kernel=kernel, library=library, n=n, vectors=vectors)
    for n in suite.products:
        for kernel in ("csr", "sell"):
            yield _study(overrides, kernel=kernel, n=n)
    for n in suite.lanczos:
        yield _study(overrides, kernel="lanczos", n=n)


def _distinct(studies: Iterator[Study]) -> list[Study]:
    """The cases without those that overrides have made equal to an earlier one."""
    return list({study.parameters(): study for study in studies}.values())


def _study(overrides: Sequence[str], **keys: Any) -> Study:
    # Short calls are repeated, so that the clock's resolution does not matter.
    repeated = keys["n"] <= 128 and keys["kernel"] not in (*EIGENPROBLEMS, "lanczos")
    tables: dict[str, Any] = {"workload": "kernels", "turns": 1}
    tables["kernels"] = {"repetitions": 20 if repeated else 1} | keys
    for override in overrides:
        apply_override(tables, override)
    return Study.from_dict(tables)


def _timed_library(
    core: Core, library: str, studies: list[Study], turns: int | None, progress: tuple[int, int]
) -> tuple[list[tuple[Study, Timed]], list[str]]:
    """The cases of a library, and a sentence for each that gave nothing. progress: how many cases
    are done, and of how many.
    """
    found: list[tuple[Study, Timed]] = []
    failed: list[str] = []
    spent: dict[tuple[str, bool], tuple[int, float]] = {}
    with closing(Worker(library)) as worker:
        for place, study in enumerate(studies, progress[0]):
            model = model_of(study)
            at("kernel", place, progress[1], f"{model.kernel} of {library}, n = {model.n}")
            name = (model.kernel, model.vectors)
            size, seconds = spent.get(name, (model.n, 0.0))
            if core.any(seconds * (model.n / size) ** 3 > MOST_SECONDS):
                failed.append(
                    f"{model.kernel} of {library}, n = {model.n}, is left out: it would take more "
                    f"than {MOST_SECONDS:.0f} s"
                )
                continue
            try:
                one = _timed(core, worker, study, turns)
            except CaseError as error:
                failed.append(str(error))
                if "cannot be loaded" in str(error):
                    break
                continue
            spent[name] = (model.n, one.seconds)
            found.append((study, one))
    return found, failed


def _timed(core: Core, worker: Worker, study: Study, turns: int | None) -> Timed:
    if worker.library not in (OURS, PLAIN):
        return worker.time(study, SECONDS, core.barrier)
    own = core.start(study.parameters())
    core.barrier()
    return timed(own, core.measure_present_rate, SECONDS, turns)


def _row(study: Study, one: Timed, roof: dict[str, Any]) -> dict[str, Any]:
    model = model_of(study)
    row = {"kernel": model.kernel, "library": model.library, "n": model.n}
    return _row_of(row | {"vectors": model.vectors} | one._asdict(), roof)


def _row_of(row: dict[str, Any], roof: dict[str, Any]) -> dict[str, Any]:
    """The row with its rate, as a share of the peak just then and of the roof at its intensity."""
    seconds, flops, peak = row["seconds"], row["flops"], row["present_rate"]
    level = level_of(roof, row["touched"])
    least = max(flops / peak, row["bytes"] / level["bytes_per_second"])
    return row | {
        "gigaflops": flops / seconds / 1e9,
        "peak_share": flops / seconds / peak,
        "level": level["name"],
        "roof_share": least / seconds,
    }


class KernelBench(Bench):
    """Its benchmark."""

    CASES = tuple(_SUITES)

    def run(
        self, core: Core, case: str, overrides: Sequence[str], threads: int, turns: int | None
    ) -> dict[str, Any]:
        """Time all kernels of a case on each rank by itself; what rank 0 found is returned."""
        return {"case": case, **measure(core, _SUITES[case], overrides, threads, turns)}

    def rates(self, result: dict[str, Any]) -> dict[str, float]:
        """Gflop/s of each kernel, by its name, library and size."""
        return {
            " ".join(
                [
                    row["kernel"],
                    *(["vectors"] if row["vectors"] else []),
                    row["library"],
                    str(row["n"]),
                ]
            ): row["gigaflops"]
            for row in result["kernels"]
        }

    def show(self, result: dict[str, Any]) -> None:
        """Print the rates as a table."""
        roof = result["roof"]
        bandwidths = ", ".join(
            f"{level['name']} {level['bytes_per_second'] / 1e9:.0f}"
            + ("" if level["bytes"] is None else f" to {level['bytes'] / 1e6:.3g} MB")
            for level in roof["levels"]
        )
        print_table(
            f"kernels: {roof['flops_per_second'] / 1e9:.1f} Gflop/s; GB/s: {bandwidths}",
            ["kernel", "library", "n", "ms", "Gflop/s", "% of peak", "% of roof", "residual"],
            [
                [
                    row["kernel"] + (", vectors" if row["vectors"] else ""),
                    row["library"],
                    str(row["n"]),
                    f"{row['seconds'] * 1e3:.3g}",
                    f"{row['gigaflops']:.2f}",
                    f"{row['peak_share'] * 100:.0f}",
                    f"{row['roof_share'] * 100:.0f} ({row['level']})",
                    f"{row['residual']:.2g}",
                ]
                for row in result["kernels"]
            ],
        )
