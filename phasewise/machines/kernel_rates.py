"""How long the kernels of a turn take on a machine: `[kernels]` of its file (docs/machines.md).

A rate is the time of one unit of a kernel's work, measured with all ranks of a node at work, which
share its memory. It depends on one size: particles on a rank, or nodes of a mesh. An encounter of
a particle with a slice has three parts: the particle (`encounter`), the mesh that it reads and
writes (`encounter_mesh`), and bringing that mesh near once for the whole slice (`encounter_cold`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from phasewise.errors import StudyError
from phasewise.study.keys import Key, check_table, convert, plain, show
from phasewise.study.model import InteractionPoint

UNITS = {
    "moments": "flop", "sort": "item", "arc": "flop", "green": "flop", "clear": "byte",
    "encounter": "item", "encounter_mesh": "item", "encounter_cold": "item", "solve": "flop",
    "field": "byte", "luminosity": "byte", "gaussian_encounter": "item", "slice_moments": "item",
    "turn": "item", "step": "item",
}  # fmt: skip
"""What the time of each is per. An item of `encounter`, `encounter_mesh`, `gaussian_encounter` and
`slice_moments` is a particle that meets a slice, of `encounter_cold` a node of the mesh of a slice
that meets another, of `sort` a particle; of `turn` and `step` the turn and the step themselves,
beside their kernels and messages.
"""

VARIANTS = ("", "_tsc", "_2", "_tsc_2")
"""What may follow a name, and then holds in its place: quadratic weights, two field planes."""

_SIZE = Key("number", least=0, most=1e15)
_SECONDS = Key("number", least=0, most=10, unit="s", hint="the unit is seconds, for one item")


@dataclass(frozen=True)
class KernelRate:
    """Seconds per unit ("item", "flop" or "byte") at increasing sizes."""

    unit: str
    sizes: tuple[float, ...]
    seconds: tuple[float, ...]

    def at(self, size: float) -> float:
        """Seconds per unit, linear in log(size) between the sizes measured, constant beyond."""
        logs = np.log(np.maximum(self.sizes, 1.0))
        return float(np.interp(np.log(max(size, 1.0)), logs, self.seconds))


@dataclass(frozen=True)
class Term:
    """A part of a kernel's time: `amount` units of the rate of this name at this size."""

    name: str
    amount: float
    size: float


def terms(
    kernel: Mapping[str, Any], ip: InteractionPoint, particles: float, held: int
) -> list[Term]:
    """What the time of a kernel is made of.

    kernel: name, items, flops and bytes of a rank in a turn at one interaction point. particles: on
    a rank, of all beams of which it holds some, which are `held`.
    """
    name, items = str(kernel["name"]), float(kernel["items"])
    cells = float(ip.grid[0] * ip.grid[1])
    work = {"item": items, "flop": float(kernel["flops"]), "byte": float(kernel["bytes"])}
    variant = variant_of(ip)
    if name == "encounter":
        meetings = particles * ip.slices
        meshes = held * float(ip.slices**2)
        return [
            Term("encounter" + variant, meetings, particles),
            Term("encounter_mesh" + variant, meetings, cells),
            Term("encounter_cold" + variant, meshes * cells, cells),
        ]
    if name == "gaussian_encounter":
        return [Term(name, items, particles), Term("slice_moments", items, particles)]
    if name in ("moments", "sort", "arc"):
        return [Term(name, work[UNITS[name]], particles)]
    return [Term(name + variant, work[UNITS[name]], cells)]


def variant_of(ip: InteractionPoint) -> str:
    """Which of VARIANTS an interaction point has."""
    weights = "_tsc" if ip.weighting == "tsc" else ""
    return weights + ("_2" if ip.interpolation == "linear" else "")


def base_of(name: str) -> str:
    """The entry of UNITS that `name`, perhaps with a variant, belongs to."""
    return next(base for base in UNITS if name in {base + variant for variant in VARIANTS})


def find_rate(rates: Mapping[str, KernelRate], name: str) -> KernelRate | None:
    """The rate of this name, or of the nearest variant; None where none was measured."""
    base = base_of(name)
    variant = name.removeprefix(base)
    for choice in (variant, variant.replace("_tsc", ""), ""):
        if base + choice in rates:
            return rates[base + choice]
    return None


def read_kernels(table: object) -> dict[str, KernelRate]:
    """The rates of a machine file's `[kernels]`; StudyError, one sentence, where one is wrong."""
    schema = {name + variant: Key("table") for name in UNITS for variant in VARIANTS}
    return {
        name: _rate(name, value) for name, value in check_table(table, schema, "kernels").items()
    }


def _rate(name: str, table: Mapping[str, Any]) -> KernelRate:
    unit = UNITS[base_of(name)]
    key, where = f"seconds_per_{unit}", f"kernels.{name}"
    given = check_table(table, {"sizes": Key("any"), key: Key("any")}, where)
    for needed in ("sizes", key):
        if needed not in given:
            raise StudyError(f"{where}.{needed} is missing")
    sizes = _numbers(given["sizes"], _SIZE, f"{where}.sizes")
    seconds = _numbers(given[key], _SECONDS, f"{where}.{key}")
    if len(sizes) != len(seconds):
        raise StudyError(
            f"{where}.{key} has {len(seconds)} numbers and {where}.sizes {len(sizes)}: give one "
            "for each size"
        )
    if list(sizes) != sorted(set(sizes)):
        raise StudyError(f"{where}.sizes = {show(sizes)} must increase")
    return KernelRate(unit, sizes, seconds)


def _numbers(given: object, key: Key, where: str) -> tuple[float, ...]:
    values = plain(given)
    if not isinstance(values, list | tuple) or not values:
        raise StudyError(f"{where} must be a list of numbers, but is {show(values)}")
    return tuple(float(convert(value, key, where)) for value in values)


def kernel_tables(rates: Mapping[str, KernelRate]) -> list[str]:
    """The lines of a machine file that `read_kernels` reads back as `rates`."""
    lines: list[str] = []
    for name, rate in rates.items():
        lines += [
            f"[kernels.{name}]",
            f"sizes = {_row(rate.sizes, 8)}",
            f"seconds_per_{rate.unit} = {_row(rate.seconds, 4)}",
            "",
        ]
    return lines


def _row(values: Sequence[float], digits: int) -> str:
    return "[" + ", ".join(f"{value:.{digits}g}" for value in values) + "]"
