"""The primitives of control flow for values of every kind: dense, references, made of several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import dataflow.ops.array.shape as array_shape
import dataflow.ops.basic.range as range_ops
from dataflow.graph import scopes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.indexed_slices import IndexedSlices, convert_to_tensor_or_indexed_slices
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.values import nest
from dataflow.values.composite_tensor import CompositeTensor
from dataflow.values.dtypes import int32, int64


@contextmanager
def entered(context: Any) -> Iterator[None]:
    """Makes a context the graph's current one inside the `with`; None changes nothing."""
    if context is None:
        yield
        return
    context.Enter()
    try:
        yield
    finally:
        context.Exit()


def identity(value: Any, name: str | None = None) -> Any:
    """A value passed on; a reference stays one."""
    return _mapped("Identity", "RefIdentity", value, name)


def next_iteration(value: Any, name: str | None = None) -> Any:
    """A value passed on to the next iteration of the loop."""
    return _mapped("NextIteration", "RefNextIteration", value, name)


def exit(value: Any, name: str | None = None) -> Any:
    """A value passed out of the loop, into the iteration that the loop was entered from."""
    return _mapped("Exit", "RefExit", value, name)


def loop_cond(value: Any, name: str | None = None) -> Tensor:
    """The loop's condition, marked as such."""
    return single("LoopCond", value, name=name)


def enter(
    value: Any,
    frame_name: str,
    is_constant: bool = False,
    parallel_iterations: int = 10,
    use_ref: bool = True,
    use_input_shape: bool = True,
    name: str | None = None,
) -> Any:
    """A value passed into a loop.

    Args:
      value: A tensor, or what can become one, or a composite tensor.
      frame_name: The loop's name.
      is_constant: Whether all iterations get the value, or only the first.
      parallel_iterations: How many iterations may be under way at once.
      use_ref: Whether a reference stays one.
      use_input_shape: Whether the value's static shape holds inside.
      name: Name of the operation.
    """
    value = _dense_or_composite(value)
    if isinstance(value, CompositeTensor):
        return nest.map_structure(
            lambda part: enter(
                part, frame_name, is_constant, parallel_iterations, use_ref, use_input_shape
            ),
            value,
            expand_composites=True,
        )
    op_type = "RefEnter" if value.dtype._is_ref_dtype and use_ref else "Enter"
    result = single(
        op_type,
        value,
        name=name,
        frame_name=frame_name,
        is_constant=is_constant,
        parallel_iterations=parallel_iterations,
    )
    if use_input_shape:
        result.set_shape(value.shape)
    return result


def switch(data: Any, pred: Any, dtype: Any = None, name: str | None = None) -> tuple[Any, Any]:
    """A value passed on one of two ways.

    Returns:
      What is alive if `pred` is false, and what is alive if it is true.
    """
    with scopes.name_scope(name, "Switch", [data, pred]) as scope:
        data = convert_to_tensor_or_indexed_slices(data, dtype=dtype, name="data", as_ref=True)
        pred = convert_to_tensor(pred, name="pred")
        if not isinstance(data, CompositeTensor):
            return _pair(apply_op("Switch", data, pred, name=scope))
        pairs = [
            _pair(apply_op("Switch", part, pred))
            for part in nest.flatten(data, expand_composites=True)
        ]
        sides = [
            nest.pack_sequence_as(data, [pair[side] for pair in pairs], expand_composites=True)
            for side in (0, 1)
        ]
        return sides[0], sides[1]


def switch_ref_or_tensor(data: Any, pred: Any, name: str = "Switch") -> tuple[Any, Any]:
    """`switch`, together with the data on its device; a reference stays one."""
    data = convert_to_tensor_or_indexed_slices(data, name="data")
    # Only the data says where to: the operation that takes it may be bound to something else.
    with scopes.colocate_with(data, ignore_existing=True):
        if isinstance(data, Tensor) and data.dtype._is_ref_dtype:
            return _pair(apply_op("RefSwitch", data, pred, name=name))
        return switch(data, pred, name=name)


class Merge(NamedTuple):
    """What `merge` gives."""

    output: Any
    value_index: Tensor


def merge(inputs: Sequence[Any], name: str | None = None) -> Merge:
    """The first of several values that arrives alive, and its index.

    If there are tensors and IndexedSlices among the inputs, all become IndexedSlices.

    Raises:
      ValueError: An input is None.
      TypeError: Some are composite tensors, and of different kinds.
    """
    if any(value is None for value in inputs):
        raise ValueError(f"At least one of the merge inputs is None: {inputs}")
    with scopes.name_scope(name, "Merge", inputs) as scope:
        values = [_dense_or_composite(value) for value in inputs]
        if all(isinstance(value, Tensor) for value in values):
            all_refs = all(value.dtype._is_ref_dtype for value in values)
            return Merge(*apply_op("RefMerge" if all_refs else "Merge", values, name=scope))
        if all(isinstance(value, (IndexedSlices, Tensor)) for value in values):
            values = as_indexed_slices_list(values)
        for value in values:
            if not isinstance(value, CompositeTensor):
                raise TypeError(f"Type {type(value)} not supported")
        for value in values[1:]:
            nest.assert_same_structure(values[0], value, expand_composites=True)
        rows = zip(*(nest.flatten(value, expand_composites=True) for value in values), strict=True)
        merged = [_pair(apply_op("Merge", list(row))) for row in rows]
        packed = nest.pack_sequence_as(
            values[0], [value for value, _ in merged], expand_composites=True
        )
        return Merge(packed, merged[0][1])


def as_indexed_slices(value: Any) -> IndexedSlices:
    """A dense tensor as slices: all of its rows.

    Raises:
      TypeError: `value` is neither a tensor nor IndexedSlices.
    """
    if isinstance(value, IndexedSlices):
        return value
    if not isinstance(value, Tensor):
        raise TypeError(f"Not a Tensor or IndexedSlices: {type(value)}.")
    shape: Any = array_shape.shape_internal(value, optimize=False)
    return IndexedSlices(value, range_ops.range(0, shape[0]), shape)


def as_indexed_slices_list(values: Sequence[Any]) -> list[IndexedSlices]:
    """The values as slices whose indices have one type."""
    slices = [as_indexed_slices(value) for value in values]
    if len({each.indices.dtype for each in slices}) == 1:
        return slices
    return [
        IndexedSlices(each.values, single("Cast", each.indices, DstT=int64), each.dense_shape)
        if each.indices.dtype == int32
        else each
        for each in slices
    ]


def _mapped(op_type: str, ref_type: str, value: Any, name: str | None) -> Any:
    value = _dense_or_composite(value)
    if isinstance(value, CompositeTensor):
        return nest.map_structure(
            lambda part: _mapped(op_type, ref_type, part, None), value, expand_composites=True
        )
    return single(ref_type if value.dtype._is_ref_dtype else op_type, value, name=name)


def _dense_or_composite(value: Any) -> Any:
    return convert_to_tensor_or_indexed_slices(value, as_ref=True)


def _pair(outputs: Any) -> tuple[Any, Any]:
    return outputs[0], outputs[1]
