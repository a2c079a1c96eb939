"""A few frozen nets: their answers are TensorFlow's. `python -m tests.frozen` has all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frozen.both import KINDS, error, make

NAMES = [
    *("albert", "bert", "deeplab", "faster_rcnn", "gpt", "int8", "mobilenet", "speech", "ssd"),
    *("style_transfer", "super_resolution", "t5", "translation", "u_net", "wide_and_deep", "yolo"),
]


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("frozen")
    make(folder, NAMES)
    return folder


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_answers_as_tensorflow(graphs: Path, name: str, kind: str) -> None:
    assert error(graphs, name, kind) < 1e-5
