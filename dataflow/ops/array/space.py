"""Ops that move blocks of space into the batch or the channels, and back."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
from dataflow.graph import constant_value as constants
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.shape_parts import (
    Size,
    add,
    divide_evenly,
    multiply,
    size_at,
    subshape,
    subtract,
)
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, merge, with_rank, with_rank_at_least
from dataflow.values import dtypes
from dataflow.values.deprecated_args import renamed
from dataflow.values.shapes import TensorShape


def _checked_blocks(c: InferenceContext) -> tuple[TensorShape, Any, Any, int]:
    """Input shape, blocks and borders if known, and the number of block dimensions."""
    blocks = c.input(1)
    if blocks.rank != 1:
        raise ValueError("block_shape must have rank 1.")
    count = size_at(blocks, 0)
    if count is None:
        raise ValueError("block_shape must have known size.")
    shape = with_rank_at_least(c.input(0), count + 1)
    merge(c.input(2), TensorShape.of((count, 2)))
    return shape, c.constant(1), c.constant(2), count


def _check_known(blocks: Any, borders: Any, name: str) -> None:
    if blocks is not None and (blocks < 1).any():
        raise ValueError("block_shape must be positive")
    if borders is not None and (borders < 0).any():
        raise ValueError(f"{name} cannot be negative")


def _to_batch(shape: TensorShape, blocks: Any, paddings: Any, count: int) -> TensorShape:
    _check_known(blocks, paddings, "paddings")
    batch: Size = size_at(shape, 0)
    sizes: list[Size] = []
    for i in range(count):
        if blocks is None:
            batch = None
            sizes.append(None)
            continue
        block = int(blocks[i])
        batch = multiply(batch, block)
        if paddings is None:
            sizes.append(None)
        else:
            sizes.append(divide_evenly(add(size_at(shape, i + 1), int(paddings[i].sum())), block))
    if shape.rank is None:
        return UNKNOWN
    return TensorShape.of((batch, *sizes)).concatenate(subshape(shape, count + 1))


def _to_space(shape: TensorShape, blocks: Any, crops: Any, count: int) -> TensorShape:
    _check_known(blocks, crops, "crops")
    batch: Size = size_at(shape, 0)
    sizes: list[Size] = []
    for i in range(count):
        if blocks is None:
            batch = None
            sizes.append(None)
            continue
        block = int(blocks[i])
        batch = divide_evenly(batch, block)
        if crops is None:
            sizes.append(None)
        else:
            whole = multiply(size_at(shape, i + 1), block)
            sizes.append(subtract(whole, int(crops[i].sum())))
    if shape.rank is None:
        return UNKNOWN
    return TensorShape.of((batch, *sizes)).concatenate(subshape(shape, count + 1))


def _space_to_batch_nd_shape(c: InferenceContext) -> TensorShape:
    return _to_batch(*_checked_blocks(c))


def _batch_to_space_nd_shape(c: InferenceContext) -> TensorShape:
    return _to_space(*_checked_blocks(c))


def _checked_square(c: InferenceContext) -> tuple[TensorShape, Any, Any, int]:
    shape = with_rank(c.input(0), 4)
    merge(c.input(1), TensorShape.of((2, 2)))
    block = c.attr("block_size")
    return shape, np.array([block, block]), c.constant(1), 2


def _space_to_batch_shape(c: InferenceContext) -> TensorShape:
    return _to_batch(*_checked_square(c))


def _batch_to_space_shape(c: InferenceContext) -> TensorShape:
    return _to_space(*_checked_square(c))


def _layout(c: InferenceContext) -> tuple[bytes, TensorShape, int, tuple[int, ...]]:
    """Data format, shape, and which dimensions are channels and space."""
    layout: bytes = c.attr("data_format")
    shape = with_rank(c.input(0), 5 if layout == b"NCHW_VECT_C" else 4)
    return (layout, shape, 3, (1, 2)) if layout == b"NHWC" else (layout, shape, 1, (2, 3))


def _space_to_depth_shape(c: InferenceContext) -> TensorShape:
    _, shape, channels, space = _layout(c)
    block: int = c.attr("block_size")
    dims = list(shape.dims_tuple or ())
    for axis in space:
        dims[axis] = divide_evenly(dims[axis], block)
    dims[channels] = multiply(dims[channels], block * block)
    return TensorShape.of(tuple(dims))


def _depth_to_space_shape(c: InferenceContext) -> TensorShape:
    _, shape, channels, space = _layout(c)
    block: int = c.attr("block_size")
    dims = list(shape.dims_tuple or ())
    for axis in space:
        dims[axis] = multiply(dims[axis], block)
    dims[channels] = divide_evenly(dims[channels], block * block)
    return TensorShape.of(tuple(dims))


def _space_to_batch_nd_gradient(op: Operation, grad: Any) -> Any:
    return [batch_to_space_nd(grad, op.inputs[1], op.inputs[2]), None, None]


def _batch_to_space_nd_gradient(op: Operation, grad: Any) -> Any:
    return [space_to_batch_nd(grad, op.inputs[1], op.inputs[2]), None, None]


def _space_to_batch_gradient(op: Operation, grad: Any) -> Any:
    return [batch_to_space(grad, op.inputs[1], block_size=op.attrs["block_size"]), None]


def _batch_to_space_gradient(op: Operation, grad: Any) -> Any:
    return [space_to_batch(grad, op.inputs[1], block_size=op.attrs["block_size"]), None]


def _depth_gradient(op: Operation, grad: Any) -> Any:
    layout, block = op.attrs["data_format"], op.attrs["block_size"]
    if layout == b"NCHW_VECT_C":
        raise ValueError(
            f"Cannot compute {op.type} gradient with NCHW_VECT_C. NCHW_VECT_C requires qint8 data "
            "type."
        )
    back = depth_to_space if op.type == "SpaceToDepth" else space_to_depth
    return back(grad, block, data_format=layout)


for _name, _border, _shape, _gradient, _doc in (
    (
        "SpaceToBatchND",
        "paddings",
        _space_to_batch_nd_shape,
        _space_to_batch_nd_gradient,
        "Pads space with zeros and moves the places within a block into the batch.",
    ),
    (
        "BatchToSpaceND",
        "crops",
        _batch_to_space_nd_shape,
        _batch_to_space_nd_gradient,
        "Moves the places within a block from the batch into space, and cuts off borders.",
    ),
):
    define_op(
        _name,
        inputs=f"input: T, block_shape: Tblock_shape, {_border}: T{_border}",
        outputs="output: T",
        attrs=[
            "T: type",
            "Tblock_shape: {int32, int64} = int32",
            f"T{_border}: {{int32, int64}} = int32",
        ],
        shape=_shape,
        gradient=_gradient,
        doc=_doc,
    )

define_op(
    "SpaceToBatch",
    inputs="input: T, paddings: Tpaddings",
    outputs="output: T",
    attrs=["T: type", "Tpaddings: {int32, int64} = int32", "block_size: int >= 2"],
    shape=_space_to_batch_shape,
    gradient=_space_to_batch_gradient,
    doc="SpaceToBatchND for images and square blocks.",
)

define_op(
    "BatchToSpace",
    inputs="input: T, crops: Tidx",
    outputs="output: T",
    attrs=["T: type", "block_size: int >= 2", "Tidx: {int32, int64} = int32"],
    shape=_batch_to_space_shape,
    gradient=_batch_to_space_gradient,
    doc="BatchToSpaceND for images and square blocks.",
)

for _name, _shape, _doc in (
    ("SpaceToDepth", _space_to_depth_shape, "Moves the places within a block into the channels."),
    ("DepthToSpace", _depth_to_space_shape, "Moves the places within a block out of the channels."),
):
    define_op(
        _name,
        inputs="input: T",
        outputs="output: T",
        attrs=[
            "T: type",
            "block_size: int >= 2",
            "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'",
        ],
        shape=_shape,
        gradient=_depth_gradient,
        doc=_doc,
    )


def space_to_batch_nd(
    input: Any, block_shape: Any, paddings: Any, name: str | None = None
) -> Tensor:
    """Pads space with zeros and moves the places within a block into the batch.

    Args:
      input: A tensor `[batch, *space, ...]`.
      block_shape: Size of a block along each dimension of space.
      paddings: Width of the border before and after, for each dimension of space.
      name: Name of the operation.

    Raises:
      ValueError: Blocks are known not to divide the padded space.
    """
    return single("SpaceToBatchND", input, block_shape, paddings, name=name)


def batch_to_space_nd(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Tensor:
    """Moves the places within a block from the batch into space, and cuts off borders.

    Args:
      input: A tensor `[batch, *space, ...]`.
      block_shape: Size of a block along each dimension of space.
      crops: What is cut off before and after, for each dimension of space.
      name: Name of the operation.

    Raises:
      ValueError: The batch is known not to consist of blocks.
    """
    return single("BatchToSpaceND", input, block_shape, crops, name=name)


def space_to_batch(
    input: Any,
    paddings: Any,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: Any = None,
) -> Tensor:
    """`space_to_batch_nd` for images `[batch, height, width, channels]` and square blocks."""
    size = renamed("block_shape", block_shape, "block_size", block_size)
    result = space_to_batch_nd(input, np.array([size, size], np.int64), paddings, name=name)
    result.set_shape(result.shape.with_rank(4))
    return result


def batch_to_space(
    input: Any, crops: Any, block_size: int, name: str | None = None, block_shape: Any = None
) -> Tensor:
    """`batch_to_space_nd` for images `[batch, height, width, channels]` and square blocks."""
    size = renamed("block_shape", block_shape, "block_size", block_size)
    result = batch_to_space_nd(input, np.array([size, size], np.int64), crops, name=name)
    result.set_shape(result.shape.with_rank(4))
    return result


def space_to_depth(
    input: Any, block_size: int, name: str | None = None, data_format: Any = "NHWC"
) -> Tensor:
    """Moves the places within square blocks of an image into the channels."""
    return single("SpaceToDepth", input, name=name, block_size=block_size, data_format=data_format)


def depth_to_space(
    input: Any, block_size: int, name: str | None = None, data_format: Any = "NHWC"
) -> Tensor:
    """Moves the places within square blocks out of the channels of an image."""
    return single("DepthToSpace", input, name=name, block_size=block_size, data_format=data_format)


def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The paddings that make space a multiple of blocks, and the crops that undo them.

    Args:
      input_shape: Sizes of space: an integer vector.
      block_shape: Size of a block along each dimension; its length must be known.
      base_paddings: The least widths before and after, for each dimension; 0 if None.
      name: Name of the scope of the operations.

    Raises:
      ValueError: The shapes of the arguments do not fit.
    """
    with name_scope(name, "required_space_to_batch_paddings", [input_shape, block_shape]):
        sizes: Any = convert_to_tensor(input_shape, dtype=dtypes.int32, name="input_shape")
        blocks: Any = convert_to_tensor(block_shape, dtype=dtypes.int32, name="block_shape")
        blocks.shape.assert_is_fully_defined()
        blocks.shape.assert_has_rank(1)
        count = blocks.shape.as_list()[0]
        if count == 0:
            return array_fill.zeros([0, 2], dtypes.int32), array_fill.zeros([0, 2], dtypes.int32)
        sizes.shape.assert_is_compatible_with([count])
        base: Any
        if base_paddings is not None:
            base = convert_to_tensor(base_paddings, dtype=dtypes.int32, name="base_paddings")
            base.shape.assert_is_compatible_with([count, 2])
        else:
            base = array_fill.zeros([count, 2], dtypes.int32)
        known = [constants.constant_value(t) for t in (blocks, sizes, base)]
        if not any(value is None for value in known):
            blocks, sizes, base = known
        start = base[:, 0]
        end = base[:, 1]
        whole = sizes + start + end
        extra = (blocks - whole % blocks) % blocks
        end = end + extra
        paddings = array_concat.stack([[start[i], end[i]] for i in range(count)], name="paddings")
        crops = array_concat.stack([[0, extra[i]] for i in range(count)], name="crops")
        return paddings, crops
