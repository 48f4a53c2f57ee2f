"""A source that several workloads reproduce: their chapters become one page."""

from __future__ import annotations

import pytest

from phasewise.commands.reproduce import chosen_source
from phasewise.reproduction.claim import NOTHING
from phasewise.reproduction.source import Chapter, Source, Statement, join
from phasewise.workloads.halo.reproducing import HaloReproducing
from tests.sentences import refused

SOURCE = Source(
    "atlas", "An atlas", "of two statements", "The reference is a simulator.",
    {
        "a1": Statement("Near", "Near is quick.", "page 1"),
        "a2": Statement("Far", "Far is slow.", "page 2"),
        "a3": Statement("Up", "Up is steep.", "page 3"),
    },
)  # fmt: skip


def test_claims_stand_in_the_order_of_the_source_and_the_unseen_are_listed() -> None:
    far = SOURCE.claim("a2", "3 s", False, "Far takes 3 s.", real=True)
    near = SOURCE.claim("a1", "1 s", True, "Near takes 1 s.", fitted=True)
    chapters = {
        "walking": Chapter("Walking", (far,), record={"pace": 2}, notes=("It rained.",)),
        "riding": Chapter("Riding", (near,)),
    }
    found = join(SOURCE, chapters, quick=True)
    assert [(c.id, c.holds) for c in found.claims] == [("a1", True), ("a2", False), ("a3", None)]
    assert found.claims[0].paper == "Near is quick. (page 1)"
    assert (found.record["walking"], found.record["riding"]) == ({"pace": 2}, {})
    assert found.notes == ("It rained.",)
    (tile,) = found.page.tiles
    assert tile.value == "1 of 2"
    assert [section.title for section in found.page.sections] == ["Claims", "Walking", "Riding"]


def test_the_page_tells_measured_from_simulated_and_marks_what_was_fitted() -> None:
    real = SOURCE.claim("a1", "1 s", True, "", real=True)
    fitted = SOURCE.claim("a2", "3 s", True, "", fitted=True)
    added = SOURCE.claim("a3", "7", True, "", arithmetic=True)
    found = join(SOURCE, {"walking": Chapter("Walking", (real, fitted, added))}, quick=False)
    (table,) = found.page.sections[0].tables
    assert [row[5:7] for row in table.rows] == [
        ("measured here", ""),
        ("simulated", "fitted or assumed"),
        ("arithmetic", ""),
    ]


def test_a_claim_that_noise_leaves_open_is_told_from_one_that_nobody_looked_at() -> None:
    found = [
        SOURCE.claim("a1", ours, holds, "", real=True, mixed=True)
        for ours, holds in ((NOTHING, None), ("1 s", None), ("1 s", True), ("2 s", False))
    ]
    assert [claim.verdict for claim in found] == ["not checked", "undecided", "yes", "no"]
    assert found[0].reference == "measured here and simulated"


def test_a_workload_stands_for_the_only_source_that_it_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert chosen_source(None, "qcd") == "altix-qcd"
    assert chosen_source(None, "halo") == chosen_source("cray-x1")
    assert chosen_source(None, "collision") == chosen_source(None)
    with refused('"spacecharge"', "source", "collision", "halo", "qcd"):
        chosen_source(None, "spacecharge")
    with refused('"qdc"', nearest="qcd"):
        chosen_source(None, "qdc")
    with refused('"lattice"', '"qcd"'):
        chosen_source(None, "lattice")
    with refused('--source "cray-x1"', '--workload "qcd"'):
        chosen_source("cray-x1", "qcd")
    monkeypatch.setattr(HaloReproducing, "SOURCE", "a-b")
    with refused('--workload "halo"', "--source", "a-b", "cray-x1"):
        chosen_source(None, "halo")
