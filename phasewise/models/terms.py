"""A quantity as a function of the number of ranks p, from few measured values.

f(p) = c0 + c1 p^i log2(p)^j, the performance model normal form with one term of Calotoiu, Hoefler,
Poke, Wolf, "Using automated performance modeling to find scalability bugs in complex codes" (SC
2013, section 3), with the exponents of Extra-P 4. Negative ones are added for fixed problems that
more ranks share. Of all terms, and of the constant, that is taken which predicts each value best
from the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from phasewise.models.model import Floats

FEWEST = 3
"""Fewest values: one is left out at a time, and two remain for two coefficients."""
EXPONENTS = tuple(
    Fraction(text)
    for text in (
        *("0", "-1", "1", "-1/2", "1/2", "-2/3", "2/3", "-1/3", "1/3", "-1/4", "1/4", "-3/4"),
        *("3/4", "2", "3/2", "4/3", "5/3", "5/4", "7/4", "3", "5/2", "7/3", "8/3", "9/4", "11/4"),
    )
)
"""Simple ones first: of terms that do equally well the first one is taken."""
LOGARITHMS = (0, 1, 2)
CONSTANT = Fraction(0), 0
EQUAL = 1e-9
"""Mean relative errors that differ by less are equal to rounding."""


@dataclass(frozen=True)
class Fit:
    """constant + factor p^power log2(p)^logarithm."""

    constant: float
    factor: float
    power: Fraction
    logarithm: int

    def at(self, ranks: float) -> float:
        """The value on this many ranks; nothing that is counted or timed is below 0."""
        return max(self.constant + self.factor * _term(ranks, self.power, self.logarithm), 0.0)

    @property
    def text(self) -> str:
        """The function as tables show it."""
        if self.factor == 0.0:
            return f"{self.constant:.4g}"
        power = {Fraction(0): "", Fraction(1): " p"}.get(self.power, f" p^{self.power}")
        logarithm = ("", " log2 p", " log2² p")[self.logarithm]
        sign = "-" if self.factor < 0 else "+"
        return f"{self.constant:.4g} {sign} {abs(self.factor):.4g}{power}{logarithm}"


def fitted(ranks: Sequence[int], values: Sequence[float]) -> Fit:
    """The best fit of values (n,) on numbers of ranks (n,), at least FEWEST different ones."""
    p, v = np.asarray(ranks, np.float64), np.asarray(values, np.float64)
    best, least = _solved(p, v, *CONSTANT), _missed(p, v, *CONSTANT)
    for power in EXPONENTS:
        for logarithm in LOGARITHMS if power >= 0 else LOGARITHMS[:1]:
            if (power, logarithm) == CONSTANT:
                continue
            missed = _missed(p, v, power, logarithm)
            if missed < least - EQUAL:
                best, least = _solved(p, v, power, logarithm), missed
    return best


def _term(ranks: float, power: Fraction, logarithm: int) -> float:
    return float(ranks ** float(power) * math.log2(ranks) ** logarithm)


def _solved(p: Floats, v: Floats, power: Fraction, logarithm: int) -> Fit:
    """The least sum of squared relative errors, or of absolute ones if a value is 0."""
    weights = 1 / v if np.all(v > 0) else np.ones(len(v))
    columns = [np.ones(len(p))]
    if (power, logarithm) != CONSTANT:
        columns.append(np.array([_term(one, power, logarithm) for one in p]))
    matrix = weights[:, None] * np.stack(columns, axis=1)
    found = np.linalg.lstsq(matrix, weights * v, rcond=None)[0].tolist()
    return Fit(found[0], found[1] if len(found) > 1 else 0.0, power, logarithm)


def _missed(p: Floats, v: Floats, power: Fraction, logarithm: int) -> float:
    """The mean relative error of each value predicted from the others."""
    errors = []
    for k in range(len(p)):
        others = np.arange(len(p)) != k
        found = _solved(p[others], v[others], power, logarithm).at(float(p[k]))
        errors.append(error_of(found, float(v[k])))
    return float(np.mean(errors))


def error_of(predicted: float, actual: float) -> float:
    """The relative error of a prediction, 0 if both are 0, and 1 if one of them is."""
    larger = max(predicted, actual)
    return abs(predicted - actual) / larger if larger > 0 else 0.0
