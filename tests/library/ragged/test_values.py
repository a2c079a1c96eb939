"""Ragged tensors and what functions of tensors make of them, beside TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow
from tests.oracle import open_session


class Given:
    """What the expressions are about, in one of the libraries."""

    def __init__(self, library: Any) -> None:
        self.tf = library
        constant = library.ragged.constant
        self.numbers = constant([[1, 2, 3], [], [4, 5], [6]])
        self.floats = constant([[1.0, 2.0, 3.0], [], [4.0, 5.0], [6.0]])
        self.deep = constant([[[1, 2], [3]], [], [[4, 5, 6], [], [7]]])
        self.deep_floats = constant([[[1.0, 2], [3]], [], [[4, 5, 6], [], [7]]])
        self.words = constant([[b"a b", b"cc"], [], [b"d|e f"]])
        self.vectors = constant([[[1, 2], [3, 4]], [], [[5, 6]]], ragged_rank=1)


def plain(value: Any) -> Any:
    """A value as lists, with a mark on those that are ragged or sparse."""
    if hasattr(value, "to_list"):
        return "ragged", value.to_list(), str(value.row_splits.dtype)
    if type(value).__name__ == "SparseTensorValue":
        return ("sparse", *(np.asarray(part).tolist() for part in value))
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    array = np.asarray(value)
    if array.dtype.kind == "f":
        array = np.round(array.astype(np.float64), 4)
    return array.tolist()


def values_of(library: Any, expressions: list[Any]) -> list[Any]:
    with library.Graph().as_default() as graph:
        given = Given(library)
        made = [expression(given) for expression in expressions]
        with open_session(library, graph) as session:
            return [plain(value) for value in session.run(made)]


OPERATORS = [
    lambda g: g.numbers,
    lambda g: g.deep,
    lambda g: g.vectors,
    lambda g: g.words,
    lambda g: g.numbers + 1,
    lambda g: 1 + g.numbers,
    lambda g: g.numbers * g.numbers,
    lambda g: g.numbers - g.tf.ragged.constant([[10], [20], [30], [40]], ragged_rank=0),
    lambda g: g.numbers + g.tf.constant([[10], [20], [30], [40]]),
    lambda g: g.tf.constant([[10], [20], [30], [40]]) + g.numbers,
    lambda g: g.tf.add(g.vectors, [10, 20]),
    lambda g: g.vectors * g.vectors,
    lambda g: g.numbers < 3,
    lambda g: -g.numbers,
    lambda g: abs(-g.numbers),
    lambda g: g.floats / 2,
    lambda g: g.floats // 2,
    lambda g: g.floats**2,
    lambda g: g.numbers % 2,
    lambda g: ~g.tf.ragged.constant([[True], [False, True]]),
    lambda g: (
        g.tf.ragged.constant([[True], [False, True]])
        & g.tf.ragged.constant([[True], [True, False]])
    ),
]
FUNCTIONS = [
    lambda g: g.tf.square(g.numbers),
    lambda g: g.tf.cast(g.numbers, g.tf.float32),
    lambda g: g.tf.maximum(g.numbers, 3),
    lambda g: g.tf.equal(g.numbers, 3),
    lambda g: g.tf.add(g.numbers, g.numbers),
    lambda g: g.tf.clip_by_value(g.numbers, 2, 4),
    lambda g: g.tf.sqrt(g.floats),
    lambda g: g.tf.zeros_like(g.numbers),
    lambda g: g.tf.ones_like(g.deep),
    lambda g: g.tf.nn.relu(g.floats - 3),
    lambda g: g.tf.reduce_sum(g.numbers),
    lambda g: g.tf.reduce_sum(g.numbers, 0),
    lambda g: g.tf.reduce_sum(g.numbers, 1),
    lambda g: g.tf.reduce_sum(g.numbers, axis=1, keepdims=True),
    lambda g: g.tf.reduce_sum(g.numbers, [0, 1]),
    lambda g: g.tf.reduce_sum(g.deep, 0),
    lambda g: g.tf.reduce_sum(g.deep, 1),
    lambda g: g.tf.reduce_sum(g.deep, 2),
    lambda g: g.tf.reduce_sum(g.deep, -1),
    lambda g: g.tf.reduce_sum(g.deep, [1, 2]),
    lambda g: g.tf.reduce_sum(g.vectors, 2),
    lambda g: g.tf.reduce_sum(g.vectors, 1),
    lambda g: g.tf.reduce_max(g.numbers, 1),
    lambda g: g.tf.reduce_min(g.numbers, 0),
    lambda g: g.tf.reduce_prod(g.numbers, 1),
    lambda g: g.tf.reduce_mean(g.floats, 1),
    lambda g: g.tf.reduce_mean(g.deep_floats, [0, 1]),
    lambda g: g.tf.reduce_mean(g.floats),
    lambda g: g.tf.reduce_all(g.numbers > 2, 1),
    lambda g: g.tf.reduce_any(g.numbers > 2, 1),
    lambda g: g.tf.math.reduce_variance(g.floats, 1),
    lambda g: g.tf.math.reduce_std(g.floats, 0),
    lambda g: g.tf.concat([g.numbers, g.numbers], 0),
    lambda g: g.tf.concat([g.numbers, g.numbers], 1),
    lambda g: g.tf.concat([g.numbers, g.tf.constant([[9], [8], [7], [6]])], 1),
    lambda g: g.tf.concat([g.deep, g.deep], 2),
    lambda g: g.tf.concat([g.deep, g.deep], -1),
    lambda g: g.tf.concat([g.vectors, g.vectors], 2),
    lambda g: g.tf.stack([g.numbers, g.numbers]),
    lambda g: g.tf.stack([g.numbers, g.numbers], 1),
    lambda g: g.tf.stack([g.numbers, g.numbers], 2),
    lambda g: g.tf.expand_dims(g.numbers, 0),
    lambda g: g.tf.expand_dims(g.numbers, 1),
    lambda g: g.tf.expand_dims(g.numbers, 2),
    lambda g: g.tf.expand_dims(g.numbers, -1),
    lambda g: g.tf.squeeze(g.tf.expand_dims(g.numbers, 0), 0),
    lambda g: g.tf.squeeze(g.tf.expand_dims(g.numbers, 2), [2]),
    lambda g: g.tf.squeeze(g.tf.ragged.constant([[[1], [2]], [[3]]], ragged_rank=1), [2]),
    lambda g: g.tf.squeeze(g.tf.ragged.constant([[1], [2]]), 1),
    lambda g: g.tf.squeeze(g.tf.ragged.constant([[[1]], [[2]]]), [1, 2]),
    lambda g: g.tf.squeeze(g.tf.ragged.constant([[[1, 3]], [[2]]]), 1),
    lambda g: g.tf.squeeze(g.tf.ragged.constant([[[1], [3]], [[2]]]), -1),
    lambda g: g.tf.squeeze(g.tf.ragged.constant([[1]]), [0, 1]),
    lambda g: g.tf.squeeze(g.tf.ragged.constant([[1, 3]]), 0),
    lambda g: g.tf.squeeze(g.tf.ragged.constant([[[[1]], [[2]]], [[[3]]]], ragged_rank=2), [2, 3]),
    lambda g: g.tf.squeeze(g.tf.ragged.constant([[[[1]]]], ragged_rank=2), [0, 2]),
    lambda g: g.tf.gather(g.numbers, [2, 0]),
    lambda g: g.tf.gather(g.numbers, [[2, 0], [1, 1]]),
    lambda g: g.tf.gather(g.numbers, 2),
    lambda g: g.tf.gather(g.numbers, g.tf.ragged.constant([[2], [0, 1]])),
    lambda g: g.tf.gather(g.tf.constant([10, 20, 30, 40, 50, 60, 70]), g.numbers),
    lambda g: g.tf.gather(g.deep, [2, 0]),
    lambda g: g.tf.gather(g.vectors, [2, 0]),
    lambda g: g.tf.gather(g.tf.constant([[1, 2], [3, 4]]), g.tf.ragged.constant([[1], [0, 0]])),
    lambda g: g.tf.batch_gather(g.numbers, g.tf.ragged.constant([[2, 0], [], [1], [0]])),
    lambda g: g.tf.gather_nd(g.numbers, [[0, 1], [2, 0]]),
    lambda g: g.tf.gather_nd(g.numbers, [[0], [2]]),
    lambda g: g.tf.gather_nd(g.deep, [[0, 1], [2, 0]]),
    lambda g: g.tf.gather_nd(g.deep, [[0, 1, 0], [2, 0, 2]]),
    lambda g: g.tf.gather_nd(g.deep, [[[0, 1, 0]], [[2, 0, 2]]]),
    lambda g: g.tf.tile(g.numbers, [2, 1]),
    lambda g: g.tf.tile(g.numbers, [1, 2]),
    lambda g: g.tf.tile(g.deep, [1, 2, 2]),
    lambda g: g.tf.tile(g.vectors, [2, 1, 2]),
    lambda g: g.tf.reverse(g.numbers, [0]),
    lambda g: g.tf.reverse(g.numbers, [1]),
    lambda g: g.tf.reverse(g.deep, [0, 1, 2]),
    lambda g: g.tf.reverse(g.vectors, [2]),
    lambda g: g.tf.size(g.numbers),
    lambda g: g.tf.rank(g.deep),
    lambda g: g.tf.where(g.numbers > 2, g.numbers, -g.numbers),
    lambda g: g.tf.where(g.tf.ragged.constant([[True, False], [True]])),
    lambda g: g.tf.where_v2(g.numbers > 2, g.numbers, 0),
    lambda g: g.tf.where_v2([[True], [False], [True], [False]], g.numbers, -g.numbers),
    lambda g: g.tf.where([True, False, True, False], g.numbers, -g.numbers),
    lambda g: g.tf.one_hot(g.tf.ragged.constant([[1, 0], [2]]), 3),
    lambda g: g.tf.math.unsorted_segment_sum(g.numbers, [0, 1, 0, 1], 2),
    lambda g: g.tf.math.unsorted_segment_max(g.deep, [0, 1, 0], 2),
    lambda g: g.tf.math.unsorted_segment_mean(g.floats, [0, 0, 0, 1], 2),
    lambda g: g.tf.math.unsorted_segment_sqrt_n(g.floats, [0, 0, 0, 1], 2),
    lambda g: g.tf.math.unsorted_segment_sum(
        g.numbers, g.tf.ragged.constant([[0, 1, 0], [], [1, 1], [2]]), 3
    ),
    lambda g: g.tf.cumsum(g.numbers, 1),
    lambda g: g.tf.cumsum(g.numbers, 1, exclusive=True),
    lambda g: g.tf.cumsum(g.numbers, 1, reverse=True),
    lambda g: g.tf.add_n([g.numbers, g.numbers]),
    lambda g: g.tf.identity(g.numbers),
    lambda g: g.tf.dynamic_partition(g.numbers, [1, 0, 1, 1], 2),
    lambda g: g.tf.nn.embedding_lookup(
        g.tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), g.tf.ragged.constant([[1], [0, 2]])
    ),
    lambda g: g.tf.nn.embedding_lookup_sparse(
        g.tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
        g.tf.ragged.constant([[1], [0, 2]]),
        None,
    ),
    lambda g: g.tf.nn.embedding_lookup_sparse(
        g.tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
        g.tf.ragged.constant([[1], [0, 2]]),
        g.tf.ragged.constant([[1.0], [1.0, 3.0]]),
        combiner="mean",
    ),
    lambda g: g.tf.math.bincount(g.numbers),
    lambda g: g.tf.sparse.bincount(g.numbers, axis=-1),
    lambda g: g.tf.sparse.bincount(g.numbers),
    lambda g: g.tf.unstack(g.tf.reduce_sum(g.deep, [1, 2])),
    lambda g: g.tf.nn.dropout(g.floats, rate=0.0),
    lambda g: g.tf.bitcast(g.floats, g.tf.int32),
    lambda g: g.tf.sequence_mask(g.numbers.row_lengths()),
    lambda g: g.tf.shape(g.numbers.to_tensor()),
    lambda g: g.tf.logical_not(g.tf.ragged.constant([[True], [False]])),
    lambda g: g.tf.math.xlogy(g.floats, g.floats),
    lambda g: g.tf.as_string(g.numbers),
    lambda g: g.tf.assert_equal(g.numbers, g.numbers) and g.tf.constant(1),
]
INDICES = [
    lambda g: g.numbers[1],
    lambda g: g.numbers[2],
    lambda g: g.numbers[-1],
    lambda g: g.numbers[1:],
    lambda g: g.numbers[::2],
    lambda g: g.numbers[::-1],
    lambda g: g.numbers[:-1],
    lambda g: g.numbers[:, 1:],
    lambda g: g.numbers[:, :2],
    lambda g: g.numbers[:, -1:],
    lambda g: g.numbers[:, ::-1],
    lambda g: g.numbers[:, ::2],
    lambda g: g.numbers[1:3, :1],
    lambda g: g.numbers[0, 1],
    lambda g: g.numbers[2, -1],
    lambda g: g.numbers[0, 1:],
    lambda g: g.numbers[g.tf.newaxis],
    lambda g: g.numbers[:, g.tf.newaxis],
    lambda g: g.numbers[..., g.tf.newaxis],
    lambda g: g.numbers[...],
    lambda g: g.numbers[..., 1:],
    lambda g: g.deep[2],
    lambda g: g.deep[2, 0],
    lambda g: g.deep[2, 0, 1],
    lambda g: g.deep[:, :, 1:],
    lambda g: g.deep[:, 1:],
    lambda g: g.deep[:, ::-1],
    lambda g: g.deep[2, :, :2],
    lambda g: g.vectors[:, :, 0],
    lambda g: g.vectors[..., 1],
    lambda g: g.vectors[0],
    lambda g: g.vectors[:, :1, 1:],
    lambda g: g.numbers[g.tf.constant(2)],
    lambda g: g.numbers[g.tf.constant(1) :],
]
PARTS = [
    lambda g: g.numbers.row_splits,
    lambda g: g.numbers.row_lengths(),
    lambda g: g.deep.row_lengths(2),
    lambda g: g.vectors.row_lengths(2),
    lambda g: g.deep.row_lengths(axis=-1),
    lambda g: g.numbers.value_rowids(),
    lambda g: g.numbers.row_starts(),
    lambda g: g.numbers.row_limits(),
    lambda g: g.numbers.nrows(),
    lambda g: g.numbers.nrows(out_type=g.tf.int32),
    lambda g: g.deep.nested_row_splits,
    lambda g: g.deep.nested_row_lengths(),
    lambda g: g.deep.nested_value_rowids(),
    lambda g: g.deep.flat_values,
    lambda g: g.deep.values,
    lambda g: g.numbers.bounding_shape(),
    lambda g: g.deep.bounding_shape(),
    lambda g: g.vectors.bounding_shape(),
    lambda g: g.deep.bounding_shape(axis=1),
    lambda g: g.deep.bounding_shape(axis=[0, 2]),
    lambda g: g.deep.merge_dims(0, 1),
    lambda g: g.deep.merge_dims(1, 2),
    lambda g: g.deep.merge_dims(0, 2),
    lambda g: g.vectors.merge_dims(1, 2),
    lambda g: g.vectors.merge_dims(0, 2),
    lambda g: g.numbers.to_tensor(),
    lambda g: g.numbers.to_tensor(-1),
    lambda g: g.numbers.to_tensor(default_value=9, shape=[None, 2]),
    lambda g: g.numbers.to_tensor(shape=[6, 4]),
    lambda g: g.deep.to_tensor(),
    lambda g: g.vectors.to_tensor(),
    lambda g: g.vectors.to_tensor(default_value=[8, 9]),
    lambda g: g.words.to_tensor(),
    lambda g: g.numbers.to_sparse(),
    lambda g: g.deep.to_sparse(),
    lambda g: g.vectors.to_sparse(),
    lambda g: g.numbers.with_values([10, 20, 30, 40, 50, 60]),
    lambda g: g.deep.with_flat_values([10, 20, 30, 40, 50, 60, 70]),
    lambda g: g.numbers.with_row_splits_dtype(g.tf.int32),
]
FACTORIES = [
    lambda g: g.tf.ragged.stack([g.tf.constant([1, 2]), g.tf.constant([3])]),
    lambda g: g.tf.ragged.stack([g.numbers, g.tf.ragged.constant([[1]])]),
    lambda g: g.tf.ragged.boolean_mask(g.numbers, [True, False, True, True]),
    lambda g: g.tf.ragged.boolean_mask(g.numbers, g.numbers > 2),
    lambda g: g.tf.ragged.boolean_mask(
        g.tf.constant([[1, 2, 3], [4, 5, 6]]), [[True, False, True], [False, False, True]]
    ),
    lambda g: g.tf.ragged.boolean_mask(
        g.deep, g.tf.ragged.constant([[True, False], [], [True, False, True]])
    ),
    lambda g: g.tf.ragged.boolean_mask(
        g.deep,
        g.tf.ragged.constant([[[True, False], [True]], [], [[True, False, True], [], [False]]]),
    ),
    lambda g: g.tf.ragged.boolean_mask(
        g.tf.constant([[[1, 2], [3, 4]]]), [[[True, False], [False, True]]]
    ),
    lambda g: g.tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 3]),
    lambda g: g.tf.RaggedTensor.from_row_lengths([1, 2, 3], [2, 0, 1]),
    lambda g: g.tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2]),
    lambda g: g.tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2], nrows=5),
    lambda g: g.tf.RaggedTensor.from_row_starts([1, 2, 3], [0, 1, 1]),
    lambda g: g.tf.RaggedTensor.from_row_limits([1, 2, 3], [2, 2, 3]),
    lambda g: g.tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2),
    lambda g: g.tf.RaggedTensor.from_uniform_row_length(
        g.tf.ragged.constant([[1], [2, 3], [], [4]]), 2
    ),
    lambda g: g.tf.RaggedTensor.from_uniform_row_length([], 0, nrows=3),
    lambda g: g.tf.RaggedTensor.from_nested_row_splits([1, 2, 3], [[0, 1, 2], [0, 2, 3]]),
    lambda g: g.tf.RaggedTensor.from_nested_row_lengths([1, 2, 3], [[1, 1], [2, 1]]),
    lambda g: g.tf.RaggedTensor.from_nested_value_rowids([1, 2, 3], [[0, 1], [0, 0, 1]]),
    lambda g: g.tf.RaggedTensor.from_nested_value_rowids([1, 2, 3], [[0, 1], [0, 0, 1]], [3, 2]),
    lambda g: g.tf.RaggedTensor.from_tensor([[1, 2], [3, 4]]),
    lambda g: g.tf.RaggedTensor.from_tensor([[1, 2, 0], [3, 0, 0], [0, 0, 0]], padding=0),
    lambda g: g.tf.RaggedTensor.from_tensor([[0, 1, 0], [3, 0, 0], [0, 0, 0]], padding=0),
    lambda g: g.tf.RaggedTensor.from_tensor([[1, 2, 0], [3, 0, 0], [0, 0, 0]], lengths=[1, 3, 0]),
    lambda g: g.tf.RaggedTensor.from_tensor([[[1, 2], [3, 4]], [[5, 6], [7, 8]]], ragged_rank=2),
    lambda g: g.tf.RaggedTensor.from_tensor([[[1, 2], [3, 4]], [[5, 6], [7, 8]]]),
    lambda g: g.tf.RaggedTensor.from_tensor([[[1, 0], [3, 4]], [[0, 0], [7, 8]]], padding=[0, 0]),
    lambda g: g.tf.RaggedTensor.from_tensor(
        [[[1, 0], [3, 4]], [[0, 0], [7, 8]]], padding=0, ragged_rank=2
    ),
    lambda g: g.tf.RaggedTensor.from_tensor(
        [[[1, 2], [3, 4]], [[5, 6], [7, 8]]], lengths=([1, 2], [2, 1, 0])
    ),
    *(
        lambda g, kind=kind: g.tf.RaggedTensor.from_tensor(
            [[1, 2, 0], [3, 0, 0]], lengths=g.tf.constant([1, 3], kind)
        )
        for kind in ("int16", "int32", "int64", "uint8")
    ),
    lambda g: g.tf.RaggedTensor.from_tensor(
        [[1, 2, 0], [3, 0, 0]], lengths=g.tf.constant([1, 9], "int64"), row_splits_dtype="int32"
    ),
    lambda g: g.tf.RaggedTensor.from_tensor([[1, 2, 0], [3, 0, 0]], lengths=[-1, 9]).row_lengths(),
    lambda g: g.tf.RaggedTensor.from_tensor(
        [[[1, 2], [3, 4]]], lengths=(g.tf.constant([2]), g.tf.constant([1, 2]))
    ),
    lambda g: g.tf.RaggedTensor.from_sparse(
        g.tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1, 2, 3], [4, 5])
    ),
    lambda g: g.tf.ragged.range([3, 5]),
    lambda g: g.tf.ragged.range([0, 5, 8], [3, 3, 12]),
    lambda g: g.tf.ragged.range([0, 5, 8], [3, 3, 12], 2),
    lambda g: g.tf.ragged.range(0.0, [3.0, 1.5], 0.5),
    lambda g: g.tf.ragged.constant([[1, 2], [3]], dtype=g.tf.float32),
    lambda g: g.tf.ragged.constant([]),
    lambda g: g.tf.ragged.constant([[], [[1]]]),
    lambda g: g.tf.ragged.constant([[[1, 2]], []], inner_shape=(2,)),
    lambda g: g.tf.ragged.constant([[[1, 2]], [[3, 4]]], ragged_rank=1),
    lambda g: g.tf.ragged.constant([1, 2], ragged_rank=0),
    lambda g: g.tf.ragged.constant(3),
    lambda g: g.tf.ragged.map_flat_values(g.tf.multiply, g.numbers, 10),
    lambda g: g.tf.ragged.row_splits_to_segment_ids([0, 2, 2, 5]),
    lambda g: g.tf.ragged.segment_ids_to_row_splits([0, 0, 2]),
    lambda g: g.tf.ragged.segment_ids_to_row_splits([0, 0, 2], num_segments=5),
    lambda g: g.tf.ragged.stack_dynamic_partitions([1, 2, 3, 4], [1, 0, 1, 3], 5),
    lambda g: g.tf.ragged.stack_dynamic_partitions(g.numbers, [1, 0, 1, 1], 2),
    lambda g: g.tf.ragged.stack_dynamic_partitions(g.numbers, g.numbers % 3, 3),
    lambda g: g.tf.ragged.cross([g.words, g.tf.ragged.constant([["x"], ["y"], ["z"]])]),
    lambda g: g.tf.ragged.cross([g.words, g.tf.constant([["x"], ["y"], ["z"]])]),
    lambda g: g.tf.ragged.cross([g.numbers, g.tf.constant([[1, 2], [3, 4], [5, 6], [7, 8]])]),
    lambda g: g.tf.ragged.cross_hashed(
        [g.words, g.tf.ragged.constant([["x"], ["y"], ["z"]])], num_buckets=100
    ),
    lambda g: g.tf.ragged.cross_hashed(
        [g.numbers, g.tf.ragged.constant([["x"], ["y"], ["z"], ["u"]])]
    ),
    lambda g: g.tf.ragged.cross(
        [
            g.tf.SparseTensor([[0, 0], [1, 1]], ["p", "q"], [3, 2]),
            g.words,
            g.tf.constant([["x"], ["y"], ["z"]]),
        ]
    ),
]
TEXTS = [
    lambda g: g.tf.strings.length(g.words),
    lambda g: g.tf.strings.upper(g.words),
    lambda g: g.tf.strings.join([g.words, g.words], "-"),
    lambda g: g.tf.strings.reduce_join(g.words, axis=1, separator="+"),
    lambda g: g.tf.strings.reduce_join(g.words, axis=0, separator="+"),
    lambda g: g.tf.strings.reduce_join(g.words),
    lambda g: g.tf.strings.format("x={} y={}", [g.numbers, 3]),
    lambda g: g.tf.strings.format("{}", g.words),
    lambda g: g.tf.strings.format(
        "{}",
        g.tf.ragged.constant([[1, 2, 3, 4, 5, 6, 7, 8], [1], [2], [3], [4], [5], [6]]),
        summarize=2,
    ),
    lambda g: g.tf.strings.format("{}", g.deep),
    lambda g: g.tf.strings.split(["a b c", "d", ""], result_type="RaggedTensor"),
    lambda g: g.tf.strings.split("a b c", result_type="RaggedTensor"),
    lambda g: g.tf.strings.split(["a,b,c", "d,,", ""], ",", result_type="RaggedTensor"),
    lambda g: g.tf.strings.split(g.words, result_type="RaggedTensor"),
    lambda g: g.tf.strings.split([["a b"], ["c d e"]], result_type="RaggedTensor"),
    lambda g: g.tf.strings.split(["a b c", "d"]),
    lambda g: g.tf.strings.split(g.words),
    lambda g: g.tf.string_split(["a b c", "d"], result_type="RaggedTensor"),
    lambda g: g.tf.string_split(["a bx c", "d"], " x", result_type="RaggedTensor"),
    lambda g: g.tf.strings.bytes_split(["abc", "", "d"]),
    lambda g: g.tf.strings.bytes_split("abc"),
    lambda g: g.tf.strings.bytes_split(g.words),
    lambda g: g.tf.strings.bytes_split([["ab"], ["c"]]),
    lambda g: g.tf.strings.unicode_decode(["a\\u00e9", "", "\\U0001f600x"], "UTF-8"),
    lambda g: g.tf.strings.unicode_decode("a\\u00e9", "UTF-8"),
    lambda g: g.tf.strings.unicode_decode([["a\\u00e9"], ["b"]], "UTF-8"),
    lambda g: g.tf.strings.unicode_decode(g.words, "UTF-8"),
    lambda g: g.tf.strings.unicode_decode_with_offsets(["a\\u00e9", "", "\\U0001f600x"], "UTF-8"),
    lambda g: g.tf.strings.unicode_split(["a\\u00e9", "", "\\U0001f600x"], "UTF-8"),
    lambda g: g.tf.strings.unicode_split_with_offsets(["a\\u00e9", "", "\\U0001f600x"], "UTF-8"),
    lambda g: g.tf.strings.unicode_split("a\\u00e9", "UTF-8"),
    lambda g: g.tf.strings.unicode_encode(g.tf.ragged.constant([[97, 233], [], [128512]]), "UTF-8"),
    lambda g: g.tf.strings.unicode_encode([97, 233], "UTF-16-BE"),
    lambda g: g.tf.strings.unicode_encode([[97, 233], [98, 99]], "UTF-32-BE"),
    lambda g: g.tf.strings.unicode_encode([[[97, 233]], [[98, 99]]], "UTF-8"),
    lambda g: g.tf.strings.unicode_encode(
        g.tf.ragged.constant([[[97, 233], [98]], [], [[99]]]), "UTF-8"
    ),
    lambda g: g.tf.strings.unicode_encode(
        g.tf.ragged.constant([[97, -5]]), "UTF-8", errors="ignore"
    ),
    lambda g: g.tf.strings.unicode_transcode(g.words, "UTF-8", "UTF-16-BE"),
    lambda g: g.tf.strings.ngrams(g.words, 2),
    lambda g: g.tf.strings.ngrams(["a", "b", "c"], 2),
    lambda g: g.tf.strings.ngrams([["a", "b", "c"], ["d", "e", "f"]], [1, 2], separator="|"),
    lambda g: g.tf.strings.ngrams(g.words, 2, pad_values=("L", "R")),
    lambda g: g.tf.strings.ngrams(
        g.words, [2, 3], pad_values="P", padding_width=1, preserve_short_sequences=True
    ),
    lambda g: g.tf.strings.ngrams(
        g.tf.ragged.constant([[["a", "b"], ["c"]], []]), 2, preserve_short_sequences=True
    ),
    lambda g: g.tf.string_to_hash_bucket_fast(g.words, 10),
]
FLOW = [
    lambda g: g.tf.map_fn(
        lambda x: x + 1, g.numbers, fn_output_signature=g.tf.RaggedTensorSpec([None], g.tf.int32)
    ),
    lambda g: g.tf.map_fn(
        lambda n: g.tf.range(n),
        g.tf.constant([1, 3, 0]),
        fn_output_signature=g.tf.RaggedTensorSpec([None], g.tf.int32, ragged_rank=0),
    ),
    lambda g: g.tf.cond(g.tf.constant(True), lambda: g.numbers, lambda: g.numbers + 1),
    lambda g: g.tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x + 1), [0, g.numbers]),
    lambda g: g.tf.while_loop(
        lambda i, x: i < 3,
        lambda i, x: (i + 1, g.tf.concat([x, x], 1)),
        [0, g.numbers],
        shape_invariants=[g.tf.TensorShape([]), g.tf.TensorShape([None, None])],
    ),
]


@pytest.mark.parametrize(
    "expressions",
    [OPERATORS, FUNCTIONS, INDICES, PARTS, FACTORIES, TEXTS, FLOW],
    ids=["operators", "functions", "indices", "parts", "factories", "texts", "flow"],
)
def test_values_are_those_of_tensorflow(expressions: list[Any]) -> None:
    found, expected = (values_of(library, expressions) for library in (dataflow, oracle))
    # As texts, in which a NaN is like another.
    pairs = zip(map(repr, found), map(repr, expected), strict=True)
    different = [pair for pair in pairs if pair[0] != pair[1]]
    assert not different


REFUSED = [
    lambda g: g.tf.squeeze(g.numbers),
    lambda g: g.tf.squeeze(g.numbers, 1),
    lambda g: g.tf.squeeze(g.numbers, 0),
    lambda g: g.tf.squeeze(g.deep, 2),
    lambda g: g.tf.squeeze(g.numbers, [5]),
    lambda g: g.tf.squeeze(g.numbers, "a"),
    lambda g: g.tf.squeeze(g.vectors, 2),
    lambda g: g.numbers[1.5],
    lambda g: g.numbers[g.tf.constant([0, 1])],
    lambda g: g.numbers["a"],
    lambda g: g.tf.RaggedTensor.from_uniform_row_length([1, 2, 3], 2),
    lambda g: g.tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 0),
    lambda g: g.tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2, nrows=3),
]


@pytest.mark.parametrize("place", range(len(REFUSED)))
def test_what_does_not_fit_is_refused_where_tensorflow_does(place: int) -> None:
    def outcome(library: Any) -> Any:
        with library.Graph().as_default() as graph:
            try:
                made = REFUSED[place](Given(library))
            except (TypeError, ValueError) as error:
                return type(error).__name__, str(error).split(" for '{{")[0]
            refused = pytest.raises(library.errors.InvalidArgumentError)
            with open_session(library, graph) as session, refused:
                session.run(made)
            return "when it runs"

    ours, theirs = outcome(dataflow), outcome(oracle)
    # Tensors have names that differ.
    assert ours == theirs or (ours[0] == theirs[0] and " got <tf.Tensor" in theirs[1])


@pytest.mark.parametrize("name", [None, "cut"])
def test_pieces_of_strings_are_made_in_a_scope(name: str | None) -> None:
    def names(library: Any) -> list[str]:
        with library.Graph().as_default() as graph:
            pieces = library.string_split(["a b", "c"], name=name)
            assert pieces.values.name == f"{name or 'StringSplit'}/StringSplit:1"
            return sorted(each.name for each in graph.get_operations() if each.type != "Const")

    assert names(dataflow) == names(oracle)


@pytest.mark.parametrize("lengths", [[1.0, 2.0], np.array([b"a", b"b"])])
def test_lengths_that_are_not_whole_are_refused(lengths: Any) -> None:
    texts = []
    for library in (dataflow, oracle):
        with library.Graph().as_default(), pytest.raises(TypeError) as caught:
            library.RaggedTensor.from_tensor([[1, 2], [3, 4]], lengths=lengths)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
    assert "(name: lengths) must be of type integer" in texts[0]
