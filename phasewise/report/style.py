"""The style of all pictures of a report: colours, sizes, labels without mathematics fonts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, cast

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# The page replaces these three colours by its own, which follow the light or dark theme.
INK = "#1b2027"
MUTED = "#69727d"
LINE = "#d5dae1"

WIDTH = 9.0
# Width of a legend's handle with the space around it, and of a letter of 8 points [inches].
_HANDLE, _LETTER = 0.5, 0.062

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_PREFIXES = {-15: "f", -12: "p", -9: "n", -6: "µ", -3: "m", 0: "", 3: "k", 6: "M", 9: "G"}

_SETTINGS: dict[str, Any] = {
    "font.family": ["DejaVu Sans"],
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 9.0,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.facecolor": "none",
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "axes.formatter.limits": (-5, 6),
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
    "lines.linewidth": 1.3,
    "lines.solid_joinstyle": "round",
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "image.cmap": "viridis",
    "figure.facecolor": "none",
    "svg.fonttype": "none",
    "savefig.facecolor": "none",
    "text.parse_math": False,  # a title or the name of a file may hold two dollars
}


@contextmanager
def picture_style() -> Iterator[None]:
    """Inside this context, pictures look the same whatever the user's matplotlib settings are."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(cast(Any, _SETTINGS))
        yield


Panels = Callable[[int, int, float, dict[str, Any]], tuple[Any, Any]]
"""A function that makes the figure and the axes (rows, columns) of a picture, from its height and
options.
"""

_panels: ContextVar[Panels | None] = ContextVar("panels", default=None)


@contextmanager
def drawn_with(panels: Panels) -> Iterator[None]:
    """Inside this context, `panels` gives the figure and the axes of pictures."""
    token = _panels.set(panels)
    try:
        yield
    finally:
        _panels.reset(token)


def new_picture(rows: int, columns: int, height: float, **options: Any) -> tuple[Canvas, Any]:
    """A picture of the report's width and its axes, an array (rows, columns)."""
    if panels := _panels.get():
        return panels(rows, columns, height, options)
    picture = Canvas(figsize=(WIDTH, height), layout="constrained")
    FigureCanvasAgg(picture)
    axes = picture.subplots(rows, columns, squeeze=False, **options)
    return picture, axes


def superscript(number: int) -> str:
    """A number as superscript characters."""
    return str(number).translate(_SUPERSCRIPTS)


def scale(values: Any, unit: str) -> tuple[float, str]:
    """Factor and unit, with its prefix, that bring the largest of `values` to 1 … 1000."""
    sizes = np.abs(np.asarray(values, dtype=np.float64))
    sizes = sizes[np.isfinite(sizes)]
    largest = float(sizes.max()) if sizes.size else 0.0
    if largest == 0:
        return 1.0, unit
    power = int(np.clip(3 * np.floor(np.log10(largest * 1.0001) / 3), -15, 9))
    return 10.0**-power, _PREFIXES[power] + unit


def scale_by_ten(values: Any, unit: str) -> tuple[float, str]:
    """Factor and unit, with its power of ten in front, that bring `values` to order 1."""
    sizes = np.abs(np.asarray(values, dtype=np.float64))
    sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
    if not sizes.size:
        return 1.0, unit
    power = int(np.floor(np.log10(np.median(sizes))))
    return (1.0, unit) if power == 0 else (10.0**-power, f"10{superscript(power)} {unit}")


def scientific(value: float | None, digits: int = 4) -> str:
    """A number as text: 1.202 × 10³⁴, 0.00375; a dash for None."""
    if value is None or not np.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    power = int(np.floor(np.log10(abs(value))))
    if -4 <= power < 6:
        places = max(digits - 1 - power, 0)
        return _typeset(f"{value:.{places}f}" if power < 3 else f"{value:.{digits}g}")
    return _typeset(f"{value / 10.0**power:.{digits - 1}f} × 10{superscript(power)}")


def with_error(value: float | None, error: float | None) -> str:
    """value ± error with a common power of ten and two digits of the error."""
    if value is None or not np.isfinite(value):
        return "–"
    if error is None or not np.isfinite(error) or error == 0:
        return scientific(value)
    top = int(np.floor(np.log10(max(abs(value), error))))
    digits = max(top - int(np.floor(np.log10(error))) + 1, 0)
    if -3 <= top < 4:
        places = max(digits - top, 0)
        return _typeset(f"{value:.{places}f} ± {error:.{places}f}")
    unit = 10.0**top
    pair = f"({value / unit:.{digits}f} ± {error / unit:.{digits}f})"
    return _typeset(f"{pair} × 10{superscript(top)}")


def unit_text(unit: str) -> str:
    """A unit with its powers as superscripts: cm^-2 s^-1 becomes cm⁻² s⁻¹."""
    return re.sub(r"\^(-?\d+)", lambda power: superscript(int(power[1])), unit)


def _typeset(number: str) -> str:
    """A number with minus signs and with spaces that do not break."""
    return number.replace("-", "−").replace(" ", "\N{NO-BREAK SPACE}")


def legend_above(axes: Axes, columns: int = 0) -> None:
    """A legend above axes, from their left edge on, so that it hides no curve.

    It has as many columns as fit into the axes' width, or `columns`.
    """
    _, labels = axes.get_legend_handles_labels()
    if not labels:
        return
    figure = axes.get_figure(root=True)
    assert figure is not None
    width = axes.get_position().width * figure.get_figwidth()
    entry = _HANDLE + _LETTER * max(map(len, labels))
    axes.legend(
        loc="lower left", bbox_to_anchor=(0.0, 1.0), borderaxespad=0.3, borderpad=0.0,
        ncols=columns or max(1, min(len(labels), int(width / entry))),
    )  # fmt: skip


def log_ticks(axes: Axes, which: str = "y") -> None:
    """Label a logarithmic axis with powers of ten in plain characters."""
    axis = axes.yaxis if which == "y" else axes.xaxis
    axis.set_major_formatter(
        FuncFormatter(lambda value, _: f"10{superscript(round(np.log10(value)))}")
    )
    axis.set_minor_formatter(NullFormatter())


def whole_ticks(axis: Axis) -> None:
    """Put ticks at whole numbers only."""
    axis.set_major_locator(MaxNLocator(integer=True, nbins=6, min_n_ticks=1))
