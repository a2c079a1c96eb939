"""Kernels of servers that put requests of several steps together."""

from __future__ import annotations

import itertools
import secrets
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from dataflow.errors import FailedPreconditionError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.datasets.run import Captured, Run
from dataflow.kernels.queues.batching import (
    Batcher,
    Gradients,
    Limits,
    Parts,
    Request,
    Task,
    filled_up,
    joined,
)
from dataflow.kernels.queues.waiting import Done, Waiter

_YEAR: Final = 3e7


def _named(node: KernelNode, kind: type, create: Callable[[], Any], queue: str = "") -> Any:
    """Finds what nodes of a name share."""
    name = node.attr("shared_name").decode(errors="backslashreplace") or node.name
    container = node.attr("container").decode(errors="backslashreplace")
    return partial(
        node.resources.lookup_or_create,
        container,
        f"{name}/{queue}" if queue else name,
        kind,
        create,
    )


def _seconds(node: KernelNode, name: str) -> float:
    """A time in microseconds, as far as threads can wait."""
    return float(min(max(node.attr(name), 0) / 1e6, _YEAR))


def _batcher(node: KernelNode, allowed: Sequence[int]) -> Callable[[], Batcher]:
    if any(a >= b for a, b in itertools.pairwise(allowed)):
        raise invalid("allowed_batch_sizes entries must be monotonically increasing")
    if allowed and allowed[0] < 1:
        raise invalid("allowed_batch_sizes entries must be positive")
    limits = Limits(
        node.attr("max_batch_size"),
        _seconds(node, "batch_timeout_micros"),
        max(node.attr("num_batch_threads"), 1),
        node.attr("max_enqueued_batches"),
    )
    types = tuple(node.input_dtypes)
    queue = node.attr("batching_queue").decode(errors="backslashreplace")
    found: Callable[[], Batcher] = _named(node, Batcher, lambda: Batcher(limits, types), queue)
    return found


def _check_last(allowed: Sequence[int], most: int) -> None:
    if allowed and allowed[-1] != most:
        raise invalid("final entry in allowed_batch_sizes must equal max_batch_size")


def _check_rows(tensors: Sequence[Any]) -> None:
    if not all(map(np.ndim, tensors)):
        raise invalid("Batching input tensors must have at least one dimension")
    if len({len(tensor) for tensor in tensors}) != 1:
        raise invalid(
            "Batching input tensors supplied in a given op invocation must have equal "
            "0th-dimension size"
        )


@kernel("Batch", device="CPU", blocking=True)
def batch(node: KernelNode, xp: Any) -> Callable[..., None]:
    allowed, types = node.attr("allowed_batch_sizes"), node.input_dtypes
    find = _batcher(node, allowed)
    _check_last(allowed, node.attr("max_batch_size"))

    def compute(tasks: Sequence[Task]) -> None:
        """Gives the last step all rows, the others none."""
        tensors = filled_up(joined([task.tensors for task in tasks]), allowed)
        ends = np.cumsum([task.size for task in tasks])
        numbers = [np.int64(secrets.randbits(63)) for _ in tasks]
        rows = [
            (number, end - task.size, end)
            for number, end, task in zip(numbers, ends, tasks, strict=True)
        ]
        nothing = [tensor[:0] for tensor in tensors]
        for task, number in zip(tasks[:-1], numbers, strict=False):
            task.request.end((*nothing, np.zeros((0, 3), np.int64), number))
        tasks[-1].request.end((*tensors, np.array(rows, np.int64), numbers[-1]))

    def run(step: Waiter, done: Done, *tensors: Any) -> None:
        _check_rows(tensors)
        find().submit(step, Task(Request(done, "Batch"), tensors, compute), types)

    return run


@kernel("BatchFunction", device="CPU", blocking=True)
def batch_function(node: KernelNode, xp: Any) -> Callable[..., None]:
    most, allowed = node.attr("max_batch_size"), node.attr("allowed_batch_sizes")
    is_cut = node.attr("enable_large_batch_splitting")
    if not is_cut:
        _check_last(allowed, most)
    piece = allowed[-1] if is_cut and allowed else most
    count, types = len(node.attr("Tin")), node.input_dtypes
    find, function = _batcher(node, allowed), node.function("f")

    def compute(captured: Sequence[Any], tasks: Sequence[Task]) -> None:
        call = Run().function(Captured(function, tuple(captured)), "BatchFunction")
        tensors = joined([task.tensors for task in tasks])
        results: list[list[Any]] = []
        for start in range(0, max(len(tensors[0]), 1), piece):
            part = [tensor[start : start + piece] for tensor in tensors]
            full = filled_up(part, allowed)
            found = call(tuple(full))
            _check_results(found, len(full[0]), len(full[0]) - len(part[0]))
            results.append([each[: len(part[0])] for each in found])
        whole, start = joined(results), 0
        for task in tasks:
            end = start + task.size
            own = tuple(each[start:end] for each in whole)
            task.request.end(own if len(own) > 1 else own[0])
            start = end

    def run(step: Waiter, done: Done, *values: Any) -> None:
        tensors, captured = values[:count], values[count:]
        _check_rows(tensors)
        request = Request(done, "BatchFunction")
        find().submit(step, Task(request, tensors, partial(compute, captured)), types)

    return run


def _check_results(results: Sequence[Any], size: int, padding: int) -> None:
    for each in results:
        if not np.ndim(each):
            raise FailedPreconditionError(None, None, "Batched output tensor has 0 dimensions")
        if len(each) != size:
            raise FailedPreconditionError(
                None,
                None,
                "Batched output tensor's 0th dimension does not equal the sum of the 0th dimension "
                f"sizes of the input tensors. 0th dimension size: {len(each)}; batch size: "
                f"{size - padding}; unbatched tasks size: 0; padding size: {padding}",
            )


def _number(value: Any) -> int:
    if np.ndim(value):
        raise invalid(f"Input id should be scalar; Got a tensor of rank {np.ndim(value)}.")
    return int(value)


def _rows(index: Any, count: int) -> list[tuple[int, int, int]]:
    """The rows of an index of a batch: a request's number, where its rows begin and end."""
    if np.ndim(index) != 2:
        raise invalid(f"batch_index must be a matrix, but has rank {np.ndim(index)}")
    if len(index) > count:
        raise invalid(
            "Wrong shape for index tensor. Expected 0th dimension size to be no greater than "
            f"{count}; Got: {len(index)}."
        )
    if index.shape[1] != 3:
        raise invalid(
            "Wrong shape for index tensor. Expected 1st dimension size to be 3 ; Got: "
            f"{index.shape[1]}."
        )
    rows = [(number, start, end) for number, start, end in index.tolist()]
    if any(start > end for _, start, end in rows):
        raise invalid("Rows of a batch must not end before they begin.")
    if sum(end - start for _, start, end in rows) > count:
        raise invalid("Sum of split sizes must not exceed dim0-size of input tensor")
    return rows


@kernel("Unbatch", device="CPU", blocking=True)
def unbatch(node: KernelNode, xp: Any) -> Callable[..., None]:
    find, seconds = _named(node, Parts, Parts), _seconds(node, "timeout_micros")

    def run(step: Waiter, done: Done, tensor: Any, index: Any, number: Any) -> None:
        if not np.ndim(tensor):
            raise invalid("batched_tensor must have at least one dimension")
        parts, start = {}, 0
        for own, begin, end in _rows(index, len(tensor)):
            parts[own] = tensor[start : start + end - begin]
            start += end - begin
        find().take(step, done, _number(number), seconds, parts)

    return run


@kernel("UnbatchGrad", device="CPU", blocking=True)
def unbatch_gradient(node: KernelNode, xp: Any) -> Callable[..., None]:
    find = _named(node, Gradients, Gradients)

    def run(
        step: Waiter, done: Done, original: Any, index: Any, gradient: Any, number: Any
    ) -> None:
        if not np.ndim(original) or not np.ndim(gradient):
            raise invalid("original_input and grad must have at least one dimension")
        if np.size(original) and not np.size(index):
            raise invalid("batch_index is empty while the tensor isn't.")
        batch = [own for own, _, _ in _rows(index, len(original))] if np.size(original) else []
        find().give(step, done, _number(number), gradient, batch)

    return run
