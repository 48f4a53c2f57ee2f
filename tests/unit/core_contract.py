"""What every core does for the run loop: checks that `phasewise._core` and the fake one both pass.

Each check gets the core of a rank and is called on all ranks at once. The study is
`fake_core.tables`: two beams of 101 macroparticles, three slices on a mesh of 16 × 8.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from phasewise.study import Study
from tests.sentences import refused
from tests.unit.fake_core import tables

PAGE = Path(__file__).resolve().parents[2] / "docs" / "core-in-python.md"
COUNT, SLICES, GRID = 101, 3, (16, 8)
COORDINATES = ("x", "px", "y", "py", "z", "delta")
EVENT_BYTES = 40

IDS: dict[int, list[dict[int, tuple[int, int]]]] = {
    1: [{1: (0, 101), 2: (0, 101)}],
    2: [{1: (0, 101)}, {2: (0, 101)}],
    3: [{1: (0, 51)}, {1: (51, 101)}, {2: (0, 101)}],
}
"""By number of ranks, the ids [first, last) of each beam that each rank holds: where a beam does
not divide, its first ranks have one more.
"""


def parameters(**records: Any) -> str:
    """The study as flat text; `records` are keys of its table of that name."""
    return Study.from_dict(tables(**records)).parameters()


def documented() -> list[tuple[str, str, list[str] | None]]:
    """What the page lists: `run` or `_core`, a name, and its parameters (None: none,
    it is a value).
    """
    section = PAGE.read_text(encoding="utf-8").split("## Runs")[1]
    block = re.sub(r"#.*", "", section.split("```python")[1].split("```")[0])
    found = re.findall(r"\b(run|_core)\.(\w+)(?:(\()([^)]*)\))?", block)
    return [
        (owner, name, re.findall(r"(\w+)(?::[^,]*)?(?:,|$)", given) if called else None)
        for owner, name, called, given in found
    ]


def parameters_of(function: Any) -> list[str]:
    """Names of a function's parameters; a compiled function has them in its docstring."""
    try:
        return list(inspect.signature(function).parameters)
    except ValueError:
        signature = function.__doc__.splitlines()[0].rpartition(" -> ")[0]
        return re.findall(r"(\w+): ", signature)


def names_and_parameters_are_the_documented_ones(core: Any) -> None:
    owners = {"_core": core, "run": core.start(parameters(), 1)}
    assert len(documented()) > 25
    for owner, name, expected in documented():
        found = getattr(owners[owner], name)
        assert callable(found) == (expected is not None), name
        if expected is not None:
            assert parameters_of(found) == expected, name


def ranks_exchange_bytes_and_agree(core: Any) -> None:
    rank, size = core.rank(), core.size()
    assert 0 <= rank < size
    sent = [b"\0" * k + b"end" for k in range(size)]
    assert core.gather(sent[rank]) == (sent if rank == 0 else [])
    assert core.broadcast(b"of rank %d" % rank) == b"of rank 0"
    assert [core.any(False), core.any(rank == size - 1), core.any(True)] == [False, True, True]
    core.barrier()
    assert core.current_phase() == ""
    assert core.mpi_version() and core.mpi_built_with()


def particles_are_shared_by_their_ids(core: Any) -> None:
    run = core.start(parameters(), 1)
    here = IDS[core.size()][core.rank()]
    assert run.beams_here == list(here)
    for beam in (1, 2):
        first, last = here.get(beam, (0, 0))
        assert (run.first_id(beam), run.last_id(beam)) == (first, last)
        assert run.macroparticles(beam) == COUNT
        columns = run.particles(beam)
        assert columns.keys() == {*COORDINATES, "id"}
        assert sorted(columns["id"].tolist()) == list(range(first, last))
        assert columns["id"].dtype == np.uint32
        for name in COORDINATES:
            assert (columns[name].shape, columns[name].dtype) == ((last - first,), np.float64)


def turns_are_counted_from_where_they_are_set(core: Any) -> None:
    run = core.start(parameters(), 1)
    assert run.turn == 0
    run.step()
    assert run.turn == 1
    run.set_turn(7)
    assert run.turn == 7
    run.step()
    assert run.turn == 8


def record_shapes(tracked: int) -> dict[str, tuple[int, ...] | None]:
    """Shapes of a record's entries; None: a number."""
    of_beam: dict[str, tuple[int, ...] | None] = {
        "mean": (6,), "covariance": (6, 6), "moment3": (6,), "moment4": (6,), "emittance": (3,),
        "particles": None, "losses": None, "debunched": None, "outside": (1,),
    }  # fmt: skip
    of_beam |= {"tracked": (tracked, 6)} if tracked else {}
    both = {f"{beam}/{name}": shape for beam in (1, 2) for name, shape in of_beam.items()}
    return {"luminosity": (1,)} | both


def a_record_is_whole_and_the_same_everywhere(core: Any, order: int, tracked: int) -> None:
    run = core.start(parameters(moments_order=order, tracked=tracked), 1)
    run.step()
    record = run.record()
    shapes = record_shapes(tracked)
    assert record.keys() == shapes.keys()
    for name, shape in shapes.items():
        value = record[name]
        if shape is None:
            assert type(value) is float, name
        else:
            assert (value.shape, value.dtype) == (shape, np.float64), name
        unknown = order == 2 and name[2:] in ("moment3", "moment4")
        assert np.isnan(value).all() if unknown else np.isfinite(value).all(), name
    assert [record[f"{beam}/particles"] for beam in (1, 2)] == [COUNT, COUNT]
    own = b"".join(np.asarray(record[name]).tobytes() for name in shapes)
    assert core.broadcast(own) == own


def rows_come_back_as_they_were(run: Any) -> None:
    """Whatever sets of rows a run keeps: those that a rank owns, changed and put back."""
    for name, rows in run.state().items():
        owned = run.owned(name)
        assert owned.dtype == rows["id"].dtype == np.int64
        assert sorted(rows["id"].tolist()) == sorted(owned.tolist())
        place = {row: k for k, row in enumerate(rows["id"].tolist())}
        order = [place[row] for row in owned.tolist()]
        columns = {key: values[order] + 1.0 for key, values in rows.items() if key != "id"}
        run.restore(name, owned, columns)
        again = run.state()[name]
        assert again.keys() == rows.keys()
        back = {row: k for k, row in enumerate(again["id"].tolist())}
        for key, values in columns.items():
            assert again[key][[back[row] for row in owned.tolist()]].tolist() == values.tolist()


def state_comes_back_as_it_was(core: Any) -> None:
    run = core.start(parameters(), 1)
    assert isinstance(run.state(), Mapping)
    rows_come_back_as_they_were(run)


def particles_come_back_as_they_were(core: Any) -> None:
    run = core.start(parameters(), 1)
    for beam in run.beams_here:
        # One particle lost, the others in another order.
        kept = {name: values[:0:-1].copy() for name, values in run.particles(beam).items()}
        run.replace_particles(beam, *(kept[name] for name in ("id", *COORDINATES)))
        for name, values in run.particles(beam).items():
            assert (values.dtype, values.tolist()) == (kept[name].dtype, kept[name].tolist())


def communication_is_one_line_of_json_and_whole_events(core: Any) -> None:
    run = core.start(parameters() + "records.events = 30\n", 1)
    run.step()
    text, events = run.communication(True)
    assert "\n" not in text
    assert run.communication(False)[1] == b""
    record = json.loads(text)
    assert record.keys() == {
        *("rank", "node", "place", "seconds", "clock_offset", "dropped_events", "events"),
        *("names", "main", "colours", "pieces", "phases"),
    }
    assert record["rank"] == core.rank()
    assert len(record["place"]) == 3 and record["place"][0] in (1, 2)
    assert len(events) == EVENT_BYTES * record["events"] <= EVENT_BYTES * 30
    assert list(record["phases"]) == record["names"] != []
    for phase in record["phases"].values():
        kinds = {name: type(value) for name, value in phase.items()}
        assert kinds == {
            **dict.fromkeys(("calls", "messages", "bytes", "synchronisations"), int),
            **dict.fromkeys(("computing", "communicating", "waiting"), float),
            "library": bool,
            "sent_to": dict,
        }
        sent = phase["sent_to"].values()
        if not phase["library"]:
            totals = [sum(pair[k] for pair in sent) for k in (0, 1)]
            assert totals == [phase["messages"], phase["bytes"]]


def counts_are_those_of_the_record(core: Any) -> None:
    run = core.start(parameters(), 1)
    run.step()
    record = json.loads(run.communication(False)[0])
    assert run.pieces() == record["pieces"] != {}
    assert all(type(count) is float for count in run.pieces().values())
    phases, kernels = run.phases(), run.kernels()
    assert [phase["name"] for phase in phases] == record["names"]
    for phase in phases:
        own = record["phases"][phase["name"]]
        assert phase.keys() == {"name", "calls", "messages", "bytes", "seconds"}
        assert [phase[key] for key in ("calls", "messages", "bytes", "seconds")] == [
            own[key] for key in ("calls", "messages", "bytes", "communicating")
        ]
    assert kernels
    for kernel in kernels:
        counts = {"items", "seconds", "flops", "bytes", "additions", "calls", "working_sets"}
        assert kernel.keys() == {"name", "single", *counts}
        assert kernel["name"] in record["names"]
        assert {type(kernel[key]) for key in counts} == {float}


def a_collision_shows_its_slices_pairs_and_fields(core: Any) -> None:
    run = core.start(parameters(slices_every=1, pair_luminosity_every=1), 1)
    run.step()
    shapes = {"count": (SLICES,), "z": (SLICES,), "mean": (SLICES, 4), "sigma": (SLICES, 4)}
    slices = run.slices(1)
    for beam in (1, 2):
        assert {name: values.shape for name, values in slices[beam].items()} == shapes
    assert run.pair_luminosity(1).shape == (SLICES, SLICES)
    assert [run.photon_spectrum(1, beam).shape for beam in (1, 2)] == [(80,), (80,)]
    axes = {"x": GRID[:1], "y": GRID[1:]}
    field = axes | dict.fromkeys(("charge", "potential", "ex", "ey"), GRID)
    for beam in (1, 2):
        found = {name: values.shape for name, values in run.slice_field(1, beam, 2).items()}
        assert found == (field if beam in run.beams_here else {})


def parameters_that_cannot_be_used_are_refused(core: Any) -> None:
    text = parameters()
    without = "".join(line for line in text.splitlines(True) if not line.startswith("workload"))
    for given, threads, facts in (
        ("nonsense", 1, ("line 1", "'nonsense'", "key = value")),
        (without, 1, ("'workload'", "missing")),
        (f"{text}nonsense = 1\n", 1, ("'nonsense'", "key")),
        (text, 0, ("threads = 0", "1 to 4096")),
    ):
        with refused(*facts, by=ValueError):
            core.start(given, threads)


def settings_that_cannot_be_used_are_refused(core: Any) -> None:
    run = core.start(parameters(), 1)
    for key, facts in (
        ("communication.layout = random", ("ranks", "places")),
        ("communication.reduce = nonsense", ("communication.reduce = nonsense", "hypercube")),
        ("nonsense = 1", ("'nonsense'", "key")),
    ):
        with refused(*facts, by=ValueError):
            run.set_communication(key + "\n")
    assert run.set_communication("communication.reduce = mesh\n") is None
    run.step()


def places_that_are_not_there_are_refused(core: Any) -> None:
    run = core.start(parameters(), 1)
    spectrum = partial(run.photon_spectrum, 1)
    for ask in (run.particles, run.macroparticles, run.first_id, run.last_id, spectrum):
        for beam in (0, 3):
            with refused(f"beam {beam}", 1, 2, by=ValueError):
                ask(beam)
    for ip in (0, 2):
        field, spectrum = partial(run.slice_field, slice=1), run.photon_spectrum
        asked = (partial(field, beam=1), partial(spectrum, beam=1))
        for ask in (*asked, run.slices, run.pair_luminosity):
            with refused(f"interaction point {ip}", by=ValueError):
                ask(ip=ip)
    for number in (0, SLICES + 1):
        with refused(f"slice {number}", SLICES, by=ValueError):
            run.slice_field(1, 1, number)
    none = np.zeros(2, dtype=np.int64)
    for ask in (lambda: run.owned("none"), lambda: run.restore("none", none, {})):
        with refused("rows", "'none'", by=ValueError):
            ask()
    with refused("columns", "'none'", "length", by=ValueError):
        run.restore("none", none, {"height": np.zeros(3)})


def particles_of_others_are_refused(core: Any) -> None:
    run = core.start(parameters(), 1)
    beam = run.beams_here[0]
    first, last = run.first_id(beam), run.last_id(beam)
    for ids, values, facts in (
        ([first], 2, ("coordinates", "length")),
        ([first, first], 2, (f"particle {first}", f"beam {beam}", "twice")),
        ([last], 1, (f"particle {last}", f"beam {beam}", "rank")),
        (range(first, last + 1), last + 1 - first, ("particles", f"beam {beam}", "rank")),
    ):
        columns = [np.zeros(values)] * len(COORDINATES)
        with refused(*facts, by=ValueError):
            run.replace_particles(beam, np.array(ids, dtype=np.uint32), *columns)


def runs_of_one_rank_take_their_turns_together(core: Any) -> None:
    runs = [core.start(parameters(), 1) for _ in range(2)]
    if core.size() > 1:
        with refused("runs", "one rank", by=ValueError):
            core.step_together(runs)
        return
    assert core.step_together(runs) == [None, None]
    assert [run.turn for run in runs] == [1, 1]


RECORDS = [(2, 0), (4, 3)]
"""Orders of the moments, and how many particles are tracked."""

CHECKS: dict[str, Callable[[Any], None]] = {
    check.__name__: check
    for check in (
        names_and_parameters_are_the_documented_ones,
        ranks_exchange_bytes_and_agree,
        particles_are_shared_by_their_ids,
        turns_are_counted_from_where_they_are_set,
        runs_of_one_rank_take_their_turns_together,
        state_comes_back_as_it_was,
        particles_come_back_as_they_were,
        communication_is_one_line_of_json_and_whole_events,
        counts_are_those_of_the_record,
        a_collision_shows_its_slices_pairs_and_fields,
        parameters_that_cannot_be_used_are_refused,
        settings_that_cannot_be_used_are_refused,
        places_that_are_not_there_are_refused,
        particles_of_others_are_refused,
    )
} | {
    f"a_record_of_order_{order}_with_{tracked}_tracked": partial(
        a_record_is_whole_and_the_same_everywhere, order=order, tracked=tracked
    )
    for order, tracked in RECORDS
}
