"""Combinations of categories, by their hashes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dataflow.feature_columns.categories import HashedCategoricalColumn
from dataflow.feature_columns.inputs import CategoricalColumn, Inputs
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.library.public_modules import public_module
from dataflow.ops.sparse.cross import sparse_cross_hashed
from dataflow.values import dtypes


@dataclass(frozen=True)
class CrossedColumn(CategoricalColumn):
    """Each combination of one category of each column."""

    keys: tuple[Any, ...]
    hash_bucket_size: int
    hash_key: int | None

    @property
    def name(self) -> str:
        """The names of all features, sorted."""
        return "_X_".join(
            sorted(key if isinstance(key, str) else str(key.name) for key in self._leaves())
        )

    @property
    def num_buckets(self) -> int:
        """See `CategoricalColumn`."""
        return self.hash_bucket_size

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """See `FeatureColumn`."""
        found: dict[str, Any] = {}
        for key in self.keys:
            if isinstance(key, str):
                found[key] = public_module("io").VarLenFeature(dtypes.string)
            else:
                found.update(key.parse_example_spec)
        return found

    def transformed(self, inputs: Inputs) -> SparseTensor:
        """The hashes of the combinations."""
        tensors = []
        for key in self._leaves():
            if isinstance(key, str):
                tensors.append(inputs.get(key))
                continue
            ids, weights = key.ids_and_weights(inputs)
            if weights is not None:
                raise ValueError(
                    "crossed_column does not support weight_tensor, but the given column "
                    f"populates weight_tensor. Given column: {key.name}"
                )
            tensors.append(ids)
        return sparse_cross_hashed(tensors, self.hash_bucket_size, self.hash_key)

    def _leaves(self) -> Iterator[Any]:
        """Features and columns, those of crossed columns among them."""
        for key in self.keys:
            if isinstance(key, CrossedColumn):
                yield from key._leaves()
            else:
                yield key


def crossed_column(keys: Any, hash_bucket_size: int, hash_key: int | None = None) -> CrossedColumn:
    """Each combination of one category of each column, by its hash below a number.

    Args:
      keys: Names of features, or columns of categories that are no hashes.
      hash_bucket_size: The number.
      hash_key: What hashes begin with.

    Raises:
      ValueError: There are fewer than two, the number is not positive, or a column cannot be
        crossed.
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {keys}")
    for key in keys:
        if not isinstance(key, (str, CategoricalColumn)):
            raise ValueError(
                "Unsupported key type. All keys must be either string, or categorical column "
                f"except HashedCategoricalColumn. Given: {key}"
            )
        if isinstance(key, HashedCategoricalColumn):
            raise ValueError(
                "categorical_column_with_hash_bucket is not supported for crossing. Hashing before "
                "crossing will increase probability of collision. Instead, use the feature name as "
                f"a string. Given: {key}"
            )
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)
