"""Rows for sparse tensors reduced, cut into pieces, and element by element."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.case import FLOATS, NUMBERS, REAL, Bad, Case, Values
from tests.ops.cases.sparse.forms import INDICES, SHAPE
from tests.ops.program import Inputs, Program, Step, slopes_refused

CUBE = np.int64([[0, 0, 1], [0, 1, 0], [0, 1, 2], [1, 0, 1], [1, 1, 1]])
CUBE_SHAPE = np.int64([2, 2, 3])
OTHER = np.int64([[0, 0], [0, 1], [2, 2], [3, 0], [3, 2]])
EMPTY = np.zeros((0, 2), np.int64)


def reduced(
    v: Values, axes: Any, indices: Any = INDICES, count: Any = 4, shape: Any = SHAPE
) -> list[np.ndarray]:
    axes = np.asarray(axes, np.int32)
    return [np.int64(indices), v.any(*np.atleast_1d(count)), np.int64(shape), axes]


REDUCE_BAD = tuple(
    Bad(lambda v, o=options: reduced(v, **{"axes": [1], **o}), text, when="run")
    for text, options in (
        ("Invalid reduction dimension 2, for input with 2 dimensions", {"axes": [2]}),
        ("Invalid reduction dimension -3, for input with 2 dimensions", {"axes": [-3]}),
        (r"reduction_axes to be a scalar or a vector; got shape: \[1,1\]", {"axes": [[0]]}),
        (r"vals must be a vec, but got: \[1,4\]", {"count": (1, 4)}),
        (r"Expected input_shape to be a vector; got shape: \[1,2\]", {"shape": [SHAPE]}),
        (r"must match. \(indices = 4, values = 3\)", {"count": 3}),
        (r"must match. \(indices = 2, values = 4\)", {"indices": INDICES[0]}),
    )
)
BEYOND = Bad(
    lambda v: reduced(v, [1], INDICES + 5),
    r"Obtained a write index of 5 which is outside of bounds of \[0, 4\)",
    when="run",
)
REDUCTIONS = tuple(
    (axes, keeps) for axes in ([0], [1], [0, 1], [], [-1], [1, 1], 0) for keeps in (True, False)
)


def split(
    v: Values, axis: Any = 0, indices: Any = INDICES, count: Any = 4, shape: Any = SHAPE
) -> list[Any]:
    return [np.int64(axis), np.int64(indices), v.any(*np.atleast_1d(count)), np.int64(shape)]


SPLIT_BAD = tuple(
    Bad(lambda v, o=options: split(v, **o), text, attrs, when="run")
    for text, options, attrs in (
        (r"Input axis should be in range \[-2, 2\), got 2", {"axis": 2}, None),
        (r"Input axis should be a scalar but received shape \[1\]", {"axis": [0]}, None),
        (r"between 1 and the splitting dimension size \(4\), got 5", {}, {"num_split": 5}),
        (r"Input indices should be a matrix but received shape \[2\]", {"indices": [0, 1]}, None),
        (r"Index rank \(2\) and shape rank \(1\) do not match", {"shape": [4]}, None),
        (r"indices \(4\) and values \(3\) do not match", {"count": 3}, None),
        (r"indices\[0, :\] = \[5, 6\] is out of bounds", {"indices": INDICES + 5}, None),
    )
)


def box(v: Values, start: Any, size: Any, **options: Any) -> list[Any]:
    return [*split(v, **options)[1:], np.int64(start), np.int64(size)]


SLICE_BAD = (
    *(
        Bad(lambda v, a=start, b=size: box(v, a, b), text, when="run")
        for start, size, text in (
            ([0, 0], [-1, 2], "Expected a non-negative size, got -1"),
            ([0], [1, 1], "Expected start to be a vector of length 2 but got length 1"),
            ([0, 0], [1], "Expected size to be a vector of length 2 but got length 1"),
            ([[0, 0]], [1, 1], r"Input start should be a vector but received shape \[1,2\]"),
        )
    ),
    Bad(lambda v: box(v, [0, 0], [1, 1], shape=-SHAPE), "non-negative, got -4", when="run"),
    Bad(lambda v: box(v, [0, 0], [1, 1], count=3), r"\(4\) and values \(3\) do not", when="run"),
)


def sliced(v: Values, **options: Any) -> list[Any]:
    given = {"count": 2, "indices": INDICES, "start": [0, 1], "places": [[0, 0], [2, 1]], **options}
    return [
        v.any(*np.atleast_1d(given["count"])),
        *(np.int64(given[key]) for key in ("indices", "start", "places")),
    ]


GRAD_BAD = tuple(
    Bad(lambda v, o=options: sliced(v, **o), text, when="run")
    for text, options in (
        (r"should be a vector but received shape: \[1,2\]", {"count": (1, 2)}),
        (r"\(#nnz of sum\): got 3 and 2", {"count": 3}),
        (r"matrices but received shapes: \[2\] and \[2,2\]", {"indices": [0, 1]}),
        (r"input_start should be a vector but received shape \[1,2\]", {"start": [[0, 1]]}),
        ("input_start to be a vector of length 2 but got length 1", {"start": [0]}),
        ("should have the same ndims: got: 2 and 1", {"places": [[0], [2]]}),
        ("aren't all propagated. Num elements:2, used: 1", {"places": [[0, 0], [3, 3]]}),
    )
)


def softmax(v: Values, indices: Any = INDICES, count: Any = 4, shape: Any = SHAPE) -> list[Any]:
    return split(v, 0, indices, count, shape)[1:]


def both(v: Values, a: Any = INDICES, b: Any = OTHER, count: int = 4, shape: Any = SHAPE) -> Any:
    other = np.random.default_rng(7).integers(1, 9, len(b)).astype(v.dtype)
    return [np.int64(a), v.any(count), SHAPE, np.int64(b), other, np.int64(shape)]


BOTH_BAD = (
    Bad(
        lambda v: both(v, shape=SHAPE + 1),
        "Operands' shapes do not match: got 4 and 5 for dimension 0",
        when="run",
    ),
    Bad(
        lambda v: both(v, b=OTHER[:, :1], shape=[4]),
        "Operands do not have the same ranks; got shapes: 4 3 and 4",
        when="run",
    ),
    Bad(lambda v: both(v, count=3), r"\(4\) and values \(3\) do not match", when="run"),
    Bad(lambda v: both(v, INDICES + 5), r"indices\[0, :\] = \[5, 6\] is out of", when="run"),
)


def with_dense(v: Values, dense: tuple[int, ...], **options: Any) -> list[Any]:
    return [*softmax(v, **options), v.positive(*dense)]


DENSE_BAD = (
    *(
        Bad(
            lambda v, s=shape: with_dense(v, s),
            r"got incompatible shapes: \[4,3\] vs. ",
            when="run",
        )
        for shape in ((2,), (2, 4, 3), (1, 1, 1), (0, 3))
    ),
    Bad(lambda v: with_dense(v, (3,), indices=INDICES + 5), "are out-of-bounds w.r.t.", when="run"),
    Bad(lambda v: with_dense(v, (3,), count=3), r"should match. \(3 vs. 4\)", when="run"),
    Bad(lambda v: with_dense(v, (3,), shape=[4]), "Got 1 dimensions, indices shape", when="run"),
    Bad(lambda v: with_dense(v, (3,), count=(1, 4)), "should be vectors but received", when="run"),
    Bad(lambda v: with_dense(v, (3,), indices=[0, 1]), "should be a matrix but rec", when="run"),
)
SOFTMAX_BAD = (
    Bad(lambda v: softmax(v, shape=[4]), "should have rank >= 2, but received sha", when="run"),
    Bad(lambda v: softmax(v, count=3), r"must match. \(indices = 4, values = 3\)", when="run"),
    Bad(lambda v: softmax(v, INDICES[0]), "sp_indices should be a matrix but recei", when="run"),
    Bad(lambda v: softmax(v, shape=-SHAPE), "to be non-negative, got -4", when="run"),
)

CASES = [
    *(
        Case(
            f"SparseReduce{word}",
            lambda v, a=axes: reduced(v, a),
            NUMBERS if word == "Sum" else REAL,
            {"keep_dims": keeps},
            static=(2, 3),
            gradients=(1,) if word == "Sum" else (),
            label=f"{axes}{keeps}",
            bad=(*REDUCE_BAD, BEYOND),
        )
        for word in ("Sum", "Max")
        for axes, keeps in REDUCTIONS
    ),
    *(
        Case(
            f"SparseReduce{word}Sparse",
            lambda v, a=axes: reduced(v, a),
            NUMBERS if word == "Sum" else REAL,
            {"keep_dims": keeps},
            label=f"{axes}{keeps}",
            bad=REDUCE_BAD,
        )
        for word in ("Sum", "Max")
        for axes, keeps in REDUCTIONS
    ),
    *(
        Case(
            op,
            lambda v, i=indices, s=shape, n=count: reduced(v, [1], i, n, s),
            ("float32", "int32"),
            label=label,
        )
        for op in ("SparseReduceSum", "SparseReduceMaxSparse")
        for label, indices, count, shape in (
            ("unordered", INDICES[::-1], 4, SHAPE),
            ("cube", CUBE, 5, CUBE_SHAPE),
            ("empty", EMPTY, 0, SHAPE),
        )
    ),
    *(
        Case(
            "SparseSplit",
            lambda v, a=axis: split(v, a),
            ("float32", "string", "bool"),
            {"num_split": count},
            label=f"{axis}{count}",
            bad=SPLIT_BAD,
        )
        for axis, count in ((0, 1), (0, 3), (1, 2), (-1, 3))
    ),
    Case(
        "SparseSplit", lambda v: split(v, 2, CUBE, 5, CUBE_SHAPE), attrs={"num_split": 2}, label="3"
    ),
    *(
        Case(
            "SparseSlice",
            lambda v, a=start, b=size: box(v, a, b),
            ("float32", "float64", "string"),
            label=f"{start}{size}",
            bad=SLICE_BAD,
        )
        for start, size in (
            ([0, 1], [3, 2]),
            ([0, 0], [9, 9]),
            ([5, 5], [1, 1]),
            ([0, 1], [0, 0]),
            ([-1, 0], [2, 2]),
            ([1, 0], [2**62, 2**62]),
        )
    ),
    Case(
        "SparseSlice",
        lambda v: box(v, [0, 1], [3, 2]),
        gradients=(1,),
        outputs=(1,),
        label="gradient",
    ),
    Case("SparseSliceGrad", sliced, NUMBERS, bad=GRAD_BAD),
    *(
        Case(
            "SparseSoftmax",
            lambda v, i=indices, n=count, s=shape: softmax(v, i, n, s),
            FLOATS[:3],
            gradients=(1,),
            label=label,
            bad=SOFTMAX_BAD,
        )
        for label, indices, count, shape in (
            ("matrix", INDICES, 4, SHAPE),
            ("cube", CUBE, 5, CUBE_SHAPE),
            ("empty", EMPTY, 0, SHAPE),
        )
    ),
    *(
        Case(op, lambda v, a=a, b=b: both(v, a, b, len(a)), types, label=label, bad=BOTH_BAD)
        for op, types in (("SparseSparseMaximum", REAL), ("SparseSparseMinimum", REAL))
        for label, a, b in (
            ("both", INDICES, OTHER),
            ("same", INDICES, INDICES),
            ("one", INDICES, EMPTY),
            ("none", EMPTY, EMPTY),
            ("unordered", INDICES[::-1], OTHER),
            ("repeated", INDICES[[0, 0, 1, 2]], OTHER),
        )
    ),
    *(
        Case(
            f"SparseDenseCwise{word}",
            lambda v, d=dense: with_dense(v, d),
            REAL,
            gradients=() if word == "Add" or not dense else (1, 3),
            label=str(dense),
            bad=DENSE_BAD,
        )
        for word in ("Add", "Mul", "Div")
        for dense in ((), (3,), (4, 1), (1, 3), (4, 3))
    ),
    Case(
        "SparseDenseCwiseDiv",
        lambda v: [INDICES, np.array([-7, 7, -6, 5], v.dtype), SHAPE, np.array(2, v.dtype)],
        ("int32", "int8"),
        label="whole",
        bad=(
            Bad(
                lambda v: [INDICES, v.any(4), SHAPE, np.zeros(3, v.dtype)],
                "SparseDenseCwiseDiv cannot divide by zero,but input dense tensor contains zero",
                when="run",
            ),
        ),
    ),
    *(
        Case(
            "SparseBincount",
            lambda v, i=indices, s=shape, w=weights: [
                np.int64(i),
                np.array([1, 1, 9, 0], v.dtype),
                np.int64(s),
                np.array(4, v.dtype),
                np.asarray(w, np.float32),
            ],
            ("int32", "int64"),
            {"binary_output": binary},
            static=(2, 3),
            label=label,
            bad=(
                Bad(
                    lambda v: [INDICES, v.any(4), SHAPE, np.array(-1, v.dtype), np.float32([])],
                    r"size \(-1\) must be non-negative",
                    when="run",
                ),
                Bad(
                    lambda v: [INDICES, v.any(4), SHAPE, np.array([4], v.dtype), np.float32([])],
                    "Shape must be rank 0 but is rank 1",
                    when="run",
                ),
                Bad(
                    lambda v: [INDICES, v.any(3), SHAPE, np.array(4, v.dtype), np.float32([])],
                    r"\(4\) and values \(3\) do not match",
                    when="run",
                ),
                Bad(
                    lambda v: [INDICES + 5, v.any(4), SHAPE, np.array(4, v.dtype), np.float32([])],
                    r"indices\[0, :\] = \[5, 6\] is out of bounds",
                    when="run",
                ),
            ),
        )
        for label, indices, shape, weights, binary in (
            ("rows", INDICES, SHAPE, [], False),
            ("weights", INDICES, SHAPE, [0.5, 2, 3, 4], False),
            ("binary", INDICES, SHAPE, [], True),
            ("vector", INDICES[:, :1], SHAPE[:1], [], False),
        )
    ),
]


def without_gradients(tf: Any, v: Inputs) -> Iterator[Step]:
    """What TensorFlow has no gradients of."""
    values, dense = v.fed(v.any(4)), v.fed(v.positive(3))
    sparse = tf.SparseTensor(v.known(INDICES), values, v.known(SHAPE))
    parts = {"sp_indices": sparse.indices, "sp_values": values, "sp_shape": sparse.dense_shape}
    made = {
        "SparseDenseCwiseAdd": tf.raw_ops.SparseDenseCwiseAdd(**parts, dense=dense),
        "SparseSparseMaximum": tf.sparse_maximum(sparse, sparse).values,
        "SparseSparseMinimum": tf.sparse_minimum(sparse, sparse).values,
    }
    for op, result in made.items():
        kind, said = "NotImplementedError", f"Gradient for {op} is not implemented"
        if op != "SparseDenseCwiseAdd":
            kind, said = "TypeError", "takes 2 positional arguments but 3 were given"
        yield slopes_refused(tf, kind, said, [result], [values])


PROGRAMS = [
    Program(
        "SparseDenseCwiseAdd SparseSparseMaximum SparseSparseMinimum",
        without_gradients,
        gradients=True,
    )
]
