"""Ops on the shape of a tensor: reading it, and giving the same elements another one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import dispatched
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor, SparseTensorValue
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.shape_parts import divide_evenly, vector, vector_as_shape
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import MISSING_GRADIENT, NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import SCALAR, UNKNOWN, merge, unchanged
from dataflow.values import dtypes
from dataflow.values.deprecated_args import renamed
from dataflow.values.shapes import TensorShape


def _rank_vector(c: InferenceContext) -> list[TensorShape]:
    return [vector(c.input(i).rank) for i in range(c.num_inputs)]


def _scalar(c: InferenceContext) -> TensorShape:
    return SCALAR


def reshape_shape(c: InferenceContext) -> TensorShape:
    """The shape that the second input asks for, as far as the sizes say it."""
    wanted = vector_as_shape(c, 1)
    have, want = c.input(0).dims_tuple, wanted.dims_tuple
    if have is None or want is None:
        return wanted
    # A zero decides the number of elements, whatever is not known.
    unknown_have, unknown_want = (0 if 0 in dims else dims.count(None) for dims in (have, want))
    if unknown_have > 1 or unknown_want > 1:
        return wanted
    elements = int(np.prod([d for d in have if d is not None], dtype=object))
    room = int(np.prod([d for d in want if d is not None], dtype=object))
    if not unknown_have and not unknown_want and elements != room:
        raise ValueError(
            f"Cannot reshape a tensor with {elements} elements to shape {_text(want)} "
            f"({room} elements)"
        )
    if unknown_want and not unknown_have:
        rest = divide_evenly(elements, room)
        return TensorShape.of(tuple(rest if d is None else d for d in want))
    if unknown_have and not unknown_want and elements > 0:
        divide_evenly(room, elements)
    return wanted


def _text(dims: Sequence[int | None]) -> str:
    return "[" + ",".join("?" if d is None else str(d) for d in dims) + "]"


def _expand_shape(c: InferenceContext) -> TensorShape:
    dims = c.input(0).dims_tuple
    axis = c.constant(1)
    if axis is not None and axis.size != 1:
        raise ValueError("'dim' input must be a tensor with a single value")
    if axis is None or dims is None:
        return UNKNOWN
    place = int(axis.reshape(()))
    if not -len(dims) - 1 <= place <= len(dims):
        raise ValueError(f"dim {place} not in the interval [{-len(dims) - 1}, {len(dims)}].")
    if place < 0:
        place += len(dims) + 1
    return TensorShape.of((*dims[:place], 1, *dims[place:]))


def _squeeze_shape(c: InferenceContext) -> TensorShape:
    dims = c.input(0).dims_tuple
    if dims is None:
        return UNKNOWN
    count = len(dims)
    for i, axis in enumerate(c.attr("squeeze_dims")):
        if not -count <= axis < count:
            raise ValueError(f"squeeze_dims[{i}] not in [{-count},{count}).")
    chosen = {axis % count for axis in c.attr("squeeze_dims")}
    kept: list[int | None] = []
    for axis, dim in enumerate(dims):
        if axis in chosen:
            if dim not in (None, 1):
                raise ValueError(
                    f"Can not squeeze dim[{axis}], expected a dimension of 1, got {dim}"
                )
        elif chosen or dim not in (None, 1):
            kept.append(dim)
        elif dim is None:
            return UNKNOWN
    return TensorShape.of(tuple(kept))


def _ensured_shape(c: InferenceContext) -> TensorShape:
    return merge(c.attr("shape"), c.input(0))


def dense(grad: Any) -> Tensor:
    """A gradient as a tensor; slices are summed into place.

    Raises:
      ValueError: `grad` is IndexedSlices and does not know the whole's shape.
    """
    if not isinstance(grad, IndexedSlices):
        tensor: Tensor = grad
        return tensor
    if grad.dense_shape is None:
        raise ValueError(
            f"Tensor conversion requested for IndexedSlices without dense_shape: {grad}"
        )
    rows: Any = grad.dense_shape
    return single("UnsortedSegmentSum", grad.values, grad.indices, rows[0])


def _as_input(op: Operation, grad: Any) -> Tensor:
    return reshape(dense(grad), shape(op.inputs[0]))


def _reshape_gradient(op: Operation, grad: Any) -> Any:
    dims = op.inputs[0].shape.dims_tuple
    if dims is not None and dims.count(None) == 1 and 0 not in dims:
        return [reshape(dense(grad), [-1 if d is None else d for d in dims]), None]
    return [_as_input(op, grad), None]


def _expand_gradient(op: Operation, grad: Any) -> Any:
    return [_as_input(op, grad), None]


def _pass_gradient(op: Operation, grad: Any) -> Any:
    return grad


define_op(
    "Shape",
    inputs="input: T",
    outputs="output: out_type",
    attrs=["T: type", "out_type: {int32, int64} = int32"],
    shape=_rank_vector,
    gradient=NOT_DIFFERENTIABLE,
    doc="The sizes of a tensor's dimensions, as a vector.",
)

define_op(
    "ShapeN",
    inputs="input: N * T",
    outputs="output: N * out_type",
    attrs=["N: int >= 1", "T: type", "out_type: {int32, int64} = int32"],
    shape=_rank_vector,
    gradient=NOT_DIFFERENTIABLE,
    doc="The shapes of several tensors.",
)

define_op(
    "Size",
    inputs="input: T",
    outputs="output: out_type",
    attrs=["T: type", "out_type: {int32, int64} = int32"],
    shape=_scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The number of elements of a tensor.",
)

define_op(
    "Rank",
    inputs="input: T",
    outputs="output: int32",
    attrs=["T: type"],
    shape=_scalar,
    gradient=NOT_DIFFERENTIABLE,
    doc="The number of dimensions of a tensor.",
)

define_op(
    "Reshape",
    inputs="tensor: T, shape: Tshape",
    outputs="output: T",
    attrs=["T: type", "Tshape: {int32, int64} = int32"],
    shape=reshape_shape,
    gradient=_reshape_gradient,
    doc="The same elements in another shape; one size may be -1, for what is left.",
)

define_op(
    "ExpandDims",
    inputs="input: T, dim: Tdim",
    outputs="output: T",
    attrs=["T: type", "Tdim: {int32, int64} = int32"],
    shape=_expand_shape,
    gradient=_expand_gradient,
    doc="Inserts a dimension of size 1.",
)

define_op(
    "Squeeze",
    inputs="input: T",
    outputs="output: T",
    attrs=["T: type", "squeeze_dims: list(int) >= 0 = []"],
    shape=_squeeze_shape,
    gradient=_as_input,
    doc="Takes out dimensions of size 1: those named, or all.",
)

define_op(
    "EnsureShape",
    inputs="input: T",
    outputs="output: T",
    attrs=["shape: shape", "T: type"],
    shape=_ensured_shape,
    gradient=_pass_gradient,
    doc="Passes its input on if its shape fits the attr, else fails.",
)

define_op(
    "GuaranteeConst",
    inputs="input: T",
    outputs="output: T",
    attrs=["T: type"],
    shape=unchanged,
    gradient=MISSING_GRADIENT,
    doc="Passes its input on and promises that it never changes.",
    stateful=True,
)


@dispatched
def shape(input: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """The shape of a tensor: a vector of its sizes; a constant if they are known while building.

    Args:
      input: A tensor or `SparseTensor`.
      name: Name of the operation.
      out_type: int32, which is the default, or int64.
    """
    return shape_internal(input, name, True, dtypes.int32 if out_type is None else out_type)


def shape_internal(
    input: Any, name: str | None = None, optimize: bool = True, out_type: Any = None
) -> Tensor:
    """`shape`, a constant only if `optimize`; without `out_type` int64 where int32 is too small."""
    with name_scope(name, "Shape", [input]) as scope:
        if isinstance(input, (SparseTensor, SparseTensorValue)):
            return single("Cast", input.dense_shape, DstT=out_type or dtypes.int32)
        tensor = convert_to_tensor(input)
        if optimize and tensor.shape.is_fully_defined():
            if out_type is None:
                return convert_to_tensor(tensor.shape)
            return constant(tensor.shape.as_list(), out_type, name=scope)
        return single("Shape", tensor, name=scope, out_type=out_type or dtypes.int32)


def shape_n(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> list[Tensor]:
    """The shapes of several tensors of one dtype."""
    shapes: Any = single("ShapeN", input, out_type=out_type, name=name)
    result: list[Tensor] = shapes
    return result


@dispatched
def size(input: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """The number of elements of a tensor; a constant if it is known while building.

    Args:
      input: A tensor or `SparseTensor`.
      name: Name of the operation.
      out_type: int32, which is the default, or int64.
    """
    out_type = dtypes.int32 if out_type is None else out_type
    with name_scope(name, "Size", [input]) as scope:
        if isinstance(input, (SparseTensor, SparseTensorValue)):
            sizes = single("Cast", input.dense_shape, DstT=out_type)
            return single("Prod", sizes, 0, keep_dims=False, name=scope)
        tensor = convert_to_tensor(input)
        dims = tensor.shape.dims_tuple
        if tensor.shape.is_fully_defined():
            return constant(tensor.shape.num_elements(), out_type, name=scope)
        if dims is not None and 0 in dims:
            return constant(0, out_type, name=scope)
        return single("Size", tensor, name=scope, out_type=out_type)


@dispatched
def rank(input: Any, name: str | None = None) -> Tensor:
    """The number of dimensions of a tensor; a constant if it is known while building."""
    with name_scope(name, "Rank", [input]) as scope:
        if isinstance(input, (SparseTensor, SparseTensorValue)):
            return single("Size", input.dense_shape, name=scope)
        tensor = convert_to_tensor(input)
        if tensor.shape.rank is not None:
            return constant(tensor.shape.rank, dtypes.int32, name=scope)
        return single("Rank", tensor, name=scope)


@dispatched
def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """The elements of a tensor in another shape.

    Args:
      tensor: Any tensor.
      shape: The sizes; one of them may be -1, for what is left.
      name: Name of the operation.

    Raises:
      ValueError: The number of elements is known not to fit.

    >>> tf.reshape(tf.zeros([2, 6]), [3, -1]).shape.as_list()
    [3, 4]
    """
    return single("Reshape", tensor, shape, name=name)


@dispatched
def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """Inserts a dimension of size 1.

    Args:
      input: Any tensor.
      axis: Where: from `-rank - 1` to `rank`.
      name: Name of the operation.
      dim: Old name of `axis`.

    Raises:
      ValueError: No axis is given, or one outside that range.
    """
    axis = renamed("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return single("ExpandDims", input, axis, name=name)


@dispatched
def squeeze(
    input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None
) -> Tensor:
    """Takes out dimensions of size 1.

    Args:
      input: Any tensor.
      axis: The axis or axes; all of size 1 if None.
      name: Name of the operation.
      squeeze_dims: Old name of `axis`.

    Raises:
      ValueError: A dimension named is known not to be of size 1.
    """
    axis = renamed("axis", axis, "squeeze_dims", squeeze_dims)
    if np.isscalar(axis):
        axis = [axis]
    return single("Squeeze", input, name=name, squeeze_dims=axis)


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """The tensor, whose shape a step checks; the static shape is refined by it.

    Raises:
      ValueError: The static shape is known not to fit.
    """
    return single("EnsureShape", x, shape=shape, name=name)


def guarantee_const(input: Any, name: str | None = None) -> Tensor:
    """The tensor, promised never to change."""
    return single("GuaranteeConst", input, name=name)
