"""RaggedTensorDynamicShape against TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.ops.ragged import ragged_tensor_shape as theirs

import dataflow as tf
from dataflow.porting.spellings.util import ragged_shapes as ours
from tests.oracle import open_session

LIBRARIES = [(tf, ours), (oracle, theirs)]
SIZES: list[Any] = [
    [],
    [2, 3],
    [3, [2, 0, 1]],
    [2, [2, 1], [3, 0, 1]],
    [2, 2, [1, 2, 0, 1], 3],
    [1, 2, [2, 1], [1, 1, 2]],
    [2, [1, 2], 2, [1, 0, 2, 1, 1, 3], 2],
]


def _described(session: Any, shape: Any) -> Any:
    sizes = session.run([*shape.partitioned_dim_sizes, shape.inner_dim_sizes])
    ragged = [shape.is_ragged(axis) for axis in range(shape.rank)]
    return [each.tolist() for each in sizes], shape.rank, ragged, shape.dim_size_dtype.name


def _both(program: Any) -> None:
    found = []
    for lib, module in LIBRARIES:
        with lib.Graph().as_default(), open_session(lib) as session:
            found.append(program(lib, module, session))
    assert found[0] == found[1]


@pytest.mark.parametrize("sizes", SIZES)
def test_sizes(sizes: Any) -> None:
    def program(lib: Any, module: Any, session: Any) -> Any:
        shape = module.RaggedTensorDynamicShape.from_dim_sizes(sizes)
        counts = [shape.num_slices_in_dimension(axis) for axis in range(-1, len(sizes))]
        return (
            _described(session, shape),
            _described(session, shape.broadcast_to_rank(6)),
            _described(session, shape.with_dim_size_dtype(lib.int32))[
                : 4 if shape.num_partitioned_dimensions else 3
            ],
            session.run(counts),
            shape.num_inner_dimensions,
            shape.num_partitioned_dimensions,
        )

    _both(program)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([2, 3], [1]),
        ([3, [2, 0, 1]], [1]),
        ([3, [2, 0, 1]], [3, 1]),
        ([2, [2, 1], [3, 0, 1]], [1, 1, 1]),
        ([2, [2, 1], [3, 0, 1]], [2, 1, 1, 1]),
        ([2, 2, [1, 2, 0, 1], 3], [2, 1, 1, 3]),
        ([1, 2, [2, 1], [1, 1, 2]], [3, 1, 1, 1]),
        ([1, [2], [1, 3]], [3, 1, 1]),
        ([1, 1, [3]], [2, [1, 2], 1]),
        ([1, 2, [1, 3]], [2, 2, [1, 3, 1, 3]]),
    ],
)
def test_shapes_that_two_stretch_to(first: Any, second: Any) -> None:
    def program(lib: Any, module: Any, session: Any) -> Any:
        made = [module.RaggedTensorDynamicShape.from_dim_sizes(each) for each in (first, second)]
        return [
            _described(session, module.broadcast_dynamic_shape(*pair))
            for pair in (made, made[::-1])
        ]

    _both(program)


@pytest.mark.parametrize(
    ("values", "sizes", "dense"),
    [
        (7, [2, [1, 2]], True),
        ([4, 5], [2, [3, 1], 2], True),
        ([[1], [2], [3]], [3, [2, 0, 3]], True),
        ([[10, 20]], [2, 2, [1, 2, 0, 1], 2], True),
        ([[[1], [2]], [[3], [4]]], [2, 2, [1, 2, 0, 3]], True),
        ([[1, 2], [], [3]], [3, [2, 0, 1], [1, 3, 2]], False),
        ([[1, 2], [3]], [2, 2, [2, 1, 2, 1]], False),
        ([[[1, 2], [3]]], [3, 2, [2, 1, 2, 1, 2, 1]], False),
        ([1, 2, 3], [2, 3], True),
    ],
)
def test_tensors_stretched_to_shapes(values: Any, sizes: Any, dense: bool) -> None:
    def program(lib: Any, module: Any, session: Any) -> Any:
        x = lib.constant(values) if dense else lib.ragged.constant(values)
        if not dense and len(sizes) > x.shape.rank:
            x = lib.expand_dims(x, -1 if len(sizes[-1]) == 3 else 0)
        found = []
        for inner in (True, False):
            shape = module.RaggedTensorDynamicShape.from_dim_sizes(sizes)
            made = session.run(module.broadcast_to(x, shape, inner))
            found.append(made.tolist() if isinstance(made, np.ndarray) else made.to_list())
        return found, _described(session, module.RaggedTensorDynamicShape.from_tensor(x))

    _both(program)


@pytest.mark.parametrize(
    "refused",
    [
        lambda lib, m: m.RaggedTensorDynamicShape([[2]], [1]),
        lambda lib, m: m.RaggedTensorDynamicShape([1, 2], [1]),
        lambda lib, m: m.RaggedTensorDynamicShape([lib.placeholder(lib.int32)], [1]),
        lambda lib, m: m.RaggedTensorDynamicShape(
            [1, lib.constant([2], lib.int32), lib.constant([1, 1], lib.int64)], []
        ),
        lambda lib, m: m.RaggedTensorDynamicShape.from_dim_sizes([1, [[2]]]),
        lambda lib, m: m.RaggedTensorDynamicShape([], [2, 3]).broadcast_to_rank(1),
        lambda lib, m: m.RaggedTensorDynamicShape([], [2, 3]).is_ragged(2),
        lambda lib, m: m.RaggedTensorDynamicShape([], [2, 3]).is_ragged(-1),
        lambda lib, m: m.RaggedTensorDynamicShape([], [2, 3]).dimension_size("a"),
        lambda lib, m: m.RaggedTensorDynamicShape([], [1, 3]).broadcast_dimension(0, [1]),
        lambda lib, m: m.RaggedTensorDynamicShape([], [1, 3]).broadcast_dimension(0, [[1]]),
        lambda lib, m: m.broadcast_dynamic_shape([2], m.RaggedTensorDynamicShape([], [2])),
        lambda lib, m: m.broadcast_to([1], [1]),
        lambda lib, m: m.broadcast_to(
            lib.ragged.constant([[1]]), m.RaggedTensorDynamicShape([], [1, 1])
        ),
        lambda lib, m: m.broadcast_to(
            lib.ragged.constant([[1]], row_splits_dtype=lib.int32),
            m.RaggedTensorDynamicShape.from_dim_sizes([1, [1], [1]]),
        ),
        lambda lib, m: m.broadcast_to([[[1]]], m.RaggedTensorDynamicShape.from_dim_sizes([1, [1]])),
    ],
)
def test_refusals(refused: Any) -> None:
    said = []
    for lib, module in LIBRARIES:
        with lib.Graph().as_default(), pytest.raises((TypeError, ValueError)) as caught:
            refused(lib, module)
        said.append((caught.type, str(caught.value)))
    assert said[0] == said[1]


def test_sizes_that_do_not_fit() -> None:
    for lib, module in LIBRARIES:
        with lib.Graph().as_default(), open_session(lib) as session:
            lengths = lib.placeholder_with_default([2, 1], [2])
            shape = module.RaggedTensorDynamicShape.from_dim_sizes([2, lengths])
            made = shape.broadcast_dimension(1, [1, 1])
            with pytest.raises(lib.errors.InvalidArgumentError, match="Unable to broadcast"):
                session.run(made.inner_dim_sizes)
