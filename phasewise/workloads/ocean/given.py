"""What an operator of nine points is given: settings and whole arrays, checked before use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phasewise.driver import Floats
from phasewise.errors import StudyError
from phasewise.tables.declared import schema_of
from phasewise.tables.keys import Key, convert, nearest, show, with_defaults
from phasewise.workloads.ocean.communication import ADDING, BLOCK, CARTESIAN, OceanCommunication
from phasewise.workloads.ocean.table import EVP, PCSI, TOLERANCE, OceanTable

Sea = NDArray[np.bool_]

_STUDY = schema_of(OceanCommunication) | schema_of(OceanTable)
LAYOUT = {
    "periodic_x": Key("flag", False),
    "periodic_y": Key("flag", False),
    "process_grid": Key("integers", (0, 0), length=2, least=1, most=2**15, unit="ranks"),
    "blocks": replace(BLOCK, kind="integers", default=(0, 0), length=2),
    "distribution": replace(_STUDY["distribution"], default=CARTESIAN),
    "threads": Key("integer", 1, least=1, most=4096),
}
"""The keys of an operator; zeros leave the choice to the core."""
SOLVER = {
    name: _STUDY[name]
    for name in (
        "solver", "preconditioner", "evp_block", "tolerance", "iterations", "most_iterations",
        "check_every", "iterations_per_exchange", "solver_halo", "solver_sum",
        "solver_sum_protocol",
    )
} | {"tolerance": replace(_STUDY["tolerance"], default=TOLERANCE)}  # fmt: skip
"""The keys of a solve, which are those of a study."""
OPTIONAL = ("process_grid", "blocks", "iterations")
"""None stands for their default."""

ENDS = {
    "centre": ((0, 0), (0, 0)),
    "east": ((0, 0), (0, 1)),
    "north": ((0, 0), (1, 0)),
    "north_east": ((0, 0), (1, 1)),
    "north_west": ((0, 1), (1, 0)),
}
"""The cells that the coefficient of cell (j, i) couples, as steps along j and i."""


def layout_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """All settings of an operator, as the core takes them; StudyError if one cannot be used."""
    return _converted(given, LAYOUT)


def solver_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """All settings of a solve likewise; 0 iterations where their number is not fixed."""
    found = _converted(given, SOLVER)
    if found["solver_sum_protocol"] not in ADDING:
        raise StudyError(
            f"solver_sum_protocol = {show(found['solver_sum_protocol'])} stores what arrives and "
            f"cannot add it; those that can are {', '.join(ADDING)}"
        )
    _check_shared_exchanges(found)
    if found["iterations"] is None:
        return found | {"iterations": 0}
    return found | {"tolerance": 0.0}


def _converted(given: Mapping[str, Any], keys: Mapping[str, Key]) -> dict[str, Any]:
    found = {
        name: convert(value, keys[name], name)
        for name, value in given.items()
        if value is not None or name not in OPTIONAL
    }
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in with_defaults(found, keys).items()
    }


def _check_shared_exchanges(setting: Mapping[str, Any]) -> None:
    """StudyError if two iterations cannot share each exchange."""
    per = setting["iterations_per_exchange"]
    if per == 1:
        return
    if setting["solver"] != PCSI or setting["preconditioner"] == EVP:
        raise StudyError(
            f"iterations_per_exchange = {per}: it is 1, or 2 with solver = 'pcsi' and "
            "preconditioner = 'none' or 'diagonal'"
        )
    for name in ("iterations", "check_every", "most_iterations"):
        if (setting[name] or 0) % per:
            raise StudyError(
                f"{name} = {setting[name]} must be even with iterations_per_exchange = {per}, "
                "since two iterations share each exchange"
            )


def whole(given: ArrayLike, what: str, shape: tuple[int, ...] | None) -> Floats:
    """An array of real numbers of this shape, or of any with two axes."""
    try:
        found = np.ascontiguousarray(given, dtype=np.float64)
    except (ValueError, TypeError, OverflowError):
        raise StudyError(f"{what} must be an array of real numbers") from None
    if found.ndim != 2 or (shape is not None and found.shape != shape):
        wanted = "two axes" if shape is None else f"the shape {shape}"
        raise StudyError(f"{what} has the shape {found.shape}, and {wanted} is needed")
    return found


def field(given: ArrayLike, what: str, sea: Sea) -> Floats:
    """An array with finite numbers in the sea, and 0 on land."""
    found = np.where(sea, whole(given, what, sea.shape), 0.0)
    return _finite(found, what, sea)


def _finite(found: Floats, what: str, counts: Sea) -> Floats:
    """The array with 0 for numbers that are not finite and do not count."""
    finite = np.isfinite(found)
    if (wrong := counts & ~finite).any():
        j, i = np.argwhere(wrong)[0]
        raise StudyError(
            f"{what} is {found[j, i]:g} at cell ({j}, {i}), and must be finite wherever it counts"
        )
    return found if finite.all() else np.where(finite, found, 0.0)


def operator_of(
    coefficients: Mapping[str, ArrayLike] | Any,
    mask: ArrayLike | None,
    periodic: tuple[bool, bool],
) -> tuple[dict[str, Floats], Sea]:
    """All coefficients, and where there is sea.

    periodic: along y and x.
    """
    arrays = _named(coefficients)
    shape = arrays["centre"].shape
    sea = np.ones(shape, np.bool_) if mask is None else _finite_mask(mask, shape)
    if not sea.any():
        raise StudyError("the mask is land alone, and leaves no equation")
    counts = {name: _counts(name, sea, periodic) for name in ENDS}
    if "north_west" not in arrays:
        counts["north_east"] |= counts["north_west"]
    found = {name: _finite(array, name, counts[name]) for name, array in arrays.items()}
    found.setdefault("north_west", found["north_east"])
    found["centre"] = np.where(sea, found["centre"], 0.0)
    if (wrong := sea & (found["centre"] <= 0)).any():
        j, i = np.argwhere(wrong)[0]
        raise StudyError(
            f"the operator is not positive: its centre is {found['centre'][j, i]:g} at cell "
            f"({j}, {i})"
        )
    return found, sea


def _named(coefficients: Mapping[str, ArrayLike] | Any) -> dict[str, Floats]:
    """The arrays that are given, all of one shape."""
    if isinstance(coefficients, Mapping):
        for name in coefficients:
            if name not in ENDS:
                known = nearest(str(name), ENDS)
                raise StudyError(f"the coefficient {show(name)} is not known{known}")
        given = dict(coefficients)
    else:
        given = {name: getattr(coefficients, name, None) for name in ENDS}
    found: dict[str, Floats] = {}
    for name in ENDS:
        if given.get(name) is not None:
            shape = found["centre"].shape if found else None
            found[name] = whole(given[name], name, shape)
        elif name != "north_west":
            raise StudyError(f"the coefficient {name} is missing")
    return found


def _finite_mask(mask: ArrayLike, shape: tuple[int, ...]) -> Sea:
    found = whole(mask, "mask", shape)
    return cast(Sea, _finite(found, "mask", np.ones(shape, np.bool_)) != 0)


def _counts(name: str, sea: Sea, periodic: tuple[bool, bool]) -> Sea:
    """Where a coefficient belongs to a cell of the sea and couples two such cells."""
    first, second = (_moved(sea, steps, periodic) for steps in ENDS[name])
    return sea & first & second


def _moved(sea: Sea, steps: tuple[int, int], periodic: tuple[bool, bool]) -> Sea:
    """Whether there is sea so many cells further along j and i."""
    found = np.roll(sea, (-steps[0], -steps[1]), axis=(0, 1))
    if steps[0] and not periodic[0]:
        found[-1] = False
    if steps[1] and not periodic[1]:
        found[:, -1] = False
    return found
