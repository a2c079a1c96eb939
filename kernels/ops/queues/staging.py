"""Kernels of staging areas, which nodes find by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.queues.staging import StagingArea
from dataflow.kernels.queues.waiting import Done, Waiter


def _area(node: KernelNode) -> Callable[[], StagingArea]:
    """The area of a shared name, or of the node's."""
    name = node.attr("shared_name").decode(errors="backslashreplace") or node.name
    container = node.attr("container").decode(errors="backslashreplace")
    capacity, memory_limit = node.attr("capacity"), node.attr("memory_limit")
    find = node.resources.lookup_or_create
    return lambda: find(container, name, StagingArea, lambda: StagingArea(capacity, memory_limit))


@kernel("Stage", blocking=True, passes=True)
def stage(node: KernelNode, xp: Any) -> Callable[..., None]:
    find = _area(node)

    def run(step: Waiter, done: Done, *values: Any) -> None:
        find().put(step, done, values)

    return run


@kernel("Unstage", blocking=True, passes=True)
def unstage(node: KernelNode, xp: Any) -> Callable[..., None]:
    find, count = _area(node), len(node.output_dtypes)

    def run(step: Waiter, done: Done) -> None:
        find().take(step, done, count)

    return run


@kernel("StagePeek", blocking=True, passes=True, host_inputs=("index",))
def stage_peek(node: KernelNode, xp: Any) -> Callable[..., None]:
    find, count = _area(node), len(node.output_dtypes)

    def run(step: Waiter, done: Done, index: Any) -> None:
        if np.ndim(index):
            raise invalid(f"index must be scalar, but has shape {shape_text(np.shape(index))}")
        if index < 0:
            raise invalid(f"index must not be negative, but is {index}")
        find().peek(step, done, int(index), count)

    return run


@kernel("StageSize", host_outputs=("size",))
def stage_size(node: KernelNode, xp: Any) -> Callable[[], Any]:
    find = _area(node)
    return lambda: np.int32(find().size)


@kernel("StageClear")
def stage_clear(node: KernelNode, xp: Any) -> Callable[[], None]:
    find = _area(node)
    return lambda: find().clear()
