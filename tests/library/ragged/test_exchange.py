"""Ragged tensors fed and fetched, in datasets, in features of examples, in signatures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow
import dataflow as tf
from tests.conftest import SessionFactory
from tests.library.ragged.test_values import Given, plain
from tests.oracle import open_session


def test_values_are_fed_and_fetched(session_factory: SessionFactory) -> None:
    with tf.Graph().as_default() as graph:
        given: Any = tf.ragged.placeholder(tf.int32, 2, [2])
        constant: Any = tf.ragged.constant([[1, 2], [3]])
        rows = [[[[1, 2]], []], [[[3, 4], [5, 6]]]]
        fed = tf.ragged.constant_value(rows, np.int32, ragged_rank=2)
        other = tf.ragged.constant_value([[5], [6, 7]], np.int32)
        with session_factory(graph) as session:
            found = session.run({"a": given, "b": (given + 1, constant)}, {given: fed})
            assert found["a"].to_list() == rows
            assert found["b"][0].to_list() == [[[[2, 3]], []], [[[4, 5], [6, 7]]]]
            assert isinstance(found["b"][1], tf.ragged.RaggedTensorValue)
            assert session.run(constant * 2, {constant: other}).to_list() == [[10], [12, 14]]


def elements(library: Any, make: Any) -> tuple[list[Any], Any]:
    """All elements of a dataset, and what describes them."""
    with library.Graph().as_default() as graph:
        dataset = make(Given(library))
        following = dataset.make_one_shot_iterator().get_next()
        found: list[Any] = []
        with open_session(library, graph) as session:
            try:
                while True:
                    found.append(session.run(following))
            except library.errors.OutOfRangeError:
                spec = dataset.element_spec
                said = (
                    spec.shape.as_list(),
                    spec.dtype.name,
                    spec.ragged_rank,
                    spec.row_splits_dtype.name,
                )
                return [plain(value) for value in found], said


@pytest.mark.parametrize(
    "make",
    [
        lambda g: g.tf.data.Dataset.from_tensor_slices(g.deep).map(lambda x: x + 1),
        lambda g: g.tf.data.Dataset.from_tensors(g.deep),
        lambda g: g.tf.data.Dataset.from_tensor_slices(g.deep).batch(2),
        lambda g: g.tf.data.Dataset.from_tensor_slices(g.numbers).batch(3),
        lambda g: g.tf.data.Dataset.from_tensors(g.numbers).apply(g.tf.data.experimental.unbatch()),
        lambda g: (
            g.tf.data.Dataset.range(5)
            .map(g.tf.range)
            .apply(g.tf.data.experimental.dense_to_ragged_batch(2, row_splits_dtype=g.tf.int32))
        ),
        lambda g: g.tf.data.Dataset.from_tensor_slices(g.tf.ragged.constant_value([[1], [2, 3]])),
    ],
    ids=["map", "whole", "batch", "rows", "unbatch", "dense", "value"],
)
def test_elements_of_datasets_are_those_of_tensorflow(make: Any) -> None:
    assert elements(dataflow, make) == elements(oracle, make)


def features(library: Any) -> Any:
    kind = library.io.RaggedFeature

    def cut(*partitions: Any) -> Any:
        return kind(library.int64, value_key="v", partitions=partitions, validate=True)

    return {
        "v": kind(library.int64, validate=True),
        "lengths": cut(kind.RowLengths("l")),
        "splits": cut(kind.RowSplits("s")),
        "starts": cut(kind.RowStarts("st")),
        "limits": cut(kind.RowLimits("li")),
        "rows": cut(kind.ValueRowIds("r")),
        "even": cut(kind.UniformRowLength(1), kind.RowLengths("l")),
    }


def messages() -> list[bytes]:
    made = []
    for parts in (
        {"v": [3, 1, 4, 1, 5, 9], "l": [2, 0, 4], "s": [0, 2, 6], "r": [0, 0, 2, 2, 2, 2]}
        | {"st": [0, 2, 2], "li": [2, 2, 6]},
        {"v": [1], "l": [1], "s": [0, 1], "r": [0], "st": [0], "li": [1]},
    ):
        example = tf.train.Example()
        for key, numbers in parts.items():
            example.features.feature[key].int64_list.value.extend(numbers)
        made.append(example.SerializeToString())
    return made


def parsed(library: Any) -> Any:
    with library.Graph().as_default() as graph:
        examples = messages()
        batch = library.io.parse_example(examples, features(library))
        alone = library.io.parse_single_example(examples[0], features(library))
        sequence = tf.train.SequenceExample()
        sequence.context.feature["v"].int64_list.value.extend([1, 2])
        for numbers in ([1, 2], [], [3]):
            feature = sequence.feature_lists.feature_list["v"].feature.add()
            feature.int64_list.value.extend(numbers)
        text = sequence.SerializeToString()
        asked = {"v": library.io.RaggedFeature(library.int64)}
        steps = library.io.parse_sequence_example([text, text], asked, asked)[:2]
        step = library.io.parse_single_sequence_example(text, asked, asked)
        with open_session(library, graph) as session:
            made = session.run([batch, alone, list(steps), list(step)])
    return [{key: plain(value) for key, value in each.items()} for each in made[:2]] + [
        [{key: plain(value) for key, value in each.items()} for each in pair] for pair in made[2:]
    ]


def test_features_are_those_of_tensorflow() -> None:
    assert parsed(dataflow) == parsed(oracle)


def info_of(library: Any) -> Any:
    with library.Graph().as_default():
        rows = library.ragged.constant([[1], [2, 3]])
        info = library.saved_model.utils.build_tensor_info(rows)
        again = library.saved_model.utils.get_tensor_from_tensor_info(info)
        assert again.flat_values is rows.flat_values
        return info.SerializeToString(deterministic=True)


def test_signatures_say_what_tensorflow_says() -> None:
    assert info_of(dataflow) == info_of(oracle)


class RaggedAssertions(tf.test.TestCase):
    def test_equal(self) -> None:
        with self.cached_session():
            rows: Any = tf.ragged.constant([[1, 2], [3]])
            self.assertAllEqual(rows, [[1, 2], [3]])
            self.assertAllEqual([[1, 2], [3]], self.evaluate(rows))
            for other in ([[1], [2, 3]], [[1, 2], [4]], [[1, 2]]):
                with self.assertRaises(AssertionError):
                    self.assertAllEqual(rows, other)

    def test_close(self) -> None:
        with self.cached_session():
            rows: Any = tf.ragged.constant([[1.0, 2.0], [3.0]])
            self.assertAllClose(rows, [[1.0, 2.0], [3.0 + 1e-7]])
            for other in ([[1.0, 2.0], [3.1]], [[1.0], [2.0, 3.0]], [[1.0, 2.0], 3.0]):
                with self.assertRaises(AssertionError):
                    self.assertAllClose(rows, other)
