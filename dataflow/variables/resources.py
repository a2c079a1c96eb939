"""Resources beside variables and tables: which a graph has, how they are made, which lack."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.array import concat as array_concat
from dataflow.ops.array import index as array_index
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.identity import no_op
from dataflow.ops.math import compare as math_compare
from dataflow.values import dtypes


class _Resource(NamedTuple):
    handle: Any
    create: Any
    is_initialized: Any


def register_resource(
    handle: Any, create_op: Any, is_initialized_op: Any, is_shared: bool = True
) -> None:
    """Puts a resource into one of the graph's collections, so that sessions initialise it.

    Args:
      handle: The operation or tensor that refers to it.
      create_op: Initialises it.
      is_initialized_op: A boolean scalar: whether it is initialised.
      is_shared: Whether all tasks see it; otherwise each session has its own.
    """
    key = GraphKeys.RESOURCES if is_shared else GraphKeys.LOCAL_RESOURCES
    scopes.add_to_collection(key, _Resource(handle, create_op, is_initialized_op))


def shared_resources() -> list[Any]:
    """The resources that all tasks see."""
    return scopes.get_collection(GraphKeys.RESOURCES)


def local_resources() -> list[Any]:
    """The resources that each session has of its own."""
    return scopes.get_collection(GraphKeys.LOCAL_RESOURCES)


def report_uninitialized_resources(
    resource_list: Sequence[Any] | None = None, name: str = "report_uninitialized_resources"
) -> Tensor:
    """The names of the handles of resources that are not initialised: a string vector.

    Args:
      resource_list: The resources; all shared and local ones if None.
      name: Name scope of the operations made.
    """
    if resource_list is None:
        resource_list = shared_resources() + local_resources()
    on = os.environ.get("TF_DEVICE_FOR_UNINITIALIZED_VARIABLE_REPORTING", "/cpu:0")
    with scopes.name_scope(name), scopes.device(on):
        if not resource_list:
            return constant([], dtype=dtypes.string)
        held = array_concat.stack([each.is_initialized for each in resource_list])
        names = constant([each.handle.name for each in resource_list])
        return array_index.boolean_mask(names, math_compare.logical_not(held))


def initialize_resources(resource_list: Sequence[Any], name: str = "init") -> Operation:
    """An operation that initialises all of them; one that does nothing if there are none."""
    if not resource_list:
        return no_op(name=name)
    return group(*(each.create for each in resource_list), name=name)
