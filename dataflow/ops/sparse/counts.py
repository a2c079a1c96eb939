"""How often integers stand in sparse tensors, or in tensors, as dense or as sparse counts."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import dispatched
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.shape import reshape
from dataflow.ops.basic.constant import constant
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, merge, with_rank
from dataflow.values.shapes import TensorShape


def _counts_shape(c: InferenceContext) -> TensorShape:
    dims = c.input(2).dims_tuple
    size, shape = c.constant(3), c.constant(2)
    if not dims or dims[0] is None:
        return UNKNOWN
    with_rank(c.input(3), 0)
    if size is not None and int(size) < 0:
        raise ValueError(f"size ({int(size)}) must be non-negative")
    length = None if size is None else int(size)
    if dims[0] > 2:
        raise ValueError("Input must be less than rank 2")
    if dims[0] == 1:
        return TensorShape.of((length,))
    rows = None if shape is None or length is None else int(shape[0])
    return TensorShape.of((rows, length))


define_op(
    "SparseBincount",
    inputs="indices: int64, values: Tidx, dense_shape: int64, size: Tidx, weights: T",
    outputs="output: T",
    attrs=[
        "Tidx: {int32, int64}",
        "T: {int32, int64, float32, float64}",
        "binary_output: bool = false",
    ],
    shape=_counts_shape,
    gradient=MISSING_GRADIENT,
    doc="The number, or sum of weights, of each integer below size, in each row.",
)


def _found_shapes(rank: int | None) -> list[TensorShape]:
    return [TensorShape.of((None, rank)), TensorShape.of((None,)), TensorShape.of((rank,))]


def _sparse_found_shapes(c: InferenceContext) -> list[TensorShape]:
    dims = c.input(0).dims_tuple
    return _found_shapes(None if dims is None or len(dims) < 2 else dims[1])


def _dense_found_shapes(c: InferenceContext) -> list[TensorShape]:
    values, weights = c.input(0), c.input(1)
    if weights.num_elements() != 0:
        values = merge(weights, values)
    return _found_shapes(values.rank)


_COUNT_ATTRS = [
    "T: {int32, int64}",
    "minlength: int >= -1 = -1",
    "maxlength: int >= -1 = -1",
    "binary_output: bool",
    "output_type: {int32, int64, float32, float64}",
]
_FOUND = "output_indices: int64, output_values: output_type, output_dense_shape: int64"
define_op(
    "SparseCountSparseOutput",
    inputs="indices: int64, values: T, dense_shape: int64, weights: output_type",
    outputs=_FOUND,
    attrs=_COUNT_ATTRS,
    shape=_sparse_found_shapes,
    gradient=MISSING_GRADIENT,
    doc="The number, or sum of weights, of each integer in each row, where it is not 0.",
)

define_op(
    "DenseCountSparseOutput",
    inputs="values: T, weights: output_type",
    outputs=_FOUND,
    attrs=_COUNT_ATTRS,
    shape=_dense_found_shapes,
    gradient=MISSING_GRADIENT,
    doc="The number, or sum of weights, of each integer in each row, where it is not 0.",
)


@dispatched
def sparse_bincount(
    values: Any,
    weights: Any = None,
    axis: int | None = 0,
    minlength: int | None = None,
    maxlength: int | None = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """How often each integer is there, as a sparse tensor.

    Args:
      values: Integers that are not negative: a tensor of rank 1 or 2, or a sparse one.
      weights: What each counts; of the same kind and shape as `values`.
      axis: -1 counts in each row; 0 or None in all.
      minlength: The least size of the last dimension.
      maxlength: Integers count only below this.
      binary_output: Whether to say 1 of what is there, not how often.
      name: Prefix of the operations' names.

    Raises:
      ValueError: `axis` is another one, there are weights though `binary_output`, or they are not
        sparse as the values are.
      InvalidArgumentError: At run time: an integer is negative, or the weights do not fit.
    """
    with name_scope(name, "count", [values, weights]):
        if not isinstance(values, SparseTensor):
            values = convert_to_tensor(values, name="values")
        if weights is not None and not isinstance(weights, SparseTensor):
            weights = convert_to_tensor(weights, name="weights")
        if weights is not None and binary_output:
            raise ValueError(
                "Arguments `binary_output` and `weights` are mutually exclusive. Please specify "
                "only one."
            )
        axis = 0 if axis is None else axis
        if axis not in (0, -1):
            raise ValueError(
                f"Unsupported value for argument axis={axis}. Only 0 and -1 are currently "
                "supported."
            )
        if axis == 0 and isinstance(values, SparseTensor):
            weights = None if weights is None else _sparse_weights(values, weights)
            values = values.values
        elif axis == 0:
            weights = None if weights is None else reshape(weights, [-1])
            values = reshape(values, [-1])
        options: dict[str, Any] = {
            "minlength": -1 if minlength is None else minlength,
            "maxlength": -1 if maxlength is None else maxlength,
            "binary_output": binary_output,
        }
        if not isinstance(values, SparseTensor):
            weights = _dense_weights(values, weights)
            return SparseTensor(*apply_op("DenseCountSparseOutput", values, weights, **options))
        if weights is None:
            weights = constant([], dtype=values.dtype)
        else:
            weights = _sparse_weights(values, weights)
        parts = (values.indices, values.values, values.dense_shape)
        return SparseTensor(*apply_op("SparseCountSparseOutput", *parts, weights, **options))


def _sparse_weights(values: SparseTensor, weights: Any) -> Tensor:
    if not isinstance(weights, SparseTensor):
        raise ValueError(
            "Argument `weights` must be a SparseTensor if `values` is a SparseTensor. Received "
            f"weights={weights} of type: {type(weights).__name__}"
        )
    return weights.values


def _dense_weights(values: Tensor, weights: Any) -> Tensor:
    if weights is None:
        return constant([], dtype=values.dtype)
    if not isinstance(weights, Tensor):
        raise ValueError(
            "Argument `weights` must be a tf.Tensor if `values` is a tf.Tensor. Received "
            f"weights={weights} of type: {type(weights).__name__}"
        )
    return weights
