"""Benches of messages on simulated ranks: the curves of real ones, with a model beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import pytest

from phasewise.cli import main
from phasewise.errors import RunError, StudyError
from phasewise.machines import load_machine
from phasewise.machines.smpirun import simulated_tree
from phasewise.models import Case, predict
from phasewise.models.simulated_ranks import SimulatedRanks
from phasewise.report.benching import Bench
from phasewise.simulated import timing
from phasewise.simulated.simulate import Request, flat_parameters, simulate
from phasewise.simulated.timing import time_simulated
from phasewise.study import Study
from phasewise.workload.discovery import find_workload
from phasewise.workloads.commtest.bench import LENGTHS
from tests.sentences import command_refused, refused, says

core: Any = pytest.importorskip("phasewise._core", reason="the core is not built")
try:
    simulated_tree()
except RunError as error:
    pytest.skip(str(error), allow_module_level=True)


def swap(length: int, protocol: str) -> Study:
    return Study.from_dict(
        {
            "workload": "commtest",
            "exchanges": 1,
            "commtest": {"bytes": length, "verify": False},
            "communication": {"protocol": protocol},
        }
    )


def test_times_are_those_of_whole_simulations_and_the_model_agrees(tmp_path: Path) -> None:
    machine = load_machine("phoenix")
    studies = [swap(length, "irecv-isend") for length in (64, 2**20)]
    times = SimulatedRanks(machine, 2, workers=1)(studies)
    for study, time in zip(studies, times, strict=True):
        request = Request(machine, 2, skeleton=True)
        # The first of the exchanges begins where the start of the run has left the ranks.
        whole, _ = simulate(study.with_count(20), request, tmp_path / str(study.model.bytes))
        assert time.seconds == pytest.approx(whole["turn_seconds"], rel=0.02)
        assert time.predicted == pytest.approx(time.seconds, rel=0.02)
        assert (time.low, time.high, time.quickest) == 3 * (time.seconds,)
        assert not time.noisy


def test_bench_prints_the_curves_of_a_machine(capsys: pytest.CaptureFixture[str]) -> None:
    argv = ["bench", "halo", "--machine", "phoenix", "--ranks", "2", "--set", "halo.words=8"]
    chosen = [*argv, "--set", "communication.protocol=shmem"]
    assert main([*chosen, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["reference"], result["machine"], result["ranks"]) == ("simulator", "phoenix", 2)
    assert result["threads"] == 1
    (curve,) = result["curves"]
    assert (curve["protocol"], curve["words"], result["best"]) == ("shmem", [8], {"8": "shmem"})
    assert curve["predicted"] == pytest.approx(curve["seconds"], rel=0.03)
    assert result["left_out"].keys() == {"neighbour", "partitioned"}
    assert main(chosen) == 0
    shown = capsys.readouterr()
    says(shown.out, "shmem (as put)")
    says(shown.err, "model contention", "%")


def test_a_study_that_the_simulator_lacks_is_named() -> None:
    request = Request(load_machine("phoenix"), 2, skeleton=True)
    with refused("neighbour"):
        time_simulated([swap(8, "neighbour")], request)


def reduced(length: int) -> Study:
    own = {"operator": "reduce-scatter", "bytes": length, "verify": False}
    return Study.from_dict({"workload": "collectives", "exchanges": 1, "collectives": own})


def test_long_sums_of_the_library_can_be_started_and_finished(tmp_path: Path) -> None:
    """With contents; in place SimGrid would send from memory that it has freed."""
    study = Study.from_dict(
        {
            "workload": "collectives",
            "exchanges": 3,
            "collectives": {"operator": "allreduce", "bytes": 2**18, "blocking": False},
        }
    )
    summary, _ = simulate(study, Request(load_machine("phoenix"), 4), tmp_path)
    # The values of each block go over a link of 12.8 GB/s at least once.
    assert summary["turn_seconds"] > 2**18 / 12.8e9
    with h5py.File(tmp_path / "records.h5") as records:
        assert list(records["wrong"]) == [0, 0, 0]


def test_a_study_that_fails_among_others_is_named() -> None:
    """Its values are more than MPI counts, and more than most memories hold."""
    request = Request(load_machine("phoenix"), 128, skeleton=True)
    studies = [reduced(8), reduced(2**28), reduced(16)]
    with refused("operator reduce-scatter", "bytes 268435456", by=RunError):
        time_simulated(studies, request)


def test_a_study_that_the_driver_refuses_among_others_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def written(study: Study, request: Request) -> str:
        text = flat_parameters(study, request)
        return text + ("spoiled = 1\n" if study.model.bytes == 64 else "")

    monkeypatch.setattr(timing, "flat_parameters", written)
    request = Request(load_machine("phoenix"), 2, skeleton=True)
    with refused("operator swap", "bytes 64", "spoiled"):
        time_simulated([swap(8, "put"), swap(64, "put"), swap(16, "put")], request)


@pytest.mark.parametrize("operator", ["swap", "echo", "stream"])
def test_a_simulated_run_ends_where_its_last_get_does(tmp_path: Path, operator: str) -> None:
    """Nothing follows the get; a third rank is in no pair, and comes to the end at once."""
    own = {"operator": operator, "bytes": 64, "verify": False}
    study = Study.from_dict(
        {
            "workload": "commtest",
            "exchanges": 1,
            "commtest": own,
            "communication": {"protocol": "get"},
        }
    )
    machine = load_machine("phoenix")
    summary, record = simulate(study, Request(machine, 3), tmp_path)
    expected = predict(Case(study, machine, 3), "contention").turn_seconds
    # The model's ranks have exchanged before, and do not wait for the start of the run.
    assert expected < summary["turn_seconds"] < 2 * expected
    planned = core.traffic(study.parameters(), 3)
    assert {phase.name for phase in record.phases} == {operator}
    found = (record.traffic.source, record.traffic.target, record.traffic.messages)
    assert list(zip(*found, strict=True)) == list(
        zip(planned["from"], planned["to"], planned["messages"], strict=True)
    )


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        ("halo --machine phoenix", ("--machine", "--ranks")),
        ("halo --machine phoenix --ranks 2 --turns 3", ("--turns", "real")),
        ("kernels --machine phoenix --ranks 2", ("bench kernels", "real")),
    ],
)
def test_what_cannot_be_simulated_is_refused(
    words: str, facts: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    command_refused(capsys, ["bench", *words.split()], *facts)


class Counted(SimulatedRanks):
    """Ranks that take no time, and keep what they are asked."""

    def __call__(self, studies: Any) -> Any:
        raise StudyError(str(sorted({study.model.pairs for study in studies})))


def test_pairs_are_compared_as_far_as_the_ranks_hold_them() -> None:
    for ranks, expected in ((2, "['0-1']"), (16, "['0-1', '0-8', 'i-(i+8), i=0..7']")):
        timer = Counted(load_machine("phoenix"), ranks)
        with pytest.raises(StudyError) as found:
            find_workload("commtest").part(Bench).curves(
                timer, "pairs", ["communication.protocol=put", f"commtest.bytes={LENGTHS[0]}"]
            )
        assert str(found.value) == expected
