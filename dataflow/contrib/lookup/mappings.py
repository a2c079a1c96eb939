"""Tables of a mapping, which tf.lookup calls a vocabulary, and look-ups that make them."""

from __future__ import annotations

from typing import Any

from dataflow.library.lookup import vocabularies
from dataflow.library.lookup.hashing import FastHashSpec, HasherSpec
from dataflow.library.lookup.tables import LookupInterface
from dataflow.values import dtypes


def index_table_from_tensor(
    mapping: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    dtype: Any = dtypes.string,
    name: str | None = None,
) -> LookupInterface:
    """As the table of tf.lookup, from words to their places.

    Args:
      mapping: A vector of words, strings or integers.
      num_oov_buckets: How many buckets there are for other words; 0 for `default_value`.
      default_value: The number of other words if there are no buckets.
      hasher_spec: Which hash function tells the bucket of a word.
      dtype: Type of the words.
      name: Name of the table.
    """
    return vocabularies.index_table_from_tensor(
        mapping, num_oov_buckets, default_value, hasher_spec, dtype, name
    )


def index_to_string_table_from_tensor(
    mapping: Any, default_value: str = "UNK", name: str | None = None
) -> LookupInterface:
    """As the table of tf.lookup, from places to words."""
    return vocabularies.index_to_string_table_from_tensor(mapping, default_value, name)


def string_to_index_table_from_tensor(
    mapping: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    name: str | None = None,
) -> LookupInterface:
    """`index_table_from_tensor` of strings."""
    return index_table_from_tensor(
        mapping, num_oov_buckets, default_value, hasher_spec, dtypes.string, name
    )


def string_to_index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    name: str | None = None,
) -> LookupInterface:
    """`index_table_from_file` of strings."""
    return vocabularies.index_table_from_file(
        vocabulary_file,
        num_oov_buckets,
        vocab_size,
        default_value,
        hasher_spec,
        dtypes.string,
        name,
    )


def string_to_index(
    tensor: Any, mapping: Any, default_value: int = -1, name: str | None = None
) -> Any:
    """The places of words in a mapping, by a table that `tf.tables_initializer` fills."""
    return index_table_from_tensor(mapping, default_value=default_value, name=name).lookup(tensor)


def index_to_string(
    tensor: Any, mapping: Any, default_value: str = "UNK", name: str | None = None
) -> Any:
    """The words at places of a mapping, by a table that `tf.tables_initializer` fills."""
    return index_to_string_table_from_tensor(mapping, default_value, name).lookup(tensor)
