"""Symbolic derivatives of tensors that may be in another graph than their gradients."""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Sequence
from typing import Any

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
from dataflow.differentiation.walk import GradientWalk, WalkOptions
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.graph import Graph
from dataflow.graph.indexed_slices import (
    IndexedSlices,
    convert_n_to_tensor_or_indexed_slices,
    convert_to_tensor_or_indexed_slices,
)
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.single import single
from dataflow.values import dtypes, nest
from dataflow.values.composite_tensor import CompositeTensor


class UnconnectedGradients(enum.Enum):
    """What `gradients` gives for an x that no y depends on."""

    NONE = "none"
    ZERO = "zero"


def differentiate(
    ys: Any,
    xs: Any,
    grad_ys: Any,
    name: str | None,
    options: WalkOptions,
    stop_gradients: Any,
    unconnected_gradients: Any,
    source_graph: Graph | None,
) -> list[Any]:
    """`gradients`, of tensors that may be in another graph than the default one.

    Args:
      ys: As for `gradients`.
      xs: As for `gradients`.
      grad_ys: As for `gradients`.
      name: As for `gradients`.
      options: As for `GradientWalk`.
      stop_gradients: As for `gradients`.
      unconnected_gradients: As for `gradients`.
      source_graph: Where the ys are; the default graph if None.
    """
    ys = nest.map_structure(_read_resource, as_list(ys))
    xs = [x.handle if is_resource_variable(x) else x for x in as_list(xs)]
    stops = [] if stop_gradients is None else as_list(stop_gradients)
    starts = [None] * len(ys) if grad_ys is None else as_list(grad_ys)
    for end in (*xs, *ys):
        if isinstance(end, CompositeTensor):
            raise ValueError(
                f"Type {type(end).__name__} is not supported as a gradient source or gradient "
                "target. Pass the tensors it is made of."
            )
    try:
        unconnected = UnconnectedGradients(unconnected_gradients)
    except ValueError:
        raise ValueError(
            f"Unknown value for unconnected_gradients: '{unconnected_gradients}'"
        ) from None
    with contextlib.ExitStack() as building:
        with scopes.name_scope(name, "gradients", [*ys, *xs, *stops, *starts]):
            targets = _tensors(ys, "y", as_ref=False)
            sources = _tensors(xs, "x", as_ref=True)
            graph = scopes.get_default_graph()
            # Loops get their back edges late: no thread may send them to a session before.
            building.enter_context(graph._building)
            walk = GradientWalk(graph, options, source_graph)
            first = _starting_gradients(starts, targets, walk)
            walk.run(targets, sources, first, [stop.op for stop in stops])
        walk.finish()
        found = [walk.gradient(source) for source in sources]
        if unconnected is UnconnectedGradients.ZERO:
            found = [
                _zeros(x) if grad is None else grad for x, grad in zip(sources, found, strict=True)
            ]
    return found


def is_resource_variable(value: Any) -> bool:
    """True for a variable that is behind a handle; gradients are taken for the handle."""
    handle = getattr(value, "handle", None)
    behind = isinstance(handle, Tensor) and handle.dtype is dtypes.resource
    return behind and hasattr(value, "read_value")


def as_list(values: Any) -> list[Any]:
    """A list of several things or of one."""
    return list(values) if isinstance(values, (list, tuple)) else [values]


def _read_resource(value: Any) -> Any:
    return convert_to_tensor(value) if is_resource_variable(value) else value


def _tensors(values: Sequence[Any], name: str, as_ref: bool) -> list[Tensor]:
    tensors = []
    for index, value in enumerate(values):
        if value is None:
            raise TypeError(f"{name}s[{index}] is None; `gradients` takes tensors and variables.")
        tensors.append(
            convert_to_tensor_or_indexed_slices(value, name=f"{name}_{index}", as_ref=as_ref)
        )
    return tensors


def _starting_gradients(
    starts: Sequence[Any], ys: Sequence[Tensor], walk: GradientWalk
) -> list[Tensor | IndexedSlices]:
    """The gradients of the ys, ones by default, under the names TensorFlow gives them."""
    if len(starts) != len(ys):
        raise ValueError(f"Passed {len(starts)} grad_ys for {len(ys)} ys")
    converted = convert_n_to_tensor_or_indexed_slices(starts, name="grad_y")
    started: list[Tensor | IndexedSlices] = []
    for index, (y, grad) in enumerate(zip(ys, converted, strict=True)):
        name = f"grad_ys_{index}"
        with walk.colocation(y.op):
            if grad is None:
                if y.dtype.is_complex:
                    raise TypeError(
                        f"Gradients of complex tensors must set grad_ys (y.dtype = {y.dtype!r})"
                    )
                started.append(array_fill.ones(array_shape.shape(y), dtype=y.dtype, name=name))
                continue
            _check_start(grad, y)
            if not isinstance(grad, IndexedSlices):
                started.append(identity(grad, name=name))
                continue
            indices = identity(grad.indices, name=name + "_indices")
            values = identity(grad.values, name=name + "_values")
            shape = grad.dense_shape
            if shape is not None:
                shape = identity(shape, name=name + "_shape")
            started.append(IndexedSlices(values, indices, shape))
    return started


def _check_start(grad: Any, y: Tensor) -> None:
    """Raises TypeError if a gradient cannot be that of a tensor of y's type."""
    have, want = grad.dtype, y.dtype
    prefix = f"Gradient type {have.name} generated for"
    if want.is_floating or want.is_integer:
        if not (have.is_floating or have.is_integer):
            raise TypeError(
                f"{prefix} real or integer-valued tensor {y} with type {want.name} must be real or "
                "integer"
            )
    elif want.is_complex:
        if not have.is_complex:
            raise TypeError(
                f"{prefix} complex-valued tensor {y} with type {want.name} must be real"
            )
    elif want is dtypes.variant:
        if have is not dtypes.variant:
            raise TypeError(f"{prefix} variant tensor {y} with type {want.name} must be variant")
    elif want is dtypes.resource:
        if have is dtypes.resource:
            raise TypeError(
                f"Input gradient {grad} for resource tensor {y} should not be a resource"
            )
    else:
        raise TypeError(
            f"Tensor {y} with type {want.name} must be numeric to obtain a default gradient"
        )


def _zeros(x: Tensor) -> Any:
    """Zeros of the shape of an x, or of the variable behind it."""
    if x.dtype is not dtypes.resource:
        return array_fill.zeros_like(x, dtype=x.dtype)
    if x.handle_data is None or len(x.handle_data) != 1:
        raise ValueError(
            "Internal error: Tried to take gradients (or similar) of a variable without handle "
            f"data:\n{x}"
        )
    ((element, shape),) = x.handle_data
    known = shape.is_fully_defined()
    size = constant(shape.as_list(), dtypes.int32) if known else single("VariableShape", x)
    return array_fill.zeros(size, dtype=element)
