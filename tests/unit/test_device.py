"""Runs on a device: where it cannot be had, and where it changes nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phasewise
from phasewise.cli import main
from phasewise.study import Study
from tests.sentences import Nearest, one_sentence, refused
from tests.unit.fake_core import tables

pytest.importorskip("phasewise._core", reason="the core is not built")


def study(device: str, turns: int) -> Study:
    return Study.from_dict(
        tables() | {"turns": turns, "run": {"device": device}, "records": {"checkpoint_every": 1}}
    )


def written(tmp_path: Path, name: str, text: str) -> str:
    path = tmp_path / name
    path.write_text(text)
    return str(path)


def test_a_run_goes_on_from_a_checkpoint_on_another_device(tmp_path: Path) -> None:
    phasewise.run(study("cpu", 4), tmp_path / "whole")
    halves = [study("emulated", 2), study("cpu", 3), study("emulated", 4)]
    for part, plan in enumerate(halves):
        phasewise.run(plan, tmp_path / "parts", resume=part > 0)
    with (
        phasewise.open_results(tmp_path / "whole") as whole,
        phasewise.open_results(tmp_path / "parts") as parts,
    ):
        assert np.array_equal(whole.luminosity, parts.luminosity)
        assert parts.study["run"] == {"device": "emulated", "device_buffers": "auto"}


def test_particles_that_are_changed_between_turns_are_taken_along() -> None:
    moved: list[Any] = []
    for device in ("cpu", "emulated"):
        simulation = phasewise.Simulation(study(device, 2))
        simulation.step()
        simulation.driver.particles(1)["x"][:] += 1e-5
        simulation.step()
        moved.append(simulation.record()["luminosity"])
    assert np.array_equal(moved[0], moved[1])


@pytest.mark.parametrize("room", range(4))
def test_a_turn_that_fails_is_the_last_of_its_run_and_no_other(
    room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    grid = tables()["ip"]["1"] | {"grid": [128, 128], "slices": 1, "planes": "pair"}
    plan = tables() | {"run": {"device": "emulated"}, "ip": {"1": grid}}
    whole, failing = (phasewise.Simulation(Study.from_dict(plan)) for _ in range(2))
    held = failing.driver.device_bytes >> 20  # type: ignore[attr-defined]
    monkeypatch.setenv("PHASEWISE_EMULATED_MEMORY", str(held + room))
    with refused("MiB", "macroparticles", by=RuntimeError):
        failing.step()
    monkeypatch.delenv("PHASEWISE_EMULATED_MEMORY")
    with refused("earlier turn", by=RuntimeError):
        failing.step()
    again = phasewise.Simulation(Study.from_dict(plan))
    for run in (whole, again):
        run.step()
    assert np.array_equal(whole.record()["luminosity"], again.record()["luminosity"])


@pytest.mark.parametrize(
    ("device", "facts"),
    [
        ("quda", ("run.device", '"quda"', Nearest("cuda"))),
        ("emulated", ("halo", "device", "collision")),
    ],
)
def test_a_device_that_cannot_be_used_is_one_sentence(
    device: str, facts: tuple[str, ...], tmp_path: Path, capsys: Any
) -> None:
    path = written(tmp_path, "study.toml", 'workload = "halo"\nexchanges = 1\n[halo]\nwords = 8\n')
    assert main(["run", path, "--device", device, "--out", str(tmp_path / "out")]) == 2
    one_sentence(capsys.readouterr().err, *facts)


def test_a_way_to_exchange_that_is_not_known_is_one_sentence() -> None:
    with refused("run.device_buffers", '"direkt"', nearest="direct"):
        Study.from_dict(tables() | {"run": {"device_buffers": "direkt"}})
