"""Whatever stands in a study or a deck, the answer is a Study or one sentence."""

from __future__ import annotations

import copy
import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from phasewise.errors import PhasewiseError
from phasewise.study import Records, Study, load
from phasewise.study.study import schema_for
from phasewise.tables.declared import schema_of
from phasewise.workloads.collision import WORKLOAD
from phasewise.workloads.collision.derived.quantities import derive
from phasewise.workloads.collision.importers.beambeam3d import translate
from phasewise.workloads.collision.tables import arc, beam, crab, model, optics, point
from tests.unit.study_tables import tables
from tests.unit.test_importer import DECK
from tests.unit.test_study import json_as_toml

DECLARED = (
    *(beam.Beam, model.Ring, arc.Arc, arc.RadioFrequency, arc.Feedback, optics.Optics, crab.Crab),
    *(beam.PopulationRamp, beam.SecondPart, crab.CrabCavity, crab.CrabDrift, crab.Sextupole),
    *(point.InteractionPoint, point.Ramp, model.Records, Records),
)
SCHEMAS = [schema_for(WORKLOAD), *map(schema_of, DECLARED)]
NAMES = sorted({name for schema in SCHEMAS for name in schema} | {"1", "2"})

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(min_value=-(10**25), max_value=10**25),
    st.integers(min_value=-3, max_value=300),
    st.floats(),
    st.floats(min_value=-10, max_value=10),
    st.text(max_size=8),
    st.sampled_from(
        [word for schema in SCHEMAS for key in schema.values() for word in key.choices]
    ),
)

VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=6), st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    ),
    max_leaves=8,
)

FULL = tables(
    arc__rf={"voltage": 16e6, "harmonic": 35640},
    arc__synchrotron_tune=None,
    arc__momentum_compaction=3e-4,
    arc__feedback={"gain": [0.1, 0.1]},
    arc__aperture_sigma=[8, 8],
    arc__damping_turns=[1e4, 1e4, 5e3],
    ip__1__beam={"2": {"dispersion": [0.1, 0, 0, 0]}},
    ip__1__crab={"frequency": 4e8},
    ip__2={
        "beta": [1.0, 2.0],
        "ramp": {"from": [0, 0], "to": [1e-5, 0], "turns": [1, 2]},
        "half_crossing_angle": 1e-3,
        "crab_waist": 0.5,
        "crab_sextupoles": {"before": {"beta": [30.0, 20.0]}},
        "crab_cavities": [
            {"frequency": 4e8, "strength": 1.0, "phase_spectrum": [[10.0, 1.0], [20.0, 2.0]]},
            {"frequency": 8e8, "voltage": 1e6, "beta": 10.0, "drift": {"turns": [1, 2]}},
        ],
    },
    beam__1__second={"share": 0.1, "size": 2.0, "distribution": "hollow"},
    beam__1__population_ramp={"turns": [0, 9], "particles": [1.15e11, 2e11]},
    records={"tracked": 10},
)


def paths(table: dict[str, Any], prefix: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found = []
    for key, value in table.items():
        found.append((*prefix, key))
        if isinstance(value, dict):
            found += paths(value, (*prefix, key))
    return found


CHANGES = st.lists(
    st.tuples(
        st.sampled_from(paths(FULL)),
        st.sampled_from(["replace", "remove", "rename", "add"]),
        st.sampled_from(NAMES),
        VALUES,
    ),
    min_size=1,
    max_size=3,
)


def mutate(
    study: dict[str, Any], changes: list[tuple[tuple[str, ...], str, str, Any]]
) -> dict[str, Any]:
    changed = copy.deepcopy(study)
    for path, action, name, value in changes:
        table: Any = changed
        for part in path[:-1]:
            table = table.get(part) if isinstance(table, dict) else None
        if not isinstance(table, dict) or path[-1] not in table:
            continue
        if action == "replace":
            table[path[-1]] = value
        elif action == "remove":
            del table[path[-1]]
        elif action == "rename":
            table[name] = table.pop(path[-1])
        else:
            table[name] = value
    return changed


@given(CHANGES)
@settings(max_examples=400)
def test_any_tables_give_a_study_or_one_sentence(changes: list[Any]) -> None:
    try:
        study = Study.from_dict(mutate(FULL, changes))
    except PhasewiseError as error:
        assert str(error)
        assert "\n" not in str(error)
    else:
        assert Study.from_dict(json.loads(json.dumps(study.resolved()))) == study
        assert study.parameters().startswith("turns = ")


@given(
    st.sampled_from(["ip.1", "ip.2", "beam.1", "beam.2", "arc"]),
    st.sampled_from(NAMES),
    st.one_of(st.floats(), st.lists(st.floats(min_value=0, max_value=10), min_size=2, max_size=2)),
)
@settings(max_examples=60)
def test_whatever_study_is_accepted_has_derived_quantities(
    table: str, name: str, value: Any
) -> None:
    first, _, second = table.partition(".")
    changed = copy.deepcopy(FULL)
    (changed[first][second] if second else changed[first])[name] = value
    try:
        study = Study.from_dict(changed)
    except PhasewiseError:
        return
    assert derive(study.model).memory_bytes > 0


TEXT = json_as_toml(FULL)

SPLICES = st.lists(
    st.tuples(
        st.integers(min_value=0, max_value=len(TEXT)),
        st.integers(min_value=0, max_value=12),
        st.one_of(st.binary(max_size=4), st.sampled_from([b"", b"=", b"[", b"\n", b"-", b"1e999"])),
    ),
    min_size=1,
    max_size=4,
)


def splice(text: bytes, changes: list[tuple[int, int, bytes]]) -> bytes:
    for start, length, new in changes:
        text = text[:start] + new + text[start + length :]
    return text


@given(SPLICES)
@settings(max_examples=300)
def test_any_bytes_in_a_study_file_give_a_study_or_one_sentence(changes: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.toml"
        path.write_bytes(splice(TEXT.encode(), changes))
        try:
            assert load(path).turns > 0
        except PhasewiseError as error:
            assert str(path) in str(error)


@given(st.text(max_size=30))
def test_any_override_gives_a_study_or_one_sentence(override: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.toml"
        path.write_text(TEXT)
        try:
            assert load(path, [override, f"ip.1.{override}"]).turns > 0
        except PhasewiseError as error:
            assert str(error)


BEAM1 = (DECK / "beam1.in").read_text().splitlines()

DECK_CHANGES = st.lists(
    st.tuples(
        st.integers(min_value=0, max_value=len(BEAM1) - 1),
        st.sampled_from(["word", "swap", "cut", "drop"]),
        st.integers(min_value=0, max_value=6),
        st.one_of(
            st.sampled_from(["0", "-1", "1e300", "1d-300", "1e999", "nan", "3*0.", "/", "2", "10"]),
            st.text(max_size=5),
        ),
    ),
    min_size=1,
    max_size=4,
)


def garble(lines: list[str], changes: list[tuple[int, str, int, str]]) -> str:
    garbled = list(lines)
    for line, action, index, word in changes:
        if line >= len(garbled):
            continue
        if action == "word":
            words = garbled[line].split()
            words[index : index + 1] = [word]
            garbled[line] = " ".join(words)
        elif action == "swap":
            other = index % len(garbled)
            garbled[line], garbled[other] = garbled[other], garbled[line]
        elif action == "drop":
            del garbled[line]
        else:
            garbled = [*garbled[:line], garbled[line][:index]]
    return "\n".join(garbled)


@given(DECK_CHANGES)
@settings(max_examples=300)
def test_any_deck_gives_a_study_or_one_sentence(changes: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for beam in (1, 2):
            path = Path(folder) / f"beam{beam}.in"
            path.write_text(garble(BEAM1, changes), encoding="utf-8", errors="replace")
        try:
            assert translate(folder).text.startswith("title")
        except PhasewiseError as error:
            assert "\n" not in str(error)
