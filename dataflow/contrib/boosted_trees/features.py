"""Which tensors of a batch are features of trees, and of which kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.layers.columns.kinds import OlderEmbeddingColumn
from dataflow.contrib.layers.feature_column_ops import transform_features
from dataflow.feature_columns.inputs import Inputs
from dataflow.feature_columns.models import input_layer
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.ops.array.concat import concat, unstack
from dataflow.ops.basic.cast import cast
from dataflow.values import dtypes
from dataflow.variables.scope import variable_scope


@dataclass
class _Sparse:
    """Sparse features of one kind."""

    names: list[str] = field(default_factory=list)
    indices: list[Any] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    shapes: list[Any] = field(default_factory=list)

    def add(self, name: str, tensor: SparseTensor) -> None:
        self.names.append(name)
        self.indices.append(tensor.indices)
        self.values.append(tensor.values)
        self.shapes.append(tensor.dense_shape)


def extract_features(features: Any, feature_columns: Any, use_core_columns: bool) -> Any:
    """Tells the features of a batch apart.

    Args:
      features: Tensors by name.
      feature_columns: What makes features of them; they are the features if there are none.
      use_core_columns: Whether the columns are those of `tf.feature_column`, and not of
        `tf.contrib.layers`.

    Returns:
      The names of all features, in the order of what follows; a list of tensors [batch_size, 1] of
      floats; indices, values and shapes of sparse floats, and those of sparse integers.

    Raises:
      ValueError: There are no features, or one is of another type.
    """
    if not features:
        raise ValueError("Features dictionary must be specified.")
    tensors = dict(features)
    if feature_columns:
        tensors = _transformed(tensors, list(feature_columns), use_core_columns)
    dense_names: list[str] = []
    dense: list[Any] = []
    floats, integers = _Sparse(), _Sparse()
    for name in sorted(tensors):
        tensor = tensors[name]
        if isinstance(tensor, tuple) and not isinstance(tensor, SparseTensor):
            tensor = _weighted(*tensor)
        if isinstance(tensor, SparseTensor):
            kinds = {dtypes.float32: floats, dtypes.int64: integers}
            if tensor.dtype not in kinds:
                raise ValueError(
                    f"Unsupported sparse feature {tensor.indices.name} with dtype {tensor.dtype}."
                )
            kinds[tensor.dtype].add(name, tensor)
            continue
        if tensor.dtype != dtypes.float32:
            raise ValueError(f"Unsupported dense feature {tensor.name} with dtype {tensor.dtype}.")
        width = tensor.shape.as_list()[1] if len(tensor.shape) > 1 else None
        if width is not None and width > 1:
            for place, column in enumerate(unstack(tensor, axis=1)):
                dense_names.append(f"{name}_{place}")
                dense.append(array_shape.reshape(column, [-1, 1]))
        else:
            dense_names.append(name)
            dense.append(tensor)
    return (
        dense_names + floats.names + integers.names,
        dense,
        floats.indices,
        floats.values,
        floats.shapes,
        integers.indices,
        integers.values,
        integers.shapes,
    )


def _transformed(
    tensors: Mapping[str, Any], columns: list[Any], use_core_columns: bool
) -> dict[str, Any]:
    """What columns make of tensors, by the columns' names."""
    found: dict[str, Any] = {}
    with variable_scope("gbdt"):
        for column in columns:
            if use_core_columns:
                found[column.name] = Inputs(dict(tensors)).get(column)
            elif isinstance(column, OlderEmbeddingColumn):
                found[column.name] = input_layer(
                    dict(tensors), [column], weight_collections=["gbdt"]
                )
            else:
                (found[column.name],) = transform_features(dict(tensors), [column]).values()
    return found


def _weighted(categories: SparseTensor, weights: SparseTensor) -> SparseTensor:
    """Categories with weights: the weights, with a dimension for each category."""
    ids = array_shape.expand_dims(cast(categories.values, dtypes.int64), -1)
    indices = concat([categories.indices[:, :1], ids], 1)
    return SparseTensor(indices, weights.values, categories.dense_shape)
