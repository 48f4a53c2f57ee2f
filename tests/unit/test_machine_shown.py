"""`phasewise machine list` and `show`, beside `measure`."""

from __future__ import annotations

import json

import pytest

from phasewise.cli import main
from phasewise.machines import load_machine, machine_names
from tests.sentences import command_refused, says


def test_every_machine_is_listed_with_its_rates(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["machine", "list", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["machines"]
    assert [one["name"] for one in found] == machine_names()
    assert all(one["flops"] == load_machine(one["name"]).processor.flops for one in found)
    assert main(["machine", "list"]) == 0
    says(capsys.readouterr().out, *machine_names())


def test_a_machine_is_shown_with_units_and_what_its_numbers_refer_to(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["machine", "show", "bassi"]) == 0
    says(capsys.readouterr().out, "network latency [s]", "6.7e-06", "Power5", "simulator")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["show"], ("machine show", "name")),
        (["show", "basi"], ('"basi"', '"bassi"')),
        (["list", "bassi"], ("machine list", "bassi")),
        (["measure"], ("machine measure", "--output")),
        (["list", "--ranks", "3"], ("--ranks", "machine measure", "machine list")),
    ],
)
def test_what_is_missing_or_too_much_is_said(
    words: list[str], expected: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    command_refused(capsys, ["machine", *words], *expected)
