"""`tensor[...]`: Python's indexing as a StridedSlice, and indexing by a boolean mask."""

from __future__ import annotations

import builtins
import numbers
from typing import Any

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.slice as array_slice
from dataflow.graph import constant_value as constants
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.graph.tracebacks import shortened
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.single import single
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import Dimension

newaxis = None
"""In an index: a new dimension of size 1."""

_INDEX_TYPES = (dtypes.int16, dtypes.int32, dtypes.int64)
_REFUSAL = (
    "Only integers, slices (`:`), ellipsis (`...`), tf.newaxis (`None`) and scalar "
    "tf.int32/tf.int64 tensors are valid indices"
)


class _Bounds:
    """The bounds and masks of a StridedSlice, collected from the parts of an index."""

    def __init__(self) -> None:
        self.begin: list[Any] = []
        self.end: list[Any] = []
        self.strides: list[Any] = []
        self.masks = dict.fromkeys(
            ("begin_mask", "end_mask", "shrink_axis_mask", "new_axis_mask", "ellipsis_mask"), 0
        )

    def add(self, part: Any) -> None:
        """Adds one part of an index.

        Raises:
          TypeError: It cannot be part of an index.
        """
        bit = 1 << len(self.begin)
        if isinstance(part, builtins.slice):
            self._add_slice(part, bit)
        elif part is Ellipsis:
            self._append(0, 0, 1)
            self.masks["ellipsis_mask"] |= bit
        elif part is newaxis:
            self._append(0, 0, 1)
            self.masks["new_axis_mask"] |= bit
        else:
            _check_position(part)
            step: Any = 1
            if isinstance(part, Tensor) and part.dtype in (dtypes.int16, dtypes.int64):
                self.begin.append(part)
                self.end.append(part + 1)
                self.strides.append(constant(1, dtype=part.dtype))
            else:
                self._append(part, part + 1, step)
            self.masks["shrink_axis_mask"] |= bit

    def _add_slice(self, part: Any, bit: int) -> None:
        dtype = _dtype_of(part)
        for bound, positions, mask in (
            (part.start, self.begin, "begin_mask"),
            (part.stop, self.end, "end_mask"),
        ):
            if bound is None or _is_unknown(bound):
                positions.append(0 if dtype is None else constant(0, dtype=dtype))
                self.masks[mask] |= bit
            else:
                _check_position(bound)
                positions.append(bound)
        if part.step is None or _is_unknown(part.step):
            self.strides.append(1 if dtype is None else constant(1, dtype=dtype))
        else:
            _check_position(part.step)
            self.strides.append(part.step)

    def _append(self, begin: Any, end: Any, stride: Any) -> None:
        self.begin.append(begin)
        self.end.append(end)
        self.strides.append(stride)


def _is_unknown(bound: Any) -> bool:
    return isinstance(bound, Dimension) and bound.value is None


def _check_position(position: Any) -> None:
    if isinstance(position, (numbers.Integral, Dimension)):
        return
    dtype = getattr(position, "dtype", None)
    shape = getattr(position, "shape", None)
    if (
        dtype is None
        or dtypes.as_dtype(dtype).base_dtype not in _INDEX_TYPES
        or (shape is not None and shape and len(shape) == 1)
    ):
        raise TypeError(f"{_REFUSAL}, got {position!r}")


def _dtype_of(part: Any) -> DType | None:
    """The widest integer type among the tensors of a slice."""
    found = [t.dtype for t in (part.start, part.stop, part.step) if isinstance(t, Tensor)]
    for dtype in (dtypes.int64, dtypes.int32, dtypes.int16):
        if dtype in found:
            return dtype
    return None


def getitem(tensor: Any, index: Any, var: Any = None) -> Tensor:
    """`tensor[index]`; with `var`, the result can be assigned to.

    Raises:
      TypeError: Part of the index is no integer, slice, ellipsis, newaxis or scalar tensor.
      ValueError: The index is known not to fit the tensor.
    """
    tensor = convert_to_tensor(tensor)
    if _is_mask(index):
        return boolean_mask(tensor=tensor, mask=index)
    bounds = _Bounds()
    for part in index if isinstance(index, (list, tuple)) else [index]:
        bounds.add(part)
    values = [tensor, *bounds.begin, *bounds.end, *bounds.strides]
    with name_scope(None, "strided_slice", values) as scope:
        if bounds.begin:
            begin = array_concat.stack(bounds.begin)
            end = array_concat.stack(bounds.end)
            strides = array_concat.stack(bounds.strides)
            if dtypes.int64 in (begin.dtype, end.dtype, strides.dtype):
                begin, end, strides = (
                    t if t.dtype == dtypes.int64 else single("Cast", t, DstT=dtypes.int64)
                    for t in (begin, end, strides)
                )
        else:
            begin = end = strides = constant([], dtype=dtypes.int32)
        return array_slice.strided_slice(
            tensor, begin, end, strides, var=var, name=scope, **bounds.masks
        )


def _is_mask(index: Any) -> bool:
    if isinstance(index, Tensor):
        return index.dtype == dtypes.bool
    return isinstance(index, bool) or (isinstance(index, np.ndarray) and index.dtype == np.bool_)


def boolean_mask(
    tensor: Any, mask: Any, name: str | None = "boolean_mask", axis: Any = None
) -> Tensor:
    """The entries of a tensor where a mask is true.

    Args:
      tensor: Any tensor.
      mask: Booleans, in the shape of the dimensions of `tensor` from `axis` on.
      name: Name of the scope of the operations.
      axis: The first dimension the mask is about; 0 if None.

    Returns:
      A tensor in which one dimension takes the place of those of the mask.

    Raises:
      ValueError: The mask is a scalar, of unknown rank, or known not to fit.

    >>> with tf.Session() as session:
    ...     print(session.run(tf.boolean_mask([1, 2, 3], [True, False, True])))
    [1 3]
    """
    with name_scope(name, values=[tensor, mask]):
        tensor = convert_to_tensor(tensor, name="tensor")
        mask = convert_to_tensor(mask, name="mask")
        rank = mask.shape.rank
        if rank == 0:
            raise ValueError("mask cannot be scalar.")
        if rank is None:
            raise ValueError(
                "Number of mask dimensions must be specified, even if some dimensions are None.  "
                "E.g. shape=[None] is ok, but shape=None is not."
            )
        axis = 0 if axis is None else axis
        known = constants.constant_value(axis) if isinstance(axis, Tensor) else axis
        if known is not None:
            axis = int(known)
            tensor.shape[axis : axis + rank].assert_is_compatible_with(mask.shape)
        shape: Any = array_shape.shape
        size = single("Prod", shape(tensor)[axis : axis + rank], [0], keep_dims=False)
        flat_shape = array_concat.concat(
            [shape(tensor)[:axis], [size], shape(tensor)[axis + rank :]], 0
        )
        flat = array_shape.reshape(tensor, flat_shape)
        if known is not None:
            masked = tensor.shape[axis : axis + rank].num_elements()
            static = tensor.shape[:axis].concatenate([masked])
            flat.set_shape(static.concatenate(tensor.shape[axis + rank :]))
        mask = array_shape.reshape(mask, [-1])
        chosen = array_shape.squeeze(array_select.where_v2(mask), axis=[1])
        return single("GatherV2", flat, chosen, axis)


Tensor._override_operator("__getitem__", shortened(getitem))
