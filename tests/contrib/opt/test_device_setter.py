"""Strategies that spread variables over parameter servers."""

from __future__ import annotations

import hashlib

import pytest

import dataflow as tf
from dataflow.contrib import training


def test_the_least_loaded_task() -> None:
    strategy = training.GreedyLoadBalancingStrategy(2, training.byte_size_load_fn)
    with (
        tf.Graph().as_default(),
        tf.device(tf.train.replica_device_setter(ps_tasks=2, ps_strategy=strategy)),
    ):
        made = [tf.Variable(tf.zeros(shape)) for shape in ([3, 4], [2], [5], [], [9], [2])]
        tasks = [v.device[-1] for v in made]
    # 48 bytes, and beside them 8, 28, 32, 68.
    assert tasks == ["0", "1", "1", "1", "1", "0"]


def test_a_task_by_name() -> None:
    with tf.Graph().as_default():
        names = [tf.no_op(name=f"n{index}") for index in range(20)]
    for seed in (0, 3):
        strategy = training.RandomStrategy(7, seed)
        for op in names:
            digest = hashlib.md5(f"{op.name}_{seed}".encode()).hexdigest()
            assert strategy(op) == int(digest, 16) % 7


def test_sizes_of_variables() -> None:
    with tf.Graph().as_default():
        assert training.byte_size_load_fn(tf.constant([1, 2], tf.int64).op) == 16
        with pytest.raises(ValueError, match="must have a single output"):
            training.byte_size_load_fn(tf.no_op())
        with pytest.raises(ValueError, match="not fully defined"):
            training.byte_size_load_fn(tf.placeholder(tf.float32, [None]).op)
