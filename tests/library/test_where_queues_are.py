"""The devices and groups of nodes of queues and tables, those of 1.15."""

from __future__ import annotations

import pytest

import dataflow as tf


@pytest.mark.parametrize("device", ["", "/device:GPU:0", "/job:a/task:1"])
def test_queues_are_where_the_program_puts_them(device: str) -> None:
    with tf.Graph().as_default() as graph, tf.device(device or None):
        tf.FIFOQueue(2, [tf.int32])
        tf.PaddingFIFOQueue(2, [tf.int32], [[None]])
        tf.RandomShuffleQueue(2, 0, [tf.int32])
        tf.PriorityQueue(2, [tf.int32], [[]])
        tf.train.string_input_producer(["a"])
    nodes = [node for node in graph.as_graph_def().node if "QueueV2" in node.op]
    assert {node.device for node in nodes if node.attr["component_types"].list.type} == {device}


def test_operations_on_tables_are_beside_them() -> None:
    with tf.Graph().as_default():
        tables = (
            tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1, name="table"),
            tf.contrib.lookup.MutableDenseHashTable(tf.string, tf.int64, -1, "", "-", name="table"),
        )
        for table in tables:
            keys = tf.constant(["a"])
            made = (
                table.lookup(keys).op,
                table.size().op,
                table.export()[0].op,
                table.insert(keys, tf.constant([1], tf.int64)),
            )
            group = f"loc:@{table.resource_handle.op.name}".encode()
            assert {op.colocation_groups()[0] for op in made} == {group}
