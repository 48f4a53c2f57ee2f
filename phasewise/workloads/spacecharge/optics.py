"""The optics of a study's lattice: those of a ring, and their course along its elements."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, cast

from phasewise.driver import Floats, load_planner
from phasewise.errors import StudyError
from phasewise.output import console, message, print_table
from phasewise.study import Study, flat_text, load
from phasewise.tables.files import parse, read_text
from phasewise.workload.bunches import FILE, SharedBunch
from phasewise.workloads.spacecharge.detuning import detuned
from phasewise.workloads.spacecharge.model import (
    SpaceCharge,
    lattice_parameters,
    model_of,
)

COLUMNS = (
    *("S", "BETX", "ALFX", "MUX", "DX", "DPX", "BETY", "ALFY", "MUY", "DY", "DPY"),
    *("X", "PX", "Y", "PY"),
)
"""Names, as in MAD-X, of the numbers at a place: s [m], β [m], α, the phase [turns], the dispersion
of x [m] and of px by δ, the same in y, and the closed orbit [m, 1].
"""

LEAST_COMPACTION = 1e-9
"""Momentum compaction below which it is that of a straight line, up to rounding."""

MATCHED = 1e-3
"""Relative difference of β up to which a bunch is matched to the lattice."""


@dataclass(frozen=True)
class Optics:
    """The optics about the closed orbit. In a lattice that couples the planes, x and y are its
    normal modes 1 and 2.
    """

    tunes: tuple[float, float]
    """With whole turns."""
    chromaticity: tuple[float, float]
    """dQ/dδ."""
    beta: tuple[float, float]
    """β where the lattice begins [m]."""
    alpha: tuple[float, float]
    dispersion: tuple[float, float, float, float]
    """D [m] and D' in x, then in y, where the lattice begins."""
    closed_orbit: tuple[float, ...]
    """x, px, y, py, z, δ where the lattice begins [m, 1]."""
    momentum_compaction: float | None
    """None of a lattice without length."""
    transition_energy: float | None
    """Total energy [eV] of a particle at transition, γ = 1/√compaction; None where that is not
    above 0.
    """
    synchrotron_tune: float | None
    """None without cavities that bunch the beam."""
    coupled: bool
    slip: float
    """dz/dδ in a passage [m]."""
    along: Floats
    """COLUMNS at the start and behind each element, or at each place asked for (places + 1, 15)."""

    SHOWN: ClassVar[tuple[str, ...]] = (
        *("tunes", "chromaticity", "beta", "alpha", "dispersion", "closed_orbit"),
        *("momentum_compaction", "transition_energy", "synchrotron_tune"),
    )
    """The names that JSON has."""

    def to_dict(self) -> dict[str, Any]:
        """What holds for the whole ring, and where it begins."""
        return {name: getattr(self, name) for name in self.SHOWN}


def optics_of(model: SpaceCharge, places: Floats | None = None) -> Optics:
    """The optics of a model's lattice, along its elements or at `places` [m], which ascend;
    StudyError with the reason if it has none.
    """
    bunch = model.bunches[0]
    at = None if places is None else list(map(float, places))
    try:
        found = cast(Any, load_planner()).ring_optics(_text_of(model, bunch), at)
    except ValueError as error:
        raise StudyError(f"the lattice has no periodic optics: {error}") from None
    along = found["along"]
    start = dict(zip(COLUMNS, map(float, along[0]), strict=True))
    slip, length = float(found["slip"]), model.lattice.length
    compaction = bunch.gamma**-2 - slip / length if length > 0 else None
    return Optics(
        tunes=_pair(found["tunes"]),
        chromaticity=_pair(found["chromaticity"]),
        beta=(start["BETX"], start["BETY"]),
        alpha=(start["ALFX"], start["ALFY"]),
        dispersion=(start["DX"], start["DPX"], start["DY"], start["DPY"]),
        closed_orbit=tuple(map(float, found["closed_orbit"])),
        momentum_compaction=compaction,
        transition_energy=_transition_energy(bunch, compaction),
        synchrotron_tune=found["synchrotron_tune"],
        coupled=found["coupled"],
        slip=slip,
        along=along,
    )


def _transition_energy(bunch: SharedBunch, compaction: float | None) -> float | None:
    known = compaction is not None and compaction > LEAST_COMPACTION
    return bunch.mass * compaction**-0.5 if known and compaction is not None else None


def _text_of(model: SpaceCharge, bunch: SharedBunch) -> str:
    """The flat parameters of a model's lattice, and of the reference particle of a bunch."""
    beam = [(f"beam.1.{name}", getattr(bunch, name)) for name in ("mass", "charge", "energy")]
    return flat_text([*beam, *lattice_parameters(model.lattice)])


def closed_orbit_of(model: SpaceCharge, bunch: SharedBunch) -> tuple[float, ...]:
    """x, px, y, py, z, δ [m, 1] of the closed orbit of a bunch where the lattice begins. StudyError
    if there is none.
    """
    try:
        found = cast(Any, load_planner()).closed_orbit(_text_of(model, bunch))
    except ValueError as error:
        raise StudyError(
            f'{error}; orbit = "reference" in [beam.1] and [beam.2] starts the bunches elsewhere'
        ) from None
    return tuple(map(float, found["start"]))


def _pair(values: Any) -> tuple[float, float]:
    x, y = map(float, values)
    return x, y


def optics_entry(model: SpaceCharge) -> dict[str, Any]:
    """The optics as JSON has them: what is null has its `reason`."""
    try:
        found = optics_of(model)
    except StudyError as error:
        return dict.fromkeys(Optics.SHOWN) | {"reason": str(error)}
    _warn_of_mismatch(model, found)
    return found.to_dict() | {"reason": None}


def _warn_of_mismatch(model: SpaceCharge, found: Optics) -> None:
    for bunch in model.bunches:
        given = bunch.beta_function
        if given is None:
            continue
        if any(abs(b / own - 1) > MATCHED for b, own in zip(given, found.beta, strict=True)):
            message(
                f"warning: beam {bunch.number} is made with β = [{_numbers(given)}] m, but the "
                f"lattice begins with [{_numbers(found.beta)}] m: the bunch is not matched"
            )


def show_optics(model: SpaceCharge, shift: tuple[float, float] | None = None) -> None:
    """Print the optics as a table, or why there are none; shift: that of the tunes by space charge
    at small amplitudes, if it is known.
    """
    try:
        found = optics_of(model)
    except StudyError as error:
        console().print(str(error))
        return
    rows = [
        ["tunes", _numbers(found.tunes, ".9g")],
        ["chromaticity dQ/dδ", _numbers(found.chromaticity)],
        ["β at the start [m]", _numbers(found.beta)],
        ["α at the start", _numbers(found.alpha)],
        ["dispersion D, D' of x, y [m, 1]", _numbers(found.dispersion)],
    ]
    if found.momentum_compaction is not None:
        rows.append(["momentum compaction", f"{found.momentum_compaction:.7g}"])
    if any(found.closed_orbit):
        rows.append(["closed orbit x px y py z δ [m, 1]", _numbers(found.closed_orbit, ".5g")])
    if found.transition_energy is not None:
        energy = found.transition_energy
        gamma = energy / model.bunches[0].mass
        rows.append(["transition energy [eV] (γ)", f"{energy:.6g} ({gamma:.5g})"])
    if found.synchrotron_tune is not None:
        rows.append(["synchrotron tune", f"{found.synchrotron_tune:.6g}"])
    if shift is not None:
        bunch = model.bunch
        taken = ", as if Gaussian" if bunch is not None and bunch.distribution == FILE else ""
        rows.append([f"Laslett tune shift of small amplitudes{taken}", _numbers(shift, ".4g")])
    title = "optics of the normal modes" if found.coupled else "optics"
    print_table(title, ["", "x, y"], rows)
    _warn_of_mismatch(model, found)
    for sentence in detuned(model, found.slip):
        console().print(sentence)


def _numbers(values: tuple[float, ...], form: str = ".7g") -> str:
    # Adding 0 gives a zero no minus.
    return ", ".join(f"{value + 0.0:{form}}" for value in values)


def names_along(model: SpaceCharge) -> list[tuple[str, str]]:
    """Name and kind at the places of Optics.along; elements without a name have that of their
    kind.
    """
    named = [(one.get("name", one["kind"]), one["kind"]) for one in model.lattice.along]
    return [("start", "marker"), *named]


def model_with_lattice(path: str, overrides: list[str]) -> SpaceCharge:
    """The model of a study of space charge, alone or in a ring, or that of a lattice file with its
    reference particle. StudyError if there is no lattice.
    """
    source = Path(path)
    tables = parse(read_text(source), str(source))
    if "element" in tables:
        if overrides:
            raise StudyError(f"{path} is a lattice file, whose keys --set cannot change")
        return model_of(_of_lattice_file(source, tables))
    model = load(path, overrides).model
    for own in (model, *getattr(model, "parts", {}).values()):
        if isinstance(own, SpaceCharge):
            return own
    raise StudyError(f"{path} has no [lattice]: only a study of space charge has one")


def _of_lattice_file(source: Path, tables: dict[str, Any]) -> Study:
    particle = {}
    for name in ("mass", "charge", "energy"):
        if name not in tables:
            raise StudyError(f"{source} has no {name}, and so no reference particle")
        particle[name] = tables[name]
    bunch = {"particle": "ion", "bunch_population": 1, "macroparticles": 1, "bunch_length": 1}
    return Study.from_dict(
        {
            "workload": "spacecharge",
            "turns": 1,
            "bunch": {**bunch, **particle, "geometric_emittance": [0, 0]},
            "lattice": {"file": source.name},
            "solver": {"kicks": 0},
        },
        source.parent,
    )
