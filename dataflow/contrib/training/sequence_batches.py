"""Batches of segments of sequences, filled by threads: a saver of states with its queue runner."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any

import dataflow.ops.array.shape as shapes
from dataflow.contrib.training.sequence_checks import is_multiple
from dataflow.contrib.training.sequence_saver import (
    NextQueuedSequenceBatch,
    SequenceQueueingStateSaver,
)
from dataflow.control_flow.assertion import Assert
from dataflow.errors import CancelledError, OutOfRangeError
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.graph.sparse_tensor import SparseTensor, SparseTensorValue
from dataflow.graph.tensor import Tensor
from dataflow.library.summaries.values import scalar
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.concat import concat, stack
from dataflow.ops.array.fill import fill
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.math.compare import equal
from dataflow.ops.math.division import floordiv, floormod
from dataflow.ops.random.stateful import random_uniform
from dataflow.ops.reductions.reduce import reduce_max
from dataflow.ops.sparse.reshape import sparse_reshape
from dataflow.ops.sparse.serialized import (
    add_many_sparse_to_tensors_map,
    take_many_sparse_from_tensors_map,
)
from dataflow.ops.text.joining import string_join
from dataflow.ops.text.numbers import as_string
from dataflow.training.coordination.queue_runner import QueueRunner, add_queue_runner
from dataflow.values import dtypes

_SPARSE = (SparseTensor, SparseTensorValue)
_OF_CONTEXT = "_context_in_seq_"
"""Begins the names of sparse tensors of the context while they go as sequences."""


def batch_sequences_with_states(
    input_key: Any,
    input_sequences: dict[str, Any],
    input_context: dict[str, Any],
    input_length: Any,
    initial_states: dict[str, Any],
    num_unroll: int,
    batch_size: Any,
    num_threads: int = 3,
    capacity: int | None = 1000,
    allow_small_batch: bool = True,
    pad: bool = True,
    make_keys_unique: bool = False,
    make_keys_unique_seed: int | None = None,
    name: str | None = None,
) -> NextQueuedSequenceBatch:
    """Batches of segments of sequences, which go on in the states that were saved.

    Args:
      input_key: The key of an example, a text that no other has.
      input_sequences: Name -> tensor or SparseTensor of shape [steps, ...].
      input_context: Name -> tensor or SparseTensor, what the example has once.
      input_length: How many steps count, an int32 scalar; all of them if None.
      initial_states: Name -> the state in which an example begins.
      num_unroll: Steps of a segment.
      batch_size: Examples of a batch.
      num_threads: Threads that take examples in.
      capacity: Most examples that are under way.
      allow_small_batch: Whether batches may be smaller once the input is over.
      pad: Whether sequences are filled up to a multiple of `num_unroll`; they must be one if not.
      make_keys_unique: Whether a random number is put behind the key.
      make_keys_unique_seed: A seed for it.
      name: Name of the scope.

    Raises:
      TypeError, ValueError: See `SequenceQueueingStateSaver`.
    """
    values = [*input_sequences.values(), *input_context.values(), *initial_states.values()]
    with name_scope(name, "batch_sequences_with_states", values):
        if pad:
            length, sequences = _padded(input_sequences, num_unroll)
            input_length = length if input_length is None else input_length
        else:
            sequences = {
                key: _checked(key, value, num_unroll) for key, value in input_sequences.items()
            }
        context = dict(input_context)
        _move_into(sequences, context, num_unroll)
        sparse = sorted(key for key, value in sequences.items() if isinstance(value, _SPARSE))
        maps = {key: add_many_sparse_to_tensors_map(sequences[key]) for key in sparse}
        if make_keys_unique:
            number = random_uniform(
                (), minval=0, maxval=100000000, dtype=dtypes.int32, seed=make_keys_unique_seed
            )
            input_key = string_join([input_key, as_string(number)])
        saver = SequenceQueueingStateSaver(
            batch_size,
            num_unroll,
            input_length=input_length,
            input_key=input_key,
            input_sequences={**sequences, **maps},
            input_context=context,
            initial_states=initial_states,
            capacity=capacity,
            allow_small_batch=allow_small_batch,
        )
        barrier = saver.barrier
        scalar(
            f"queue/{barrier.name}/ready_segment_batches_",
            cast(barrier.ready_size(), dtypes.float32),
        )
        add_queue_runner(
            QueueRunner(
                saver,
                [saver.prefetch_op] * num_threads,
                queue_closed_exception_types=(OutOfRangeError, CancelledError),
            )
        )
        batch = saver.next_batch
        for key in sparse:
            batch.sequences[key] = _restored(
                maps[key].op, batch.sequences[key], batch_size, num_unroll
            )
        _move_back(batch)
        return batch


def _checked(key: str, value: Any, num_unroll: int) -> Any:
    if isinstance(value, _SPARSE):
        size = value.dense_shape[0]
        subject = f"SparseTensor {key} first dimension"
        parts = (value.indices, value.values, value.dense_shape)
        with control_dependencies([is_multiple(size, num_unroll, subject)]):
            return SparseTensor(*(identity(part, name="multiple_of_checked") for part in parts))
    try:
        value = convert_to_tensor(value)
    except TypeError as error:
        raise TypeError(
            "Unsupported input_sequences expected Tensor or SparseTensor values, got: "
            f"{type(value)} for key {key}"
        ) from error
    size = shapes.shape(value)[0]
    with control_dependencies([is_multiple(size, num_unroll, f"Tensor {key} first dimension")]):
        return identity(value, name="multiple_of_checked")


def _padded(sequences: Any, num_unroll: Any) -> tuple[Any, dict[str, Any]]:
    """The length of the sequences, and these filled up to a multiple."""
    if not isinstance(num_unroll, Integral):
        raise ValueError(f"Unsupported num_unroll expected int, got: {num_unroll}")
    if not isinstance(sequences, Mapping):
        raise TypeError(f"Unsupported sequences expected dict, got: {sequences}")
    for key in sequences:
        if not isinstance(key, str):
            raise TypeError(f"Unsupported sequences key expected string, got: {key}")
    if not sequences:
        return 0, {}
    found: dict[str, Any] = {
        key: value if isinstance(value, _SPARSE) else convert_to_tensor(value)
        for key, value in sorted(sequences.items())
    }
    lengths = [shapes.shape(each)[0] for each in found.values() if isinstance(each, Tensor)]
    if lengths:
        text = string_join(
            ["All sequence lengths must match, but received lengths: ", as_string(lengths)]
        )
        checks = [Assert(equal(each, lengths[0]), [text]) for each in lengths]
        length: Any = with_dependencies(checks, lengths[0])
    else:
        sizes = [each.dense_shape[0] for each in found.values()]
        length = reduce_max(cast(sizes, dtypes.int32))
    unroll: Any = constant(num_unroll)
    padded = length + floormod(unroll - floormod(length, unroll), unroll)
    return length, {key: _filled(value, padded) for key, value in found.items()}


def _filled(value: Any, size: Any) -> Any:
    if not isinstance(value, Tensor):
        shape = concat([[cast(size, dtypes.int64)], value.dense_shape[1:]], 0)
        return SparseTensor(value.indices, value.values, shape)
    missing = [size - shapes.shape(value)[0]]
    nothing = constant("" if value.dtype == dtypes.string else 0, dtype=value.dtype)
    return concat([value, fill(concat((missing, shapes.shape(value)[1:]), 0), nothing)], 0)


def _move_into(sequences: dict[str, Any], context: dict[str, Any], num_unroll: int) -> None:
    """Makes sequences of sparse tensors of the context, which stand in the first steps."""
    steps: Any = constant(1)
    if sequences:
        first = next(iter(sequences.values()))
        steps = first.dense_shape[0] if isinstance(first, _SPARSE) else shapes.shape(first)[0]
    steps = cast(steps, dtypes.int64)
    for key in sorted(key for key, value in context.items() if isinstance(value, _SPARSE)):
        sequences[_OF_CONTEXT + key] = _repeated(context.pop(key), steps, num_unroll)


def _repeated(tensor: Any, steps: Any, num_unroll: int) -> SparseTensor:
    count = cast(floordiv(steps, num_unroll), dtypes.int32)
    indices = convert_to_tensor(tensor.indices)
    rows, width = shapes.shape(indices)[0], shapes.shape(indices)[1]
    starts = range_of(start=0, limit=steps, delta=num_unroll)
    starts = tile(shapes.expand_dims(shapes.expand_dims(starts, 1), 2), [1, rows, 1])
    copies = tile(shapes.expand_dims(indices, 0), stack([count, 1, 1]))
    return SparseTensor(
        shapes.reshape(concat([starts, copies], 2), [rows * count, width + 1]),
        tile(tensor.values, shapes.expand_dims(count, 0)),
        concat([shapes.expand_dims(steps, 0), tensor.dense_shape], 0),
    )


def _move_back(batch: NextQueuedSequenceBatch) -> None:
    sequences = batch.sequences
    for key in sorted(key for key in sequences if key.startswith(_OF_CONTEXT)):
        tensor = sequences.pop(key)
        size, inner = tensor.dense_shape[:1], tensor.dense_shape[2:]
        # Only the first step of a segment has elements.
        first = SparseTensor(tensor.indices, tensor.values, concat([size, [1], inner], 0))
        batch.context[key.removeprefix(_OF_CONTEXT)] = sparse_reshape(
            first, concat([size, inner], 0)
        )


def _restored(map_op: Any, handles: Tensor, batch_size: Any, num_unroll: int) -> SparseTensor:
    """The sparse tensors of a batch, of shape [batch, num_unroll, ...], by their numbers."""
    rows = take_many_sparse_from_tensors_map(map_op, shapes.reshape(handles, [-1]))
    row: Any = rows.indices[:, 0]
    steps = constant(num_unroll, dtypes.int64)
    places = stack([floordiv(row, steps), floormod(row, steps)], axis=1)
    sizes = [cast(batch_size, dtypes.int64), steps]
    return SparseTensor(
        concat([places, rows.indices[:, 1:]], 1),
        rows.values,
        concat([sizes, rows.dense_shape[1:]], 0),
    )
