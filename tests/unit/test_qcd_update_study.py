"""The keys of [update] and what belongs to them: flat parameters, defaults, what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from phasewise.commands.predict import pieces_text
from phasewise.study import Study
from phasewise.study.laboratory import iterated, pieces_name, presumed, when
from phasewise.workloads.qcd.communication import check_process_grid
from phasewise.workloads.qcd.derived import files_left_out
from phasewise.workloads.qcd.model import model_of
from phasewise.workloads.qcd.update_keys import levels_of
from tests.sentences import Nearest, refused


def study(folder: Path | str = ".", /, **changes: Any) -> Study:
    """A quenched study; changes are tables, a table that is None is left out."""
    tables: dict[str, Any] = {
        "workload": "qcd", "trajectories": 4, "lattice": {"size": [4, 4, 4, 8]},
        "gauge": {"beta": 5.7}, "update": {},
    }  # fmt: skip
    for name, value in changes.items():
        if isinstance(value, dict):
            tables[name] = tables.get(name, {}) | value
        elif value is None:
            del tables[name]
        else:
            tables[name] = value
    return Study.from_dict(tables, folder)


def flat(given: Study) -> dict[str, str]:
    return dict(line.split(" = ") for line in given.parameters().splitlines())


CLOVER = {"kappa": 0.12, "clover": 1.8}


def test_an_update_of_quarks_becomes_its_flat_parameters() -> None:
    given = study(
        quarks=CLOVER, gauge={"action": "iwasaki", "start": "hot"}, measure={"every": 5},
        update={"hasenbusch": [0.2, 0.7], "steps": [5, 3, 2, 4], "integrator": "omelyan-4"},
    )  # fmt: skip
    found = flat(given)
    own = {name: value for name, value in found.items() if name.startswith("update.")}
    assert own == {
        "update.method": "hmc",
        "update.length": "1.0",
        "update.integrator": "omelyan-4",
        "update.steps": "5 3 2 4",
        "update.hasenbusch": "0.2 0.7",
        "update.force_tolerance": "1e-08",
        "update.action_tolerance": "1e-11",
    }
    assert found["turns"] == "4" and found["measure.every"] == "5"
    assert found["gauge.beta"] == "5.7" and found["gauge.rectangles"] == "-0.331"
    assert found["quarks.present"] == "1" and found["quarks.kappa"] == "0.12"
    # The limit on a solve's iterations.
    assert found["solver.iterations"] == "10000"
    assert Study.from_dict(given.resolved()) == given


def test_a_heat_bath_has_sweeps_and_no_quarks() -> None:
    given = study(update={"method": "heat-bath", "over_relaxation": 0})
    found = flat(given)
    own = {name: value for name, value in found.items() if name.startswith("update.")}
    assert own == {"update.method": "heat-bath", "update.over_relaxation": "0"}
    quarks = {name: value for name, value in found.items() if name.startswith("quarks.")}
    assert quarks == {"quarks.present": "0"}
    assert Study.from_dict(given.resolved()) == given and "quarks" not in given.resolved()
    assert given.derived()["bare_mass"] is None


def test_studies_of_solves_stay_as_they_are() -> None:
    given = study(update=None, trajectories=None, gauge=None, solves=1, quarks={"kappa": 0.12})
    assert not any(
        name.startswith("update.") or name in ("quarks.present", "measure.every", "gauge.beta")
        for name in flat(given)
    )
    tables = given.resolved()
    assert "update" not in tables and "every" not in tables["measure"]
    assert "links_every" not in tables["records"]


@pytest.mark.parametrize(
    ("quarks", "hasenbusch", "levels", "solving"),
    [
        (None, [], ("gauge",), ()),
        (CLOVER, [], ("quarks", "gauge"), ("quarks",)),
        (
            CLOVER,
            [0.2, 0.7],
            ("quarks", "hasenbusch_1", "hasenbusch_2", "gauge"),
            ("quarks", "hasenbusch_1", "hasenbusch_2"),
        ),
    ],
)
def test_each_level_of_the_integrator_has_steps_by_default(
    quarks: Any, hasenbusch: list[float], levels: tuple[str, ...], solving: tuple[str, ...]
) -> None:
    tables = {} if quarks is None else {"quarks": quarks}
    model = model_of(study(update={"hasenbusch": hasenbusch}, **tables))
    assert model.update is not None
    assert levels_of(model.update, model.quarks) == levels
    assert len(model.update.steps) == len(levels) and all(n > 0 for n in model.update.steps)
    assert model.solving_monomials == solving
    assert model.monomials == ("gauge", *solving)


def test_files_of_a_pattern_come_by_number_and_measure_links_without_quarks(
    tmp_path: Path,
) -> None:
    for number in (10, 9, 100):
        (tmp_path / f"conf-{number}.ildg").touch()
    gauge = {"start": "files", "files": "*.ildg"}
    given = study(tmp_path, update=None, trajectories=None, solves=3, gauge=gauge)
    assert [path.name for path in model_of(given).gauge.every_file] == [
        "conf-9.ildg", "conf-10.ildg", "conf-100.ildg",
    ]  # fmt: skip
    found = flat(given)
    # The driver knows one word for both.
    assert found["gauge.start"] == "file" and found["gauge.files"] == "3"
    assert found["quarks.present"] == "0"
    assert Study.from_dict(given.resolved()) == given


def test_a_list_of_files_may_have_patterns(tmp_path: Path) -> None:
    for name in ("a-2.ildg", "a-10.ildg", "b[1].ildg", "b1.ildg"):
        (tmp_path / name).touch()
    gauge = {"start": "files", "files": ["b[1].ildg", "a-*.ildg"]}
    given = study(tmp_path, update=None, trajectories=None, solves=2, gauge=gauge)
    found = [path.name for path in model_of(given).gauge.every_file]
    assert found == ["b[1].ildg", "a-2.ildg", "a-10.ildg"]
    with refused('gauge.files = "c-*"', "no file", tmp_path):
        study(tmp_path, update=None, trajectories=None, solves=1, gauge=gauge | {"files": ["c-*"]})


def test_files_beyond_the_solves_are_said() -> None:
    gauge = {"start": "files", "files": ["a", "b", "c"]}
    for solves, said in ((2, "2 of 3 files are measured"), (3, ""), (4, "")):
        given = study(update=None, trajectories=None, solves=solves, gauge=gauge)
        found = files_left_out(model_of(given), given.count)
        assert found.startswith(said) and bool(found) == bool(said)


def test_two_rows_of_a_link_need_the_fast_loops() -> None:
    plain = study().communication.changed({"link_reals": 12, "kernel": "plain"})
    with refused("communication.link_reals = 12", 'kernel = "fast"', 'kernel = "plain"'):
        check_process_grid(model_of(study()), plain, 1)


def test_a_prediction_says_which_iterations_it_presumes() -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    given = study(quarks=CLOVER, measure={"pion": "point", "every": 2})
    assert presumed(given).items() <= iterated(given, 100).items()
    assert {"iteration", "iteration_quarks"} <= presumed(given).keys()
    fixed = study(
        update=None,
        trajectories=None,
        gauge=None,
        solves=1,
        quarks=CLOVER,
        solver={"iterations": 5},
    )
    assert presumed(fixed) == {} == presumed(study())
    with refused("--iterations 30", "trajectories of this study", "no iterations"):
        iterated(study(update=HEAT_BATH), 30)
    text = pieces_text(given.workload, {"measurement": 0.5, "links": 0.0, "iteration": 30.0})
    assert text == "0.5 measurements, 30 iterations"


def test_a_plan_counts_the_solves_of_a_trajectory() -> None:
    pytest.importorskip("phasewise._core", reason="the core is not built")
    given = study(
        quarks=CLOVER, update={"hasenbusch": [0.2, 0.7], "steps": [3, 2, 1, 4]},
        measure={"pion": "point", "every": 2}, solver={"precision": "mixed"},
    )  # fmt: skip
    # Two forces a step and one more at the end; a step has two updates of the links, each with all
    # steps of the next level. Two actions, and a solve for the pseudofermions of each ratio.
    solves = {
        "_quarks": 2 * 3 + 1 + 3,
        "_hasenbusch_1": 2 * 3 * 2 * 2 + 1 + 3,
        "_hasenbusch_2": 2 * 3 * 2 * 2 * 2 + 1 + 2,
        "": 12 / 2,
    }
    # An update for every ten iterations.
    expected = {f"iteration{name}": 95 * count for name, count in solves.items()}
    expected |= {f"update{name}": 10 * count for name, count in solves.items()}
    known = {"measurement": 0.5, "source": 6.0, "solution": 6.0}
    assert iterated(given, 95) == expected | known
    assert iterated(given, None) == known
    assert iterated(study(), None) == {}


def test_texts_know_the_pieces_of_any_number_of_masses() -> None:
    own = study().workload
    assert pieces_name(own, "iteration") == "iterations"
    assert pieces_name(own, "measurement") == "measurements"
    assert pieces_name(own, "iteration_quarks") == "iterations of quarks"
    assert pieces_name(own, "update_hasenbusch_10") == "updates of hasenbusch_10"
    assert when(study(), "iteration_hasenbusch_10") == "once in an iteration of hasenbusch_10"
    assert when(study(), "links") == "once for each configuration"


HEAT_BATH = {"method": "heat-bath"}
MEASURED: dict[str, Any] = {"update": None, "trajectories": None, "solves": 2}


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        (
            {"update": HEAT_BATH, "gauge": {"action": "iwasaki"}},
            ('update.method = "heat-bath"', 'gauge.action = "iwasaki"', '"hmc"'),
        ),
        (
            {"update": HEAT_BATH, "quarks": CLOVER},
            ('update.method = "heat-bath"', "[quarks]", '"hmc"'),
        ),
        ({"update": {"method": "hnc"}}, ("update.method", '"hnc"', Nearest("hmc"))),
        ({"update": {"steps": [5, 3]}}, ("update.steps = [5, 3]", "2 numbers", "gauge", "one")),
        (
            {"quarks": CLOVER, "update": {"steps": [5, 4], "hasenbusch": [0.2]}},
            ("update.steps = [5, 4]", "quarks, hasenbusch_1, gauge", "3 numbers"),
        ),
        ({"update": {"steps": [0]}}, ("update.steps[1]", 0, 1)),
        (
            {"quarks": CLOVER, "update": {"steps": [1000, 1000]}},
            ("update.steps = [1000, 1000]", "1000000 steps", "100000"),
        ),
        ({"update": {"steps": 5}}, ("update.steps", "list", 5)),
        (
            {"quarks": CLOVER, "update": {"hasenbusch": [0.7, 0.2]}},
            ("update.hasenbusch = [0.7, 0.2]", "ascend", "[0.2, 0.7]"),
        ),
        (
            {"quarks": CLOVER, "update": {"hasenbusch": [0.2, 0.2]}},
            ("update.hasenbusch = [0.2, 0.2]", "ascend", "[0.2]"),
        ),
        ({"update": {"hasenbusch": [0.2]}}, ("update.hasenbusch = [0.2]", "[quarks]")),
        ({"update": {"over_relaxation": 2}}, ("update.over_relaxation", '"heat-bath"', '"hmc"')),
        ({"update": HEAT_BATH | {"steps": [4]}}, ("update.steps", '"heat-bath"', '"hmc"')),
        ({"update": {"flavours": 3}, "quarks": CLOVER}, ("update.flavours = 3", "two")),
        ({"update": {"flavours": 2}}, ("update.flavours = 2", "[quarks]", "none")),
        ({"update": {"force_tolerance": 0}}, ("update.force_tolerance", 0)),
        (
            {"quarks": CLOVER | {"stout_steps": 2, "stout_weight": 0.1}},
            ("quarks.stout_steps = 2", "stout", "[update]"),
        ),
        ({"quarks": CLOVER | {"anisotropy": 2.0}}, ("quarks.anisotropy = 2", "[update]")),
        (
            {"quarks": {"kappa": 0.12, "clover_spatial": 1.0}},
            ("quarks.clover_spatial = 1", "quarks.clover_temporal = 0", "quarks.clover"),
        ),
        (
            {"quarks": CLOVER, "solver": {"precision": "single", "tolerance": 1e-5}},
            ('solver.precision = "single"', '"mixed"', "[update]"),
        ),
        (
            {"quarks": CLOVER, "solver": {"precision": "single"}},
            ('solver.precision = "single"', '"mixed"', "[update]"),
        ),
        (
            {"quarks": CLOVER, "solver": {"iterations": 5}},
            ("solver.iterations = 5", "update.force_tolerance"),
        ),
        ({"measure": {"pion": "point"}}, ('measure.pion = "point"', "[quarks]")),
        ({"gauge": {"beta": None}}, ("gauge.beta", "missing")),
        (
            {"gauge": {"start": "file", "files": ["a", "b"]}},
            ("gauge.files", "2 files", "gauge.file", "[update]"),
        ),
        (
            {"gauge": {"start": "files", "file": "a"}},
            ('gauge.start = "files"', "gauge.files", "gauge.file"),
        ),
        (
            {"gauge": {"start": "files", "files": "links/*.ildg"}},
            ('gauge.files = "links/*.ildg"', "no file", Path.cwd()),
        ),
        ({"records": {"links_every": 5}}, ("records.links_every = 5", 'records.links = "ildg"')),
        (
            MEASURED | {"quarks": CLOVER, "records": {"links": "ildg", "links_every": 5}},
            ("records.links_every = 5", "trajectories", "[update]"),
        ),
        (MEASURED | {"quarks": CLOVER, "measure": {"every": 5}}, ("measure.every = 5", "[update]")),
        (
            MEASURED | {"quarks": CLOVER, "measure": {"thermalisation": 5}},
            ("measure.thermalisation = 5", "[update]"),
        ),
        (MEASURED, ("quarks.kappa", "missing")),
        ({"trajectories": None, "solves": 2}, ("solves = 2", "[update]", "trajectories")),
        (
            {"update": None, "quarks": CLOVER},
            ("trajectories = 4", "without [update]", "solves"),
        ),
        ({"measure": {"flow": {"step": 0.2, "until": 1.0}}}, ("measure.flow_step = 0.2", 0.1)),
    ],
)
def test_updates_that_cannot_be_made_are_one_sentence(
    changes: dict[str, Any], facts: tuple[object, ...]
) -> None:
    if changes.get("gauge", {}).get("beta", 1) is None:
        changes = {"gauge": None}
    with refused(*facts):
        study(**changes)
