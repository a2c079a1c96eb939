"""Columns of categories: numbers as they are, words of a vocabulary, hashes, with weights."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.select as array_select
import dataflow.ops.math.compare as math_compare
from dataflow.feature_columns.inputs import CategoricalColumn, Inputs, as_sparse
from dataflow.feature_columns.numbers import check_key
from dataflow.graph.scopes import control_dependencies
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.library.check_values import assert_greater_equal, assert_less
from dataflow.library.files.gfile import GFile, exists
from dataflow.library.lookup.vocabularies import index_table_from_file, index_table_from_tensor
from dataflow.library.public_modules import public_module
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import identity
from dataflow.ops.text.numbers import as_string, string_to_hash_bucket_fast
from dataflow.values import dtypes, logging


class _Keyed(CategoricalColumn):
    """A column of one feature."""

    key: str

    @property
    def name(self) -> str:
        """The name of the feature."""
        return self.key

    def _of_type(self, dtype: Any) -> dict[str, Any]:
        return {self.key: public_module("io").VarLenFeature(dtype)}


def _check_types(key: str, dtype: Any, sparse: SparseTensor) -> None:
    """Does nothing where a column and its feature are both words, or both integers."""
    _check_type(sparse.dtype, f"column_name: {key} input_tensor")
    if dtype.is_integer != sparse.dtype.is_integer:
        raise ValueError(
            f"Column dtype and SparseTensors dtype must be compatible. key: {key}, column dtype: "
            f"{dtype}, tensor dtype: {sparse.dtype}"
        )


def _check_type(dtype: Any, prefix: str) -> None:
    if dtype.base_dtype != dtypes.string and not dtype.is_integer:
        raise ValueError(f"{prefix} dtype must be string or integer. dtype: {dtype}.")


def _with_values(sparse: SparseTensor, values: Any) -> SparseTensor:
    return SparseTensor(sparse.indices, values, sparse.dense_shape)


@dataclass(frozen=True)
class IdentityCategoricalColumn(_Keyed):
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
        values = cast(sparse.values, dtypes.int64, name="values")
        count = cast(self.number_buckets, dtypes.int64, name="num_buckets")
        zero = cast(0, dtypes.int64, name="zero")
        if self.default_value is None:
            column = f'categorical column "{self.name}"'
            checks = [
                assert_less(
                    values,
                    count,
                    data=[values, count],
                    message=f"Bucket index for {column} exceeds number of buckets",
                    name="assert_less_than_num_buckets",
                ),
                assert_greater_equal(
                    values,
                    zero,
                    data=[values],
                    message=f"Negative bucket index for {column}",
                    name="assert_greater_or_equal_0",
                ),
            ]
            with control_dependencies(checks):
                return _with_values(sparse, identity(values))
        wrong = math_compare.logical_or(
            math_compare.less(values, zero), math_compare.greater_equal(values, count)
        )
        default = array_fill.zeros_like(values) + cast(self.default_value, dtypes.int64)
        return _with_values(sparse, array_select.where(wrong, default, values))


@dataclass(frozen=True)
class HashedCategoricalColumn(_Keyed):
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
        _check_types(self.key, self.dtype, sparse)
        is_text = self.dtype == dtypes.string
        words = sparse.values if is_text else as_string(sparse.values)
        hashes = string_to_hash_bucket_fast(words, self.hash_bucket_size, name="lookup")
        return _with_values(sparse, hashes)


class _Vocabulary(_Keyed):
    """Words or integers by their places."""

    dtype: Any
    num_oov_buckets: int

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """See `FeatureColumn`."""
        return self._of_type(self.dtype)

    @abstractmethod
    def table(self, key_dtype: Any, name: str) -> Any:
        """What finds the places."""

    def transformed(self, inputs: Inputs) -> SparseTensor:
        """The places."""
        sparse = inputs.sparse(self.key)
        _check_types(self.key, self.dtype, sparse)
        if sparse.dtype.is_integer:
            sparse = cast(sparse, dtypes.int64)
        name = f"{self.key}_lookup"
        table = self.table(sparse.dtype.base_dtype, name)
        if inputs.state_manager is not None:
            inputs.state_manager.add_resource(self, name, table)
        found: SparseTensor = table.lookup(sparse)
        return found


@dataclass(frozen=True)
class VocabularyFileCategoricalColumn(_Vocabulary):
    """Words or integers by their lines in a file."""

    key: str
    vocabulary_file: Any
    vocabulary_size: int
    num_oov_buckets: int
    dtype: Any
    default_value: int

    @property
    def num_buckets(self) -> int:
        """See `CategoricalColumn`."""
        return self.vocabulary_size + self.num_oov_buckets

    def table(self, key_dtype: Any, name: str) -> Any:
        """What finds the lines."""
        return index_table_from_file(
            self.vocabulary_file,
            num_oov_buckets=self.num_oov_buckets,
            vocab_size=self.vocabulary_size,
            default_value=self.default_value,
            key_dtype=key_dtype,
            name=name,
        )


@dataclass(frozen=True)
class VocabularyListCategoricalColumn(_Vocabulary):
    """Words or integers by their places in a list."""

    key: str
    vocabulary_list: tuple[Any, ...]
    dtype: Any
    default_value: int
    num_oov_buckets: int

    @property
    def vocabulary_size(self) -> int:
        """How many words the list has."""
        return len(self.vocabulary_list)

    @property
    def num_buckets(self) -> int:
        """See `CategoricalColumn`."""
        return self.vocabulary_size + self.num_oov_buckets

    def table(self, key_dtype: Any, name: str) -> Any:
        """What finds the places."""
        return index_table_from_tensor(
            np.array(self.vocabulary_list, dtype=key_dtype.as_numpy_dtype),
            num_oov_buckets=self.num_oov_buckets,
            default_value=self.default_value,
            dtype=key_dtype,
            name=name,
        )


@dataclass(frozen=True)
class WeightedCategoricalColumn(CategoricalColumn):
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
        found = dict(self.categorical_column.parse_example_spec)
        key = self.weight_feature_key
        if key in found:
            raise ValueError(f"Parse config {found[key]} already exists for {key}.")
        return found | {key: public_module("io").VarLenFeature(self.dtype)}

    def transformed(self, inputs: Inputs) -> tuple[SparseTensor, SparseTensor]:
        """The ids and their weights."""
        weights = inputs.get(self.weight_feature_key)
        if self.dtype != weights.dtype.base_dtype:
            raise ValueError(f"Bad dtype, expected {self.dtype}, but got {weights.dtype}.")
        weights = as_sparse(weights, 0.0)
        if not weights.dtype.is_floating:
            weights = cast(weights, dtypes.float32)
        return inputs.get(self.categorical_column), weights

    def ids_and_weights(self, inputs: Inputs) -> tuple[SparseTensor, SparseTensor | None]:
        """See `CategoricalColumn`."""
        ids, weights = inputs.get(self)
        return ids, weights


def categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> IdentityCategoricalColumn:
    """Integers below a number, which are ids; see `IdentityCategoricalColumn`.

    Raises:
      ValueError: The number is not positive, or the default is no id.
    """
    if num_buckets < 1:
        raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(
            f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}"
        )
    check_key(key)
    return IdentityCategoricalColumn(key, num_buckets, default_value)


def categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: Any = dtypes.string
) -> HashedCategoricalColumn:
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
    check_key(key)
    dtype = dtypes.as_dtype(dtype)
    _check_type(dtype, f"column_name: {key}")
    return HashedCategoricalColumn(key, hash_bucket_size, dtype)


def categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[Any] | None,
    dtype: Any = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> VocabularyListCategoricalColumn:
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
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
    found = dtypes.as_dtype(np.array(vocabulary_list).dtype)
    _check_others(default_value != -1, num_oov_buckets, key)
    _check_type(found, f"column_name: {key} vocabulary")
    kind = found if dtype is None else dtypes.as_dtype(dtype)
    if kind.is_integer != found.is_integer:
        raise ValueError(
            f"dtype {kind} and vocabulary dtype {found} do not match, column_name: {key}"
        )
    _check_type(kind, f"column_name: {key}")
    check_key(key)
    words = tuple(vocabulary_list)
    return VocabularyListCategoricalColumn(key, words, kind, default_value, num_oov_buckets)


def categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: Any,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: Any = dtypes.string,
) -> VocabularyFileCategoricalColumn:
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
        if not exists(vocabulary_file):
            raise ValueError(f"vocabulary_file in {key} does not exist.")
        with GFile(vocabulary_file, "rb") as file:
            vocabulary_size = sum(1 for _ in file)
        logging.info(
            "vocabulary_size = %d in %s is inferred from the number of elements in the "
            "vocabulary_file %s.",
            vocabulary_size,
            key,
            vocabulary_file,
        )
    if vocabulary_size < 1:
        raise ValueError(f"Invalid vocabulary_size in {key}.")
    _check_others(default_value is not None, num_oov_buckets, key)
    dtype = dtypes.as_dtype(dtype)
    _check_type(dtype, f"column_name: {key}")
    check_key(key)
    return VocabularyFileCategoricalColumn(
        key,
        vocabulary_file,
        vocabulary_size,
        num_oov_buckets or 0,
        dtype,
        -1 if default_value is None else default_value,
    )


def weighted_categorical_column(
    categorical_column: CategoricalColumn, weight_feature_key: str, dtype: Any = dtypes.float32
) -> WeightedCategoricalColumn:
    """A column of categories, whose weights are another feature.

    Raises:
      ValueError: The type is none of numbers.
    """
    dtype = None if dtype is None else dtypes.as_dtype(dtype)
    if dtype is None or not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype {dtype} is not convertible to float.")
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, dtype)


def _check_others(has_default: bool, num_oov_buckets: int | None, key: str) -> None:
    if num_oov_buckets:
        if has_default:
            raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
        if num_oov_buckets < 0:
            raise ValueError(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")
