"""A few frozen nets: their answers are TensorFlow's. `python -m tests.frozen` has all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frozen.both import KINDS, error, make
from tests.once import made_once

EACH_TIME = ("bert", "int8", "mobilenet", "speech", "ssd", "translation", "wide_and_deep")
"""One of each kind; the others differ in their shape, and have the same ops."""
OTHERS = (
    *("albert", "deeplab", "faster_rcnn", "gpt", "style_transfer"),
    *("super_resolution", "t5", "u_net", "yolo"),
)


@pytest.fixture(scope="module")
def graphs(request: pytest.FixtureRequest) -> Path:
    asked = (item for item in request.session.items if isinstance(item, pytest.Function))
    made = {str(item.callspec.params["name"]) for item in asked if item.module is request.module}
    return made_once("frozen", lambda folder: make(folder, sorted(made)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "name", [*EACH_TIME, *(pytest.param(name, marks=pytest.mark.long) for name in OTHERS)]
)
def test_answers_as_tensorflow(graphs: Path, name: str, kind: str) -> None:
    assert error(graphs, name, kind) < 1e-5
