"""Batches of elements in random order."""

from __future__ import annotations

from typing import Any

from dataflow.graph.scopes import name_scope
from dataflow.library.queues.random_shuffle_queue import RandomShuffleQueue
from dataflow.training.inputs.components import as_given
from dataflow.training.inputs.filling import fill, summarize, take
from dataflow.training.inputs.prepared import given_lists, prepared
from dataflow.training.inputs.sparse_components import restore


def shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of tensors in random order, out of a queue that a queue runner fills.

    Args:
      tensors: A list or dictionary of tensors.
      batch_size: Elements of a batch.
      capacity: Most elements that the queue holds.
      min_after_dequeue: Elements that stay in the queue, to choose from, as long as it is open.
      num_threads: Threads that fill the queue.
      seed: Seed of the order.
      enqueue_many: Whether the tensors hold many elements, along their first dimension.
      shapes: Shapes of the elements, where the tensors do not tell them.
      allow_smaller_final_batch: What is left when the queue is closed is a batch, too.
      shared_name: Shares the queue among nodes and sessions under this name.
      name: Name of the operations.

    Returns:
      The batch in the structure of the tensors; a lone tensor where there is one of a list.

    Raises:
      ValueError: Ranks are not known, or shapes contradict each other; when run, OutOfRangeError:
        the queue is closed and holds too few elements.
    """
    return _shuffled(
        given=tensors,
        batch_size=batch_size,
        keep_input=True,
        num_threads=num_threads,
        capacity=capacity,
        min_after_dequeue=min_after_dequeue,
        seed=seed,
        enqueue_many=enqueue_many,
        shapes=shapes,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
    )


def maybe_shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`shuffle_batch` of those tensors that are to be kept.

    Args:
      tensors: See `shuffle_batch`.
      batch_size: See `shuffle_batch`.
      capacity: See `shuffle_batch`.
      min_after_dequeue: See `shuffle_batch`.
      keep_input: A bool: whether the tensors are put in; with `enqueue_many` perhaps a vector.
      num_threads: See `shuffle_batch`.
      seed: See `shuffle_batch`.
      enqueue_many: See `shuffle_batch`.
      shapes: See `shuffle_batch`.
      allow_smaller_final_batch: See `shuffle_batch`.
      shared_name: See `shuffle_batch`.
      name: See `shuffle_batch`.

    Returns:
      The batch in the structure of the tensors; a lone tensor where there is one of a list.

    Raises:
      ValueError: Ranks are not known, or shapes contradict each other; when run, OutOfRangeError:
        the queue is closed and holds too few elements.
    """
    return _shuffled(
        given=tensors,
        batch_size=batch_size,
        keep_input=keep_input,
        num_threads=num_threads,
        capacity=capacity,
        min_after_dequeue=min_after_dequeue,
        seed=seed,
        enqueue_many=enqueue_many,
        shapes=shapes,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
    )


def shuffle_batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`shuffle_batch` of what several lists of tensors give, each on its thread.

    Args:
      tensors_list: Lists or dictionaries of tensors of the same types, each with its thread.
      batch_size: Elements of a batch.
      capacity: Most elements that the queue holds.
      min_after_dequeue: Elements that stay in the queue, to choose from, as long as it is open.
      seed: Seed of the order.
      enqueue_many: Whether the tensors hold many elements, along their first dimension.
      shapes: Shapes of the elements, where the tensors do not tell them.
      allow_smaller_final_batch: What is left when the queue is closed is a batch, too.
      shared_name: Shares the queue among nodes and sessions under this name.
      name: Name of the operations.

    Returns:
      The batch in the structure of the tensors; a lone tensor where there is one of a list.

    Raises:
      ValueError: Ranks are not known, or shapes contradict each other; when run, OutOfRangeError:
        the queue is closed and holds too few elements.
    """
    return _shuffled(
        given=tensors_list,
        batch_size=batch_size,
        keep_input=True,
        num_threads=None,
        capacity=capacity,
        min_after_dequeue=min_after_dequeue,
        seed=seed,
        enqueue_many=enqueue_many,
        shapes=shapes,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
    )


def maybe_shuffle_batch_join(
    tensors_list: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`shuffle_batch_join` of those tensors that are to be kept.

    Args:
      tensors_list: See `shuffle_batch_join`.
      batch_size: See `shuffle_batch_join`.
      capacity: See `shuffle_batch_join`.
      min_after_dequeue: See `shuffle_batch_join`.
      keep_input: A bool: whether the tensors are put in; with `enqueue_many` perhaps a vector.
      seed: See `shuffle_batch_join`.
      enqueue_many: See `shuffle_batch_join`.
      shapes: See `shuffle_batch_join`.
      allow_smaller_final_batch: See `shuffle_batch_join`.
      shared_name: See `shuffle_batch_join`.
      name: See `shuffle_batch_join`.

    Returns:
      The batch in the structure of the tensors; a lone tensor where there is one of a list.

    Raises:
      ValueError: Ranks are not known, or shapes contradict each other; when run, OutOfRangeError:
        the queue is closed and holds too few elements.
    """
    return _shuffled(
        given=tensors_list,
        batch_size=batch_size,
        keep_input=keep_input,
        num_threads=None,
        capacity=capacity,
        min_after_dequeue=min_after_dequeue,
        seed=seed,
        enqueue_many=enqueue_many,
        shapes=shapes,
        allow_smaller_final_batch=allow_smaller_final_batch,
        shared_name=shared_name,
        name=name,
    )


def _shuffled(
    given: Any,
    batch_size: Any,
    keep_input: Any,
    num_threads: int | None,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None,
    enqueue_many: bool,
    shapes: Any,
    allow_smaller_final_batch: bool,
    shared_name: str | None,
    name: str | None,
) -> Any:
    """`shuffle_batch`, or `shuffle_batch_join` if `num_threads` is None."""
    is_joined = num_threads is None
    lists = given_lists(given, is_joined)
    values = [*(tensor for tensors in lists for tensor in tensors), keep_input]
    with name_scope(name, "shuffle_batch_join" if is_joined else "shuffle_batch", values) as scope:
        if not is_joined and capacity <= min_after_dequeue:
            raise ValueError(
                f"capacity {capacity} must be bigger than min_after_dequeue {min_after_dequeue}."
            )
        ready = prepared(lists, is_joined, keep_input, enqueue_many, shapes)
        queue = RandomShuffleQueue(
            capacity=capacity,
            min_after_dequeue=min_after_dequeue,
            seed=seed,
            dtypes=ready.types,
            shapes=ready.shapes,
            shared_name=shared_name,
        )
        fill(queue, ready.lists, num_threads, enqueue_many, ready.keep_input)
        summarize(queue, capacity, min_after_dequeue)
        made = restore(take(queue, batch_size, allow_smaller_final_batch, scope), ready.stored)
        return as_given(given[0] if is_joined else given, made)
