"""Columns of categories: numbers as they are, words of a vocabulary, hashes, with weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.select as array_select
import dataflow.ops.math.compare as math_compare
from dataflow.feature_columns.inputs import CategoricalColumn, Inputs
from dataflow.graph.scopes import control_dependencies
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.library.check_values import assert_greater_equal, assert_less
from dataflow.library.lookup.vocabularies import index_table_from_file, index_table_from_tensor
from dataflow.library.public_modules import public_module
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import identity
from dataflow.ops.text.numbers import as_string, string_to_hash_bucket_fast
from dataflow.values import dtypes


class _Keyed(CategoricalColumn):
    """A column of one feature."""

    key: str

    @property
    def name(self) -> str:
        """The name of the feature."""
        return self.key

    def _of_type(self, dtype: Any) -> dict[str, Any]:
        return {self.key: public_module("io").VarLenFeature(dtype)}


def _with_values(sparse: SparseTensor, values: Any) -> SparseTensor:
    return SparseTensor(sparse.indices, values, sparse.dense_shape)


@dataclass(frozen=True)
class IdentityColumn(_Keyed):
    """Integers that are ids."""

    key: str
    number_buckets: int
    default_value: int | None

    @property
    def num_buckets(self) -> int:
        """See `CategoricalColumn`."""
        return self.number_buckets

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """See `FeatureColumn`."""
        return self._of_type(dtypes.int64)

    def transformed(self, inputs: Inputs) -> SparseTensor:
        """The ids; the default for what is out of range, or else the step fails."""
        sparse = inputs.sparse(self.key)
        if not sparse.dtype.is_integer:
            raise ValueError(f"Invalid input, not integer. key: {self.key} dtype: {sparse.dtype}")
        values = cast(sparse.values, dtypes.int64)
        count = cast(self.number_buckets, dtypes.int64)
        zero = cast(0, dtypes.int64)
        if self.default_value is None:
            checks = [
                assert_less(values, count, message=f"Bad id of {self.key}: too large"),
                assert_greater_equal(values, zero, message=f"Bad id of {self.key}: negative"),
            ]
            with control_dependencies(checks):
                return _with_values(sparse, identity(values))
        wrong = math_compare.logical_or(
            math_compare.less(values, zero), math_compare.greater_equal(values, count)
        )
        default = array_fill.zeros_like(values) + cast(self.default_value, dtypes.int64)
        return _with_values(sparse, array_select.where(wrong, default, values))


@dataclass(frozen=True)
class HashedColumn(_Keyed):
    """Words or integers by their hashes."""

    key: str
    hash_bucket_size: int
    dtype: Any

    @property
    def num_buckets(self) -> int:
        """See `CategoricalColumn`."""
        return self.hash_bucket_size

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """See `FeatureColumn`."""
        return self._of_type(self.dtype)

    def transformed(self, inputs: Inputs) -> SparseTensor:
        """The hashes."""
        sparse = inputs.sparse(self.key)
        is_text = sparse.dtype.base_dtype == dtypes.string
        if is_text != (self.dtype == dtypes.string):
            raise ValueError(
                f"Column dtype and SparseTensors dtype must be compatible. key: {self.key}, "
                f"column dtype: {self.dtype}, tensor dtype: {sparse.dtype}"
            )
        words = sparse.values if is_text else as_string(sparse.values)
        return _with_values(sparse, string_to_hash_bucket_fast(words, self.hash_bucket_size))


@dataclass(frozen=True)
class VocabularyColumn(_Keyed):
    """Words or integers by their places in a list or file."""

    key: str
    vocabulary: Any
    is_file: bool
    size: int
    dtype: Any
    default_value: int
    num_oov_buckets: int

    @property
    def vocabulary_file(self) -> Any:
        """The file."""
        return self.vocabulary

    @property
    def vocabulary_list(self) -> Any:
        """The list."""
        return self.vocabulary

    @property
    def vocabulary_size(self) -> int:
        """How many words the list has, or count of the file."""
        return self.size

    @property
    def num_buckets(self) -> int:
        """See `CategoricalColumn`."""
        return self.size + self.num_oov_buckets

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """See `FeatureColumn`."""
        return self._of_type(self.dtype)

    def transformed(self, inputs: Inputs) -> SparseTensor:
        """The places."""
        sparse = inputs.sparse(self.key)
        if (sparse.dtype.base_dtype == dtypes.string) != (self.dtype == dtypes.string):
            raise ValueError(
                f"Column dtype and SparseTensors dtype must be compatible. key: {self.key}, "
                f"column dtype: {self.dtype}, tensor dtype: {sparse.dtype}"
            )
        key_dtype = dtypes.string if self.dtype == dtypes.string else dtypes.int64
        values = sparse.values if key_dtype == dtypes.string else cast(sparse.values, key_dtype)
        name = f"{self.key}_lookup"
        if self.is_file:
            table = index_table_from_file(
                self.vocabulary,
                num_oov_buckets=self.num_oov_buckets,
                vocab_size=self.size,
                default_value=self.default_value,
                key_dtype=key_dtype,
                name=name,
            )
        else:
            table = index_table_from_tensor(
                np.array(self.vocabulary, dtype=key_dtype.as_numpy_dtype),
                num_oov_buckets=self.num_oov_buckets,
                default_value=self.default_value,
                dtype=key_dtype,
                name=name,
            )
        return _with_values(sparse, table.lookup(values))


@dataclass(frozen=True)
class WeightedColumn(CategoricalColumn):
    """A column of categories, whose weights are another feature."""

    categorical_column: CategoricalColumn
    weight_feature_key: str
    dtype: Any

    @property
    def name(self) -> str:
        """Both names."""
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def num_buckets(self) -> int:
        """See `CategoricalColumn`."""
        return self.categorical_column.num_buckets

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """See `FeatureColumn`."""
        weights = {self.weight_feature_key: public_module("io").VarLenFeature(self.dtype)}
        return self.categorical_column.parse_example_spec | weights

    def transformed(self, inputs: Inputs) -> tuple[SparseTensor, SparseTensor]:
        """The ids and their weights."""
        weights = inputs.sparse(self.weight_feature_key, 0.0)
        if not (weights.dtype.is_floating or weights.dtype.is_integer):
            raise ValueError(f"Bad dtype, expected {self.dtype}, but got {weights.dtype}.")
        weights = _with_values(weights, cast(weights.values, dtypes.float32))
        return inputs.get(self.categorical_column), weights

    def ids_and_weights(self, inputs: Inputs) -> tuple[SparseTensor, SparseTensor | None]:
        """See `CategoricalColumn`."""
        ids, weights = inputs.get(self)
        return ids, weights


def categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> IdentityColumn:
    """Integers below a number, which are ids; see `IdentityColumn`.

    Raises:
      ValueError: The number is not positive, or the default is no id.
    """
    if num_buckets < 1:
        raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(
            f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}"
        )
    return IdentityColumn(key, num_buckets, default_value)


def categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: Any = dtypes.string
) -> HashedColumn:
    """Words or integers by their hashes below a number.

    Raises:
      ValueError: The number is not positive, or the type is another.
    """
    if hash_bucket_size is None:
        raise ValueError(f"hash_bucket_size must be set. key: {key}")
    if hash_bucket_size < 1:
        raise ValueError(
            f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}"
        )
    return HashedColumn(key, hash_bucket_size, _text_or_integer(dtype, key))


def categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[Any],
    dtype: Any = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> VocabularyColumn:
    """Words or integers by their places in a list.

    Args:
      key: The name of the feature.
      vocabulary_list: The words.
      dtype: Their type; what they are if None.
      default_value: The id of others.
      num_oov_buckets: How many further ids others have, by their hashes.

    Raises:
      ValueError: The list is empty, or has something twice, or others are dealt with in two ways.
    """
    if len(vocabulary_list) < 1:
        raise ValueError(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
    found = dtypes.as_dtype(np.array(vocabulary_list).dtype)
    _check_others(default_value, num_oov_buckets, key)
    kind = _text_or_integer(found if dtype is None else dtype, key)
    if (kind == dtypes.string) != (found == dtypes.string):
        raise ValueError(
            f"dtype {kind} and vocabulary dtype {found} do not match, column_name: {key}"
        )
    return VocabularyColumn(
        key,
        tuple(vocabulary_list),
        False,
        len(vocabulary_list),
        kind,
        default_value,
        num_oov_buckets,
    )


def categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: Any,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: Any = dtypes.string,
) -> VocabularyColumn:
    """Words or integers by their lines in a file.

    Args:
      key: The name of the feature.
      vocabulary_file: The file.
      vocabulary_size: How many lines count; all if None.
      num_oov_buckets: How many further ids others have, by their hashes.
      default_value: The id of others; -1 if None.
      dtype: The type of the feature.

    Raises:
      ValueError: There is no file, the size is not positive, or others are dealt with in two ways.
    """
    if not vocabulary_file:
        raise ValueError(f"Missing vocabulary_file in {key}.")
    if vocabulary_size is None:
        try:
            with open(vocabulary_file, encoding="utf-8") as file:
                vocabulary_size = sum(1 for _ in file)
        except FileNotFoundError:
            raise ValueError(f"vocabulary_file in {key} does not exist.") from None
    if vocabulary_size < 1:
        raise ValueError(f"Invalid vocabulary_size in {key}.")
    _check_others(-1 if default_value is None else default_value, num_oov_buckets, key)
    return VocabularyColumn(
        key,
        vocabulary_file,
        True,
        vocabulary_size,
        _text_or_integer(dtype, key),
        -1 if default_value is None else default_value,
        num_oov_buckets,
    )


def weighted_categorical_column(
    categorical_column: CategoricalColumn, weight_feature_key: str, dtype: Any = dtypes.float32
) -> WeightedColumn:
    """A column of categories, whose weights are another feature.

    Raises:
      ValueError: The type is none of numbers.
    """
    dtype = dtypes.as_dtype(dtype)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype {dtype} is not convertible to float.")
    return WeightedColumn(categorical_column, weight_feature_key, dtype)


def _check_others(default_value: int, num_oov_buckets: int, key: str) -> None:
    if num_oov_buckets < 0:
        raise ValueError(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")
    if num_oov_buckets and default_value != -1:
        raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")


def _text_or_integer(dtype: Any, key: str) -> Any:
    dtype = dtypes.as_dtype(dtype)
    if dtype != dtypes.string and not dtype.is_integer:
        raise ValueError(f"dtype must be string or integer. dtype: {dtype}, column_name: {key}")
    return dtype
