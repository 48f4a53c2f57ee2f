"""The rates of a benchmark alone and beside its copies, for ``bench --together``."""

from __future__ import annotations

import statistics
from typing import Any

from phasewise.errors import StudyError
from phasewise.output import print_table
from phasewise.report.benching import Bench


def compared(alone: dict[str, float], beside: list[dict[str, float]]) -> dict[str, Any]:
    """`alone`, `together` and `ratio`: by name the rate of one run alone, the mean rate of those at
    once, and the second over the first. A name that not all runs have is left out.
    """
    names = [name for name in alone if all(name in rates for rates in beside)]
    together_rates = {name: statistics.fmean(rates[name] for rates in beside) for name in names}
    return {
        "copies": len(beside),
        "alone": {name: alone[name] for name in names},
        "together": together_rates,
        "ratio": {name: together_rates[name] / alone[name] for name in names},
    }


def rates_of(part: Bench, result: dict[str, Any]) -> dict[str, float]:
    """The rates of a measurement by their names; StudyError if it has none."""
    found = part.rates(result)
    if not found:
        raise StudyError(
            f"bench {part.workload.name} measures no rate that --together could compare"
        )
    return found


def show_compared(result: dict[str, Any], title: str) -> None:
    """Print rates alone and together as a table."""
    print_table(
        title,
        ["", "alone", "together", "ratio"],
        [
            [name, f"{rate:.4g}", f"{result['together'][name]:.4g}", f"{result['ratio'][name]:.3f}"]
            for name, rate in result["alone"].items()
        ],
    )
