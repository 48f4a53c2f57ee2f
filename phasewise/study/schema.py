"""Every key of a study: kind, default, range and unit. docs/study.md says what each one means."""

from __future__ import annotations

from phasewise.study.keys import Key

METRES = "the unit is metres"

TOP = {
    "title": Key("text", "untitled"),
    "turns": Key("integer", least=1),
    "seed": Key("integer", 1, least=0),
    "beam": Key("table"),
    "ring": Key("table"),
    "arc": Key("table"),
    "ip": Key("table"),
    "records": Key("table"),
    "communication": Key("table"),
}

_EMITTANCE = Key("numbers", length=2, above=0, least=1e-25, most=1e-2, unit="m", hint=METRES)

BEAM = {
    "like": Key("word", choices=("beam.1", "beam.2")),
    "particle": Key(
        "word", choices=("proton", "antiproton", "electron", "positron", "ion"), default="proton"
    ),
    "mass": Key("number", above=0, least=1, most=1e12, unit="eV"),
    "charge": Key("number", least=-200, most=200, unit="elementary charges"),
    "energy": Key("number", above=0, unit="eV", most=1e21, hint="the unit is electronvolts"),
    "bunch_population": Key("number", above=0, least=1, most=1e20),
    "macroparticles": Key("integer", least=1, most=2**32 - 1),
    "normalized_emittance": _EMITTANCE,
    "geometric_emittance": _EMITTANCE,
    "size": Key("numbers", length=2, above=0, least=1e-15, most=1, unit="m", hint=METRES),
    "bunch_length": Key("number", above=0, least=1e-12, most=10, unit="m", hint=METRES),
    "momentum_spread": Key("number", least=0, most=0.1, hint="it is a fraction, not a percentage"),
    "offset": Key("numbers", (0.0,) * 6, length=6, least=-1, most=1, hint=METRES),
    "offset_sigma": Key("numbers", length=6, least=-1e3, most=1e3, unit="rms"),
    "mismatch": Key("numbers", (1.0,) * 6, length=6, least=0, most=1e3),
    "cut": Key("number", 0.0, least=0, unit="rms"),
    "distribution": Key("word", choices=("gaussian", "quiet", "file")),
    "particles": Key("text"),
}

RING = {
    "circumference": Key("number", above=0, least=1e-3, most=1e9, unit="m", hint=METRES),
    "bunches": Key("integer", least=1, most=10**9),
}

ARC = {
    "tune": Key("numbers", length=2, least=-1e4, most=1e4),
    "synchrotron_tune": Key("number", 0.0, least=-0.5, most=0.5, hint="the unit is turns⁻¹"),
    "chromaticity": Key("numbers", (0.0, 0.0), length=2, least=-1e4, most=1e4),
    "amplitude_detuning": Key("nested", (0.0,) * 4, shape=(2, 2), unit="1/m"),
    "longitudinal": Key("word", choices=("linear", "rf", "none")),
    "momentum_compaction": Key("number", least=-1, most=1),
    "rf": Key("table"),
    "damping_turns": Key("numbers", (0.0, 0.0, 0.0), length=3, least=0, unit="turns"),
    "equilibrium_emittance": Key("numbers", length=2, least=0, most=1e-2, unit="m", hint=METRES),
    "equilibrium_bunch_length": Key("number", least=0, most=10, unit="m", hint=METRES),
    "equilibrium_momentum_spread": Key("number", least=0, most=0.1),
    "excitation": Key("flag", True),
    "aperture": Key("numbers", length=2, above=0, most=10, unit="m", hint=METRES),
    "aperture_sigma": Key("numbers", length=2, above=0, unit="rms"),
    "aperture_shape": Key("word", "ellipse", choices=("ellipse", "rectangle")),
    "feedback": Key("table"),
    "noise": Key("numbers", (0.0,) * 4, length=4, least=0, most=1, unit="rms (m, 1, m, 1)"),
    "map": Key("text"),
    "matrix": Key("nested", shape=(6, 6)),
    "tensor": Key("nested", shape=(6, 6, 6)),
}

RF = {
    "voltage": Key("number", above=0, most=1e12, unit="V"),
    "harmonic": Key("integer", least=1, most=10**9),
    "phase": Key("number", 0.0, least=-1, most=1, unit="turns", hint="it is not in degrees"),
}

FEEDBACK = {
    "gain": Key("numbers", (0.0, 0.0), length=2, least=0, most=2),
    "noise": Key("numbers", (0.0, 0.0), length=2, least=0, most=1, unit="m", hint=METRES),
}

MAP_FILE = {"matrix": Key("nested", shape=(6, 6)), "tensor": Key("nested", shape=(6, 6, 6))}

OPTICS = {
    "beta": Key("numbers", length=2, above=0, least=1e-9, most=1e6, unit="m", hint=METRES),
    "alpha": Key("numbers", (0.0, 0.0), length=2, least=-1e6, most=1e6),
    "dispersion": Key("numbers", (0.0,) * 4, length=4, least=-1e3, most=1e3, unit="(m, 1, m, 1)"),
    "phase_advance": Key("numbers", length=2, least=-1e4, most=1e4, unit="turns"),
    "crab": Key("table"),
}

CRAB = {
    "strength": Key("number", 1.0, least=-100, most=100),
    "frequency": Key("number", 0.0, least=0, most=1e12, unit="Hz"),
}

IP = {
    **OPTICS,
    "beam": Key("table"),
    "half_crossing_angle": Key(
        "number", 0.0, least=-0.5, most=0.5, unit="rad", hint="the unit is radians"
    ),
    "crossing_plane": Key("number", 0.0, least=-7, most=7, unit="rad", hint="it is not in degrees"),
    "separation": Key("numbers", length=2, least=-10, most=10, unit="m", hint=METRES),
    "separation_sigma": Key("numbers", length=2, least=-1e3, most=1e3, unit="rms"),
    "ramp": Key("table"),
    "model": Key(
        "word", "strong-strong", choices=("strong-strong", "soft-gaussian", "weak-strong", "none")
    ),
    "strong_beam": Key("integer", 2, least=1, most=2),
    "grid": Key("integers", (128, 128), length=2, least=8, most=8192, unit="cells"),
    "slices": Key("integer", 8, least=1, most=255),
    "slicing": Key("word", "equal-charge", choices=("equal-charge", "equal-width")),
    "slice_extent": Key("number", 3.0, above=0, most=100, unit="rms"),
    "weighting": Key("word", "cic", choices=("cic", "tsc")),
    "interpolation": Key("word", "linear", choices=("linear", "none")),
    "longitudinal_kick": Key("flag", True),
    "mesh": Key("word", "follow", choices=("follow", "fixed")),
    "mesh_extent": Key("number", 6.0, least=1, most=1e3, unit="rms"),
    "mesh_half_width": Key("numbers", length=2, above=0, most=10, unit="m", hint=METRES),
    "luminosity": Key("flag", True),
    "green_function": Key("word", "as-needed", choices=("as-needed", "every-step")),
}

RAMP = {
    "from": Key("numbers", length=2, least=-10, most=10, unit="m", hint=METRES),
    "to": Key("numbers", length=2, least=-10, most=10, unit="m", hint=METRES),
    "turns": Key("integers", length=2, least=0, unit="turns"),
}

RECORDS = {
    "every": Key("integer", 1, least=1),
    "moments_order": Key("integer", 2, least=2, most=4),
    "slices_every": Key("integer", 0, least=0),
    "pair_luminosity_every": Key("integer", 0, least=0),
    "particles_every": Key("integer", 0, least=0),
    "particles_fraction": Key("number", 1.0, above=0, most=1),
    "tracked": Key("integer", 0, least=0, most=10**7),
    "field": Key("flag", False),
    "checkpoint_every": Key("integer", 0, least=0),
    "checkpoint_minutes": Key("number", 0.0, least=0, most=1e6, unit="minutes"),
}

_IN_COLUMNS = ("direct", "hypercube", "node-aware", "mpi", "mpi-allreduce")
_SCHEDULES = ("ring", "pairwise")
_TRANSPOSES = ("pairwise", "ring", "bruck", "alltoallw")

COMMUNICATION = {
    "process_grid": Key("any", "auto"),
    "layout": Key("text", "column-first"),
    "node_size": Key("integer", 0, least=0, most=10**6, unit="ranks"),
    "reduce": Key("word", "hypercube", choices=("mesh", *_IN_COLUMNS)),
    "broadcast": Key("word", "hypercube", choices=("mesh", *_IN_COLUMNS, "mpi-gatherv")),
    "schedule": Key("word", "ring", choices=_SCHEDULES),
    "transpose": Key("word", "pairwise", choices=_TRANSPOSES),
    "aggregate": Key("flag", True),
    "crossing": Key("word", "4a", choices=("4a", "4b")),
    "overlap": Key("flag", False),
    "padded": Key("flag", False),
    "tune": Key("word", "off", choices=("off", "auto")),
    "phase": Key("table"),
}

_REDUCE = {
    "algorithm": Key("word", choices=_IN_COLUMNS),
    "schedule": Key("word", choices=_SCHEDULES),
    "aggregate": Key("flag"),
}
_BROADCAST = _REDUCE | {"algorithm": Key("word", choices=(*_IN_COLUMNS, "mpi-gatherv"))}
_GREEN = {"algorithm": Key("word", choices=_TRANSPOSES)}

PHASES = {
    "green": _GREEN,
    "reduce": _REDUCE,
    "reduce_column": _REDUCE,
    "reduce_row": _REDUCE,
    "solve": _GREEN | {"aggregate": Key("flag")},
    "broadcast": _BROADCAST,
    "broadcast_row": _BROADCAST,
    "broadcast_column": _BROADCAST,
}
"""Keys of each phase that may be set by itself, in the order of a turn."""

PHASE = dict.fromkeys(PHASES, Key("table"))
