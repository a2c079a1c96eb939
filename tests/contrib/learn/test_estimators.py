"""tf.contrib.learn: fit and predict with arrays, metrics that are added, experiments, words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import learn
from dataflow.contrib.learn import datasets, learn_runner, preprocessing
from tests.estimation.models import X, Y, batches, trained
from tests.estimation.models import model_fn as plain_model_fn


def model_fn(features: Any, labels: Any, mode: str, params: Any) -> Any:
    weights = tf.get_variable("weights", [3], initializer=tf.zeros_initializer())
    bias = tf.get_variable("bias", [], initializer=tf.zeros_initializer())
    found = tf.reduce_sum(features * weights, 1) + bias
    loss = train_op = None
    if mode != learn.ModeKeys.INFER:
        loss = tf.losses.mean_squared_error(labels, found)
        train_op = tf.train.GradientDescentOptimizer(params["rate"]).minimize(
            loss, tf.train.get_global_step()
        )
    return found, loss, train_op


def test_arrays(tmp_path: Path) -> None:
    est = learn.Estimator(model_fn, str(tmp_path), params={"rate": 0.1})
    est.fit(X, Y, steps=2)
    # All rows are in each batch, in whatever order.
    weights, bias = trained(2, len(X))
    np.testing.assert_allclose(est.get_variable_value("weights"), weights, rtol=1e-4)
    error = X @ weights + bias - Y
    found = est.evaluate(X, Y, metrics={"mae": learn.MetricSpec(tf.metrics.mean_absolute_error)})
    assert found["loss"] == pytest.approx((error**2).mean(), rel=1e-4)
    assert found["mae"] == pytest.approx(np.abs(error).mean(), rel=1e-4)
    np.testing.assert_allclose(est.predict(X, as_iterable=False), error + Y, rtol=1e-3, atol=1e-5)
    assert len(list(est.predict(X, batch_size=8, iterate_batches=True))) == 3
    with pytest.raises(ValueError, match="Either x or input_fn must be provided"):
        est.fit()
    with pytest.raises(ValueError, match="Can not provide both input_fn and x or y"):
        est.fit(X, input_fn=batches())


def test_experiments(tmp_path: Path) -> None:
    def experiment_fn(run_config: Any, hparams: Any) -> Any:
        est = tf.estimator.Estimator(plain_model_fn, config=run_config, params=hparams)
        return learn.Experiment(est, batches(), batches(1), train_steps=2, eval_steps=None)

    config = learn.RunConfig(model_dir=str(tmp_path), save_checkpoints_steps=1)
    metrics, _ = learn_runner.run(experiment_fn, run_config=config, hparams={"rate": 0.1})
    weights, bias = trained(2)
    assert metrics["loss"] == pytest.approx(((X @ weights + bias - Y) ** 2).mean(), rel=1e-4)
    with pytest.raises(ValueError, match="exactly one of `output_dir` and `run_config`"):
        learn_runner.run(experiment_fn)
    with pytest.raises(ValueError, match="Schedule references non-existent task x"):
        learn_runner.run(experiment_fn, run_config=config, schedule="x", hparams={"rate": 0.1})
    with pytest.raises(TypeError, match="did not return an Experiment instance"):
        learn_runner.run(lambda *_: 1, run_config=config)


def test_metric_specs() -> None:
    spec = learn.MetricSpec(lambda predictions, labels: (predictions, labels), "a")
    assert spec.create_metric_ops({}, 1, {"a": 2, "b": 3}) == (2, 1)
    with pytest.raises(ValueError, match="without specified label_key requires labels tensor"):
        spec.create_metric_ops({}, {"x": 1, "y": 2}, {"a": 2})
    with pytest.raises(KeyError, match="does not match any prediction"):
        spec.create_metric_ops({}, 1, {"b": 2})
    weighted = learn.MetricSpec(lambda predictions, labels, weights: weights, weight_key="w")
    assert weighted.create_metric_ops({"w": 7}, 1, 2) == 7


def test_words(tmp_path: Path) -> None:
    documents = ["the cat sat", "the cat the dog", "I'm a cat-like dog"]
    words = preprocessing.VocabularyProcessor(4, min_frequency=1)
    rows = list(words.fit_transform(documents))
    # More often than once: the and cat three and two times, dog twice; frequent ones first.
    assert [list(row) for row in rows] == [[1, 2, 0, 0], [1, 2, 1, 3], [0, 0, 0, 3]]
    assert list(words.reverse([[1, 2, 0]])) == ["the cat <UNK>"]
    words.save(tmp_path / "words")
    again = preprocessing.VocabularyProcessor.restore(tmp_path / "words")
    assert [list(row) for row in again.transform(documents)] == [list(row) for row in rows]
    assert len(again.vocabulary_) == 4


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "with.csv"
    path.write_text("2,2,a,b\n1,2,0\n3,4,1\n")
    found = datasets.base.load_csv_with_header(path, np.int64, np.float32)
    np.testing.assert_array_equal(found.data, [[1, 2], [3, 4]])
    np.testing.assert_array_equal(found.target, [0, 1])
    path.write_text("1,2,0\n3,4,1\n")
    found = datasets.base.load_csv_without_header(path, np.int64, np.float32)
    np.testing.assert_array_equal(found.data, [[1, 2], [3, 4]])
    with pytest.raises(tf.errors.NotFoundError, match="MNIST is not in"):
        datasets.mnist.read_data_sets(str(tmp_path))
