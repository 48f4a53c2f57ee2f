"""The vector rule: ceil(n/VL)·VL·f/flops + loop_start, and scalar loops, in models and twins."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from phasewise.machines import Machine, load_machine
from phasewise.machines.machine import Vector, parse_machine
from phasewise.models import Case
from phasewise.study import Study
from tests.sentences import refused
from tests.unit.study_tables import tables

core = pytest.importorskip("phasewise._core", reason="the core is not built")

PARTICLES = 1280
"""Ten blocks of 128, the iterations of the loops over particles."""


def study() -> Study:
    return Study.from_dict(
        tables(
            ip__1__model="soft-gaussian",
            beam__1__macroparticles=PARTICLES,
            ip__1__slices=4,
            ip__1__luminosity=False,
        )
    )


def kernels(length: float, start: float = 0.0, scalar: float = 1.0) -> dict[str, dict[str, Any]]:
    unit = {"length": length, "start": start, "scalar": scalar}
    return {one["name"]: one for one in core.work(study().parameters(), 1, unit=unit)}


def test_a_loop_of_128_takes_twice_at_256_and_once_at_64() -> None:
    for length, times in [(256.0, 2.0), (128.0, 1.0), (64.0, 1.0), (100.0, 200 / 128)]:
        moments = kernels(length)["moments"]
        assert moments["charged"] == pytest.approx(times * moments["flops"])


def test_each_loop_takes_its_start_besides() -> None:
    plain, started = kernels(64.0)["moments"], kernels(64.0, start=1e4)["moments"]
    loops = 2 * PARTICLES / 128
    assert started["charged"] - plain["charged"] == pytest.approx(1e4 * loops)


def test_a_loop_that_does_not_vectorise_takes_the_scalar_rate() -> None:
    found = kernels(256.0, start=1e4, scalar=12.5)["sort"]
    assert not found["vectorised"]
    assert found["charged"] == pytest.approx(12.5 * found["flops"])


def test_without_a_vector_unit_the_flops_are_charged_as_they_are() -> None:
    for kernel in core.work(study().parameters(), 2):
        assert kernel["charged"] == kernel["flops"]


def on_vector(machine: Machine, **keys: Any) -> Machine:
    assert machine.vector is not None
    return replace(machine, vector=replace(machine.vector, **keys))


def test_the_models_take_the_rule() -> None:
    from phasewise.models.computation import kernel_seconds
    from phasewise.models.contention import follow

    phoenix = load_machine("phoenix")
    fast = replace(phoenix, processor=replace(phoenix.processor, bandwidth=1e13))
    long = on_vector(fast, vector_length=256, loop_start=0.0)
    short = on_vector(fast, vector_length=64, loop_start=0.0)
    seconds = {m.vector: kernel_seconds(Case(study(), m, 1)) for m in (long, short)}
    assert seconds[long.vector]["moments"] == pytest.approx(2 * seconds[short.vector]["moments"])
    for machine in (long, short, on_vector(fast, loop_start=1e-6)):
        case = Case(study(), machine, 1)
        # Both add up the same kernels; nothing is exchanged on one rank.
        assert follow(case).computing == pytest.approx(sum(kernel_seconds(case).values()))


def test_a_machine_file_gives_all_keys_of_a_vector_processor_or_none(repository: Path) -> None:
    text = (repository / "phasewise/machines/files/phoenix.toml").read_text()
    found = parse_machine(text, "phoenix.toml")
    assert found.vector == Vector(256, found.vector.loop_start if found.vector else math.nan, 0.8e9)
    lines = [line for line in text.splitlines() if not line.startswith("scalar_flops")]
    with refused("phoenix.toml", "processor.scalar_flops", "missing"):
        parse_machine("\n".join(lines), "phoenix.toml")
    assert load_machine("bassi").vector is None


def test_a_machine_file_gives_all_overheads_or_none(repository: Path) -> None:
    text = (repository / "phasewise/machines/files/altix.toml").read_text()
    found = parse_machine(text, "altix.toml").overhead
    assert found is not None and found.two_sided > found.one_sided
    lines = [line for line in text.splitlines() if not line.startswith("coarray")]
    with refused("altix.toml", "overhead.coarray", "missing"):
        parse_machine("\n".join(lines), "altix.toml")
    assert load_machine("bassi").overhead is None
