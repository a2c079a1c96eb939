"""tensorflow.python.ops.resources: what has to be created before a graph runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import add_to_collection, device, get_collection, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.concat import stack
from dataflow.ops.array.index import boolean_mask
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import no_op
from dataflow.ops.math.compare import logical_not
from dataflow.values import dtypes


class _Resource(NamedTuple):
    handle: Any
    create: Any
    is_initialized: Any


def register_resource(
    handle: Any, create_op: Any, is_initialized_op: Any, is_shared: bool = True
) -> None:
    """Puts a resource into its collection.

    Args:
      handle: Its handle.
      create_op: The operation that makes it.
      is_initialized_op: Whether it is made: a scalar.
      is_shared: Whether all tasks see it.
    """
    key = GraphKeys.RESOURCES if is_shared else GraphKeys.LOCAL_RESOURCES
    add_to_collection(key, _Resource(handle, create_op, is_initialized_op))


def shared_resources() -> list[Any]:
    """The resources that all tasks see."""
    return get_collection(GraphKeys.RESOURCES)


def local_resources() -> list[Any]:
    """The resources of one session."""
    return get_collection(GraphKeys.LOCAL_RESOURCES)


def report_uninitialized_resources(
    resource_list: Sequence[Any] | None = None, name: str = "report_uninitialized_resources"
) -> Tensor:
    """The names of the handles of resources that are not made yet: of all, or of these."""
    resources = shared_resources() + local_resources() if resource_list is None else resource_list
    with name_scope(name), device("/cpu:0"):
        if not resources:
            return convert_to_tensor([], dtype=dtypes.string)
        made = logical_not(stack([each.is_initialized for each in resources]))
        return boolean_mask(convert_to_tensor([each.handle.name for each in resources]), made)


def initialize_resources(resource_list: Sequence[Any], name: str = "init") -> Operation:
    """An operation that makes resources."""
    if not resource_list:
        return no_op(name=name)
    return group(*(each.create for each in resource_list), name=name)
