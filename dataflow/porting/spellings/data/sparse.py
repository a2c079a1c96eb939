"""tensorflow.python.data.util.sparse: sparse tensors of elements as variants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.library.datasets import element_nest
from dataflow.library.datasets.specs import SparseTensorSpec
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

__all__ = [
    "any_sparse",
    "as_dense_shapes",
    "as_dense_types",
    "deserialize_sparse_tensors",
    "get_classes",
    "serialize_many_sparse_tensors",
    "serialize_sparse_tensors",
]


def any_sparse(classes: Any) -> bool:
    """Whether a structure of classes holds the one of sparse tensors."""
    return any(each is SparseTensor for each in element_nest.flatten(classes))


def as_dense_shapes(shapes: Any, classes: Any) -> Any:
    """Shapes of the tensors that elements are kept in."""
    return _where_sparse(lambda _: TensorShape(None), shapes, classes)


def as_dense_types(types: Any, classes: Any) -> Any:
    """Element types of the tensors that elements are kept in."""
    return _where_sparse(lambda _: dtypes.variant, types, classes)


def _where_sparse(function: Callable[[Any], Any], values: Any, classes: Any) -> Any:
    return element_nest.map_atoms_of(
        lambda value, kind: function(value) if kind is SparseTensor else value, values, classes
    )


def get_classes(sparse_tensors: Any) -> Any:
    """The class of each component: SparseTensor or Tensor."""
    return element_nest.map_atoms(
        lambda atom: SparseTensor if isinstance(atom, SparseTensor) else Tensor, sparse_tensors
    )


def serialize_sparse_tensors(tensors: Any) -> Any:
    """A structure with a variant for each sparse tensor."""
    return _where_sparse(
        lambda t: SparseTensorSpec(None, t.dtype)._to_tensor_list(t)[0],
        tensors,
        get_classes(tensors),
    )


def serialize_many_sparse_tensors(tensors: Any) -> Any:
    """A structure with variants for each sparse tensor, one for each of its rows."""
    return _where_sparse(
        lambda t: SparseTensorSpec(None, t.dtype)._to_batched_tensor_list(t)[0],
        tensors,
        get_classes(tensors),
    )


def deserialize_sparse_tensors(tensors: Any, types: Any, shapes: Any, classes: Any) -> Any:
    """A structure with the sparse tensors that were serialized."""
    return element_nest.map_atoms_of(
        lambda tensor, dtype, shape, kind: (
            SparseTensorSpec(shape, dtype)._from_tensor_list([tensor])
            if kind is SparseTensor
            else tensor
        ),
        tensors,
        types,
        shapes,
        classes,
    )
