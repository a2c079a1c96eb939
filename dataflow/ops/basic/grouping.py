"""Ordering without data: operations and tensors that wait for others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.indexed_slices import IndexedSlices, convert_to_tensor_or_indexed_slices
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.identity import identity, no_op
from dataflow.ops.basic.single import single
from dataflow.values import nest
from dataflow.values.composite_tensor import CompositeTensor


def group(*inputs: Any, **kwargs: Any) -> Operation:
    """An operation that is done when all of its inputs are.

    Args:
      *inputs: Operations, tensors, or nested structures of them.
      **kwargs: `name`: name of the operation.

    Raises:
      TypeError: An input is neither an operation nor a tensor.
      ValueError: There is another keyword argument than `name`.
    """
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError("Unknown keyword arguments: " + ", ".join(kwargs))
    with scopes.name_scope(name, "group_deps", nest.flatten(inputs)) as scope:
        by_device: dict[str, list[Any]] = {}
        for item in nest.flatten(inputs, expand_composites=True):
            if not hasattr(item, "device"):
                raise TypeError(
                    f"Expected tf.group() expected Tensor arguments not '{item}' with type "
                    f"'{type(item)}'"
                )
            by_device.setdefault(item.device, []).append(item)
        if not by_device:
            return no_op(name=scope)
        if len(by_device) == 1:
            ((device, items),) = by_device.items()
            return _wait_on_device(device, items, scope)
        # One waits on each device, so that a single edge comes from each of them.
        waiting = [_wait_on_device(device, by_device[device]) for device in sorted(by_device)]
        with scopes.control_dependencies(waiting):
            return no_op(name=scope)


def tuple(
    tensors: Sequence[Any], name: str | None = None, control_inputs: Iterable[Any] | None = None
) -> list[Any]:
    """The same tensors, each there only when all of them are.

    Args:
      tensors: Tensors, IndexedSlices or operations; None entries stay None.
      name: Name scope of the operations made.
      control_inputs: More operations and tensors to wait for.

    Raises:
      TypeError: A control input is neither an operation nor a tensor.
      ValueError: There is nothing to wait for.
    """
    with scopes.name_scope(name, "tuple", tensors):
        items = [
            item
            if item is None or isinstance(item, (Operation, Tensor, CompositeTensor))
            else convert_to_tensor(item)
            for item in tensors
        ]
        # The caller's objects: a variable is waited for itself, not for its value.
        waited = {
            _operation(item if hasattr(item, "op") else made): None
            for item, made in zip(tensors, items, strict=True)
            if made is not None
        }
        for item in control_inputs or ():
            if not isinstance(item, (Operation, Tensor)):
                raise TypeError(
                    "'control_inputs' must only contain Operation or Tensor. "
                    f"Received: {type(item)}"
                )
            waited[_operation(item)] = None
        if not waited:
            raise ValueError(f"Must have at least one Tensor: {items}")
        gate = group(*waited)
        return [None if item is None else _behind(gate, item) for item in items]


def with_dependencies(
    dependencies: Iterable[Any], output_tensor: Any, name: str | None = None
) -> Any:
    """The value of a tensor, dense or sparse, there when `dependencies` are done.

    Args:
      dependencies: Operations and tensors to wait for.
      output_tensor: The tensor.
      name: Name of the operation.
    """
    waited = list(dependencies)
    with (
        scopes.name_scope(name, "control_dependency", [*waited, output_tensor]) as scope,
        scopes.colocate_with(output_tensor),
        scopes.control_dependencies(waited),
    ):
        value = convert_to_tensor_or_indexed_slices(output_tensor)
        if isinstance(value, IndexedSlices):
            return IndexedSlices(
                identity(value.values, name=scope), value.indices, value.dense_shape
            )
        if isinstance(value, CompositeTensor):
            return nest.map_structure(identity, value, expand_composites=True)
        if value.dtype._is_ref_dtype:
            return single("RefIdentity", value, name=scope)
        return identity(value, name=scope)


def _wait_on_device(device: str, items: Sequence[Any], name: str | None = None) -> Operation:
    with scopes.control_dependencies(items), scopes.device(device):
        return no_op(name=name)


def _operation(item: Any) -> Operation:
    op: Operation = item if isinstance(item, Operation) else item.op
    return op


def _behind(gate: Operation, item: Any) -> Any:
    if isinstance(item, Operation):
        with scopes.control_dependencies([gate]):
            return group(item)
    return with_dependencies([gate], item)
