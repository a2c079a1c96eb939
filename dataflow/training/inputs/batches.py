"""Batches in the order in which elements come."""

from __future__ import annotations

from typing import Any

from dataflow.graph.scopes import name_scope
from dataflow.library.queues.fifo_queue import FIFOQueue
from dataflow.library.queues.padding_fifo_queue import PaddingFIFOQueue
from dataflow.training.inputs.components import as_given
from dataflow.training.inputs.filling import fill, summarize, take
from dataflow.training.inputs.prepared import given_lists, prepared
from dataflow.training.inputs.sparse_components import restore


def batch(
    tensors: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of tensors, in the order in which they come, out of a queue that a runner fills.

    Args:
      tensors: A list or dictionary of tensors.
      batch_size: Elements of a batch.
      num_threads: Threads that fill the queue.
      capacity: Most elements that the queue holds.
      enqueue_many: Whether the tensors hold many elements, along their first dimension.
      shapes: Shapes of the elements, where the tensors do not tell them.
      dynamic_pad: Elements may differ in sizes: they are filled up with zeros or empty strings.
      allow_smaller_final_batch: What is left when the queue is closed is a batch, too.
      shared_name: Shares the queue among nodes and sessions under this name.
      name: Name of the operations.

    Returns:
      The batch in the structure of the tensors; a lone tensor where there is one of a list.

    Raises:
      ValueError: Ranks are not known, or shapes contradict each other; when run, OutOfRangeError:
        the queue is closed and holds too few elements.
    """
    return _in_order(
        given=tensors,
        batch_size=batch_size,
        keep_input=True,
        num_threads=num_threads,
        capacity=capacity,
        dynamic_pad=dynamic_pad,
        enqueue_many=enqueue_many,
        shapes=shapes,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
    )


def maybe_batch(
    tensors: Any,
    keep_input: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`batch` of those tensors that are to be kept.

    Args:
      tensors: See `batch`.
      keep_input: A bool: whether the tensors are put in; with `enqueue_many` perhaps a vector.
      batch_size: See `batch`.
      num_threads: See `batch`.
      capacity: See `batch`.
      enqueue_many: See `batch`.
      shapes: See `batch`.
      dynamic_pad: See `batch`.
      allow_smaller_final_batch: See `batch`.
      shared_name: See `batch`.
      name: See `batch`.

    Returns:
      The batch in the structure of the tensors; a lone tensor where there is one of a list.

    Raises:
      ValueError: Ranks are not known, or shapes contradict each other; when run, OutOfRangeError:
        the queue is closed and holds too few elements.
    """
    return _in_order(
        given=tensors,
        batch_size=batch_size,
        keep_input=keep_input,
        num_threads=num_threads,
        capacity=capacity,
        dynamic_pad=dynamic_pad,
        enqueue_many=enqueue_many,
        shapes=shapes,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
    )


def batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`batch` of what several lists of tensors give, each on a thread of its own.

    Args:
      tensors_list: Lists or dictionaries of tensors of the same types, each with its thread.
      batch_size: Elements of a batch.
      capacity: Most elements that the queue holds.
      enqueue_many: Whether the tensors hold many elements, along their first dimension.
      shapes: Shapes of the elements, where the tensors do not tell them.
      dynamic_pad: Elements may differ in sizes: they are filled up with zeros or empty strings.
      allow_smaller_final_batch: What is left when the queue is closed is a batch, too.
      shared_name: Shares the queue among nodes and sessions under this name.
      name: Name of the operations.

    Returns:
      The batch in the structure of the tensors; a lone tensor where there is one of a list.

    Raises:
      ValueError: Ranks are not known, or shapes contradict each other; when run, OutOfRangeError:
        the queue is closed and holds too few elements.
    """
    return _in_order(
        given=tensors_list,
        batch_size=batch_size,
        keep_input=True,
        num_threads=None,
        capacity=capacity,
        dynamic_pad=dynamic_pad,
        enqueue_many=enqueue_many,
        shapes=shapes,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
    )


def maybe_batch_join(
    tensors_list: Any,
    keep_input: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`batch_join` of those tensors that are to be kept.

    Args:
      tensors_list: See `batch_join`.
      keep_input: A bool: whether the tensors are put in; with `enqueue_many` perhaps a vector.
      batch_size: See `batch_join`.
      capacity: See `batch_join`.
      enqueue_many: See `batch_join`.
      shapes: See `batch_join`.
      dynamic_pad: See `batch_join`.
      allow_smaller_final_batch: See `batch_join`.
      shared_name: See `batch_join`.
      name: See `batch_join`.

    Returns:
      The batch in the structure of the tensors; a lone tensor where there is one of a list.

    Raises:
      ValueError: Ranks are not known, or shapes contradict each other; when run, OutOfRangeError:
        the queue is closed and holds too few elements.
    """
    return _in_order(
        given=tensors_list,
        batch_size=batch_size,
        keep_input=keep_input,
        num_threads=None,
        capacity=capacity,
        dynamic_pad=dynamic_pad,
        enqueue_many=enqueue_many,
        shapes=shapes,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
    )


def _in_order(
    given: Any,
    batch_size: Any,
    keep_input: Any,
    num_threads: int | None,
    capacity: int,
    dynamic_pad: bool,
    enqueue_many: bool,
    shapes: Any,
    allow_smaller_final_batch: bool,
    shared_name: str | None,
    name: str | None,
) -> Any:
    """`batch`, or `batch_join` if `num_threads` is None."""
    is_joined = num_threads is None
    lists = given_lists(given, is_joined)
    values = [*(tensor for tensors in lists for tensor in tensors), keep_input]
    with name_scope(name, "batch_join" if is_joined else "batch", values) as scope:
        ready = prepared(lists, is_joined, keep_input, enqueue_many, shapes)
        kind = PaddingFIFOQueue if dynamic_pad else FIFOQueue
        queue = kind(
            capacity=capacity, dtypes=ready.types, shapes=ready.shapes, shared_name=shared_name
        )
        fill(queue, ready.lists, num_threads, enqueue_many, ready.keep_input)
        summarize(queue, capacity)
        made = restore(take(queue, batch_size, allow_smaller_final_batch, scope), ready.stored)
        return as_given(given[0] if is_joined else given, made)
