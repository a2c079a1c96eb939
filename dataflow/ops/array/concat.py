"""Ops that put tensors together along a dimension, old or new, and take them apart again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import dataflow.ops.array.concat_gradient as array_concat_gradient
import dataflow.ops.array.shape as array_shape
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import (
    convert_to_tensor,
    is_dense_tensor_like,
    register_tensor_conversion_function,
)
from dataflow.graph.dispatch import dispatched
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.handle_shapes import common_handles
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.shape_parts import (
    add,
    scalar_value,
    size_at,
    subshape,
    unknown_of_rank,
    with_size,
)
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import MISSING_GRADIENT, NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, merge, with_rank, with_rank_at_least
from dataflow.values import dtypes, nest
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape


def concat_shape(c: InferenceContext, axis_input: int, values: range) -> TensorShape:
    """That of the inputs `values`, put together along the axis that another input says."""
    rank: int | None = None
    for i in values:
        if rank is None:
            rank = c.input(i).rank
        if rank == 0:
            raise ValueError("Can't concatenate scalars (use tf.stack instead)")
        if rank is not None:
            with_rank(c.input(i), rank)
    axis = scalar_value(c, axis_input)
    if axis is None:
        return unknown_of_rank(rank)
    least = -axis if axis < 0 else axis + 1
    total: int | None = 0
    before = after = UNKNOWN
    for count, i in enumerate(reversed(values)):
        shape = with_rank_at_least(c.input(i), least)
        head = subshape(shape, 0, axis)
        tail = TensorShape.of(()) if axis == -1 else subshape(shape, axis + 1)
        before = merge(head, before) if count else head
        total = add(total, size_at(shape, axis))
        after = merge(tail, after) if count else tail
    return before.concatenate(TensorShape.of((total,))).concatenate(after)


def _concat_v1_shape(c: InferenceContext) -> TensorShape:
    return concat_shape(c, 0, range(1, c.num_inputs))


def _concat_v2_shape(c: InferenceContext) -> TensorShape:
    return concat_shape(c, c.num_inputs - 1, range(c.num_inputs - 1))


def _offset_shape(c: InferenceContext) -> list[TensorShape]:
    return [c.input(i) for i in range(1, c.num_inputs)]


def _new_axis(c: InferenceContext, rank: int) -> int:
    axis: int = c.attr("axis")
    if not -rank <= axis < rank:
        raise ValueError(f"Invalid axis: {axis}; must be in [{-rank},{rank})")
    return axis % rank


def _pack_shape(c: InferenceContext) -> TensorShape:
    c.set_output_handle(0, common_handles(c))
    shape = c.input(c.num_inputs - 1)
    for i in reversed(range(c.num_inputs - 1)):
        try:
            shape = merge(c.input(i), shape)
        except ValueError as error:
            raise ValueError(f"{error}\n\tFrom merging shape {i} with other shapes.") from None
    dims = shape.dims_tuple
    if dims is None:
        return UNKNOWN
    axis = _new_axis(c, len(dims) + 1)
    return TensorShape.of((*dims[:axis], c.num_inputs, *dims[axis:]))


def _unpack_shape(c: InferenceContext) -> list[TensorShape]:
    dims = c.input(0).dims_tuple
    if dims is None:
        return [UNKNOWN] * c.num_outputs
    axis = _new_axis(c, len(dims))
    with_size(dims[axis], c.attr("num"))
    return [TensorShape.of((*dims[:axis], *dims[axis + 1 :]))] * c.num_outputs


def _parallel_shape(c: InferenceContext) -> TensorShape:
    shape: TensorShape = c.attr("shape")
    if not shape.is_fully_defined():
        raise ValueError("shape attr must be fully defined.")
    rank = shape.rank or 0
    merged = c.input(0)
    for i in range(c.num_inputs):
        if not c.input(i).is_fully_defined():
            raise ValueError("All input shapes must be fully defined.")
        merged = merge(with_rank(c.input(i), rank), merged)
        if size_at(c.input(i), 0) != 1:
            raise ValueError("Size of first dimension must be 1.")
    whole = TensorShape.of((c.num_inputs,)).concatenate(subshape(merged, 1))
    return merge(whole, shape)


def _concat_gradient(op: Operation, grad: Any) -> Any:
    return array_concat_gradient.concat_gradient(op, grad, axis_input=0)


def _concat_v2_gradient(op: Operation, grad: Any) -> Any:
    return array_concat_gradient.concat_gradient(op, grad, axis_input=-1)


def _pack_gradient(op: Operation, grad: Any) -> Any:
    return unstack(grad, num=op.attrs["N"], axis=op.attrs["axis"])


def _unpack_gradient(op: Operation, *grads: Any) -> Any:
    return stack(grads, axis=op.attrs["axis"])


define_op(
    "ConcatV2",
    inputs="values: N * T, axis: Tidx",
    outputs="output: T",
    attrs=["N: int >= 2", "T: type", "Tidx: {int32, int64} = int32"],
    shape=_concat_v2_shape,
    gradient=_concat_v2_gradient,
    doc="Tensors one after the other, along a dimension they have.",
)

define_op(
    "Concat",
    inputs="concat_dim: int32, values: N * T",
    outputs="output: T",
    attrs=["N: int >= 2", "T: type"],
    shape=_concat_v1_shape,
    gradient=_concat_gradient,
    doc="Like ConcatV2; found in old graphs.",
)

define_op(
    "ConcatOffset",
    inputs="concat_dim: int32, shape: N * shape_type",
    outputs="offset: N * shape_type",
    attrs=["N: int >= 2", "shape_type: {int32, int64} = int32"],
    shape=_offset_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Where each of several tensors begins in their concatenation.",
)

define_op(
    "Pack",
    inputs="values: N * T",
    outputs="output: T",
    attrs=["N: int >= 1", "T: type", "axis: int = 0"],
    shape=_pack_shape,
    gradient=_pack_gradient,
    doc="Tensors of one shape one after the other, along a new dimension.",
)

define_op(
    "Unpack",
    inputs="value: T",
    outputs="output: num * T",
    attrs=["num: int >= 0", "T: type", "axis: int = 0"],
    shape=_unpack_shape,
    gradient=_unpack_gradient,
    doc="The parts of a tensor at each position along one dimension.",
)

define_op(
    "ParallelConcat",
    inputs="values: N * T",
    outputs="output: T",
    attrs=["N: int >= 1", "T: type", "shape: shape"],
    shape=_parallel_shape,
    gradient=MISSING_GRADIENT,
    doc="Tensors one after the other, along their first dimension of size 1.",
)


@dispatched
def concat(values: Any, axis: Any, name: str | None = "concat") -> Tensor:
    """Tensors one after the other, along a dimension they have.

    Args:
      values: Tensors of one dtype, whose shapes agree but along `axis`.
      axis: The dimension; negative ones count from the end.
      name: Name of the operation.

    Raises:
      ValueError: The shapes are known not to agree.

    >>> with tf.Session() as session:
    ...     print(session.run(tf.concat([[[1, 2]], [[3, 4]]], axis=1)))
    [[1 2 3 4]]
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) == 1:
        with name_scope(name):
            place = convert_to_tensor(axis, name="concat_dim", dtype=dtypes.int32)
            place.shape.assert_has_rank(0)
            result: Tensor = identity(values[0], name=name)
            return result
    return single("ConcatV2", values, axis, name=name)


@dispatched
def stack(values: Any, axis: int = 0, name: str | None = "stack") -> Tensor:
    """Tensors of one shape one after the other, along a new dimension.

    Args:
      values: The tensors, or Python values; a list of those only becomes a constant.
      axis: Where the new dimension goes; negative places count from the end.
      name: Name of the operation.

    Raises:
      ValueError: `axis` is out of range or the shapes are known to differ.

    >>> with tf.Session() as session:
    ...     print(session.run(tf.stack([[1, 2], [3, 4]], axis=1)).tolist())
    [[1, 3], [2, 4]]
    """
    if axis == 0:
        try:
            return convert_to_tensor(values, name=name)
        except (TypeError, ValueError, NotImplementedError):
            # Shapes or dtypes that only an op can bring together, or that it words better.
            pass
    rank = convert_to_tensor(values[0], name=name).shape.rank
    if rank is not None and not -rank - 1 <= axis <= rank:
        raise ValueError(f"axis = {axis} not in [{-rank - 1}, {rank + 1})")
    return single("Pack", values, name=name, axis=axis)


def unstack(
    value: Any, num: int | None = None, axis: int = 0, name: str | None = "unstack"
) -> list[Tensor]:
    """The parts of a tensor at each position along one dimension, which they lose.

    Args:
      value: A tensor of at least one dimension.
      num: The size of that dimension; the static one if None.
      axis: The dimension; negative ones count from the end.
      name: Name of the operation.

    Raises:
      ValueError: `axis` is out of range, or `num` neither given nor known.
    """
    if num is None:
        value = convert_to_tensor(value)
        dims = value.shape.dims_tuple
        if dims is not None:
            if not -len(dims) <= axis < len(dims):
                raise ValueError(f"axis = {axis} not in [{-len(dims)}, {len(dims)})")
            num = dims[axis]
        if num is None:
            raise ValueError(f"Cannot infer num from shape {value.shape}")
    parts: list[Tensor] = apply_op("Unpack", value, num=num, axis=axis, name=name)
    return parts


def parallel_stack(values: Any, name: str | None = "parallel_stack") -> Tensor:
    """Like `stack` along dimension 0, for values whose shapes are all known.

    Raises:
      ValueError: The shape of the first value is not fully known, or others differ.
    """
    with name_scope(name):
        first = convert_to_tensor(values[0])
        whole = TensorShape([len(values)]).concatenate(first.shape)
        rows = [array_shape.expand_dims(value, 0) for value in values]
        return single("ParallelConcat", rows, shape=whole)


_NEVER_PACKED = frozenset(
    {int, float, complex, bool, bytes, str, memoryview, np.ndarray}
    | {t for t in np.sctypeDict.values() if t.__module__ == "numpy"}
)


def _pack_values(
    value: Sequence[Any], dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Any:
    """Converts nested lists that hold tensors: each level becomes a Pack."""
    if as_ref or all(type(item) in _NEVER_PACKED for item in nest.flatten(value)):
        return NotImplemented
    found = _dtype_of(value)
    if found is None:
        return NotImplemented
    if dtype is None:
        dtype = found
    elif dtype != found:
        value = nest.map_structure(lambda item: _cast_to(item, dtype), value)
    return _pack_nested(value, dtype, name or "packed")


def _dtype_of(values: Sequence[Any]) -> DType | None:
    """Element type of the first tensor in nested lists."""
    for item in values:
        if is_dense_tensor_like(item):
            dtype: DType = item.dtype.base_dtype
            return dtype
        if isinstance(item, (list, tuple)):
            found = _dtype_of(item)
            if found is not None:
                return found
    return None


def _cast_to(item: Any, dtype: DType) -> Any:
    if is_dense_tensor_like(item) and dtype != item.dtype.base_dtype:
        return single("Cast", item, DstT=dtype)
    return item


def _pack_nested(values: Sequence[Any], dtype: DType, name: str) -> Any:
    """Packs one level of nested lists, those inside first; leaves lists without tensors alone."""
    items: list[Any] = []
    must_pack = False
    with name_scope(name) as scope:
        for i, item in enumerate(values):
            if is_dense_tensor_like(item):
                if item.dtype.base_dtype != dtype:
                    raise TypeError(
                        f"Cannot convert a list containing a tensor of dtype {item.dtype} to "
                        f"{dtype} (Tensor is: {item!r})"
                    )
                must_pack = True
            elif isinstance(item, (list, tuple)):
                item = _pack_nested(item, dtype, str(i))
                must_pack = must_pack or isinstance(item, Tensor)
            items.append(item)
        if not must_pack:
            return items
        tensors = [
            item if is_dense_tensor_like(item) else constant(item, dtype=dtype, name=str(i))
            for i, item in enumerate(items)
        ]
        return single("Pack", tensors, name=scope)


register_tensor_conversion_function((list, tuple), _pack_values, 99)
