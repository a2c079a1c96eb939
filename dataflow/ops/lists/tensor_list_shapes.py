"""Static shapes of the ops on lists of tensors; a list's handle tells what its elements are."""

from __future__ import annotations

from dataflow.ops.basic.shape_parts import merge_prefix, subshape
from dataflow.schema.opdef import InferenceContext
from dataflow.schema.shape_functions import SCALAR, UNKNOWN, merge, with_rank, with_rank_at_least
from dataflow.schema.summaries import type_name
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

_READ_STACKED = (
    "Trying to read from list with wrong element dtype. List has type {} but expected type {}"
)
_READ_LAST = (
    "Trying to read from list with wrong element dtype. "
    "List has type {} but trying to push element with type {}"
)
_PUSHED = (
    "Trying to push to list with wrong element dtype. "
    "List has type {} but trying to push element with type {}"
)
_FOUND = "Expected list with element dtype {1} but got list with element dtype {0}"


def _elements(c: InferenceContext, complaint: str = _FOUND) -> TensorShape:
    """Shape of the elements of the first input as far as its handle tells.

    Raises:
      ValueError: They are of another type than the op's.
    """
    held = c.input_handle(0)
    if not held:
        return UNKNOWN
    dtype, shape = held[0]
    asked: DType = c.attr("element_dtype")
    if dtype != asked:
        raise ValueError(complaint.format(type_name(dtype), type_name(asked)))
    known: TensorShape = shape
    return known


def _holds(c: InferenceContext, shape: TensorShape, output: int = 0) -> None:
    c.set_output_handle(output, ((c.attr("element_dtype"), shape),))


def new_list(c: InferenceContext) -> TensorShape:
    """A list whose elements have the shape the first input says."""
    _holds(c, c.constant_as_shape(0))
    return SCALAR


def push_back(c: InferenceContext) -> TensorShape:
    """The list stays what it is."""
    _holds(c, _elements(c, _PUSHED))
    return SCALAR


def push_back_batch(c: InferenceContext) -> TensorShape:
    """As many lists as the tensor has rows."""
    handles, tensor = with_rank(c.input(0), 1), with_rank_at_least(c.input(1), 1)
    merge_prefix(tensor, handles)
    _holds(c, _elements(c, _PUSHED))
    return merge(handles, subshape(tensor, 0, 1))


def pop_back(c: InferenceContext) -> list[TensorShape]:
    """The shorter list and an element."""
    shape = _elements(c, _READ_LAST)
    _holds(c, shape)
    return [SCALAR, shape]


def stack(c: InferenceContext) -> TensorShape:
    """The elements along a new first dimension."""
    shape = merge(_elements(c, _READ_STACKED), c.constant_as_shape(1))
    count: int = c.attr("num_elements")
    return TensorShape.of((None if count == -1 else count,)).concatenate(shape)


def concat(c: InferenceContext) -> list[TensorShape]:
    """The elements joined, where an attr says what is known of them."""
    return _joined(merge(_elements(c, _READ_STACKED), c.attr("element_shape")))


def concat_v2(c: InferenceContext) -> list[TensorShape]:
    """The elements joined, where an input says what is known of them."""
    asked = c.constant_as_shape(1)
    return _joined(merge(asked, _elements(c, _READ_STACKED)))


def _joined(element: TensorShape) -> list[TensorShape]:
    rows = TensorShape.of((None,))
    if element.rank is None:
        return [UNKNOWN, rows]
    return [rows.concatenate(subshape(element, 1)), rows]


def split(c: InferenceContext) -> TensorShape:
    """A list of parts of the first input."""
    tensor = with_rank_at_least(c.input(0), 1)
    with_rank(c.input(2), 1)
    shape = c.constant_as_shape(1)
    merge(TensorShape.of((None,)).concatenate(subshape(tensor, 1)), shape)
    _holds(c, shape)
    return SCALAR


def from_tensor(c: InferenceContext) -> TensorShape:
    """A list of the first input's slices along its first dimension."""
    shape = c.constant_as_shape(1)
    merge(_slices(c.input(0)), shape)
    _holds(c, shape)
    return SCALAR


def scatter(c: InferenceContext) -> TensorShape:
    """A list of the first input's slices, placed by index."""
    shape = c.constant_as_shape(2)
    merge(_slices(c.input(0)), shape)
    _holds(c, shape)
    return SCALAR


def scatter_into(c: InferenceContext) -> TensorShape:
    """The list stays what it is."""
    shape = _elements(c)
    merge(_slices(c.input(1)), shape)
    _holds(c, shape)
    return SCALAR


def _slices(tensor: TensorShape) -> TensorShape:
    return UNKNOWN if tensor.rank is None else subshape(tensor, 1)


def get_item(c: InferenceContext) -> TensorShape:
    """An element."""
    return merge(_elements(c), c.constant_as_shape(2))


def set_item(c: InferenceContext) -> TensorShape:
    """The list stays what it is."""
    held = c.input_handle(0)
    if not held:
        _holds(c, UNKNOWN)
    else:
        merge(c.input(2), held[0][1])
        c.set_output_handle(0, held)
    return SCALAR


def gather(c: InferenceContext) -> TensorShape:
    """Some elements along a new first dimension."""
    return c.input(1).concatenate(merge(_elements(c), c.constant_as_shape(2)))


def resize(c: InferenceContext) -> TensorShape:
    """The list stays what it is."""
    c.set_output_handle(0, c.input_handle(0))
    return SCALAR


def element_shape(c: InferenceContext) -> TensorShape:
    """A vector with one entry for each dimension of the elements."""
    held = c.input_handle(0)
    if not held or held[0][1].rank is None:
        return UNKNOWN
    return TensorShape.of((held[0][1].rank,))


def concat_lists(c: InferenceContext) -> TensorShape:
    """Lists of what both inputs hold."""
    shape = merge(c.input(0), c.input(1))
    dtype: DType = c.attr("element_dtype")
    element = UNKNOWN
    for index, name in enumerate(("input_a", "input_b")):
        held = c.input_handle(index)
        if not held:
            continue
        if held[0][0] != dtype:
            raise ValueError(
                f"{name}.type != element_dtype: {type_name(held[0][0])} vs. {type_name(dtype)}"
            )
        element = merge(element, held[0][1])
    _holds(c, element)
    return shape
