"""The features of examples as tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow.control_flow.assertion import Assert
from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.library.parsing.composites import assembled
from dataflow.library.parsing.configs import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)
from dataflow.library.parsing.parameters import Parameters
from dataflow.library.parsing.ragged_parts import with_rows
from dataflow.ops.array.shape import rank
from dataflow.ops.basic.grouping import with_dependencies
from dataflow.ops.math.compare import equal
from dataflow.values import dtypes


def parse_example(
    serialized: Any,
    features: Mapping[str, Any],
    name: str | None = None,
    example_names: Any = None,
) -> dict[str, Any]:
    """The features of a batch of serialized `Example` messages, or of one.

    Args:
      serialized: A vector of strings, or one string.
      features: Keys, and what their features are expected to be: `FixedLenFeature`,
        `FixedLenSequenceFeature` (with `allow_missing`), `VarLenFeature`, `SparseFeature`,
        `RaggedFeature`.
      name: Prefix of the operations' names.
      example_names: Names of the messages, for errors.

    Returns:
      A tensor or sparse tensor for each key; its first dimension is the batch's.

    Raises:
      ValueError: There are no features, or one is not described as it should be.
      InvalidArgumentError: At run time: a string is no such message, or lacks a feature, or has
        one of another type or size.
    """
    if not features:
        raise ValueError(f"Missing: features was {features}.")
    found = _parsed(serialized, example_names, parameters_of(features), name)
    return assembled(features, found)


def parameters_of(features: Mapping[str, Any]) -> Parameters:
    """What features of examples mean.

    Raises:
      ValueError: One is not described as it should be.
    """
    kinds = (
        VarLenFeature,
        SparseFeature,
        FixedLenFeature,
        FixedLenSequenceFeature,
        RaggedFeature,
    )
    return Parameters.of(_with_rows(features), kinds)


def parse_single_example(
    serialized: Any,
    features: Mapping[str, Any],
    name: str | None = None,
    example_names: Any = None,
) -> dict[str, Any]:
    """The features of one serialized `Example` message.

    Args:
      serialized: A string.
      features: Keys, and what their features are expected to be, as for `parse_example`.
      name: Prefix of the operations' names.
      example_names: Name of the message, for errors.

    Returns:
      A tensor or sparse tensor for each key, without a dimension for a batch.

    Raises:
      ValueError: There are no features, or one is not described as it should be.
      InvalidArgumentError: At run time, as for `parse_example`.
    """
    if features is None:
        raise ValueError("Missing features.")
    if not features:
        raise ValueError("Invalid argument: features cannot be empty.")
    with name_scope(name, "ParseSingleExample", [serialized, example_names]):
        serialized = as_scalar(convert_to_tensor(serialized, name="serialized"), "serialized")
        return parse_example(serialized, features, name, example_names)


def as_scalar(value: Tensor, name: str) -> Tensor:
    """The tensor, with a check in the graph where its rank is not known.

    Raises:
      ValueError: It is no scalar.
    """
    if value.shape.rank is None:
        check = Assert(
            equal(rank(value), 0),
            [f"Input {name} must be a scalar"],
            name=f"{name.capitalize()}IsScalar",
        )
        checked: Tensor = with_dependencies([check], value, name=f"{name}Dependencies")
        checked.set_shape([])
        return checked
    if value.shape.rank:
        raise ValueError(f"Input {name} must be a scalar")
    return value


def _with_rows(features: Mapping[str, Any]) -> dict[str, Any]:
    """The features; those of sequences with a first dimension of any size."""
    made = dict(features)
    for key, feature in features.items():
        if isinstance(feature, FixedLenSequenceFeature):
            if not feature.allow_missing:
                raise ValueError(
                    "Unsupported: FixedLenSequenceFeature requires allow_missing to be True."
                )
            made[key] = feature._replace(shape=[None, *feature.shape])
    return made


def _parsed(serialized: Any, names: Any, asked: Parameters, name: str | None) -> dict[str, Any]:
    if not asked.count:
        raise ValueError("Must provide at least one sparse key or dense key")
    with name_scope(name, "ParseExample", [serialized, names]):
        # A list may be empty, and is one of strings even so.
        dtype = None if hasattr(serialized, "dtype") else dtypes.string
        serialized = convert_to_tensor(serialized, dtype=dtype, name="serialized")
        # TensorFlow makes the default values before the op's other constants.
        defaults = asked.default_tensors()
        outputs = apply_op(
            "ParseExampleV2",
            serialized,
            [] if names is None else names,
            asked.sparse_keys,
            asked.dense_keys,
            asked.ragged_keys,
            defaults,
            num_sparse=len(asked.sparse_keys),
            sparse_types=asked.sparse_types,
            ragged_value_types=asked.ragged_value_types,
            ragged_split_types=asked.ragged_split_types,
            dense_shapes=asked.dense_shapes,
            name=name,
        )
        sparse = [SparseTensor(*parts) for parts in zip(*outputs[:3], strict=True)]
        ragged = with_rows(serialized, outputs[4], outputs[5])
        return dict(zip(asked.keys, [*sparse, *outputs[3], *ragged], strict=True))
