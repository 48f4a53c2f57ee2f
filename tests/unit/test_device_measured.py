"""`machine measure --device`: the emulated device, and devices that cannot be had."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phasewise.cli import main
from phasewise.machines import kernel_measurement, load_machine, measuring
from phasewise.machines.deadline import Deadline
from phasewise.machines.journal import append, kernel_lines
from phasewise.machines.kernel_measurement import MeasuredKernels, Measuring, measure_kernels
from phasewise.machines.kernel_rates import KernelRate
from phasewise.machines.rank_rates import RankRates
from phasewise.machines.targets import Answer, Order, Repetitions, Sample
from phasewise.workload.discovery import find_workload
from tests.sentences import Nearest, missing, one_sentence, says

COLLISION = find_workload("collision").part(Measuring)

pytest.importorskip("phasewise._core", reason="the core is not built")

ARC = KernelRate("flop", (1.0,), (1e-10,))
WORDS = ["machine", "measure", "--ranks", "2", "--quick"]


class Messages:
    """Two ranks of a node whose messages take a nanosecond a byte."""

    ranks, launches, nodes, sockets, crowded = 2, 1, (0, 0), None, False
    reference, host, rates = "hardware", "here", RankRates(1e9, 1e9)

    def __init__(self, *_given: object) -> None:
        pass

    def look(self, _limit: float) -> None:
        pass

    def execute(
        self, orders: Sequence[Order], _repetitions: Repetitions, _seed: int, limit: float
    ) -> Answer:
        assert limit > 0
        none = np.zeros(20)
        samples = [
            Sample(order.probe, size, np.full(20, 1e-6 + size / 1e9), none, none)
            for order in orders
            for size in order.sizes
        ]
        return Answer(self.nodes, None, samples)


class Cores:
    """Stands for the core: a device that fails as it is told."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def measure_device(self, *_given: object) -> dict[str, Any]:
        raise self._error


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str]]:
    """Messages that take no time; ranks and device of each measurement of kernels."""
    asked: list[tuple[int, str]] = []

    def kernels(ranks: int, *_given: object, device: str = "cpu") -> MeasuredKernels:
        asked.append((ranks, device))
        return MeasuredKernels({"arc": ARC} if device != "cpu" else {}, 25, 27, None)

    monkeypatch.setattr(measuring, "HardwareTarget", Messages)
    monkeypatch.setattr(measuring, "measure_kernels", kernels)
    return asked


def test_a_device_is_measured_besides_all_else(
    measured: list[tuple[int, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "here.toml"
    assert main([*WORDS, "--device", "emulated", "-o", str(path), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    found = load_machine(str(path)).device
    # One rank has the device alone.
    assert measured == [(2, "cpu"), (1, "emulated")]
    assert found is not None and found.kernels == {"arc": ARC} and found.kind == "emulated"
    assert min(found.bandwidth, found.flops, found.additions) > 1e6 and found.launch < found.wait
    assert found.transfers.sizes[:2] == (64, 256)
    assert said["device"]["bandwidth"] == found.bandwidth
    here, there = said["missing"]
    says(here, "2 of 27", "kernels")
    says(there, "2 of 27", "kernels", "device emulated")


def test_what_a_device_can_do_is_said(
    measured: list[tuple[int, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*WORDS, "--device", "emulated", "-o", str(tmp_path / "a.toml")]) == 0
    says(capsys.readouterr().out, "device emulated")
    assert main([*WORDS, "-o", str(tmp_path / "b.toml")]) == 0
    assert missing(capsys.readouterr().out, "emulated")
    assert load_machine(str(tmp_path / "b.toml")).device is None
    assert [device for _, device in measured] == ["cpu", "emulated", "cpu"]


@pytest.mark.parametrize(
    ("error", "status", "facts"),
    [
        (ValueError("device cuda: this build has no CUDA"), 2, ("device cuda", "no CUDA")),
        (
            RuntimeError("the GPU failed (busy)"),
            1,
            ("device cuda", "RuntimeError: the GPU failed (busy)"),
        ),
    ],
)
def test_a_device_that_cannot_be_had_is_one_sentence_before_anything_is_measured(
    error: Exception,
    status: int,
    facts: tuple[str, ...],
    measured: list[tuple[int, str]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(measuring, "load_planner", lambda: Cores(error))
    path = tmp_path / "here.toml"
    assert main([*WORDS, "--device", "cuda", "-o", str(path)]) == status
    sentence = capsys.readouterr().err.splitlines()[-1]
    assert sentence.startswith("phasewise: ")
    one_sentence(sentence, *facts)
    assert measured == [] and not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (["--device", "quda"], ("--device", "'quda'", "'emulated'", Nearest("cuda"))),
        (["--device", "cpu"], ("--device", "'cpu'", "'cuda'", "'emulated'")),
        (["--device", "cuda", "--machine", "bassi"], ("--device", "this machine", "--machine")),
    ],
)
def test_a_device_that_is_none_of_this_machines_is_refused(
    words: list[str], facts: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["machine", "measure", *words, "-o", str(tmp_path / "here.toml")]) == 2
    one_sentence(capsys.readouterr().err, *facts)


def test_kernels_are_timed_on_the_device_and_go_on_where_a_measurement_ended(
    tmp_path: Path,
) -> None:
    file = tmp_path / "here.partial.jsonl"
    steps = ("few steps", "many steps")
    for case in COLLISION.device_cases():
        if case not in steps:
            known = {"kernel": f"collision on emulated: {case}", "timed": None, "processor": {}}
            append(file, known)
    kernel_measurement._time_kernels(1, file, Deadline(60.0), 1, "emulated")
    lines = kernel_lines(file)
    timed = {case: lines[f"collision on emulated: {case}"]["timed"] for case in steps}
    # One rank has both beams, and nothing is staged.
    assert timed["few steps"]["held"] == 2 and "to_host" not in timed["few steps"]["kernels"]
    rates = COLLISION.rates(timed)
    assert set(rates) == {"step", "turn", "mesh", "overlap_factor"} and rates["turn"].seconds[0] > 0


def test_rates_of_a_device_leave_out_what_the_host_computes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates = {"green": ARC, "arc": ARC}
    monkeypatch.setattr(type(COLLISION), "rates", lambda _self, _timed: rates)
    late = Deadline(0.0)
    file = tmp_path / "here.partial.jsonl"
    assert measure_kernels(1, file, late, device="emulated").rates == {"arc": ARC}
    assert measure_kernels(1, file, late).rates == rates
    assert not any(case.startswith("green") for case in COLLISION.device_cases())
