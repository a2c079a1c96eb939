"""Datasets whose elements come after a rest."""

from __future__ import annotations

import time

import pytest

import dataflow as tf
from dataflow.porting.spellings.data import stages_of_tests


def test_each_element_comes_after_a_rest() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        rested = tf.data.Dataset.range(3).apply(stages_of_tests.sleep(20_000))
        following = tf.data.make_one_shot_iterator(rested).get_next()
        began = time.perf_counter()
        assert [session.run(following) for _ in range(3)] == [0, 1, 2]
        assert time.perf_counter() - began >= 0.06
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(following)


def test_a_rest_ends_with_the_step() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        rested = tf.data.Dataset.range(3).apply(stages_of_tests.sleep(600_000_000))
        following = tf.data.make_one_shot_iterator(rested).get_next()
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(following, options=tf.RunOptions(timeout_in_ms=50))


def test_a_rest_on_another_thread_ends_with_the_session() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        dataset = tf.data.Dataset.range(3).apply(stages_of_tests.sleep(600_000_000)).prefetch(1)
        following = tf.data.make_one_shot_iterator(dataset).get_next()
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(following, options=tf.RunOptions(timeout_in_ms=50))


def test_stages_that_change_nothing() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        dataset = tf.data.Dataset.range(3).apply(stages_of_tests.optimize(["noop_elimination"]))
        dataset = dataset.apply(stages_of_tests.model()).apply(stages_of_tests.optimize())
        dataset = dataset.apply(stages_of_tests.non_serializable())
        following = tf.data.make_initializable_iterator(dataset)
        element = following.get_next()
        session.run(following.initializer)
        assert [session.run(element) for _ in range(3)] == [0, 1, 2]
        made = [op.type for op in graph.get_operations() if op.type.endswith("Dataset")]
    kinds = ["Range", "Optimize", "Model", "Optimize", "NonSerializable"]
    assert made == [f"{kind}Dataset" for kind in kinds]
