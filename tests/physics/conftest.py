"""``pytest tests/physics --device emulated`` (or cuda): the same physics, computed on a device."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from phasewise.study import Study


@pytest.fixture(scope="session", autouse=True)
def on_the_device(request: pytest.FixtureRequest) -> Iterator[None]:
    """Collisions whose study asks for no device run on the one of --device."""
    device = request.config.getoption("--device")
    if device is None:
        yield
        return
    own = Study.parameters

    def parameters(study: Study) -> str:
        text = own(study)
        if study.workload.name != "collision" or "run.device" in text:
            return text
        return f"{text}run.device = {device}\n"

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Study, "parameters", parameters)
        yield
