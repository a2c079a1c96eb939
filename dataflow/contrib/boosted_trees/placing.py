"""Which parameter servers hold the resources of trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from dataflow.training.device_setter import STANDARD_PS_OPS, replica_device_setter

_RESOURCES: Final = (
    "DecisionTreeEnsembleResourceHandleOp",
    "StatsAccumulatorScalarResourceHandleOp",
    "StatsAccumulatorTensorResourceHandleOp",
)


class _TaskByType:
    """Gives tasks one after the other, to the ops of each type by themselves: resources cost much
    more than variables do."""

    def __init__(self, ops: tuple[str, ...], tasks: int) -> None:
        self._tasks = tasks
        self._next = {op: place % tasks if tasks else 0 for place, op in enumerate(ops)}

    def __call__(self, op: Any) -> int:
        """The task of an operation.

        Raises:
          ValueError: It is of none of the types.
        """
        if op.type not in self._next:
            raise ValueError(f"Unknown op type '{op.type}' for placement:")
        task = self._next[op.type]
        self._next[op.type] = (task + 1) % self._tasks if self._tasks else 0
        return task


def parameter_devices(worker_device: str, tasks: int) -> Callable[[Any], str] | None:
    """What puts the state of training on parameter servers, and all else on a worker.

    Args:
      worker_device: The worker.
      tasks: How many parameter servers there are; with none the function is None.
    """
    ops = (*STANDARD_PS_OPS, *_RESOURCES)
    return replica_device_setter(
        worker_device=worker_device,
        ps_tasks=tasks,
        merge_devices=True,
        ps_ops=ops,
        ps_strategy=_TaskByType(ops, tasks),
    )
