"""`phasewise bench halo`: seconds of an exchange over the words of a message, for each variant."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Sequence
from typing import Any

from phasewise.driver import Core, Run, load_planner
from phasewise.mpi.ranks import collectively
from phasewise.output import print_table
from phasewise.study import Study
from phasewise.study.reading import apply_override
from phasewise.workloads.halo.communication import VARIANTS
from phasewise.workloads.halo.model import model_of

CASES = ("words",)

WORDS = tuple(2**power for power in range(1, 16))
MAX_BYTES = 2**28
"""Largest array of a rank [bytes]; longer messages are left out."""

REPETITIONS = 9
"""Timed repetitions without --turns."""
EXCHANGES = 10
"""Exchanges in a repetition, which gives their mean time."""


def run(
    core: Core, _case: str, overrides: Sequence[str], threads: int, turns: int | None
) -> dict[str, Any]:
    """Time exchanges of all sizes and variants on the ranks of this run; collective."""
    studies = collectively(core, lambda: _studies(overrides, core.size()))
    seconds: dict[str, list[float]] = {variant: [] for variant in VARIANTS}
    grid: list[int] = []
    for study in studies:
        exchanges = core.start(study.parameters(), threads)
        grid = load_planner().plan(study.parameters(), core.size())["process_grid"][0]
        for variant in VARIANTS:
            chosen = study.communication.changed({"variant": variant})
            exchanges.set_communication(chosen.exchanges())
            seconds[variant].append(_seconds(core, exchanges, turns or REPETITIONS))
    words = [model_of(study).words for study in studies]
    curves = [{"protocol": v, "words": words, "seconds": s} for v, s in seconds.items()]
    return {"ranks": core.size(), "threads": threads, "grid": grid, "curves": curves}


def _studies(overrides: Sequence[str], ranks: int) -> list[Study]:
    """A study for each size that the rows can share and that memory allows."""
    found = [_study(words, overrides) for words in WORDS[1:]]
    if model_of(found[0]).rows == 1:
        found.insert(0, _study(WORDS[0], overrides))
    for study in found:
        study.check_ranks(ranks)
    return [study for study in found if model_of(study).memory_bytes <= MAX_BYTES]


def _study(words: int, overrides: Sequence[str]) -> Study:
    tables: dict[str, Any] = {"workload": "halo", "exchanges": 1, "halo": {"verify": False}}
    for override in overrides:
        apply_override(tables, override)
    tables["halo"] |= {"words": words}
    return Study.from_dict(tables)


def _seconds(core: Core, exchanges: Run, repetitions: int) -> float:
    """Seconds of an exchange: the largest over the ranks, the median over repetitions."""
    exchanges.step()
    here = []
    for _ in range(repetitions):
        core.barrier()
        begin = time.perf_counter()
        for _ in range(EXCHANGES):
            exchanges.step()
        here.append((time.perf_counter() - begin) / EXCHANGES)
    every = [json.loads(part) for part in core.gather(json.dumps(here).encode())]
    longest = [max(times) for times in zip(*every, strict=True)]
    return float(statistics.median(longest or here))


def show(result: dict[str, Any]) -> None:
    """Print a measurement as a table."""
    curves = result["curves"]
    columns = zip(curves[0]["words"], *(curve["seconds"] for curve in curves), strict=True)
    print_table(
        f"halo: {result['ranks']} ranks as {'x'.join(map(str, result['grid']))} × "
        f"{result['threads']} threads, µs per exchange",
        ["words", *(curve["protocol"] for curve in curves)],
        [[str(words), *(f"{s * 1e6:.2f}" for s in seconds)] for words, *seconds in columns],
    )
