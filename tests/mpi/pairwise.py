"""Few combinations in which every value of each key meets every value of every other key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

Choice = dict[str, str]
"""A value for each key."""

Pair = tuple[tuple[str, str], tuple[str, str]]
"""Two keys, in the order of the keys, with a value each."""


def written(choice: Choice) -> str:
    """A combination in words."""
    return ", ".join(f"{key} {value}" for key, value in choice.items())


def all_pairs(keys: Mapping[str, Sequence[str]]) -> list[Pair]:
    """Every pair of values of two different keys."""
    return [
        ((one, a), (other, b))
        for one, other in combinations(keys, 2)
        for a in keys[one]
        for b in keys[other]
    ]


def pairs_of(choice: Mapping[str, str]) -> list[Pair]:
    """The pairs that meet in one combination."""
    return list(combinations(choice.items(), 2))


def cover(keys: Mapping[str, Sequence[str]]) -> list[Choice]:
    """Combinations that hold every pair, at least as many as the two longest keys have pairs.

    Each begins with the first pair that none holds yet; every other key then takes the value that
    meets most of the missing pairs with those that stand.
    """
    missing = dict.fromkeys(all_pairs(keys))
    choices: list[Choice] = []
    while missing:
        chosen = dict(next(iter(missing)))
        for key in keys:
            if key not in chosen:
                chosen[key] = max(keys[key], key=lambda value: _gain(missing, chosen, key, value))
        choice = {key: chosen[key] for key in keys}
        for pair in pairs_of(choice):
            missing.pop(pair, None)
        choices.append(choice)
    return choices


def _gain(missing: Mapping[Pair, None], chosen: Choice, key: str, value: str) -> int:
    own = (key, value)
    return sum((own, at) in missing or (at, own) in missing for at in chosen.items())
