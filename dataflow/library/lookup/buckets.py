"""Tables in which words that a vocabulary lacks get numbers by hashing."""

from __future__ import annotations

from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.library.lookup.hashing import FastHashSpec, HasherSpec, buckets_of, check_hasher
from dataflow.library.lookup.initializers import TableInitializerBase
from dataflow.library.lookup.tables import HandleTable, LookupInterface, StaticHashTable
from dataflow.ops.basic.identity import no_op
from dataflow.ops.basic.single import single
from dataflow.values import dtypes

_MISSING = -1


class IdTableWithHashBuckets(LookupInterface):
    """Words to numbers by a table; those that it lacks go to buckets behind its numbers."""

    def __init__(
        self,
        table: HandleTable | None,
        num_oov_buckets: int,
        hasher_spec: HasherSpec = FastHashSpec,
        name: str | None = None,
        key_dtype: Any = None,
    ) -> None:
        """Puts buckets behind a table.

        Args:
          table: The table, to int64; None for buckets alone.
          num_oov_buckets: How many buckets there are; 0 for none.
          hasher_spec: Which hash function tells the bucket of a word.
          name: Name of the whole.
          key_dtype: Type of the keys that are looked up, if not the table's.

        Raises:
          ValueError: There are neither a table nor buckets.
          TypeError: Keys are neither strings nor integers, or values are not int64.
        """
        own = table.key_dtype if table is not None else dtypes.string
        if table is None and num_oov_buckets <= 0:
            raise ValueError("oov_buckets must be > 0 if no table is supplied.")
        if table is not None and table.value_dtype != dtypes.int64:
            raise TypeError(
                f"Invalid value dtype, expected {dtypes.int64} but got {table.value_dtype}."
            )
        asked = own if key_dtype is None else dtypes.as_dtype(key_dtype)
        if table is not None and asked.is_integer != own.is_integer:
            expected = "integer" if asked.is_integer else "non-integer"
            raise TypeError(f"Invalid key dtype, expected {expected} but got {own!r}.")
        if not (asked.is_integer or asked == dtypes.string):
            raise TypeError(f"Invalid key_dtype, expected integer or string, got {asked!r}.")
        super().__init__(asked, dtypes.int64)
        self._table, self._buckets = table, num_oov_buckets
        self._resource_handle = None if table is None else table.resource_handle
        self._hasher = check_hasher(hasher_spec)
        self._name = name or (table.name if table is not None else "hash_bucket")

    @property
    def name(self) -> str:
        """Name of the table."""
        return self._name

    @property
    def initializer(self) -> Operation:
        """The operation that fills the vocabulary; one that does nothing if there is none."""
        if isinstance(self._table, StaticHashTable):
            return self._table.initializer
        with name_scope(None, "initializer"):
            return no_op()

    def _create_resource(self) -> Tensor | None:
        return None if self._table is None else self._table._create_resource()

    def _initialize(self) -> Operation | None:
        return None if self._table is None else self._table._initialize()

    def size(self, name: str | None = None) -> Tensor:
        """How many numbers there are, those of buckets included."""
        with name_scope(name, f"{self.name}_Size"):
            if self._table is None:
                return convert_to_tensor(self._buckets, dtype=dtypes.int64)
            return self._table.size() + self._buckets

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The numbers of keys, dense or sparse.

        Raises:
          TypeError: The keys are of another type than the table's.
        """
        words = (
            keys.values
            if isinstance(keys, SparseTensor)
            else convert_to_tensor(keys, dtype=None if isinstance(keys, Tensor) else self.key_dtype)
        )
        if words.dtype.base_dtype != self.key_dtype:
            raise TypeError(
                f"Signature mismatch. Keys must be dtype {self.key_dtype}, got {words.dtype}."
            )
        with name_scope(name, f"{self.name}_Lookup") as scope:
            ids = self._ids(words, scope)
        if isinstance(keys, SparseTensor):
            return SparseTensor(keys.indices, ids, keys.dense_shape)
        return ids

    def __getitem__(self, keys: Any) -> Any:
        """The numbers of keys."""
        return self.lookup(keys)

    def _ids(self, words: Tensor, scope: str) -> Tensor:
        table = self._table
        known = words
        if table is not None and words.dtype.base_dtype != table.key_dtype:
            known = single("Cast", words, DstT=table.key_dtype)
        if table is not None and not self._buckets:
            found: Tensor = table.lookup(known, name=scope)
            return found
        text = words if words.dtype == dtypes.string else single("AsString", words)
        ids = buckets_of(text, self._buckets, self._hasher, "hash_bucket")
        if table is None:
            return ids
        found = table.lookup(known)
        behind = single("AddV2", ids, table.size(), name="Add")
        is_known = single("NotEqual", found, table._default)
        return single("SelectV2", is_known, found, behind)


class StaticVocabularyTable(IdTableWithHashBuckets):
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
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        table: StaticHashTable | None = None
        if initializer is not None:
            if initializer.value_dtype != dtypes.int64:
                raise TypeError(
                    "Invalid value dtype, expected <dtype: 'int64'> but got "
                    f"{initializer.value_dtype}."
                )
            table = StaticHashTable(
                initializer, _MISSING, experimental_is_anonymous=experimental_is_anonymous
            )
        super().__init__(table, num_oov_buckets, FastHashSpec, name, lookup_key_dtype)
