"""The model `measured`: which factors it finds in recorded runs, and which runs it refuses."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phasewise.machines import load_machine
from phasewise.models import Case, load_model, measured
from phasewise.models.measured import Observed, fit
from phasewise.models.rounds import RoundCosts, round_costs
from phasewise.study import Study
from tests.sentences import refused
from tests.unit.study_tables import tables
from tests.unit.synthetic_communication import write_communication

RANKS = (8, 16, 32, 64)


def costs_on(ranks: int) -> tuple[RoundCosts, ...]:
    """Two phases, one within nodes and one between them, whose shares change with the ranks."""
    inside = np.array([1e-7 * ranks, 1e-1 / ranks, 0.0, 0.0])
    outside = np.array([0.0, 0.0, 4e-7 * ranks, 4e-2 / np.sqrt(ranks)])
    return (
        RoundCosts("reduce_column", False, inside, 1.25 * inside),
        RoundCosts("broadcast_row", False, outside, 1.25 * outside),
    )


def run_on(
    ranks: int,
    terms: tuple[float, ...] = (1.0,) * 4,
    phases: Mapping[str, float] | None = None,
    waited: tuple[float, float] = (1.0, 1.0),
) -> Observed:
    """A run whose seconds follow from these factors."""
    costs, imbalance = costs_on(ranks), 4e-2 / ranks
    own = phases or {}
    seconds = {one.name: own.get(one.name, 1.0) * float(one.mean @ terms) for one in costs}
    # A quarter more on the longest rank: the mean rank waits for that.
    waiting = waited[0] * 0.25 * sum(seconds.values()) + waited[1] * imbalance
    whole = sum(seconds.values()) + waiting
    return Observed(ranks, costs, seconds, whole, imbalance, 2.0 / ranks, 1.0 / ranks)


def test_a_machine_as_it_is_described_has_factors_of_one() -> None:
    found = fit([run_on(ranks) for ranks in RANKS])
    # No noise was added, and the prior agrees: only rounding remains.
    assert found.terms == pytest.approx(np.ones(4), rel=1e-9)
    assert dict(found.phases) == pytest.approx({"reduce_column": 1, "broadcast_row": 1}, rel=1e-9)
    assert (found.rounds_waiting, found.steps_waiting) == pytest.approx((1.0, 1.0), rel=1e-9)


def test_slower_links_than_described_are_found_and_carried_on() -> None:
    terms = (1.0, 1.5, 1.0, 2.0)
    found = fit([run_on(ranks, terms) for ranks in RANKS])
    for one, own in zip(costs_on(256), costs_on(256), strict=True):
        # The prior, 0.1² of all runs, holds a term of share s back by 0.01/s² of its way from 1:
        # by some percent, as the smallest is a fifth of the time.
        assert found.transfer(one) == pytest.approx(float(own.mean @ terms), rel=0.1)


def test_terms_that_hardly_matter_to_the_runs_keep_the_descriptions_factor() -> None:
    # Three times the latency is less than a hundredth of the time of these runs.
    found = fit([run_on(ranks, (3.0, 1.0, 3.0, 1.0)) for ranks in RANKS])
    assert found.terms[[0, 2]] == pytest.approx([1.0, 1.0], abs=0.05)


def test_a_phase_that_takes_longer_than_its_rounds_keeps_its_factor() -> None:
    found = fit([run_on(ranks, phases={"reduce_column": 1.4}) for ranks in RANKS])
    inside, outside = costs_on(256)
    # A part of the 1.4 goes to the transfer within nodes, and not to the small latency.
    assert found.transfer(inside) == pytest.approx(1.4 * inside.mean.sum(), rel=0.1)
    assert found.transfer(outside) == pytest.approx(outside.mean.sum(), rel=0.05)


def test_waiting_is_found_apart_for_rounds_and_for_steps() -> None:
    found = fit([run_on(ranks, waited=(0.5, 0.7)) for ranks in RANKS])
    # The prior of 1, at 0.1² of the runs, moves either by some percent.
    assert found.rounds_waiting == pytest.approx(0.5, abs=0.05)
    assert found.steps_waiting == pytest.approx(0.7, abs=0.05)


def test_computing_takes_what_the_runs_took_of_the_rates() -> None:
    assert fit([run_on(ranks) for ranks in RANKS]).computing == pytest.approx(2.0)


def test_a_phase_that_takes_no_time_is_predicted_to_take_none() -> None:
    runs = [run_on(ranks, phases={"broadcast_row": 0.0}) for ranks in RANKS]
    assert fit(runs).transfer(costs_on(128)[1]) == 0.0


def recorded(folder: Path, prow: int, **changes: Any) -> Path:
    write_communication(folder, **({"prow": prow, "machine": "bassi"} | changes))
    study = Study.from_dict(tables()).resolved()
    (folder / "study.json").write_text(json.dumps(study))
    return folder


def case(records: list[Path]) -> Case:
    return Case(Study.from_dict(tables()), load_machine("bassi"), 16, records=tuple(records))


def test_fewer_than_three_different_runs_are_refused(tmp_path: Path) -> None:
    runs = [recorded(tmp_path / name, 1 + (name == "c")) for name in ("a", "b", "c")]
    with refused("measured", 3, 2, "--fit"):
        load_model("measured").phase_seconds(case(runs))


def test_simulated_runs_are_not_mixed_with_real_ones(tmp_path: Path) -> None:
    runs = [recorded(tmp_path / "1", 1, machine=None)]
    runs += [recorded(tmp_path / str(prow), prow) for prow in (2, 3)]
    with refused("measured", "simulated", "bassi"):
        load_model("measured").phase_seconds(case(runs))


def predicted_from(runs: list[Observed], ranks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Predicts the study of `case` on this many ranks of Bassi, as if `runs` were recorded."""
    pytest.importorskip("phasewise._core", reason="the core is not built")
    monkeypatch.setattr(measured, "_read", lambda _: runs)
    monkeypatch.setattr(measured, "_observed", lambda run, _: run)
    own = tables()
    own["communication"] = {"process_grid": f"1x{ranks // 2}", "reduce": "mpi", "broadcast": "mpi"}
    measured.phase_seconds(Case(Study.from_dict(own), load_machine("bassi"), ranks))


def test_messages_between_nodes_are_not_guessed_from_runs_within_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inside = [
        Observed(ranks, costs_on(ranks)[:1], {"reduce_column": 1e-3}, 1e-3, 0.0, 0.0, 0.0)
        for ranks in (2, 4, 8)
    ]
    predicted_from(inside, 8, monkeypatch)
    with refused("measured", "16 ranks", "between nodes", "--fit"):
        predicted_from(inside, 16, monkeypatch)


def test_calls_of_the_library_are_not_carried_on_far_beyond_the_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs = [run_on(ranks) for ranks in (2, 4, 8)]
    predicted_from(runs, 32, monkeypatch)
    with refused("measured", "64 ranks", "reduce_column", "51 %", 4, 8, "--fit"):
        predicted_from(runs, 64, monkeypatch)


def test_rounds_share_the_adapter_of_their_node() -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    bassi = load_machine("bassi")
    own = tables()
    own["communication"] = {
        "process_grid": "1x8",
        "reduce": "direct",
        "broadcast": "direct",
        "layout": "column-first",
    }
    adapter = bassi.network.adapter_bandwidth
    assert adapter is not None
    found = {one.name: one for one in round_costs(Case(Study.from_dict(own), bassi, 16), "m")}
    # Each beam has a node of Bassi: its columns stay within, and all 8 ranks cross to the other.
    assert found["reduce"].mean[2:].sum() == 0.0
    crossing = found["broadcast"]
    messages = next(
        p for p in Case(Study.from_dict(own), bassi, 16).phases if p.name == crossing.name
    )
    volume = float(messages.count @ messages.bytes)
    assert crossing.longest[3] == pytest.approx(8 * volume / adapter, rel=1e-9)
