"""Loops over the steps of sequences, and connectionist temporal classification."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.keras import ops
from dataflow.keras.backend.settings import epsilon
from dataflow.values import dtypes, nest
from dataflow.values.shapes import TensorShape


def _swapped(tensor: Any) -> Any:
    rank = tensor.shape.rank
    return ops.transpose(tensor, [1, 0, *range(2, rank)])


def _chosen(mask: Any, then: Any, other: Any) -> Any:
    """Rows of one of two tensors, by a mask of (batch, 1) or (batch,)."""
    mask = ops.reshape(mask, [-1, *[1] * (then.shape.rank - 1)])
    return ops.where(ops.logical_and(mask, ops.ones_like(then, dtype=dtypes.bool)), then, other)


def rnn(
    step_function: Callable[..., Any],
    inputs: Any,
    initial_states: Any,
    go_backwards: bool = False,
    mask: Any = None,
    constants: Any = None,
    unroll: bool = False,
    input_length: Any = None,
    time_major: bool = False,
    zero_output_for_mask: bool = False,
) -> Any:
    """A function of each step's input and the states before it.

    Args:
      step_function: `f(input, states)` gives the output of a step and the states after it.
      inputs: A tensor (batch, steps, ...), or a structure of such.
      initial_states: The states before the first step.
      go_backwards: Whether the last step comes first.
      mask: Truth values (batch, steps): where one is false the step changes nothing, and has the
        output of the step before it.
      constants: Tensors that the function gets behind the states.
      unroll: Whether there are operations for each step instead of a loop.
      input_length: The number of steps; not used.
      time_major: Whether the steps come before the batch.
      zero_output_for_mask: Whether the output of steps that are left out is zero.

    Returns:
      The output of the last step, those of all steps, and the states behind it.
    """
    if not time_major:
        inputs = nest.map_structure(_swapped, inputs)
    flat = nest.flatten(inputs)
    known = flat[0].shape.as_list()[0]
    if mask is not None:
        mask = ops.cast(mask, dtypes.bool)
        if mask.shape.rank == 2:
            mask = ops.expand_dims(mask, -1)
        if not time_major:
            mask = _swapped(mask)
    if unroll and not known:
        raise ValueError("Unrolling requires a fixed number of timesteps.")
    if go_backwards:
        flat = [ops.reverse(each, [0]) for each in flat]
        mask = None if mask is None else ops.reverse(mask, [0])
    constants = tuple(constants or ())

    def step(given: list[Any], states: Any, kept: Any, output_before: Any) -> Any:
        """The output and the states of a step; without `kept`, those of the step before."""
        output, new = step_function(nest.pack_sequence_as(inputs, given), tuple(states) + constants)
        new = nest.flatten(new)
        if kept is None:
            return output, new
        before = nest.flatten(states)
        for one, other in zip(new, before, strict=True):
            if hasattr(one, "set_shape"):
                one.set_shape(other.shape)
        if zero_output_for_mask or output_before is None:
            output_before = nest.map_structure(ops.zeros_like, output)
        output = nest.map_structure(
            lambda one, other: _chosen(kept, one, other), output, output_before
        )
        return output, [
            _chosen(kept, one, other) if one.shape.rank else one
            for one, other in zip(new, before, strict=True)
        ]

    if unroll:
        return _unrolled(step, flat, initial_states, mask, known, time_major)
    return _looped(
        step, flat, initial_states, mask, known, time_major, step_function, inputs, constants
    )


def _unrolled(
    step: Any, flat: list[Any], states: Any, mask: Any, steps: int, time_major: bool
) -> Any:
    outputs: list[Any] = []
    for time in range(steps):
        output, new = step(
            [each[time] for each in flat],
            states,
            None if mask is None else mask[time],
            outputs[-1] if outputs else None,
        )
        outputs.append(output)
        states = nest.pack_sequence_as(states, new)
    stacked = nest.map_structure(lambda *each: ops.stack(each), *outputs)
    if not time_major:
        stacked = nest.map_structure(_swapped, stacked)
    return outputs[-1], stacked, states


def _looped(
    step: Any,
    flat: list[Any],
    states: Any,
    mask: Any,
    known: Any,
    time_major: bool,
    step_function: Any,
    inputs: Any,
    constants: Any,
) -> Any:
    steps = ops.shape(flat[0])[0]
    sources = [
        ops.TensorArray(each.dtype, size=steps, tensor_array_name=f"input_ta_{index}").unstack(each)
        for index, each in enumerate(flat)
    ]
    masks = None
    if mask is not None:
        masks = ops.TensorArray(dtypes.bool, size=steps, tensor_array_name="mask_ta").unstack(mask)
    # Tells structure, types and shapes of the outputs; nothing runs it.
    example, _ = step_function(
        nest.pack_sequence_as(inputs, [each[0] for each in flat]), tuple(states) + constants
    )
    kinds = nest.flatten(example)
    targets = tuple(
        ops.TensorArray(each.dtype, size=steps, tensor_array_name=f"output_ta_{index}")
        for index, each in enumerate(kinds)
    )
    first = nest.flatten(states)
    before = tuple(ops.zeros_like(each) for each in kinds) if masks is not None else ()

    def body(time: Any, targets: Any, before: Any, flat_states: Any) -> Any:
        given = []
        for source, each in zip(sources, flat, strict=True):
            value = source.read(time)
            value.set_shape(each.shape[1:])
            given.append(value)
        output, new = step(
            given,
            nest.pack_sequence_as(states, list(flat_states)),
            None if masks is None else masks.read(time),
            nest.pack_sequence_as(example, list(before)) if before else None,
        )
        for one, other in zip(new, first, strict=True):
            if hasattr(one, "set_shape"):
                one.set_shape(other.shape)
        values = nest.flatten(output)
        targets = tuple(
            target.write(time, value) for target, value in zip(targets, values, strict=True)
        )
        return time + 1, targets, tuple(values) if before else (), tuple(new)

    _, targets, _, last_states = ops.while_loop(
        lambda time, *_: time < steps,
        body,
        (ops.constant(0, dtypes.int32, name="time"), targets, before, tuple(first)),
        maximum_iterations=known,
        parallel_iterations=32,
    )
    outputs, lasts = [], []
    for target, kind in zip(targets, kinds, strict=True):
        lasts.append(target.read(steps - 1))
        lasts[-1].set_shape(kind.shape)
        stacked = target.stack()
        stacked.set_shape(TensorShape([known]).concatenate(kind.shape))
        outputs.append(stacked if time_major else _swapped(stacked))
    return (
        nest.pack_sequence_as(example, lasts),
        nest.pack_sequence_as(example, outputs),
        nest.pack_sequence_as(states, list(last_states)),
    )


def ctc_label_dense_to_sparse(labels: Any, label_lengths: Any) -> Any:
    """Rows of labels, as far as they go, as a sparse tensor."""
    columns = ops.shape(labels)[1]
    kept = ops.sequence_mask(ops.cast(label_lengths, dtypes.int32), columns)
    places = ops.where(kept)
    return ops.SparseTensor(
        places, ops.gather_nd(labels, places), ops.cast(ops.shape(labels), dtypes.int64)
    )


def ctc_batch_cost(y_true: Any, y_pred: Any, input_length: Any, label_length: Any) -> Any:
    """The loss of each sequence, from probabilities of (batch, steps, classes): (batch, 1)."""
    lengths = ops.cast(ops.squeeze(label_length, axis=-1), dtypes.int32)
    steps = ops.cast(ops.squeeze(input_length, axis=-1), dtypes.int32)
    labels = ops.cast(ctc_label_dense_to_sparse(y_true, lengths), dtypes.int32)
    logits = ops.log(ops.transpose(y_pred, [1, 0, 2]) + epsilon())
    return ops.expand_dims(ops.ctc_loss(inputs=logits, labels=labels, sequence_length=steps), 1)


def ctc_decode(
    y_pred: Any, input_length: Any, greedy: bool = True, beam_width: int = 100, top_paths: int = 1
) -> Any:
    """The likeliest labels, filled up with -1, and their log probabilities."""
    logits = ops.log(ops.transpose(y_pred, [1, 0, 2]) + epsilon())
    lengths = ops.cast(input_length, dtypes.int32)
    if greedy:
        decoded, scores = ops.ctc_greedy_decoder(inputs=logits, sequence_length=lengths)
    else:
        decoded, scores = ops.ctc_beam_search_decoder(
            inputs=logits, sequence_length=lengths, beam_width=beam_width, top_paths=top_paths
        )
    dense = [ops.sparse_tensor_to_dense(each, default_value=-1) for each in decoded]
    return dense, scores
