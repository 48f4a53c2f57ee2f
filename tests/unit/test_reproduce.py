"""What is made of simulated times: claims by their rules, errors of held-out cases, one page."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from phasewise.errors import RunError
from phasewise.machines import load_machine
from phasewise.machines.curves import Curve
from phasewise.machines.smpirun import simulated_tree
from phasewise.models import Case, Prediction
from phasewise.models.judged import Times
from phasewise.report.page import render
from phasewise.reproduction.claim import Claim
from phasewise.workloads.collision.reproduction import contents
from phasewise.workloads.collision.reproduction import results as gathering
from phasewise.workloads.collision.reproduction.cases import (
    MACHINES,
    MAX_MESSAGES,
    PER_MACHINE,
    SimulatedCase,
    messages,
    paper_case,
    simulated_cases,
)
from phasewise.workloads.collision.reproduction.contents import make_page, summarise
from phasewise.workloads.collision.reproduction.extent import (
    BEST,
    FULL,
    QUICK,
    VARIANTS,
    Extent,
    Run,
)
from phasewise.workloads.collision.reproduction.gains import check_claims
from phasewise.workloads.collision.reproduction.holdout import (
    FIGURES,
    JudgedCase,
    WholeStudy,
    holdout,
    keep_whole_study,
    read_whole_study,
    residuals,
)
from phasewise.workloads.collision.reproduction.kept import read_kept
from phasewise.workloads.collision.reproduction.plans import Plans, make_plans
from phasewise.workloads.collision.reproduction.results import PaperResults
from phasewise.workloads.collision.reproduction.sensitivity import Sensitivity
from phasewise.workloads.collision.reproduction.tables import table_4
from tests.sentences import command_refused, refused, says

PAPER = {"seaborg": 0.65, "bassi": 0.32, "jacquard": 0.06, "jaguar": 0.29, "bluegene-l": 0.08}
"""Gains by layout, of the paper."""

HYPERCUBE = {"seaborg": 0.62, "bassi": 0.65, "jacquard": 0.28, "jaguar": 0.2, "bluegene-l": 0.2}

FACTORS = {
    "seaborg": {"1a": 3.0, "1b": 3.0, "2": 0.8, "3": 1.03, "4": 1.03, "5": 1.0, "6": 1.0},
    "bassi": {"1a": 2.5, "1b": 3.0, "2": 0.7, "3": 0.96, "4": 1.0, "5": 1.0, "6": 1.0},
    "jacquard": {"1a": 2.5, "1b": 2.5, "2": 1.3, "3": 1.33, "4": 1.03, "5": 1.0, "6": 1.0},
    "jaguar": {"1a": 4.0, "1b": 3.0, "2": 3.0, "3": 3.0, "4": 2.5, "5": 1.284, "6": 1.279},
    "bluegene-l": {"1a": 9.0, "1b": 9.0, "2": 9.0, "3": 9.0, "4": 3.0, "5": 1.9, "6": 1.29},
}
"""Simulated over predicted times as the paper states them."""


@pytest.fixture(scope="module")
def plans() -> Plans:
    return make_plans()


def prediction(ranks: int, model: str, seconds: float) -> Prediction:
    ends = (0.9 * seconds, 1.1 * seconds)
    return Prediction(ranks, model, seconds, 0.0, *ends, seconds, 0.0, seconds, *ends, {})


def as_the_paper_says(extent: Extent = FULL) -> PaperResults:
    """Times that agree with every number of the paper's text."""
    simulated: dict[Run, float] = {}
    predicted: dict[tuple[Run, str], Prediction] = {}
    published: dict[tuple[Run, str], float] = {}
    table_4: dict[Run, float] = {}
    computing: dict[tuple[str, int], float] = {}
    for name in extent.machines:
        for ranks in (*extent.ranks, *extent.predicted):
            base = 1.0 + ranks / 2560
            optimised = base * (1 - PAPER[name])
            times = {
                "base": base,
                "optimised": optimised,
                "aggregated": 0.97 * optimised,
                "hypercube": optimised * (1 - HYPERCUBE[name]),
            }
            # 60 % of the total is communication at 256 ranks, less of it before.
            computing[name, ranks] = 1.1 * 2 / 3 * 256 / ranks
            for variant in VARIANTS:
                run = Run(name, ranks, variant)
                simulated[run] = table_4[run] = times[variant]
                predicted[run, "contention"] = prediction(ranks, "contention", times[variant])
                for model, factor in FACTORS[name].items():
                    own = 1.076 if (name, variant) == ("jaguar", "optimised") else factor
                    own = 1.21 if (name, model, ranks) == ("jacquard", "4", 256) else own
                    scale = factor if variant == "hypercube" and name != "jaguar" else own
                    scale = 1.076 if (name, variant) == ("jaguar", "hypercube") else scale
                    published[run, model] = times[variant] / scale
    machines = {name: load_machine(name) for name in extent.machines}
    figures = dict.fromkeys(FIGURES, 0.05) | {"points": 10.0}
    judged = {name: {"contention": figures} for name in extent.machines}
    whole = {name: {"contention": figures | {"points": 35.0}} for name in MACHINES}
    return PaperResults(
        extent, machines, simulated, predicted, published, table_4, computing, (1.0, 1.0), judged,
        WholeStudy("2026-03-01", whole), sensitivity=(Sensitivity("jaguar", "links", 256, 0.04),),
    )  # fmt: skip


def by_number(plans: Plans, results: PaperResults) -> dict[int, Claim]:
    return {claim.id: claim for claim in check_claims(plans, results)}


def test_every_claim_holds_where_the_times_are_those_of_the_paper(plans: Plans) -> None:
    claims = by_number(plans, as_the_paper_says())
    assert list(claims) == list(range(1, 17))
    assert {number: c.ours for number, c in claims.items() if c.holds is not True} == {}


def scaled(results: PaperResults, machine: str, variant: str, factor: float) -> PaperResults:
    changed = {
        run: seconds * (factor if (run.machine, run.variant) == (machine, variant) else 1.0)
        for run, seconds in results.simulated.items()
    }
    return replace(results, simulated=changed)


def predicted_longer(results: PaperResults, variant: str, factor: float) -> PaperResults:
    """With other predictions by Table 4 of a variant."""
    changed = {
        run: seconds * (factor if run.variant == variant else 1.0)
        for run, seconds in results.table_4.items()
    }
    return replace(results, table_4=changed)


@pytest.mark.parametrize(
    ("machine", "variant", "factor", "broken"),
    [
        # Model 3 is 0.96 × 0.85 off, beyond the 10 % of the IBM systems and their mean of 4 %; the
        # layout gains 1 - 0.68/0.85 = 20 %, not 32.
        ("bassi", "base", 0.85, {6, 11, 12}),
        ("bassi", "base", 1.8, {3, 4, 5, 6, 11, 12}),
        ("jacquard", "base", 1.2, {6, 7, 11, 12}),
        ("jaguar", "optimised", 0.8, {10, 12}),
        # Nothing is simulated for claims 14 and 15.
        ("seaborg", "aggregated", 0.8, set()),
        ("seaborg", "hypercube", 0.5, set()),
        ("bluegene-l", "base", 0.6, {12}),
        ("bluegene-l", "base", 1.2, {8, 9, 11, 12}),
    ],
)
def test_a_claim_fails_where_the_times_differ(
    plans: Plans, machine: str, variant: str, factor: float, broken: set[int]
) -> None:
    claims = by_number(plans, scaled(as_the_paper_says(), machine, variant, factor))
    assert {number for number, claim in claims.items() if not claim.holds} == broken


def test_a_layout_that_matters_on_a_full_fat_tree_is_told(plans: Plans) -> None:
    claims = by_number(plans, replace(as_the_paper_says(), single=(1.0, 1.02)))
    assert claims[13].holds is False
    assert claims[13].ours == "+2.00 % on 64 ranks"


@pytest.mark.parametrize(
    ("variant", "factor", "broken"),
    [("aggregated", 0.8, {15}), ("hypercube", 1.5, {14}), ("base", 2.0, set())],
)
def test_what_the_paper_predicted_is_judged_by_its_latencies_and_bandwidths(
    plans: Plans, variant: str, factor: float, broken: set[int]
) -> None:
    claims = by_number(plans, predicted_longer(as_the_paper_says(), variant, factor))
    assert {number for number, claim in claims.items() if not claim.holds} == broken


def test_a_better_model_passes_a_bound_on_errors(plans: Plans) -> None:
    results = as_the_paper_says()
    exact = {(run, model): results.simulated[run] for run, model in results.published}
    claims = by_number(plans, replace(results, published=exact))
    assert all(claims[number].holds for number in (9, 10, 11))
    assert not any(claims[number].holds for number in (4, 5, 8))


def test_claims_tell_kept_simulations_and_what_was_fitted(plans: Plans) -> None:
    claims = by_number(plans, replace(as_the_paper_says(), kept="2026-03-01"))
    assert {number for number, c in claims.items() if not c.kept} == {1, 2, 16}
    assert {number for number, c in claims.items() if c.fitted} == {4, 5, 6, 7, 8, 9, 11, 12}
    assert not any(c.kept for c in by_number(plans, as_the_paper_says()).values())


def test_all_simulations_of_the_paper_s_cases_come_with_the_package() -> None:
    found = read_kept()
    assert [task.name for task in gathering.tasks_of(FULL) if not found.has(task)] == []


def test_a_model_without_predictions_leaves_its_claims_open(plans: Plans) -> None:
    results = as_the_paper_says()
    without = {key: one for key, one in results.published.items() if key[1] != "6"}
    claims = by_number(plans, replace(results, published=without))
    assert {number for number, c in claims.items() if c.holds is None} == {9, 10, 11}


def test_the_page_needs_nothing_else_and_says_that_the_reference_is_a_simulator(
    plans: Plans, tmp_path: Path
) -> None:
    results = as_the_paper_says()
    claims = check_claims(plans, results)
    text = render(make_page(plans, results, claims, tmp_path))
    assert not re.search(r'(src|href)="https?:', text)
    assert text.count("simulator") >= 5
    for number in range(3, 10):
        assert f"Figure {number}:" in text
    for number in (3, 4, 5):
        assert f"Table {number}:" in text
    assert len(list(tmp_path.glob("figure-*.png"))) >= 10
    record = summarise(claims, results, quick=False)
    assert record["holdout"]["bassi"]["contention"]["points"] == 35
    assert record["holdout_repeated"]["bassi"]["contention"]["points"] == 10
    says(text, "175 simulated", "benchmarks/residuals.py", "2026-03-01", "50 simulated")
    assert {"id", "paper", "ours", "holds", "fitted", "kept"} <= set(record["claims"][0])
    assert record["kept"] is None and record["sensitivity"][0]["gain"] == 0.04


def test_a_whole_study_is_read_as_it_was_written(tmp_path: Path) -> None:
    figures = dict.fromkeys(FIGURES, 0.0213) | {"points": 35.0}
    study = WholeStudy("2026-03-01", {"bassi": {"1a": figures, "loads": figures}, "jaguar": {}})
    path = tmp_path / "holdout.json"
    assert read_whole_study(path) is None
    keep_whole_study(study, path)
    assert read_whole_study(path) == study
    assert json.loads(path.read_text())["reference"] == "simulator"
    path.write_text(path.read_text().replace('"coverage"', '"cover"'))
    with refused(path, "python -m benchmarks.residuals", by=RunError):
        read_whole_study(path)


def test_a_page_without_the_whole_study_says_how_it_is_made(
    plans: Plans, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contents, "make_figures", lambda *_: [])  # other tests draw them
    results = replace(as_the_paper_says(QUICK), whole=None)
    claims = check_claims(plans, results)
    text = render(make_page(plans, results, claims, tmp_path))
    says(text, "holdout.json", "missing", "python -m benchmarks.residuals")
    assert summarise(claims, results, quick=True)["holdout"] is None


def test_the_cases_of_a_machine_are_many_different_and_bearable() -> None:
    found = simulated_cases("bassi")
    assert len(set(found)) == PER_MACHINE
    assert max(messages(one.study(), one) for one in found) <= MAX_MESSAGES
    assert {one.ranks for one in found} == {32, 48, 64, 96, 128, 256}
    for name in ("layout", "reduce", "broadcast", "transpose", "crossing", "planes", "slices"):
        assert len({getattr(one, name) for one in found}) > 1, name


def test_the_split_follows_from_the_text_alone() -> None:
    fields = (
        "process_grid={grid} layout=row-first reduce=mesh broadcast=mesh schedule=ring "
        "transpose=pairwise aggregate=False crossing=4b nodes=256 slices=8 planes=1 "
        "green=every-step luminosity=False padded=True seed=1"
    )
    # By sha256sum: the digest of the first text begins with ff4d520a, that of the second with
    # 262a43c5. 0xff/256 = 0.996 is held out; 0x26/256 = 0.148, below 0.4, is for fitting.
    for ranks, grid, held_out in ((32, "1x16", True), (64, "2x16", False)):
        sample = paper_case("bassi", ranks, "base")
        assert sample.text == f"machine=bassi ranks={ranks} {fields.format(grid=grid)}"
        assert sample.held_out is held_out
    # Of 58, 60 % are 34.8 ± 3.7: four standard deviations.
    assert 20 <= sum(one.held_out for one in simulated_cases("bassi")) <= 50


def test_table_4_has_the_curves_of_whole_nodes_and_of_256_ranks() -> None:
    def line(latency: float, benchmark: str, level: str, **of: Any) -> Curve:
        one = (1.0, 1.0)
        return Curve(benchmark, level, (0, 1), one, one, one, latency, 1e9, **of)

    ranks = load_machine("bassi").node_ranks
    curves = (
        line(1e-6, "parallel", "node", pairs=ranks // 2),
        line(2e-6, "parallel", "node", pairs=ranks),
        line(3e-6, "grid", "network", direction="row", distance=1, ranks=64),
        line(4e-6, "grid", "network", direction="row", distance=1, ranks=256),
    )
    machine = replace(load_machine("bassi"), curves=curves)
    own = {row[0]: row[3] for row in table_4({"bassi": machine}).rows}
    assert own["bassi, parallel intra"] == "2.00"
    assert own["bassi, grid 256"] == "4.00"


def judged(machine: str, number: int, simulated: float, held_out: bool) -> JudgedCase:
    own = [replace(paper_case(machine, 32, "base"), seed=seed) for seed in range(1, 200)]
    sample = [sample for sample in own if sample.held_out == held_out][number]
    case = Case(sample.study(), load_machine(machine), 32)
    times: dict[str, Any] = {
        "communication_seconds": 1.0,
        "computation_seconds": 1.0,
        "turn_seconds": 2.0,
    }
    ends = {"low": 0.9, "high": 1.3, "turn_low": 1.9, "turn_high": 2.1}
    of_phases: dict[str, Any] = {"waiting_seconds": 0.0, "exchange_seconds": 1.0, "phases": {}}
    times |= {"computation_seconds": 1.0}
    predicted = Prediction(32, "contention", **times, **ends, **of_phases)
    return JudgedCase(sample, case, Times(simulated, 2 * simulated), predicted)


def test_errors_are_of_held_out_cases_and_residuals_of_the_others() -> None:
    machines = {"bassi": load_machine("bassi")}
    times = {True: (1.25, 0.8), False: (1.1, 0.9)}
    all_of_them = [
        judged("bassi", number, time, held_out)
        for held_out, pair in times.items()
        for number, time in enumerate(pair)
    ]
    figures = holdout(all_of_them, machines)["bassi"]["contention"]
    # |1/1.25 - 1| = 0.2 and |1/0.8 - 1| = 0.25.
    assert figures["mean_error"] == pytest.approx(0.225)
    assert figures["worst_error"] == pytest.approx(0.25)
    assert figures["points"] == 2
    # 1.25 lies within 0.9 to 1.3, 0.8 does not; neither turn, 2.5 and 1.6, within 1.9 to 2.1.
    assert (figures["coverage"], figures["turn_coverage"]) == (0.5, 0.0)
    found = residuals(all_of_them, machines)
    logarithms = [round(math.log(0.9), 6), round(math.log(1.1), 6)]
    of_models = {"contention": {"fat-tree|bassi": logarithms}}
    assert found == {"communication": of_models, "turn": of_models}


def test_the_papers_cases_are_those_of_the_study_in_the_examples(repository: Path) -> None:
    from phasewise.study import load

    own = load(repository / "examples/paper/study.toml", ["turns=1"]).resolved()
    base = paper_case("bassi", 128, "base").study().resolved()
    assert base["communication"] == own["communication"] | {"process_grid": "4x16"}
    for name in ("beam", "ring", "arc", "ip"):
        assert base[name] == own[name]
    assert paper_case("bassi", 1024, "optimised").process_grid == "8x64"


def test_many_ranks_are_sampled_and_few_are_not() -> None:
    small, large = (gathering.paper_task(Run("bassi", n, "base")) for n in (128, 256))
    assert (small.request.steps, large.request.steps) == (0, 5)


def test_every_machine_has_a_best_model_and_cases() -> None:
    assert set(BEST) == set(MACHINES) == set(PAPER)
    assert isinstance(paper_case(MACHINES[0], 32, "base"), SimulatedCase)


def test_a_folder_that_cannot_be_made_ends_in_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        simulated_tree()
    except RunError as missing:
        pytest.skip(str(missing))
    (tmp_path / "file").write_text("")
    out = tmp_path / "file" / "page"
    command_refused(capsys, ["reproduce", "--quick", "--out", out], out, status=1)
