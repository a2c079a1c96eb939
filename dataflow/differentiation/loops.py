"""The small loops that a backward loop is made of: counters, and sums over the iterations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.binary as arithmetic
import dataflow.ops.math.compare as compare
from dataflow.control_flow import primitives
from dataflow.graph import scopes
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import identity
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

if TYPE_CHECKING:
    from dataflow.control_flow.while_context import WhileContext
    from dataflow.differentiation.loop_state import GradLoopState


def add_forward_loop_counter(
    context: WhileContext, outer_grad_state: GradLoopState | None
) -> tuple[Tensor, Tensor]:
    """Makes a forward loop count its iterations: `n = 0; while pivot: n += 1`.

    Called in the context the loop stands in.

    Args:
      context: The forward loop.
      outer_grad_state: That of the loop around it, if gradients pass through that too.

    Returns:
      The number of iterations, outside of the loop, and the count inside of it.
    """
    zero = constant(0, name="f_count")
    if outer_grad_state is not None:
        # The i-th run of an inner loop pushes to the stacks before the next run does.
        zero.op._add_control_input(outer_grad_state.forward_index.op.inputs[0].op)
    context.Enter()
    context.AddName(zero.name)
    entered = _enter(context, zero, name="f_count")
    context.loop_enters.append(entered)
    merged = primitives.merge([entered, entered])[0]
    leaving, staying = primitives.switch(merged, context.pivot)
    following: Tensor = primitives.next_iteration(arithmetic.add(staying, 1))
    merged.op._update_input(1, following)
    total: Tensor = primitives.exit(leaving, name="f_count")
    context.loop_exits.append(total)
    context.ExitResult([total])
    context.Exit()
    return total, following


def add_backprop_loop_counter(
    context: WhileContext, count: Tensor, outer_grad_state: GradLoopState | None
) -> Tensor:
    """Makes the loop that controls a backward loop: `n = count; while n >= 1: n -= 1`.

    Called in the context the backward loop stands in.

    Args:
      context: The backward loop; gets its pivots.
      count: How often the forward loop ran.
      outer_grad_state: That of the loop around it, if gradients pass through that too.

    Returns:
      The count inside of the loop.
    """
    elsewhere = count.graph is not scopes.get_default_graph()
    if elsewhere:
        count = identity(count)
    else:
        one = constant(1, name="b_count")
    context.Enter()
    context.AddName(count.name)
    entered = _enter(context, count, name="b_count")
    context.loop_enters.append(entered)
    merged = primitives.merge([entered, entered])[0]
    context._pivot_for_pred = merged
    if elsewhere:
        one = constant(1, name="b_count")
    goes_on = compare.greater_equal(merged, one)
    context._pivot = primitives.loop_cond(goes_on, name="b_count")
    leaving, staying = primitives.switch(merged, context.pivot)
    index = arithmetic.subtract(staying, one)
    context._pivot_for_body = index
    following: Tensor = primitives.next_iteration(index)
    merged.op._update_input(1, following)
    final = primitives.exit(leaving, name="b_count")
    context.loop_exits.append(final)
    if outer_grad_state is not None:
        # The i-th run of an inner loop pops from the stacks before the next run does.
        outer_grad_state.grad_sync._add_control_input(final.op)
    context.ExitResult([final])
    context.Exit()
    return following


def add_backprop_accumulator(context: WhileContext, op: Operation, grad: Tensor) -> Tensor:
    """Sums the gradient of a loop invariant over the iterations.

    Args:
      context: The backward loop, which is the current context.
      op: The Enter of the invariant in the forward loop.
      grad: Its gradient in one iteration.

    Returns:
      Its gradient, outside of the loop.
    """
    context.Exit()
    start = _zero_start(context, op, grad)
    context.Enter()
    context.AddName(start.name)
    entered = _enter(context, start, name="b_acc")
    context.loop_enters.append(entered)
    merged = primitives.merge([entered, entered], name="b_acc")[0]
    leaving, staying = primitives.switch(merged, context.pivot)
    following = primitives.next_iteration(arithmetic.add(staying, grad))
    merged.op._update_input(1, following)
    total: Tensor = primitives.exit(leaving, name="b_acc")
    context.loop_exits.append(total)
    context.ExitResult([total])
    return total


def add_backprop_indexed_slices_accumulator(
    context: WhileContext, op: Operation, grad: IndexedSlices
) -> IndexedSlices:
    """Collects the slices that are the gradient of a loop invariant, one iteration after another.

    Args:
      context: The backward loop, which is the current context.
      op: The Enter of the invariant in the forward loop.
      grad: Its gradient in one iteration.

    Returns:
      Its gradient, outside of the loop, with one slice of zeros at its head.
    """
    context.Exit()
    starts = _slice_starts(context, op, grad)
    context.Enter()
    for start in starts:
        context.AddName(start.name)
    # The accumulators grow, so that they must not keep the shapes they start with.
    entered = [_enter(context, start, name="b_acc", use_input_shape=False) for start in starts]
    entered[0].set_shape([None])
    if starts[1].shape.rank is not None:
        entered[1].set_shape([None, *starts[1].shape.as_list()[1:]])
    context.loop_enters.extend(entered)
    merged = [primitives.merge([each, each], name="b_acc")[0] for each in entered]
    switched = [primitives.switch(each, context.pivot) for each in merged]
    following: list[Any] = [
        array_concat.concat([before[1], added], 0)
        for before, added in zip(switched[:2], (grad.indices, grad.values), strict=True)
    ]
    if grad.dense_shape is not None:
        following.append(arithmetic.maximum(grad.dense_shape, switched[2][1]))
    following = [primitives.next_iteration(each) for each in following]
    for merge, back in zip(merged, following, strict=True):
        merge.op._update_input(1, back)
    totals = [primitives.exit(each[0], name="b_acc") for each in switched]
    context.loop_exits.extend(totals)
    context.ExitResult(totals)
    return IndexedSlices(totals[1], totals[0], totals[2] if len(totals) == 3 else None)


def _enter(context: WhileContext, value: Tensor, name: str, use_input_shape: bool = True) -> Tensor:
    entered: Tensor = primitives.enter(
        value,
        context.name,
        is_constant=False,
        parallel_iterations=context.parallel_iterations,
        use_input_shape=use_input_shape,
        name=name,
    )
    return entered


def _zero_start(context: WhileContext, op: Operation, grad: Tensor) -> Tensor:
    """Zeros in the shape of an invariant: what it has for a gradient if the loop never runs."""
    outer = context.outer_context
    if grad.shape.is_fully_defined():
        with primitives.entered(outer):
            return constant(0, grad.dtype, shape=grad.shape, name="b_acc")
    value = op.inputs[0]
    if outer is None or not outer.IsWhileContext() or outer.grad_state is None:
        with primitives.entered(outer):
            sizes = array_shape.shape_internal(value, optimize=False)
            return array_fill.zeros(sizes, grad.dtype)
    # Inside of an outer loop the shape may differ from iteration to iteration.
    state = context.grad_state
    with primitives.entered(state.forward_context.outer_context):
        sizes = array_shape.shape_internal(value, optimize=False)
    history = state.outer_grad_state.add_forward_accumulator(sizes)
    with primitives.entered(outer):
        saved = state.outer_grad_state.add_backprop_accumulated_value(history, sizes)
        return array_fill.zeros(saved, grad.dtype)


def _slice_starts(context: WhileContext, op: Operation, grad: IndexedSlices) -> Sequence[Tensor]:
    """The indices, values and shape that slices start with: one slice of zeros."""
    values, dense_shape = grad.values, grad.dense_shape
    outer = context.outer_context
    with primitives.entered(outer):
        if values.shape.is_fully_defined():
            shape = TensorShape([1, *values.shape.as_list()[1:]])
            with primitives.entered(outer):
                first = constant(0, values.dtype, shape=shape, name="b_acc")
        else:
            sizes: Any = array_concat.concat([[1], _sizes(op.inputs[0])[1:]], 0)
            first = array_fill.zeros(sizes, dtype=values.dtype)
        starts = [constant([0], grad.indices.dtype), first]
        if dense_shape is None:
            return starts
        size_of_shape = dense_shape.shape
        if values.shape.rank is not None and op.inputs[0].dtype is dtypes.resource:
            size_of_shape = TensorShape([values.shape.rank])
        if size_of_shape.is_fully_defined():
            with primitives.entered(outer):
                starts.append(constant(0, dense_shape.dtype, shape=size_of_shape))
        else:
            whole = array_shape.shape_internal(
                op.inputs[0], optimize=False, out_type=dense_shape.dtype
            )
            starts.append(array_fill.zeros_like(whole, optimize=False))
    return starts


def _sizes(value: Tensor) -> Any:
    """The shape of a tensor, or of the variable behind a handle."""
    if value.dtype is not dtypes.resource:
        return array_shape.shape_internal(value, optimize=False)
    while value.op.inputs:
        value = value.op.inputs[0]
    return value.op.attrs["shape"]
