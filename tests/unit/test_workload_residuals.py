"""Every workload's intervals come from residuals of its own, and its studies are drawn anew."""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from benchmarks.machine_generator import machine_of, study_of
from benchmarks.residuals import keep_residuals
from benchmarks.unknown_machines import DESCRIBED, Point
from phasewise.errors import StudyError
from phasewise.machines import load_machine
from phasewise.models import Case, first_turn, predict
from phasewise.models.drawn import Drawn, Wanted
from phasewise.models.interval import (
    FEWEST,
    FILE,
    LEAST_HALF,
    conformal,
    is_drawn,
    residuals_of,
    spread,
)
from phasewise.models.prediction import bounded
from phasewise.study import Study
from phasewise.study.replaying import Replaying
from phasewise.workload.discovery import workloads
from phasewise.workload.interface import Workload
from tests.sentences import refused, says

KINDS = {"fat-tree", "tapered fat-tree", "torus", "dragonfly", "none"}
NAMES = tuple(name for name, own in workloads().items() if own.fills(Drawn))


def halo(**keys: Any) -> Study:
    own = {"words": 128, "verify": False} | keys
    return Study.from_dict({"workload": "halo", "exchanges": 1, "halo": own})


def elsewhere(folder: Path) -> Workload:
    """A workload whose package is this folder."""
    return cast(Workload, SimpleNamespace(name="new", folder=folder))


def test_only_studies_of_recorded_programs_are_not_drawn() -> None:
    others = [own for name, own in workloads().items() if name not in NAMES]
    assert all(own.fills(Replaying) for own in others)


@pytest.mark.parametrize("name", NAMES)
def test_every_workload_has_residuals_of_every_kind_of_machine(name: str) -> None:
    kept = json.loads((workloads()[name].folder / FILE).read_text(encoding="utf-8"))
    for quantity in ("communication", "turn"):
        for model in ("contention", "described"):
            groups = kept[quantity][model]
            drawn = Counter(
                key.split("|")[0] for key in groups if is_drawn(key) for _ in groups[key]
            )
            assert set(drawn) == KINDS
            assert min(drawn.values()) >= FEWEST
            assert set(DESCRIBED) <= {key.split("|")[1] for key in groups}


def test_the_interval_of_a_study_is_that_of_its_workloads_residuals() -> None:
    machine = load_machine("bassi")
    found = predict(Case(halo(), machine, 16), "contention")
    kept = residuals_of(workloads()["halo"]) or {}
    low, high = conformal(kept["communication"]["contention"]["fat-tree|bassi"])
    alone = bounded(found, Case(halo(), machine, 16), variation=0.0)
    middle, half = (low + high) / 2, max((high - low) / 2, LEAST_HALF)
    assert math.log(alone.low / alone.communication_seconds) == pytest.approx(middle - half)
    assert math.log(alone.high / alone.communication_seconds) == pytest.approx(middle + half)


def test_workloads_have_different_intervals() -> None:
    machine = load_machine("bassi")
    found = {
        name: spread("contention", machine, residuals=residuals_of(own))
        for name, own in workloads().items()
        if name in NAMES
    }
    assert len({(one.low, one.high) for one in found.values()}) == len(found)
    for one in found.values():
        says(one.source, "simulated")


def test_a_workload_without_residuals_has_a_factor_of_two(tmp_path: Path) -> None:
    assert residuals_of(elsewhere(tmp_path)) is None
    found = spread("contention", load_machine("bassi"), residuals=residuals_of(elsewhere(tmp_path)))
    assert (math.exp(found.low), math.exp(found.high)) == pytest.approx((0.5, 2.0))
    says(found.source, "two", "workload")


def test_residuals_are_written_into_the_workloads_own_folder(tmp_path: Path) -> None:
    own = elsewhere(tmp_path)
    drawn = {"turn": {"contention": {"none|drawn 1": [0.1], "torus|jaguar": [0.2]}}}
    keep_residuals(own, drawn)
    assert residuals_of(own) == {
        "turn": {"contention": {"none|drawn 1": (0.1,), "torus|jaguar": (0.2,)}}
    }
    # Drawn machines replace each other, and others stay.
    keep_residuals(own, {"turn": {"contention": {"none|drawn 2": [0.3]}}})
    kept = (residuals_of(own) or {})["turn"]["contention"]
    assert kept == {"none|drawn 2": (0.3,), "torus|jaguar": (0.2,)}


@pytest.mark.parametrize("name", NAMES)
def test_studies_of_every_workload_are_drawn_the_same_for_a_number(
    name: str, tmp_path: Path
) -> None:
    machine, own = machine_of(4), workloads()[name]
    (one, ranks), (again, _) = (study_of(machine, 7, tmp_path, own) for _ in range(2))
    assert one.parameters() == again.parameters()
    assert one.workload.name == name and ranks in own.part(Drawn).RANKS


@pytest.mark.parametrize("name", NAMES)
def test_the_default_of_a_key_is_drawn_most_often(name: str, tmp_path: Path) -> None:
    own, machine = workloads()[name].part(Drawn), load_machine("bassi")
    tables = [
        own.tables(np.random.default_rng([1, number]), Wanted(machine, 16, tmp_path / "layout"))
        for number in range(100)
    ]
    given = (
        Counter(key for one in tables for key in one["communication"]) if name != "kernels" else {}
    )
    # Each key is left out in half of the draws: more than 71 of 100 are 1 in 10⁵.
    assert all(count <= 71 for count in given.values()), given
    assert name in ("kernels",) or len(given) > 0


def test_a_workload_that_does_not_say_how_it_is_drawn_is_refused(tmp_path: Path) -> None:
    nothing = Drawn(replace(workloads()["halo"], title="new things"))
    with refused("new things", "Drawn", by=StudyError):
        nothing.tables(np.random.default_rng(1), Wanted(load_machine("bassi"), 16, tmp_path))


def test_turns_that_differ_widen_the_interval() -> None:
    case = Case(halo(), load_machine("bassi"), 16)
    found = predict(case, "contention")
    steady, varying = (bounded(found, case, variation=v) for v in (0.0, 0.2))
    assert varying.low < steady.low and varying.high > steady.high
    assert varying.turn_low < steady.turn_low and varying.turn_high > steady.turn_high
    # 1.645 standard deviations add in squares to half the width of the residuals.
    kept = (residuals_of(workloads()["halo"]) or {})["turn"]["contention"]["fat-tree|bassi"]
    low, high = conformal(kept)
    wider = math.log(varying.turn_high / varying.turn_low) / 2
    assert wider == pytest.approx(math.hypot((high - low) / 2, 1.645 * 0.2))


def test_a_point_has_the_key_of_its_machine() -> None:
    study = halo()
    assert Point(4001, load_machine("bassi"), study, 16).key == "fat-tree|bassi"
    assert Point(4, machine_of(4), study, 16).key == "torus|drawn 4"


def test_the_first_turns_share_what_the_first_one_makes() -> None:
    tables: dict[str, Any] = {"workload": "spacecharge", "turns": 3}
    own = workloads()["spacecharge"].part(Drawn)
    machine = load_machine("bassi")
    drawn = own.tables(np.random.default_rng(1), Wanted(machine, 8, Path()))
    study = Study.from_dict(drawn | tables)
    one, three = (first_turn(study, machine, 8, turns=turns) for turns in (1, 3))
    assert one.agreed and not three.agreed
    assert three.pieces["green"] == pytest.approx(one.pieces["green"] / 3)


def test_messages_that_are_sent_at_once_wait_for_one_latency() -> None:
    # 15 empty-like messages of 8 B to the other ranks of a machine with one rank a node: all leave
    # at once, so that they take one latency and the bytes of all of them.
    machine = load_machine("jaguar")
    tables = {
        "workload": "collectives",
        "exchanges": 1,
        "collectives": {"operator": "alltoall", "bytes": 8, "verify": False},
    }
    found = predict(Case(Study.from_dict(tables), machine, 16), "described", computation=False)
    assert found.communication_seconds < 2 * machine.network.latency
