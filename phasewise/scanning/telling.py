"""The results of a scan as tables on the screen."""

from __future__ import annotations

from collections.abc import Sequence

from phasewise.output import console, print_table
from phasewise.report.style import unit_text, with_error
from phasewise.scanning.convergence import Convergence
from phasewise.scanning.results import ScanResults
from phasewise.scanning.shown import shown
from phasewise.tables.keys import show

MOST_ROWS = 40
"""Most rows of the table on the screen."""
MOST_COLUMNS = 3
"""Most columns of results in that table."""
MOST_SIZES = 6
"""Most values of a key in a table of convergence."""


def show_results(results: ScanResults, plot: Sequence[str]) -> None:
    """Print the results as a table, one row for all seeds, and what converges."""
    labels = dict(list(shown(results, list(plot)).items())[:MOST_COLUMNS])
    means = {name: results.means(name) for name in labels}
    if means:
        first = next(iter(means.values()))
        keys = list(results.definition.keys)
        rows = [
            [
                *(show(one.values[key]) for key in keys),
                *(with_error(column[index].mean, column[index].error) for column in means.values()),
                str(one.count),
            ]
            for index, one in enumerate(first[:MOST_ROWS])
        ]
        heads = [*keys, *map(unit_text, labels.values()), "seeds"]
        print_table("Scan: mean over the seeds ± standard error", heads, rows)
    for key in dict.fromkeys(found.key for found in results.convergence):
        _show_convergence([found for found in results.convergence if found.key == key])


def remarks(results: ScanResults, plot: Sequence[str]) -> list[str]:
    """What the tables leave out, and where the pictures are."""
    labels, told = shown(results, list(plot)), []
    if labels and (more := len(results.means(next(iter(labels)))) - MOST_ROWS) > 0:
        told.append(f"{more} more rows are in the table")
    if results.pictures:
        told.append(f"pictures are in {results.pictures[0].parent}")
    return told


def _show_convergence(found: list[Convergence]) -> None:
    """Print how far each value of a key is from the limit, and the first result in words."""
    key, sizes = found[0].key, found[0].sizes[-MOST_SIZES:]
    rows = []
    for one in found:
        off = dict(zip(one.sizes, one.deviations, strict=True))
        seen = "-" if one.observed_order is None else f"{one.observed_order:.2g}"
        cells = (f"{100 * off[size]:.2g}" if size in off else "-" for size in sizes)
        rows.append([one.result, *cells, f"{100 * one.bound:.2g}", seen])
    heads = ["", *(f"{size:.6g}" for size in sizes), "the last, at most", "order seen"]
    print_table(f"Distance from the limit in {key} [%]", heads, rows)
    console().print(found[0].sentence(), markup=False, soft_wrap=True)
