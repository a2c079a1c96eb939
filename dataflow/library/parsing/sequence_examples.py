"""The features of sequence examples as tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.library.parsing.configs import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    VarLenFeature,
)
from dataflow.library.parsing.examples import as_scalar
from dataflow.library.parsing.parameters import Parameters
from dataflow.library.parsing.ragged_parts import with_rows

Dicts = tuple[dict[str, Any], dict[str, Any], dict[str, Any]]


def parse_sequence_example(
    serialized: Any,
    context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None,
    example_names: Any = None,
    name: str | None = None,
) -> Dicts:
    """The features of a batch of serialized `SequenceExample` messages, or of one.

    Args:
      serialized: A vector of strings, or one string.
      context_features: Keys, and what the features are expected to be that a message has once:
        `FixedLenFeature` or `VarLenFeature`.
      sequence_features: The same of those that it has for every step: `FixedLenSequenceFeature` or
        `VarLenFeature`.
      example_names: Names of the messages, for errors.
      name: Prefix of the operations' names.

    Returns:
      Three dictionaries by key: the features of the context, those of the steps, filled up to the
      longest, and how many steps each dense one of those has.

    Raises:
      ValueError: There are no features, or one is not described as it should be.
      InvalidArgumentError: At run time: a string is no such message, or lacks a feature, or has
        one of another type or size.
    """
    if not (context_features or sequence_features):
        raise ValueError(
            "Both `context_features` and `sequence_features` argument are None, but at least one "
            "should have values."
        )
    context, lists = _parameters(context_features, sequence_features)
    with name_scope(name, "ParseSequenceExample", [serialized, example_names]):
        return _parsed(serialized, example_names, context, lists, name)


def parse_single_sequence_example(
    serialized: Any,
    context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None,
    example_name: Any = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The features of one serialized `SequenceExample` message.

    Args:
      serialized: A string.
      context_features: What is expected of the context, as for `parse_sequence_example`.
      sequence_features: What is expected of every step.
      example_name: Name of the message, for errors.
      name: Prefix of the operations' names.

    Returns:
      Two dictionaries by key: the features of the context, and those of the steps.

    Raises:
      ValueError: There are no features, or one is not described as it should be.
      InvalidArgumentError: At run time, as for `parse_sequence_example`.
    """
    if not (context_features or sequence_features):
        raise ValueError("Missing features.")
    context, lists = _parameters(context_features, sequence_features)
    with name_scope(name, "ParseSingleSequenceExample", [serialized, example_name]):
        with name_scope(name, "ParseSingleExample", [serialized, example_name]):
            serialized = as_scalar(convert_to_tensor(serialized, name="serialized"), "serialized")
        return _parsed(serialized, example_name, context, lists, name)[:2]


def _parameters(context: Any, lists: Any) -> tuple[Parameters, Parameters]:
    return (
        Parameters.of(context, (VarLenFeature, FixedLenFeature, RaggedFeature)),
        Parameters.of(lists, (VarLenFeature, FixedLenSequenceFeature, RaggedFeature)),
    )


def _parsed(
    serialized: Any, names: Any, context: Parameters, lists: Parameters, name: str | None
) -> Dicts:
    if not context.count + lists.count:
        raise ValueError(
            "Must provide at least one context_sparse key, context_dense key, , "
            "feature_list_sparse key, or feature_list_dense key"
        )
    with name_scope(name, "ParseSequenceExample", [serialized]):
        for key, default in lists.defaults.items():
            if default is not None:
                raise ValueError(f"Value feature_list_dense_defaults[{key}] must be None")

        serialized = convert_to_tensor(serialized, name="serialized")
        # TensorFlow makes the default values before the op's other constants.
        defaults = context.default_tensors()
        outputs = apply_op(
            "ParseSequenceExampleV2",
            serialized,
            [] if names is None else names,
            context.sparse_keys,
            context.dense_keys,
            context.ragged_keys,
            lists.sparse_keys,
            lists.dense_keys,
            lists.ragged_keys,
            [key in lists.defaults for key in lists.dense_keys],
            defaults,
            Ncontext_sparse=len(context.sparse_keys),
            Nfeature_list_sparse=len(lists.sparse_keys),
            Nfeature_list_dense=len(lists.dense_keys),
            context_sparse_types=context.sparse_types,
            context_ragged_value_types=context.ragged_value_types,
            context_ragged_split_types=context.ragged_split_types,
            feature_list_dense_types=lists.dense_types,
            feature_list_sparse_types=lists.sparse_types,
            feature_list_ragged_value_types=lists.ragged_value_types,
            feature_list_ragged_split_types=lists.ragged_split_types,
            context_dense_shapes=context.dense_shapes,
            feature_list_dense_shapes=lists.dense_shapes,
            name=name,
        )
        found = [
            dict(
                zip(
                    asked.keys,
                    [
                        *(SparseTensor(*parts) for parts in zip(*sparse, strict=True)),
                        *dense,
                        *ragged,
                    ],
                    strict=True,
                )
            )
            for asked, sparse, dense, ragged in (
                (context, outputs[:3], outputs[3], with_rows(serialized, outputs[4], outputs[5])),
                (lists, outputs[6:9], outputs[9], with_rows(serialized, *outputs[11:14])),
            )
        ]
        return found[0], found[1], dict(zip(lists.dense_keys, outputs[10], strict=True))
