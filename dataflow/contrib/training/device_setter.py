"""Which parameter server a variable goes to: for `ps_strategy` of `replica_device_setter`."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from dataflow.graph.operation import Operation
from dataflow.values.shapes import TensorShape


class RandomStrategy:
    """Draws a task by an operation's name: the same one in each run."""

    def __init__(self, num_ps_tasks: int, seed: int = 0) -> None:
        """Takes the number of tasks, and what the drawing depends on beside names."""
        self._num_tasks = num_ps_tasks
        self._seed = seed

    def __call__(self, op: Operation) -> int:
        """The task of an operation."""
        key = f"{op.name}_{self._seed:d}".encode()
        return int(hashlib.md5(key, usedforsecurity=False).hexdigest(), 16) % self._num_tasks


class GreedyLoadBalancingStrategy:
    """Takes the task that has the least load, and gives it that of the operation."""

    def __init__(self, num_tasks: int, load_fn: Callable[[Operation], float]) -> None:
        """Makes a strategy.

        Args:
          num_tasks: The number of tasks.
          load_fn: The load of an operation, in any unit.
        """
        self._load_fn = load_fn
        self._loads = [0.0] * num_tasks

    def __call__(self, op: Operation) -> int:
        """The task of an operation; the first of those that have as little."""
        task = self._loads.index(min(self._loads))
        self._loads[task] += self._load_fn(op)
        return task


def byte_size_load_fn(op: Operation) -> int:
    """The bytes of an operation's single output, for `GreedyLoadBalancingStrategy`.

    Raises:
      ValueError: It has another number of outputs, or its shape is not known.
    """
    if len(op.outputs) != 1:
        raise ValueError(f"Op {op} must have a single output")
    (output,) = op.outputs
    shape = output.shape
    if not shape.is_fully_defined():
        shape = TensorShape(op.get_attr("shape"))
    shape.assert_is_fully_defined()
    return (shape.num_elements() or 0) * output.dtype.size
