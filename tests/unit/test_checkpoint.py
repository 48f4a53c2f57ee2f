"""Checkpoints: whole or absent, the same on any number of ranks, and only for their own study."""

from __future__ import annotations

import errno
import json

import h5py
import numpy as np
import pytest

import phasewise
from phasewise.driver import check_library, check_world, launched_size
from phasewise.errors import RunError, StudyError
from phasewise.mpi.ranks import collectively
from phasewise.runs.checkpoint import (
    choose_checkpoint,
    find_checkpoints,
    former_keys,
    restore,
    write_checkpoint,
)
from phasewise.runs.disk import GuardedFile, replacing_hdf5
from phasewise.runs.gathering import gather_rows
from phasewise.runs.records import fixed_text
from phasewise.runs.results import Results
from phasewise.study import Study
from phasewise.workloads.collision.particles import Particles
from phasewise.workloads.common.dumps import COLUMNS
from tests.sentences import one_sentence, refused
from tests.unit.fake_core import World, tables
from tests.unit.fake_run import NAMES, FakeSimulation, start

COUNTS = [101, 64]
SETS = {"beam1": COLUMNS, "beam2": COLUMNS}


def study(**changes):
    plan = tables(checkpoint_every=4)
    plan["beam"]["2"]["macroparticles"] = COUNTS[1]
    return Study.from_dict(plan | changes)


def write(folder, ranks, turn=3, lost=(5, 77), plan=None):
    def body(rank):
        driver = FakeSimulation(rank.rank(), rank.size(), COUNTS)
        driver.turn = turn
        for id_ in lost:
            driver.lose(1, id_)
        return write_checkpoint(folder, driver, rank, plan or study())

    return World(ranks).run(body)[0]


def particles_after_restoring(folder, ranks, plan=None):
    """Beam number to the particles by id on all ranks together, the turn, and the notes."""

    def body(rank):
        driver = FakeSimulation(rank.rank(), rank.size(), COUNTS)
        notes = restore(folder, driver, rank, plan or study())
        beams = {b: driver.particles(b) for b in driver.beams_here}
        return beams, driver.turn, notes

    ranks_results = World(ranks).run(body)
    merged = {}
    for beam in (1, 2):
        parts = [beams[beam] for beams, _, _ in ranks_results if beam in beams]
        ids = np.concatenate([part["id"] for part in parts])
        order = np.argsort(ids)
        merged[beam] = {n: np.concatenate([p[n] for p in parts])[order] for n in ("id", *NAMES)}
    return merged, ranks_results[-1][1], ranks_results[0][2]


@pytest.mark.parametrize(("written", "read"), [(1, 1), (1, 3), (2, 5), (5, 2), (3, 1)])
def test_particles_return_bit_for_bit_on_any_other_number_of_ranks(tmp_path, written, read):
    write(tmp_path, written)
    beams, turn, notes = particles_after_restoring(tmp_path, read)
    assert turn == 3
    assert notes == []
    expected = {1: np.delete(np.arange(101), [5, 77]), 2: np.arange(64)}
    for beam, ids in expected.items():
        np.testing.assert_array_equal(beams[beam]["id"], ids)
        for column, name in enumerate(NAMES):
            np.testing.assert_array_equal(beams[beam][name], start(beam, ids, column))


def test_the_file_is_the_same_for_any_number_of_ranks(tmp_path):
    contents = []
    for ranks in (1, 4):
        with h5py.File(write(tmp_path / str(ranks), ranks)) as file:
            contents.append({n: file[f"beam1/{n}"][...].tobytes() for n in ("id", *NAMES)})
    assert contents[0] == contents[1]


def test_blocks_of_ids_come_in_order_and_complete():
    def body(rank):
        driver = FakeSimulation(rank.rank(), rank.size(), COUNTS)
        rows = Particles(driver).rows("beam1")
        return [b["id"].tolist() for b in gather_rows(rows, COLUMNS, rank, 90, block=32)]

    first, *others = World(3).run(body)
    assert first == [list(range(a, min(a + 32, 90))) for a in (0, 32, 64)]
    assert all(blocks == [[], [], []] for blocks in others)


def test_the_last_two_are_kept(tmp_path):
    paths = [write(tmp_path, 1, turn) for turn in (1, 2, 3)]
    assert find_checkpoints(tmp_path) == [paths[2], paths[1]]


def damage_by_cutting(path):
    path.write_bytes(path.read_bytes()[:-2000])


def damage_by_a_flipped_bit(path):
    with h5py.File(path, "r") as file:
        place = file["beam1/px"].id.get_chunk_info(0).byte_offset
    content = bytearray(path.read_bytes())
    content[place + 100] ^= 1
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("damage", [damage_by_cutting, damage_by_a_flipped_bit])
def test_a_damaged_checkpoint_is_passed_over_for_the_older_one_and_named(tmp_path, damage):
    older, newer = write(tmp_path, 2, 3), write(tmp_path, 2, 4)
    damage(newer)
    beams, turn, notes = particles_after_restoring(tmp_path, 3)
    assert turn == 3
    assert len(beams[1]["id"]) == 99
    one_sentence(notes[0], newer, "damaged", older)


def test_any_damage_to_a_checkpoint_is_found(tmp_path):
    older, newer = write(tmp_path, 1, 3), write(tmp_path, 1, 4)
    whole = newer.read_bytes()
    # HDF5's own books with the study, then the particles, the seal bit by bit; and cuts.
    places = [*range(0, 6000, 17), *range(6000, len(whole), len(whole) // 100)]
    places += range(len(whole) - 45, len(whole))
    damages = [whole[:k] + bytes([whole[k] ^ (1 << k % 8)]) + whole[k + 1 :] for k in places]
    damages += [whole[: len(whole) * k // 10] for k in range(10)]
    for content in damages:
        newer.write_bytes(content)
        chosen, notes = choose_checkpoint(tmp_path, study(), SETS)
        assert (chosen, len(notes)) == (older, 1)


def test_hdf5_does_not_open_a_file_before_its_checksum_is_compared(tmp_path, monkeypatch):
    # The library searches a damaged heap without end, and no signal ends it.
    older, newer = write(tmp_path, 1, 3), write(tmp_path, 1, 4)
    damage_by_a_flipped_bit(newer)
    opened, open_file = [], h5py.File
    monkeypatch.setattr(
        h5py, "File", lambda path, *_a, **_b: opened.append(path) or open_file(path)
    )
    choose_checkpoint(tmp_path, study(), SETS)
    assert opened == [older]


def test_a_checkpoint_of_an_earlier_version_is_refused_in_one_sentence(tmp_path):
    path = write(tmp_path, 1)
    with h5py.File(path) as sealed, h5py.File(tmp_path / "bare.h5", "w") as bare:
        for name in sealed:
            sealed.copy(name, bare)
        bare.attrs.update(sealed.attrs)
    (tmp_path / "bare.h5").rename(path)
    with refused(path, "checksum", by=RunError) as caught:
        choose_checkpoint(tmp_path, study(), SETS)
    assert str(caught.value).isprintable()


def test_without_a_whole_checkpoint_every_rank_ends_with_the_same_sentence(tmp_path):
    with refused(tmp_path, "checkpoint", "--resume", by=RunError):
        particles_after_restoring(tmp_path, 3)
    path = write(tmp_path, 1)
    damage_by_cutting(path)
    with refused(path, "damaged", by=RunError):
        particles_after_restoring(tmp_path, 3)


def test_a_checkpoint_of_another_study_is_refused_and_the_keys_are_named(tmp_path):
    with refused(write(tmp_path, 1), "seed", 1, 2):
        choose_checkpoint(tmp_path, study(seed=2), SETS)


def test_turns_may_grow_and_may_not_fall_short_of_the_checkpoint(tmp_path):
    path = write(tmp_path, 1)
    assert choose_checkpoint(tmp_path, study(turns=1000), SETS)[1] == []
    with refused(path, "turns = 2", "turn 3"):
        choose_checkpoint(tmp_path, study(turns=2), SETS)


def test_a_resumed_run_records_what_an_uninterrupted_one_does(tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    World(1).run(lambda rank: phasewise.run(study(), whole, core=rank).close())
    World(2).run(lambda rank: phasewise.run(study(turns=6), parts, core=rank).close())
    World(3).run(lambda rank: phasewise.run(study(), parts, resume=True, core=rank).close())
    assert [p.name for p in find_checkpoints(parts / "checkpoint")] == [
        "turn-000000000010.h5",
        "turn-000000000008.h5",
    ]
    one, two = Results(whole), Results(parts)
    for name in ("turn", "luminosity", "beam1/mean", "beam2/covariance"):
        np.testing.assert_array_equal(one.rows(name), two.rows(name))


def forget_planes(path):
    """Make the checkpoint one of a version that did not know the key."""
    beside = path.with_suffix(".new")
    with h5py.File(path) as whole, replacing_hdf5(beside, sealed=True) as former:
        former.attrs.update(whole.attrs)
        for name in whole:
            if name != "study":
                whole.copy(name, former)
        saved = json.loads(whole["study"][0])
        for point in saved["ip"].values():
            del point["planes"]
        text = [fixed_text(json.dumps(saved))]
        former.create_dataset("study", data=text, chunks=(1,), fletcher32=True)
    beside.rename(path)


def test_a_run_of_a_version_with_planes_of_pairs_goes_on_with_them(tmp_path, capsys):
    shared = study()
    pair = shared.replace(**{"ip.1.planes": "pair"})
    out = tmp_path / "out"
    World(1).run(lambda rank: phasewise.run(pair, out, core=rank).close())
    for path in find_checkpoints(out / "checkpoint"):
        forget_planes(path)
    choose_checkpoint(out / "checkpoint", pair, SETS)
    with refused("ip.1.planes", "shared"):
        asked = shared.replace(**{"ip.1.planes": "shared"})
        choose_checkpoint(out / "checkpoint", asked, SETS)
    World(2).run(lambda rank: phasewise.run(shared, out, resume=True, core=rank).close())
    one_sentence(capsys.readouterr().err, 'ip.1.planes = "pair"')
    assert Results(out).study["ip"]["1"]["planes"] == "pair"


def test_a_key_of_planes_makes_no_difference_where_slices_have_one(tmp_path):
    one = study().replace(**{"ip.1.interpolation": "none"})
    forget_planes(write(tmp_path, 1, plan=one))
    for asked in (one, *(one.replace(**{"ip.1.planes": planes}) for planes in ("shared", "pair"))):
        assert former_keys(tmp_path, asked) == {}
        choose_checkpoint(tmp_path, asked, SETS)
    forget_planes(write(tmp_path, 1))
    assert former_keys(tmp_path, study()) == {"ip.1.planes": "pair"}


def test_a_refused_resume_changes_nothing_of_the_run(tmp_path):
    out = tmp_path / "out"
    World(1).run(lambda rank: phasewise.run(study(), out, core=rank).close())
    before = {p: p.read_bytes() for p in out.rglob("*") if p.is_file()}
    with refused("seed", 1, 2, by=RunError):
        World(2).run(lambda rank: phasewise.run(study(seed=2), out, resume=True, core=rank))
    assert {p: p.read_bytes() for p in out.rglob("*") if p.is_file()} == before


def test_resuming_a_finished_run_leaves_its_times(tmp_path):
    out = tmp_path / "out"
    World(1).run(lambda rank: phasewise.run(study(), out, core=rank).close())
    performance, seconds = (out / "performance.json").read_bytes(), Results(out).seconds_per_turn
    World(1).run(lambda rank: phasewise.run(study(), out, resume=True, core=rank).close())
    assert (out / "performance.json").read_bytes() == performance
    assert Results(out).seconds_per_turn == seconds > 0
    assert Results(out).complete


def test_a_failure_on_one_rank_is_raised_on_all_with_its_number():
    def body(rank):
        def action():
            if rank.rank() == 2:
                raise StudyError("the file is missing")

        with refused("rank 2", "the file is missing", by=RunError) as caught:
            collectively(rank, action)
        return caught.value.exit_status

    assert World(3).run(body) == [2, 2, 2]


class SmallDisk:
    """A file on a disk with room for 20 kB."""

    def __init__(self, file):
        self.file, self.room = file, 20_000

    def write(self, data):
        self.room -= len(data)
        if self.room < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return self.file.write(data)

    def __getattr__(self, name):
        return getattr(self.file, name)


def test_a_disk_that_fills_up_under_a_file_raises_and_leaves_nothing(tmp_path, monkeypatch):
    create = GuardedFile.__init__

    def small_disk(self, path):
        create(self, path)
        self._file = SmallDisk(self._file)

    monkeypatch.setattr(GuardedFile, "__init__", small_disk)
    with pytest.raises(OSError) as caught, replacing_hdf5(tmp_path / "a.h5") as file:
        for k in range(20):
            file[f"data{k}"] = np.zeros(1000)
    assert caught.value.errno == errno.ENOSPC
    assert list(tmp_path.iterdir()) == []


def test_ranks_that_believe_to_be_alone_are_told_of_the_wrong_launcher():
    assert launched_size({"PMI_SIZE": "4"}) == 4
    assert launched_size({}) == 0
    step = {"SLURM_STEP_NUM_TASKS": "4"}
    assert launched_size(step) == launched_size(step | {"SLURM_PROCID": "0"}) == 0
    assert launched_size(step | {"SLURM_PROCID": "0", "PMIX_RANK": "0"}) == 4
    check_world(4, {"OMPI_COMM_WORLD_SIZE": "4"})
    check_world(1, {"OMPI_COMM_WORLD_SIZE": "1"})
    with refused("4 ranks", "mpiexec", by=RunError):
        check_world(1, {"PMI_SIZE": "4"})


def test_a_core_built_with_another_mpi_library_is_refused():
    open_mpi = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, May 26, 2022\0"
    check_library(open_mpi, "Open MPI v4.1.6")
    with refused("Open MPI 5", "Open MPI 4", by=RunError):
        check_library(open_mpi, "Open MPI v5.0.1")
    with refused("Open MPI 4", "MPICH 4", by=RunError):
        check_library("MPICH Version:      4.0.2\nMPICH Release date: ...", "Open MPI v4.1.4")
