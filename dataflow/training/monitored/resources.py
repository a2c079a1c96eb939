"""Resources besides variables and tables that a program says must be initialised."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import add_to_collection, device, get_collection, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.concat import stack
from dataflow.ops.array.index import boolean_mask
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import no_op
from dataflow.ops.math.compare import logical_not
from dataflow.values import dtypes

_Resource = namedtuple("_Resource", ["handle", "create", "is_initialized"])


def register_resource(
    handle: Any, create_op: Any, is_initialized_op: Any, is_shared: bool = True
) -> None:
    """Puts a resource into a collection, from which `Scaffold` takes what it initialises.

    Args:
      handle: The tensor that refers to it.
      create_op: Initialises it.
      is_initialized_op: A boolean scalar: whether it is.
      is_shared: Whether all tasks share it; else each session has it for its own.
    """
    key = GraphKeys.RESOURCES if is_shared else GraphKeys.LOCAL_RESOURCES
    add_to_collection(key, _Resource(handle, create_op, is_initialized_op))


def shared_resources() -> list[Any]:
    """The resources that all tasks share."""
    return get_collection(GraphKeys.RESOURCES)


def local_resources() -> list[Any]:
    """The resources that each session has for its own."""
    return get_collection(GraphKeys.LOCAL_RESOURCES)


def report_uninitialized_resources(
    resource_list: Sequence[Any] | None = None, name: str = "report_uninitialized_resources"
) -> Tensor:
    """The names of the handles of resources that are not initialised.

    Args:
      resource_list: The resources; all if None.
      name: A name scope.
    """
    if resource_list is None:
        resource_list = shared_resources() + local_resources()
    with name_scope(name), device("/cpu:0"):
        if not resource_list:
            return constant([], dtype=dtypes.string)
        missing = logical_not(stack([each.is_initialized for each in resource_list]))
        return boolean_mask(constant([each.handle.name for each in resource_list]), missing)


def initialize_resources(resource_list: Sequence[Any], name: str = "init") -> Operation:
    """The operation that initialises resources."""
    if not resource_list:
        return no_op(name=name)
    return group(*(each.create for each in resource_list), name=name)
