"""The columns that tf.feature_column came from: its columns, with names of their own.

A column of tf.feature_column may stand in the place of each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from dataflow.contrib.layers.columns.kinds import (
    IntegerizedColumn,
    OlderBucketizedColumn,
    OlderCrossedColumn,
    OlderEmbeddingColumn,
    OneHotColumn,
    RealValuedColumn,
    SparseColumn,
    WeightedSparseColumn,
)
from dataflow.feature_columns import categories
from dataflow.feature_columns.inputs import CategoricalColumn, FeatureColumn
from dataflow.feature_columns.models import make_parse_example_spec
from dataflow.feature_columns.numbers import BucketizedColumn, NumericColumn, numeric_column
from dataflow.feature_columns.vectors import EmbeddingColumn
from dataflow.feature_columns.vectors import embedding_column as later_embedding_column
from dataflow.feature_columns.vectors import shared_embedding_columns as later_shared_columns
from dataflow.library.public_modules import public_module
from dataflow.ops.basic.placeholder import placeholder
from dataflow.ops.basic.sparse_placeholder import sparse_placeholder
from dataflow.values import dtypes
from dataflow.variables.initializers import TruncatedNormal


def real_valued_column(
    column_name: str,
    dimension: int = 1,
    default_value: Any = None,
    dtype: Any = dtypes.float32,
    normalizer: Callable[[Any], Any] | None = None,
) -> RealValuedColumn:
    """Numbers of a feature; see `tf.feature_column.numeric_column`.

    Args:
      column_name: The name of the feature.
      dimension: How many numbers an example has.
      default_value: What an example without the feature has, when it is parsed.
      dtype: The type in examples.
      normalizer: A function of the numbers.

    Raises:
      TypeError: The dimension is no integer.
      ValueError: It is not positive, there are not as many defaults, or the type is another.
    """
    if not isinstance(dimension, int):
        raise TypeError(
            f"dimension must be an integer. dimension: {dimension}, column_name: {column_name}"
        )
    if dimension < 1:
        raise ValueError(
            f"dimension must be greater than 0. dimension: {dimension}, column_name: {column_name}"
        )
    if isinstance(default_value, list) and len(default_value) != dimension:
        raise ValueError(
            f"The length of default_value must be equal to dimension. default_value: "
            f"{default_value}, dimension: {dimension}, column_name: {column_name}"
        )
    made = numeric_column(column_name, dimension, default_value, dtype, normalizer)
    return RealValuedColumn(made)


def bucketized_column(source_column: Any, boundaries: Any) -> OlderBucketizedColumn:
    """Which range numbers lie in; boundaries that come twice count once.

    Raises:
      TypeError: The source is no column of numbers.
      ValueError: The boundaries are none, or not sorted.
    """
    if not isinstance(source_column, (RealValuedColumn, NumericColumn)):
        raise TypeError(
            "source_column must be an instance of _RealValuedColumn. source_column: "
            f"{source_column}"
        )
    if not isinstance(boundaries, (list, tuple)) or not boundaries:
        raise ValueError(f"boundaries must be a non-empty list or tuple. boundaries: {boundaries}")
    if list(boundaries) != sorted(boundaries):
        raise ValueError(f"boundaries must be a sorted list. boundaries: {boundaries}")
    numbers = source_column.column if isinstance(source_column, RealValuedColumn) else source_column
    return OlderBucketizedColumn(numbers, tuple(sorted(set(boundaries))))


def sparse_column_with_integerized_feature(
    column_name: str, bucket_size: int, combiner: str = "sum", dtype: Any = dtypes.int64
) -> SparseColumn:
    """Integers, which are ids below a number after a division by it.

    Args:
      column_name: The name of the feature.
      bucket_size: The number.
      combiner: "mean", "sqrtn" or "sum", of an example with several ids.
      dtype: The type of the feature.

    Raises:
      ValueError: The number is not positive, or the type is none of integers.
    """
    _check_size(bucket_size, column_name)
    if not dtypes.as_dtype(dtype).is_integer:
        raise ValueError(f"dtype must be an integer. dtype: {dtype}, column_name: {column_name}")
    return SparseColumn(IntegerizedColumn(column_name, bucket_size, dtype), combiner)


def sparse_column_with_hash_bucket(
    column_name: str,
    hash_bucket_size: int,
    combiner: str = "sum",
    dtype: Any = dtypes.string,
    hash_keys: Any = None,
) -> SparseColumn:
    """Words or integers by their hashes below a number.

    Args:
      column_name: The name of the feature.
      hash_bucket_size: The number.
      combiner: "mean", "sqrtn" or "sum", of an example with several ids.
      dtype: The type of the feature.
      hash_keys: Not offered: None.

    Raises:
      NotImplementedError: There are keys.
      ValueError: The number is not positive.
    """
    if hash_keys is not None:
        raise NotImplementedError("hash_keys are not offered: several hashes of each word.")
    _check_size(hash_bucket_size, column_name)
    column = categories.categorical_column_with_hash_bucket(column_name, hash_bucket_size, dtype)
    return SparseColumn(column, combiner)


def sparse_column_with_keys(
    column_name: str,
    keys: Sequence[Any],
    default_value: int = -1,
    combiner: str = "sum",
    dtype: Any = dtypes.string,
) -> SparseColumn:
    """Words or integers by their places in a list.

    Args:
      column_name: The name of the feature.
      keys: The list.
      default_value: The id of others.
      combiner: "mean", "sqrtn" or "sum", of an example with several ids.
      dtype: The type of the feature.
    """
    column = categories.categorical_column_with_vocabulary_list(
        column_name, tuple(keys), dtype, default_value
    )
    return SparseColumn(column, combiner)


def sparse_column_with_vocabulary_file(
    column_name: str,
    vocabulary_file: Any,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    combiner: str = "sum",
    dtype: Any = dtypes.string,
) -> SparseColumn:
    """Words or integers by their lines in a file.

    Args:
      column_name: The name of the feature.
      vocabulary_file: The file.
      num_oov_buckets: How many further ids others have, by their hashes.
      vocab_size: How many lines count.
      default_value: The id of others.
      combiner: "mean", "sqrtn" or "sum", of an example with several ids.
      dtype: The type of the feature.

    Raises:
      ValueError: The number of lines is not given.
    """
    if vocab_size is None:
        raise ValueError(f"vocab_size should be defined. column_name: {column_name}")
    column = categories.categorical_column_with_vocabulary_file(
        column_name, vocabulary_file, vocab_size, num_oov_buckets, default_value, dtype
    )
    return SparseColumn(column, combiner)


def weighted_sparse_column(
    sparse_id_column: Any, weight_column_name: str, dtype: Any = dtypes.float32
) -> WeightedSparseColumn:
    """Categories, whose weights are another feature."""
    column = categories.weighted_categorical_column(sparse_id_column, weight_column_name, dtype)
    return WeightedSparseColumn(sparse_id_column, column)


def one_hot_column(sparse_id_column: Any) -> OneHotColumn:
    """Categories as counts of each id."""
    return OneHotColumn(sparse_id_column)


def embedding_column(
    sparse_id_column: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    ckpt_to_load_from: Any = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> OlderEmbeddingColumn:
    """Categories as vectors; see `tf.feature_column.embedding_column`.

    The table begins with normal numbers of the deviation `1 / sqrt(number of ids)`.
    """
    return _older(
        later_embedding_column(
            sparse_id_column,
            dimension,
            combiner,
            initializer or _normal(sparse_id_column),
            ckpt_to_load_from,
            tensor_name_in_ckpt,
            max_norm,
            trainable,
        )
    )


def shared_embedding_columns(
    sparse_id_columns: Any,
    dimension: int,
    combiner: str = "mean",
    shared_embedding_name: str | None = None,
    initializer: Any = None,
    ckpt_to_load_from: Any = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> list[OlderEmbeddingColumn]:
    """Several columns of as many categories as vectors of one table.

    Raises:
      TypeError: They are no list, or one has no categories.
      ValueError: There are none, or their numbers of categories differ.
    """
    if not isinstance(sparse_id_columns, (list, tuple)):
        raise TypeError(
            "sparse_id_columns must be a non-string sequence (ex: list or tuple) instead of type "
            f"{type(sparse_id_columns)}."
        )
    if not sparse_id_columns:
        raise ValueError("The input sparse_id_columns should have at least one element.")
    for column in sparse_id_columns:
        if not isinstance(column, CategoricalColumn):
            raise TypeError(
                "Elements of sparse_id_columns must be _SparseColumn or _WeightedSparseColumn, but "
                f"{column} is not."
            )
    made = later_shared_columns(
        sparse_id_columns,
        dimension,
        combiner,
        initializer or _normal(sparse_id_columns[0]),
        shared_embedding_name,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        max_norm,
        trainable,
    )
    return [_older(each) for each in made]


def crossed_column(
    columns: Any,
    hash_bucket_size: int,
    combiner: str = "sum",
    ckpt_to_load_from: Any = None,
    tensor_name_in_ckpt: str | None = None,
    hash_key: int | None = None,
) -> OlderCrossedColumn:
    """Each combination of one category of each column, by its hash below a number.

    Args:
      columns: Columns of words, of ranges, or crossed ones.
      hash_bucket_size: The number.
      combiner: "mean", "sqrtn" or "sum", of an example with several combinations.
      ckpt_to_load_from: A checkpoint that the weights of a linear model begin with.
      tensor_name_in_ckpt: The name that they have there.
      hash_key: What hashes begin with; without one they are made in an older way.

    Raises:
      TypeError: One is another thing.
      ValueError: There are fewer than two, the number is less than 2, or of a checkpoint and a
        name one is missing.
    """
    for column in columns:
        if not isinstance(column, (SparseColumn, OlderCrossedColumn, BucketizedColumn)):
            raise TypeError(
                "columns must be a set of _SparseColumn, _CrossedColumn, or _BucketizedColumn "
                f"instances. (column {column} is a {type(column).__name__})"
            )
    if len(columns) < 2:
        raise ValueError(f"columns must contain at least 2 elements. columns: {columns}")
    if hash_bucket_size < 2:
        raise ValueError(
            f"hash_bucket_size must be at least 2. hash_bucket_size: {hash_bucket_size}"
        )
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise ValueError(
            "Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them."
        )
    return OlderCrossedColumn(
        tuple(sorted(columns, key=lambda column: str(column.name))),
        hash_bucket_size,
        hash_key,
        combiner,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
    )


def create_feature_spec_for_parsing(feature_columns: Any) -> dict[str, Any]:
    """What `tf.io.parse_example` is to take for columns.

    Raises:
      TypeError: One is no column.
    """
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise TypeError(
                "feature_columns should only contain instances of _FeatureColumn. Given column is "
                f"{column}"
            )
    return make_parse_example_spec(feature_columns)


def make_place_holder_tensors_for_base_features(feature_columns: Any) -> dict[str, Any]:
    """Placeholders for the features of columns, by name."""
    varying = public_module("io").VarLenFeature
    return {
        name: sparse_placeholder(feature.dtype)
        if isinstance(feature, varying)
        else placeholder(feature.dtype, [None, *feature.shape])
        for name, feature in create_feature_spec_for_parsing(feature_columns).items()
    }


def combiner_of(column: Any) -> str:
    """How a linear model combines the weights of an example's categories."""
    return str(getattr(column, "combiner", "sum"))


def _check_size(bucket_size: int, name: str) -> None:
    if bucket_size < 1:
        raise ValueError(
            f"bucket_size must be at least 1. bucket_size: {bucket_size}, column_name: {name}"
        )


def _normal(column: Any) -> TruncatedNormal:
    return TruncatedNormal(0.0, 1 / math.sqrt(column.num_buckets))


def _older(column: EmbeddingColumn) -> OlderEmbeddingColumn:
    told = dict(vars(column))
    told["shared_name"] = told.pop("shared_embedding_collection_name", None)
    return OlderEmbeddingColumn(**told)
