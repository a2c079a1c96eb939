"""What stands for a table or another resource, and says how it is made and filled."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor


class ResourceTracker:
    """Notes the resources that are made in its scopes."""

    def __init__(self) -> None:
        """Knows of none."""
        self._resources: list[Any] = []

    @property
    def resources(self) -> list[Any]:
        """Those that it has noted, in order."""
        return self._resources

    def add_resource(self, resource: Any) -> None:
        """Notes a resource."""
        self._resources.append(resource)


_trackers: list[ResourceTracker] = []


@contextlib.contextmanager
def resource_tracker_scope(resource_tracker: ResourceTracker) -> Iterator[None]:
    """Has a tracker note the resources that are made within, as those of scopes around do."""
    _trackers.append(resource_tracker)
    try:
        yield
    finally:
        _trackers.pop()


class TrackableResource:
    """A resource that SavedModels of objects hold.

    A subclass says in `_create_resource` how the handle is made, and in `_initialize` what gives
    the resource its contents. Both are called again, for the graph of a SavedModel.

    Args:
      device: Where the resource is made.
    """

    def __init__(self, device: str = "") -> None:
        """Nothing is made before the handle is asked for."""
        self._resource_device = device
        self._resource_handle: Tensor | None = None
        for tracker in _trackers:
            tracker.add_resource(self)

    @property
    def resource_handle(self) -> Tensor:
        """What refers to the resource."""
        if self._resource_handle is None:
            with scopes.init_scope(), scopes.device(self._resource_device or None):
                self._resource_handle = self._create_resource()
        return self._resource_handle

    def _create_resource(self) -> Any:
        raise NotImplementedError("TrackableResource._create_resource not implemented.")

    def _initialize(self) -> Any:
        """Adds what fills the resource."""

    def _checkpoint_children(self) -> dict[str, Any]:
        return {}


def made_again(op: Operation, given: dict[int, Tensor], **attrs: Any) -> Operation:
    """A copy of an operation, and of what it is made of, in the default graph.

    Args:
      op: The operation.
      given: What stands for tensors of its graph, by their identity; copies are added.
      **attrs: Attrs that the copy has in place of the operation's.
    """
    for tensor in op.inputs:
        if id(tensor) not in given:
            made = made_again(tensor.op, given)
            for old, new in zip(tensor.op.outputs, made.outputs, strict=True):
                given[id(old)] = new
    inputs = [given[id(tensor)] for tensor in op.inputs]
    graph = scopes.get_default_graph()
    return graph.add_op(op.op_def, inputs, dict(op.attrs) | attrs, op.name.rpartition("/")[2])
