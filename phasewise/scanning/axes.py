"""The values of one key in a scan, from the words of ``--over KEY=VALUES`` or from Python."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np

from phasewise.errors import StudyError
from phasewise.study.reading import override_value
from phasewise.tables.keys import plain, show

MOST_VALUES = 100_000
"""Most values of a key; a scan of more points would be refused anyway."""

FORMS = "give a list (5,9 or [15,1],[5,5]), START:END:COUNT, or LOW:HIGH with --random or --sobol"


@dataclass(frozen=True)
class Axis:
    """A key, and its values in a scan: a list of them, or a range from which samples are drawn."""

    key: str
    values: tuple[Any, ...] = ()
    low: float = 0.0
    high: float = 0.0
    whole: bool = False
    """Whether a range gives whole numbers."""

    @property
    def sampled(self) -> bool:
        """Whether values are drawn from a range."""
        return not self.values

    def sample(self, share: float) -> float | int:
        """The value at a share of the range; the share is from 0 to 1, without 1."""
        if self.whole:
            return math.floor(self.low + share * (self.high - self.low + 1))
        return _round(self.low + share * (self.high - self.low))

    def to_dict(self) -> dict[str, Any]:
        """The axis in a form that JSON can hold."""
        if self.sampled:
            return {"key": self.key, "low": self.low, "high": self.high, "whole": self.whole}
        return {"key": self.key, "values": list(self.values)}


def read_axis(text: str) -> Axis:
    """The axis that ``KEY=VALUES`` means; StudyError if it means none."""
    key, equals, words = text.partition("=")
    if not equals or not key.strip() or not words.strip():
        raise StudyError(f"--over {text}: give a key and its values, such as ip.1.slices=5,9")
    return axis_of(key.strip(), words.strip())


def axis_of(key: str, values: Any) -> Axis:
    """The axis of a key: `values` are a text as after ``--over KEY=``, or several values."""
    where = f"--over {key}"
    if not all(part.strip() for part in key.split(".")):
        raise StudyError(f"{where}: {show(key)} is no key; write it as ip.1.slices or arc.tune.0")
    values = plain(values)
    if isinstance(values, str):
        return _from_text(key, values, where)
    if not isinstance(values, Iterable) or isinstance(values, dict):
        values = [values]
    found = tuple(plain(value) for value in values)
    return Axis(key, _checked(found, where))


def _from_text(key: str, text: str, where: str) -> Axis:
    words = [word.strip() for word in _split(text, where)]
    ends = text.split(":")
    if len(words) > 1 or len(ends) == 1 or not all(map(_is_number, ends[:2])):
        return Axis(key, _checked(tuple(override_value(word, where) for word in words), where))
    if len(ends) > 3:
        raise StudyError(f"{where}={text}: {FORMS}")
    whole = all(_is_whole(end) for end in ends[:2])
    low, high = float(ends[0]), float(ends[1])
    if len(ends) == 2:
        if not low < high:
            raise StudyError(f"{where}={text}: the range must go from a number to a larger one")
        return Axis(key, (), low, high, whole)
    return Axis(key, _checked(_spaced(low, high, ends[2], f"{where}={text}", whole), where))


def _spaced(low: float, high: float, count: str, where: str, whole: bool) -> tuple[Any, ...]:
    """`count` values at the same distance from `low` to `high`, both included."""
    if not _is_whole(count) or not 2 <= int(count) <= MOST_VALUES:
        raise StudyError(f"{where}: {count} is not a number of values from 2 to {MOST_VALUES}")
    found = [_round(value) for value in np.linspace(low, high, int(count))]
    if whole and all(value.is_integer() for value in found):
        return tuple(int(value) for value in found)
    return tuple(found)


def _round(value: float) -> float:
    """A value without its rounding error: 0.301, not 0.30100000000000005."""
    return float(f"{value:.12g}")


def _checked(values: tuple[Any, ...], where: str) -> tuple[Any, ...]:
    """The values, each of a kind that a study may hold, and each once."""
    if not values:
        raise StudyError(f"{where}: there are no values; {FORMS}")
    if len(values) > MOST_VALUES:
        raise StudyError(f"{where}: {len(values)} values are more than {MOST_VALUES}")
    seen: set[str] = set()
    for value in values:
        if not _is_value(value):
            raise StudyError(f"{where}: {show(value)} is not a number, a word, or a list of them")
        if (text := repr(value)) in seen:
            raise StudyError(f"{where}: {show(value)} stands twice in the values")
        seen.add(text)
    return values


def _is_value(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(_is_value(entry) for entry in value)
    return isinstance(value, bool | str | Integral | Real)


def _split(text: str, where: str) -> list[str]:
    """The values between the commas of a list; commas within brackets and quotes do not divide."""
    words, depth, quote = [""], 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter in "[]":
            depth += 1 if letter == "[" else -1
        if letter == "," and depth == 0 and not quote:
            words.append("")
        else:
            words[-1] += letter
    if depth or quote or not all(word.strip() for word in words):
        raise StudyError(f"{where}={text} cannot be read: {FORMS}")
    return words


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _is_whole(text: str) -> bool:
    digits = text.strip().removeprefix("-")
    return digits.isascii() and digits.isdigit()
