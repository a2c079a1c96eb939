"""Whole streams of elements are TensorFlow's, for each transformation."""

from __future__ import annotations

from typing import Any

import pytest

import dataflow
from tests.library.datasets import file_pipelines, pipelines
from tests.library.datasets.streams import Pipeline, stream
from tests.oracle import oracle

ALL = [*pipelines.PIPELINES, *file_pipelines.PIPELINES]


@pytest.mark.parametrize("pipeline", ALL, ids=lambda pipeline: pipeline.__name__)
def test_elements(pipeline: Pipeline) -> None:
    wanted: list[Any] = stream(oracle, pipeline)
    assert stream(dataflow, pipeline) == wanted
