"""A paper's claims and what was found about them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from phasewise.report.page import Page

NOTHING = "–"
"""The result of a claim that was not looked at."""


@dataclass(frozen=True)
class Claim:
    """A claim of the paper: its number, the results of the paper and of the reproduction, whether
    they agree, and remarks.

    holds: None if the claim was not tested, or if noise leaves it undecided. fitted: whether
    something of a twin was fitted to the paper's statement, so that agreement is no evidence. kept:
    whether simulations were used that were made before. real: whether it was measured on this
    computer, and not simulated; mixed: whether a part of it was simulated nevertheless. arithmetic:
    whether it follows from the paper's own numbers, without a simulation or a measurement.
    """

    id: int | str
    title: str
    paper: str
    ours: str
    holds: bool | None
    sentence: str
    fitted: bool = False
    kept: bool = False
    real: bool = False
    arithmetic: bool = False
    mixed: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The claim as JSON has it."""
        return asdict(self)

    @property
    def verdict(self) -> str:
        """How tables show whether it holds."""
        if self.holds is None:
            return "not checked" if self.ours == NOTHING else "undecided"
        return "yes" if self.holds else "no"

    @property
    def reference(self) -> str:
        """What the paper's result is compared with."""
        if self.arithmetic:
            return "arithmetic"
        if self.mixed:
            return "measured here and simulated"
        return "measured here" if self.real else "simulated"


@dataclass(frozen=True)
class Reproduction:
    """A paper reproduced: its claims, what ``reproduce --json`` prints, and the page; notes:
    sentences on what the claims rest on.
    """

    claims: tuple[Claim, ...]
    record: dict[str, Any]
    page: Page
    notes: tuple[str, ...] = ()
