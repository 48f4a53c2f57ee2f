"""Checks the values of a table's keys, with one-sentence errors."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from phasewise.errors import StudyError


@dataclass(frozen=True)
class Key:
    """One key: its kind, its range and, for the error sentence, its unit and a hint.

    ``kind`` is number, integer, flag, word, text, numbers, integers, nested, table or any. A flag
    may also be one of ``choices``; the reader of a key of kind any checks its value. ``length`` is
    that of numbers and integers, which are ``shared`` if one value may stand for all of them;
    ``shape`` is that of nested lists, which become one flat tuple, last index fastest. If a
    table may not lack the key, ``needed`` says what it is, for the sentence "it is …". ``flat`` is
    the name of the flat parameter that the key becomes, or True for the key's own; ``as_flat``
    computes it from the value.
    """

    kind: str
    default: Any = None
    length: int = 0
    shared: bool = False
    shape: tuple[int, ...] = ()
    choices: tuple[str, ...] = ()
    above: float | None = None
    least: float | None = None
    most: float | None = None
    unit: str = ""
    hint: str = ""
    needed: str = ""
    flat: str | bool = False
    as_flat: Callable[[Any], Any] | None = None

    @property
    def whole(self) -> bool:
        """Whether its values are integers."""
        return self.kind in ("integer", "integers")

    @property
    def plural(self) -> str:
        """The word for several of its values in a sentence."""
        return "integers" if self.whole else "numbers"


Schema = Mapping[str, Key]


def leaves(tables: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """The values in tables within tables, each with the dotted name of its key."""
    found: list[tuple[str, Any]] = []
    for key, value in tables.items():
        name = f"{prefix}{key}"
        found += leaves(value, f"{name}.") if isinstance(value, Mapping) else [(name, value)]
    return found


def show(value: object) -> str:
    """``value`` as it would stand in TOML, cut to a length that fits a sentence."""
    value = plain(value)
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, str):
        text = f'"{value}"'
    elif isinstance(value, Mapping):
        text = "a table"
    elif isinstance(value, list | tuple):
        text = "[" + ", ".join(show(v) for v in value[:8]) + (", …" if len(value) > 8 else "") + "]"
    elif isinstance(value, float):
        text = f"{value:g}"
    elif isinstance(value, int):
        text = str(value) if abs(value) < 10**18 else "an integer of many digits"
    else:
        text = str(value)
    return text if len(text) <= 80 else text[:77] + "…"


def with_unit(name: str, schema: Schema) -> str:
    """A key as tables show it, with its unit: "bunch_length [m]"."""
    unit = schema[name].unit if name in schema else ""
    return f"{name} [{unit}]" if unit else name


def nearest(name: str, accepted: Iterable[str]) -> str:
    """A closing clause naming the accepted value next to ``name``, or all of them."""
    names = list(accepted)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    if near:
        return f'; did you mean "{near[0]}"?'
    return f"; accepted: {', '.join(names)}" if names else ""


def check_table(value: object, schema: Schema, where: str) -> dict[str, Any]:
    """The keys given in table ``value``, converted; StudyError for an unknown key or bad value."""
    if not isinstance(value, Mapping):
        raise StudyError(f"{where or 'the study'} must be a table, but is {show(value)}")
    checked = {}
    for given, entry in value.items():
        name = str(given)
        if name not in schema:
            place = f"{where}: " if where else ""
            raise StudyError(f"{place}unknown key {show(name)}{nearest(name, schema)}")
        checked[name] = convert(entry, schema[name], f"{where}.{name}" if where else name)
    return checked


def with_defaults(given: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """``given`` and, for the keys left out, the defaults (None if there is none)."""
    return {name: given.get(name, key.default) for name, key in schema.items()}


def plain(value: object) -> object:
    """``value``, or the Python value or lists that a NumPy scalar or array holds."""
    convert_to_lists = getattr(value, "tolist", None)
    return convert_to_lists() if callable(convert_to_lists) else value


def convert(value: object, key: Key, where: str) -> Any:
    """``value`` as the kind that ``key`` asks for; NumPy scalars and arrays are taken as well."""
    value = plain(value)
    match key.kind:
        case "number":
            return _number(value, key, where)
        case "integer":
            return _integer(value, key, where)
        case "numbers":
            return tuple(_number(v, key, where) for v in _list(value, key, where))
        case "integers":
            return tuple(_integer(v, key, where) for v in _list(value, key, where))
        case "nested":
            return tuple(_number(v, key, where) for v in _flatten(value, key.shape, where))
        case "flag":
            return _flag(value, key, where)
        case "word":
            return _word(value, key, where)
        case "text":
            if not isinstance(value, str) or not value or not value.isprintable():
                raise StudyError(f"{where} must be a text of one line, but is {show(value)}")
            return value
        case "any":
            return value
        case _:
            if not isinstance(value, Mapping):
                raise StudyError(f"{where} must be a table, but is {show(value)}")
            return value


def _flag(value: object, key: Key, where: str) -> bool | str:
    if isinstance(value, bool) or (isinstance(value, str) and value in key.choices):
        return value
    *most, last = "true", "false", *map(show, key.choices)
    near = nearest(value, key.choices) if isinstance(value, str) and key.choices else ""
    raise StudyError(
        f"{where} must be {', '.join(most)} or {last}, but is {show(value)}"
        f"{near if 'did you mean' in near else ''}"
    )


def _word(value: object, key: Key, where: str) -> str:
    if not isinstance(value, str):
        raise StudyError(f"{where} must be one of {', '.join(key.choices)}, but is {show(value)}")
    if value not in key.choices:
        raise StudyError(f"{where}: {show(value)} is not known{nearest(value, key.choices)}")
    return value


def _list(value: object, key: Key, where: str) -> list[Any] | tuple[Any, ...]:
    if key.shared and isinstance(value, Real):
        return [value] * key.length
    if not isinstance(value, list | tuple) or len(value) != key.length:
        one = ("an integer or " if key.whole else "a number or ") if key.shared else ""
        raise StudyError(
            f"{where} must be {one}a list of {key.length} {key.plural}{_in(key)}, but is "
            f"{show(value)}"
        )
    return value


def shortest(values: tuple[Any, ...]) -> Any:
    """The values of a shared key as they are written: one if all are the same."""
    return values[0] if len(set(values)) == 1 else values


def _flatten(value: object, shape: tuple[int, ...], where: str) -> list[Any]:
    if not shape:
        return [value]
    value = plain(value)
    if not isinstance(value, list | tuple) or len(value) != shape[0]:
        raise StudyError(
            f"{where} must be a list of {shape[0]}{' lists' if shape[1:] else ' numbers'}, but is "
            f"{show(value)}"
        )
    return [v for i, row in enumerate(value) for v in _flatten(row, shape[1:], f"{where}[{i + 1}]")]


def _number(value: object, key: Key, where: str) -> float:
    value = plain(value)
    if isinstance(value, bool) or not isinstance(value, Real):
        raise StudyError(f"{where} must be a number{_in(key)}, but is {show(value)}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise StudyError(f"{where} must be a finite number{_in(key)}, but is {show(value)}")
    _check_range(number, key, where)
    return number


def _integer(value: object, key: Key, where: str) -> int:
    value = plain(value)
    whole = isinstance(value, Integral) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not isinstance(value, Integral | float) or not whole:
        raise StudyError(f"{where} must be an integer, but is {show(value)}")
    number = int(value)
    if abs(number) >= 2**63:
        raise StudyError(f"{where} = {show(value)} is too large: integers end at 9.2e18")
    _check_range(number, key, where)
    return number


def _check_range(number: float, key: Key, where: str) -> None:
    bound = ""
    if key.above is not None and not number > key.above:
        bound = f"above {key.above:g}"
    elif key.least is not None and not number >= key.least:
        bound = f"at least {key.least:g}"
    if bound:
        raise StudyError(f"{where} = {show(number)} must be {bound}{_in(key)}")
    if key.most is not None and not number <= key.most:
        hint = f"; {key.hint}" if key.hint else ""
        raise StudyError(f"{where} = {show(number)} must be at most {key.most:g}{_in(key)}{hint}")


def _in(key: Key) -> str:
    return f" ({key.unit})" if key.unit else ""
