"""Static shapes of loop variables: those given as invariants, and what one iteration makes."""

from __future__ import annotations

from typing import Any

from dataflow.functions import flow
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.values import nest
from dataflow.values.composite_tensor import CompositeTensor
from dataflow.values.shapes import TensorShape


def shape_invariants_of(loop_vars: Any, shape_invariants: Any) -> list[TensorShape]:
    """A shape for each tensor that the loop variables consist of.

    Args:
      loop_vars: A structure of tensors, composite tensors and TensorArrays.
      shape_invariants: None, or a structure like it of a TensorShape, a spec or None each.

    Raises:
      TypeError: An invariant is none of them, or the spec of something else.
      ValueError: The structures differ.
    """
    if shape_invariants is None:
        nested = nest.map_structure(lambda value: _Shapes(_shapes_of(value)), loop_vars)
    else:
        nested = nest.map_structure(
            lambda value, shape: _Shapes(_invariant(value, shape)), loop_vars, shape_invariants
        )
    return [shape for each in nest.flatten(nested) for shape in each.shapes]


def is_at_most(shape: TensorShape, bound: TensorShape) -> bool:
    """True if a shape says at least as much as `bound` does, and the same."""
    if bound.rank is None:
        return True
    if shape.rank != bound.rank:
        return False
    pairs = zip(shape.as_list(), bound.as_list(), strict=True)
    return all(wide is None or size == wide for size, wide in pairs)


def check_entering(value: Tensor, invariant: TensorShape) -> None:
    """Checks the value that a loop variable starts with against its invariant.

    Raises:
      ValueError: It does not fit.
    """
    if not is_at_most(value.shape, invariant):
        raise ValueError(
            f"The shape invariant specified for {value.name} is not compatible with the initial "
            f"shape of the loop variable. It enters the loop with shape {value.shape}, but the "
            f"specified shape invariant is {invariant}."
        )


def check_invariant(merged: Tensor, following: Tensor) -> None:
    """Checks the value that a loop variable has after an iteration.

    Args:
      merged: The loop variable in an iteration.
      following: What it is in the next one.

    Raises:
      ValueError: It may have another shape then.
    """
    if not is_at_most(following.shape, merged.shape):
        entering = merged.op.inputs[0].op.inputs[0]
        raise ValueError(
            f"Input tensor '{entering.name}' enters the loop with shape {entering.shape}, but has "
            f"shape {following.shape} after one iteration. To allow the shape to vary across "
            "iterations, use the `shape_invariants` argument of tf.while_loop to specify a "
            "less-specific shape."
        )


class _Shapes:
    """The shapes of one loop variable, as an atom of a structure."""

    def __init__(self, shapes: list[TensorShape]) -> None:
        self.shapes = shapes


def _shapes_of(value: Any) -> list[TensorShape]:
    value = flow.to_flow(value)
    if isinstance(value, SparseTensor):
        return _sparse_shapes(value.shape.rank)
    if isinstance(value, IndexedSlices):
        return _slices_shapes(value, value.indices.shape.with_rank(1), value.shape)
    if isinstance(value, CompositeTensor):
        return value._component_shapes(None)
    if isinstance(value, Tensor):
        return [value.shape]
    return [convert_to_tensor(value).shape]


def _invariant(value: Any, shape: Any) -> list[TensorShape]:
    if shape is None:
        return _shapes_of(value)
    if hasattr(shape, "value_type"):
        return _shapes_of_spec(value, shape)
    if not isinstance(shape, TensorShape):
        raise TypeError(
            f"'shape' must be one of TypeSpec, TensorShape or None. Received: {type(shape)}"
        )
    value = flow.to_flow(value)
    if isinstance(value, SparseTensor):
        if shape.rank is not None and shape.rank != 1:
            raise ValueError(
                f"Expected a shape with 1 dimension. Obtained: {shape} which has {shape.rank} "
                "dimensions."
            )
        return _sparse_shapes(None if shape.rank is None else shape.as_list()[0])
    if isinstance(value, IndexedSlices):
        whole = TensorShape([None]).concatenate(shape[1:])
        return _slices_shapes(value, shape[:1], whole)
    if isinstance(value, CompositeTensor):
        return value._component_shapes(shape)
    return [shape]


def _shapes_of_spec(value: Any, spec: Any) -> list[TensorShape]:
    if not spec.is_compatible_with(value):
        raise TypeError(f"TypeSpec {spec!r} is not compatible with {value!r}")
    if isinstance(value, SparseTensor):
        return _sparse_shapes(spec.shape.rank)
    return _invariant(value, getattr(spec, "shape", None))


def _sparse_shapes(rank: int | None) -> list[TensorShape]:
    """Indices, values and shape of a sparse tensor with any number of elements."""
    return [TensorShape([None, rank]), TensorShape([None]), TensorShape([rank])]


def _slices_shapes(
    slices: IndexedSlices, indices: TensorShape, whole: TensorShape
) -> list[TensorShape]:
    shapes = [indices.concatenate(whole[1:]), indices]
    if slices.dense_shape is not None:
        shapes.append(TensorShape([whole.rank]))
    return shapes
