"""Particle files: dumps that openPMD's own reader understands, and beams that come from files."""

from __future__ import annotations

import math

import h5py
import numpy as np
import pytest

from phasewise.constants import ELEMENTARY_CHARGE, PROTON_MASS, SPEED_OF_LIGHT
from phasewise.errors import StudyError
from phasewise.runs.results import Results
from phasewise.study import Study
from phasewise.workloads.collision.driver import COORDINATES
from phasewise.workloads.collision.openpmd import write_dump
from phasewise.workloads.collision.particle_files import file_of, load_particles
from phasewise.workloads.common.dumps import read_dump
from phasewise.workloads.common.openpmd import EV_OVER_C, Reference, read_species
from tests.sentences import refused
from tests.unit.fake_core import World, tables
from tests.unit.fake_run import FakeSimulation, start

COUNT = 101
# (1 + delta)² is taken apart and put together again, each with a relative error of a few ulp, and
# momenta and times are scaled back and forth.
ULPS = 8 * np.finfo(float).eps


def study(**records):
    return Study.from_dict(tables(**records))


def small_particles(count=COUNT):
    rng = np.random.default_rng(7)
    rows = rng.standard_normal((count, 6)) * [1e-5, 3e-5, 1e-5, 3e-5, 0.08, 1e-4]
    return np.ascontiguousarray(rows)


def dump(folder, ranks=2, rows=None, ramp=None, **records):
    given = tables(particles_every=1, **records)
    if ramp is not None:
        given["beam"]["1"]["population_ramp"] = ramp
    plan = Study.from_dict(given)

    def body(rank):
        driver = FakeSimulation(rank.rank(), rank.size(), [COUNT, COUNT])
        driver.turn = 12
        if rows is not None:
            for beam in driver.beams_here:
                ids = np.arange(driver.first_id(beam), driver.last_id(beam), dtype=np.uint32)
                driver.replace_particles(beam, ids, *rows[ids].T)
        write_dump(folder, driver, rank, plan)

    World(ranks).run(body)
    return folder / "turn-000000012.h5"


def test_a_dump_is_read_back_to_rounding(tmp_path):
    rows = small_particles()
    read = read_dump(dump(tmp_path, rows=rows), 2)
    assert read["id"].tolist() == list(range(COUNT))
    for k, name in enumerate(COORDINATES):
        scale = 1.0 if name == "delta" else abs(rows[:, k])
        assert np.all(abs(read[name] - rows[:, k]) <= ULPS * scale)


def test_a_fraction_is_that_of_the_lowest_ids(tmp_path):
    path = dump(tmp_path, ranks=3, particles_fraction=0.1)
    assert read_dump(path, 1)["id"].tolist() == list(range(11))


def test_results_find_the_dumps_of_their_run(tmp_path):
    from phasewise.runs.records import RecordsWriter

    RecordsWriter(tmp_path / "records.h5", study(), {"study": "{}", "derived": "{}"}).close()
    dump(tmp_path / "particles", rows=small_particles())
    np.testing.assert_array_equal(Results(tmp_path).particles(1)["x"], small_particles()[:, 0])


def test_momenta_times_and_charges_are_those_of_the_standard(tmp_path):
    rows = small_particles()
    p0 = math.sqrt(7e12**2 - PROTON_MASS**2)
    with h5py.File(dump(tmp_path, rows=rows)) as file:
        beam = file["data/12/particles/beam1"]
        # p0 is computed in two ways, each good to a few ulp.
        np.testing.assert_allclose(beam["momentum/x"], rows[:, 1] * p0, rtol=ULPS)
        total = np.sqrt(sum(beam[f"momentum/{axis}"][...] ** 2 for axis in "xyz"))
        np.testing.assert_allclose(total, (1 + rows[:, 5]) * p0, rtol=ULPS)
        beta = p0 / 7e12
        np.testing.assert_allclose(beam["time"], -rows[:, 4] / (beta * SPEED_OF_LIGHT), rtol=ULPS)
        assert beam["momentum/x"].attrs["unitSI"] == pytest.approx(EV_OVER_C, rel=1e-15)
        charge = 1.15e11 * ELEMENTARY_CHARGE
        assert beam.attrs["totalCharge"] == pytest.approx(charge, rel=1e-14)
        assert beam.attrs["speciesType"] == b"proton"
        assert file.attrs["extensions"] == b"BeamPhysics;SpeciesType"


def test_a_dump_has_the_charge_that_a_ramp_of_the_population_has_then(tmp_path):
    ramp = {"turns": [10, 18], "particles": [1.15e11, 1.95e11]}
    with h5py.File(dump(tmp_path, ramp=ramp)) as file:
        beam = file["data/12/particles/beam1"]
        charge = 1.35e11 * ELEMENTARY_CHARGE
        assert beam.attrs["totalCharge"] == pytest.approx(charge, rel=1e-14)
        assert beam["weighting"].attrs["value"] * COUNT == pytest.approx(1.35e11, rel=1e-14)


def test_the_reader_of_openpmd_understands_a_dump(tmp_path):
    openpmd_api = pytest.importorskip("openpmd_api")
    rows = small_particles()
    dump(tmp_path, rows=rows)
    series = openpmd_api.Series(str(tmp_path / "turn-%09T.h5"), openpmd_api.Access.read_only)
    iteration = series.iterations[12]
    beam = iteration.particles["beam2"]
    x, pz, z = beam["position"]["x"], beam["momentum"]["z"], beam["position"]["z"]
    loaded = [component.load_chunk() for component in (x, pz, z)]
    weighting = beam["weighting"][openpmd_api.Record_Component.SCALAR].load_chunk()
    series.flush()
    np.testing.assert_array_equal(loaded[0], rows[:, 0])
    assert loaded[1].shape == (COUNT,)
    assert loaded[2].tolist() == [0.0] * COUNT
    assert weighting.sum() == pytest.approx(1.15e11, rel=1e-13)
    assert beam["momentum"].unit_dimension == [1, 1, -1, 0, 0, 0, 0]
    assert x.unit_SI == 1.0
    series.close()


@pytest.mark.parametrize("backend", ["h5py", "openpmd-api"])
def test_the_viewer_of_openpmd_gives_momenta_over_mc(tmp_path, backend):
    viewer = pytest.importorskip("openpmd_viewer")
    rows = small_particles()
    dump(tmp_path, rows=rows)
    series = viewer.OpenPMDTimeSeries(str(tmp_path), backend=backend)
    names = ["x", "ux", "uz", "w", "mass", "charge"]
    x, ux, uz, w, mass, charge = series.get_particle(names, species="beam1", iteration=12)
    np.testing.assert_array_equal(x, rows[:, 0])
    over_mc = math.sqrt((7e12 / PROTON_MASS) ** 2 - 1)
    np.testing.assert_allclose(ux, rows[:, 1] * over_mc, rtol=ULPS)
    along = np.sqrt((1 + rows[:, 5]) ** 2 - rows[:, 1] ** 2 - rows[:, 3] ** 2)
    np.testing.assert_allclose(uz, along * over_mc, rtol=ULPS)
    assert w.sum() == pytest.approx(1.15e11, rel=1e-13)
    assert mass.tolist() == [pytest.approx(1.67262192e-27, rel=1e-8)] * COUNT
    assert charge.tolist() == [ELEMENTARY_CHARGE] * COUNT


def test_records_of_a_particle_and_of_a_macroparticle_are_told_apart(tmp_path):
    with h5py.File(dump(tmp_path)) as file:
        beam = file["data/12/particles/beam1"]
        found = {
            name: (int(item.attrs["macroWeighted"]), float(item.attrs["weightingPower"]))
            for name, item in beam.items()
        }
    one = dict.fromkeys(("momentum", "mass", "charge"), (0, 1.0))
    whole = dict.fromkeys(("weight", "weighting"), (1, 1.0))
    neither = dict.fromkeys(("position", "positionOffset", "time", "id"), (0, 0.0))
    assert found == one | whole | neither


def beam_from(path, count=COUNT):
    plan = tables()
    for number in ("1", "2"):
        beam = plan["beam"]["1"] | {"distribution": "file", "particles": str(path)}
        plan["beam"][number] = beam | {"macroparticles": count}
    return Study.from_dict(plan).beam(1)


def read_particles(beam):
    return file_of(beam).read().rows


@pytest.mark.parametrize("ending", [".npy", ".txt", ".h5"])
def test_a_beam_reads_its_particles_from_each_kind_of_file(tmp_path, ending):
    rows = small_particles()
    path = tmp_path / f"bunch{ending}"
    if ending == ".npy":
        np.save(path, rows)
    elif ending == ".txt":
        np.savetxt(path, rows, fmt="%.17g")
    else:
        path = dump(tmp_path, rows=rows)
    read = read_particles(beam_from(path))
    assert np.all(abs(read - rows) <= ULPS * np.maximum(abs(rows), [0, 0, 0, 0, 0, 1]))


def test_the_only_species_of_a_foreign_file_is_taken_with_its_offsets_and_units(tmp_path):
    path = tmp_path / "foreign.h5"
    with h5py.File(path, "w") as file:
        file.attrs["particlesPath"] = b"./"
        group = file.create_group("data/7")
        for axis, value in zip("xyz", (1.0, 2.0, 5.0), strict=True):
            group[f"position/{axis}"] = np.full(3, value)
            group[f"position/{axis}"].attrs["unitSI"] = 1e-3
            group[f"momentum/{axis}"] = np.full(3, 0.0 if axis != "z" else 2.0)
            group[f"momentum/{axis}"].attrs["unitSI"] = EV_OVER_C * 1e12
        group["positionOffset/z"] = np.full(3, 0.25)
        group["positionOffset/z"].attrs["unitSI"] = 1.0
    beam = beam_from(path, 3)
    columns = read_species(path, beam.shared, "beam.1").columns
    np.testing.assert_allclose(columns["x"], 1e-3)
    np.testing.assert_allclose(columns["z"], 0.255)
    expected = 2e12 / Reference.of(beam.shared).momentum - 1
    np.testing.assert_allclose(columns["delta"], expected, rtol=1e-14)


def bad_files(tmp_path):
    rows = small_particles()
    np.save(tmp_path / "five.npy", rows[:, :5])
    np.save(tmp_path / "few.npy", rows[:50])
    rows[3, 2] = np.nan
    np.save(tmp_path / "nan.npy", rows)
    (tmp_path / "words.txt").write_text("x px y py z delta\n1 2 3 4 5 six\n")
    (tmp_path / "cut.npy").write_bytes((tmp_path / "few.npy").read_bytes()[:200])
    (tmp_path / "no.h5").write_bytes(b"nothing")
    (tmp_path / "bunch.csv").write_text("1,2,3,4,5,6\n")


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("five.npy", ("101 x 5", "x, px, y, py, z, delta")),
        ("few.npy", (50, "beam.1.macroparticles", 101)),
        ("nan.npy", ("row 4", "finite")),
        ("words.txt", ("read", "'x'", "row 0")),
        ("cut.npy", ("read", "length")),
        ("no.h5", ("read", "HDF5")),
        ("bunch.csv", ("ending", ".h5, .hdf5, .npy, .txt")),
    ],
)
def test_a_file_that_cannot_be_a_beam_is_refused_in_one_sentence(tmp_path, name, facts):
    bad_files(tmp_path)
    with refused(tmp_path / name, *facts) as caught:
        read_particles(beam_from(tmp_path / name))
    assert str(caught.value).startswith("beam.1.particles: ")


def test_every_rank_gets_its_own_rows_with_mismatch_and_offset(tmp_path):
    rows = np.stack([start(1, np.arange(COUNT), k) for k in range(6)], axis=1)
    np.save(tmp_path / "bunch.npy", rows)
    plan = tables()
    beam = plan["beam"]["1"] | {"distribution": "file", "particles": str(tmp_path / "bunch.npy")}
    plan["beam"]["1"] = beam | {"offset": [1e-3, 0, 0, 0, 0, 0], "mismatch": [2, 1, 1, 1, 1, 1]}
    plan["beam"]["2"] = beam

    def body(rank):
        driver = FakeSimulation(rank.rank(), rank.size(), [COUNT, COUNT])
        load_particles(driver, rank, Study.from_dict(plan))
        return {beam: driver.particles(beam) for beam in driver.beams_here}

    first, second, third = World(3).run(body)
    x = np.concatenate([first[1]["x"], second[1]["x"]])
    np.testing.assert_array_equal(x, rows[:, 0] * 2 + 1e-3)
    np.testing.assert_array_equal(third[2]["x"], rows[:, 0])


def unit_forgotten(group):
    del group["momentum/x"].attrs["unitSI"]


def unit_of_nothing(group):
    group["momentum/z"].attrs["unitSI"] = 1.0  # the values stay those in eV/c


def unit_infinite(group):
    group["position/x"].attrs["unitSI"] = np.inf


def other_quantity(group):
    group["momentum"].attrs["unitDimension"] = np.array([1.0, 0, 0, 0, 0, 0, 0])


def too_short(group):
    del group["momentum/y"]
    group["momentum/y"] = np.zeros(COUNT - 1)
    group["momentum/y"].attrs["unitSI"] = EV_OVER_C


def two_columns(group):
    del group["position/x"]
    group["position/x"] = np.zeros((COUNT, 2))
    group["position/x"].attrs["unitSI"] = 1.0


def words(group):
    del group["position/y"]
    group["position/y"] = np.array([b"one"] * COUNT)
    group["position/y"].attrs["unitSI"] = 1.0


def endless(group):
    group["position/z"].attrs["shape"] = np.array([2**62], np.uint64)


def standing(group):
    for axis in "xyz":
        group[f"momentum/{axis}"][7] = 0.0


def across(group):
    group["momentum/x"][9] = 2 * group["momentum/z"][9]
    group["momentum/z"][9] = 0.0


@pytest.mark.parametrize(
    ("change", "facts"),
    [
        (unit_forgotten, ("momentum/x", "no unitSI")),
        (unit_of_nothing, ("row 1", "delta", "1.87e+27", 2, "unit")),
        (unit_infinite, ("position/x", "unitSI", "inf")),
        (other_quantity, ("momentum/x", "unitDimension")),
        (too_short, ("momentum/y", 100, 101)),
        (two_columns, ("position/x", "one column")),
        (words, ("position/y", "real")),
        (endless, ("position/z", 2**62, 101)),
        (standing, ("row 8", "delta", -1, "unit")),
        (across, ("row 10", "across")),
    ],
)
def test_a_dump_that_is_not_what_its_words_say_is_refused(tmp_path, change, facts):
    path = dump(tmp_path, rows=small_particles())
    with h5py.File(path, "r+") as file:
        change(file["data/12/particles/beam1"])
    with refused("beam.1.particles", path, *facts) as caught:
        read_particles(beam_from(path))
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("ending", [".npy", ".h5"])
def test_any_bytes_in_a_particle_file_give_particles_or_one_sentence(tmp_path, ending):
    path = tmp_path / f"bunch{ending}"
    np.save(tmp_path / "bunch.npy", small_particles())
    path = path if ending == ".npy" else dump(tmp_path, rows=small_particles())
    whole, rng = path.read_bytes(), np.random.default_rng(3)
    for _ in range(150):
        damaged = bytearray(whole)
        for place in rng.integers(0, min(len(whole), 300 if ending == ".npy" else 8000), 2):
            damaged[place] = rng.integers(256)
        path.write_bytes(bytes(damaged))
        try:
            assert read_particles(beam_from(path)).shape == (COUNT, 6)
        except StudyError as error:
            assert str(error).isprintable()


def test_check_reads_the_particles_too(tmp_path):
    from phasewise.workloads.collision.particle_files import check_files

    rows = small_particles()
    rows[5, 5] = -1.5
    np.save(tmp_path / "bunch.npy", rows)
    plan = tables()
    plan["beam"]["1"] |= {"distribution": "file", "particles": str(tmp_path / "bunch.npy")}
    with refused("beam.1.particles", "row 6", tmp_path / "bunch.npy", "delta", -1.5):
        check_files(Study.from_dict(plan))
