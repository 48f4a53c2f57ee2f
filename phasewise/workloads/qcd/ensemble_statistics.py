"""Statistics of a run's configurations: which of them count, their means, and how sure these are.

The configurations are those of a Markov chain, trajectory after trajectory, or those of files. The
errors know of autocorrelation (`phasewise.analysis.autocorrelation`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phasewise.analysis import autocorrelation
from phasewise.analysis.autocorrelated import LEAST
from phasewise.runs.results import Results
from phasewise.runs.summary import finite
from phasewise.workloads.qcd.flow_scales import Floats, t0_of, times_of, w0_of
from phasewise.workloads.qcd.resampling import jackknife, linearised
from phasewise.workloads.qcd.thermalisation import LEAST_KEPT, settled_after

EVERY_TRAJECTORY = ("plaquette", "rectangle", "delta_h", "exp_minus_delta_h")
"""Beside the Polyakov loops, what every trajectory has; flow and pion come with measurements."""
AXES = "xyzt"
FEWEST_FILES = 20
"""Fewest files whose errors know of autocorrelation. The Γ method finds too small an error in many
of the shorter series: one in six of them seems to have an autocorrelation time below ¼.
"""


@dataclass(frozen=True)
class Thermalisation:
    """The first `trajectories` of a run count in no mean. chosen: they were not given; settled: the
    chain reached equilibrium within the first half of the run, as far as that can be seen.
    """

    trajectories: int
    chosen: bool
    settled: bool


def is_chain(results: Results) -> bool:
    """Whether the run made configurations."""
    return results.study.get("update") is not None


def thermalisation(results: Results) -> Thermalisation:
    """How many trajectories are left out: as the study says, or until plaquette and, with a flow,
    its energy at the end have settled.
    """
    if not is_chain(results):
        return Thermalisation(0, False, True)
    measure = results.study["measure"]
    given = measure.get("thermalisation")
    if given is not None:
        return Thermalisation(int(given), False, True)
    found, settled = _settled(_plaquette(results))
    if results.holds("flow_charge"):
        measured = np.flatnonzero(results.rows("measured"))
        late, also = _settled(energy_rows(results)[measured, -1])
        settled = settled and also
        if late:
            found = max(found, int(measured[late - 1]) + 1)
    return Thermalisation(found, True, settled)


def _settled(series: Floats) -> tuple[int, bool]:
    """How many members to leave out, and whether that is less than one half of the series."""
    found = settled_after(series)
    return found, found < max(1, len(series) // LEAST_KEPT)


def thermalisation_of(results: Results) -> int:
    """The number of the first trajectory that counts; 0 where configurations come from files."""
    return thermalisation(results).trajectories


def correlated(results: Results, count: int) -> bool:
    """Whether the errors of so many configurations know of autocorrelation: those of a chain, and
    those of many files.
    """
    return is_chain(results) or count >= FEWEST_FILES


def configurations(results: Results) -> int:
    """How many different configurations the solves of a run have, where it makes none."""
    files = results.study["gauge"].get("files") or ()
    return min(max(len(files), 1), len(results))


def measured_rows(results: Results, first: int = 0) -> NDArray[np.int64]:
    """The numbers of the rows from `first` on that hold measurements of flow and pion."""
    if not is_chain(results):
        return np.arange(first, len(results))
    return first + np.flatnonzero(results.rows("measured")[first:])


def samples_of(results: Results, name: str) -> NDArray[Any]:
    """A dataset of measurements (N, ...): its rows that count; those of solves on links of one file
    make one row, their mean. A measurement that failed has no numbers, and is left out.
    """
    rows = results.rows(name)
    if not is_chain(results):
        return by_configuration(results, rows)
    found = rows[measured_rows(results, thermalisation_of(results))]
    return found[np.isfinite(found.reshape(len(found), -1)).all(axis=1)] if len(found) else found


def by_configuration(results: Results, rows: NDArray[Any]) -> NDArray[Any]:
    """The mean of the rows of each file's configuration."""
    count = configurations(results)
    return np.stack([rows[first::count].mean(axis=0) for first in range(count)])


def energy_rows(results: Results) -> Floats:
    """E along the flow, (T, N+1)."""
    space, time = (results.rows(f"flow_energy_{one}") for one in ("space", "time"))
    return np.asarray(space + time)


def spacing_of(results: Results, name: str) -> int:
    """Trajectories from one member of a series to the next; 1 for files too."""
    every = name in EVERY_TRAJECTORY or name.startswith("polyakov_")
    return 1 if every or not is_chain(results) else int(results.study["measure"]["every"])


def _plaquette(results: Results) -> Floats:
    space, time = (results.rows(f"plaquette_{one}") for one in ("space", "time"))
    return np.asarray(0.5 * (space + time))


def series_of(results: Results) -> dict[str, Floats]:
    """The series (N,) of the members that count, by the names of `ensemble`, but for scales and
    correlators. Polyakov loops are their real parts.
    """
    every: dict[str, Floats] = {"plaquette": _plaquette(results)}
    if results.holds("rectangle"):
        every["rectangle"] = results.rows("rectangle")
    loops = np.asarray(results.rows("polyakov"))[:, :, 0]
    every |= {f"polyakov_{axis}": loops[:, place] for place, axis in enumerate(AXES)}
    if not is_chain(results):
        every["link_trace"] = results.rows("link_trace")
        found = {name: by_configuration(results, rows) for name, rows in every.items()}
    else:
        first = thermalisation_of(results)
        found = {name: rows[first:] for name, rows in every.items()}
        if results.holds("delta_h"):
            found |= _of_hamiltonian(np.asarray(results.rows("delta_h"))[first:])
    if results.holds("flow_charge"):
        charge = samples_of(results, "flow_charge")[:, -1]
        found |= {"charge": charge, "charge_squared": charge**2}
    return found


def _of_hamiltonian(delta: Floats) -> dict[str, Floats]:
    """ΔH where it is a number, and exp(-ΔH), which is 0 where ΔH is infinite."""
    with np.errstate(over="ignore"):
        return {"delta_h": delta[np.isfinite(delta)], "exp_minus_delta_h": np.exp(-delta)}


Entry = dict[str, Any]


def ensemble_of(results: Results) -> dict[str, Entry]:
    """Means over the configurations by name, with error, autocorrelation time and how many they
    are. With fewer than FEWEST_FILES files the errors are those of the jackknife, and the times
    are None.
    """
    found = {
        name: _mean(results, series, spacing_of(results, name))
        for name, series in series_of(results).items()
    }
    if results.holds("flow_charge"):
        found |= _scales(results)
    if results.holds("pion"):
        samples = samples_of(results, "pion")
        found["pion"] = _mean(results, samples, spacing_of(results, "pion"))
    return found


def _mean(results: Results, samples: NDArray[Any], spacing: int) -> Entry:
    """The mean of samples (N, ...) as an entry."""
    if len(samples) >= 2 and not correlated(results, len(samples)):
        return _of_jackknife(*jackknife(samples), len(samples))
    if not len(samples):
        return _entry(None, samples, spacing)
    return _entry(samples.mean(axis=0), samples, spacing)


def _of_jackknife(value: Any, error: Any, count: int) -> Entry:
    return {
        "mean": _list(value),
        "error": _list(error),
        "autocorrelation_time": _list(np.full(np.shape(error), np.nan)),
        "configurations": count,
    }


def _scales(results: Results) -> dict[str, Entry]:
    """t₀ and w₀ of the mean of E."""
    energy = samples_of(results, "flow_energy_space") + samples_of(results, "flow_energy_time")
    times = times_of(float(results.study["measure"]["flow_step"]), energy.shape[1])

    def function(scale: Callable[[Floats, Floats], float | None]) -> Callable[[Floats], float]:
        return lambda mean: _number(scale(times, mean))

    return {
        name: _function(results, energy, function(scale))
        for name, scale in (("t0", t0_of), ("w0", w0_of))
    }


def _function(results: Results, samples: Floats, function: Callable[[Floats], float]) -> Entry:
    """A function of the mean of flow samples (N, ...) as an entry; NaN where it does not exist."""
    spacing, count = spacing_of(results, "flow"), len(samples)
    if count >= 2 and not correlated(results, count):
        return _of_jackknife(*jackknife(samples, function), count)
    if count < 2:
        alone = function(samples[0]) if count else np.nan
        return _entry(alone, np.full(count, np.nan), spacing)
    return _entry(*linearised(samples, function), spacing)


def _number(value: float | None) -> float:
    return np.nan if value is None else value


def _entry(value: Any, series: NDArray[Any], spacing: int) -> Entry:
    """An entry of the mean `value` whose error is that of the mean of a series (N, ...)."""
    shape = series.shape[1:]
    columns = series.reshape(len(series), math.prod(shape)).T
    found = [error_of(column) for column in columns]
    errors, times = (np.array([one[k] for one in found]).reshape(shape) for k in (0, 1))
    return {
        "mean": None if value is None else _list(value),
        "error": _list(errors),
        "autocorrelation_time": _list(spacing * times),
        "configurations": len(series),
    }


def error_of(series: Floats) -> tuple[float, float]:
    """The error of the mean of a series (N,) and its autocorrelation time in members; NaN where
    there are too few of them, or some are no numbers.
    """
    if len(series) < LEAST or not np.isfinite(series).all():
        return np.nan, np.nan
    found = autocorrelation(series)
    return found.error, found.time


def _list(values: Any) -> Any:
    """Numbers as JSON has them, None in the place of those that are not finite."""
    return finite(np.asarray(values).tolist())
