"""Rows for sparse tensors as strings, and those that a device keeps under numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.case import Bad, Case, Values
from tests.ops.cases.sparse.forms import INDICES, SHAPE, TYPES
from tests.ops.program import Inputs, Program, Step, fails, infers, run

NUMBER = b'\x08\x01\x12\x04\x12\x02\x08\x02"\x08\x00\x00\x80?\x00\x00\x00@'
"""Two floats."""


def given(
    v: Values, indices: object = INDICES, count: Any = 4, shape: object = SHAPE
) -> list[np.ndarray]:
    return [np.int64(indices), v.any(*np.atleast_1d(count)), np.int64(shape)]


def wrong(text: str, indices: object = INDICES, count: Any = 4, shape: object = SHAPE) -> Bad:
    return Bad(lambda v: given(v, indices, count, shape), text, when="run")


SHAPES_BAD = (
    wrong(r"Input indices should be a matrix but received shape \[2\]", INDICES[0]),
    wrong(r"Input values should be a vector but received shape \[1,4\]", count=(1, 4)),
    wrong(r"Input shape should be a vector but received shape \[1,2\]", shape=[SHAPE]),
)
MANY_BAD = (
    *SHAPES_BAD,
    wrong("Rank of input SparseTensor should be > 1, but saw rank: 1", INDICES[:, :1], 4, [4]),
    wrong("to be non-negative, got -4", shape=-SHAPE),
    wrong(r"indices\[0\] = \[5,6\] is out of bounds: need 0 <= index < \[4,3\]", INDICES + 5),
    wrong(r"indices\[1\] = \[0,0\] is repeated", INDICES * 0),
    wrong("Use `tf.sparse.reorder`|is out of order", INDICES[::-1]),
    wrong(r"must match. \(indices = 4, values = 3\)|Number of values must match", count=3),
)

CASES = [
    Case("SerializeSparse", given, TYPES, bad=SHAPES_BAD),
    Case(
        "SerializeSparse", lambda v: given(v, np.zeros((0, 2)), 0), ("float32", "string"), label="0"
    ),
    Case("SerializeManySparse", given, TYPES, bad=MANY_BAD),
    Case(
        "SerializeManySparse",
        lambda v: given(v, np.zeros((0, 3)), 0, [2, 3, 4]),
        ("float32", "string"),
        label="empty",
    ),
]


def read(tf: Any, v: Inputs) -> Iterator[Step]:
    """What was written is read, one by one and side by side."""
    whole = tf.SparseTensor(v.known(INDICES), v.fed(v.any(4)), v.known(SHAPE))
    wide = tf.SparseTensor(v.known(INDICES[:1]), v.fed(v.any(1)), v.known(np.int64([2, 9])))
    flat = tf.SparseTensor(v.known(INDICES[:, :1]), v.fed(v.any(4)), v.known(SHAPE[:1]))
    one, other, third = (tf.serialize_sparse(each) for each in (whole, wide, flat))
    raw = tf.raw_ops
    kind = v.element
    for strings in (one, [one, other], [[one], [other]], [one]):
        found = raw.DeserializeSparse(serialized_sparse=strings, dtype=kind)
        yield infers(*found)
        yield run(*found)
    for rank in (None, 3):
        for strings in (tf.stack([one, other, one]), tf.io.serialize_many_sparse(whole)):
            if rank is None or strings.shape.as_list()[0] == 3:
                found = tf.deserialize_many_sparse(strings, kind, rank)
                yield infers(found.indices, found.values, found.dense_shape)
                yield run(found.indices, found.values, found.dense_shape)
    kept = tf.serialize_sparse(whole, out_type=tf.variant)
    more = tf.serialize_sparse(wide, out_type=tf.variant)
    for variants in (kept, tf.stack([kept, more])):
        found = raw.DeserializeSparse(serialized_sparse=variants, dtype=kind)
        yield infers(*found)
        yield run(*found)
    rows = tf.serialize_many_sparse(whole, out_type=tf.variant)
    yield infers(rows)
    yield run(*raw.DeserializeSparse(serialized_sparse=rows, dtype=kind))
    other_type = raw.DeserializeSparse(serialized_sparse=kept, dtype=tf.int8)
    yield fails("InvalidArgumentError", "Requested SparseTensor of type int8", other_type[0])
    text = tf.constant(NUMBER)
    for strings, said in (
        (
            [one, third],
            "Inconsistent shape across SparseTensors: rank prior to SparseTensor.1.",
        ),
        ([one[:2]], r"should have 3 as the last dimension \[1,2\]"),
        (one[0], r"Serialized sparse should have non-zero rank \[\]"),
        (tf.zeros([0, 3], tf.string), r"but has a zero dimension \[0,3\]"),
        (["nonsense", one[1], one[2]], "Could not (construct tensor from|parse serialized) proto"),
        ([text, one[1], one[2]], r"serialized_sparse\[0, 0\] to represent an index matrix but"),
        ([one[0], one[0], one[2]], r"serialized_sparse\[0, 1\] to represent a values vector"),
        ([one[0], other[1], one[2]], r"\[0\].values to match but they do not: 4 vs. 1"),
        ([one[0], one[1], one[0]], r"\[0, 1\] to be a shape vector but its shape is \[4,2\]"),
        ([one[0], one[1], third[2]], r"\[0\].shape but they do not: 2 vs. 1"),
        ([one[0], one[2], one[2]], "to match but they do not|Requested SparseTensor of type"),
    ):
        hidden = tf.placeholder_with_default(tf.convert_to_tensor(strings, tf.string), None)
        found = raw.DeserializeSparse(serialized_sparse=hidden, dtype=kind)
        yield fails("InvalidArgumentError", said, found[0])


def kept(tf: Any, v: Inputs) -> Iterator[Step]:
    """What was added is taken once, from the map of the name that operations share."""
    raw = tf.raw_ops
    parts = {
        "sparse_indices": v.known(INDICES),
        "sparse_values": v.fed(v.any(4)),
        "sparse_shape": v.known(SHAPE),
    }
    name = f"map_{v.name}"
    many = raw.AddManySparseToTensorsMap(**parts, shared_name=name)
    one = raw.AddSparseToTensorsMap(**parts, shared_name=f"{name}_one")
    handles = tf.placeholder_with_default(np.int64([2, 0]), None)
    taken = raw.TakeManySparseFromTensorsMap(
        sparse_handles=handles, dtype=v.element, shared_name=name
    )
    single = raw.TakeManySparseFromTensorsMap(
        sparse_handles=[one], dtype=v.element, shared_name=f"{name}_one"
    )
    yield infers(many, one, *taken)
    yield run(many)
    yield run(*taken)
    yield fails("InvalidArgumentError", f"Unable to find SparseTensor: 2 in map: {name}", taken[0])
    yield run(*taken, feeds={handles: np.int64([1, 3])})
    yield run(one)
    yield run(*single)
    yield run(many)
    other = raw.TakeManySparseFromTensorsMap(
        sparse_handles=tf.constant([4], tf.int64), dtype=tf.int8, shared_name=name
    )
    yield fails("InvalidArgumentError", "Requested SparseTensor of type int8", other[0])
    for value, said in (
        ([[0]], r"sparse_handles should be a vector but received shape \[1,1\]"),
        ([], "Must have at least 1 serialized SparseTensor, but input matrix has 0 rows"),
    ):
        bad = np.asarray(value, np.int64)
        yield fails("InvalidArgumentError", said, taken[0], feeds={handles: bad})
    beyond = {**parts, "sparse_shape": v.hidden(-SHAPE)}
    wrong = raw.AddSparseToTensorsMap(**beyond)
    yield fails("InvalidArgumentError", "Dimension -4 must be >= 0", wrong)
    wrong = raw.AddManySparseToTensorsMap(**{**parts, "sparse_values": v.hidden(v.any(3))})
    yield fails("InvalidArgumentError", "Number of values must match first dimension", wrong)
    wrong = raw.AddSparseToTensorsMap(**{**parts, "sparse_values": v.hidden(v.any(3))})
    yield fails("InvalidArgumentError", r"must match. \(indices = 4, values = 3\)", wrong)


PROGRAMS = [
    Program("DeserializeSparse DeserializeManySparse", read, ("float32", "string", "int64")),
    Program(
        "AddSparseToTensorsMap AddManySparseToTensorsMap TakeManySparseFromTensorsMap",
        kept,
        ("float32", "string", "bool"),
    ),
]
