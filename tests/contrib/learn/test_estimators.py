"""tf.contrib.learn: fit and predict with arrays, metrics that are added, experiments, words."""

from __future__ import annotations

import json
import math
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


class Exporting:
    """Of what an experiment exports: the checkpoints and the losses."""

    def __init__(self) -> None:
        self.seen: list[tuple[str | None, float]] = []
        self.strategy = learn.ExportStrategy("kept", self.export)

    def export(
        self, estimator: Any, folder: Any, checkpoint_path: Any = None, eval_result: Any = None
    ) -> str:
        assert folder.endswith("export/kept")
        path = checkpoint_path and checkpoint_path.rpartition("-")[2]
        self.seen.append((path, eval_result["loss"]))
        return f"exported {path}"


def experiment_of(folder: Path, every: int = 1, **options: Any) -> Any:
    config = learn.RunConfig(model_dir=str(folder), save_checkpoints_steps=every)
    made = tf.estimator.Estimator(plain_model_fn, config=config, params={"rate": 0.1})
    options = {"train_steps": 4, "eval_steps": None, "eval_delay_secs": 0, **options}
    return learn.Experiment(made, batches(3), batches(1), **options)


def loss_after(steps: int) -> Any:
    weights, bias = trained(steps)
    return pytest.approx(((X @ weights + bias - Y) ** 2).mean(), rel=1e-4)


def test_experiments_evaluate_checkpoints_until_the_last(tmp_path: Path) -> None:
    exporting = Exporting()
    made = experiment_of(tmp_path, export_strategies=[exporting.strategy])
    asked: list[Any] = []

    def predicate(eval_results: Any, checkpoint_path: Any) -> bool:
        asked.append((eval_results, checkpoint_path))
        return len(asked) < 3

    # Nothing is trained yet.
    made.continuous_eval(throttle_delay_secs=0.01, continuous_eval_predicate_fn=predicate)
    assert asked == [(None, None), ({}, None), ({}, None)] and exporting.seen == []
    made.train()
    made.continuous_eval(throttle_delay_secs=0)
    assert exporting.seen == [("4", loss_after(4))]
    made.continuous_eval_on_train_data(throttle_delay_secs=0)
    assert len(exporting.seen) == 1
    assert (tmp_path / "eval_continuous").is_dir()
    assert (tmp_path / "eval_continuous_on_train_data").is_dir()
    with pytest.raises(ValueError, match="must be a callable, or None"):
        made.continuous_eval(continuous_eval_predicate_fn=3)


def test_experiments_train_and_evaluate_in_turns(tmp_path: Path) -> None:
    exporting = Exporting()
    made = experiment_of(
        tmp_path, 100, export_strategies=exporting.strategy, train_steps_per_iteration=2
    )
    results, exported = made.continuous_train_and_eval()
    assert results["global_step"] == 4 and exported == ["exported None"]
    # Each training begins with the first rows again.
    assert exporting.seen == [(None, loss_after(2)), (None, results["loss"])]
    assert exporting.seen[1][1] < exporting.seen[0][1]
    assert made.reset_export_strategies() == (exporting.strategy,)
    assert made.continuous_train_and_eval(lambda results: results is None)[1] == []


def test_experiments_evaluate_while_they_train(tmp_path: Path) -> None:
    exporting = Exporting()
    made = experiment_of(
        tmp_path / "a", 2, export_strategies=exporting.strategy, checkpoint_and_export=True
    )
    results, exported = made.train_and_evaluate()
    assert [path for path, _ in exporting.seen] == ["0", "2", "4"]
    assert results["loss"] == loss_after(4) and exported == ["exported 4"]
    # A monitor looks for checkpoints by itself; local_run has none unless it is told how often.
    for name, folders in (("local_run", {"eval"}), ("train_and_evaluate", {"eval"})):
        made = experiment_of(tmp_path / name, check_interval_secs=0)
        results, _ = getattr(made, name)()
        found = {path.name for path in (tmp_path / name).iterdir() if path.is_dir()}
        assert results["loss"] == loss_after(4) and found == folders
    steps = [
        value.step
        for path in (tmp_path / "train_and_evaluate" / "eval").iterdir()
        for value in tf.train.summary_iterator(str(path))
        if value.summary.value
    ]
    assert len(set(steps)) > 1 and max(steps) == 4
    assert made.test()["global_step"] == 5


def test_malformed_experiments(tmp_path: Path) -> None:
    for options, message in (
        ({"eval_metrics": {}}, "`eval_metrics` must be `None` with `tf.estimator.Estimator`"),
        ({"export_strategies": [3]}, "`export_strategies` must be an ExportStrategy"),
    ):
        with pytest.raises(ValueError, match=message):
            experiment_of(tmp_path, **options)
    with pytest.raises(ValueError, match=r"must implement `tf\.contrib\.learn\.Evaluable`"):
        learn.Experiment(3, batches(), batches())
    with pytest.raises(ValueError, match="Could not start server; be sure to specify"):
        experiment_of(tmp_path).run_std_server()


@pytest.mark.parametrize("task", ["ps", "worker", "chief"])
def test_what_a_task_runs_by_itself(
    task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Told(learn.Experiment):  # type: ignore[misc]
        def train(self, delay_secs: Any = None) -> Any:
            return "train"

        def run_std_server(self) -> Any:
            return "run_std_server"

        def train_and_evaluate(self) -> Any:
            return "train_and_evaluate"

    def experiment_fn(run_config: Any, hparams: Any) -> Any:
        made = tf.estimator.Estimator(plain_model_fn, config=run_config, params={"rate": 0.1})
        return Told(made, batches(), batches(1))

    tasks = {"chief": ["a:1"], "ps": ["b:1"], "worker": ["c:1"]}
    told = {"cluster": tasks, "task": {"type": task, "index": 0}, "environment": "cloud"}
    monkeypatch.setenv("TF_CONFIG", json.dumps(told))
    config = learn.RunConfig(model_dir=str(tmp_path))
    assert config.environment == "cloud"
    wanted = {"ps": "run_std_server", "worker": "train", "chief": "train_and_evaluate"}
    assert learn_runner.run(experiment_fn, run_config=config) == wanted[task]


def test_trials(tmp_path: Path) -> None:
    class Tuner:
        def __init__(self) -> None:
            self.rates = [0.1, 0.2]
            self.found: list[float] = []

        def next_trial(self) -> bool:
            return len(self.found) < 2

        def run_experiment(self, experiment_fn: Any) -> None:
            rate = self.rates[len(self.found)]
            config = learn.RunConfig(model_dir=str(tmp_path / str(rate)))
            with pytest.raises(ValueError, match="`hparams` cannot be `None`"):
                experiment_fn(config, None)
            self.found.append(experiment_fn(config, {"rate": rate}).train_and_evaluate()[0]["loss"])

    def experiment_fn(run_config: Any, hparams: Any) -> Any:
        made = tf.estimator.Estimator(plain_model_fn, config=run_config, params=hparams)
        return learn.Experiment(made, batches(), batches(1), train_steps=2, eval_steps=None)

    tuner = Tuner()
    learn_runner.tune(experiment_fn, tuner)
    assert tuner.found[0] == loss_after(2) and tuner.found[1] != tuner.found[0]


def test_metric_specs() -> None:
    spec = learn.MetricSpec(lambda predictions, labels: (predictions, labels), "a")
    assert spec.create_metric_ops({}, 1, {"a": 2, "b": 3}) == (2, 1)
    with pytest.raises(ValueError, match="without specified label_key requires labels tensor"):
        spec.create_metric_ops({}, {"x": 1, "y": 2}, {"a": 2})
    with pytest.raises(KeyError, match="does not match any prediction"):
        spec.create_metric_ops({}, 1, {"b": 2})
    weighted = learn.MetricSpec(lambda predictions, labels, weights: weights, weight_key="w")
    assert weighted.create_metric_ops({"w": 7}, 1, 2) == 7
    for function in (lambda logits, target: (logits, target), lambda found, label: (found, label)):
        assert learn.MetricSpec(function).create_metric_ops({}, 1, 2) == (2, 1)
    first = learn.MetricSpec(
        lambda targets, found, weight: (found, targets, weight), weight_key="w"
    )
    assert first.create_metric_ops({"w": 7}, 1, 2) == (2, 1, 7)
    with pytest.raises(ValueError, match="Ambiguous arguments"):
        learn.MetricSpec(lambda label, target: 0).create_metric_ops({}, 1, 2)


def test_bytes_and_categories() -> None:
    processor = preprocessing.ByteProcessor(4)
    rows = list(processor.fit_transform(["abc", b"abcdef", "\u00e4", b"\xff"]))
    wanted = [[97, 98, 99, 0], [97, 98, 99, 100], [195, 164, 0, 0], [255, 0, 0, 0]]
    assert [row.tolist() for row in rows] == wanted and rows[0].dtype == np.uint8
    assert list(processor.reverse(rows)) == ["abc", "abcd", "\u00e4", ""]
    table = [["a", "b"], ["a", "c"], ["b", math.nan], ["a", "b"]]
    for options, numbers in (
        ({}, [[1, 1], [1, 2], [2, 0], [1, 1]]),
        ({"share": True}, [[1, 2], [1, 3], [2, 0], [1, 2]]),
        ({"min_frequency": 1}, [[1, 1], [1, 0], [0, 0], [1, 1]]),
    ):
        made = preprocessing.CategoricalProcessor(**options)
        found = [row.tolist() for row in made.fit_transform(table)]
        assert found == numbers
        assert next(made.transform([["z", "b"]])).tolist() == [0, numbers[0][1]]
    learn.ModeKeys.validate("train")
    with pytest.raises(ValueError, match=r"Invalid mode x\."):
        learn.ModeKeys.validate("x")


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
