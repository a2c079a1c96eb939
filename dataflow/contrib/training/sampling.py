"""Batches of elements that are accepted with a probability: by a function of them, or by class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dataflow.control_flow.assertion import Assert
from dataflow.control_flow.cond import cond
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.indexed_slices import convert_n_to_tensor_or_indexed_slices
from dataflow.graph.tensor import Tensor
from dataflow.library.check_types import assert_integer
from dataflow.library.check_values import (
    assert_equal,
    assert_less,
    assert_less_equal,
    assert_non_negative,
    assert_positive,
)
from dataflow.ops.array.gather import gather
from dataflow.ops.array.select import one_hot
from dataflow.ops.array.shape import expand_dims, shape, squeeze
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.compare import equal, less, logical_or, not_equal
from dataflow.ops.math.division import div_no_nan
from dataflow.ops.random.stateful import random_uniform
from dataflow.ops.reductions.reduce import reduce_all, reduce_max, reduce_sum
from dataflow.ops.text.printing import Print
from dataflow.training.inputs.batches import batch, maybe_batch
from dataflow.values import dtypes
from dataflow.variables.scope import variable_scope
from dataflow.variables.variable import Variable

_SMOOTHING = 10
"""Elements that each class is taken to have had before the first, so that no estimate is zero."""
_TOLERANCE = 1e-6


def rejection_sample(
    tensors: Sequence[Any],
    accept_prob_fn: Callable[[list[Any]], Any],
    batch_size: int,
    queue_threads: int = 1,
    enqueue_many: bool = False,
    prebatch_capacity: int = 16,
    prebatch_threads: int = 1,
    runtime_checks: bool = False,
    name: str | None = None,
) -> list[Any]:
    """Batches of those elements that a function accepts, drawn with the probability it gives.

    Args:
      tensors: The parts of an element, or with `enqueue_many` of a batch of them.
      accept_prob_fn: Takes the parts of one element and gives a scalar in [0, 1].
      batch_size: Elements of a batch.
      queue_threads: Threads that fill the queue of accepted elements.
      enqueue_many: Whether `tensors` have a batch dimension.
      prebatch_capacity: Capacity of the queue that cuts batches into elements.
      prebatch_threads: Threads that fill that queue.
      runtime_checks: Whether steps fail where a probability is outside of [0, 1].
      name: Prefix of the operations.

    Returns:
      A tensor with the batch as first dimension for each of `tensors`.

    Raises:
      ValueError: The batch dimensions do not fit together.
    """
    with variable_scope(name, "rejection_sample", list(tensors)):
        parts = convert_n_to_tensor_or_indexed_slices(tensors)
        if enqueue_many:
            _check_batches(parts, parts[0])
            parts = _elements(parts, prebatch_threads, prebatch_capacity)
        accepted = accept_prob_fn(parts)
        if runtime_checks:
            checks = [assert_less_equal(0.0, accepted), assert_less_equal(accepted, 1.0)]
            accepted = identity(with_dependencies(checks, accepted), name="prob_with_checks")
        made = maybe_batch(parts, random_uniform([]) < accepted, batch_size, queue_threads)
        return [made] if isinstance(made, Tensor) else made


def stratified_sample(
    tensors: Sequence[Any],
    labels: Any,
    target_probs: Any,
    batch_size: int,
    init_probs: Any = None,
    enqueue_many: bool = False,
    queue_capacity: int = 16,
    threads_per_queue: int = 1,
    name: str | None = None,
) -> tuple[list[Any], Any]:
    """Batches with given proportions of the classes, made by leaving elements out.

    Class i, with the share p_i of the elements and t_i of the batches, is accepted with the
    probability (t_i / p_i) / max_j(t_j / p_j).

    Args:
      tensors: The parts of an element, or with `enqueue_many` of a batch of them.
      labels: The class: an integer, or with `enqueue_many` one for each element.
      target_probs: Share of each class in the batches: shape [classes], with the sum 1.
      batch_size: Elements of a batch.
      init_probs: Share of each class in the data; counted as elements come if None.
      enqueue_many: Whether `tensors` and `labels` have a batch dimension.
      queue_capacity: Capacity of the queue of elements.
      threads_per_queue: Threads that fill each of both queues.
      name: Prefix of the operations.

    Returns:
      A list like `tensors` and the labels, with the batch as first dimension.

    Raises:
      ValueError: Shapes do not fit together, or shares are not of fixed shape [classes].
      InvalidArgumentError: From steps: a label is no class, shares have not the sum 1, or a class
        with no elements shall have some.
    """
    with scopes.name_scope(name, "stratified_sample", [*tensors, labels]):
        parts = convert_n_to_tensor_or_indexed_slices(tensors)
        labels = convert_to_tensor(labels)
        target = convert_to_tensor(target_probs, dtype=dtypes.float32)
        if not enqueue_many:
            parts = [expand_dims(each, 0) for each in parts]
            labels = expand_dims(labels, 0)
        target.shape.assert_is_fully_defined()
        classes = int(target.shape[0])
        if init_probs is None:
            initial = _counted_shares(labels, classes)
        else:
            initial = convert_to_tensor(init_probs, dtype=dtypes.float32)
        initial, target = (_checked_shares(each) for each in (initial, target))
        if initial.shape.num_elements() != classes:
            raise ValueError("Probability parameters must have the same length.")
        parts, labels = _checked_elements(parts, labels, classes)
        *parts, label = _elements([*parts, labels], threads_per_queue, queue_capacity)
        accepted = gather(_acceptance(initial, target), label)
        keep = random_uniform([]) < accepted
        *made, of = maybe_batch([*parts, label], keep, batch_size, threads_per_queue)
        return made, of


def _elements(parts: Sequence[Any], threads: int, capacity: int) -> list[Any]:
    """The parts of one element, out of a queue that batches of them fill."""
    taken = batch(list(parts), 1, num_threads=threads, capacity=capacity, enqueue_many=True)
    return [squeeze(each, [0]) for each in ([taken] if isinstance(taken, Tensor) else taken)]


def _check_batches(parts: Sequence[Any], other: Any) -> None:
    for each in parts:
        size = each.shape.with_rank_at_least(1)[0]
        size.assert_is_compatible_with(other.shape.with_rank_at_least(1)[0])


def _counted_shares(labels: Any, classes: int) -> Any:
    """The share that each class had of all elements so far."""
    seen = Variable([_SMOOTHING] * classes, trainable=False, name="class_count", dtype=dtypes.int64)
    new = reduce_sum(one_hot(labels, classes, dtype=dtypes.int64), 0)
    # The sum is a copy: another thread may count in the meantime.
    counts = seen.assign_add(new) + 0
    return cast(counts / reduce_sum(counts), dtypes.float32)


def _checked_shares(shares: Any) -> Any:
    shares.shape.assert_is_fully_defined()
    shares.shape.assert_has_rank(1)
    whole = reduce_sum(shares)
    checks = [
        assert_non_negative(shares),
        assert_less(whole, 1.0 + _TOLERANCE),
        assert_less(1.0 - _TOLERANCE, whole),
    ]
    return with_dependencies(checks, shares)


def _checked_elements(parts: Sequence[Any], labels: Any, classes: int) -> tuple[list[Any], Any]:
    labels.shape.assert_has_rank(1)
    _check_batches(parts, labels)
    size = shape(labels)[0]
    some = assert_positive(size)
    checks = [
        some,
        assert_integer(labels),
        assert_non_negative(labels),
        assert_less(labels, cast(classes, labels.dtype)),
    ]
    return [
        with_dependencies([some, assert_equal(shape(each)[0], size)], each) for each in parts
    ], with_dependencies(checks, labels)


def _acceptance(initial: Any, target: Any) -> Any:
    """The probability with which an element of each class is accepted."""
    possible = Assert(
        reduce_all(logical_or(not_equal(initial, 0), equal(target, 0))),
        [
            "All classes with zero initial probability must also have zero target probability: ",
            initial,
            target,
        ],
    )
    initial = with_dependencies([possible], initial)
    ratios = div_no_nan(target, initial)
    accepted = ratios / reduce_max(ratios)
    return cond(
        less(reduce_sum((1 - accepted) * initial), 0.5),
        lambda: accepted,
        lambda: Print(
            accepted,
            [accepted],
            message="Proportion of examples rejected by sampler is high.",
            first_n=10,
        ),
    )
