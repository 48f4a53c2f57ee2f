"""Records: written turn by turn, readable meanwhile, cut and gone on with, safe on a full disk."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

import phasewise
from phasewise.errors import RunError
from phasewise.runs.layout import check_schedule
from phasewise.runs.records import RecordsWriter
from phasewise.runs.results import Results
from phasewise.study import Study
from tests.sentences import one_sentence, refused, says
from tests.unit.fake_core import World, tables
from tests.unit.fake_run import FakeSimulation

ATTRIBUTES = {"study": "{}", "derived": "{}", "version": "0", "ranks": 1, "threads": 1}


def study(**records):
    return Study.from_dict(tables(**records))


def write(writer, first, last):
    driver = FakeSimulation(0, 1, [101, 101])
    for turn in range(first, last):
        driver.turn = turn + 1
        writer.append(turn, driver.record())


def test_every_turn_is_read_back_as_it_was_recorded(tmp_path):
    path = tmp_path / "records.h5"
    writer = RecordsWriter(path, study(), ATTRIBUTES)
    write(writer, 0, 10)
    writer.close(True, 0.25)
    with Results(path) as results:
        assert results.turn.tolist() == list(range(10))
        np.testing.assert_array_equal(results.luminosity[:, 0], 1e30 + np.arange(10))
        np.testing.assert_array_equal(results.beam(2).mean[:, 3], np.arange(10))
        assert results.beam(1).covariance.shape == (10, 6, 6)
        assert results.beam(1).losses.dtype == np.int64
        assert results.beam(1).tracked.shape == (10, 0, 6)
        assert results.complete
        assert results.seconds_per_turn == 0.25


def test_a_reader_sees_turns_as_they_are_flushed_and_does_not_stop_the_writer(tmp_path):
    path = tmp_path / "records.h5"
    writer = RecordsWriter(path, study(), ATTRIBUTES)
    reader = Results(path)
    assert len(reader) == 0
    write(writer, 0, 4)
    writer.flush()
    assert reader.refresh() == 4
    with h5py.File(path, "r", swmr=True, locking=False) as stranger:
        write(writer, 4, 10)
        writer.flush()
        stranger["turn"].refresh()
        assert stranger["turn"].shape == (10,)
    np.testing.assert_array_equal(reader.luminosity[:, 0], 1e30 + np.arange(4))
    assert reader.refresh() == 10
    np.testing.assert_array_equal(reader.beam(1).mean[:, 0], np.arange(10))
    assert not reader.complete
    writer.close(True)
    assert Results(path).complete


def test_a_killed_writer_leaves_a_file_that_is_read_and_gone_on_with(tmp_path):
    path = tmp_path / "records.h5"
    if (child := os.fork()) == 0:
        writer = RecordsWriter(path, study(), ATTRIBUTES)
        write(writer, 0, 7)
        writer.flush()
        write(writer, 7, 8)  # not flushed: lost
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert Results(path).turn.tolist() == list(range(7))
    writer = RecordsWriter.resume(path, study(), ATTRIBUTES, 5)
    write(writer, 5, 10)
    writer.close(True)
    results = Results(path)
    assert results.turn.tolist() == list(range(10))
    np.testing.assert_array_equal(results.beam(2).mean[:, 0], np.arange(10))


def test_a_dataset_that_an_earlier_version_did_not_record_is_marked_as_such(tmp_path):
    path = tmp_path / "records.h5"
    writer = RecordsWriter(path, study(), ATTRIBUTES)
    write(writer, 0, 7)
    writer.close()
    with h5py.File(path, "r+") as file:
        del file["beam1/debunched"], file["beam2/emittance"]
    assert Results(path).beam(1).debunched.tolist() == [-1] * 7
    writer = RecordsWriter.resume(path, study(), ATTRIBUTES, 5)
    write(writer, 5, 8)
    writer.close(True)
    results = Results(path)
    assert results.beam(1).debunched.tolist() == [-1] * 5 + [0] * 3
    assert np.isnan(results.beam(2).emittance[:, 0]).tolist() == [True] * 5 + [False] * 3


def test_resuming_keeps_the_time_of_creation_and_the_snapshots_before_the_checkpoint(tmp_path):
    path, plan = tmp_path / "records.h5", study(slices_every=4)
    writer = RecordsWriter(path, plan, ATTRIBUTES | {"created": "then"})
    write(writer, 0, 9)
    for turn in (0, 4, 8):
        writer.snapshot(f"slices/{turn}/ip1/beam1", {"z": np.full(3, float(turn))})
    writer.close()
    assert Results(path).snapshots("slices") == [0, 4, 8]
    writer = RecordsWriter.resume(path, plan, ATTRIBUTES, 6)
    write(writer, 6, 10)
    writer.close(True)
    results = Results(path)
    assert results.snapshots("slices") == [0, 4]
    assert results.slices(4)["z"].tolist() == [4.0] * 3
    assert results.attributes["created"] == "then"


FUZZ = """
import sys
sys.path[:0] = {paths!r}
from tests.unit.test_records import *
damaged = Path({path!r})
whole, damages = damaged.read_bytes(), {damages!r}
for kind, place in damages:
    content = bytearray(whole[:place] if kind == "cut" else whole)
    if kind == "flip":
        content[place] ^= 1 << place % 8
    damaged.write_bytes(bytes(content))
    try:
        with Results(damaged) as results:
            results.study, results.derived, results.attributes, results.snapshots("slices")
            [results.rows(name) for name in ("turn", "luminosity", "beam1/mean")]
        print("read")
    except RunError as error:
        assert "\\n" not in str(error), error
        print(error)
"""


@pytest.mark.parametrize("closed", [True, False])
def test_damaged_records_are_one_sentence_at_once_or_are_read(tmp_path, closed):
    path = tmp_path / "records.h5"
    if (child := os.fork()) == 0:
        writer = RecordsWriter(path, study(slices_every=4), ATTRIBUTES)
        write(writer, 0, 10)
        writer.flush()
        if closed:
            writer.close(True)
        os._exit(0)
    os.waitpid(child, 0)
    content = path.read_bytes()
    end = int.from_bytes(content[28:36], "little")
    damages = [("cut", round(end * k / 12)) for k in range(12)]
    if closed:
        # The superblock bit by bit, a stretch that holds the root's metadata, and some of the rest.
        places = [*range(48), *range(48, 1500, 13), *range(1500, end, end // 60)]
        damages += [("flip", place) for place in places]
    program = FUZZ.format(paths=[str(Path(__file__).parents[2])], path=str(path), damages=damages)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=50, check=False
    )
    said = done.stdout.splitlines()
    assert (done.returncode, done.stderr, len(said)) == (0, "", len(damages))
    for line in said[:12]:
        says(line, path, "read")


def test_records_that_end_before_the_checkpoint_are_refused(tmp_path):
    path = tmp_path / "records.h5"
    writer = RecordsWriter(path, study(), ATTRIBUTES)
    write(writer, 0, 3)
    writer.close()
    with refused(path, "turn 4", "checkpoint", by=RunError):
        RecordsWriter.resume(path, study(), ATTRIBUTES, 4)
    assert len(Results(path)) == 3


def test_a_run_writes_the_snapshots_it_was_asked_for_on_any_number_of_ranks(tmp_path):
    plan = study(slices_every=5, pair_luminosity_every=3, field=True, particles_every=10)
    for ranks in (1, 3):
        out = tmp_path / str(ranks)
        World(ranks).run(lambda rank, out=out: phasewise.run(plan, out, core=rank).close())
        results = Results(out)
        assert results.snapshots("slices") == [0, 5]
        assert results.slices(5, beam=2)["sigma"].tolist() == [[5.0] * 4] * 3
        assert results.snapshots("pair_luminosity") == [0, 3, 6, 9]
        assert results.pair_luminosity(9)[0, 0] == 9.0
        assert results.snapshots("field") == [9]
        # Slice 2 of 3 is the middle one.
        assert results.field(9, beam=2)["ex"][3, 4] == 122.0
        assert [dump.name for dump in results.dumps()] == ["turn-000000000.h5", "turn-000000010.h5"]


def test_more_snapshots_than_a_file_can_be_laid_out_for_are_refused():
    plan = Study.from_dict(tables(slices_every=1) | {"turns": 100_000})
    with refused("records.slices_every", 1, 100000, 10000, 10):
        check_schedule(plan)


def test_a_folder_without_records_is_named(tmp_path):
    with refused("no records", tmp_path / "records.h5", by=RunError):
        phasewise.open_results(tmp_path)


def test_an_earlier_run_is_moved_aside_and_not_overwritten(tmp_path, capsys):
    out = tmp_path / "run"
    for _ in range(2):
        World(1).run(lambda rank: phasewise.run(study(), out, core=rank).close())
    assert len(Results(tmp_path / "run.1")) == len(Results(out)) == 10
    one_sentence(capsys.readouterr().err, out, "moved", tmp_path / "run.1")


def test_two_runs_do_not_write_to_one_folder(tmp_path):
    from phasewise.runs.folder import RunFolder

    first, second = RunFolder(tmp_path / "run"), RunFolder(tmp_path / "run")
    first.prepare(study(), None, False)
    with refused("another run", tmp_path / "run", "--out", by=RunError):
        second.prepare(study(), None, False)
    first.release()
    second.prepare(study(), None, False)
    second.release()


FULL_DISK = """
import sys
sys.path[:0] = {paths!r}
from tests.unit.test_records import *
from phasewise.runs.records import *
writer = RecordsWriter(Path({path!r}), study(tracked=50), ATTRIBUTES)
driver = FakeSimulation(0, 1, [101, 101], 50)
try:
    for turn in range(4000):
        driver.turn = turn + 1
        writer.append(turn, driver.record())
        if turn % 10 == 9:
            writer.flush()
            print(turn + 1, flush=True)
except RunError as error:
    print(error)
    writer.close_after_failure()
"""


def run_on_full_disk(path: Path, limit: int | None) -> tuple[int, str, int]:
    """Turns flushed before the disk was full, the error, and the turns read from the file."""
    paths = [str(Path(__file__).parents[2])]
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK.format(path=str(path), paths=paths)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        preexec_fn=lambda: limit and resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    *flushed, error = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    return int(flushed[-1]), error, len(Results(path))


def test_a_file_that_cannot_grow_ends_in_one_sentence_and_keeps_what_was_flushed(tmp_path):
    flushed, error, kept = run_on_full_disk(tmp_path / "records.h5", 2_000_000)
    one_sentence(error, "records.h5", "written", "kept")
    assert kept >= flushed > 0


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")
def test_a_full_disk_ends_in_one_sentence_and_keeps_what_was_flushed(tmp_path):
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", tmp_path],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("this machine does not let root mount a disk")
    try:
        flushed, error, kept = run_on_full_disk(tmp_path / "records.h5", None)
        one_sentence(error, "records.h5", "disk", "full")
        assert kept >= flushed > 0
    finally:
        subprocess.run(["umount", "-l", tmp_path], check=True)


def written(path, turns=10, complete=True):
    """Records of some turns; without `complete` as a killed writer leaves them."""
    writer = RecordsWriter(path, study(slices_every=5), ATTRIBUTES)
    write(writer, 0, turns)
    writer.snapshot("slices/5/ip1/beam1", {"z": np.ones(3)})
    writer.flush()
    if complete:
        writer.close(True)
    return writer


def flip(path, name, place):
    """Change a bit of a dataset's first chunk on the disk."""
    with h5py.File(path, swmr=True, locking=False) as file:
        start = file[name].id.get_chunk_info(0).byte_offset
    content = bytearray(path.read_bytes())
    content[start + place] ^= 1
    path.write_bytes(bytes(content))


def test_every_dataset_has_a_checksum_and_no_text_stands_in_the_heap(tmp_path):
    written(tmp_path / "records.h5")
    with h5py.File(tmp_path / "records.h5") as file:
        texts = {n: h5py.h5a.open(file.id, n.encode()).get_type() for n in file.attrs}
        assert not any(getattr(kind, "is_variable_str", bool)() for kind in texts.values())
        names = []
        file.visititems(lambda name, item: names.append(name) if hasattr(item, "shape") else None)
        assert len(names) > 10
        assert all(file[name].fletcher32 for name in names)


def test_attributes_are_texts_also_where_they_are_long(tmp_path):
    path = tmp_path / "records.h5"
    derived = json.dumps({"words": "é" * 200_000})
    RecordsWriter(path, study(), ATTRIBUTES | {"derived": derived}).close(True)
    with Results(path) as results:
        assert results.derived == json.loads(derived)
        assert results.attributes["version"] == "0"
        assert results.complete


@pytest.mark.parametrize("name", ["turn", "luminosity", "beam1/mean", "slices/5/ip1/beam1/z"])
def test_a_flipped_bit_is_found_and_gives_no_other_number(tmp_path, name):
    path = tmp_path / "records.h5"
    written(path)
    flip(path, name, 9)
    with Results(path) as results, refused(path, "read", by=RunError):
        (results.array if "slices" in name else results.rows)(name)


def test_a_chunk_that_a_killed_writer_left_half_written_gives_the_turns_before(tmp_path):
    path = tmp_path / "records.h5"
    if (child := os.fork()) == 0:
        writer = written(path, complete=False)
        os._exit(writer is None)
    os.waitpid(child, 0)
    flip(path, "luminosity", 8 * 20)  # in a turn that is not counted yet
    with Results(path) as results:
        np.testing.assert_array_equal(results.luminosity[:, 0], 1e30 + np.arange(10))
    resumed = RecordsWriter.resume(path, study(slices_every=5), ATTRIBUTES, 7)
    resumed.close()
    assert Results(path).luminosity[:, 0].tolist() == (1e30 + np.arange(7)).tolist()


@pytest.mark.parametrize("replaced", [False, True])
def test_records_that_are_removed_end_the_run_at_once(tmp_path, replaced):
    path = tmp_path / "records.h5"
    writer = RecordsWriter(path, study(), ATTRIBUTES)
    write(writer, 0, 3)
    writer.flush()
    path.unlink()
    if replaced:
        path.write_bytes(b"another")
    with refused(path, "removed", by=RunError):
        writer.flush()
    writer.close_after_failure()
    assert path.exists() == replaced
