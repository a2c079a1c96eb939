"""Batches of elements that are alike: each bucket has a queue of its own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from dataflow.control_flow.cond import cond
from dataflow.control_flow.smart_cond import smart_cond
from dataflow.errors import CancelledError, OutOfRangeError
from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.indexed_slices import convert_n_to_tensor_or_indexed_slices
from dataflow.graph.scopes import name_scope
from dataflow.library.queues.fifo_queue import FIFOQueue
from dataflow.library.queues.padding_fifo_queue import PaddingFIFOQueue
from dataflow.library.queues.queue_base import QueueBase
from dataflow.library.summaries.values import scalar
from dataflow.ops.array.select import where
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import no_op
from dataflow.ops.math.compare import equal, less, less_equal, logical_and
from dataflow.ops.reductions.reduce import reduce_min
from dataflow.training.coordination.queue_runner import QueueRunner, add_queue_runner
from dataflow.training.inputs.components import (
    as_given,
    as_list,
    checked_keep_input,
    common_shapes,
    common_types,
)
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_CLOSED = (OutOfRangeError, CancelledError)


def bucket(
    tensors: Any,
    which_bucket: Any,
    batch_size: Any,
    num_buckets: int,
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Sequence[int] | None = None,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: Any = True,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of elements of one bucket each.

    Args:
      tensors: A list or dictionary of tensors, the components of an element.
      which_bucket: The number of its bucket, an int32 scalar.
      batch_size: Elements of a batch; a list of them for each bucket.
      num_buckets: How many buckets there are.
      num_threads: Threads that fill the buckets.
      capacity: Most batches that wait, and most elements that wait in a bucket.
      bucket_capacities: Most elements that wait in each bucket.
      shapes: Shapes of the components, where the tensors do not tell them.
      dynamic_pad: Elements may differ in sizes: they are filled up to the largest of a batch.
      allow_smaller_final_batch: What is left when the input is over is a batch, too.
      keep_input: A bool scalar: whether the element is put into its bucket.
      shared_name: Shares the queues among nodes and sessions under names that begin so.
      name: Name of the operations.

    Returns:
      The number of the bucket, and the batch in the structure of `tensors`.

    Raises:
      ValueError: Lists do not fit `num_buckets`, or shapes are not known far enough.
    """
    if isinstance(batch_size, (list, tuple)):
        sizes = list(batch_size)
        if len(sizes) != num_buckets:
            raise ValueError("If batch_size is a list it must have num_buckets elements")
    else:
        sizes = [batch_size] * num_buckets
    capacities = [capacity] * num_buckets if bucket_capacities is None else bucket_capacities
    if len(capacities) != num_buckets:
        raise ValueError(
            f"The list bucket_capacities ({capacities}) must have exactly num_buckets "
            f"({num_buckets}) elements."
        )
    listed = as_list(tensors)
    with name_scope(name, "bucket", list(listed)):
        components = convert_n_to_tensor_or_indexed_slices(listed)
        if not components:
            raise ValueError("Expected at least one tensor in bucket().")
        keep = checked_keep_input(keep_input, enqueue_many=False)
        sizes = [_known(size) for size in sizes]
        types = common_types([components])
        found = common_shapes([components], shapes, enqueue_many=False)
        which = convert_to_tensor(which_bucket, dtype=dtypes.int32, name="which_bucket")
        kind = PaddingFIFOQueue if dynamic_pad else FIFOQueue
        queues: list[QueueBase] = [
            kind(
                capacity=capacities[place],
                dtypes=types,
                shapes=found,
                shared_name=None if shared_name is None else f"{shared_name}_{place}",
                name=f"bucket_queue_{place}",
            )
            for place in range(num_buckets)
        ]
        fixed = sizes[0] if all(_equal(size, sizes[0]) for size in sizes) else None
        rows = None if allow_smaller_final_batch or not isinstance(fixed, int) else fixed
        batch = TensorShape([rows])
        top = PaddingFIFOQueue(
            capacity=capacity,
            dtypes=[dtypes.int32, *types],
            shapes=[TensorShape([]), *(batch.concatenate(s) for s in queues[0].shapes)],
            shared_name=shared_name,
            name="top_queue",
        )

        def enqueue_which() -> Any:
            enqueues = [
                cond(equal(which, place), partial(queue.enqueue, components), no_op)
                for place, queue in enumerate(queues)
            ]
            return group(*enqueues, name="group_enqueues")

        enqueue = smart_cond(keep, enqueue_which, no_op)
        moves = [
            _move(top, queue, place, size, allow_smaller_final_batch)
            for place, (queue, size) in enumerate(zip(queues, sizes, strict=True))
        ]
        add_queue_runner(
            QueueRunner(
                queues[0],
                moves,
                close_op=top.close(),
                cancel_op=top.close(cancel_pending_enqueues=True),
                queue_closed_exception_types=_CLOSED,
            )
        )
        add_queue_runner(
            QueueRunner(
                top,
                [enqueue] * num_threads,
                close_op=group(*[queue.close() for queue in queues]),
                cancel_op=group(*[queue.close(cancel_pending_enqueues=True) for queue in queues]),
                queue_closed_exception_types=_CLOSED,
            )
        )
        for queue in queues:
            scalar(f"bucket/{queue.name}/size", cast(top.size(), dtypes.float32))
        full = cast(top.size(), dtypes.float32) * (1.0 / capacity)
        scalar(f"bucket/{top.name}/fraction_of_{capacity}_full", full)
        number, *made = top.dequeue(name="dequeue_top")
        return number, as_given(tensors, made[0] if len(made) == 1 else made)


def _known(size: Any) -> Any:
    """A batch size as a number, if it is known while the graph is built."""
    tensor = convert_to_tensor(size, dtype=dtypes.int32, name="batch_size")
    value = constant_value(tensor)
    return tensor if value is None else int(value)


def _equal(first: Any, second: Any) -> bool:
    return isinstance(first, int) and isinstance(second, int) and first == second


def _move(top: QueueBase, queue: QueueBase, place: int, size: Any, up_to: bool) -> Any:
    """Puts a batch of a bucket into the queue of batches."""
    taken = (queue.dequeue_up_to if up_to else queue.dequeue_many)(
        size, name=f"read_bucket_{place}"
    )
    components = taken if isinstance(taken, list) else [taken]
    return top.enqueue([constant(place), *components], name=f"enqueue_from_bucket_{place}")


def bucket_by_sequence_length(
    input_length: Any,
    tensors: Any,
    batch_size: Any,
    bucket_boundaries: Any,
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Sequence[int] | None = None,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: Any = True,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of sequences of similar lengths.

    Args:
      input_length: The length of the sequence, an int32 scalar.
      tensors: See `bucket`.
      batch_size: See `bucket`.
      bucket_boundaries: Rising lengths at which the next bucket begins.
      num_threads: See `bucket`.
      capacity: See `bucket`.
      bucket_capacities: See `bucket`.
      shapes: See `bucket`.
      dynamic_pad: See `bucket`.
      allow_smaller_final_batch: See `bucket`.
      keep_input: See `bucket`.
      shared_name: See `bucket`.
      name: See `bucket`.

    Returns:
      The lengths, and the batch in the structure of `tensors`.

    Raises:
      TypeError: The boundaries are no list of integers.
      ValueError: They do not rise, or see `bucket`.
    """
    listed = as_list(tensors)
    if not isinstance(bucket_boundaries, (list, tuple)):
        raise TypeError(
            f"bucket_boundaries must be a list or tuple, but received: {bucket_boundaries}"
        )
    if not bucket_boundaries:
        raise ValueError("bucket_boundaries must not be empty")
    for low, high in pairwise(bucket_boundaries):
        if not isinstance(low, int) or not isinstance(high, int):
            raise TypeError(f"bucket boundaries must be integers, but saw: {low} and {high}")
        if low >= high:
            raise ValueError(
                f"Buckets must contain sequential increasing lengths, but saw: {low} before {high}"
            )
    with name_scope(name, "bucket_by_sequence_length", [input_length, *listed]):
        length = convert_to_tensor(input_length, dtype=dtypes.int32, name="input_length")
        lows = [int(np.iinfo(np.int32).min), *bucket_boundaries]
        highs = [*bucket_boundaries, int(np.iinfo(np.int32).max)]
        fits = logical_and(less_equal(lows, length), less(length, highs))
        which = cast(reduce_min(where(fits)), dtypes.int32)
        _, made = bucket(
            tensors=[length, *listed],
            which_bucket=which,
            batch_size=batch_size,
            num_buckets=len(bucket_boundaries) + 1,
            num_threads=num_threads,
            capacity=capacity,
            bucket_capacities=bucket_capacities,
            shapes=None if shapes is None else [TensorShape([]), *shapes],
            dynamic_pad=dynamic_pad,
            allow_smaller_final_batch=allow_smaller_final_batch,
            keep_input=keep_input,
            shared_name=shared_name,
        )
        rest = made[1:]
        is_lone = isinstance(tensors, dict) and len(rest) == 1
        return made[0], as_given(tensors, rest[0] if is_lone else rest)
