"""Kernels of locks that one execution at a time holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.queues.mutex import Held, Mutex
from dataflow.kernels.queues.waiting import Done, Waiter


@kernel("MutexV2", device="CPU")
def mutex(node: KernelNode, xp: Any) -> Callable[[], Mutex]:
    """The lock of the name that nodes share, or one of the node's own."""
    name = node.attr("shared_name").decode(errors="backslashreplace")
    if not name:
        own = Mutex()
        return lambda: own
    container = node.attr("container").decode(errors="backslashreplace")
    return lambda: node.resources.lookup_or_create(container, name, Mutex, Mutex)


@kernel("MutexLock", device="CPU", blocking=True, handle=Mutex)
def lock(node: KernelNode, xp: Any) -> Callable[[Waiter, Done, Mutex], None]:
    return lambda step, done, mutex: mutex.take(step, done)


@kernel("ConsumeMutexLock", device="CPU")
def consume(node: KernelNode, xp: Any) -> Callable[[Any], None]:
    def run(lock: Any) -> None:
        held = lock.item() if isinstance(lock, np.ndarray) and lock.size == 1 else lock
        if not isinstance(held, Held):
            raise invalid("Expected input to be a mutex lock")
        held.give_back()

    return run
