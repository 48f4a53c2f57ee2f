"""What a recorder's files say is read, and damaged ones end in one sentence."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.torture.recorded import Mutations
from phasewise.errors import RunError
from phasewise.recorder import building, launching
from phasewise.recorder.cplusplus import readable
from phasewise.recorder.header import functions_of
from phasewise.recorder.launching import ENVIRONMENT_LIST, taken_along, with_recorder
from phasewise.recorder.matching import AllEnds, match
from phasewise.recorder.phases import inside_of, seconds_of
from phasewise.recorder.raw import read_rank
from phasewise.recorder.recording import read_recording
from phasewise.recorder.requests import last_before
from phasewise.recorder.varints import Cursor, signed, unpacked
from phasewise.recorder.wrappers import stub_header, wrapped_arguments, wrappers_source

HEADER = """
extern int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest,
                    int tag, MPI_Comm comm) __attribute__((nonnull(1)));
int MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status *statuses);
int MPI_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup);
int MPI_Comm_free(MPI_Comm *);
double MPI_Wtime(void);
int MPI_Pcontrol(const int level, ...);
MPI_Fint MPI_Comm_c2f(MPI_Comm comm);
int PMPI_Send(const void *buf, int count);
"""


def test_functions_are_read_from_a_header() -> None:
    found = {one.name: one.declared for one in functions_of(HEADER)}
    assert found == {
        "MPI_Comm_free": "MPI_Comm * a0",
        "MPI_Group_range_incl": "MPI_Group a0, int a1, int a2[][3], MPI_Group * a3",
        "MPI_Send": "const void * a0, int a1, MPI_Datatype a2, int a3, int a4, MPI_Comm a5",
        "MPI_Waitall": "int a0, MPI_Request a1[], MPI_Status * a2",
    }


def test_wrappers_and_stub_have_each_function_once() -> None:
    functions = functions_of(HEADER)
    source = wrappers_source(functions)
    assert source.count("static int wrapped_MPI_Send(") == 1
    assert "sent(&frame, bytes_of(a1, a2), a3, a4, a5);" in source
    header = stub_header(wrapped_arguments(functions))
    for name in ("MPI_Send", "MPI_Pcontrol", "MPI_Waitall"):
        assert header.count(f"long {name}(") == header.count(f"long P{name}(") == 1


def packed(number: int) -> list[int]:
    found = []
    while number >= 0x80:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return [*found, number]


def test_numbers_are_those_that_were_packed() -> None:
    numbers = [0, 1, 127, 128, 300, 2**31, 2**62]
    data = np.array([byte for number in numbers for byte in packed(number)], np.uint8)
    values, ends = unpacked(data)
    assert values.tolist() == numbers
    assert ends[-1] == len(data)
    cursor = Cursor(data)
    assert [cursor.number() for _ in numbers] == numbers and not cursor
    # The last number is cut off: it is left out.
    assert unpacked(data[:-1])[0].tolist() == numbers[:-1]
    assert signed(np.array([0, 1, 2, 3])).tolist() == [0, -1, 1, -2]
    with pytest.raises(ValueError, match="too long"):
        unpacked(np.array([0xFF] * 10 + [0], np.uint8))


def test_a_completion_belongs_to_the_last_post_of_its_slot() -> None:
    slot, call = np.array([0, 1, 0]), np.array([0, 1, 5])
    found = last_before(slot, call, np.array([0, 0, 1, 2]), np.array([3, 8, 8, 8]))
    assert found.tolist() == [0, 2, 1, -1]


def test_messages_are_matched_in_the_order_of_one_pair_tag_and_communicator() -> None:
    def ends(rows: list[list[int]]) -> AllEnds:
        return AllEnds(*np.array(rows).reshape(-1, 5).T)

    # rank, communicator, peer, tag, bytes
    sends = ends([[0, 0, 1, 7, 1], [0, 0, 1, 8, 2], [0, 0, 1, 7, 3], [1, 1, 0, 7, 4]])
    receives = ends([[0, 1, 1, 7, 4], [1, 0, 0, 8, 2], [1, 0, 0, 7, 1], [1, 0, 0, 9, 5]])
    found = match(sends, receives)
    pairs = dict(zip(found.send.tolist(), found.receive.tolist(), strict=True))
    assert pairs == {0: 2, 1: 1, 3: 0}
    assert (found.lonely_sends, found.lonely_receives) == (1, 1)


def test_options_of_the_program_are_not_those_of_its_launcher(tmp_path: Path) -> None:
    environment = with_recorder({"ASAN_OPTIONS": "detect_leaks=0"}, tmp_path / "stub", tmp_path)
    assert environment["ASAN_OPTIONS"] == "detect_leaks=0:verify_asan_link_order=0"
    own = taken_along(environment, ["mpiexec", "-n", "2", "true", "-x"])
    assert own[ENVIRONMENT_LIST] == "LD_PRELOAD;PHASEWISE_RECORD;ASAN_OPTIONS"
    # Open MPI refuses its list where the command names variables itself.
    launcher = taken_along(environment, ["mpiexec", "-x", "LD_PRELOAD", "-n", "2", "true"])
    assert ENVIRONMENT_LIST not in launcher


@pytest.fixture(scope="module")
def kept(repository: Path) -> Path:
    return repository / "tests/data/record/ring"


def test_a_kept_record_is_read(kept: Path) -> None:
    found = read_recording(kept)
    assert found.ranks == 2 and found.whole
    assert len(found.matching.matched.send) == 2 * 11
    assert [len(calls) for calls in found.matching.calls] == [33, 33]


def test_a_posted_send_ends_with_the_call_that_completed_it(kept: Path) -> None:
    matching = read_recording(kept).matching
    for calls, sends in zip(matching.calls, matching.ends[0], strict=True):
        posted = calls.among(sends.call, {"Isend"})
        # The ring waits for each of its ten sends at once, and exchanges one message besides.
        assert posted.sum() == 10
        assert set(calls.names(sends.done[posted])) == {"Waitall"}
        assert sends.done[posted].tolist() == calls.named({"Waitall"}).tolist()
        assert sends.done[~posted].tolist() == sends.call[~posted].tolist()


def read_all(folder: Path) -> None:
    found = read_recording(folder)
    found.not_recorded()
    if found.files:
        found.waiting()


def copied(kept: Path, folder: Path) -> Path:
    trace = folder / "recording"
    trace.mkdir(parents=True)
    for path in (kept / "recording").glob("*.rank"):
        (trace / path.name).write_bytes(path.read_bytes())
    return trace / "0.rank"


def test_a_record_that_is_cut_off_or_of_another_version_is_told(kept: Path, tmp_path: Path) -> None:
    path = copied(kept, tmp_path)
    whole = path.read_bytes()
    for length in range(0, len(whole), 4099):
        path.write_bytes(whole[:length])
        try:
            read_all(tmp_path)
        except RunError as error:
            assert "\n" not in str(error)
    path.write_bytes(whole[:64] + b"\x63" + whole[65:])
    with pytest.raises(RunError, match="is of version 99; this phasewise reads version 1"):
        read_recording(tmp_path)


def changed(path: Path, at: int, content: bytes) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole[:at] + content + whole[at + len(content) :])


def test_the_ranks_of_another_program_are_counted_and_left_out(kept: Path, tmp_path: Path) -> None:
    copied(kept, tmp_path)
    # The number of ranks is the third word after the header of the first block.
    changed(tmp_path / "recording" / "1.rank", 64 + 8, (3).to_bytes(4, "little"))
    found = read_recording(tmp_path)
    assert (found.ranks, [file.head.rank for file in found.files]) == (2, [0])
    assert any("1 rank of other programs" in sentence for sentence in found.not_recorded())


def test_a_killed_rank_was_there_until_its_last_call(kept: Path, tmp_path: Path) -> None:
    path = copied(kept, tmp_path)
    whole = seconds_of(read_rank(path))
    changed(path, 64 + 16, bytes(4))  # its state: running
    changed(path, 64 + 40, bytes(8))  # its end
    killed = read_rank(path)
    assert inside_of(killed) <= seconds_of(killed) <= whole
    assert seconds_of(killed) > 0.5 * whole


def test_mutated_records_end_in_a_sentence_or_are_read(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")  # addr2line reads no file that is mutated
    mutations = Mutations(kept, tmp_path / "run", seed=1)
    outcomes = {outcome for number in range(200) for outcome in mutations.once(number).values()}
    assert outcomes == {"read", "refused"}


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZN9LAMMPS_NS9CommBrick12reverse_commEv", "LAMMPS_NS::CommBrick::reverse_comm"),
        ("_ZN9LAMMPS_NS4CommC1EPNS_6LAMMPSE", "LAMMPS_NS::Comm::Comm"),
        ("_ZNK3boxclEi", "box::operator()"),
        ("_ZN3boxIiE4takeEPFviE", "box<int>::take"),
        ("mpi_sends_", "mpi_sends_"),
        ("_Zebra", "_Zebra"),
        ("exchange(int, double*)", "exchange"),
        ("libx.so+0x12", "libx.so+0x12"),
    ],
)
def test_functions_have_the_names_of_the_source(symbol: str, name: str) -> None:
    assert readable(symbol) == name


def test_the_standard_abi_is_recorded_too_where_it_has_a_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("mpiexec", "mpicc", "mpicc_abi"):
        (tmp_path / name).touch(0o755)

    def library_of(compiler: str) -> building.Library:
        return building.Library("MPI", Path(compiler).name, compiler, "", {}, "")

    monkeypatch.setattr(launching, "library_of", library_of)
    found = launching.libraries_for([str(tmp_path / "mpiexec"), "-n", "2", "a.out"])
    assert [one.soname for one in found][:2] == ["mpicc", "mpicc_abi"]
