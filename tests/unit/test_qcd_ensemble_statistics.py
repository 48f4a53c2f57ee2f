"""Statistics of made-up chains: what counts, errors, scales, and the summary of a run."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from phasewise.runs.records import RecordsWriter, json_attribute
from phasewise.runs.results import Results
from phasewise.runs.summary import finite, summarise
from phasewise.study import Study
from phasewise.workloads.qcd.checking import QcdChecking
from phasewise.workloads.qcd.ensemble_statistics import (
    FEWEST_FILES,
    ensemble_of,
    series_of,
    thermalisation,
)
from phasewise.workloads.qcd.flow_scales import t0_of, times_of, w0_of
from phasewise.workloads.qcd.recording import QcdRecording
from phasewise.workloads.qcd.resampling import jackknife, linearised
from phasewise.workloads.qcd.summary import QcdSummary
from phasewise.workloads.qcd.thermalisation import settled_after
from phasewise.workloads.qcd.update_records import FEWEST_JUDGED, Remarks
from tests.sentences import refused, says

COUNT, EVERY, TIME = 400, 4, 3.0
FLOW = {"step": 0.1, "until": 2.0}
STEPS = 20


def study(count: int = COUNT, **tables: Mapping[str, Any]) -> Study:
    given: dict[str, Any] = {
        "workload": "qcd", "trajectories": count, "lattice": {"size": [4, 4, 4, 4]},
        "gauge": {"beta": 5.7, "action": "iwasaki"},
        "quarks": {"kappa": 0.12, "clover": 1.0}, "measure": {"every": EVERY, "flow": FLOW},
        "update": {"hasenbusch": [0.3]},
    }  # fmt: skip
    for name, table in tables.items():
        given[name] = {key: own for key, own in (given[name] | table).items() if own is not None}
    return Study.from_dict(given)


def correlated(random: np.random.Generator, count: int, time: float = TIME) -> Any:
    """A series with mean 0, variance 1 and autocorrelation e^(-t/time)."""
    factor = math.exp(-1 / time)
    found = random.normal(size=count)
    for n in range(1, count):
        found[n] = factor * found[n - 1] + math.sqrt(1 - factor**2) * found[n]
    return found


def chain(given: Study, start: float = 0.0) -> list[dict[str, Any]]:
    """Records of trajectories, as a run makes them; start: how far the first plaquette is off, in
    its standard deviations.
    """
    random, count = np.random.default_rng(5), given.count
    wave = correlated(random, count) + start * np.exp(-np.arange(count) / TIME)
    charge = 0.7 * random.normal(size=count)
    times, model = times_of(FLOW["step"], STEPS + 1), given.model
    found = []
    for n in range(count):
        measured = (n + 1) % EVERY == 0
        # t²E rises linearly, so that both scales follow by hand.
        energy = (0.3 + 0.003 * wave[n]) / np.maximum(times, 0.05)
        along = energy if measured else np.full(STEPS + 1, np.nan)
        record: dict[str, Any] = {
            "plaquette_space": 0.55 + 0.01 * wave[n],
            "plaquette_time": 0.55 - 0.002 * wave[n],
            "rectangle": 0.3 + 0.01 * wave[n],
            "link_trace": 0.0,
            "polyakov": np.full((4, 2), 0.1 * wave[n]),
            "reunitarised": 0,
            "measured": int(measured),
            "flow_energy_space": along / 2,
            "flow_energy_time": along / 2,
            "flow_charge": np.full(STEPS + 1, charge[n] if measured else np.nan),
            "flow_plaquette": along,
            "delta_h": 0.1 + 0.3 * random.normal(),
            "accepted": int(n % 10 != 0),
            "kinetic": 1.0,
            "trouble": -1,
            "trouble_step": -1,
            "unconverged": 0,
        }
        for number, name in enumerate(model.monomials):
            record |= {f"action_{name}": 1.0, f"force_{name}": 3.0 - number}
            record[f"force_max_{name}"] = 6.0
        record |= {f"iterations_{name}": 100 for name in model.solving_monomials}
        found.append(record)
    return found


def results(folder: Path, given: Study, rows: list[dict[str, Any]]) -> Results:
    path = folder / "records.h5"
    attributes = {"study": json_attribute(given.resolved()), "derived": "{}"}
    writer = RecordsWriter(path, given, attributes)
    for n, row in enumerate(rows):
        writer.append(n, row)
    writer.close(complete=True, seconds_per_turn=0.5)
    return Results(path)


def test_what_is_far_from_the_rest_is_left_out_and_nothing_else() -> None:
    random = np.random.default_rng(2)
    assert settled_after(np.arange(3.0)) == 0 and settled_after(np.full(30, 0.1)) == 0
    # Half of the trials leave out nothing, and nine in ten no more than a tenth.
    even = [settled_after(random.normal(size=200)) for _ in range(50)]
    assert np.median(even) == 0 and np.percentile(even, 90) <= 20
    # 10 standard deviations off at the start: after two autocorrelation times it is one.
    wave = [
        settled_after(correlated(random, 200) + 10 * np.exp(-np.arange(200) / TIME))
        for _ in range(50)
    ]
    assert np.percentile(wave, 10) >= TIME and np.median(wave) <= 5 * TIME
    # A chain that only drifts has not settled.
    assert settled_after(np.linspace(0, 1, 100)) == 50


def test_a_function_of_means_has_the_error_of_its_linearised_series() -> None:
    random = np.random.default_rng(3)
    samples = random.normal(1.0, 0.1, size=(300, 2))

    def ratio(mean: Any) -> Any:
        return mean[0] / mean[1]

    value, series = linearised(samples, ratio)
    assert value == pytest.approx(samples[:, 0].mean() / samples[:, 1].mean())
    error = jackknife(samples, ratio)[1]
    # Without autocorrelation both are one number.
    assert series.std(ddof=0) / math.sqrt(299) == pytest.approx(error, rel=1e-9)
    assert series.mean() == pytest.approx(value, rel=1e-12)
    # Of the mean itself it is the samples.
    assert np.allclose(linearised(samples, np.asarray)[1], samples)


def test_the_summary_of_a_chain_has_means_with_errors_and_times(tmp_path: Path) -> None:
    given = study()
    rows = chain(given)
    with results(tmp_path, given, rows) as found:
        summary = finite(summarise(found))
        counted = thermalisation(found)
        series = series_of(found)
    json.dumps(summary, allow_nan=False)
    assert summary["trajectories"] == COUNT and summary["seconds_per_trajectory"] == 0.5
    assert summary["thermalisation"] == {
        "trajectories": counted.trajectories, "chosen": True, "settled": True,
    }  # fmt: skip
    assert counted.trajectories < COUNT / 4
    ensemble = summary["ensemble"]
    assert set(ensemble) == {
        "plaquette", "rectangle", "polyakov_x", "polyakov_y", "polyakov_z", "polyakov_t",
        "exp_minus_delta_h", "delta_h", "charge", "charge_squared", "t0", "w0",
    }  # fmt: skip
    for entry in ensemble.values():
        assert set(entry) == {"mean", "error", "autocorrelation_time", "configurations"}
    every, measured = ensemble["plaquette"], ensemble["charge"]
    assert every["configurations"] == COUNT - counted.trajectories == len(series["plaquette"])
    assert measured["configurations"] == len(series["charge"])
    # ½ coth(1/2τ), and an error of it of about √(2 (2W + 1)/N) with W ≈ 4τ: 3σ is 0.75 of it.
    expected = 0.5 / math.tanh(0.5 / TIME)
    assert every["autocorrelation_time"] == pytest.approx(expected, rel=0.75)
    assert abs(every["mean"] - 0.55) < 4 * every["error"]
    # Charges do not depend on each other, and come every fourth trajectory.
    assert measured["autocorrelation_time"] == pytest.approx(0.5 * EVERY, rel=0.6)
    assert measured["error"] == pytest.approx(0.7 / math.sqrt(COUNT / EVERY), rel=0.4)
    assert summary["acceptance"] == pytest.approx(0.9, abs=0.01)
    last = rows[-1]
    assert summary["delta_h"] == last["delta_h"]
    assert summary["charge"] == summary["flow"]["charge"] == last["flow_charge"][-1]
    assert summary["monomials"] == {
        "gauge": {"iterations": None, "force": pytest.approx(3.0)},
        "quarks": {"iterations": 100.0, "force": pytest.approx(2.0)},
        "hasenbusch_1": {"iterations": 100.0, "force": pytest.approx(1.0)},
    }
    assert summary["warnings"] == []
    assert summary["solver"] == {"iterations": 2 * 100 * COUNT, "residual": None}


def test_scales_are_those_of_the_mean_energy_with_its_error(tmp_path: Path) -> None:
    given = study()
    with results(tmp_path, given, chain(given)) as found:
        ensemble = ensemble_of(found)
        measured = found.rows("measured").astype(bool)
        measured[: thermalisation(found).trajectories] = False
        energy = 2 * found.rows("flow_energy_space")[measured]
    times = times_of(FLOW["step"], STEPS + 1)
    for name, scale in (("t0", t0_of), ("w0", w0_of)):
        assert ensemble[name]["mean"] == scale(times, energy.mean(axis=0))
    # t²E = (0.3 + 0.003 w) t reaches 0.3 at t0 = 1 - 0.01 w; w has the error of a series whose
    # members are e^(-4/3) correlated: √(coth(2/3)/N).
    members = ensemble["t0"]["configurations"]
    expected = 0.01 * math.sqrt(1 / math.tanh(EVERY / 2 / TIME) / members)
    assert ensemble["t0"]["mean"] == pytest.approx(1.0, abs=4 * expected)
    assert ensemble["t0"]["error"] == pytest.approx(expected, rel=0.5)
    assert ensemble["w0"]["error"] == pytest.approx(expected / 2, rel=0.5)


def test_a_start_far_off_is_left_out_unless_its_length_is_given(tmp_path: Path) -> None:
    far = study(100)
    rows = chain(far, start=30.0)
    with results(tmp_path, far, rows) as found:
        chosen = thermalisation(found)
        mean = ensemble_of(found)["plaquette"]
    assert 2 * TIME < chosen.trajectories < 50 and chosen.chosen and chosen.settled
    assert abs(mean["mean"] - 0.55) < 5 * mean["error"]
    given = study(100, measure={"thermalisation": 7})
    (tmp_path / "given").mkdir()
    with results(tmp_path / "given", given, rows) as found:
        assert thermalisation(found).trajectories == 7 and not thermalisation(found).chosen
        assert ensemble_of(found)["plaquette"]["configurations"] == 93


def test_each_series_settles_within_its_own_half(tmp_path: Path) -> None:
    # 97 of 195 trajectories are one half, and so are 19 of the 39 that are measured, 5 apart: both
    # settle, as long as 95 trajectories are not taken for less than a half of 195.
    given = study(195, measure={"every": 5})
    rows = [row | {"measured": int((n + 1) % 5 == 0)} for n, row in enumerate(chain(given))]
    for n, row in enumerate(rows):
        row["flow_energy_space"] = row["flow_energy_time"] = np.full(STEPS + 1, float(n))
    with results(tmp_path, given, rows) as found:
        counted = thermalisation(found)
    assert counted.trajectories == 95 and not counted.settled


@pytest.mark.parametrize("count", [2, 3, 4, FEWEST_FILES - 1, FEWEST_FILES])
def test_a_few_files_have_errors_of_the_jackknife_and_no_times(tmp_path: Path, count: int) -> None:
    files = {"start": "files", "files": [f"{n}.ildg" for n in range(count)]}
    given = Study.from_dict(
        {
            "workload": "qcd", "solves": count, "lattice": {"size": [4, 4, 4, 4]},
            "gauge": files, "measure": {"flow": FLOW},
        }
    )  # fmt: skip
    kept = {"link_trace", "polyakov", "flow_energy_space", "flow_energy_time", "flow_charge"}
    kept |= {"plaquette_space", "plaquette_time", "flow_plaquette"}
    rows = [
        {name: row[name] for name in kept} for row in chain(study(4 * count)) if row["measured"]
    ]
    with results(tmp_path, given, rows) as found:
        ensemble = finite(summarise(found))["ensemble"]
    charges = np.array([row["flow_charge"][-1] for row in rows])
    naive = charges.std(ddof=1) / math.sqrt(count)
    for name in ("plaquette", "charge", "t0"):
        entry = ensemble[name]
        assert set(entry) == {"mean", "error", "autocorrelation_time", "configurations"}
        assert entry["configurations"] == count and entry["error"] > 0
        assert (entry["autocorrelation_time"] is None) == (count < FEWEST_FILES)
    if count < FEWEST_FILES:
        assert ensemble["charge"]["error"] == pytest.approx(naive, rel=1e-9)


def test_without_a_flow_its_entries_are_null(tmp_path: Path) -> None:
    given = study(8, measure={"flow": None})
    with results(tmp_path, given, chain(given)) as found:
        summary = summarise(found)
    assert summary["flow"] is None and summary["charge"] is None
    assert QcdSummary(given.workload).rows(summary)[1]


def test_one_trajectory_and_the_first_few_of_many_are_not_judged(tmp_path: Path) -> None:
    # Trajectories so far, those of the study, and whether their acceptance is judged.
    cases = (
        (FEWEST_JUDGED - 1, 100, 0), (FEWEST_JUDGED, 100, 1), (8, 8, 1), (7, 8, 0), (1, 1, 0),
    )  # fmt: skip
    for count, wanted, said in cases:
        given = study(wanted, measure={"every": 1, "thermalisation": 0})
        rows = [row | {"accepted": 0} for row in chain(given)][:count]
        folder = tmp_path / f"{count} of {wanted}"
        folder.mkdir()
        with results(folder, given, rows) as found:
            assert sum("accepted" in one for one in summarise(found)["warnings"]) == said
    with results(tmp_path, study(25, measure={"thermalisation": 24}), rows) as found:
        assert summarise(found)["warnings"] == []


@pytest.mark.parametrize("measured", [{"flow": FLOW}, {"pion": "point", "flow": None}])
def test_a_run_that_would_measure_nothing_is_refused(measured: Mapping[str, Any]) -> None:
    recording = {"measure": {"every": 5, **measured}}
    for part in (QcdRecording, QcdChecking):
        given = study(4, **recording)
        with refused("measure.every = 5", "4 trajectories", "4 or less"):
            part(given.workload).check(given)
        QcdChecking(given.workload).check(study(5, **recording))


def test_a_low_acceptance_is_said_with_what_to_change(tmp_path: Path) -> None:
    given = study(60)
    rows = [row | {"accepted": 0, "delta_h": math.inf} for row in chain(given)]
    with results(tmp_path, given, rows) as found:
        summary = finite(summarise(found))
    says(" ".join(summary["warnings"]), "0 %", "update.steps", "update.length")
    _, table = QcdSummary(given.workload).rows(summary)
    assert ["acceptance", "0 %"] in table
    assert any(name == "warning" for name, _ in table)
    # exp(-ΔH) is 0 where ΔH is infinite, and ΔH has no mean.
    ensemble = summary["ensemble"]
    assert ensemble["exp_minus_delta_h"]["mean"] == 0 and ensemble["delta_h"]["mean"] is None


def test_a_run_says_once_that_few_trajectories_are_accepted() -> None:
    given = study(100)
    remarks = Remarks(given.model, given.count)
    rows = [row | {"accepted": 0} for row in chain(given)]
    said = [remarks(row) for row in rows]
    assert sum(map(bool, said)) == 1 and said[FEWEST_JUDGED - 1]
    says(said[FEWEST_JUDGED - 1], "0 %", "20 trajectories", "update.steps", "update.length")
    # Solves that do not converge are said as often as they come, but for more than ten.
    remarks = Remarks(given.model, given.count)
    said = [remarks(row | {"accepted": 1, "unconverged": 2}) for row in rows]
    assert sum(map(bool, said)) == 10
    says(said[0], "2 solves", "solver.limit = 10000", "quarks.kappa")
    lost = rows[0] | {"trouble": 1, "trouble_step": -1, "delta_h": math.inf}
    says(Remarks(given.model, given.count)(lost), "not a finite number", "quarks")


def test_progress_has_the_acceptance_so_far() -> None:
    given = study(4)
    detail = QcdRecording(given.workload).detail(given)
    rows = [row | {"accepted": int(n > 0)} for n, row in enumerate(chain(given))]
    assert detail(rows[0]).endswith(" 0 % accepted")
    assert detail(rows[1]).endswith(" 50 % accepted")
    says(detail(rows[2]), "plaquette", "ΔH")


def test_a_chain_goes_on_without_a_pion_that_cannot_be_measured(tmp_path: Path) -> None:
    given = study(40, measure={"pion": "point"})
    solved = {"iterations": 5, "residual": 1e-8, "residuals": [1e-9], "converged": 1.0}
    rows = [row | solved | {"pion": np.ones(4)} for row in chain(given)]
    rows[19] = rows[19] | {"residual": 2.0, "converged": 0.0}
    recording = QcdRecording(given.workload)
    assert recording.fault(given, rows[19]) == ""
    says(recording.remark(given)(rows[19]), "pion", "diverges", "quarks.kappa")
    assert recording.remark(given)(rows[18]) == recording.remark(given)(rows[23]) == ""
    with results(tmp_path, given, rows) as found:
        first = thermalisation(found).trajectories
        ensemble = ensemble_of(found)
    measured = sum((n + 1) % EVERY == 0 for n in range(first, 40))
    assert ensemble["charge"]["configurations"] == measured
    assert ensemble["pion"]["configurations"] == measured - (first <= 19)
    assert ensemble["pion"]["mean"] == [1.0] * 4


def test_a_run_before_its_first_measurement_has_a_summary(tmp_path: Path) -> None:
    given = study(3)
    with results(tmp_path, given, chain(given)) as found:
        summary = finite(summarise(found))
    assert summary["flow"]["t0"] is None and summary["charge"] is None
    assert summary["ensemble"]["charge"] == {
        "mean": None, "error": None, "autocorrelation_time": None, "configurations": 0,
    }  # fmt: skip
    assert summary["ensemble"]["plaquette"]["error"] is None
    assert QcdSummary(given.workload).rows(summary)[1]
