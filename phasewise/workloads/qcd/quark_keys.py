"""The table [quarks] of a study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from phasewise.errors import StudyError
from phasewise.tables.declared import key
from phasewise.tables.keys import Key, show


@dataclass(frozen=True, kw_only=True)
class Quarks:
    """The keys of [quarks]."""

    kappa: float = key(
        "number", needed="1/(2 m + 8) of a quark of mass m", above=0, most=1, flat=True
    )
    """1/(2 m₀ + 8)."""
    phases: tuple[float, float, float, float] = key(
        "numbers", (0.0, 0.0, 0.0, 1.0), length=4, least=-2, most=2, unit="π", flat=True
    )
    """Phases of ψ(x + L) along x, y, z and t."""
    anisotropy: float = key("number", 1.0, above=0, most=100, flat=True)
    """ξ: hops in space, and the clover term of planes in space, are divided by it."""
    velocity: float = key("number", 1.0, above=0, most=100, flat=True)
    """ν: a factor of hops in space."""
    clover: ClassVar[Key] = Key("number", least=-100, most=100)
    """c_sw of all planes."""
    clover_spatial: float = key("number", 0.0, least=-100, most=100, flat=True)
    clover_temporal: float = key("number", 0.0, least=-100, most=100, flat=True)
    """c_sw of the planes in space, and that of the planes with t, instead of `clover`."""
    twisted_mass: float = key("number", 0.0, least=-100, most=100, flat=True)
    """µ of the term iµγ₅."""
    stout_weight: float = key("number", 0.0, least=0, most=1, flat=True)
    stout_steps: int = key("integer", 0, least=0, most=1000, flat=True)
    """ρ and the number of steps of the stout smearing of the links that quarks see."""

    @property
    def diagonal(self) -> float:
        """The coefficient of ψ(x), without clover term and twisted mass."""
        return 1 / (2 * self.kappa) - 3 + 3 * self.velocity / self.anisotropy

    @property
    def has_clover(self) -> bool:
        """Whether there is a clover term."""
        return self.clover_spatial != 0.0 or self.clover_temporal != 0.0


def with_clover(values: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The values with the coefficient of each kind of plane, also if one coefficient is given for
    all.
    """
    found = dict(values)
    one = found.pop("clover")
    if one is None:
        return found
    both = ("clover_spatial", "clover_temporal")
    if other := next((name for name in both if name in given), None):
        raise StudyError(
            f"quarks.clover and quarks.{other} exclude each other: the first is the coefficient "
            "of all planes, the second that of some"
        )
    return found | dict.fromkeys(both, one)


def check_quarks(quarks: Quarks) -> None:
    """StudyError if the quarks' keys do not belong together."""
    if quarks.diagonal == 0 and quarks.twisted_mass == 0 and not quarks.has_clover:
        raise StudyError(
            "quarks.kappa, anisotropy and velocity give a Dirac operator without a diagonal, "
            "1/(2 kappa) - 3 + 3 velocity / anisotropy = 0; change one of them a little"
        )
    if (quarks.stout_weight > 0) != (quarks.stout_steps > 0):
        raise StudyError(
            f"quarks.stout_weight = {show(quarks.stout_weight)} and quarks.stout_steps = "
            f"{show(quarks.stout_steps)} belong together: both are above 0, or neither"
        )
