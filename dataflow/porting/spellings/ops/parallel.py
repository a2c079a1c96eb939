"""tensorflow.python.ops.parallel_for: what is done for each of some numbers, in a loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.differentiation.gradients import gradients
from dataflow.graph.tensor import Tensor
from dataflow.library.map_fn import map_fn, vectorized_map
from dataflow.ops.array.concat import concat
from dataflow.ops.array.gather import gather
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.range import range as range_of
from dataflow.values import nest

__all__ = ["batch_jacobian", "for_loop", "jacobian", "pfor"]


def for_loop(
    loop_fn: Callable[[Any], Any],
    loop_fn_dtypes: Any,
    iters: Any,
    parallel_iterations: int | None = None,
) -> Any:
    """The stacked results of a function of the numbers from 0 on; None stays None.

    Args:
      loop_fn: The function.
      loop_fn_dtypes: The types of its results, in their structure.
      iters: How many numbers there are.
      parallel_iterations: How many calls may be under way at once.
    """
    return map_fn(loop_fn, range_of(iters), loop_fn_dtypes, parallel_iterations=parallel_iterations)


def pfor(loop_fn: Callable[[Any], Any], iters: Any, parallel_iterations: int | None = None) -> Any:
    """As `for_loop`, whose types it finds by itself."""
    return vectorized_map(loop_fn, range_of(iters))


def jacobian(
    output: Any, inputs: Any, use_pfor: bool = True, parallel_iterations: int | None = None
) -> Any:
    """The derivative of each element of a tensor by each of others.

    Returns:
      A nest like `inputs` of tensors of shape `output.shape + input.shape`, or None.
    """
    by = nest.flatten(inputs)
    flat = array_shape.reshape(output, [-1])
    rows = _gradients(flat, 0, by, parallel_iterations)
    found = []
    for each, row in zip(by, rows, strict=True):
        if row is not None:
            shape: Any = array_shape.shape(row)
            row = array_shape.reshape(row, concat([array_shape.shape(output), shape[1:]], 0))
            row.set_shape(output.shape.concatenate(each.shape))
        found.append(row)
    return nest.pack_sequence_as(inputs, found)


def batch_jacobian(
    output: Any, inp: Any, use_pfor: bool = True, parallel_iterations: int | None = None
) -> Any:
    """The derivative of each row of a tensor by the row of another that it is made of.

    Returns:
      A tensor of shape `[batch, output.shape[1:], inp.shape[1:]]`, or None.

    Raises:
      ValueError: The batches differ.
    """
    if not output.shape[0].is_compatible_with(inp.shape[0]):
        raise ValueError(
            f"Need first dimension of output shape ({output.shape}) and inp shape ({inp.shape}) to "
            "match."
        )
    shape: Any = array_shape.shape(output)
    columns = array_shape.reshape(output, concat([shape[:1], [-1]], 0))
    (found,) = _gradients(columns, 1, [inp], parallel_iterations)
    if found is None:
        return None
    axes = concat([[1, 0], range_of(2, array_shape.rank(found))], 0)
    of_input: Any = array_shape.shape(inp)
    whole = array_shape.reshape(transpose(found, axes), concat([shape, of_input[1:]], 0))
    whole.set_shape(output.shape.concatenate(inp.shape[1:]))
    return whole


def _gradients(
    output: Any, axis: int, by: list[Any], parallel_iterations: int | None
) -> list[Tensor | None]:
    """The gradients of each part of a tensor along an axis, stacked; None where there is none."""
    known = gradients(output, by)
    there = [each for each, grad in zip(by, known, strict=True) if grad is not None]
    if not there:
        return [None] * len(by)
    count: Any = array_shape.shape(output)[axis]
    stacked = for_loop(
        lambda i: gradients(gather(output, i, axis=axis), there),
        [each.dtype.base_dtype for each in there],
        count,
        parallel_iterations,
    )
    rows = iter(stacked)
    return [None if grad is None else next(rows) for grad in known]
