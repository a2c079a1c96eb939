"""Recurrent: a function that is called for each time, with gradients by another one if wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
from dataflow.control_flow.tensor_array import TensorArray
from dataflow.control_flow.while_loop import while_loop
from dataflow.differentiation.custom_gradient import custom_gradient
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.fill import zeros, zeros_like
from dataflow.ops.array.gather import gather
from dataflow.values import nest

CellFn = Callable[[Any, Any, Any], tuple[Any, Any]]


def Recurrent(
    theta: Any,
    state0: Any,
    inputs: Any,
    cell_fn: CellFn,
    cell_grad: Callable[..., tuple[Any, Any, Any]] | None = None,
    extras: Any = None,
    max_input_length: Any = None,
    use_tpu: bool = False,
    aligned_end: bool = False,
) -> tuple[Any, Any]:
    """The states after each time, and the last one.

    Args:
      theta: A structure of weights.
      state0: A structure: the state before.
      inputs: A structure, times along the first axes.
      cell_fn: `f(theta, state, inputs of a time)` gives the state after it, and what `cell_grad`
        needs beside it.
      cell_grad: `f(theta, state, inputs, extras, gradient of the state after)` gives the gradients
        of the first three; those of TensorFlow's operations if None.
      extras: A structure like what is needed beside; what it has makes no difference.
      max_input_length: How many times count, all if None; states of the others are zero.
      use_tpu: Makes no difference.
      aligned_end: Whether it is the last times that count.

    Returns:
      States of all times, along the first axes, and the state after the last one that counts.
    """
    inputs = nest.map_structure(convert_to_tensor, inputs)
    state0 = nest.map_structure(convert_to_tensor, state0)
    length = array_shape.shape(nest.flatten(inputs)[0])[0]
    if extras is not None:
        first = nest.map_structure(lambda each: gather(each, 0), inputs)
        nest.assert_same_structure(extras, cell_fn(theta, state0, first)[1])
    count = length if max_input_length is None else convert_to_tensor(max_input_length)
    start: Any = length - count if aligned_end else zeros_like(count)
    cell = _with_gradients(theta, state0, inputs, cell_fn, cell_grad)
    reads = nest.map_structure(
        lambda each: TensorArray(each.dtype, size=length, element_shape=each.shape[1:]).unstack(
            each
        ),
        inputs,
    )

    def step(number: Any, state: Any, written: Any) -> tuple[Any, Any, Any]:
        now = nest.map_structure(lambda each: each.read(start + number), reads)
        after = cell(state, now)
        nest.assert_same_structure(state0, after)
        flat = nest.flatten(after)
        for each, before in zip(flat, nest.flatten(state0), strict=True):
            each.set_shape(before.shape)
        written = [into.write(number, each) for into, each in zip(written, flat, strict=True)]
        return number + 1, nest.pack_sequence_as(state0, flat), written

    arrays = [
        TensorArray(each.dtype, size=count, element_shape=each.shape)
        for each in nest.flatten(state0)
    ]
    _, last, written = while_loop(
        lambda number, *_: number < count, step, (zeros_like(count), state0, arrays)
    )
    every = [
        _whole(into.stack(), like, length - count, aligned_end, nest.flatten(inputs)[0])
        for into, like in zip(written, nest.flatten(state0), strict=True)
    ]
    return nest.pack_sequence_as(state0, every), last


def _whole(states: Any, like: Any, missing: Any, aligned_end: bool, inputs: Any) -> Any:
    """States of all times: zeros where a time does not count."""
    shape = array_concat.concat([array_shape.reshape(missing, [1]), array_shape.shape(like)], 0)
    none = zeros(shape, like.dtype)
    whole = array_concat.concat([none, states] if aligned_end else [states, none], axis=0)
    whole.set_shape(inputs.shape[:1].concatenate(like.shape))
    return whole


def _with_gradients(
    theta: Any,
    state0: Any,
    inputs: Any,
    cell_fn: CellFn,
    cell_grad: Callable[..., tuple[Any, Any, Any]] | None,
) -> Callable[[Any, Any], Any]:
    """The state after a time, of that before and of the inputs."""
    if cell_grad is None:
        return lambda state, now: cell_fn(theta, state, now)[0]
    like = (theta, state0, inputs)

    @custom_gradient
    def called(*flat: Tensor) -> tuple[Any, Callable[..., Any]]:
        weights, state, now = nest.pack_sequence_as(like, flat)
        after, extras = cell_fn(weights, state, now)

        def backward(*slopes: Tensor) -> list[Any]:
            slope = nest.pack_sequence_as(state0, slopes)
            found = nest.flatten(cell_grad(weights, state, now, extras, slope))
            return [
                zeros_like(value) if each is None else each
                for each, value in zip(found, flat, strict=True)
            ]

        return nest.flatten(after), backward

    def cell(state: Any, now: Any) -> Any:
        found = called(*map(convert_to_tensor, nest.flatten((theta, state, now))))
        flat = found if isinstance(found, list | tuple) else [found]
        return nest.pack_sequence_as(state0, list(flat))

    return cell
