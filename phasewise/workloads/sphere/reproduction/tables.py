"""The chapter's tables of what was measured here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from phasewise.output import number_of
from phasewise.report.tables import Table
from phasewise.workloads.sphere.bench import USUAL_LEVELS
from phasewise.workloads.sphere.model import model_of
from phasewise.workloads.sphere.reproduction.measured import (
    Measured,
    Range,
    Timing,
    Timings,
    range_of,
)
from phasewise.workloads.sphere.reproduction.variants import COMPARED_LEVELS, KERNELS, Variant

MEASURED = "Measured here, on one core; medians"


def make_tables(measured: Measured) -> tuple[Table, ...]:
    """Rates of the versions, alignment of memory, and all cores at once where it was measured."""
    tables = (_versions(measured.versions), _alignment(measured.versions))
    return (*tables, _together(measured)) if measured.together else tables


def _versions(timings: Timings) -> Table:
    rows = []
    for truncation in sorted({one.truncation for one in timings}):
        model = model_of(Variant(truncation).study)
        cells = [
            _rate(timings, Variant(truncation, levels, kernel))
            for levels in COMPARED_LEVELS
            for kernel in KERNELS
        ]
        rows.append((f"T{truncation}", f"{model.latitudes} × {model.longitudes}", *cells))
    heads = [
        f"{number_of(levels, 'level')}, {kernel}"
        for levels in COMPARED_LEVELS
        for kernel in KERNELS
    ]
    note = (
        f"{MEASURED}, by the flops of the kernels' cards. plain: loops over single levels; fast: "
        "all levels at once; fixed: their number is compiled in."
    )
    title = "PSTSWM Experiment Particulars: Gflop/s of its versions"
    return Table(title, ("", "grid", *heads), tuple(rows), note)


def _rate(timings: Timings, variant: Variant) -> str:
    found = timings.get(variant)
    return "–" if found is None else f"{found.gigaflops.median:.3g}"


def _alignment(timings: Timings) -> Table:
    """Timesteps with and without padding of the rows."""
    (without,) = (variant for variant in timings if not variant.padding)
    padded = replace(without, padding=True)
    both = [timings[padded], timings[without]]
    rows = [
        (name, *(f"{1e3 * one.kernels[name]:.4g}" for one in both), f"{_ratio(name, both):.3f}")
        for name in sorted(both[0].kernels, key=lambda name: -both[0].kernels[name])
    ]
    whole = [f"{1e3 * range_of(one.seconds).median:.4g}" for one in both]
    rows.append(("timestep", *whole, _words(both[1].times(both[0]))))
    title = f"Memory alignment: a timestep of T{padded.truncation}, {padded.levels} levels [ms]"
    note = (
        f"{MEASURED} of timesteps in turn. Without padding the rows of "
        f"{model_of(padded.study).longitudes} complex values begin a power of two apart, and meet "
        "in the same sets of a cache. The slides name the impact of memory (mis)alignment, which "
        "gets no verdict here."
    )
    return Table(title, ("", "padded", "without padding", "ratio"), tuple(rows), note)


def _ratio(name: str, both: Sequence[Timing]) -> float:
    first, second = (one.kernels[name] for one in both)
    return float(second / first) if first else 1.0


def _words(found: Range) -> str:
    return f"{found.median:.3f} ({found.low:.3f} to {found.high:.3f})"


def _together(measured: Measured) -> Table:
    rows = []
    for case, found in measured.together.items():
        ((name, alone),) = found["alone"].items()
        beside, ratio = found["together"][name], found["ratio"][name]
        rows.append((case.upper(), f"{alone:.4g}", f"{beside:.4g}", f"{ratio:.3f}"))
    copies = next(iter(measured.together.values()))["copies"]
    note = (
        f"{MEASURED}: one copy, and {copies} copies at once on as many cores (bench sphere "
        "--together). The slide's statement is of machines that are not here, and gets no verdict."
    )
    title = f"PSTSWM SMP Node Benchmark: timesteps a second, {USUAL_LEVELS} levels"
    return Table(title, ("", "alone", "together, each", "ratio"), tuple(rows), note)
