"""Ops on resources that are planned first, and made together: one for all resources of a device."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.operation import Operation
from dataflow.ops.array.concat import concat, stack, unstack
from dataflow.ops.array.shape import shape_n
from dataflow.ops.array.split import split


class ScheduledOp(ABC):
    """An op that is planned."""

    @abstractmethod
    def batching_key(self) -> Any:
        """Those with equal keys are made together."""

    @abstractmethod
    def batch_runner_fn(self) -> Callable[[Sequence[Any], Any], Any]:
        """What makes one op of several, for a stamp."""


class ScheduledStampedResourceOp(ScheduledOp):
    """A planned op on a resource that has a stamp."""

    def __init__(self, resource_handle: Any, op: Callable[..., Any], **kwargs: Any) -> None:
        """Plans a call.

        Args:
          resource_handle: The resource.
          op: Takes resources, a stamp, and lists of tensors by name.
          **kwargs: A tensor for each of these lists.
        """
        self.resource_handle = resource_handle
        self.op = op
        self.args = kwargs

    def batching_key(self) -> Any:
        """The device and the function."""
        return self.resource_handle.device, self.op

    def batch_runner_fn(self) -> Callable[[Sequence[Any], Any], Any]:
        """Calls the function once for all."""
        return _called_once


def _called_once(batch: Sequence[ScheduledStampedResourceOp], stamp: Any) -> Any:
    if not batch:
        return None
    names = set(batch[0].args)
    for each in batch:
        if set(each.args) != names:
            raise ValueError(
                f"Mismatching arguments: {sorted(each.args)} and {sorted(names)} are to be made "
                "together"
            )
    device = batch[0].resource_handle.device
    given = {name: _moved([each.args[name] for each in batch], device) for name in sorted(names)}
    with scopes.device(device or None):
        return batch[0].op([each.resource_handle for each in batch], stamp, **given)


def _moved(tensors: Sequence[Any], device: str) -> list[Any]:
    """Tensors on a device, sent there as one."""
    if all(tensor.device == device for tensor in tensors):
        return list(tensors)
    with scopes.device(None):
        if all(tensor.shape.ndims == 0 for tensor in tensors):
            with scopes.device(tensors[0].device):
                values = stack(tensors)
            with scopes.device(device):
                return list(unstack(values))
        with scopes.device(tensors[0].device):
            sizes = stack(shape_n(tensors))[:, 0]
            values = concat(tensors, axis=0)
        with scopes.device(device):
            return list(split(values, unstack(sizes), axis=0))


def run_handler_scheduled_ops(
    per_handler_ops: Mapping[Any, Sequence[ScheduledOp]], stamp: Any, worker_device: str | None
) -> dict[Any, list[Any]]:
    """Makes the ops that handlers have planned.

    Args:
      per_handler_ops: Those of each handler.
      stamp: The stamp that resources must have.
      worker_device: Where results go; where they are if None.

    Returns:
      The results of each handler, in the order in which it has planned them: a tuple of an op's
      outputs, or the operation where it has none.

    Raises:
      ValueError: Ops that go together take other arguments.
    """
    batches: dict[Any, list[ScheduledOp]] = {}
    for planned in per_handler_ops.values():
        for op in planned:
            batches.setdefault((op.batching_key(), op.batch_runner_fn()), []).append(op)
    made: dict[ScheduledOp, Any] = {}
    for batch in batches.values():
        results = batch[0].batch_runner_fn()(batch, stamp)
        if isinstance(results, tuple):
            columns = [
                list(column) if worker_device is None else _moved(column, worker_device)
                for column in results
            ]
            for place, op in enumerate(batch):
                made[op] = tuple(column[place] for column in columns)
        elif isinstance(results, Operation):
            made.update(dict.fromkeys(batch, results))
        else:
            raise ValueError(f"Unknown type of result {results!r}: want a tuple or an operation.")
    found: dict[Any, list[Any]] = defaultdict(list)
    for handler, planned in per_handler_ops.items():
        for op in planned:
            found[handler].append(made[op])
    return found
