"""Batches by chance: shares and rates are what they promise, within what chance allows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import training


def _rows(fetches: Any, steps: int) -> list[Any]:
    """What some steps give while queues are filled, of the default graph."""
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord=coordinator)
        try:
            return [session.run(fetches) for _ in range(steps)]
        finally:
            coordinator.request_stop()
            coordinator.join(threads)


def _within(count: int, of: int, share: float) -> bool:
    """Whether a binomial count is within five deviations of what is expected."""
    return bool(abs(count - of * share) < 5 * np.sqrt(of * share * (1 - share)) + 1)


@pytest.mark.parametrize("enqueue_many", [False, True])
def test_a_function_rejects(enqueue_many: bool) -> None:
    with tf.Graph().as_default():
        tf.set_random_seed(3)
        x = tf.random_uniform([10] if enqueue_many else [])
        accept = lambda parts: tf.where(parts[0] < 0.5, 0.25, 1.0)  # noqa: E731
        made = training.rejection_sample(
            [x, -x], accept, 20, enqueue_many=enqueue_many, runtime_checks=True
        )
        assert [each.shape.as_list() for each in made] == [[20], [20]]
        found = _rows(made, 40)
    values = np.concatenate([one for one, _ in found])
    assert (values == -np.concatenate([other for _, other in found])).all()
    assert _within(int((values < 0.5).sum()), values.size, 0.2)


def _filled(graph: Any) -> None:
    """Runs what fills each queue once, in order."""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for runner in graph.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
            session.run(runner.enqueue_ops[0])


def test_a_probability_is_checked() -> None:
    with tf.Graph().as_default() as graph:
        made = training.rejection_sample(
            [tf.random_uniform([], 1.5, 2.0)], lambda parts: parts[0], 2, runtime_checks=True
        )
        assert len(made) == 1
        with pytest.raises(tf.errors.InvalidArgumentError) as raised:
            _filled(graph)
    assert "x <= y did not hold" in raised.value.message


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("enqueue_many", [False, True])
def test_classes_have_their_shares(known: bool, enqueue_many: bool) -> None:
    initial, target = [0.7, 0.2, 0.1], [0.2, 0.0, 0.8]
    with tf.Graph().as_default():
        tf.set_random_seed(5)
        drawn = tf.multinomial(tf.log([initial]), 30 if enqueue_many else 1)
        label = drawn[0] if enqueue_many else drawn[0, 0]
        (data,), labels = training.stratified_sample(
            [tf.cast(label, tf.float32) * 2.0],
            label,
            target,
            25,
            init_probs=initial if known else None,
            enqueue_many=enqueue_many,
            threads_per_queue=2,
        )
        assert data.shape.as_list() == labels.shape.as_list() == [25]
        found = _rows([data, labels], 24)
    # Before the shares are known they are only near.
    of = np.concatenate([each for _, each in found[0 if known else 8 :]])
    assert (np.concatenate([each for each, _ in found]) % 4 == 0).all()
    assert not (of == 1).any()
    slack = 1.0 if known else 0.85
    assert _within(int(slack * (of == 2).sum()), of.size, 0.8 * slack)


def test_shares_that_do_not_fit() -> None:
    one, label = [tf.constant([1.0])], tf.constant([0])
    sample = training.stratified_sample
    with pytest.raises(ValueError, match="Probability parameters must have the same length"):
        sample(one, label, [0.5, 0.5], 2, init_probs=[1.0], enqueue_many=True)
    with pytest.raises(ValueError, match="must have rank 1"):
        sample(one, tf.constant([[0]]), [1.0], 2, init_probs=[1.0], enqueue_many=True)
    with pytest.raises(ValueError, match="not compatible"):
        sample([tf.ones([3])], tf.zeros([2], tf.int32), [1.0], 2, [1.0], enqueue_many=True)


@pytest.mark.parametrize(
    ("label", "target", "said"),
    [
        (3, [0.5, 0.5], "x < y"),
        (0, [0.5, 0.4], "x < y"),
        (0, [0.0, 1.0], "All classes with zero initial probability"),
    ],
)
def test_steps_fail_on_bad_shares(label: int, target: list[float], said: str) -> None:
    with tf.Graph().as_default() as graph:
        training.stratified_sample(
            [tf.constant(1.0)], tf.constant(label), target, 1, init_probs=[1.0, 0.0]
        )
        with pytest.raises(tf.errors.InvalidArgumentError) as raised:
            _filled(graph)
    assert said in raised.value.message


def test_rows_come_at_their_rates() -> None:
    rates = np.array([0.0, 0.5, 3.0], np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        rows = tf.constant([[0, 0], [1, 10], [2, 20]])
        made = training.resample_at_rate([rows, tf.constant([0, 1, 2])], rates, seed=7)
        assert made[0].shape.as_list() == [None, 2]
        found = [session.run(made) for _ in range(400)]
    for pairs, numbers in found:
        assert (pairs[:, 0] == numbers).all() and (np.diff(numbers) >= 0).all()
    counts = np.bincount(np.concatenate([numbers for _, numbers in found]), minlength=3)
    assert (abs(counts - 400 * rates) <= 5 * np.sqrt(400 * rates)).all()


def test_gradients_stop_at_the_choice() -> None:
    rates = tf.constant([1.0, 2.0])
    data = tf.constant([3.0, 4.0])
    (made,) = training.resample_at_rate([data], rates, seed=1)
    assert tf.gradients(made, rates) == [None]
    with tf.Session() as session:
        got, chosen = session.run([tf.convert_to_tensor(tf.gradients(made, data)[0]), made])
    np.testing.assert_array_equal(got, [(chosen == 3).sum(), (chosen == 4).sum()])


def test_weights_choose_rows() -> None:
    weights = np.array([1.0, 0.0, 5.0], np.float32)
    with tf.Graph().as_default():
        tf.set_random_seed(11)
        (made,), rates = training.weighted_resample(
            [tf.constant([0, 1, 2])], tf.constant(weights), 1.5, mean_decay=0.9
        )
        assert next(each.op.name for each in tf.local_variables()).endswith("estimated_mean")
        found = _rows([made, rates], 400)
    expected = weights / weights.mean() * 1.5
    for rows, of in found:
        np.testing.assert_allclose(of, expected[rows], rtol=1e-4)
    counts = np.bincount(np.concatenate([rows for rows, _ in found]), minlength=3)
    assert (abs(counts - 400 * expected) <= 5 * np.sqrt(400 * expected)).all()


@pytest.mark.parametrize(("target", "warned"), [([0.5, 0.5], False), ([0.05, 0.95], True)])
def test_a_sampler_that_rejects_most_says_so(
    target: list[float], warned: bool, capfd: pytest.CaptureFixture[str]
) -> None:
    with tf.Graph().as_default():
        label = tf.cast(tf.random_uniform([], seed=2) < 0.3, tf.int32)
        _, labels = training.stratified_sample(
            [tf.constant(1.0)], label, target, 4, init_probs=[0.7, 0.3]
        )
        _rows(labels, 1)
    told = "Proportion of examples rejected by sampler is high." in capfd.readouterr().err
    assert told == warned
