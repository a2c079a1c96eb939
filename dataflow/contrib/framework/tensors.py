"""Checks of tensors and of their shapes, and of the graph that they are in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import dataflow.ops.reductions.reduce as reductions
from dataflow.control_flow.assertion import Assert
from dataflow.control_flow.cond import cond
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.graph import Graph
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.library.check_types import assert_same_float_dtype as assert_same_float_dtype
from dataflow.library.check_types import assert_scalar as assert_scalar
from dataflow.library.confusion_matrix import (
    remove_squeezable_dimensions as plain_remove_squeezable_dimensions,
)
from dataflow.library.inspection import is_tensor as is_tensor
from dataflow.ops.array.shape import reshape, shape
from dataflow.ops.array.shape import size as size_of
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.compare import equal, less, logical_or
from dataflow.ops.reductions.sum import add_n
from dataflow.values.shapes import TensorShape


def get_name_scope() -> str:
    """The open name scope."""
    return scopes.get_default_graph().get_name_scope()


def get_graph_from_inputs(op_input_list: Sequence[Any], graph: Any = None) -> Any:
    """The graph that all of these are in; the default one if they are in none.

    Args:
      op_input_list: Tensors, operations and others.
      graph: The graph that they are to be in.

    Raises:
      ValueError: They are in several, or in another than `graph`.
    """
    if graph is None:
        return scopes.graph_of(op_input_list)
    for each in op_input_list:
        if getattr(each, "graph", graph) is not graph:
            raise ValueError(f"{each} is not from the passed-in graph.")
    return graph


def convert_to_tensor_or_sparse_tensor(value: Any, dtype: Any = None, name: Any = None) -> Any:
    """A tensor, or the SparseTensor that it is.

    Raises:
      RuntimeError: It is a SparseTensor of another type.
    """
    if isinstance(value, SparseTensor):
        if dtype is not None and value.dtype != dtype:
            raise RuntimeError(f"Sparse dtype mismatch. Requested: {dtype}, Actual: {value.dtype}")
        return value
    return convert_to_tensor(value, dtype=dtype, name=name)


def assert_scalar_int(tensor: Any, name: str | None = None) -> Any:
    """The tensor, if it is a scalar integer.

    Raises:
      ValueError: It is not.
    """
    with scopes.name_scope(name, "assert_scalar_int", [tensor]) as inside:
        tensor = convert_to_tensor(tensor)
        if not tensor.dtype.base_dtype.is_integer:
            raise ValueError(
                f"Expected integer type for {tensor.name}, received type: {tensor.dtype}."
            )
        return assert_scalar(tensor, name=inside)


def reduce_sum_n(tensors: Sequence[Any], name: str | None = None) -> Any:
    """The sum of all elements of all tensors.

    Raises:
      ValueError: There are none.
    """
    if not tensors:
        raise ValueError("No tensors provided.")
    with scopes.name_scope(name, "reduce_sum_n", tensors) as inside:
        sums = [
            each if convert_to_tensor(each).shape.rank == 0 else reductions.reduce_sum(each)
            for each in tensors
        ]
        return sums[0] if len(sums) == 1 else add_n(sums, name=inside)


def remove_squeezable_dimensions(
    predictions: Any, labels: Any, name: str | None = None
) -> tuple[Any, Any]:
    """Both, a last axis of size 1 taken off one of them where the ranks then agree."""
    labels, predictions = plain_remove_squeezable_dimensions(labels, predictions, name=name)
    return predictions, labels


def with_same_shape(expected_tensor: Any, tensor: Any) -> Any:
    """The tensor, whose shape is checked to be that of another; as far as is known at once."""
    with scopes.name_scope("with_same_shape"):
        expected_tensor = convert_to_tensor(expected_tensor)
        known = expected_tensor.shape
        return with_shape(known if known.is_fully_defined() else shape(expected_tensor), tensor)


def with_shape(expected_shape: Any, tensor: Any) -> Any:
    """The tensor, whose shape is checked: at once if it is known, and otherwise in each step.

    Args:
      expected_shape: A list of sizes, a TensorShape or a tensor of int32.
      tensor: A tensor.

    Returns:
      The tensor, or one that has this shape and fails in steps where it has another. One without
      dimensions is made of one with a single element.

    Raises:
      ValueError: It cannot have this shape, or is sparse; `expected_shape` is no list of integers.
    """
    if isinstance(tensor, SparseTensor):
        raise ValueError("SparseTensor not supported.")
    dynamic = is_tensor(expected_shape)
    if dynamic:
        kind = expected_shape.dtype.base_dtype.name
    elif isinstance(expected_shape, TensorShape):
        kind = "int32"
    else:
        sizes = np.asarray(expected_shape, None if len(expected_shape) else np.int32)
        if sizes.ndim > 1:
            raise ValueError(
                f"Invalid rank {sizes.ndim} for shape {sizes} expected of tensor {tensor.name}."
            )
        kind = "int32" if sizes.dtype == np.int64 else sizes.dtype.name
    if kind != "int32":
        raise ValueError(
            f"Invalid dtype {kind} for shape {expected_shape} expected of tensor {tensor.name}."
        )
    known = tensor.shape
    if not dynamic and known.is_fully_defined():
        if known.is_compatible_with(expected_shape):
            return tensor
        if len(expected_shape) or not known.is_compatible_with([1]):
            raise ValueError(
                f"Invalid shape for tensor {tensor.name}, expected {expected_shape}, got {known}."
            )
    with scopes.name_scope(f"{tensor.op.name}/"):
        if not dynamic and not len(expected_shape):
            return reshape(tensor, [])
        with scopes.control_dependencies([_shape_check(expected_shape, tensor)]):
            result = identity(tensor)
    if not dynamic:
        result.set_shape(expected_shape)
    return result


def _shape_check(expected_shape: Any, tensor: Any) -> Any:
    """Fails in a step in which a tensor has another shape; sizes that are not known fit any."""
    if isinstance(expected_shape, TensorShape):
        expected_shape = [-1 if size is None else size for size in expected_shape.as_list()]
    with scopes.name_scope("assert_shape") as inside:
        actual = shape(tensor, name="actual")
        expected = convert_to_tensor(expected_shape, name="expected")
        with scopes.name_scope("is_shape"):
            same_rank = equal(size_of(expected), size_of(actual))
            fits = cond(
                same_rank,
                lambda: reductions.reduce_all(
                    logical_or(equal(expected, actual), less(expected, 0))
                ),
                lambda: same_rank,
            )
        told = [f"Wrong shape for {tensor.name} [expected] [actual].", expected, actual]
        return Assert(fits, told, name=inside)


def get_placeholders(graph: Any) -> list[Any]:
    """The placeholders of a graph, in the order they were made.

    Raises:
      TypeError: It is no graph.
    """
    if not isinstance(graph, Graph):
        raise TypeError(f"Input graph needs to be a Graph: {graph}")
    return [op.outputs[0] for op in graph.get_operations() if op.type == "Placeholder"]
