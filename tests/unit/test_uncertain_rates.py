"""Uncertain rates of a machine file: how they are written, and what they do to intervals."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from phasewise.cli import main
from phasewise.machines import load_machine
from phasewise.machines.machine import machine_path, parse_machine
from phasewise.machines.reference import statement
from phasewise.machines.uncertainty import with_rate
from phasewise.models import Case, predict
from phasewise.models.model import Turn
from phasewise.models.uncertain import of_rates, widened
from phasewise.study import Study
from phasewise.tuning.choice import tune
from phasewise.tuning.search import Problem
from tests.sentences import Nearest, refused, says

pytest.importorskip("phasewise._core", reason="the core is not built")

BASSI = machine_path("bassi").read_text()


def bassi(flops: str = "flops = { value = 1.1e9, uncertainty = 0.2 }") -> str:
    lines = (line if not line.startswith("flops") else flops for line in BASSI.splitlines())
    return "\n".join(lines)


def halo() -> Study:
    tables = {"workload": "halo", "exchanges": 1, "halo": {"words": 4096}}
    return Study.from_dict(tables | {"communication": {"process_grid": "4x1"}})


def test_a_rate_may_have_an_uncertainty() -> None:
    machine = parse_machine(bassi(), "bassi.toml")
    assert machine.processor.flops == 1.1e9
    assert machine.uncertain == {"processor.flops": 0.2}
    assert with_rate(machine, "processor.flops", 2.0).processor.flops == 2.2e9
    says(statement(machine), "processor.flops", "± 20 %")
    says(statement(load_machine("bassi")), "for these rates")


@pytest.mark.parametrize(
    ("flops", "facts"),
    [
        ("flops = { value = 1e9, uncertainy = 0.2 }", ('"uncertainy"', Nearest("uncertainty"))),
        ("flops = { uncertainty = 0.2 }", ("processor.flops.value", "missing", "rate")),
        ("flops = { value = 1e9 }", ("processor.flops.uncertainty", "missing", 0.2)),
        ("flops = { value = 1e9, uncertainty = 20 }", ("processor.flops.uncertainty", 20, 0.9)),
        ("flops = { value = 1.0, uncertainty = 0.2 }", ("processor.flops", "1e+06")),
    ],
)
def test_a_wrong_uncertainty_is_refused(flops: str, facts: tuple[object, ...]) -> None:
    with refused("bassi.toml", *facts):
        parse_machine(bassi(flops), "bassi.toml")


def test_what_is_no_rate_has_no_uncertainty() -> None:
    text = BASSI.replace('kind = "fat-tree"', "kind = { value = 1, uncertainty = 0.1 }")
    with refused("network.kind", "no rate"):
        parse_machine(text, "bassi.toml")


def turn(seconds: float) -> Turn:
    return Turn({}, communicating=0.0, waiting=0.0, computing=seconds, seconds=seconds)


def test_a_turn_that_only_computes_is_off_by_what_the_rate_is_off() -> None:
    case = Case(None, parse_machine(bassi(), "bassi.toml"), 4)
    found = of_rates(case, turn(1 / 1.1e9), lambda one: turn(1 / one.machine.processor.flops))
    # A rate lower by 20 % makes the turn longer by 1/0.8, and one higher by 20 % shorter by 1/1.2.
    assert found.turn == pytest.approx((math.log(1.2), -math.log(0.8)))
    assert found.communication == (0.0, 0.0)


def test_half_widths_are_added_in_squares() -> None:
    low, high = widened(2.0, (2.0 * math.exp(-0.3), 2.0 * math.exp(0.3)), (0.4, 0.0))
    assert (math.log(low / 2), math.log(high / 2)) == pytest.approx((-0.5, 0.3))
    assert widened(2.0, (1.0, 3.0), (0.0, 0.0)) == (1.0, 3.0)


def test_the_interval_of_a_prediction_and_of_a_choice_takes_the_uncertainty_in() -> None:
    sure = load_machine("bassi")
    unsure = parse_machine(
        bassi().replace("bandwidth = 5e9", "bandwidth = { value = 5e9, uncertainty = 0.5 }"), "b"
    )
    one, other = (predict(Case(halo(), machine, 4), "3") for machine in (sure, unsure))
    assert one.turn_seconds == other.turn_seconds
    assert other.turn_low < one.turn_low and one.turn_high < other.turn_high
    assert other.of_rates.turn[1] > 0.0
    found = [tune(Problem(halo(), machine, 4, model="3"), 0).choice for machine in (sure, unsure)]
    assert found[0].predicted == found[1].predicted
    assert found[1].low < found[0].low and found[0].high < found[1].high


def test_tables_say_whether_they_are_for_these_rates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study, own = tmp_path / "study.toml", tmp_path / "unsure.toml"
    study.write_text('workload = "halo"\nexchanges = 1\n[halo]\nwords = 8\n')
    own.write_text(bassi())
    words = ["predict", str(study), "--ranks", "4", "--model", "3", "--machine"]
    assert main([*words, "bassi"]) == 0
    says(capsys.readouterr().out, "with 90 % intervals for these rates")
    assert main([*words, str(own)]) == 0
    says(capsys.readouterr().out, "take in the uncertainty of processor.flops")
