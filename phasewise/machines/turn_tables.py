"""Tables of times over sizes, as benches of messages print them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from phasewise.output import alike, message, print_table

Curve = Mapping[str, Any]
Cell = Callable[[Curve, int], str]
"""The text that a table shows for a curve at the size with this index."""
Cells = Mapping[str, Cell]
"""What a table shows of each curve, by the unit or name that stands over it."""

COLUMNS = 6
"""Most columns of curves in a table, so that it fits into 100 characters."""


def micros(curve: Curve, at: int) -> str:
    """Microseconds, with ~ and two digits if they are noisy, and with a model's prediction in
    brackets.
    """
    mark = "~" if curve["noisy"][at] else ""
    both = [1e6 * curve[name][at] for name in ("seconds", "predicted") if name in curve]
    found, *predicted = alike(*both, digits=2 if mark else 4)
    return f"{mark}{found}{''.join(f' [{other}]' for other in predicted)}"


def show_curves(
    result: Mapping[str, Any],
    curves: Sequence[Curve],
    title: str,
    sizes: str,
    cells: Cells,
    head: Callable[[Curve], str] = lambda curve: str(curve["protocol"]),
) -> None:
    """Print curves side by side as tables that fit; `sizes` names their sizes, words or bytes."""
    every = sorted({size for curve in curves for size in curve[sizes]})
    most = max(1, COLUMNS // len(cells))
    for first in range(0, len(curves), most):
        part = [
            (curve, label, cell)
            for curve in curves[first : first + most]
            for label, cell in cells.items()
        ]
        rows = [
            [str(size), *(_at(curve, sizes, size, cell) for curve, _, cell in part)]
            for size in every
        ]
        heads = [f"{head(curve)}{_stands_for(result, curve)} [{label}]" for curve, label, _ in part]
        print_table(f"{title} ({_legend(result)})", [sizes, *heads], rows)


def _at(curve: Curve, sizes: str, size: int, cell: Cell) -> str:
    return cell(curve, curve[sizes].index(size)) if size in curve[sizes] else ""


def _stands_for(result: Mapping[str, Any], curve: Curve) -> str:
    other = result.get("stand_ins", {}).get(curve["protocol"])
    return f" (as {other})" if other else ""


def _legend(result: Mapping[str, Any]) -> str:
    if result["reference"] == "simulator":
        return f"simulated on {result['machine']}; in brackets by model {result['model']}"
    return "~: noisy"


def _count(number: int) -> str:
    return f"{number} time{'' if number == 1 else 's'}"


def model_error(model: str, times: Iterable[tuple[float, float]]) -> str:
    """A sentence on a model's errors; times: pairs of predicted and measured seconds."""
    off = [abs(predicted / seconds - 1.0) for predicted, seconds in times]
    return (
        f"model {model} is off by {sum(off) / len(off):.1%} in the mean of {_count(len(off))}, "
        f"{max(off):.1%} at worst"
    )


def show_remarks(result: Mapping[str, Any]) -> None:
    """Say how far the model is off, which protocols are simulated as others, and which are left
    out.
    """
    if result["reference"] != "simulator":
        return
    times = (
        pair
        for curve in result["curves"]
        for pair in zip(curve["predicted"], curve["seconds"], strict=True)
    )
    message(model_error(result["model"], times))
    used = {curve.get("messages", curve["protocol"]) for curve in result["curves"]}
    for name, other in result["stand_ins"].items():
        if name in used:
            message(f"{name} runs as {other} at costs of its own")
    if not _compares_protocols(result["curves"]):
        return
    for name, reason in result["left_out"].items():
        message(f"{name} is left out: {reason}")


def _compares_protocols(curves: Sequence[Curve]) -> bool:
    """Whether the curves compare protocols; those of algorithms all have messages of one
    protocol.
    """
    return len({curve["protocol"] for curve in curves if "messages" not in curve}) > 1
