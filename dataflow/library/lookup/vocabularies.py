"""Tables from the words of a vocabulary to their places, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.graph.constant_value import constant_value
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.lookup.buckets import IdTableWithHashBuckets
from dataflow.library.lookup.hashing import FastHashSpec, HasherSpec
from dataflow.library.lookup.initializers import (
    KeyValueTensorInitializer,
    TableInitializerBase,
    TextFileIdTableInitializer,
    TextFileIndex,
    TextFileStringTableInitializer,
)
from dataflow.library.lookup.tables import LookupInterface, StaticHashTable
from dataflow.ops.basic.single import single
from dataflow.values import dtypes


def index_table_from_tensor(
    vocabulary_list: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    dtype: Any = dtypes.string,
    name: str | None = None,
) -> LookupInterface:
    """A table from words to their places in a vocabulary.

    Args:
      vocabulary_list: A vector of words, strings or integers.
      num_oov_buckets: How many buckets there are for other words; 0 for `default_value`.
      default_value: The number of other words if there are no buckets.
      hasher_spec: Which hash function tells the bucket of a word.
      dtype: Type of the words.
      name: Name of the table.

    Raises:
      TypeError: `dtype` is neither one of integers nor string.
      ValueError: There is no vocabulary, it has words of another type, or the number of buckets is
        negative.
    """
    if vocabulary_list is None:
        raise ValueError("vocabulary_list must be specified.")
    _check_buckets(num_oov_buckets)
    asked = dtypes.as_dtype(dtype)
    if not asked.is_integer and asked.base_dtype != dtypes.string:
        raise TypeError("Only integer and string keys are supported.")
    with name_scope(name, "string_to_index"):
        words = convert_to_tensor(vocabulary_list)
        if asked.is_integer != words.dtype.is_integer:
            kind = "integer" if asked.is_integer else "non-integer"
            raise ValueError(f"Expected {kind}, got {words.dtype}.")
        if not asked.is_integer and words.dtype.base_dtype != asked:
            raise ValueError(f"Expected {asked}, got {words.dtype}.")
        own = dtypes.int64 if asked.is_integer else words.dtype
        words = words if words.dtype == own else single("Cast", words, DstT=own)
        numbers = single("Range", 0, single("Size", words, out_type=dtypes.int32), 1)
        ids = single("Cast", numbers, DstT=dtypes.int64)
        return _index_table(
            lambda: KeyValueTensorInitializer(words, ids, name="table_init"),
            num_oov_buckets,
            default_value,
            dtype,
            hasher_spec,
        )


def index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    key_dtype: Any = dtypes.string,
    name: str | None = None,
    key_column_index: int = TextFileIndex.WHOLE_LINE,
    value_column_index: int = TextFileIndex.LINE_NUMBER,
    delimiter: str = "\t",
) -> LookupInterface:
    """A table from the words of a file to their numbers; see `index_table_from_tensor`."""
    if vocabulary_file is None or (isinstance(vocabulary_file, str) and not vocabulary_file):
        raise ValueError("vocabulary_file must be specified and must not be empty.")
    _check_buckets(num_oov_buckets)
    if vocab_size is not None and vocab_size < 1:
        is_tensor = isinstance(vocabulary_file, Tensor)
        file = (constant_value(vocabulary_file) or "?") if is_tensor else vocabulary_file
        raise ValueError(
            f"vocab_size must be greater than 0, got {vocab_size}. vocabulary_file: {file}"
        )
    asked = dtypes.as_dtype(key_dtype)
    if not asked.is_integer and asked.base_dtype != dtypes.string:
        raise TypeError("Only integer and string keys are supported.")

    def words() -> TextFileIdTableInitializer:
        return TextFileIdTableInitializer(
            vocabulary_file,
            key_column_index,
            value_column_index,
            vocab_size,
            delimiter,
            "table_init",
            dtypes.int64 if asked.is_integer else asked,
        )

    with name_scope(name, "string_to_index"):
        return _index_table(words, num_oov_buckets, default_value, asked, hasher_spec)


def index_to_string_table_from_tensor(
    vocabulary_list: Any, default_value: Any = "UNK", name: str | None = None
) -> StaticHashTable:
    """A table from places in a vocabulary to its words."""
    if vocabulary_list is None:
        raise ValueError("vocabulary_list must be specified.")
    with name_scope(name, "index_to_string"):
        words = convert_to_tensor(vocabulary_list, dtype=dtypes.string)
        numbers = single("Range", 0, single("Size", words, out_type=dtypes.int32), 1)
        ids = single("Cast", numbers, DstT=dtypes.int64)
        return StaticHashTable(
            KeyValueTensorInitializer(ids, words, name="table_init"), default_value
        )


def index_to_string_table_from_file(
    vocabulary_file: Any,
    vocab_size: int | None = None,
    default_value: Any = "UNK",
    name: str | None = None,
    key_column_index: int = TextFileIndex.LINE_NUMBER,
    value_column_index: int = TextFileIndex.WHOLE_LINE,
    delimiter: str = "\t",
) -> StaticHashTable:
    """A table from the numbers of a file's lines to their words."""
    if vocabulary_file is None or (isinstance(vocabulary_file, str) and not vocabulary_file):
        raise ValueError("vocabulary_file must be specified and must not be empty.")
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"vocab_size must be greater than 0, got {vocab_size}.")
    with name_scope(name, "index_to_string"):
        words = TextFileStringTableInitializer(
            vocabulary_file,
            key_column_index,
            value_column_index,
            vocab_size,
            delimiter,
            "table_init",
        )
        return StaticHashTable(words, default_value)


def _index_table(
    initializer: Callable[[], TableInitializerBase],
    buckets: int,
    default: int,
    dtype: Any,
    spec: HasherSpec,
) -> LookupInterface:
    with name_scope(None, "hash_table"):
        table = StaticHashTable(initializer(), default)
    return IdTableWithHashBuckets(table, buckets, spec, key_dtype=dtype) if buckets else table


def _check_buckets(num_oov_buckets: int) -> None:
    if num_oov_buckets < 0:
        raise ValueError(f"num_oov_buckets must be greater or equal than 0, got {num_oov_buckets}.")
