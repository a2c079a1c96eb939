"""Rows for sparse matrices in variants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.case import COMPLEX, FLOAT32_64
from tests.ops.program import (
    Inputs,
    Program,
    Step,
    fails,
    infers,
    refused,
    refused_alike,
    run,
    slopes,
)

TYPES = (*FLOAT32_64, *COMPLEX)
PLACES = np.int64([[0, 1], [0, 0], [2, 0], [3, 1]])
"""Of four rows and two columns, one row of them without elements."""
BATCHED = np.int64([[0, 0, 1], [0, 3, 0], [1, 1, 1], [1, 1, 0], [1, 2, 1]])
SIDES = [
    ("", ""),
    ("transpose_a", ""),
    ("", "transpose_b"),
    ("adjoint_a", "adjoint_b"),
    ("transpose_a", "adjoint_b"),
    ("adjoint_a", "transpose_b"),
]


def _made(tf: Any, v: Inputs, places: Any, sizes: Any) -> Any:
    values = v.known(v.any(len(places)))
    return tf.raw_ops.SparseTensorToCSRSparseMatrix(
        indices=places, values=values, dense_shape=np.int64(sizes)
    )


def _shown(tf: Any, v: Inputs, matrix: Any) -> list[Any]:
    """All that a matrix has."""
    raw, kind = tf.raw_ops, v.element
    return [
        *raw.CSRSparseMatrixToSparseTensor(sparse_matrix=matrix, type=kind),
        raw.CSRSparseMatrixToDense(sparse_input=matrix, type=kind),
        raw.SparseMatrixNNZ(sparse_matrix=matrix),
        *raw.CSRSparseMatrixComponents(csr_sparse_matrix=matrix, index=0, type=kind),
    ]


def _kept(tf: Any, v: Inputs) -> Iterator[Step]:
    raw, kind = tf.raw_ops, v.element
    for places, sizes in ((PLACES, (4, 2)), (BATCHED, (2, 4, 2)), (PLACES[:0], (4, 2))):
        matrix = _made(tf, v, places, sizes)
        yield run(*_shown(tf, v, matrix))
        for conjugate in (False, True):
            turned = raw.SparseMatrixTranspose(input=matrix, conjugate=conjugate, type=kind)
            yield run(*_shown(tf, v, turned))
    last = raw.CSRSparseMatrixComponents(
        csr_sparse_matrix=_made(tf, v, BATCHED, (2, 4, 2)), index=1, type=kind
    )
    dense = v.known(v.any(2, 4, 2))
    picked = raw.DenseToCSRSparseMatrix(dense_input=dense, indices=BATCHED)
    unknown = raw.SparseTensorToCSRSparseMatrix(
        indices=PLACES, values=v.known(v.any(4)), dense_shape=v.known(np.int64([4, 2]), np.int64)
    )
    yield run(*last)
    yield run(*_shown(tf, v, picked))
    yield run(*_shown(tf, v, raw.Conj(input=picked)))
    yield run(*_shown(tf, v, unknown))
    yield infers(picked, unknown)


def _products(tf: Any, v: Inputs) -> Iterator[Step]:
    raw, kind = tf.raw_ops, v.element
    for places, batch in ((PLACES, ()), (BATCHED, (2,))):
        matrix = _made(tf, v, places, (*batch, 4, 2))
        for a, b in SIDES:
            attrs = {name: True for name in (a, b) if name}
            inner, outer = (4, 3) if a else (2, 3)
            shape = (*batch, outer, inner) if b else (*batch, inner, outer)
            dense = v.known(v.any(*shape))
            other = raw.DenseToCSRSparseMatrix(
                dense_input=dense, indices=np.argwhere(np.arange(np.prod(shape)).reshape(shape) % 3)
            )
            made = raw.SparseMatrixSparseMatMul(a=matrix, b=other, type=kind, **attrs)
            yield run(
                raw.SparseMatrixMatMul(a=matrix, b=dense, **attrs),
                raw.SparseMatrixMatMul(a=matrix, b=dense, transpose_output=True, **attrs),
                raw.SparseMatrixMatMul(
                    a=matrix, b=dense, transpose_output=True, conjugate_output=True, **attrs
                ),
                *_shown(tf, v, made),
            )


def _reals(tf: Any, tensors: list[Any]) -> list[Any]:
    """Both parts of complex tensors."""
    return [part(each) for each in tensors for part in (tf.real, tf.imag)]


def _slopes(tf: Any, v: Inputs) -> Iterator[Step]:
    """The left operand of sparse products has all elements: TensorFlow's gradient fails else."""
    raw, kind = tf.raw_ops, v.element
    for places, batch in ((PLACES[[1, 0, 2, 3]], ()), (BATCHED[[0, 1, 3, 2, 4]], (2,))):
        values, dense = v.known(v.any(len(places))), v.known(v.any(*batch, 4, 2))
        matrix = raw.SparseTensorToCSRSparseMatrix(
            indices=places, values=values, dense_shape=np.int64([*batch, 4, 2])
        )
        picked = raw.DenseToCSRSparseMatrix(dense_input=dense, indices=places)
        turned = raw.SparseMatrixTranspose(input=picked, conjugate=True, type=kind)
        yield slopes(
            tf,
            _reals(
                tf,
                [
                    raw.CSRSparseMatrixToDense(sparse_input=matrix, type=kind),
                    raw.CSRSparseMatrixToSparseTensor(sparse_matrix=turned, type=kind)[1],
                ],
            ),
            [values, dense],
        )
        for place, (a, b) in enumerate(SIDES[3:] if batch else SIDES[:1]):
            attrs = {name: True for name in (a, b) if name}
            shape = (3, 4 if a else 2) if b else (4 if a else 2, 3)
            right = v.known(v.any(*batch, *shape))
            left = raw.DenseToCSRSparseMatrix(dense_input=dense, indices=places)
            output = {"transpose_output": place % 3 > 0, "conjugate_output": place % 3 > 1}
            every = np.argwhere(np.ones((*batch, *shape)))
            other = raw.DenseToCSRSparseMatrix(dense_input=right, indices=every)
            second = raw.DenseToCSRSparseMatrix(
                dense_input=dense, indices=np.argwhere(np.ones((*batch, 4, 2)))
            )
            product = raw.SparseMatrixSparseMatMul(a=second, b=other, type=kind, **attrs)
            made = [
                raw.SparseMatrixMatMul(a=left, b=right, **attrs, **output),
                raw.CSRSparseMatrixToDense(sparse_input=product, type=kind),
            ]
            yield slopes(tf, _reals(tf, made), [dense, right])


def _factors(tf: Any, v: Inputs) -> Iterator[Step]:
    raw, kind = tf.raw_ops, v.element
    whole = np.diag([9, 8, 7, 6]).astype(v.dtype)
    whole[[1, 3, 3], [0, 0, 2]] = v.any(3)
    for batch in ((), (2,)):
        lower = np.stack([whole, np.tril(whole) * 2]) if batch else whole
        matrix = raw.DenseToCSRSparseMatrix(
            dense_input=v.known(lower), indices=np.argwhere(lower != 0)
        )
        orders = np.int32([[2, 0, 3, 1], [0, 1, 2, 3]])
        made = raw.SparseMatrixSparseCholesky(
            input=matrix, permutation=orders if batch else orders[0], type=kind
        )
        yield run(*_shown(tf, v, made))


def _misused(tf: Any, v: Inputs) -> Iterator[Step]:
    raw = tf.raw_ops

    def matrix(places: Any, sizes: Any) -> Any:
        return raw.SparseTensorToCSRSparseMatrix(
            indices=np.int64(places), values=v.constant([1] * len(places)), dense_shape=sizes
        )

    a, b3 = matrix([[0, 1], [2, 0]], [3, 2]), matrix([[0, 0, 1]], [2, 3, 2])

    def product(b: Any, left: Any = a, **attrs: Any) -> Any:
        return raw.SparseMatrixMatMul(a=left, b=b, **attrs)

    def both(x: Any, y: Any, **attrs: Any) -> Any:
        return raw.SparseMatrixSparseMatMul(a=x, b=y, type=v.element, **attrs)

    for build in (
        lambda: raw.CSRSparseMatrixToDense(sparse_input=raw.OptionalNone(), type=v.element),
        lambda: raw.SparseMatrixNNZ(sparse_matrix=raw.Pack(values=[a, a])),
        lambda: raw.DenseToCSRSparseMatrix(dense_input=v.constant([1]), indices=[[0]]),
        lambda: raw.DenseToCSRSparseMatrix(dense_input=v.constant([[1]]), indices=[[0]]),
        lambda: product(v.constant(v.any(2, 3)), transpose_a=True),
        lambda: product(v.constant(v.any(2, 3)), transpose_a=True, adjoint_a=True),
        lambda: product(v.constant(v.any(3, 2, 4)), b3),
        lambda: product(v.constant([1, 2])),
        lambda: both(a, a),
        lambda: both(a, a, transpose_b=True, adjoint_b=True),
    ):
        yield refused_alike(build)
    for places, sizes in (([[0]], [3]), ([[0] * 4], [3, 1, 1, 1])):
        yield refused(
            "ValueError",
            f"Invalid rank: {len(sizes)}.  Expected a known rank of either 2 or 3.",
            lambda places=places, sizes=sizes: matrix(places, sizes),
        )
    yield refused(
        "ValueError",
        "Dimensions must be equal, but are 3 and 2",
        lambda: raw.SparseMatrixSparseCholesky(input=a, permutation=[0, 1, 2], type=v.element),
    )
    dense, parts = raw.CSRSparseMatrixToDense, raw.CSRSparseMatrixToSparseTensor
    other = tf.float64
    wrong = "InvalidArgumentError"
    yield fails(
        wrong,
        r"Sparse index tuple indices\[0, :\] = \[0, 5\] is out of bounds",
        dense(sparse_input=matrix([[0, 5]], [3, 2]), type=v.element),
    )
    yield fails(wrong, "type double but saw dtype: float", dense(sparse_input=a, type=other))
    yield fails(wrong, "type double but saw type: float", parts(sparse_matrix=a, type=other)[0])
    yield fails(
        wrong,
        "dtype of input is not equal to 'type': float vs. double",
        raw.CSRSparseMatrixComponents(csr_sparse_matrix=a, index=0, type=other)[0],
    )
    yield fails(
        wrong,
        r"index \(2\) not in \[0, 2\)",
        raw.CSRSparseMatrixComponents(csr_sparse_matrix=b3, index=2, type=v.element)[0],
    )
    picked = raw.DenseToCSRSparseMatrix(dense_input=v.constant([[1, 2]]), indices=[[0, 2]])
    yield fails(
        wrong,
        r"indices\[0\] = \[0, 2\] does not index into param shape \[1,2\]",
        dense(sparse_input=picked, type=v.element),
    )
    yield fails(
        wrong,
        r"Inner product dimensions of A and B do not agree. Shapes are: \[3,2\] vs. \[1,3\]",
        product(v.hidden(v.any(1, 3))),
    )
    yield fails(wrong, "Ranks of a and b must match, saw: 2 vs. 1", product(v.hidden([1, 2])))
    yield fails(wrong, "Batch sizes of a and b must match", product(v.hidden(v.any(3, 2, 2)), b3))
    mixed = raw.SparseMatrixMatMul(a=a, b=tf.ones([2, 1], other))
    yield fails(wrong, "a.dtype == float vs. b.dtype == double", mixed)
    negative = raw.SparseMatrixSparseCholesky(
        input=matrix([[0, 1]], [2, 2]), permutation=[0, 1], type=v.element
    )
    yield fails(
        wrong,
        "Sparse Cholesky factorization failed for batch index 0. The input might not be valid",
        dense(sparse_input=negative, type=v.element),
    )


_FORMS = (
    "SparseTensorToCSRSparseMatrix DenseToCSRSparseMatrix CSRSparseMatrixToSparseTensor "
    "CSRSparseMatrixToDense CSRSparseMatrixComponents SparseMatrixNNZ SparseMatrixTranspose Conj"
)
_PRODUCTS = "SparseMatrixMatMul SparseMatrixSparseMatMul"
PROGRAMS = [
    Program(_FORMS, _kept, ("float32", "complex128")),
    Program(_PRODUCTS, _products, ("float64", "complex64")),
    Program(
        f"{_PRODUCTS} SparseTensorToCSRSparseMatrix DenseToCSRSparseMatrix "
        "CSRSparseMatrixToSparseTensor CSRSparseMatrixToDense SparseMatrixTranspose",
        _slopes,
        ("complex64",),
        gradients=True,
    ),
    Program("SparseMatrixSparseCholesky", _factors, TYPES),
    Program(
        "SparseTensorToCSRSparseMatrix DenseToCSRSparseMatrix CSRSparseMatrixToSparseTensor "
        "CSRSparseMatrixToDense CSRSparseMatrixComponents SparseMatrixMatMul "
        "SparseMatrixSparseCholesky",
        _misused,
        ("float32",),
    ),
]
