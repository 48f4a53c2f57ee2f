"""Sources that are reproduced: what describes one, and how the chapters of several workloads make
its page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from phasewise.report.figure import Figure
from phasewise.report.page import Page, Section, Tile
from phasewise.report.tables import Table
from phasewise.reproduction.claim import NOTHING, Claim, Reproduction


@dataclass(frozen=True)
class Statement:
    """What a source says: a title, its words, and where they stand."""

    title: str
    words: str
    place: str


@dataclass(frozen=True)
class Source:
    """A source that several workloads reproduce.

    name: its name in `--source`; statement: a sentence on the reference, for the page; statements:
    by the claims' numbers, in order.
    """

    name: str
    title: str
    subtitle: str
    statement: str
    statements: Mapping[str, Statement]

    def claim(
        self, number: str, ours: str, holds: bool | None, sentence: str, **marks: bool
    ) -> Claim:
        """A claim with what was found about it; marks: `fitted`, `real`, `mixed`,
        `arithmetic`.
        """
        own = self.statements[number]
        paper = f"{own.words} ({own.place})"
        return Claim(number, own.title, paper, ours, holds, sentence, **marks)


@dataclass(frozen=True)
class Chapter:
    """What one workload finds about a source: its claims, tables and figures, and `record`, which
    ``reproduce --json`` prints beside the claims.
    """

    title: str
    claims: tuple[Claim, ...]
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    record: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def join(source: Source, chapters: Mapping[str, Chapter], quick: bool) -> Reproduction:
    """The page of a source, from the chapters of workloads by their names. A claim that none of
    them looks at is listed as such.
    """
    found = {str(claim.id): claim for one in chapters.values() for claim in one.claims}
    unseen = "No workload of this build checks it."
    claims = tuple(
        found.get(number) or source.claim(number, NOTHING, None, unseen)
        for number in source.statements
    )
    notes = tuple(note for one in chapters.values() for note in one.notes)
    record = {
        "source": source.name,
        "reference": "simulator",
        "quick": quick,
        "claims": [claim.to_dict() for claim in claims],
        **{name: dict(one.record) for name, one in chapters.items()},
    }
    sections = (
        Section("claims", "Claims", (claims_table(claims),)),
        *(Section(name, one.title, one.tables, one.figures) for name, one in chapters.items()),
    )
    page = Page(
        source.title, source.subtitle, (_tile(claims),), (source.statement, *notes), sections, {}
    )
    return Reproduction(claims, record, page, notes)


def claims_table(claims: Sequence[Claim]) -> Table:
    """Each claim beside its result; a column tells measured results from simulated ones."""
    rows = tuple(
        (
            str(c.id),
            c.title,
            c.paper,
            c.ours,
            c.verdict,
            c.reference,
            "fitted or assumed" if c.fitted else "",
            c.sentence,
        )
        for c in claims
    )
    heads = ("", "claim", "the source", "here", "holds", "reference", "evidence", "")
    note = (
        "Fitted or assumed: the claim depends on a number in a machine's file that was chosen to "
        "agree, or that nobody could check, so that agreement proves nothing. Measured here: "
        "measured on this computer, which is not one of the source's."
    )
    return Table("The source's claims", heads, rows, note, words=True)


def _tile(claims: Sequence[Claim]) -> Tile:
    looked_at = [claim for claim in claims if claim.holds is not None]
    holding = sum(claim.holds is True for claim in looked_at)
    aside = f"by the rules on this page; {len(claims)} in all"
    return Tile("claims that hold", f"{holding} of {len(looked_at)}", aside)
