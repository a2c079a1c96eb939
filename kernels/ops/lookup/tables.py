"""Kernels of lookup tables; a handle is the table itself."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, Final, TypeVar

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.lookup.dense import DenseTable
from dataflow.kernels.ops.lookup.table import MutableTable, StaticTable, Table
from dataflow.kernels.ops.lookup.text_files import pairs_of_lines
from dataflow.values import dtypes

_Kind = TypeVar("_Kind", bound=Table)
_NUMBERS: Final = itertools.count()


def hash_table(node: KernelNode, xp: Any) -> Callable[[], Table]:
    return _table(node, StaticTable)


_VALUES: Final = (dtypes.string, dtypes.int32, dtypes.float32, dtypes.float64)
for _key, _values in (
    (dtypes.string, (*_VALUES, dtypes.int64, dtypes.bool)),
    (dtypes.int64, (*_VALUES, dtypes.int64)),
    (dtypes.int32, _VALUES),
):
    kernel(
        "HashTableV2",
        "HashTable",
        "AnonymousHashTable",
        device="CPU",
        dtypes={"key_dtype": [_key], "value_dtype": _values},
    )(hash_table)


@kernel("MutableHashTableV2", "MutableHashTable", "AnonymousMutableHashTable", device="CPU")
def mutable_hash_table(node: KernelNode, xp: Any) -> Callable[[], Table]:
    return _table(node, MutableTable)


@kernel(
    "MutableHashTableOfTensorsV2",
    "MutableHashTableOfTensors",
    "AnonymousMutableHashTableOfTensors",
    device="CPU",
)
def mutable_hash_table_of_tensors(node: KernelNode, xp: Any) -> Callable[[], Table]:
    shape = _value_shape(node)
    if len(shape) != 1:
        raise invalid(f"Default value must be a vector, got shape {shape_text(shape)}")
    return _table(node, MutableTable, shape)


@kernel("MutableDenseHashTableV2", "AnonymousMutableDenseHashTable", device="CPU")
def mutable_dense_hash_table(node: KernelNode, xp: Any) -> Callable[..., Table]:
    more = _value_shape(node), node.attr("initial_num_buckets"), node.attr("max_load_factor")
    find = _table(node, DenseTable, *more)

    def run(empty_key: Any, deleted_key: Any) -> Table:
        if np.ndim(empty_key) > 1:
            raise invalid(
                "Empty key must be a scalar or a vector, got shape "
                f"{shape_text(np.shape(empty_key))}"
            )
        if np.shape(empty_key) != np.shape(deleted_key):
            raise invalid(
                "Empty and deleted keys must have same shape, got shapes: "
                f"{shape_text(np.shape(empty_key))} and {shape_text(np.shape(deleted_key))}"
            )
        if np.array_equal(empty_key, deleted_key):
            raise invalid("Empty and deleted keys cannot be equal")
        table = find()
        table.bar(empty_key, deleted_key)
        return table

    return run


def _value_shape(node: KernelNode) -> tuple[int, ...]:
    shape = node.attr("value_shape")
    if not shape.is_fully_defined():
        raise invalid(f"The shape of a table's values must be known: {shape}")
    return tuple(shape.as_list())


def _table(node: KernelNode, kind: type[_Kind], *more: Any) -> Callable[[], _Kind]:
    """The table of the name that nodes share, one of the node's own, or a new one each time."""
    types = node.attr("key_dtype"), node.attr("value_dtype")

    def made(name: str) -> _Kind:
        return kind(name, *types, *more)

    if node.op.startswith("Anonymous"):
        return lambda: made(f"_{next(_NUMBERS)}_{node.name}")
    name = node.attr("shared_name").decode(errors="backslashreplace")
    if not name and node.attr("use_node_name_sharing"):
        name = node.name
    if not name:
        own = made(f"_{next(_NUMBERS)}_{node.name}")
        return lambda: own
    container = node.attr("container").decode(errors="backslashreplace")
    find = node.resources.lookup_or_create

    def run() -> _Kind:
        table = find(container, name, kind, lambda: made(name))
        table.check_types(*types)
        return table

    return run


@kernel("LookupTableFindV2", "LookupTableFind", device="CPU", handle=Table)
def find(node: KernelNode, xp: Any) -> Callable[..., Any]:
    types = node.attr("Tin"), node.attr("Tout")

    def run(table: Table, keys: Any, default: Any) -> Any:
        table.check_types(*types)
        return table.find(keys, default)

    return run


@kernel("LookupTableInsertV2", "LookupTableInsert", device="CPU", handle=Table)
def insert(node: KernelNode, xp: Any) -> Callable[..., None]:
    types = node.attr("Tin"), node.attr("Tout")

    def run(table: StaticTable | MutableTable, keys: Any, values: Any) -> None:
        table.check_types(*types)
        table.insert(keys, values)

    return run


@kernel("LookupTableImportV2", "LookupTableImport", device="CPU", handle=Table)
def import_(node: KernelNode, xp: Any) -> Callable[..., None]:
    types = node.attr("Tin"), node.attr("Tout")

    def run(table: StaticTable | MutableTable, keys: Any, values: Any) -> None:
        table.check_types(*types)
        table.replace(keys, values)

    return run


@kernel("LookupTableRemoveV2", device="CPU", handle=Table)
def remove(node: KernelNode, xp: Any) -> Callable[..., None]:
    key_dtype = node.attr("Tin")

    def run(table: StaticTable | MutableTable, keys: Any) -> None:
        table.check_types(key_dtype, None)
        table.remove(keys)

    return run


@kernel("LookupTableSizeV2", "LookupTableSize", device="CPU", handle=Table)
def size(node: KernelNode, xp: Any) -> Callable[[Table], Any]:
    return lambda table: np.int64(table.size())


@kernel("LookupTableExportV2", "LookupTableExport", device="CPU", handle=Table)
def export(node: KernelNode, xp: Any) -> Callable[[Table], Any]:
    types = node.attr("Tkeys"), node.attr("Tvalues")

    def run(table: Table) -> Any:
        table.check_types(*types)
        return table.export()

    return run


@kernel("InitializeTableV2", "InitializeTable", device="CPU", handle=StaticTable)
def initialize(node: KernelNode, xp: Any) -> Callable[..., None]:
    types = node.attr("Tkey"), node.attr("Tval")

    def run(table: StaticTable, keys: Any, values: Any) -> None:
        table.check_types(*types)
        table.replace(keys, values)

    return run


@kernel(
    "InitializeTableFromTextFileV2", "InitializeTableFromTextFile", device="CPU", handle=StaticTable
)
def initialize_from_file(node: KernelNode, xp: Any) -> Callable[..., None]:
    key_index, value_index = node.attr("key_index"), node.attr("value_index")
    limit, delimiter, offset = node.attr("vocab_size"), node.attr("delimiter"), node.attr("offset")
    if len(delimiter) != 1:
        raise invalid("delimiter should be only 1 char")

    def run(table: StaticTable, filename: Any) -> None:
        if np.ndim(filename):
            raise invalid(
                f"filename should be a single string, but got {shape_text(np.shape(filename))}"
            )
        path = np.asarray(filename, object).item().decode(errors="surrogateescape")
        table.fill(
            lambda: pairs_of_lines(
                path,
                (key_index, table.key_dtype),
                (value_index, table.value_dtype),
                limit,
                delimiter,
                offset,
            )
        )

    return run
