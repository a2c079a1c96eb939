"""Options of pipelines: their messages, the nodes that note them, and who may set them."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf


def _told(tf: Any) -> Any:
    options = tf.data.Options()
    options.deterministic = False
    options.autotune.enabled = True
    options.autotune.cpu_budget = 3
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA
    options.experimental_distribute.num_devices = 2
    options.experimental_external_state_policy = tf.data.experimental.ExternalStatePolicy.IGNORE
    options.experimental_optimization.map_fusion = True
    options.experimental_optimization.noop_elimination = False
    options.experimental_slack = True
    options.threading.private_threadpool_size = 4
    options.framework_type = ["a", "b"]
    return options


@pytest.mark.parametrize("make", [_told, lambda tf: tf.data.Options()])
def test_messages_go_both_ways(make: Any) -> None:
    told = make(tf)
    data = told._to_proto().SerializeToString()
    assert data == make(oracle)._to_proto().SerializeToString()
    read = tf.data.Options()
    read._from_proto(told._to_proto())
    assert read == told
    assert read.experimental_distribute.auto_shard_policy.value in (0, 2)


def test_each_dataset_with_options_has_a_node() -> None:
    def nodes(tf: Any) -> list[Any]:
        with tf.Graph().as_default() as graph:
            dataset = tf.data.Dataset.range(3).with_options(tf.data.Options())
            dataset.take(1).with_options(_told(tf))
        return [
            (node.name, list(node.input), node.attr["serialized_options"].s)
            for node in graph.as_graph_def().node
        ]

    assert nodes(tf) == nodes(oracle)


@pytest.mark.filterwarnings("ignore:To make it possible to preserve")
def test_what_a_dataset_gives_is_not_to_be_set() -> None:
    def refused(tf: Any) -> list[str]:
        found = []
        with tf.Graph().as_default():
            dataset = tf.data.Dataset.range(3).with_options(_told(tf))
            for options, name, value in (
                (dataset.options(), "deterministic", True),
                (dataset.options().threading, "private_threadpool_size", 1),
            ):
                with pytest.raises(ValueError, match="has no effect") as error:
                    setattr(options, name, value)
                found.append(str(error.value))
        return found

    assert refused(tf) == refused(oracle)


def test_only_an_aggregator_is_told() -> None:
    with pytest.raises(TypeError, match='Property "aggregator" must be of type'):
        tf.data.Options().experimental_stats.aggregator = 3


def test_what_a_dataset_was_given_may_change_afterwards() -> None:
    with tf.Graph().as_default():
        given = _told(tf)
        dataset = tf.data.Dataset.range(3).with_options(given)
        assert dataset.options().threading.private_threadpool_size == 4
        given.threading.private_threadpool_size = 7
        assert dataset.options().threading.private_threadpool_size == 4
