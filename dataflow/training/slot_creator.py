"""Slots: variables that belong to another one, in its name scope and on its device."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
from dataflow.control_flow.cond import cond
from dataflow.graph import scopes
from dataflow.graph.tensor import Tensor
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.training.optimizer_targets import is_resource_variable
from dataflow.variables.initializers import Zeros
from dataflow.variables.ref_variable import RefVariable
from dataflow.variables.scope import get_variable, variable_scope
from dataflow.variables.slices import SaveSliceInfo
from dataflow.variables.variable import Variable


def create_slot(primary: Any, val: Tensor, name: str, colocate_with_primary: bool = True) -> Any:
    """A slot with an initial value.

    Args:
      primary: The variable or tensor it belongs to.
      val: Its initial value, which decides dtype and shape.
      name: Its name within that of `primary`.
      colocate_with_primary: Puts it on the device of `primary`.
    """
    with _scope(primary, name, colocate_with_primary):
        return _slot(
            primary, val, validate_shape=val.shape.is_fully_defined(), shape=None, dtype=None
        )


def create_slot_with_initializer(
    primary: Any,
    initializer: Any,
    shape: Any,
    dtype: Any,
    name: str,
    colocate_with_primary: bool = True,
) -> Any:
    """A slot whose initial value is made by an initializer.

    Args:
      primary: The variable or tensor it belongs to.
      initializer: Makes the initial value.
      shape: Its shape.
      dtype: Its element type.
      name: Its name within that of `primary`.
      colocate_with_primary: Puts it on the device of `primary`.
    """
    with _scope(primary, name, colocate_with_primary):
        return _slot(
            primary, initializer, validate_shape=shape.is_fully_defined(), shape=shape, dtype=dtype
        )


def create_zeros_slot(
    primary: Any, name: str, dtype: Any = None, colocate_with_primary: bool = True
) -> Any:
    """A slot of zeros, of the shape of what it belongs to.

    Args:
      primary: The variable or tensor it belongs to.
      name: Its name within that of `primary`.
      dtype: Its element type; that of `primary` if None.
      colocate_with_primary: Puts it on the device of `primary`.
    """
    dtype = primary.dtype if dtype is None else dtype
    shape = primary.get_shape()
    if shape.is_fully_defined():
        return create_slot_with_initializer(
            primary, Zeros(), shape, dtype, name, colocate_with_primary
        )
    held = primary
    if isinstance(primary, Variable):
        held = cond(primary.is_initialized(), primary.read_value, lambda: primary.initial_value)
    zeros = array_fill.zeros(array_shape.shape(held), dtype=dtype)
    return create_slot(primary, zeros, name, colocate_with_primary)


@contextmanager
def _scope(primary: Any, name: str, colocated: bool) -> Iterator[None]:
    """The scope that a slot is made in; its name becomes the slot's."""
    prefix = primary._shared_name if isinstance(primary, Variable) else primary.op.name
    place: AbstractContextManager[Any] = nullcontext()
    with variable_scope(None, f"{prefix}/{name}"):
        if colocated:
            place = scopes.colocate_with(primary)
        with place:
            yield


def _slot(primary: Any, val: Any, *, validate_shape: bool, shape: Any, dtype: Any) -> Any:
    scope = get_variable_scope()
    partitioner = scope.partitioner
    # Its primary has been partitioned already.
    scope.set_partitioner(None)
    use_resource = None
    if is_resource_variable(primary):
        use_resource = True
    elif isinstance(primary, RefVariable):
        use_resource = False
    try:
        slot = get_variable(
            "",
            initializer=val,
            trainable=False,
            use_resource=use_resource,
            shape=shape if callable(val) else None,
            dtype=dtype,
            validate_shape=validate_shape,
        )
    finally:
        scope.set_partitioner(partitioner)
    part = primary._get_save_slice_info() if isinstance(primary, Variable) else None
    if part is not None:
        _set_slice_of_slot(primary, slot, part)
    return slot


def _set_slice_of_slot(primary: Any, slot: Any, part: SaveSliceInfo) -> None:
    """Says which part of the slot of the whole variable a slot of a part is."""
    rank = slot.shape.rank
    if rank == 0:
        return
    assert part.full_shape is not None
    assert part.var_offset is not None
    assert part.var_shape is not None
    own_name = slot.op.name[len(primary.op.name) + 1 :]
    slot._set_save_slice_info(
        SaveSliceInfo(
            f"{part.full_name}/{own_name}",
            part.full_shape[:rank],
            part.var_offset[:rank],
            part.var_shape[:rank],
        )
    )
