"""Lookup tables that are filled with the elements of datasets."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import add_to_collection, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.datasets.specs import TensorSpec
from dataflow.library.datasets.transformations import assert_cardinality
from dataflow.library.lookup.buckets import IdTableWithHashBuckets
from dataflow.library.lookup.hashing import FastHashSpec, HasherSpec
from dataflow.library.lookup.initializers import TableInitializerBase
from dataflow.library.lookup.tables import LookupInterface, StaticHashTable
from dataflow.ops.basic.cast import cast
from dataflow.values import dtypes


class DatasetInitializer(TableInitializerBase):
    """Fills a table with the elements of a dataset, which are pairs of a key and a value.

    Args:
      dataset: The dataset, of pairs of scalars.

    Raises:
      ValueError: Its elements are no such pairs.
    """

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset
        _check_pairs(dataset.element_spec)
        super().__init__(*(part.dtype for part in dataset.element_spec))

    def initialize(self, table: Any) -> Operation:
        """An operation that fills a table."""
        self._check(table)
        made: Operation = apply_op(
            "InitializeTableFromDataset", table.resource_handle, self.dataset._variant_tensor
        )
        add_to_collection(GraphKeys.TABLE_INITIALIZERS, made)
        return made


def _check_pairs(spec: Any) -> None:
    problem = None
    if len(spec) != 2:
        problem = (
            f"produces {len(spec)} components instead of two (key, value) components. Full dataset "
            f"element spec: {spec}."
        )
    else:
        for name, part in zip(("key", "value"), spec, strict=True):
            if not isinstance(part, TensorSpec):
                problem = problem or f"produces non-Tensor {name}s of type {type(part)}."
            elif part.shape.rank not in (None, 0):
                problem = (
                    problem or f"produces non-scalar {name} Tensors of rank {part.shape.rank}."
                )
    if problem:
        raise ValueError(
            "Datasets used to initialize lookup tables must produce elements in the form (key, "
            "value), where the keys and values are scalar tensors. However, the given dataset "
            f"{problem}"
        )


def table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: Any = None,
    default_value: Any = None,
    hasher_spec: HasherSpec = FastHashSpec,
    key_dtype: Any = dtypes.string,
    name: str | None = None,
) -> LookupInterface:
    """A table of the pairs of a dataset.

    Args:
      dataset: The dataset, of pairs of a key and a value.
      num_oov_buckets: How many buckets there are for other keys; 0 for `default_value`.
      vocab_size: How many pairs are taken, if not all; there must be so many.
      default_value: The value of other keys; -1 if None and values are numbers.
      hasher_spec: Which hash function tells the bucket of a key.
      key_dtype: Type of the keys.
      name: Name of the table.

    Raises:
      ValueError: Elements are no pairs of scalars, or a number is out of range.
      TypeError: Keys are neither strings nor integers.
    """
    spec = dataset.element_spec
    _check_pairs(spec)
    if default_value is None:
        default_value = -1
        if not (spec[1].dtype.is_integer or spec[1].dtype.is_floating):
            raise ValueError(
                "`default_value` must be specified when creating a table from a dataset that "
                f"produces values of type {spec[1].dtype}."
            )
    if num_oov_buckets < 0:
        raise ValueError(
            f"`num_oov_buckets` must be greater than or equal to 0, got {num_oov_buckets}."
        )
    if vocab_size is not None and not isinstance(vocab_size, Tensor) and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
    if not key_dtype.is_integer and key_dtype.base_dtype != dtypes.string:
        raise TypeError(
            f"`key_dtype` must be either an integer or string type, but got {key_dtype}"
        )
    if vocab_size is not None:
        if isinstance(vocab_size, Tensor):
            vocab_size = cast(vocab_size, dtypes.int64)
        dataset = dataset.take(vocab_size).apply(assert_cardinality(vocab_size))
    with name_scope(name, "string_to_index"):
        initializer = DatasetInitializer(dataset)
        with name_scope(None, "hash_table"):
            table = StaticHashTable(initializer, default_value)
            if not num_oov_buckets:
                return table
            return IdTableWithHashBuckets(
                table, num_oov_buckets, hasher_spec=hasher_spec, key_dtype=key_dtype
            )


def index_table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: Any = None,
    default_value: Any = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    key_dtype: Any = dtypes.string,
    name: str | None = None,
) -> LookupInterface:
    """A table from the elements of a dataset to their places in it.

    For the arguments see `table_from_dataset`.
    """
    return table_from_dataset(
        dataset.enumerate().map(lambda place, key: (key, place)),
        num_oov_buckets,
        vocab_size,
        default_value,
        hasher_spec,
        key_dtype,
        name,
    )
