"""Kernels of reference variables."""

from __future__ import annotations

from collections.abc import Callable
from sys import getrefcount
from typing import Any

import numpy as np

from dataflow.errors import (
    AlreadyExistsError,
    NotFoundError,
    OutOfRangeError,
)
from dataflow.kernels.contract.element_types import NUMBERS
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.resources import HANDED_OVER, Variable, snapshot
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.optimizers.variable_updates import combined
from dataflow.values import dtypes


class ReferencedVariable(Variable):
    """A variable of a VariableV2 node; those behind handles are looked up apart from them."""

    __slots__ = ()


class TemporaryCell(Variable):
    """A variable that ends with its step."""

    __slots__ = ()


@kernel("VariableV2", "Variable")
def variable(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """The cell of a variable, which is made when it is first asked for."""
    container = node.attr("container").decode(errors="backslashreplace")
    name = node.attr("shared_name").decode(errors="backslashreplace") or node.name
    dtype, declared = node.attr("dtype"), node.attr("shape")
    # Old graphs say [] for an unknown shape, too.
    known = declared.is_fully_defined() and (node.op == "VariableV2" or declared.rank)
    shape = tuple(declared.as_list()) if known else None
    find = node.resources.lookup_or_create

    def make() -> ReferencedVariable:
        return ReferencedVariable(name, dtype, container, shape)

    def cell() -> ReferencedVariable:
        found = find(container, name, ReferencedVariable, make)
        if found.dtype is not dtype:
            raise invalid(
                f"Variable {found.path} holds {found.dtype.name}, but node {node.name} wants "
                f"{dtype.name}: give it another shared_name.",
            )
        return found

    return cell


@kernel("TemporaryVariable", needs_step=True)
def temporary_variable(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """A new cell with zeros in it, kept with the step."""
    name = node.attr("var_name").decode(errors="backslashreplace") or node.name
    dtype, declared = node.attr("dtype"), node.attr("shape")
    if not declared.is_fully_defined():
        raise invalid(f"The shape of a temporary variable must be known, but is {declared}.")
    kind = dtype.as_numpy_dtype
    first = b"" if dtype is dtypes.string else 0

    def make(step: Any) -> Any:
        cell = TemporaryCell(name, dtype)
        if step.resources.lookup_or_create("", name, TemporaryCell, lambda: cell) is not cell:
            raise AlreadyExistsError(None, None, f"Resource __per_step_{step.step_id}/{name}")
        cell.value = snapshot(xp.full(declared.as_list(), first, dtype=kind))
        return cell

    return make


@kernel("DestroyTemporaryVariable", needs_step=True)
def destroy_temporary_variable(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """The last value of a temporary variable."""
    name = node.attr("var_name").decode(errors="backslashreplace")

    def destroy(step: Any, cell: Variable) -> Any:
        if not step.resources.delete("", name, TemporaryCell):
            raise NotFoundError(
                None, None, f"Container __per_step_{step.step_id} has no temporary variable {name}."
            )
        return cell.value

    return destroy


@kernel("IsVariableInitialized", host_outputs=("is_initialized",))
def is_variable_initialized(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda cell: np.bool_(cell.value is not None)


@kernel("Assign")
def assign(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """Stores a snapshot of the value."""
    validate = node.attr("validate_shape")

    def run(cell: Variable, value: Any) -> Variable:
        is_handed_over = getrefcount(value) <= HANDED_OVER
        new = snapshot(value, is_handed_over, is_first=cell.value is None)
        with cell.lock:
            old = cell.value
            have = cell.shape if old is None else np.shape(old)
            if validate and have is not None and have != np.shape(new):
                raise invalid(
                    "Assign requires shapes of both tensors to match. "
                    f"lhs shape= {shape_text(have)} rhs shape= {shape_text(np.shape(new))}",
                )
            cell.value = new
        return cell

    return run


@kernel("AssignAdd", "AssignSub", dtypes={"T": NUMBERS})
def assign_add_or_sub(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """Adds or subtracts, in place where nobody else holds the array."""
    function = xp.add if node.op == "AssignAdd" else xp.subtract

    def run(cell: Variable, value: Any) -> Variable:
        def change(old: Any, owned: bool) -> Any:
            if np.shape(old) != np.shape(value):
                raise invalid("Parameters and update must be the same size")
            return combined(function, old, value, owned)

        cell.update(change)
        return cell

    return run


@kernel("CountUpTo", dtypes={"T": (dtypes.int32, dtypes.int64)})
def count_up_to(node: KernelNode, xp: Any) -> Callable[..., Any]:
    limit = node.attr("limit")
    return lambda cell: counted(cell, limit)


def counted(cell: Variable, limit: int) -> Any:
    """The value of a counter, which is then one higher.

    Raises:
      OutOfRangeError: It has reached the limit.
    """
    with cell.lock:
        value = cell.value
        if np.shape(value):
            raise invalid(f"input is not a scalar: {shape_text(np.shape(value))}")
        if value >= limit:
            raise OutOfRangeError(None, None, f"Reached limit of {limit}")
        cell.value = value + value.dtype.type(1)
    return value
