"""`python -m benchmarks.compare_xfields`: phasewise and xfields side by side on the same particles.

Both run on one thread and take turns: a turn of one code, a turn of the other, again and again, so
that both meet the same disturbances. README.md beside this file says what is equal and what is not.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.comparison import (
    CASES,
    Case,
    Timing,
    agreement,
    check_agreement,
    ratios,
    summary,
    table_row,
    xfields_case,
)
from benchmarks.phasewise_side import VARIANTS, Side, study
from benchmarks.xfields_environment import Worker
from phasewise.errors import PhasewiseError
from phasewise.output import message, print_json, print_table

WARM_UP_TURNS = 2
COLUMNS = [
    "code",
    "s/turn",
    "cpu s",
    "ns/encounter",
    "faster",
    "by cpu",
    "kicks",
    "differ by",
]


def main() -> int:
    """Run the comparison that the command line asks for; return the exit status."""
    options = _options()
    case = "small" if options.small else "fine"
    try:
        with tempfile.TemporaryDirectory(prefix="compare-xfields-") as folder:
            results = compare(CASES[case], options.repeat, Path(folder), options.native)
    except PhasewiseError as error:
        message(f"compare_xfields: {error}")
        return error.exit_status
    kernels = "native" if options.native else "prebuilt"
    report = {"case": case, "xfields_kernels": kernels, "repeat": options.repeat, "models": results}
    if options.json:
        print_json(report)
    else:
        for result in results:
            _show(result, kernels)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="compare_xfields", description=main.__doc__)
    parser.add_argument("--small", action="store_true", help="2 x 1e5 particles: half a minute")
    parser.add_argument("--repeat", type=int, default=5, help="turns of each code (5)")
    parser.add_argument(
        "--native",
        action="store_true",
        help="compile xfields' kernels for this processor first (minutes), instead of PyPI's",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    options = parser.parse_args()
    if options.repeat < 1:
        parser.error(f"--repeat {options.repeat}: give at least 1 turn")
    return options


def compare(cases: tuple[Case, ...], repeat: int, folder: Path, native: bool) -> list[Any]:
    """Run every case with both codes in alternation; return one result per case."""
    sides = {
        case: {name: Side(study(case, name)) for name in VARIANTS[case.model]} for case in cases
    }
    worker = Worker(_work(sides, folder), folder, native)
    try:
        return [_compare_case(case, sides.pop(case), worker, repeat, folder) for case in cases]
    finally:
        worker.close()


def _work(sides: dict[Case, dict[str, Side]], folder: Path) -> dict[str, Any]:
    """Writes the particles; tells the worker where they are and what to do with them."""
    arrays: dict[str, Any] = {}
    cases: dict[str, Any] = {}
    for case, variants in sides.items():
        first = next(iter(variants.values()))
        cases[case.model] = xfields_case(case, first.parameters)
        arrays |= {f"{case.model}/{key}": value for key, value in first.particles().items()}
    np.savez(folder / "particles.npz", **arrays)
    return {
        "particles": str(folder / "particles.npz"),
        "kicks": str(folder / "kicks.npz"),
        "cases": cases,
    }


def _compare_case(
    case: Case, sides: dict[str, Side], worker: Worker, repeat: int, folder: Path
) -> dict[str, Any]:
    message(f"{case.model}: comparing kicks")
    worker.kick(case.model)
    reference = dict(np.load(folder / "kicks.npz"))
    agreements = {name: agreement(side.kick(), reference) for name, side in sides.items()}
    for name, found in agreements.items():
        check_agreement(name, found)
    theirs: list[Timing] = []
    ours: dict[str, list[Timing]] = {name: [] for name in sides}
    for turn in range(WARM_UP_TURNS + repeat):
        message(f"{case.model}: turn {turn + 1} of {WARM_UP_TURNS + repeat}")
        theirs.append(worker.turn(case.model))
        for name, side in sides.items():
            ours[name].append(side.turn())
    theirs = theirs[WARM_UP_TURNS:]
    codes = [{"code": "xfields", **ratios(theirs, theirs), **summary(case, theirs)}]
    for name, all_turns in ours.items():
        turns = all_turns[WARM_UP_TURNS:]
        codes.append(
            {
                "code": f"phasewise, {name}",
                **ratios(theirs, turns),
                **summary(case, turns),
                "agreement": agreements[name],
            }
        )
    return {
        "model": case.model,
        "macroparticles": case.macroparticles,
        "nodes": case.nodes,
        "slices": case.slices,
        "encounters": case.encounters,
        "codes": codes,
    }


def _show(result: dict[str, Any], kernels: str) -> None:
    mesh = f", {result['nodes']}² nodes" if result["nodes"] else ""
    print_table(
        f"{result['model']}: 2 × {result['macroparticles']} macroparticles{mesh}, "
        f"{result['slices']} slices, one thread; xfields' kernels: {kernels}",
        COLUMNS,
        [table_row(code["code"], code) for code in result["codes"]],
    )


if __name__ == "__main__":
    sys.exit(main())
