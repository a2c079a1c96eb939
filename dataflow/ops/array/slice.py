"""Slices of tensors: Slice, StridedSlice, and the ops that write into a strided slice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
from dataflow.graph import constant_value as constants
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.reduction import reduction
from dataflow.ops.basic.shape_parts import (
    merged_vectors,
    size_at,
    subtract,
    unknown_of_rank,
    vector_as_shape,
)
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import MISSING_GRADIENT, NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, no_outputs, unchanged, with_rank
from dataflow.values.shapes import TensorShape
from dataflow.values.strided_slices import Masks, window

_MASKS = [
    "begin_mask: int = 0",
    "end_mask: int = 0",
    "ellipsis_mask: int = 0",
    "new_axis_mask: int = 0",
    "shrink_axis_mask: int = 0",
]
_MASK_NAMES = tuple(text.split(":")[0] for text in _MASKS)


def _slice_shape(c: InferenceContext) -> TensorShape:
    source = c.input(0)
    count = size_at(merged_vectors(c, 1, 2), 0)
    if count is not None:
        source = with_rank(source, count)
    begin = vector_as_shape(c, 1)
    sizes = c.constant(2)
    if sizes is None:
        known = vector_as_shape(c, 2)
        return known if known.rank is not None else unknown_of_rank(source.rank)
    begin = with_rank(begin, len(sizes))
    dims = [
        int(size) if size != -1 else subtract(size_at(source, i), size_at(begin, i))
        for i, size in enumerate(sizes)
    ]
    if any(d is not None and d < 0 for d in dims):
        raise ValueError(f"Dimension {min(d for d in dims if d is not None)} must be >= 0")
    return TensorShape.of(tuple(dims))


def _strided_slice_shape(c: InferenceContext) -> TensorShape:
    c.set_output_handle(0, c.input_handle(0))
    dims = c.input(0).dims_tuple
    count = size_at(merged_vectors(c, 1, 2, 3), 0)
    strides = c.constant(3)
    if dims is None or count is None or strides is None:
        return UNKNOWN
    steps, masks = strides.tolist(), Masks.read(c.attr)
    # What is wrong whatever the bounds are is said without them.
    found = window(dims, None, None, steps, masks)
    begin, end = c.constant(1), c.constant(2)
    if begin is not None and end is not None:
        found = window(dims, begin.tolist(), end.tolist(), steps, masks)
    return TensorShape.of(found.shape)


def _grad_shape(c: InferenceContext) -> TensorShape:
    merged_vectors(c, 1, 2, 3)
    return vector_as_shape(c, 0)


def _slice_gradient(op: Operation, grad: Any) -> Any:
    source, begin = op.inputs[0], op.inputs[1]
    count = array_shape.rank(source)
    taken: Any = array_shape.shape(op.outputs[0], out_type=begin.dtype)
    column = array_concat.stack([count, 1])
    before = array_shape.reshape(begin, column)
    whole: Any = array_shape.shape(source, out_type=begin.dtype)
    after = array_shape.reshape(whole - taken - begin, column)
    return single("Pad", grad, array_concat.concat([before, after], 1)), None, None


def _masks(op: Operation) -> dict[str, Any]:
    return {name: op.attrs[name] for name in _MASK_NAMES}


def _known_or(tensor: Tensor) -> Any:
    value = constants.constant_value(tensor)
    return tensor if value is None else value


def _strided_slice_gradient(op: Operation, grad: Any) -> Any:
    source, begin, end, strides = op.inputs
    shape = _known_or(array_shape.shape(source, out_type=begin.dtype))
    begin, end, strides = _known_or(begin), _known_or(end), _known_or(strides)
    whole = strided_slice_grad(shape, begin, end, strides, grad, **_masks(op))
    return whole, None, None, None


def _strided_slice_grad_gradient(op: Operation, grad: Any) -> Any:
    begin, end, strides = op.inputs[1:4]
    return None, None, None, None, strided_slice(grad, begin, end, strides, **_masks(op))


def _update_gradient(op: Operation, grad: Any) -> Any:
    begin, end, strides, value = op.inputs[1:]
    taken = strided_slice(grad, begin, end, strides, **_masks(op))
    rest = single(
        "TensorStridedSliceUpdate",
        grad,
        begin,
        end,
        strides,
        array_fill.zeros_like(taken),
        **_masks(op),
    )
    taken_shape = array_shape.shape(taken, out_type=begin.dtype)
    value_shape = array_shape.shape(value, out_type=begin.dtype)
    _, axes = apply_op("BroadcastGradientArgs", taken_shape, value_shape)
    summed = reduction("Sum", taken, axis=axes, keepdims=True)
    return rest, None, None, None, array_shape.reshape(summed, value_shape)


define_op(
    "Slice",
    inputs="input: T, begin: Index, size: Index",
    outputs="output: T",
    attrs=["T: type", "Index: {int32, int64}"],
    shape=_slice_shape,
    gradient=_slice_gradient,
    doc="A block of a tensor: `size` elements from `begin`; -1 takes all that are left.",
)

define_op(
    "StridedSlice",
    inputs="input: T, begin: Index, end: Index, strides: Index",
    outputs="output: T",
    attrs=["T: type", "Index: {int16, int32, int64}", *_MASKS],
    shape=_strided_slice_shape,
    gradient=_strided_slice_gradient,
    doc="Every stride-th element from `begin` up to `end`, as Python's indexing takes them.",
)

define_op(
    "StridedSliceGrad",
    inputs="shape: Index, begin: Index, end: Index, strides: Index, dy: T",
    outputs="output: T",
    attrs=["T: type", "Index: {int32, int64}", *_MASKS],
    shape=_grad_shape,
    gradient=_strided_slice_grad_gradient,
    doc="Zeros of a given shape, with `dy` in a strided slice of it.",
)

define_op(
    "TensorStridedSliceUpdate",
    inputs="input: T, begin: Index, end: Index, strides: Index, value: T",
    outputs="output: T",
    attrs=["T: type", "Index: {int32, int64}", *_MASKS],
    shape=unchanged,
    gradient=_update_gradient,
    doc="The input with `value` in a strided slice of it.",
)

define_op(
    "StridedSliceAssign",
    inputs="ref: Ref(T), begin: Index, end: Index, strides: Index, value: T",
    outputs="output_ref: Ref(T)",
    attrs=["T: type", "Index: {int32, int64}", *_MASKS],
    shape=unchanged,
    gradient=MISSING_GRADIENT,
    doc="Assigns to a strided slice of a variable.",
)

define_op(
    "ResourceStridedSliceAssign",
    inputs="ref: resource, begin: Index, end: Index, strides: Index, value: T",
    attrs=["T: type", "Index: {int32, int64}", *_MASKS],
    shape=no_outputs,
    gradient=NOT_DIFFERENTIABLE,
    doc="Assigns to a strided slice of a resource variable.",
    stateful=True,
)


def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """A block of a tensor.

    Args:
      input_: Any tensor.
      begin: First position along each dimension: an integer vector.
      size: Number of elements along each dimension; -1 for all that are left.
      name: Name of the operation.

    Raises:
      ValueError: The block is known to go beyond the tensor.
    """
    return single("Slice", input_, begin, size, name=name)


def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """Elements from `begin` up to `end` in steps of `strides`; what `x[...]` is made of.

    In each mask, bit i is about entry i of the bounds: it has no begin, no end, stands for as many
    dimensions as needed, is a new dimension of size 1, or takes one position and drops the
    dimension.

    Args:
      input_: Any tensor.
      begin: First positions: an integer vector.
      end: Positions to stop before.
      strides: Steps, negative ones go backwards; all 1 if None.
      begin_mask: Entries whose begin is ignored.
      end_mask: Entries whose end is ignored.
      ellipsis_mask: The entry that is an ellipsis.
      new_axis_mask: Entries that are new dimensions.
      shrink_axis_mask: Entries that drop their dimension.
      var: The variable that `input_` is the value of; gives the result an `assign` method.
      name: Name of the operation.

    Raises:
      ValueError: The bounds are known not to fit the tensor.
    """
    if strides is None:
        strides = array_fill.ones_like(begin)
    masks = {
        "begin_mask": begin_mask,
        "end_mask": end_mask,
        "ellipsis_mask": ellipsis_mask,
        "new_axis_mask": new_axis_mask,
        "shrink_axis_mask": shrink_axis_mask,
    }
    result = single("StridedSlice", input_, begin, end, strides, name=name, **masks)
    if var is not None:
        result.assign = _assigner(var, begin, end, strides, masks, name)  # type: ignore[attr-defined]
    return result


def strided_slice_grad(
    shape: Any, begin: Any, end: Any, strides: Any, dy: Any, name: str | None = None, **masks: int
) -> Tensor:
    """Zeros of a given shape, with `dy` in the strided slice that bounds and masks take."""
    return single("StridedSliceGrad", shape, begin, end, strides, dy, name=name, **masks)


def _assigner(
    var: Any, begin: Any, end: Any, strides: Any, masks: dict[str, int], parent: str | None
) -> Callable[..., Any]:
    """`assign` of a slice of a variable."""

    def assign(value: Any, name: str | None = None) -> Any:
        return var._strided_slice_assign(
            begin=begin,
            end=end,
            strides=strides,
            value=value,
            name=f"{parent}_assign" if name is None else name,
            **masks,
        )

    return assign
