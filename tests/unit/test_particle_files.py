"""Files of particles that other programs wrote, and how they differ from the study's bunch."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import phasewise
from phasewise.cli import main
from phasewise.constants import ELEMENTARY_CHARGE, PROTON_MASS, SPEED_OF_LIGHT
from phasewise.errors import StudyError
from phasewise.study import Study
from phasewise.workload.bunches import SharedBunch
from phasewise.workloads.common.openpmd import EV_OVER_C, LENGTH, MOMENTUM, TIME, Reference
from phasewise.workloads.common.particle_files import ParticleFile
from tests.sentences import refused
from tests.unit.spacecharge_study import study as spacecharge_study
from tests.unit.study_tables import json_as_toml, tables

COUNT = 400
POPULATION = 1.15e11
RMS = (1e-5, 2e-5, 1e-5, 2e-5, 0.05, 1e-4)
BUNCH = SharedBunch(1, PROTON_MASS, 1.0, 7e12, POPULATION, COUNT)


def rows(count: int = COUNT) -> Any:
    """Rows with a mean of 0 and exactly these rms."""
    found = np.random.default_rng(5).standard_normal((count, 6))
    found -= found.mean(axis=0)
    return found / found.std(axis=0) * RMS


def write_beamphysics(path: Path, given: Any, base: str = "/data/%T/", **records: Any) -> Path:
    """A file as openPMD-beamphysics writes it: constant records, charges in C, a status."""
    reference = Reference.of(BUNCH)
    px, py = given[:, 1], given[:, 3]
    pz = np.sqrt((1 + given[:, 5]) ** 2 - px**2 - py**2)
    weight = np.full(len(given), POPULATION * ELEMENTARY_CHARGE / len(given))
    values: dict[str, tuple[Any, float, tuple[float, ...] | None]] = {
        "position/x": (given[:, 0], 1.0, LENGTH),
        "position/y": (given[:, 2], 1.0, LENGTH),
        "position/z": (0.0, 1.0, LENGTH),
        "momentum/x": (px * reference.momentum, EV_OVER_C, MOMENTUM),
        "momentum/y": (py * reference.momentum, EV_OVER_C, MOMENTUM),
        "momentum/z": (pz * reference.momentum, EV_OVER_C, MOMENTUM),
        "time": (-given[:, 4] / (reference.beta * SPEED_OF_LIGHT), 1.0, TIME),
        "particleStatus": (records.get("status", 1), 1.0, None),
        "weight": (records.get("weight", weight), 1.0, None),
    }
    with h5py.File(path, "w") as file:
        file.attrs["basePath"] = base
        file.attrs["particlesPath"] = np.bytes_(b"particles")
        group = file.create_group(base.replace("%T", "1").strip("/") + "/particles/proton")
        for name, (value, unit, power) in values.items():
            if np.ndim(value) == 0:
                item = group.create_group(name)
                item.attrs["value"], item.attrs["shape"] = value, [len(given)]
            else:
                item = group.create_dataset(name, data=value)
            item.attrs["unitSI"] = unit
            if power is not None:
                item.attrs["unitDimension"] = np.array(power)
    return path


def file_of(path: Path, count: int = COUNT, **changes: Any) -> ParticleFile:
    bunch = SharedBunch(1, PROTON_MASS, 1.0, 7e12, changes.get("population", POPULATION), count)
    return ParticleFile(path, "beam.1", bunch, changes.get("rms", RMS))


# The momenta are put together and taken apart, each with a relative error of a few ulp.
ULPS = 8 * np.finfo(float).eps


@pytest.mark.parametrize("base", ["/data/%T/", "/", "/screen/at_%T_m/one/"])
def test_particles_are_found_where_the_files_base_path_says(tmp_path: Path, base: str) -> None:
    path = write_beamphysics(tmp_path / "bunch.h5", rows(), base)
    found = file_of(path).read()
    assert np.all(abs(found.rows - rows()) <= ULPS * np.maximum(abs(rows()), [0, 0, 0, 0, 0, 1]))
    assert found.population == pytest.approx(POPULATION, rel=1e-12)
    assert list(file_of(path).remarks(found)) == []


def test_a_file_without_its_base_path_is_refused(tmp_path: Path) -> None:
    path = write_beamphysics(tmp_path / "bunch.h5", rows())
    with h5py.File(path, "r+") as file:
        file.attrs["basePath"] = "/elsewhere/%T/"
    with refused("beam.1.particles", path, "elsewhere"):
        file_of(path).read()


def test_dead_particles_are_left_out(tmp_path: Path) -> None:
    status = np.ones(COUNT, int)
    status[::10] = 0
    status[1] = 7
    path = write_beamphysics(tmp_path / "bunch.h5", rows(), status=status)
    living = COUNT - COUNT // 10 - 1
    found = file_of(path, living).read()
    np.testing.assert_array_equal(found.rows[:, 0], rows()[status == 1, 0])
    assert found.population == pytest.approx(POPULATION * living / COUNT, rel=1e-12)
    with refused("beam.1.macroparticles", COUNT, living, COUNT - living, "dead"):
        file_of(path).read()


def test_particles_of_unequal_weight_are_refused(tmp_path: Path) -> None:
    weight = np.full(COUNT, POPULATION * ELEMENTARY_CHARGE / COUNT)
    path = write_beamphysics(tmp_path / "single.h5", rows(), weight=weight.astype(np.float32))
    assert file_of(path).read().population == pytest.approx(POPULATION, rel=1e-6)
    weight[:4] *= 5
    path = write_beamphysics(tmp_path / "unequal.h5", rows(), weight=weight)
    with refused("beam.1.particles", path, "2.875e+08", "1.438e+09", "weighs"):
        file_of(path).read()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda r: np.add(r, [0, 0, 0, 0, -300.0, 0]), ["z = -300 m (-6000 rms)"]),
        (
            lambda r: np.add(r, [2e-5, 0, 0, -1e-5, 0, 0]),
            ["x = 2e-05 m (2 rms), py = -1e-05"],
        ),
        (lambda r: np.add(r, [0, 0, 0, 0, 0, 0.01]), ["momentum of 1.01 times"]),
        (lambda r: r * [1, 3, 1, 1, 0.5, 1], ["6e-05 for 2e-05 in px, 0.025 for 0.05 m in z"]),
    ],
)
def test_what_differs_from_the_studys_bunch_is_said(
    tmp_path: Path, change: Any, said: list[str]
) -> None:
    np.save(tmp_path / "bunch.npy", change(rows()))
    file = file_of(tmp_path / "bunch.npy")
    sentences = list(file.remarks(file.read()))
    assert [part for one, part in zip(sentences, said, strict=True) if part not in one] == []


def test_a_sample_of_the_studys_bunch_says_nothing(tmp_path: Path) -> None:
    for seed in range(20):
        sample = np.random.default_rng(seed).standard_normal((40, 6)) * RMS
        np.save(tmp_path / "bunch.npy", sample)
        file = file_of(tmp_path / "bunch.npy", 40)
        assert list(file.remarks(file.read())) == []


def test_another_population_is_said_and_the_studys_used(tmp_path: Path) -> None:
    path = write_beamphysics(tmp_path / "bunch.h5", rows())
    file = file_of(path, population=1e11)
    (sentence,) = file.remarks(file.read())
    assert "1.15e+11" in sentence and "beam.1.bunch_population" in sentence


def test_check_and_run_warn_of_a_bunch_that_is_late(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    np.save(tmp_path / "late.npy", np.add(rows(), [0, 0, 0, 0, -300.0, 0]))
    late = {"macroparticles": COUNT, "particles": str(tmp_path / "late.npy")}
    plan = tables(turns=1, ip__1__slices=1)
    plan["beam"]["1"] |= late
    plan["beam"]["2"] = {**plan["beam"]["1"], "particles": str(tmp_path / "late.npy")}
    (tmp_path / "study.toml").write_text(json_as_toml(plan))
    for command in (["check"], ["run", "--quiet", "--out", str(tmp_path / "out")]):
        assert main([command[0], str(tmp_path / "study.toml"), *command[1:]]) == 0
        warned = capsys.readouterr().err
        assert warned.count("z = -300 m") == 2


def spacecharge(path: Path, *changes: str) -> Study:
    return spacecharge_study(f'bunch.particles="{path}"', "bunch.macroparticles=400", *changes)


def test_space_charge_takes_its_particles_from_a_file(tmp_path: Path) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    whole = spacecharge_study("bunch.macroparticles=400", "solver.kicks=0")
    made = phasewise.Simulation(whole)
    made.start()
    state = made.driver.state()["particles"]  # type: ignore[attr-defined]
    names = ("x", "px", "y", "py", "z", "delta")
    order = np.argsort(state["id"])
    np.save(tmp_path / "bunch.npy", np.stack([state[name][order] for name in names], axis=1))
    of_file = phasewise.Simulation(spacecharge(tmp_path / "bunch.npy", "solver.kicks=0"))
    for run in (made, of_file):
        run.step()
    ours, theirs = made.record(), of_file.record()
    assert all(np.array_equal(ours[name], theirs[name], equal_nan=True) for name in ours)


def test_the_offset_of_a_study_of_space_charge_acts_on_a_file(tmp_path: Path) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    np.save(tmp_path / "bunch.npy", np.zeros((400, 6)))
    offset = [1e-3, 0.0, -2e-3, 0.0, 0.0, 0.0]
    plan = spacecharge(tmp_path / "bunch.npy", f"bunch.offset={offset}", "solver.kicks=0")
    run = phasewise.Simulation(plan)
    run.start()
    state = run.driver.state()["particles"]  # type: ignore[attr-defined]
    assert set(state["x"]) == {1e-3} and set(state["y"]) == {-2e-3}


def test_a_study_of_space_charge_with_a_file_is_resolved_to_one_that_is_equal(
    tmp_path: Path,
) -> None:
    np.save(tmp_path / "bunch.npy", np.zeros((400, 6)))
    plan = spacecharge(tmp_path / "bunch.npy")
    assert Study.from_dict(plan.resolved()).resolved() == plan.resolved()
    assert plan.resolved()["bunch"]["distribution"] == "file"
    with refused("bunch.particles", "kv", "file"):
        spacecharge(tmp_path / "bunch.npy", 'bunch.distribution="kv"')
    with refused("bunch.particles", "missing", by=StudyError):
        spacecharge_study('bunch.distribution="file"')


def test_the_sizes_of_a_bunch_of_space_charge_are_those_of_its_keys() -> None:
    bunch = spacecharge_study().model.bunch
    x, px, y, py, z, delta = bunch.rms
    assert (z, delta) == (0.02, 1e-3)
    assert x == pytest.approx(math.sqrt(1e-6 * 0.6)) and y == pytest.approx(math.sqrt(2e-6 * 0.7))
    assert px == pytest.approx(math.sqrt(1e-6 * 2 / 0.6))
    assert py == pytest.approx(math.sqrt(2e-6 * 1.64 / 0.7))
