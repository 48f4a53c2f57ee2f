"""The tables of the reproduction's page: claims, hold-out errors, and the paper's 3, 4 and 5."""

from __future__ import annotations

from collections.abc import Sequence

from phasewise.machines import Machine
from phasewise.machines.curves import find
from phasewise.report.tables import Table
from phasewise.reproduction.claim import Claim
from phasewise.workloads.collision.reproduction.extent import Run
from phasewise.workloads.collision.reproduction.holdout import (
    FIGURES,
    Errors,
    WholeStudy,
    points,
)
from phasewise.workloads.collision.reproduction.plans import NODES, RANKS, SIX, TABLE_5, Plans
from phasewise.workloads.collision.reproduction.published import NAMES
from phasewise.workloads.collision.reproduction.results import PaperResults

SIMULATOR = "The reference is a simulator, not hardware."
ABSENT = "holdout.json is missing: python -m benchmarks.residuals --described --cache DIR makes it."


def claims_table(claims: Sequence[Claim]) -> Table:
    """Each claim beside its result."""
    rows = tuple(
        (
            str(c.id),
            c.title,
            c.paper,
            c.ours,
            c.verdict,
            "fitted in part" if c.fitted else "",
            "kept" if c.kept else "",
            c.sentence,
        )
        for c in claims
    )
    heads = ("", "claim", "the paper", "here", "holds", "evidence", "simulations", "")
    note = (
        f"{SIMULATOR} Percentages hold if they are off by no more than 5 points; errors of models "
        "are bounds, which a better model passes. Fitted in part: the result depends on what was "
        "set in a twin (Jacquard's protocol and taper, BG/L's bandwidth of 1 to 128 kB) so that "
        "it agrees with the paper."
    )
    return Table("The paper's claims", heads, rows, note, words=True)


def whole_study_table(study: WholeStudy | None) -> Table:
    """Errors of the models on all held-out cases."""
    note = f"{SIMULATOR} {ABSENT}"
    if study is not None:
        note = (
            f"{SIMULATOR} {study.points} simulated turns, made by benchmarks/residuals.py on "
            f"{study.date}, not repeated here."
        )
    return _errors_table(
        "Hold-out cases, all: predicted against simulated turns",
        {} if study is None else study.errors,
        note,
    )


def repeated_table(results: PaperResults) -> Table:
    """Errors of the models on the cases that were simulated for the page."""
    refused = " ".join(f"{m} on {name}: {why}." for (m, name), why in results.refused.items())
    return _errors_table(
        "Hold-out cases, repeated: some of them, simulated for this page",
        results.repeated,
        f"{SIMULATOR} {points(results.repeated)} simulated turns. {refused}".strip(),
    )


def _errors_table(title: str, errors: Errors, note: str) -> Table:
    rows = tuple(
        (
            f"{machine}, {model}",
            *(f"{100 * own[key]:.1f} %" for key in FIGURES[:-1]),
            f"{own['points']:.0f}",
        )
        for machine, models in errors.items()
        for model, own in models.items()
    )
    quantities = ("communication", "turn")
    heads = (
        "machine, model",
        *(f"{of}: {what}" for of in quantities for what in ("mean error", "worst", "inside")),
        "points",
    )
    return Table(title, heads, rows, note)


def models_table(results: PaperResults) -> Table:
    """Mean errors of the paper's models as it had them, and of our models with the same names."""
    rows = []
    for name in results.machines:
        runs = [Run(name, ranks, "base") for ranks in results.extent.ranks]
        for model in (*NAMES, "contention"):
            theirs = [results.ratio(run, model) for run in runs]
            ours = [results.own_ratio(run, model) for run in runs]
            rows.append((f"{name}, {model}", *_errors(theirs), *_errors(ours)))
    heads = ("machine, model", "as published: mean error", "worst", "ours: mean error", "worst")
    note = (
        f"{SIMULATOR} Errors are simulated over predicted, less one, for the base on "
        f"{', '.join(map(str, results.extent.ranks))} ranks. As published: straight lines through "
        "the smallest and the largest message, on tori 1a with the whole round trip, 5 and 6 "
        "with the mean over distances by direction."
    )
    return Table("Models as the paper had them, and ours", heads, tuple(rows), note)


def _errors(ratios: Sequence[float | None]) -> tuple[str, str]:
    known = [abs(ratio - 1) for ratio in ratios if ratio is not None]
    if len(known) < len(ratios):
        return "–", "–"
    return f"{100 * sum(known) / len(known):.1f} %", f"{100 * max(known):.1f} %"


def sensitivity_table(results: PaperResults) -> Table:
    """Gains by layout on machines as they may also have been."""
    rows = tuple(
        (s.machine, s.what, str(s.ranks), f"{100 * s.gain:.1f} %") for s in results.sensitivity
    )
    note = (
        f"{SIMULATOR} Three of a turn's 15 steps. The paper does not say how its jobs were placed, "
        "nor what a link carries."
    )
    heads = ("machine", "the twin", "ranks", "gain by layout")
    return Table("Gains by layout under other assumptions", heads, rows, note)


def compared_table(results: PaperResults) -> Table:
    """Kept simulations that were made again."""
    rows = tuple(
        (
            f"{one.run.machine}, {one.run.ranks} ranks, {one.run.variant}",
            f"{1e3 * one.kept:.4f}",
            f"{1e3 * one.now:.4f}",
            "yes" if one.same else "no: run without --quick",
        )
        for one in results.compared
    )
    heads = ("simulation", "kept [ms]", "made again [ms]", "the same")
    note = f"All others were kept from {results.kept}."
    return Table("Kept simulations", heads, rows, note)


def table_3(plans: Plans) -> Table:
    """Messages of each phase and volume of the busiest rank, of the base."""
    rows = []
    for name, title in SIX.items():
        phases = [plans.phase(ranks, "base", name) for ranks in RANKS]
        rows.append((title, *(_sizes(phase) for phase in phases)))
    for variant in ("base", "optimised"):
        volumes = (f"{plans.megabytes(ranks, variant):.1f} MB" for ranks in RANKS)
        rows.append((f"volume, {variant}", *volumes))
    note = "From the plan: bytes × messages of a turn, of the rank that sends most. Nothing is run."
    heads = ("phase", *(f"{ranks} ranks" for ranks in RANKS))
    return Table("Table 3: messages of the six phases", heads, tuple(rows), note)


def _sizes(phase: dict[str, object]) -> str:
    sizes = phase.get("bytes")
    if isinstance(sizes, list):
        return ", ".join(f"{size['bytes']} × {size['count']}" for size in sizes)
    return f"{sizes} × {phase['messages']}" if phase else "–"


def table_5(plans: Plans) -> Table:
    """Messages of phase 3 within and between nodes, beside the paper's where they differ."""
    rows = []
    for (ranks, variant), paper in TABLE_5.items():
        ours = plans.row_of_table_5(ranks, variant)
        cells = (
            str(own) if own == theirs else f"{own} (paper {theirs})"
            for own, theirs in zip(ours, paper, strict=True)
        )
        rows.append((f"{ranks} {variant}", *cells))
    heads = ("ranks", *(f"{node}-way {place}" for node in NODES for place in ("in", "out")))
    note = "From the plan; in: within a node, out: between nodes."
    return Table("Table 5: messages of phase 3", heads, tuple(rows), note)


def table_4(machines: dict[str, Machine]) -> Table:
    """Latency and bandwidth of each benchmark on the simulated machines, and the paper's."""
    rows = []
    for name, machine in machines.items():
        for benchmark, title, level, ranks in (
            ("ping_pong", "ping-pong", "network", None),
            ("ping_ping", "ping-ping", "network", None),
            ("parallel_inter", "parallel", "network", None),
            ("parallel_intra", "parallel", "node", None),
            ("grid_256", "grid", None, 256),
        ):
            theirs = machine.paper.get(benchmark)
            pairs = machine.node_ranks if title == "parallel" else None
            own = find(machine.curves, title, level=level, pairs=pairs, ranks=ranks)
            if theirs is None and own is None:
                continue
            rows.append((f"{name}, {benchmark.replace('_', ' ')}", *_pair(theirs), *_pair(own)))
    note = (
        f"{SIMULATOR} A twin is made from the paper's rows of ping-ping, single and parallel; the "
        "probes find them again, with the protocol's changes. The grid has 256 ranks, and "
        "messages go to the next rank in the row."
    )
    heads = ("machine, benchmark", "paper L [µs]", "B [MB/s]", "twin L [µs]", "B [MB/s]")
    return Table("Table 4: latency and bandwidth", heads, tuple(rows), note)


def _pair(line: object) -> tuple[str, str]:
    latency, bandwidth = getattr(line, "latency", None), getattr(line, "bandwidth", None)
    if latency is None or bandwidth is None:
        return "–", "–"
    return f"{1e6 * latency:.2f}", f"{bandwidth / 1e6:.1f}"
