"""Every dataset of the records says what it holds: in its attributes, as in docs/records.md."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import phasewise
from phasewise.runs.records import RecordsWriter
from phasewise.study import Study
from phasewise.workloads.collision.recording import EVENTS, EXPECTED, LOST, PHOTONS
from tests.unit.fake_run import FakeSimulation

EXAMPLES = sorted(
    path.parent.name
    for path in Path(__file__).parents[2].glob("examples/*/study.toml")
    # The workload of one is built by its own check, the table of the other made by its script.
    if path.parent.name not in ("workload-template", "atmosphere-own-costs")
)
ATTRIBUTES = {"study": "{}", "derived": "{}", "version": "0", "ranks": 1, "threads": 1}
EVERYTHING = (
    "moments_order=4",
    "tracked=3",
    "slices_every=2",
    "pair_luminosity_every=2",
    "photon_spectrum_every=2",
)
UNIT = r"1|degrees|m(\^-?\d)?( s\^-\d)?|s(\^-?\d)?|J|K|degC|g kg\^-1|kg m\^-2|W m\^-2|B"
"""Powers of metres and seconds, and their products; an energy, temperatures, a salinity, mass and
power of an area, and bytes.
"""
COORDINATES = ["x", "px", "y", "py", "z", "delta"]


FROM_OTHERS = {"ensemble": "runs/pure-gauge/links/trajectory-000000000010.ildg"}
"""A file that an example reads and another one makes, by the first one's name."""


def study_of(repository: Path, folder: Path, name: str) -> Study:
    """An example of few turns, with all that its workload can record."""
    path = repository / "examples" / name / "study.toml"
    if name in FROM_OTHERS:
        path = shutil.copytree(path.parent, folder / "examples" / name) / path.name
        made = folder / FROM_OTHERS[name]
        made.parent.mkdir(parents=True)
        made.touch()
    workload = phasewise.load(path).workload
    more = [f"records.{key}" for key in EVERYTHING] if workload.name == "collision" else []
    return phasewise.load(path, [f"{workload.unit.many}=3", *more])


def write(path: Path, study: Study) -> None:
    RecordsWriter(path, study, ATTRIBUTES).close()


def datasets(file: h5py.File) -> Iterator[tuple[str, h5py.Dataset]]:
    found: list[str] = []
    file.visititems(lambda name, item: found.append(name) if hasattr(item, "shape") else None)
    return ((name, file[name]) for name in found)


def text(value: Any) -> Any:
    """An attribute as text, or as lists of texts."""
    return np.asarray(value).astype(str).tolist()


def documented(repository: Path) -> dict[str, set[str]]:
    """Units by dataset in the table of the page, names as patterns."""
    page = (repository / "docs" / "records.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?) \| \(.*?\) \| (`.*?`) \|", page, re.MULTILINE)
    units: dict[str, set[str]] = {}
    for names, unit in rows:
        first, *more = re.findall("`(.+?)`", names)
        folder = first.rpartition("/")[0]
        for name in (first, *(n if "/" in n else f"{folder}/{n}" for n in more)):
            pattern = re.sub(r"<\w+>", r"\\d+", name).replace("beam1", r"beam\d")
            units[pattern] = set(re.findall("`(.+?)`", unit))
    return units


def flat(units: Any) -> set[str]:
    return {units} if isinstance(units, str) else set(np.ravel(units).tolist())


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_dataset_has_unit_and_description(
    repository: Path, tmp_path: Path, example: str
) -> None:
    write(tmp_path / "records.h5", study_of(repository, tmp_path, example))
    with h5py.File(tmp_path / "records.h5") as file:
        for name, item in datasets(file):
            attributes: Mapping[str, Any] = item.attrs
            assert text(attributes["description"]).endswith("."), name
            unit, columns = np.array(text(attributes["unit"])), text(attributes.get("columns", []))
            assert all(re.fullmatch(UNIT, one) for one in unit.ravel()), name
            # What is not written yet has the lengths of its chunks.
            assert not columns or len(columns) == item.chunks[-1], name
            assert unit.shape == item.chunks[item.ndim - unit.ndim :], name
            assert unit.ndim == 0 or unit.shape[-1] == len(columns), name


@pytest.mark.parametrize("example", ["lhc", "eic", "fcc-ee"])
def test_units_are_those_of_the_documentation(
    repository: Path, tmp_path: Path, example: str
) -> None:
    table = documented(repository)
    used = set()
    write(tmp_path / "records.h5", study_of(repository, tmp_path, example))
    with h5py.File(tmp_path / "records.h5") as file:
        for name, item in datasets(file):
            (pattern,) = (p for p in table if re.fullmatch(p, name))
            assert flat(text(item.attrs["unit"])) == table[pattern], name
            used.add(pattern)
    radiation = {rf"beam\d/{name}" for name in (*PHOTONS, *LOST, *EVENTS, *EXPECTED)}
    radiation.add(r"photon_spectrum/\d+/beam\d+")
    elsewhere = radiation | {r"beam\d/population"}
    assert example != "lhc" or used == table.keys() - elsewhere
    assert example != "fcc-ee" or radiation <= used


def test_the_units_of_moments_are_powers_and_products_of_those_of_the_coordinates(
    repository: Path, tmp_path: Path
) -> None:
    write(tmp_path / "records.h5", study_of(repository, tmp_path, "lhc"))
    with h5py.File(tmp_path / "records.h5") as file:
        beam = file["beam1"]
        assert text(beam["mean"].attrs["unit"]) == ["m", "1"] * 3
        assert text(beam["mean"].attrs["columns"]) == COORDINATES
        assert text(beam["covariance"].attrs["unit"]) == [["m^2", "m"] * 3, ["m", "1"] * 3] * 3
        assert text(beam["moment3"].attrs["unit"]) == ["m^3", "1"] * 3
        assert text(file["slices/0/ip1/beam2/sigma"].attrs["columns"]) == COORDINATES[:4]


def test_a_run_that_goes_on_describes_what_an_earlier_version_wrote(
    repository: Path, tmp_path: Path
) -> None:
    path, study = tmp_path / "records.h5", study_of(repository, tmp_path, "lhc")
    writer = RecordsWriter(path, study, ATTRIBUTES)
    run = FakeSimulation(0, 1, [101, 101], tracked=3)
    run.step()
    writer.append(0, run.record())
    writer.snapshot("slices/0/ip1/beam1", {"z": np.arange(5.0)})
    writer.close()
    with h5py.File(path, "r+") as file:
        for _, item in datasets(file):
            for name in list(item.attrs):
                del item.attrs[name]
    RecordsWriter.resume(path, study, ATTRIBUTES, 1).close()
    with h5py.File(path) as file:
        assert file["slices/0/ip1/beam1/z"][...].tolist() == list(range(5))
        assert all({"unit", "description"} <= set(item.attrs) for _, item in datasets(file))
