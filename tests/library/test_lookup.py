"""Lookup tables and hashes of strings through the public names, on every target."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import tensorflow
from tensorflow.python.ops import lookup_ops

import dataflow as tf
from dataflow.contrib import lookup

oracle = tensorflow.compat.v1
KEYS = [f"key {number}" for number in range(40)]


def test_tables_keep_their_entries_between_steps(target: str, tmp_path: Path) -> None:
    path = tmp_path / "words"
    path.write_text("a\nb\nc\n")
    with tf.Graph().as_default():
        ids = lookup.index_table_from_file(str(path), num_oov_buckets=1)
        words = lookup.index_to_string_table_from_tensor(["x", "y"])
        table = lookup.HashTable(lookup.KeyValueTensorInitializer(["k"], [1.5]), -1.0)
        counts = lookup.MutableHashTable(tf.string, tf.int64, 0)
        asked = tf.placeholder(tf.string, [None])
        found = ids.lookup(asked), counts.lookup(asked), table.lookup(asked)
        insert = counts.insert(asked, ids.lookup(asked))
        text = words.lookup(tf.constant([1, 7], tf.int64)), tf.strings.join(["<", asked, ">"])
        with tf.Session(target) as session:
            with pytest.raises(tf.errors.FailedPreconditionError, match="Table not initialized"):
                session.run(found, {asked: ["a"]})
            session.run(tf.tables_initializer())
            session.run(insert, {asked: ["b", "c"]})
            values = session.run(found, {asked: ["c", "k", "b"]})
            assert [value.tolist() for value in values] == [[2, 3, 1], [2, 0, 1], [-1, 1.5, -1]]
            texts = session.run(text, {asked: ["k"]})
            assert [value.tolist() for value in texts] == [[b"y", b"UNK"], [b"<k>"]]
        assert len(tf.get_collection(tf.GraphKeys.TABLE_INITIALIZERS)) == 3
        (asset,) = tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)
        assert asset.op.name == "string_to_index/hash_table/table_init/asset_filepath"


def _tables(tf: Any, lookup_ops: Any) -> Any:
    words = lookup_ops.MutableHashTable(tf.string, tf.int64, -1)
    pairs = lookup_ops.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0], name="pairs")
    dense = lookup_ops.DenseHashTable(tf.int64, tf.int64, -1, empty_key=-5, deleted_key=-6)
    spelt = lookup_ops.DenseHashTable(
        tf.string, tf.int64, -1, empty_key="", deleted_key="-", initial_num_buckets=4, name="spelt"
    )
    return words, pairs, dense, spelt


def _looked_up(tf: Any, tables: Any) -> Any:
    words, pairs, dense, spelt = tables
    return (
        words.lookup(tf.constant(["a", "b"])),
        pairs.lookup(tf.constant([7, 8], tf.int64)),
        dense.lookup(tf.constant([1, 2], tf.int64)),
        spelt.lookup(tf.constant([*KEYS, "another"])),
        *(table.size() for table in tables),
    )


@pytest.mark.parametrize("order", [(tf, oracle), (oracle, tf), (tf, tf)])
def test_checkpoints_hold_tables(order: Any, tmp_path: Path) -> None:
    values = []
    for library, restores in zip(order, (False, True), strict=True):
        with library.Graph().as_default(), library.Session() as session:
            tables = _tables(library, lookup_ops if library is oracle else lookup)
            saver, found = library.train.Saver(), _looked_up(library, tables)
            inserts = [
                tables[0].insert(library.constant(["a"]), library.constant([3], library.int64)),
                tables[1].insert(library.constant([8], library.int64), [[1.5, 2.5]]),
                tables[2].insert(library.constant([1, 4], library.int64), [5, 6]),
                tables[3].insert(library.constant(KEYS), range(len(KEYS))),
            ]
            if restores:
                # What was there before is gone.
                session.run(inserts[2])
                session.run(
                    tables[0].insert(library.constant(["b"]), library.constant([9], library.int64))
                )
                saver.restore(session, str(tmp_path / "model"))
            else:
                session.run(inserts)
                saver.save(session, str(tmp_path / "model"))
            values.append([value.tolist() for value in session.run(found)])
    spelt = [*range(len(KEYS)), -1]
    expected = [[3, -1], [[0, 0], [1.5, 2.5]], [5, -1], spelt, 1, 1, 2, len(KEYS)]
    assert values[0] == values[1] == expected


def _nodes(graph: Any) -> list[Any]:
    return [
        (op.name, op.type, [tensor.name for tensor in op.inputs]) for op in graph.get_operations()
    ]


def test_nodes_are_tensorflows() -> None:
    made = []
    for library, module in ((tf, lookup), (oracle, lookup_ops)):
        with library.Graph().as_default() as graph:
            tables = _tables(library, module)
            _, pairs, dense, _ = tables
            _looked_up(library, tables)
            key = library.constant([1], library.int64)
            dense.insert(key, [2])
            dense.remove(key)
            dense.erase(key)
            pairs.export()
            module.MutableHashTable(
                library.string, library.int64, 0, name="other", experimental_is_anonymous=True
            )
            library.train.Saver()
            made.append(_nodes(graph))
    for ours, theirs in zip(*made, strict=True):
        assert ours == theirs


def test_buckets_of_a_dense_table_are_as_many_as_tensorflows() -> None:
    sizes = []
    for library, module in ((tf, lookup), (oracle, lookup_ops)):
        with library.Graph().as_default(), library.Session() as session:
            _, _, _, spelt = _tables(library, module)
            keys, _ = spelt.export()
            found = [session.run(keys).shape]
            for key in KEYS[:14]:
                session.run(spelt.insert(library.constant([key]), [1]))
                found.append(session.run(keys).shape)
            sizes.append(found)
    assert sizes[0] == sizes[1]


def test_a_saver_of_tables_keeps_their_buckets(tmp_path: Path) -> None:
    path, made = str(tmp_path / "tables"), []
    for size in (32, 64):
        with tf.Graph().as_default(), tf.Session() as session:
            table = lookup.DenseHashTable(
                tf.int64, tf.int64, -1, empty_key=0, deleted_key=-1, initial_num_buckets=size
            )
            saver, buckets = tf.train.Saver([table]), table.export()
            if made:
                saver.restore(session, path)
            else:
                session.run(table.insert([3, 1, 40], tf.constant([5, 6, 7], tf.int64)))
                session.run(table.remove(tf.constant([1], tf.int64)))
                saver.save(session, path)
            made.append([value.tolist() for value in session.run(buckets)])
    assert made[0] == made[1] and len(made[0][0]) == 32


def _entry(library: Any, keys: Any, values: Any, key: Any) -> Any:
    entries = library.lookup.KeyValueTensorInitializer(keys, values)
    return library.lookup.StaticHashTable(entries, -1).lookup(key)


@pytest.fixture
def while_nodes() -> Iterator[None]:
    """TensorFlow's loops are as in version 1: nodes of the graph, not functions."""
    functions = oracle.control_flow_v2_enabled()
    oracle.disable_control_flow_v2()
    yield
    if functions:
        oracle.enable_control_flow_v2()


@pytest.mark.usefixtures("while_nodes")
def test_tables_of_files_and_in_loops(tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    path.write_text("42\n-7\n")
    for library, module in ((tf, lookup), (oracle, lookup_ops)):
        with library.Graph().as_default(), library.Session() as session:
            table = module.index_table_from_file(str(path), key_dtype=library.int64)
            scope = table.resource_handle.op.name
            places = table.lookup(library.constant([-7, 8], library.int64))
            keys, values = library.constant([1, 2]), library.constant([5, 6])

            find = partial(_entry, library, keys, values)
            mapped = library.map_fn(find, library.constant([2, 9, 1]))
            session.run(library.tables_initializer())
            assert [session.run(places).tolist(), session.run(mapped).tolist()] == [
                [1, -1],
                [6, -1, 5],
            ]
            assert scope == "string_to_index/hash_table/hash_table"
            empty = module.IdTableWithHashBuckets(None, 5, key_dtype=library.int32)
            session.run(empty.initializer)
            with pytest.raises(ValueError, match="Dimensions must be equal, but are 2 and 3"):
                _entry(library, keys, [1, 2, 3], 1)
            with pytest.raises(ValueError, match=r"vocab_size`? must be greater than 0, got 0"):
                module.index_table_from_file(str(path), vocab_size=0)


def test_a_table_without_buckets_behind_it() -> None:
    found = []
    for library, module in ((tf, lookup), (oracle, lookup_ops)):
        with library.Graph().as_default() as graph, library.Session() as session:
            table = library.lookup.StaticHashTable(
                library.lookup.KeyValueTensorInitializer(
                    ["x"], library.constant([7], library.int64)
                ),
                -1,
            )
            start = len(graph.get_operations())
            ids = module.IdTableWithHashBuckets(table, 0).lookup(library.constant(["q", "x"]))
            nodes = _nodes(graph)[start:]
            session.run(library.tables_initializer())
            found.append((nodes, session.run(ids).tolist()))
    assert found[0] == found[1] and found[0][1] == [-1, 7]


@pytest.mark.parametrize("hasher", ["fast", "strong"])
def test_words_that_a_table_lacks_go_to_buckets(hasher: str) -> None:
    found = []
    for library, module in ((tf, lookup), (oracle, lookup_ops)):
        with library.Graph().as_default() as graph, library.Session() as session:
            spec = module.StrongHashSpec([7, 9]) if hasher == "strong" else module.FastHashSpec
            table = library.lookup.StaticHashTable(
                library.lookup.KeyValueTensorInitializer(
                    ["x", "y"], library.constant([0, 1], library.int64)
                ),
                -1,
            )
            start = len(graph.get_operations())
            ids = module.IdTableWithHashBuckets(table, 50, hasher_spec=spec)
            asked = library.constant([["x", "q"], ["w", "y"]])
            values = ids.lookup(asked), ids.size()
            nodes = _nodes(graph)[start:]
            index = module.index_table_from_tensor(
                library.constant(["x", "y"]), num_oov_buckets=50, hasher_spec=spec
            ).lookup(asked)
            session.run(library.tables_initializer())
            found.append((nodes, [value.tolist() for value in session.run((*values, index))]))
    assert found[0] == found[1]


def test_a_hasher_that_there_is_not() -> None:
    table = lookup.IdTableWithHashBuckets(None, 3, lookup.HasherSpec("md5", None))
    with pytest.raises(ValueError, match="Unknown hasher md5"):
        table.lookup(["a"])
    with pytest.raises(TypeError, match="must be of type HasherSpec"):
        lookup.IdTableWithHashBuckets(None, 3, "fasthash")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="must have size 2"):
        lookup.StrongHashSpec([1, 2, 3])
    with pytest.raises(ValueError, match="must be > 0 if no table"):
        lookup.IdTableWithHashBuckets(None, 0)
    with pytest.raises(ValueError, match="`num_oov_buckets` must be > 0; use StaticHashTable"):
        tf.lookup.StaticVocabularyTable(None, 0)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_numbers_in_the_lines_of_a_file(dtype: str, tmp_path: Path) -> None:
    """As values; TensorFlow 2 knows them, 1.15 only words."""
    path = tmp_path / "numbers"
    path.write_text("10\n-11\n")
    found = []
    for library in (tf, oracle):
        index, value_dtype = library.lookup.TextFileIndex, getattr(library, dtype)
        with library.Graph().as_default(), library.Session() as session:
            initializer = library.lookup.TextFileInitializer(
                str(path), library.int64, index.LINE_NUMBER, value_dtype, index.WHOLE_LINE
            )
            values = library.lookup.StaticHashTable(initializer, 7).lookup(
                library.constant([1, 0, 2], library.int64)
            )
            session.run(library.tables_initializer())
            got = session.run(values)
            found.append((got.dtype, got.tolist()))
    assert found[0] == found[1] == (dtype, [-11, 10, 7])


def test_vocabularies_of_other_types() -> None:
    """TensorFlow 1.15's words."""
    whole, number = lookup.TextFileIndex.WHOLE_LINE, lookup.TextFileIndex.LINE_NUMBER
    refused: dict[str, Any] = {
        "Expected <dtype: 'string'>, got <dtype: 'float32'>.": (
            lambda: lookup.index_table_from_tensor([])
        ),
        "Expected non-integer, got <dtype: 'int32'>.": (
            lambda: lookup.index_table_from_tensor([1, 2])
        ),
        "Expected integer, got <dtype: 'string'>.": (
            lambda: lookup.index_table_from_tensor(["a"], dtype=tf.int64)
        ),
        "Only integer and string keys are supported.": (
            lambda: lookup.index_table_from_tensor([1.5], dtype=tf.float32)
        ),
        "Invalid vocab_size 0.": (
            lambda: lookup.TextFileInitializer(
                "f", tf.string, whole, tf.int64, number, vocab_size=0
            )
        ),
        "Signature mismatch. Values must be integer or string, got <dtype: 'float32'>.": (
            lambda: lookup.TextFileInitializer("f", tf.int64, number, tf.float32, whole)
        ),
        "Signature mismatch. Keys must be dtype <dtype: 'int64'>, got <dtype: 'string'>.": (
            lambda: lookup.TextFileInitializer("f", tf.string, number, tf.string, whole)
        ),
    }
    with tf.Graph().as_default():
        for text, call in refused.items():
            with pytest.raises((TypeError, ValueError)) as caught:
                call()
            assert str(caught.value) == text
