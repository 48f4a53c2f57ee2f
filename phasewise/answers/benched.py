"""The page of ``phasewise bench``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from phasewise.answers.conditions import on, time_text
from phasewise.machines.targets import this_host
from phasewise.output import Printed, number_of
from phasewise.report.answer import Answer, origin, tables_of
from phasewise.report.benching import Bench
from phasewise.report.curve_table import kind_of, label_of, sizes_of
from phasewise.report.page import Tile
from phasewise.report.rates import draw_rates
from phasewise.report.style import scientific
from phasewise.runs.core_share import load_average

TILES = 6
"""Most rates at the top."""


def benched_answer(
    part: Bench, case: str, results: Sequence[dict[str, Any]], printed: Printed, argv: Sequence[str]
) -> Answer:
    """How fast a workload is here, or on simulated ranks. results: one for each case and number of
    ranks; printed: what the command prints.
    """
    workload = part.workload
    simulated = results[0].get("reference") == "simulator"
    where = f"simulated {results[0]['machine']}" if simulated else this_host()
    rates = [part.rates(result) for result in results]
    ranks = [int(result.get("ranks", 1)) for result in results]
    first = _texts(rates[0], results[0])
    pictures = [
        ("rates" if place == 0 else f"rates-{place + 1}", _title(result, case),
         lambda own=own, result=result: draw_rates(own, result))
        for place, (own, result) in enumerate(zip(rates, results, strict=True))
        if own
    ]  # fmt: skip
    return Answer(
        question=f"How fast is {workload.name} ({case}) on {where}?",
        answer=" ".join(_told(*one) for one in zip(rates, results, ranks, strict=True)),
        tiles=[Tile(name, text) for name, text in list(first.items())[:TILES]],
        pictures=pictures,
        tables=tables_of(printed),
        conditions=conditions_of(results, simulated) | origin(argv),
        certainty=[*printed.lines, about(simulated)],
    )


def _title(result: dict[str, Any], case: str) -> str:
    return f"{result.get('case', case)}, {on(int(result.get('ranks', 1)))}"


def _texts(rates: dict[str, float], result: dict[str, Any]) -> dict[str, str]:
    """What was measured, in words: the times of curves, or else rates."""
    as_text = _time if "curves" in result else scientific
    return {name: as_text(rate) for name, rate in rates.items()}


def _time(rate: float) -> str:
    return time_text(1.0 / rate)


def _told(rates: dict[str, float], result: dict[str, Any], ranks: int) -> str:
    """What was measured on a number of ranks, in a sentence."""
    curves = [
        curve for curve in result.get("curves", ()) if isinstance(curve[sizes_of(curve)], list)
    ]
    if curves and len(rates) > TILES:
        return _of_curves(curves, ranks)
    return _sentence(rates, _texts(rates, result), ranks)


def _of_curves(curves: Sequence[dict[str, Any]], ranks: int) -> str:
    """The quickest way at the smallest and at the largest size of the first kind of curves."""
    kind = kind_of(curves[0])
    own = [curve for curve in curves if kind_of(curve) == kind]
    sizes = sizes_of(own[0])
    every = sorted({size for curve in own for size in curve[sizes]})
    parts = []
    for size in dict.fromkeys((every[0], every[-1])):
        seconds, label = min(
            (curve["seconds"][curve[sizes].index(size)], label_of(curve))
            for curve in own
            if size in curve[sizes]
        )
        parts.append(f"{time_text(seconds)} for {number_of(size, sizes[:-1])}, by {label}")
    return f"On {on(ranks)}, {kind} takes at its quickest {', and '.join(parts)}."


def _sentence(rates: dict[str, float], texts: dict[str, str], ranks: int) -> str:
    """What was measured, or the fastest and the slowest of much."""
    if not rates:
        return "The tables have what was measured."
    if len(rates) <= TILES:
        told = ", ".join(f"{name} {text}" for name, text in texts.items())
        return f"On {on(ranks)}: {told}."
    fastest = max(rates, key=lambda name: rates[name])
    slowest = min(rates, key=lambda name: rates[name])
    return (
        f"On {on(ranks)} the fastest is {fastest} with {texts[fastest]}, and the slowest "
        f"{slowest} with {texts[slowest]}."
    )


def conditions_of(results: Sequence[dict[str, Any]], simulated: bool = False) -> dict[str, str]:
    """What measurements of a bench hold for, by name."""
    first = results[0]
    found = {"MPI ranks": ", ".join(str(result.get("ranks", 1)) for result in results)}
    if "threads" in first:
        found["threads of a rank"] = str(first["threads"])
    if "device" in first:
        found["device"] = str(first["device"])
    if simulated:
        found["machine"] = f"{first['machine']}, {first.get('twin', 'full')} twin"
    else:
        found["computer"] = f"{this_host()}, {number_of(os.cpu_count() or 1, 'core')}"
        found["load average when this was written"] = f"{load_average():.3g}"
    return found


def about(simulated: bool = False) -> str:
    """How sure such measurements are."""
    if simulated:
        return "The ranks are simulated: times are those of a simulator, not of hardware."
    return "Measured once, on this computer: other work on it makes times longer."
