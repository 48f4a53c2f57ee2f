"""Studies of space charge: keys, flat parameters, sentences, plans."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import phasewise
from phasewise.cli import main
from phasewise.models.plan import plan
from phasewise.runs.choosing import Choosing
from phasewise.runs.layout import row_layout
from phasewise.study import Study
from phasewise.tables.files import parse
from phasewise.tables.writing import document
from tests.sentences import Nearest, refused, says
from tests.unit.spacecharge_study import study


def test_a_study_is_resolved_to_one_that_is_equal() -> None:
    given = study()
    assert Study.from_dict(given.resolved()) == given
    assert given.turns == 2 and given.lattice.monitors == 2
    assert given.derived()["length"] == pytest.approx(0.47)


def test_a_study_is_written_as_toml_that_reads_the_same() -> None:
    given = study()
    assert Study.from_dict(parse(document(given.resolved()), "study")) == given


def test_elements_become_the_drivers_own() -> None:
    elements = [
        {"kind": "sextupole", "length": 0.2, "k2": 5.0},
        {"kind": "rectangular-bend", "length": 1.0, "angle": 0.2, "edges": [0.01, 0.0]},
        {"kind": "multipole", "normal": [0, 0.5]},
        {"kind": "multipole", "length": 0.3, "skew": [0, 0.5]},
    ]
    text = study(lattice={"element": elements, "periods": 2}).parameters().splitlines()
    assert "lattice.count = 8" in text
    for line in (
        "lattice.1.element = magnet",
        "lattice.1.normal = 0.0 0.0 5.0",
        "lattice.2.element = bend",
        "lattice.2.edges = 0.11 0.1",
        "lattice.3.element = multipole",
        "lattice.4.element = magnet",
        "lattice.8.skew = 0.0 0.5",
    ):
        assert line in text


def test_the_size_follows_from_beta_or_is_matched() -> None:
    assert study().bunch.size == pytest.approx((6e-7**0.5, 1.4e-6**0.5))
    bunch = {**study().resolved()["bunch"]}
    for name in ("size", "alpha", "dispersion"):
        del bunch[name]
    matched = Study.from_dict({**study().resolved(), "bunch": bunch})
    assert matched.bunch.size is None
    assert "bunch.optics = matched\n" in matched.parameters()
    assert "bunch.size" not in matched.parameters()


PERIODIC = ('solver.boundaries="periodic"', "solver.period=0.5")

WRONG: list[tuple[tuple[str, ...], dict[str, Any], tuple[object, ...]]] = [
    (("solver.grid=[4, 8, 8]",), {}, ("solver.grid", 4, 8)),
    (("solver.kicks=-1",), {}, ("solver.kicks", -1, 0)),
    (('solver.mesh="fixed"',), {}, ("solver.mesh_half_width", 'mesh = "fixed"')),
    (("bunch.energy=1e6",), {}, ("bunch", "energy", "kinetic_energy", "eV")),
    (("bunch.size=[1.0, 1.0]",), {}, ("bunch.size", "bunch.beta", "x", "1 m", "0.000774597 m")),
    (('bunch.particle="ion"',), {}, ("bunch.mass", "(eV)", "missing", 'particle = "ion"')),
    (("bunch.bunch_population=0",), {}, ("bunch.bunch_population", 0)),
    ((), {"lattice": {"element": []}}, ("lattice.element", "list", "tables", [])),
    (
        (),
        {"lattice": {"element": [{"kind": "quadrupol"}]}},
        ("lattice.element[1].kind", '"quadrupol"', Nearest("quadrupole")),
    ),
    (
        (),
        {"lattice": {"element": [{"kind": "drift"}]}},
        ("lattice.element[1].length", "missing", "drift"),
    ),
    ((), {"lattice": {"element": [{"kind": "marker"}]}}, ("lattice", "no length")),
    (("solver.period=1.0",), {}, ("solver.period", 'boundaries = "periodic"')),
    ((*PERIODIC, "solver.period=0.1"), {}, ("solver.period", "0.1 m", "0.12 m", "coasting")),
    ((*PERIODIC, "solver.grid=[12, 14, 17]"), {}, ("solver.grid", 17, "even")),
    (
        ("bunch.coasting=true",),
        {},
        ("bunch.coasting", 'solver.boundaries = "periodic"', "solver.period"),
    ),
    (
        (*PERIODIC, "bunch.coasting=true"),
        {},
        ("bunch.bunch_length", "0.02 m", "coasting", "0.144338 m"),
    ),
    (
        (*PERIODIC, "bunch.coasting=true", "bunch.distribution=waterbag"),
        {},
        ("bunch.distribution", '"waterbag"', "coast", '"gaussian"', '"kv"'),
    ),
    (('solver.kind="frozen"',), {}, ("solver.grid", 'kind = "frozen"', "mesh")),
    (("solver.sizes=[1e-3, 1e-3, 0.1]",), {}, ("solver.sizes", 'kind = "frozen"')),
    (("solver.pipe_radius=0.02",), {}, ("solver.pipe_radius", '"2.5d"', '"frozen"')),
    (
        ('solver.kind="2.5d"', "solver.green_function=point"),
        {},
        ("solver.green_function", '"point"', 'kind = "3d"'),
    ),
    (
        ('communication.charge="allreduse"',),
        {},
        ("communication.charge", '"allreduse"', Nearest("allreduce")),
    ),
]


@pytest.mark.parametrize(("changes", "tables", "facts"), WRONG)
def test_what_cannot_be_used_is_refused_in_a_sentence(
    changes: tuple[str, ...], tables: dict[str, Any], facts: tuple[object, ...]
) -> None:
    with refused(*facts):
        study(*changes, **tables)


def test_pencils_need_planes_that_are_solved_together() -> None:
    pencils = "communication.decomposition=pencils"
    study(pencils).check_ranks(4)
    with refused("communication.decomposition", '"pencils"', "solver.kind", '"3d"', '"2.5d"'):
        study(pencils, 'solver.kind="2.5d"').check_ranks(4)


def test_a_tuner_may_choose_pencils_where_they_are_no_slabs() -> None:
    divisions = [
        study().workload.part(Choosing).choices(study().model, ranks)["decomposition"]
        for ranks in (1, 4, 7, 12)
    ]
    assert divisions == [["slabs"], ["slabs", "pencils"], ["slabs"], ["slabs", "pencils"]]
    assert "transpose" not in study('solver.kind="2.5d"').workload.part(Choosing).choices(
        study('solver.kind="2.5d"').model, 4
    )


def test_the_messages_of_pencils_are_those_of_the_documented_formulas() -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    # my = 28 and R = 15 lines, mx = 24: C = 15 · 24.
    chosen = study("solver.grid=[12, 14, 18]", "communication.decomposition=pencils")
    phases = {one["name"]: one for one in plan(chosen, 6)["phases"]}
    along, across = 3, 2
    in_planes = 16 * 6 * 6 * 8
    between = 16 * 6 * math.ceil(8 * 24 / along)
    kicks = chosen.solver.kicks
    found = phases["potential"]
    assert found["messages"] == kicks * 2 * (along - 1 + across - 1)
    assert found["bytes_per_rank"] == kicks * 2 * (in_planes + 2 * between)


def test_a_bunch_cannot_be_matched_to_an_unstable_lattice() -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    tables = study().resolved()
    for name in ("size", "alpha", "dispersion"):
        del tables["bunch"][name]
    tables["lattice"]["element"] = [
        {"kind": "drift", "length": 3.0},
        {"kind": "quadrupole", "length": 0.1, "k1": 9.0},
    ]
    with refused("lattice", "unstable", "y", "trace", "2.415680", -1, 1):
        phasewise.Simulation(Study.from_dict(tables))


def test_a_collapsed_bunch_ends_the_run_in_a_sentence() -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    flat = study("bunch.geometric_emittance=[0.0, 1e-6]", "bunch.macroparticles=1")
    with refused("turn 0", "bunch", "size", "x", by=phasewise.RunError):
        phasewise.Simulation(flat).run()


@pytest.mark.parametrize("solver", ["3d", "2.5d", "frozen"])
def test_a_bunch_that_is_lost_ends_the_run_after_its_turn_is_recorded(
    solver: str, tmp_path: Path
) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    tables = study("turns=3").resolved()
    tables["lattice"]["element"][5]["half_width"] = [1e-9, 1e-9]
    tables["solver"] = {"kicks": 3, "kind": solver}
    if solver != "frozen":
        tables["solver"]["grid"] = [12, 14, 18]
    with refused("turn 0", "bunch", "lost", by=phasewise.RunError):
        phasewise.run(Study.from_dict(tables), tmp_path)
    with phasewise.open_results(tmp_path) as results:
        assert results.rows("beam1/losses").tolist() == [3001]


def test_records_have_a_row_for_each_monitor() -> None:
    layout = row_layout(study())
    assert layout["beam1/monitor_covariance"].shape == (2, 6, 6)
    assert "beam1/monitor_mean" not in row_layout(
        study(lattice={"element": [{"kind": "drift", "length": 1.0}]})
    )


def test_bench_gives_the_time_of_a_kick_by_phase(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    small = ("bunch.macroparticles=4000", "solver.kicks=2", "solver.grid=[12, 12, 16]")
    sets = [word for change in small for word in ("--set", change)]
    assert main(["bench", "spacecharge", "--case", "small", "--turns", "1", *sets, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["case"], found["ranks"], found["threads"]) == ("small", 1, 1)
    assert found["ns_per_particle_kick"] == pytest.approx(found["seconds_per_kick"] / 4000 * 1e9)
    kernels = ("charge_local", "potential", "kick")
    assert min(found["phases"][name] for name in kernels) > 0
    # On one rank nothing is sent.
    assert found["phases"]["charge_global"] == found["phases"]["field_global"] == 0


def test_check_shows_what_follows(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(repository / "examples/kv-fodo/study.toml")]) == 0
    shown = capsys.readouterr().out
    says(shown, "5 elements", "0.4196 m", "perveance 1.862e-05")


@pytest.mark.parametrize("ranks", [2, 4, 6])
def test_a_plan_has_the_messages_of_the_five_phases(ranks: int) -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    given = study('communication.charge="direct"', 'communication.field="direct"')
    phases = {phase["name"]: phase for phase in plan(given, ranks)["phases"]}
    kicks, mesh = 3, 8 * 12 * 14 * 18
    assert list(phases) == [
        *("green", "extent", "charge_global", "potential", "field_global", "moments", "losses"),
    ]
    for name in ("charge_global", "field_global"):
        # Each rank sends, or gets, its planes of the mesh by itself.
        assert phases[name]["messages"] == kicks * (ranks - 1)
    assert phases["field_global"]["bytes_per_rank"] == kicks * (ranks - 1) * mesh / 18 * (
        -(-18 // ranks)
    )
    # Planes of 28/2 + 1 rows of 24 values along y and x, in whole shares.
    columns = 24 * 15
    block = 16 * -(-18 // ranks) * -(-columns // ranks)
    assert phases["potential"]["bytes_per_rank"] == kicks * 2 * (ranks - 1) * block
    assert phases["potential"]["messages"] == kicks * 2 * (ranks - 1)
