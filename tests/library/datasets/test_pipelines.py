"""Whole streams of elements are TensorFlow's, for each transformation."""

from __future__ import annotations

from typing import Any

import pytest

import dataflow
from tests.library.datasets import (
    experimental_pipelines,
    file_pipelines,
    pipelines,
    row_pipelines,
)
from tests.library.datasets.streams import Pipeline, stream
from tests.oracle import oracle

ALL = [
    *pipelines.PIPELINES,
    *file_pipelines.PIPELINES,
    *row_pipelines.PIPELINES,
    *experimental_pipelines.PIPELINES,
]


@pytest.mark.parametrize("pipeline", ALL, ids=lambda pipeline: pipeline.__name__)
def test_elements(pipeline: Pipeline) -> None:
    wanted: list[Any] = stream(oracle, pipeline)
    assert stream(dataflow, pipeline) == wanted


def test_empty_inputs_are_passed_over_where_they_stand() -> None:
    """So it is in nearly all runs of TensorFlow; in the others 61 comes before 70."""
    found = stream(
        dataflow,
        lambda tf: tf.data.Dataset.range(1, 8).apply(
            tf.data.experimental.parallel_interleave(
                lambda x: tf.data.Dataset.range(10 * x, 10 * x + x % 4),
                cycle_length=3,
                block_length=2,
            )
        ),
    )
    assert [element[-1] for element in found[1:-1]] == [
        10,
        20,
        21,
        30,
        31,
        32,
        50,
        60,
        70,
        71,
        61,
        72,
    ]
