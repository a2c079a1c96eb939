"""What features mean for the ops that read examples: keys, types, shapes and default values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.parsing.configs import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)
from dataflow.ops.array.shape import reshape
from dataflow.ops.basic.constant import constant
from dataflow.values import dtypes
from dataflow.values.dtypes import DType, as_dtype
from dataflow.values.logging import warning
from dataflow.values.shapes import TensorShape, as_shape

_KINDS = (VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature, RaggedFeature)


class Parameters:
    """The features of one part of an example, in the order of their keys."""

    def __init__(self) -> None:
        self.sparse_keys: list[str] = []
        self.sparse_types: list[DType] = []
        self.dense_keys: list[str] = []
        self.dense_types: list[DType] = []
        self.dense_shapes: list[TensorShape] = []
        self.defaults: dict[str, Any] = {}
        """Default values by key; None for a feature that may be missing."""
        self.ragged_keys: list[str] = []
        self.ragged_value_types: list[DType] = []
        self.ragged_split_types: list[DType] = []

    @classmethod
    def of(cls, features: Mapping[str, Any] | None, kinds: Sequence[type]) -> Parameters:
        """What these features mean.

        Raises:
          ValueError: One is of no such kind, lacks what it needs, or contradicts another.
        """
        made = cls()
        for key in sorted(features or {}):
            feature = (features or {})[key]
            if not isinstance(feature, tuple(kinds)):
                if isinstance(feature, _KINDS):
                    raise ValueError(f"Unsupported {type(feature).__name__} {feature}.")
                raise ValueError(f"Invalid feature {key}:{feature}.")
            made._add(key, feature)
        for first, second, a, b in (
            ("Dense", "sparse", made.dense_keys, made.sparse_keys),
            ("Dense", "ragged", made.dense_keys, made.ragged_keys),
            ("Ragged", "sparse", made.ragged_keys, made.sparse_keys),
        ):
            if common := set(a) & set(b):
                raise ValueError(
                    f"{first} and {second} keys must not intersect; intersection: {common}"
                )
        return made

    @property
    def count(self) -> int:
        """How many features there are."""
        return len(self.dense_keys) + len(self.sparse_keys) + len(self.ragged_keys)

    @property
    def keys(self) -> list[str]:
        """All keys: of sparse, dense and ragged features."""
        return [*self.sparse_keys, *self.dense_keys, *self.ragged_keys]

    def default_tensors(self) -> list[Tensor]:
        """A tensor for each dense feature: its default value, or an empty one."""
        return [
            self._default(key, shape, dtype)
            for key, shape, dtype in zip(
                self.dense_keys, self.dense_shapes, self.dense_types, strict=True
            )
        ]

    def _default(self, key: str, shape: TensorShape, dtype: DType) -> Tensor:
        value = self.defaults.get(key)
        named = re.sub("[^A-Za-z0-9_.\\-/]", "_", key)
        if shape.rank and shape.as_list()[0] is None:
            if value is None:
                return convert_to_tensor("" if dtype is dtypes.string else 0, dtype=dtype)
            padding = convert_to_tensor(value, dtype=dtype, name=f"padding_{named}")
            return reshape(padding, [])
        if value is None:
            return constant([], dtype=dtype)
        if isinstance(value, Tensor):
            return value
        return reshape(convert_to_tensor(value, dtype=dtype, name=f"key_{named}"), shape)

    def _add(self, key: str, feature: Any) -> None:
        if isinstance(feature, SparseFeature):
            for field in ("index_key", "value_key"):
                if not getattr(feature, field):
                    raise ValueError(f"Missing {field} for SparseFeature {feature}.")
        if not feature.dtype:
            raise ValueError(f"Missing type for feature {key}.")
        if isinstance(feature, VarLenFeature):
            self._add_sparse(key, feature.dtype)
        elif isinstance(feature, SparseFeature):
            self._add_parts(feature)
        elif isinstance(feature, RaggedFeature):
            self._add_rows(key, feature)
        else:
            self._add_dense(key, feature)

    def _add_sparse(self, key: str, dtype: Any) -> None:
        if key not in self.sparse_keys:
            self.sparse_keys.append(key)
            self.sparse_types.append(as_dtype(dtype))
            return
        known = self.sparse_types[self.sparse_keys.index(key)]
        if known != dtype:
            raise ValueError(f"Conflicting type {known} vs {dtype} for feature {key}.")

    def _add_parts(self, feature: SparseFeature) -> None:
        keys = [feature.index_key] if isinstance(feature.index_key, str) else feature.index_key
        if len(keys) > 1:
            warning(
                "SparseFeature is a complicated feature config and should only be used after "
                "careful consideration of VarLenFeature."
            )
        for key in sorted(keys):
            self._add_sparse(key, dtypes.int64)
        self._add_sparse(feature.value_key, feature.dtype)

    def _add_rows(self, key: str, feature: RaggedFeature) -> None:
        splits = feature.row_splits_dtype
        self._add_ragged(feature.value_key or key, feature.dtype, splits)
        for partition in feature.partitions:
            if not isinstance(partition, RaggedFeature.UniformRowLength):
                self._add_ragged(partition.key, dtypes.int64, splits)

    def _add_ragged(self, key: str, dtype: DType, splits: DType) -> None:
        if key not in self.ragged_keys:
            self.ragged_keys.append(key)
            self.ragged_value_types.append(dtype)
            self.ragged_split_types.append(splits)
            return
        place = self.ragged_keys.index(key)
        for word, known, asked in (
            ("type", self.ragged_value_types[place], dtype),
            ("partition type", self.ragged_split_types[place], splits),
        ):
            if known != asked:
                raise ValueError(f"Conflicting {word} {known} vs {asked} for feature {key}.")

    def _add_dense(self, key: str, feature: FixedLenFeature | FixedLenSequenceFeature) -> None:
        if feature.shape is None:
            raise ValueError(f"Missing shape for feature {key}. Received feature={feature}.")
        shape = as_shape(feature.shape)
        if isinstance(feature, FixedLenFeature):
            if feature.shape and shape.rank and shape.as_list()[0] is None:
                raise ValueError(
                    f"First dimension of shape for feature {key} unknown. Consider using "
                    f"FixedLenSequenceFeature. Received feature={feature}."
                )
            if not shape.is_fully_defined():
                raise ValueError(
                    f"All dimensions of shape for feature {key} need to be known but received "
                    f"{feature.shape!s}."
                )
        elif feature.allow_missing:
            self.defaults[key] = None
        self.dense_keys.append(key)
        self.dense_shapes.append(shape)
        self.dense_types.append(as_dtype(feature.dtype))
        if feature.default_value is not None:
            self.defaults[key] = feature.default_value
