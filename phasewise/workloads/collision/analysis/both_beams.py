"""Growth of the emittances of both beams together, and whether equal beams grow alike."""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass

from phasewise.analysis.growth_rate import Growth, growth_rate
from phasewise.analysis.spectrum import Floats
from phasewise.workloads.collision.analysis.setting import BeamSetting

DISAGREE = 2.0
"""Standard errors by which the growths of equal beams differ if they disagree."""

ALIKE = 1e-6
"""Relative difference of two quantities that counts as none."""


@dataclass(frozen=True)
class BothBeams:
    """Growth of the emittances of both beams in one plane.

    growth: of the sum of the two emittances, each over its value at the first turn. Beams that hand
    emittance to each other keep it, so that it is known better than that of each. difference: the
    growth of beam 1 less that of beam 2, relative per turn; difference_error: its standard error,
    from the history of the difference. disagree: the beams are equal, so that no difference is
    expected, and it is larger than two errors.
    """

    growth: Growth
    difference: float
    difference_error: float
    disagree: bool

    def sentence(self, plane: str) -> str:
        """What is wrong with beams that disagree; empty for others."""
        if not self.disagree:
            return ""
        return (
            f"the beams are equal, but their growths in {plane} differ by {self.difference:.2g} ± "
            f"{self.difference_error:.2g} per turn"
        )


def both_beams(
    turn: Floats, first: Floats, second: Floats, equal: bool, frequency: float | None
) -> BothBeams | None:
    """From the emittances (T,) of both beams; None with too few turns. frequency in Hz."""
    fits = growth_rate(turn, first), growth_rate(turn, second)
    if fits[0] is None or fits[1] is None:
        return None
    one, two = first / fits[0].start, second / fits[1].start
    together = growth_rate(turn, one + two, frequency)
    apart = growth_rate(turn, 1 + one - two)
    if together is None or apart is None:
        return None
    beyond = equal and abs(apart.per_turn) > DISAGREE * apart.error
    return BothBeams(together, apart.per_turn, apart.error, beyond)


def alike(one: BeamSetting, two: BeamSetting) -> bool:
    """Whether nothing but their charges tells two beams apart."""
    return all(
        math.isclose(a, b, rel_tol=ALIKE, abs_tol=0.0)
        for a, b in zip(_numbers(one), _numbers(two), strict=True)
    )


def _numbers(beam: BeamSetting) -> list[float]:
    tune = (math.nan, math.nan) if beam.tune is None else beam.tune
    pairs = ([q % 1 for q in tune], beam.xi, beam.emittance, beam.size, astuple(beam.optics)[0])
    flat = [number for pair in pairs for number in pair]
    return [*flat, beam.bunch_length, beam.momentum_spread, beam.macroparticles]
