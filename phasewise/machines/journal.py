"""The journal of a measurement: a file beside the machine's, to which each result is appended as a
line, so that whatever ends the measurement loses only what was under way, and another one goes on
from there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from phasewise.errors import RunError, StudyError
from phasewise.machines.probes import Probe
from phasewise.machines.rank_rates import RankRates, read_rank_rates
from phasewise.machines.targets import Sample
from phasewise.runs.disk import disk_reason, replace_text

SUFFIX = ".partial.jsonl"


def journal_path(output: Path) -> Path:
    """The journal of the measurement that writes the machine's file `output`."""
    return output.with_suffix(SUFFIX)


class Journal:
    """A file whose lines are JSON objects: first the head, which says what is measured where, then
    `nodes`, `rates` and `cores`; each `sample` with its `launch`; each `stage` that is complete;
    each `kernel` as `timed`, with what the `processor` gave the ranks meanwhile.
    """

    def __init__(self, path: Path, head: Mapping[str, Any], resume: bool) -> None:
        """Begin a new journal or, with `resume`, go on with the one at `path`. StudyError if there
        is none or it belongs to another measurement; RunError if it is damaged or cannot be
        written.
        """
        self.path = path
        self.lines: list[dict[str, Any]] = []
        if resume:
            self._read(head)
        text = "".join(json.dumps(line) + "\n" for line in [dict(head), *self.lines])
        try:
            replace_text(path, text)
        except OSError as error:
            raise RunError(f"{path} cannot be written: {disk_reason(error)}") from error

    def _read(self, head: Mapping[str, Any]) -> None:
        try:
            text = self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise StudyError(
                f"there is no {self.path} with a measurement to go on with; leave --resume out"
            ) from None
        except (OSError, UnicodeDecodeError) as error:
            raise RunError(f"{self.path} cannot be read: {disk_reason(error)}") from None
        # Whatever ended the measurement may have cut off the last line.
        lines = text.split("\n")[:-1]
        found = [self._object(line, number) for number, line in enumerate(lines, 1)]
        if not found:
            raise self._damaged("it is empty")
        for name, value in head.items():
            if found[0].get(name) != value:
                raise StudyError(
                    f"{self.path} was measured with {name} {found[0].get(name)}, and this "
                    f"measurement has {name} {value}; leave --resume out to measure anew"
                )
        self.lines = found[1:]

    def _object(self, line: str, number: int) -> dict[str, Any]:
        try:
            found = json.loads(line)
        except ValueError as error:
            raise self._damaged(f"line {number}: {error}") from None
        if not isinstance(found, dict):
            raise self._damaged(f"line {number} is no JSON object")
        return found

    def _damaged(self, why: str) -> RunError:
        return RunError(f"{self.path} is damaged ({why}); leave --resume out to measure anew")

    def add(self, line: Mapping[str, Any]) -> None:
        """Add a line; RunError if it cannot be written."""
        self.lines.append(dict(line))
        append(self.path, line)

    def first(self) -> tuple[tuple[int, ...], RankRates] | None:
        """The nodes of the ranks and the rates of one; None where they are not known yet."""
        try:
            for line in self.lines:
                if "nodes" in line:
                    nodes = tuple(int(node) for node in line["nodes"])
                    return nodes, read_rank_rates(line["rates"])
        except (TypeError, ValueError, LookupError) as error:
            raise self._damaged(str(error)) from None
        return None

    def cores(self) -> tuple[float, ...]:
        """How far the cores were from each other when the rates were measured [s]; empty if that is
        not known.
        """
        try:
            found = (line.get("cores", ()) for line in self.lines if "nodes" in line)
            return tuple(float(one) for one in next(found, ()))
        except (TypeError, ValueError) as error:
            raise self._damaged(str(error)) from None

    def stages(self) -> set[str]:
        """The stages of the measurement of messages that are complete."""
        return {str(line["stage"]) for line in self.lines if "stage" in line}

    def samples(self, probes: list[Probe]) -> Iterator[tuple[int, Sample]]:
        """The samples of these probes, with their launches."""
        by_name = {probe.name: probe for probe in probes}
        try:
            for line in self.lines:
                if "sample" in line:
                    given = line["sample"]
                    rows = [np.array(given[name], float) for name in ("seconds", "skew", "missed")]
                    yield (
                        int(line["launch"]),
                        Sample(by_name[line["of"]], int(given["bytes"]), *rows),
                    )
        except (TypeError, ValueError, LookupError) as error:
            raise self._damaged(f"a sample: {error!r}") from None


def append(path: Path, line: Mapping[str, Any]) -> None:
    """Append a line to the file; RunError if it cannot be written."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
    except OSError as error:
        raise RunError(f"{path} cannot be written: {disk_reason(error)}") from error


def sample_line(launch: int, sample: Sample) -> dict[str, Any]:
    """A sample as NAME.samples.jsonl has it."""
    return sample.probe.labels | {
        "bytes": sample.size,
        "launch": launch,
        "seconds": sample.seconds.tolist(),
        "skew": sample.skew.tolist(),
        "missed": [int(missed) for missed in sample.missed],
    }


def kernel_lines(path: Path) -> dict[str, dict[str, Any]]:
    """The timings of kernels in a journal by name, without a last line that was cut off."""
    if not path.is_file():
        return {}
    lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    found = [json.loads(line) for line in lines]
    return {line["kernel"]: line for line in found if "kernel" in line}
