"""Sparse tensors with another bound to their shape."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as math_binary
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.library.check_values import assert_equal, assert_less_equal
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.identity import identity
from dataflow.ops.sparse.conversion import as_sparse
from dataflow.values import dtypes


def sparse_reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """The sparse tensor in a shape that is larger, or just large enough.

    Args:
      sp_input: The sparse tensor.
      new_shape: Its shape, nowhere smaller than before; just large enough if None.

    Raises:
      TypeError: The input is not sparse.
      ValueError: The new shape is known to be smaller.
      InvalidArgumentError: In the run: it is smaller.
    """
    sp_input = as_sparse(sp_input)
    indices, values = identity(sp_input.indices), identity(sp_input.values)
    shape = identity(sp_input.dense_shape)
    if new_shape is None:
        greatest = reductions.reduce_max(indices, axis=0)
        sizes = math_binary.maximum(
            constant(0, dtype=dtypes.int64),
            math_binary.add(greatest, array_fill.ones_like(shape)),
        )
        return SparseTensor(indices, values, sizes)
    return SparseTensor(indices, values, _checked(sp_input, shape, new_shape))


def _checked(sp_input: SparseTensor, shape: Any, new_shape: Any) -> Any:
    new_shape = convert_to_tensor(new_shape)
    new_shape.shape.assert_has_rank(1)
    new_shape = cast(new_shape, dtypes.int64)
    new_shape.shape.assert_is_compatible_with(shape.shape)
    known = constant_value(new_shape)
    if known is not None and sp_input.shape.is_fully_defined():
        old = np.array(sp_input.shape.as_list())
        if not np.all(old <= known):
            raise ValueError(
                "Requested new_shape should have dimension sizes >= sp_input.shape.  Found "
                f"new_shape ({old}), sp_input.shape ({known})."
            )
        return known
    is_equal = assert_equal(array_shape.shape(shape), array_shape.shape(new_shape))
    new_shape = with_dependencies([is_equal], new_shape)
    return with_dependencies([assert_less_equal(shape, new_shape)], new_shape)
