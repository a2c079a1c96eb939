"""Kernels of variables behind handles; a handle is the variable's cell itself."""

from __future__ import annotations

from collections.abc import Callable
from sys import getrefcount
from typing import Any

import numpy as np

from dataflow.errors import FailedPreconditionError, NotFoundError
from dataflow.kernels.contract.element_types import NUMBERS
from dataflow.kernels.contract.indices import are_below
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.resources import DEFAULT_CONTAINER, HANDED_OVER, Variable, snapshot
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.ops.state.reference import counted
from dataflow.kernels.optimizers.variable_updates import combined
from dataflow.values import dtypes
from dataflow.values.dtypes import DType


@kernel("VarHandleOp")
def handle(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """The cell of a variable, which is made when it is first asked for."""
    container = node.attr("container").decode(errors="backslashreplace")
    name = node.attr("shared_name").decode(errors="backslashreplace") or node.name
    dtype = node.attr("dtype")
    find = node.resources.lookup_or_create

    def make() -> Variable:
        return Variable(name, dtype, container)

    return lambda: find(container, name, Variable, make)


@kernel("ReadVariableOp")
def read(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """The value at this moment."""
    dtype = node.attr("dtype")

    def run(cell: Variable) -> Any:
        value = cell.value
        if value is None:
            raise _unreadable(cell)
        if cell.dtype is not dtype:
            raise invalid(
                "Trying to read variable with wrong dtype. "
                f"Expected {type_name(dtype)} got {type_name(cell.dtype)}",
            )
        return value

    return run


def _unreadable(cell: Variable) -> FailedPreconditionError:
    return FailedPreconditionError(
        None,
        None,
        f"Could not find variable {cell.name}. This could mean that the variable has been deleted. "
        "In TF1, it can also mean the variable is uninitialized. Debug info: "
        f"container={cell.container or DEFAULT_CONTAINER}, status error message={_missing(cell)}",
    )


@kernel("AssignVariableOp")
def assign(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """Stores a snapshot of the value."""
    dtype, validate = node.attr("dtype"), node.attr("validate_shape")

    def run(cell: Variable, value: Any) -> None:
        is_handed_over = getrefcount(value) <= HANDED_OVER
        new = snapshot(value, is_handed_over, is_first=cell.value is None)
        with cell.lock:
            old = cell.value
            if old is None:
                cell.dtype = dtype
            elif cell.dtype is not dtype:
                raise invalid(
                    "Trying to assign variable with wrong dtype. "
                    f"Expected {type_name(cell.dtype)} got {type_name(dtype)}",
                )
            elif validate and np.shape(old) != np.shape(new):
                raise invalid(
                    "Trying to assign to variable with tensor with wrong shape. Expected "
                    f"{shape_text(np.shape(old))} got {shape_text(np.shape(new))}",
                )
            cell.value = new

    return run


@kernel("AssignAddVariableOp", "AssignSubVariableOp", dtypes={"dtype": NUMBERS})
def assign_add_or_sub(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """Adds or subtracts, in place where nobody else holds the array."""
    function = xp.add if node.op == "AssignAddVariableOp" else xp.subtract
    dtype = node.attr("dtype")

    def run(cell: Variable, value: Any) -> None:
        def change(old: Any, owned: bool) -> Any:
            check_held(cell, old, dtype)
            if np.shape(old) != np.shape(value):
                raise invalid(
                    f"Cannot update variable with shape {shape_text(np.shape(old))} using a "
                    f"Tensor with shape {shape_text(np.shape(value))}, shapes must be equal.",
                )
            return combined(function, old, value, owned)

        cell.update(change)

    return run


@kernel("VarIsInitializedOp", host_outputs=("is_initialized",))
def is_initialized(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda cell: np.bool_(cell.value is not None)


@kernel("VariableShape", host_outputs=("output",))
def variable_shape(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("out_type").as_numpy_dtype

    def run(cell: Variable) -> np.ndarray:
        return np.array(np.shape(held(cell)), dtype=dtype)

    return run


@kernel("DestroyResourceOp")
def destroy(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """Forgets a resource; steps that hold its handle find it empty."""
    lenient, resources = node.attr("ignore_lookup_error"), node.resources

    def run(resource: Any) -> None:
        known = resources.forget(resource)
        if isinstance(resource, Variable):
            known = known and resource.value is not None
            resource.value = None
        if not known and not lenient:
            raise NotFoundError(None, None, _missing(resource))

    return run


@kernel("DisableCopyOnRead")
def disable_copy_on_read(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(cell: Variable) -> None:
        if cell.value is None:
            raise _unreadable(cell)

    return run


@kernel("ResourceCountUpTo", dtypes={"T": (dtypes.int32, dtypes.int64)})
def count_up_to(node: KernelNode, xp: Any) -> Callable[..., Any]:
    limit, dtype = node.attr("limit"), node.attr("T")

    def run(cell: Variable) -> Any:
        held(cell, dtype)
        return counted(cell, limit)

    return run


@kernel("ResourceGather", grows=True)
def gather(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """Rows by index; with batch dimensions, from the rows of the same batch entry."""
    batch_dims, dtype = node.attr("batch_dims"), node.attr("dtype")

    def run(cell: Variable, indices: Any) -> Any:
        value = held(cell, dtype)
        if value.ndim <= batch_dims:
            raise invalid(f"params must be at least {batch_dims + 1} dimensional")
        if value.shape[:batch_dims] != np.shape(indices)[:batch_dims]:
            raise invalid(
                f"The first {batch_dims} dimensions of the variable {shape_text(value.shape)} and "
                f"of the indices {shape_text(np.shape(indices))} must be equal.",
            )
        check_indices(xp, indices, value.shape[batch_dims])
        if not batch_dims:
            return _whole(xp.take(value, indices, axis=0))
        batch = xp.ix_(*[xp.arange(size) for size in value.shape[:batch_dims]])
        inner = (1,) * (indices.ndim - batch_dims)
        return value[(*(b.reshape(b.shape + inner) for b in batch), indices)]

    return run


@kernel("ResourceGatherNd", grows=True)
def gather_nd(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """Slices by index vectors."""
    dtype = node.attr("dtype")

    def run(cell: Variable, indices: Any) -> Any:
        value = held(cell, dtype)
        depth = np.shape(indices)[-1] if np.ndim(indices) else 0
        if depth > np.ndim(value):
            raise invalid(
                "index innermost dimension length must be <= params rank; "
                f"saw: {depth} vs. {np.ndim(value)}",
            )
        if not depth:
            shape = np.shape(indices)[:-1] + np.shape(value)
            return xp.array(xp.broadcast_to(value, shape), order="C")
        bad = first_bad_vector(xp, indices, value.shape[:depth])
        if bad is not None:
            place, vector = bad
            raise invalid(
                f"indices{place} = {vector} does not index into param shape "
                f"{shape_text(value.shape)}, node name: {node.name}",
            )
        return _whole(value[tuple(xp.moveaxis(indices, -1, 0))])

    return run


def held(cell: Variable, dtype: DType | None = None) -> Any:
    """The value behind a handle.

    Raises:
      NotFoundError: There is none.
      InvalidArgumentError: It is of another element type.
    """
    value = cell.value
    check_held(cell, value, dtype)
    return value


def check_held(cell: Variable, value: Any, dtype: DType | None) -> None:
    """Raises what `held` does for a value."""
    if value is None:
        raise NotFoundError(None, None, _missing(cell))
    if dtype is not None and cell.dtype is not dtype:
        raise invalid(
            f"Trying to use variable {cell.path} with wrong dtype. "
            f"Expected {type_name(dtype)} got {type_name(cell.dtype)}",
        )


def check_indices(xp: Any, indices: Any, size: int) -> None:
    """Checks row numbers.

    Raises:
      InvalidArgumentError: One is not in [0, size); names the first.
    """
    if are_below(indices, size):
        return
    bad = (indices < 0) | (indices >= size)
    if xp.any(bad):
        flat = int(xp.argmax(xp.ravel(bad)))
        value = int(xp.ravel(xp.asarray(indices))[flat])
        raise invalid(
            f"indices{place_text(np.shape(indices), flat)} = {value} is not in [0, {size})",
        )


def first_bad_vector(xp: Any, indices: Any, sizes: tuple[int, ...]) -> tuple[str, list[int]] | None:
    """Place and entries of the first index vector that is beyond the sizes, or None."""
    limits = xp.asarray(sizes, dtype=indices.dtype)
    bad = xp.any((indices < 0) | (indices >= limits), axis=-1)
    if not xp.any(bad):
        return None
    flat = int(xp.argmax(xp.ravel(bad)))
    vector = indices.reshape(-1, len(sizes))[flat]
    return place_text(indices.shape[:-1], flat), [int(i) for i in vector]


def place_text(shape: tuple[int, ...], flat: int) -> str:
    """The place of an element of an array as messages print it: [1,3]; nothing for a scalar."""
    return shape_text(tuple(map(int, np.unravel_index(flat, shape)))) if shape else ""


def _whole(value: Any) -> Any:
    """What indexing gave as a value of a step: a string stays in an array."""
    if isinstance(value, bytes):
        whole = np.empty((), dtype=object)
        whole[()] = value
        return whole
    return value


def _missing(resource: Any) -> str:
    path = getattr(resource, "path", repr(resource))
    return f"Container {path.partition('/')[0]} does not exist. (Could not find resource: {path})"
