"""Lattice QCD on one rank: the Wilson matrix, its solver, and what is measured on links."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from phasewise.cli import main
from phasewise.study import Study, load
from tests.sentences import command_refused, missing, one_sentence
from tests.unit.quark_reference import GAMMA as GAMMAS
from tests.unit.quark_reference import GAMMA_5 as GAMMA5

core: Any = pytest.importorskip("phasewise._core", reason="the core is not built")

Array = NDArray[Any]
SIZE = (2, 4, 2, 6)
KAPPA, PHASES = 0.13, (0.3, 0.0, 1.0, 1.0)

ROUNDING = 1e-13
"""Of sums of some hundred terms of order one."""


def random_links(seed: int = 1, size: tuple[int, ...] = SIZE) -> Array:
    """SU(3) matrices [t][z][y][x][4][3][3]."""
    rng = np.random.default_rng(seed)
    shape = (*size[::-1], 4, 3, 3)
    found, upper = np.linalg.qr(rng.normal(size=shape) + 1j * rng.normal(size=shape))
    found = (
        found
        * (np.diagonal(upper, axis1=-2, axis2=-1) / np.abs(np.diagonal(upper, axis1=-2, axis2=-1)))[
            ..., None, :
        ]
    )
    return np.asarray(found / np.linalg.det(found)[..., None, None] ** (1 / 3))


def reals(values: Array) -> Array:
    return np.stack([values.real, values.imag], axis=-1)


def moved(values: Array, axis: int, step: int) -> Array:
    """The value at x + step along an axis, at x."""
    return np.roll(values, -step, axis=3 - axis)


def with_phases(links: Array, phases: tuple[float, ...]) -> Array:
    """Links at the end of each axis times the factor of its boundary."""
    found = links.copy()
    for axis in range(4):
        last: list[Any] = [slice(None)] * 5
        last[3 - axis], last[4] = -1, axis
        found[tuple(last)] *= np.exp(1j * np.pi * phases[axis])
    return found


def reference(links: Array, field: Array, kappa: float, phases: tuple[float, ...]) -> Array:
    """D ψ, straight from its definition."""
    u = with_phases(links, phases)
    found = field / (2 * kappa)
    for axis in range(4):
        forwards, one = u[..., axis, :, :], np.eye(4)
        ahead = np.einsum("...ab,...sb->...sa", forwards, moved(field, axis, 1))
        behind = moved(np.einsum("...ba,...sb->...sa", forwards.conj(), field), axis, -1)
        found = found - 0.5 * np.einsum("st,...ta->...sa", one - GAMMAS[axis], ahead)
        found = found - 0.5 * np.einsum("st,...ta->...sa", one + GAMMAS[axis], behind)
    return found


def wilson(links: Array, field: Array, kappa: float = KAPPA, phases: Any = PHASES) -> Array:
    size = links.shape[3::-1]
    box = core.QcdQuarks(list(size), reals(links).ravel(), list(phases), 1 / (2 * kappa) - 4)
    values = np.asarray(box.dirac(reals(field).ravel())).reshape(*field.shape, 2)
    return np.asarray(values[..., 0] + 1j * values[..., 1])


def random_field(seed: int, size: tuple[int, ...] = SIZE) -> Array:
    rng = np.random.default_rng(seed)
    shape = (*size[::-1], 4, 3)
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


def test_the_wilson_matrix_is_its_definition() -> None:
    links, field = random_links(), random_field(2)
    expected = reference(links, field, KAPPA, PHASES)
    assert np.abs(wilson(links, field) - expected).max() < ROUNDING * np.abs(expected).max()


def test_gamma5_makes_the_wilson_matrix_its_adjoint() -> None:
    links, a, b = random_links(), random_field(3), random_field(4)
    g5 = lambda psi: np.einsum("st,...ta->...sa", GAMMA5, psi)  # noqa: E731
    left = np.vdot(a, g5(wilson(links, g5(b))))
    right = np.vdot(wilson(links, a), b)
    assert abs(left - right) < 1e-12 * abs(left)


def test_a_gauge_transformation_only_turns_colours() -> None:
    links, field = random_links(), random_field(5)
    turns = random_links(6)[..., 0, :, :]
    turned = np.stack(
        [
            turns @ links[..., axis, :, :] @ np.conj(np.swapaxes(moved(turns, axis, 1), -1, -2))
            for axis in range(4)
        ],
        axis=-3,
    )
    periodic = (0.0,) * 4
    colour = lambda psi: np.einsum("...ab,...sb->...sa", turns, psi)  # noqa: E731
    found = wilson(turned, colour(field), phases=periodic)
    expected = colour(wilson(links, field, phases=periodic))
    assert np.abs(found - expected).max() < ROUNDING * np.abs(expected).max()
    before, after = (core.gauge_values(reals(u).ravel(), list(SIZE)) for u in (links, turned))
    for name in ("plaquette_space", "plaquette_time", "rectangle"):
        assert after[name] == pytest.approx(before[name], abs=ROUNDING)
    assert np.array(after["polyakov"]) == pytest.approx(np.array(before["polyakov"]), abs=ROUNDING)


def study(**changes: Any) -> Study:
    tables: dict[str, Any] = {
        "workload": "qcd",
        "solves": 1,
        "lattice": {"size": list(SIZE)},
        "gauge": {"start": "hot"},
        "quarks": {"kappa": 0.11, "phases": list(PHASES)},
        "measure": {"pion": "point", "source": [1, 3, 0, 4]},
    }
    for name, keys in changes.items():
        tables[name] = tables.get(name, {}) | keys if isinstance(keys, dict) else keys
    return Study.from_dict(tables)


def test_the_pion_on_random_links_is_that_of_the_dense_inverse() -> None:
    run = core.start(study().parameters())
    run.step()
    record = run.record()
    values = np.asarray(run.links()).reshape(*SIZE[::-1], 4, 3, 3, 2)
    links = values[..., 0] + 1j * values[..., 1]
    sites = int(np.prod(SIZE))
    columns = np.eye(sites * 12, dtype=complex).reshape(sites * 12, *SIZE[::-1], 4, 3)
    dense = np.array([reference(links, e, 0.11, PHASES).ravel() for e in columns]).T
    x, y, z, t = 1, 3, 0, 4
    site = x + SIZE[0] * (y + SIZE[1] * (z + SIZE[2] * t))
    propagator = np.linalg.solve(dense, np.eye(sites * 12)[:, 12 * site : 12 * site + 12])
    by_time = (np.abs(propagator) ** 2).reshape(SIZE[3], -1).sum(axis=1)
    # The tolerance is of the normal equations' residual, 1e-12 by default.
    assert record["pion"] == pytest.approx(np.roll(by_time, -t), rel=1e-9)
    assert 0 < record["residual"] < 1e-10


def test_a_random_start_follows_from_the_seed_and_is_unitary() -> None:
    def links(seed: int) -> Array:
        return np.asarray(core.start(study(seed=seed).parameters()).links())

    first, again, other = links(1), links(1), links(2)
    assert np.array_equal(first, again) and not np.array_equal(first, other)
    values = core.gauge_values(first, list(SIZE))
    assert values["unitarity"] < 1e-14
    # Traces of 384 independent matrices; Re tr/3 has a variance of 1/18.
    assert abs(values["link_trace"]) < 4 / (18 * 384) ** 0.5


def test_a_solve_that_does_not_converge_says_so() -> None:
    run = core.start(study(solver={"limit": 3}).parameters())
    run.step()
    assert run.record()["converged"] == 0.0
    fixed = core.start(study(solver={"iterations": 3}).parameters())
    fixed.step()
    assert fixed.record()["converged"] == 1.0 and fixed.record()["iterations"] == 36


def test_a_matrix_with_a_zero_mode_has_no_solution_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "massless.toml"
    path.write_text(
        """
workload = "qcd"
solves = 1
[lattice]
size = [4, 4, 4, 4]
[quarks]
kappa = 0.125
phases = [0, 0, 0, 0]
[solver]
tolerance = 1e-8
"""
    )
    words = ["run", path, "--out", tmp_path / "out"]
    facts = ("solve 0", "no solution", "residual", 1e-08, "singular", "quarks.kappa")
    command_refused(capsys, words, *facts, status=1)


@pytest.mark.parametrize(
    ("method", "precision", "advised"),
    [
        ("cg", "double", {"solver.limit", "solver.tolerance = 1e-06", "quarks.kappa"}),
        ("bicgstab", "double", {"quarks.kappa", 'solver.method = "cg"'}),
        (
            "bicgstab",
            "single",
            {"quarks.kappa", 'solver.method = "cg"', 'solver.precision = "double"'},
        ),
    ],
)
def test_a_solver_that_diverges_is_not_advised_to_go_on(
    method: str,
    precision: str,
    advised: set[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "heavy.toml"
    path.write_text(
        f"""
workload = "qcd"
solves = 1
gauge.start = "hot"
quarks.kappa = 0.3
[lattice]
size = [4, 4, 4, 4]
[solver]
method = "{method}"
precision = "{precision}"
tolerance = 1e-6
limit = 9
"""
    )
    assert main(["run", str(path), "--out", str(tmp_path / "out")]) == 1
    sentence = capsys.readouterr().err
    assert sentence.startswith("phasewise: ")
    one_sentence(sentence, "solve 0", "9 iterations", "residual", *advised)
    assert ("diverges" in sentence) == (method == "bicgstab")
    others = {"solver.limit", "solver.method", "solver.precision"} - {
        one.partition(" ")[0] for one in advised
    }
    assert missing(sentence, *others) == list(others)


@pytest.mark.parametrize(("action", "c1"), [("wilson", 0), ("symanzik", -1 / 12)])
def test_the_action_of_a_site_follows_from_its_loops(
    action: str, c1: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "action.toml"
    path.write_text(
        f"""
workload = "qcd"
solves = 1
[lattice]
size = [4, 4, 2, 4]
[gauge]
action = "{action}"
beta = 5.5
start = "hot"
[quarks]
kappa = 0.1
[solver]
iterations = 1
"""
    )
    assert main(["run", str(path), "--out", str(tmp_path / "out"), "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)
    started = core.start(load(path).parameters())
    loops = core.gauge_values(np.asarray(started.links()), [4, 4, 2, 4])
    expected = 5.5 * ((1 - 8 * c1) * 6 * (1 - loops["plaquette"]))
    expected += 5.5 * 12 * c1 * (1 - loops["rectangle"])
    assert found["action"] == pytest.approx(expected, rel=1e-12)
    assert (found["rectangle"] is None) == (action == "wilson")


def test_bench_gives_the_four_figures(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["bench", "qcd", "--case", "cache", "--turns", "1", "--json"]
    assert main([*words, "--set", "solver.iterations=5"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["case"], found["lattice"], found["precision"]) == (
        "cache",
        [4, 4, 4, 8],
        "double",
    )
    for name, flops in (("hopping", 1320), ("solver", 5520)):
        own = found[name]
        assert own["flops_per_site"] == flops and 0 < own["roof_share"] < 1.5
        assert own["gigaflops_per_core"] > 0 and own["ns_per_site"] > 0
    four = found["four_figures"]
    # One rank exchanges nothing.
    assert four["overhead"] == 0.0 and four["exchange_megabytes_per_second"] == 0.0
    expected = 5520 * 5 * 256 / found["seconds_per_solve"] / 1e9
    assert four["overall_gigaflops"] == pytest.approx(expected)
    words = words[:-1]
    command_refused(capsys, [*words, "--set", "solver.iterations=0"], "solver.iterations", 0, 1)
    cg = ("bench qcd", "flops", 'solver.method = "cg"')
    command_refused(capsys, [*words, "--set", "solver.method=bicgstab"], *cg)
    halo = ["bench", "halo", "--precision", "single"]
    command_refused(capsys, halo, "bench halo", "--precision", "qcd")


def test_bench_takes_single_precision_and_a_clover_term(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["bench", "qcd", "--case", "cache", "--turns", "1", "--json"]
    options = ["--precision", "single", "--set", "quarks.clover=1.9"]
    assert main([*words, *options, "--set", "solver.iterations=5"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["precision"] == "single" and found["solver"]["flops_per_site"] == 7728
    names = {kernel["name"]: kernel for kernel in found["kernels"]}
    # Four products an iteration on half of the sites; the first and the last are in double.
    assert names["hopping_single"]["items"] == 5 * 4 * 256
    assert 0 < names["hopping"]["items"] < names["hopping_single"]["items"]
    assert names["clover"]["items"] > 0


def test_a_residual_that_is_no_number_ends_the_run(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "study.toml"
    path.write_text(
        """
workload = "qcd"
solves = 1
[lattice]
size = [4, 4, 4, 8]
[quarks]
kappa = 0.125
phases = [0, 0, 0, 0]
[solver]
method = "bicgstab"
iterations = 10000
"""
    )
    words = ["run", path, "--out", tmp_path / "out"]
    facts = ("solve 0", "diverges", "10000 iterations", "residual", "range", "quarks.kappa")
    command_refused(capsys, words, *facts, status=1)


def test_a_file_of_links_that_is_not_there_is_told_before_the_run(
    tmp_path: Path, capsys: Any
) -> None:
    path = tmp_path / "study.toml"
    path.write_text(
        """
workload = "qcd"
solves = 1
[lattice]
size = [4, 4, 4, 8]
[gauge]
start = "file"
file = "nowhere"
[quarks]
kappa = 0.12
"""
    )
    command_refused(capsys, ["check", path], tmp_path / "nowhere", "read")
