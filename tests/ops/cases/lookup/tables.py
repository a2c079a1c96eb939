"""Rows for lookup tables."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape
from tests.ops.nodes import imported, old_nodes
from tests.ops.program import Inputs, Program, Step, fails, run


def _words(*words: str) -> np.ndarray:
    return np.array([word.encode() for word in words], object)


def _static(tf: Any, v: Inputs) -> Iterator[Step]:
    keys, values = _words("a", "b", "c"), v.array(np.arange(3), np.int64)
    handle = tf.raw_ops.HashTableV2(
        key_dtype=tf.string, value_dtype=tf.int64, shared_name="rows_static"
    )
    asked = v.fed(np.array([[b"c", b"x"], [b"a", b"b"]], object))
    found = tf.raw_ops.LookupTableFindV2(
        table_handle=handle, keys=asked, default_value=np.int64(-1)
    )
    size = tf.raw_ops.LookupTableSizeV2(table_handle=handle)
    yield fails("FailedPreconditionError", "Table not initialized", found)
    other = tf.raw_ops.HashTableV2(
        key_dtype=tf.string, value_dtype=tf.int64, shared_name="rows_twice"
    )
    twice = tf.raw_ops.InitializeTableV2(
        table_handle=other, keys=v.known(_words("a", "a")), values=v.known([1, 2], np.int64)
    )
    text = "HashTable has different value for same key. Key a has 1 and trying to add value 2"
    yield fails("FailedPreconditionError", text, twice)
    empty = tf.raw_ops.InitializeTableV2(
        table_handle=tf.raw_ops.HashTableV2(
            key_dtype=tf.string, value_dtype=tf.int64, shared_name="rows_empty"
        ),
        keys=v.known(_words()),
        values=v.known([], np.int64),
    )
    yield fails("InvalidArgumentError", "keys and values cannot be empty tensors", empty)
    init = tf.raw_ops.InitializeTableV2(
        table_handle=handle, keys=v.known(keys), values=v.known(values)
    )
    yield run(init)
    yield run(init)
    yield run(found, size)
    wrong = tf.raw_ops.LookupTableFindV2(table_handle=handle, keys=asked, default_value="")
    yield fails("InvalidArgumentError", "", wrong)


def _file(tf: Any, v: Inputs) -> Iterator[Step]:
    path = os.path.join(tempfile.mkdtemp(), "words")
    with open(path, "w") as file:
        file.write("one 1\ntwo 2\nthree x\n")

    def table(name: str, value: Any, **options: Any) -> tuple[Any, Any]:
        handle = tf.raw_ops.HashTableV2(
            key_dtype=tf.string, value_dtype=value, shared_name=f"rows_file_{name}"
        )
        init = tf.raw_ops.InitializeTableFromTextFileV2(
            table_handle=handle, filename=options.pop("path", path), delimiter=" ", **options
        )
        return handle, init

    handle, init = table("lines", tf.int64, key_index=-2, value_index=-1, offset=5)
    yield run(init)
    asked = v.fed(_words("two 2", "three x", "two"))
    yield run(
        tf.raw_ops.LookupTableFindV2(table_handle=handle, keys=asked, default_value=np.int64(-1))
    )
    handle, init = table("columns", tf.int64, key_index=0, value_index=1, vocab_size=2)
    yield run(init)
    yield run(
        tf.raw_ops.LookupTableFindV2(
            table_handle=handle, keys=v.fed(_words("two", "three")), default_value=np.int64(-1)
        )
    )
    for place, (options, text) in enumerate(
        (
            ({"value_index": 1}, "is not a valid int64"),
            ({"value_index": 2}, "expected .* got 2"),
            ({"value_index": -1, "vocab_size": 4}, "Invalid vocab_size"),
        )
    ):
        _, init = table(f"wrong_{place}", tf.int64, key_index=0, **options)
        yield fails("InvalidArgumentError", text, init)
    _, init = table("none", tf.int64, key_index=0, value_index=-1, path=path + "x")
    yield fails("NotFoundError", "No such file", init)


def _mutable(tf: Any, v: Inputs) -> Iterator[Step]:
    dense = {"empty_key": np.int64(-7), "deleted_key": np.int64(-8)}
    for op, shape, options in (
        ("MutableHashTableV2", (), {"key_dtype": tf.int64}),
        ("MutableHashTableOfTensorsV2", (2,), {"key_dtype": tf.int64, "value_shape": [2]}),
        ("MutableDenseHashTableV2", (2,), {"value_shape": [2], **dense}),
    ):
        handle = getattr(tf.raw_ops, op)(
            value_dtype=v.element, shared_name=f"{v.name}_{op}", **options
        )
        keys = v.known([3, 1, 4], np.int64)
        one = tf.raw_ops.LookupTableFindV2(
            table_handle=handle,
            keys=v.known([4, 9, 1], np.int64),
            default_value=v.known(v.any(*shape)),
        )
        size = tf.raw_ops.LookupTableSizeV2(table_handle=handle)
        values = v.known(v.any(3, *shape))
        yield run(tf.raw_ops.LookupTableInsertV2(table_handle=handle, keys=keys, values=values))
        yield run(one, size)
        yield run(
            tf.raw_ops.LookupTableRemoveV2(table_handle=handle, keys=v.known([4, 8], np.int64))
        )
        yield run(one, size)
        if "Dense" not in op:
            yield run(
                tf.raw_ops.LookupTableImportV2(
                    table_handle=handle,
                    keys=v.known([9], np.int64),
                    values=v.known(v.any(1, *shape)),
                )
            )
            yield run(one, size)
            yield run(
                *tf.raw_ops.LookupTableExportV2(
                    table_handle=handle, Tkeys=tf.int64, Tvalues=v.element
                )
            )
        wrong = tf.raw_ops.LookupTableInsertV2(
            table_handle=handle, keys=keys, values=v.known(v.any(2, *shape))
        )
        yield fails("InvalidArgumentError", "Expected shape|shape", wrong)
        if "Dense" in op:
            barred = tf.raw_ops.LookupTableInsertV2(
                table_handle=handle, keys=v.known([1, -7, 2], np.int64), values=values
            )
            text = "Using the empty_key as a table key is not allowed"
            yield fails("InvalidArgumentError", text.split(" as ")[0], barred)


def _vectors(tf: Any, v: Inputs) -> Iterator[Step]:
    """Keys of a dense table that are vectors, in their buckets; and what they cannot be."""

    def keys(*rows: Any) -> Any:
        return v.known(rows, np.int64)

    def table(empty: Any, deleted: Any) -> Any:
        return tf.raw_ops.MutableDenseHashTableV2(
            empty_key=np.int64(empty),
            deleted_key=np.int64(deleted),
            value_dtype=v.element,
            initial_num_buckets=4,
        )

    handle = table([0, 3], [-1, -1])

    def insert(*rows: Any, count: int | None = None) -> Any:
        values = v.known(v.any(len(rows) if count is None else count))
        return tf.raw_ops.LookupTableInsertV2(table_handle=handle, keys=keys(*rows), values=values)

    def find(*rows: Any) -> Any:
        return tf.raw_ops.LookupTableFindV2(
            table_handle=handle, keys=keys(*rows), default_value=v.known(v.any())
        )

    def remove(*rows: Any) -> Any:
        return tf.raw_ops.LookupTableRemoveV2(table_handle=handle, keys=keys(*rows))

    buckets = tf.raw_ops.LookupTableExportV2(table_handle=handle, Tkeys=tf.int64, Tvalues=v.element)
    yield run(insert([5, 5], [0, 1], [-7, 3]))
    yield run(find([5, 5], [8, 8], [-7, 3]), *buckets)
    yield run(remove([0, 1], [9, 9]))
    yield run(*buckets)
    yield run(insert([2, 2], [5, 5], [6, 4], [1, 1]))
    yield run(find([0, 1], [6, 4]), *buckets)
    yield fails("InvalidArgumentError", "Using the empty_key", find([0, 3]))
    yield fails("InvalidArgumentError", "Using the deleted_key", insert([-1, -1]))
    yield fails("InvalidArgumentError", "Input key shape .1,3. must end", find([1, 2, 3]))
    yield fails("InvalidArgumentError", "Expected shape .1. for value", insert([1, 2], count=2))
    for pair, text in (
        ((7, [1, 2]), "Empty and deleted keys must have same shape"),
        (([1, 2], [1, 2]), "Empty and deleted keys cannot be equal"),
    ):
        yield fails(
            "InvalidArgumentError", text, tf.raw_ops.LookupTableSizeV2(table_handle=table(*pair))
        )


def _classes(tf: Any, v: Inputs) -> Iterator[Step]:
    """Through the public names."""
    words = tf.constant(["x", "y", "z"])
    numbers = tf.constant([10, 20, 30], tf.int64)
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(words, numbers), -5)
    vocabulary = tf.lookup.StaticVocabularyTable(
        tf.lookup.KeyValueTensorInitializer(words, tf.range(3, dtype=tf.int64)), 4
    )
    asked = v.fed(_words("z", "q", "x", "other"))
    yield run(tf.tables_initializer())
    yield run(table.lookup(asked), table.size(), vocabulary.lookup(asked), vocabulary.size())
    sparse = table.lookup(tf.SparseTensor([[0, 1], [2, 0]], ["y", "w"], [3, 2]))
    yield run(sparse.indices, sparse.values)


def _old(tf: Any, v: Inputs) -> Iterator[Step]:
    """Tables of old graphs, whose handles are references."""
    path = os.path.join(tempfile.mkdtemp(), "words")
    with open(path, "w") as file:
        file.write("p\nq\n")
    kind, types = dtypes.as_dtype(v.name), {"key_dtype": dtypes.int64}
    nodes = old_nodes()
    for name, dtype in (("keys", dtypes.int64), ("path", dtypes.string)):
        nodes.add("Placeholder", name, dtype=dtype)
    for name in ("default", "values", "pair", "pairs"):
        nodes.add("Placeholder", name, dtype=kind)
    given = {"Tin": dtypes.int64, "Tout": kind}
    tables = (
        ("HashTable", "default", "values", {}),
        ("MutableHashTable", "default", "values", {}),
        ("MutableHashTableOfTensors", "pair", "pairs", {"value_shape": TensorShape([2])}),
    )
    for op, default, values, more in tables:
        nodes.add(op, op, value_dtype=kind, shared_name=f"{v.name}_old_{op}", **types, **more)
        nodes.add("LookupTableFind", f"{op}/find", [op, "keys", default], **given)
        nodes.add("LookupTableSize", f"{op}/size", [op])
        if op == "HashTable":
            types_of = {"Tkey": dtypes.int64, "Tval": kind}
            nodes.add("InitializeTable", f"{op}/insert", [op, "keys", values], **types_of)
        else:
            nodes.add("LookupTableInsert", f"{op}/insert", [op, "keys", values], **given)
    changing = "MutableHashTable"
    nodes.add("LookupTableImport", "import", [changing, "keys", "values"], **given)
    nodes.add("LookupTableExport", "export", [changing], Tkeys=dtypes.int64, Tvalues=kind)
    nodes.add(
        "HashTable",
        "lines",
        key_dtype=dtypes.string,
        value_dtype=dtypes.int64,
        shared_name=f"{v.name}_old_lines",
    )
    nodes.add(
        "InitializeTableFromTextFile", "read", ["lines", "path"], key_index=-2, value_index=-1
    )
    nodes.add("LookupTableSize", "lines/size", ["lines"])
    made = imported(
        tf,
        nodes,
        keys=v.known([3, 1], np.int64),
        path=path,
        default=v.known(v.any()),
        values=v.known(v.any(2)),
        pair=v.known(v.any(2)),
        pairs=v.known(v.any(2, 2)),
    )
    for op, *_ in tables:
        yield run(made[f"{op}/insert"])
        yield run(made[f"{op}/find"].outputs[0], made[f"{op}/size"].outputs[0])
    yield run(made["import"])
    # Their order is that of the hash function.
    yield run(*(tf.reduce_sum(entries) for entries in made["export"].outputs))
    yield run(made["read"])
    yield run(made["lines/size"].outputs[0])


def _anonymous(tf: Any, v: Inputs) -> Iterator[Step]:
    """Tables that are new in each step."""
    dense = {"empty_key": np.int64(-7), "deleted_key": np.int64(-8), "value_shape": [2]}
    keys, asked = v.known([3, 1], np.int64), v.known([1, 2], np.int64)
    for op, shape, options in (
        ("AnonymousHashTable", (), {"key_dtype": tf.int64}),
        ("AnonymousMutableHashTable", (), {"key_dtype": tf.int64}),
        (
            "AnonymousMutableHashTableOfTensors",
            (2,),
            {"key_dtype": tf.int64, "value_shape": [2]},
        ),
        ("AnonymousMutableDenseHashTable", (2,), dense),
    ):
        handle = getattr(tf.raw_ops, op)(value_dtype=v.element, **options)
        is_static = op == "AnonymousHashTable"
        fill = tf.raw_ops.InitializeTableV2 if is_static else tf.raw_ops.LookupTableInsertV2
        filled = fill(table_handle=handle, keys=keys, values=v.known(v.any(2, *shape)))
        with tf.control_dependencies([filled]):
            found = tf.raw_ops.LookupTableFindV2(
                table_handle=handle, keys=asked, default_value=v.known(v.any(*shape))
            )
            size = tf.raw_ops.LookupTableSizeV2(table_handle=handle)
        yield run(found, size)
        yield run(found, size)


PROGRAMS = [
    Program(
        "HashTable MutableHashTable MutableHashTableOfTensors "
        "LookupTableFind LookupTableSize LookupTableInsert LookupTableImport LookupTableExport "
        "InitializeTable InitializeTableFromTextFile",
        _old,
        ("int64",),
    ),
    Program(
        "AnonymousHashTable AnonymousMutableHashTable AnonymousMutableHashTableOfTensors "
        "AnonymousMutableDenseHashTable",
        _anonymous,
        ("float32",),
    ),
    Program("HashTableV2 InitializeTableV2 LookupTableFindV2", _static, ("string",)),
    Program("InitializeTableFromTextFileV2", _file, ("string",)),
    Program(
        "MutableHashTableV2 MutableHashTableOfTensorsV2 MutableDenseHashTableV2 "
        "LookupTableInsertV2 LookupTableRemoveV2 LookupTableSizeV2 LookupTableExportV2 "
        "LookupTableImportV2",
        _mutable,
        ("float32", "int64"),
    ),
    Program("MutableDenseHashTableV2", _vectors, ("float32",)),
    Program("HashTableV2", _classes, ("string",)),
]
