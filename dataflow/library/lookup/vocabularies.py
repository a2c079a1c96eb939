"""Tables of vocabularies, in which words that are not there get numbers by hashing."""

from __future__ import annotations

from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
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

_MISSING = -1


class StaticVocabularyTable(LookupInterface):
    """Words to numbers; those that the vocabulary lacks go to buckets behind it."""

    def __init__(
        self,
        initializer: TableInitializerBase | None,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        """Makes the table.

        Args:
          initializer: What fills the vocabulary, to int64; None for buckets alone.
          num_oov_buckets: How many buckets there are.
          lookup_key_dtype: Type of the keys that are looked up, if not the vocabulary's.
          name: Name of the table.
          experimental_is_anonymous: Whether no other table shares the vocabulary.

        Raises:
          ValueError: There are no buckets.
          TypeError: Keys are neither strings nor integers, or values are not int64.
        """
        if num_oov_buckets <= 0:
            raise ValueError(f"`oov_buckets` must be > 0; received: {num_oov_buckets}.")
        self._table: StaticHashTable | None = None
        own = dtypes.as_dtype(initializer.key_dtype if initializer else dtypes.string)
        if initializer is not None:
            if initializer.value_dtype != dtypes.int64:
                raise TypeError(
                    "Invalid `value_dtype`, expected <dtype: 'int64'> but got "
                    f"{initializer.value_dtype}."
                )
            self._table = StaticHashTable(
                initializer, _MISSING, experimental_is_anonymous=experimental_is_anonymous
            )
        asked = dtypes.as_dtype(lookup_key_dtype) if lookup_key_dtype is not None else own
        if asked.is_integer != own.is_integer or not (asked.is_integer or asked == dtypes.string):
            raise TypeError(f"Invalid `key_dtype`: {asked} with a vocabulary of {own}.")
        super().__init__(asked, dtypes.int64)
        self._buckets = num_oov_buckets
        self._name = name or (self._table.name if self._table else "hash_bucket")

    @property
    def name(self) -> str:
        """Name of the table."""
        return self._name

    @property
    def initializer(self) -> Operation | None:
        """The operation that fills the vocabulary."""
        return None if self._table is None else self._table.initializer

    def size(self, name: str | None = None) -> Tensor:
        """How many numbers there are, those of buckets included."""
        with name_scope(name, f"{self.name}_Size"):
            buckets = convert_to_tensor(self._buckets, dtype=dtypes.int64)
            return buckets if self._table is None else self._table.size() + buckets

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The numbers of keys, dense or sparse."""
        words = (
            keys.values
            if isinstance(keys, SparseTensor)
            else convert_to_tensor(keys, dtype=None if isinstance(keys, Tensor) else self.key_dtype)
        )
        if words.dtype.base_dtype != self.key_dtype:
            raise TypeError(
                f"Dtype of argument `keys` must be {self.key_dtype}, received: {words.dtype}"
            )
        with name_scope(name, f"{self.name}_Lookup"):
            text = words if words.dtype == dtypes.string else single("AsString", words)
            ids = single("StringToHashBucketFast", text, num_buckets=self._buckets)
            if self._table is not None:
                if words.dtype.base_dtype != self._table.key_dtype:
                    words = single("Cast", words, DstT=self._table.key_dtype)
                known = self._table.lookup(words)
                is_known = single("NotEqual", known, self._table.default_value)
                ids = single("SelectV2", is_known, known, ids + self._table.size())
        if isinstance(keys, SparseTensor):
            return SparseTensor(keys.indices, ids, keys.dense_shape)
        return ids

    def __getitem__(self, keys: Any) -> Any:
        """The numbers of keys."""
        return self.lookup(keys)


def index_table_from_tensor(
    vocabulary_list: Any,
    num_oov_buckets: int = 0,
    default_value: int = -1,
    hasher_spec: None = None,
    dtype: Any = dtypes.string,
    name: str | None = None,
) -> LookupInterface:
    """A table from words to their places in a vocabulary.

    Args:
      vocabulary_list: A vector of words, strings or integers.
      num_oov_buckets: How many buckets there are for other words; 0 for `default_value`.
      default_value: The number of other words if there are no buckets.
      hasher_spec: None: FarmHash.
      dtype: Type of the words.
      name: Name of the table.

    Raises:
      ValueError: There is no vocabulary, or the number of buckets is negative.
    """
    if vocabulary_list is None:
        raise ValueError("`vocabulary_list` must be specified.")
    _check_options(num_oov_buckets, hasher_spec)
    with name_scope(name, "string_to_index"):
        words = convert_to_tensor(vocabulary_list)
        own = dtypes.int64 if words.dtype.is_integer else words.dtype
        if dtypes.as_dtype(dtype).is_integer != own.is_integer:
            raise ValueError(f"Invalid `dtype`: {dtype} with a vocabulary of {own}.")
        words = words if words.dtype == own else single("Cast", words, DstT=own)
        numbers = single("Range", 0, single("Size", words, out_type=dtypes.int32), 1)
        ids = single("Cast", numbers, DstT=dtypes.int64)
        return _index_table(
            KeyValueTensorInitializer(words, ids, name="table_init"),
            num_oov_buckets,
            default_value,
            dtype,
        )


def index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    hasher_spec: None = None,
    key_dtype: Any = dtypes.string,
    name: str | None = None,
    key_column_index: int = TextFileIndex.WHOLE_LINE,
    value_column_index: int = TextFileIndex.LINE_NUMBER,
    delimiter: str = "\t",
) -> LookupInterface:
    """A table from the words of a file to their numbers; see `index_table_from_tensor`."""
    if vocabulary_file is None or (isinstance(vocabulary_file, str) and not vocabulary_file):
        raise ValueError("`vocabulary_file` must be specified and must not be empty.")
    _check_options(num_oov_buckets, hasher_spec)
    asked = dtypes.as_dtype(key_dtype)
    with name_scope(name, "string_to_index"):
        words = TextFileIdTableInitializer(
            vocabulary_file,
            key_column_index,
            value_column_index,
            vocab_size,
            delimiter,
            "table_init",
            dtypes.int64 if asked.is_integer else asked,
        )
        return _index_table(words, num_oov_buckets, default_value, asked)


def index_to_string_table_from_tensor(
    vocabulary_list: Any, default_value: Any = "UNK", name: str | None = None
) -> StaticHashTable:
    """A table from places in a vocabulary to its words."""
    if vocabulary_list is None:
        raise ValueError("`vocabulary_list` argument must be specified.")
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
    if isinstance(vocabulary_file, str) and not vocabulary_file:
        raise ValueError("`vocabulary_file` must be specified and must not be empty.")
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
    initializer: TableInitializerBase, buckets: int, default: int, dtype: Any
) -> LookupInterface:
    if buckets:
        return StaticVocabularyTable(initializer, buckets, dtype)
    return StaticHashTable(initializer, default)


def _check_options(num_oov_buckets: int, hasher_spec: Any) -> None:
    if num_oov_buckets < 0:
        raise ValueError(f"`num_oov_buckets` must be >= 0, received: {num_oov_buckets}.")
    if hasher_spec is not None:
        raise ValueError("`hasher_spec` must be None: only FarmHash is here.")
