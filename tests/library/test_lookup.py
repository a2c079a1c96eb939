"""Lookup tables and hashes of strings through the public names, on every target."""

from __future__ import annotations

from pathlib import Path

import pytest

import dataflow as tf
from dataflow.contrib import lookup


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
        assert asset.op.name == "string_to_index/table_init/asset_filepath"
