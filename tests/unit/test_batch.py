"""Independent studies that take their turns together: each as if it ran alone, and on a device with
fewer launches.
"""

from __future__ import annotations

import io
import json
import re
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import phasewise
from phasewise.cli import main
from phasewise.driver import load_core
from phasewise.errors import RunError
from phasewise.runs.batch import Outcome, step_together
from phasewise.scanning.running import _told
from phasewise.study import Study
from phasewise.workloads.collision.driver import CollisionRun
from tests.sentences import one_sentence, refused, says
from tests.unit.fake_core import World
from tests.unit.study_tables import RF, json_as_toml, tables, write

pytest.importorskip("phasewise._core", reason="the core is not built")

SMALL: dict[str, Any] = {
    "turns": 3,
    "run__device": "emulated",
    "beam__1__macroparticles": 400,
    "ip__1__grid": [16, 16],
    "ip__1__slices": 3,
}


def study(**changes: Any) -> Study:
    return Study.from_dict(tables(**(SMALL | changes)))


KINDS: dict[str, list[dict[str, Any]]] = {
    "seeds": [{"seed": seed} for seed in (1, 2, 3)],
    "shapes": [
        {"ip__1__slices": 5, "ip__1__grid": [32, 16]},
        {"beam__1__macroparticles": 1000, "ip__1__interpolation": "none"},
        {"ip__1__model": "soft-gaussian", "records": {"moments_order": 4}},
    ],
    "lost particles": [{"arc__aperture_sigma": [size, size]} for size in (1.5, 2.5)],
    "bunches in a bucket": [RF | {"ip__1__longitudinal_kick": True}, RF | {"seed": 2}],
    # From 58 slices on, what a device is told of their encounters has more than 64 KiB.
    "many slices": [
        {"beam__1__macroparticles": 1000, "ip__1__slices": 60, "seed": seed} for seed in (1, 2)
    ],
    "slices and tracks": [
        {"records": {"slices_every": 3, "tracked": 5}},
        {"records": {"tracked": 3}},
    ],
}


def same(one: phasewise.Simulation, other: phasewise.Simulation) -> bool:
    """Whether both have the same record and the same particles, bit for bit."""
    a, b = one.record(), other.record()
    pairs = [(a[name], b[name]) for name in a]
    for beam in (1, 2):
        mine, yours = (cast(CollisionRun, run.driver).particles(beam) for run in (one, other))
        pairs += [(mine[name], yours[name]) for name in mine]
    return a.keys() == b.keys() and all(np.array_equal(x, y, equal_nan=True) for x, y in pairs)


def turns_together(simulations: Sequence[phasewise.Simulation], turns: int) -> None:
    for _ in range(turns):
        assert step_together(load_core(), simulations) == [None] * len(simulations)


@pytest.mark.parametrize("kind", KINDS)
def test_each_study_of_a_batch_is_as_if_it_ran_alone(kind: str) -> None:
    alone = [phasewise.Simulation(study(**changes)) for changes in KINDS[kind]]
    batch = [phasewise.Simulation(study(**changes)) for changes in KINDS[kind]]
    for one in alone:
        one.run(3)
    turns_together(batch, 2)
    batch[0].step()  # alone in between
    turns_together(batch[1:], 1)
    assert all(map(same, alone, batch))


def as_alone(outcome: Outcome, plan: Study) -> bool:
    """Whether a run of a batch has the luminosity of one by itself."""
    assert isinstance(outcome, phasewise.Results)
    return np.array_equal(outcome.luminosity, phasewise.run(plan).luminosity)


def asked(simulations: Sequence[phasewise.Simulation]) -> int:
    """What a device is asked for in a turn of all."""
    turns_together(simulations, 1)
    driver: Any = simulations[0].driver
    before = driver.device_operations
    turns_together(simulations, 1)
    return int(driver.device_operations - before)


def test_a_batch_asks_a_device_for_little_more_than_one_study_does() -> None:
    eight = [phasewise.Simulation(study(seed=seed)) for seed in range(1, 9)]
    assert asked(eight) < 2 * asked([phasewise.Simulation(study())])


def test_the_seconds_of_shared_launches_are_divided_among_the_studies() -> None:
    batch = [phasewise.Simulation(study(seed=seed)) for seed in (1, 2, 3)]
    begin = time.perf_counter()
    turns_together(batch, 3)
    seconds = time.perf_counter() - begin
    each = [{one["name"]: one["seconds"] for one in run.driver.kernels()} for run in batch]
    assert 0 < sum(sum(one.values()) for one in each) < seconds
    solves = [one["solve"] for one in each]  # nothing but launches
    assert max(solves) < 2 * min(solves)


def test_what_the_host_computes_for_a_study_of_a_batch_takes_its_time() -> None:
    batch = [phasewise.Simulation(study(seed=seed)) for seed in (1, 2)]
    turns_together(batch, 2)
    for one in batch:
        seconds = {kernel["name"]: kernel["seconds"] for kernel in one.driver.kernels()}
        assert all(seconds[name] > 0 for name in ("green", "mesh", "overlap_factor"))


def test_threads_of_python_may_each_run_a_study_on_a_device() -> None:
    plans = [study(seed=seed, turns=40) for seed in (1, 2, 3)]
    alone = [phasewise.Simulation(plan) for plan in plans]
    at_once = [phasewise.Simulation(plan) for plan in plans]
    for one in alone:
        one.run()
    with ThreadPoolExecutor() as threads:
        done = [
            threads.submit(turns_together, at_once[:2], 40),
            threads.submit(at_once[2].run),
        ]
    for one_done in done:
        one_done.result()
    assert all(map(same, alone, at_once))


def test_on_the_cpu_a_batch_runs_one_after_another() -> None:
    plans = [study(run__device="cpu", seed=1), study(seed=1)]
    batch = [phasewise.Simulation(plan) for plan in plans]
    turns_together(batch, 2)
    assert same(*batch)


def test_a_run_that_fails_ends_alone(tmp_path: Path) -> None:
    plans = [study(seed=2), study(arc__aperture_sigma=[1e-9, 1e-9]), study(turns=2)]
    ended: list[int] = []
    outcomes = phasewise.run_batch(
        [phasewise.Planned(plan, tmp_path / str(n)) for n, plan in enumerate(plans)],
        ended=lambda number, _: ended.append(number),
    )
    assert isinstance(outcomes[1], RunError)
    one_sentence(str(outcomes[1]), "beam 1", "lost")
    assert ended == [1, 2, 0]
    for number in (0, 2):
        assert as_alone(outcomes[number], plans[number])


def test_a_run_of_a_batch_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    scheduled = {"records": {"checkpoint_every": 1}}
    plans = [study(seed=seed, **scheduled) for seed in (1, 2)]
    for turns in (1, 3):
        outcomes = phasewise.run_batch(
            [
                phasewise.Planned(
                    study(seed=seed, turns=turns, **scheduled),
                    tmp_path / str(seed),
                    resume=turns > 1,
                )
                for seed in (1, 2)
            ]
        )
    for plan, outcome in zip(plans, outcomes, strict=True):
        assert as_alone(outcome, plan)


def test_runs_that_were_complete_are_none_of_a_batch(tmp_path: Path) -> None:
    plans = [study(seed=seed, records={"checkpoint_every": 1}) for seed in (1, 2, 3)]
    phasewise.run(plans[0], tmp_path / "0")
    phasewise.run_batch(
        [phasewise.Planned(plan, tmp_path / str(n), resume=n == 0) for n, plan in enumerate(plans)]
    )
    told = [json.loads((tmp_path / str(n) / "performance.json").read_text()) for n in range(3)]
    assert [one["batch"] for one in told] == [1, 2, 2]


def test_a_batch_belongs_to_one_rank() -> None:
    def body(rank: Any) -> str:
        with refused("batch", "one rank", 2, "mpiexec") as caught:
            phasewise.run_batch([phasewise.Planned(study())], core=rank)
        return str(caught.value)

    assert len(set(World(2).run(body))) == 1


def test_a_run_takes_one_turn_at_a_time() -> None:
    one = phasewise.Simulation(study()).driver
    with refused("run", "twice", by=ValueError):
        load_core().step_together([one, one])


def test_what_ends_a_run_of_a_batch_is_what_it_would_raise_alone() -> None:
    tables = {"workload": "qcd", "lattice": {"size": [4, 4, 4, 4]}, "quarks": {"kappa": 0.1}}
    given = Study.from_dict({**tables, "solves": 1, "gauge": {"start": "hot"}})
    parameters = given.parameters().replace("start = hot", "start = file")
    one, other = (load_core().start(parameters) for _ in range(2))
    (error,) = load_core().step_together([one])
    with refused("gauge.start", "links", by=ValueError) as alone:
        other.step()
    assert (type(error), str(error)) == (alone.type, str(alone.value))


def points(folder: Path) -> list[dict[str, Any]]:
    found = []
    for summary in sorted(folder.glob("points/*/summary.json")):
        values = json.loads(summary.read_text())
        found.append({key: values[key] for key in ("turns", "luminosity")})
    return found


def test_a_scan_in_batches_is_the_same_scan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = write(tmp_path, json_as_toml(tables(**SMALL)))
    words = ["scan", str(plan), "--over", "ip.1.slices=1,[2,1],0", "--seeds", "2", "--quiet"]
    for name, how in {"batch": ["--batch", "3"], "alone": []}.items():
        assert main([*words, *how, "--out", str(tmp_path / name)]) == 1
        *_, verdict = capsys.readouterr().err.splitlines()
        says(verdict, "2 of 6", "points", 5, "ip.1.slices")
    assert points(tmp_path / "batch") == points(tmp_path / "alone")
    assert len(points(tmp_path / "batch")) == 4
    shared = json.loads((tmp_path / "batch/points/0001/performance.json").read_text())
    assert (shared["device"], shared["batch"]) == ("emulated", 3)


def test_other_words_of_a_batch_than_its_own_are_passed_over() -> None:
    lines = [b"a library says hello\n", b"[1]\n", b'{"number": 2, "why": "no", "stopped": false}\n']
    assert _told(io.BytesIO(b"".join(lines))) == {2: ("no", False)}


def test_points_of_several_ranks_are_no_batch(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = write(tmp_path, json_as_toml(tables(**SMALL)))
    words = ["scan", str(plan), "--seeds", "2", "--batch", "2", "--ranks", "2"]
    assert main([*words, "--out", str(tmp_path / "out")]) == 2
    one_sentence(capsys.readouterr().err, "batch = 2", "ranks = 2")


def test_a_batch_of_points_on_the_cpu_is_refused_or_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if phasewise.Simulation(study(run__device="auto")).driver.device != "cpu":
        pytest.skip("this machine has a GPU, where the points would run")
    plan = write(tmp_path, json_as_toml(tables(**SMALL)))
    words = ["scan", str(plan), "--seeds", "2", "--batch", "2", "--quiet"]
    assert main([*words, "--device", "cpu", "--out", str(tmp_path / "cpu")]) == 2
    one_sentence(capsys.readouterr().err, "batch = 2", 'run.device = "cpu"')
    over = ["--over", 'run.device="cpu","emulated"']
    for name, how in {"auto": ["--device", "auto"], "both": over}.items():
        assert main([*words, *how, "--out", str(tmp_path / name)]) == 0
        told = [line for line in capsys.readouterr().err.splitlines() if "CPU" in line]
        one_sentence("\n".join(told), "warning: ", "point 1", "batch")


def test_the_bench_of_batches_tells_rates_and_launches(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sets = ["beam.1.macroparticles=500", "ip.1.slices=2", "ip.1.grid=[16,16]"]
    words = ["bench", "collision", "--case", "small", "--turns", "1", "--device", "emulated"]
    words += [word for one in sets for word in ("--set", one)]
    picture, page = tmp_path / "batches.svg", tmp_path / "page.html"
    words += ["--picture", str(picture), "--html", str(page)]
    assert main([*words, "--batch", "1,4", "--json"]) == 0
    one, four = json.loads(capsys.readouterr().out)["batches"]
    for row in (one, four):
        encounters = row["batch"] * 2 * 500 * 2
        assert row["encounters_per_second"] == pytest.approx(encounters / row["seconds_per_turn"])
    assert four["operations_per_turn"] < 2 * one["operations_per_turn"]
    assert picture.read_text().startswith("<?xml")
    ratio = four["encounters_per_second"] / one["encounters_per_second"]
    says(page.read_text(), "4 studies at once", f"{ratio:.3g} times as many as 1 study", "<svg")


@pytest.mark.parametrize(
    ("words", "facts"),
    [
        (["halo", "--batch", "2"], ("halo", "--batch", "collision")),
        (["collision", "--picture", "a.png"], ("--picture", "--batch")),
        (["collision", "--batch", "2", "--ranks", "1"], ("--batch", "--ranks")),
        (["collision", "--batch", "2", "--together"], ("--batch", "--together")),
        (["qcd", "--batch", "2", "--ranks", "1,2"], ("--batch", "--case", "--ranks")),
        (
            ["collision", "--batch", "2", "--picture", "a.doc"],
            ("--picture", "a.doc", ".svg", ".png", ".pdf"),
        ),
    ],
)
def test_what_cannot_be_benched_is_one_sentence(
    words: list[str], facts: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", *words]) == 2
    one_sentence(capsys.readouterr().err, *facts)


def test_a_device_without_enough_memory_says_how_many_particles_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    simulation = phasewise.Simulation(study(beam__1__macroparticles=40_000))
    held = cast(CollisionRun, simulation.driver).device_bytes >> 20
    monkeypatch.setenv("PHASEWISE_EMULATED_MEMORY", str(held + 2))
    with refused("40000 macroparticles", "MiB", by=RunError) as caught:
        simulation.step()
    numbers = [int(found) for found in re.findall(r"(?<![\d.])\d+(?![\d.])", str(caught.value))]
    (fit,) = (number for number in numbers if 1_000 < number < 40_000)
    assert 5_000 < fit < 25_000  # 87 bytes each


def test_a_device_that_fails_ends_all_runs_of_a_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    # Pairs are solved by transforms that need room for all meshes of a batch.
    pairs = {"ip__1__planes": "pair"}
    batch = [phasewise.Simulation(study(seed=seed, **pairs)) for seed in range(1, 9)]
    for one in batch:
        one.step()  # what is needed alone is there then
    held = cast(CollisionRun, batch[0].driver).device_bytes >> 20
    monkeypatch.setenv("PHASEWISE_EMULATED_MEMORY", str(held))
    errors = step_together(load_core(), batch)
    for error in errors:
        one_sentence(str(error), "MiB", "macroparticles")
    monkeypatch.delenv("PHASEWISE_EMULATED_MEMORY")
    again = [phasewise.Simulation(study(seed=seed)) for seed in (5, 6)]
    turns_together(again, 1)
