"""tf.contrib.estimator: replicas of models, recurrent nets, exports and hooks that end training."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf

X = np.arange(8, dtype=np.float32).reshape(8, 1) / 8
Y = 2 * X + 1
TWO = ["/CPU:0", "/CPU:1"]


def config() -> Any:
    return tf.estimator.RunConfig(session_config=tf.ConfigProto(device_count={"CPU": 2}))


def data(rows: int = 8) -> Any:
    return tf.data.Dataset.from_tensors(({"x": X[:rows]}, Y[:rows])).repeat()


def model_fn(features: Any, labels: Any, mode: str, params: Any) -> Any:
    w = tf.get_variable("w", [1, 1], initializer=tf.zeros_initializer())
    table = tf.get_variable("table", [3, 1], initializer=tf.zeros_initializer())
    rows = tf.cast(features["x"][:, 0] * 2, tf.int32)
    y = features["x"] @ w + tf.nn.embedding_lookup(table, rows)
    exports = {
        "serving_default": tf.estimator.export.PredictOutput({"y": y}),
        "number": tf.estimator.export.RegressionOutput(y),
        "kind": tf.estimator.export.ClassificationOutput(scores=y),
    }
    if mode == "infer":
        return tf.estimator.EstimatorSpec(mode, {"y": y}, export_outputs=exports)
    loss = tf.losses.mean_squared_error(labels, y)
    optimizer = params["wrap"](tf.train.MomentumOptimizer(0.1, 0.9))
    train = optimizer.minimize(loss, tf.train.get_global_step())
    metrics = {"error": tf.metrics.mean_absolute_error(labels, y)}
    return tf.estimator.EstimatorSpec(mode, {"y": y}, loss, train, metrics)


@pytest.mark.parametrize("devices", [TWO, None])
def test_replicas_are_one_model(tmp_path: Path, devices: Any) -> None:
    wrap = tf.contrib.estimator.TowerOptimizer
    replicated = tf.contrib.estimator.replicate_model_fn(model_fn, devices=devices)
    found = []
    for name, function, around in (("a", model_fn, lambda x: x), ("b", replicated, wrap)):
        made = tf.estimator.Estimator(
            function, str(tmp_path / name), config(), {"wrap": around}
        ).train(data, steps=3)
        scores = made.evaluate(data, steps=2)
        predicted = [next(made.predict(data))["y"] for _ in range(1)]
        values = [made.get_variable_value(each) for each in ("w", "table", "table/Momentum")]
        found.append([*values, scores["loss"], scores["error"], *predicted])
    for one, two in zip(*found, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-5)


def test_replicas_of_predictions_and_devices() -> None:
    replicated = tf.contrib.estimator.replicate_model_fn(model_fn, devices=TWO)
    wrapped = {"wrap": lambda x: tf.contrib.estimator.TowerOptimizer(lambda: x)}
    with tf.Graph().as_default() as graph:
        spec = replicated({"x": tf.constant(X)}, None, "infer", wrapped)
        outputs = spec.export_outputs
        assert spec.predictions["y"].shape == outputs["number"].value.shape == [8, 1]
        assert outputs["kind"].scores.shape == outputs["serving_default"].outputs["y"].shape
        homes = {op.device for op in graph.get_operations() if op.type == "VariableV2"}
        assert homes == {"/device:CPU:0"}
        products = [op.device for op in graph.get_operations() if op.type == "MatMul"]
        assert products == ["/device:CPU:0", "/device:CPU:1"]
    with tf.Graph().as_default():
        tf.train.create_global_step()
        with pytest.raises(ValueError, match="needs to be divisible by the number of GPUs"):
            replicated({"x": tf.constant(X[:7])}, tf.constant(Y[:7]), "train", wrapped)
    with tf.Graph().as_default():
        tf.train.create_global_step()
        with pytest.raises(ValueError, match="Please wrap optimizers with TowerOptimizer"):
            bare = {"wrap": lambda x: x}
            replicated({"x": tf.constant(X)}, tf.constant(Y), "train", bare)
    with pytest.raises(ValueError, match="Tower losses need to be reduced"):
        tf.contrib.estimator.replicate_model_fn(model_fn, tf.losses.Reduction.NONE)


def sequences() -> Any:
    words = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]], [0, 1, 1, 0, 2], [2, 3])
    return tf.data.Dataset.from_tensors(({"word": words, "age": [[0.5], [2.0]]}, [[0], [1]]))


@pytest.mark.parametrize(("cell", "units"), [("basic_rnn", [3]), ("lstm", [2, 3])])
def test_recurrent_nets(tmp_path: Path, cell: str, units: list[int]) -> None:
    """The plain one is what numpy makes of its weights at the last steps."""
    fc = tf.contrib.feature_column
    word = fc.sequence_categorical_column_with_identity("word", 3)
    made = tf.contrib.estimator.RNNClassifier(
        [tf.feature_column.embedding_column(word, 2)],
        [tf.feature_column.numeric_column("age")],
        num_units=units,
        cell_type=cell,
        model_dir=str(tmp_path),
    )
    made.train(lambda: sequences().repeat(), steps=3)
    if cell != "basic_rnn":
        names = made.get_variable_names()
        assert "rnn/rnn/multi_rnn_cell/cell_1/basic_lstm_cell/kernel" in names
        return
    value = made.get_variable_value
    (table,) = (value(n) for n in made.get_variable_names() if n.endswith("embedding_weights"))
    kernel, bias = value("rnn/rnn/basic_rnn_cell/kernel"), value("rnn/rnn/basic_rnn_cell/bias")
    logits = []
    for ids, age in (([0, 1], 0.5), ([1, 0, 2], 2.0)):
        state = np.zeros(3)
        for each in ids:
            state = np.tanh(np.concatenate([table[each], [age], state]) @ kernel + bias)
        logits.append(state @ value("rnn/logits/dense/kernel") + value("rnn/logits/dense/bias"))
    rows = made.predict(sequences)
    np.testing.assert_allclose([next(rows)["logits"] for _ in range(2)], logits, rtol=1e-4)
    rows.close()


def test_wrong_recurrent_nets() -> None:
    make = tf.contrib.estimator.RNNClassifier
    with pytest.raises(ValueError, match="must not be specified when using rnn_cell_fn"):
        make([], num_units=[2], rnn_cell_fn=lambda _: None)
    with pytest.raises(ValueError, match="Supported cell types are"):
        make([], num_units=[2], cell_type="no")
    with pytest.raises(ValueError, match="must be a `_SequentialHead`"):
        head = tf.contrib.estimator.regression_head()
        tf.contrib.estimator.RNNEstimator(head, [], num_units=[2], return_sequences=True)


def test_exports(tmp_path: Path) -> None:
    estimator = tf.contrib.estimator
    made = tf.estimator.Estimator(model_fn, str(tmp_path / "m"), params={"wrap": lambda x: x})
    made.train(data, steps=1)
    receiver = estimator.build_supervised_input_receiver_fn_from_input_fn(
        lambda: ({"x": tf.constant(X)}, tf.constant(Y))
    )
    one = estimator.export_saved_model_for_mode(
        made, str(tmp_path / "one"), receiver, mode=tf.estimator.ModeKeys.EVAL
    )
    both = estimator.export_all_saved_models(
        made, str(tmp_path / "both"), {"train": receiver, "eval": receiver}
    )
    for folder, tags in ((one, ["eval"]), (both, ["train", "eval"])):
        for tag in tags:
            with tf.Graph().as_default(), tf.Session() as session:
                tf.saved_model.load(session, [tag], tf.compat.as_text(folder))


@pytest.mark.parametrize("saved", [True, False])
def test_stop_at_a_saved_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, saved: bool) -> None:
    """The chief stops at the step; a worker when a checkpoint has it."""
    make = tf.contrib.estimator.make_stop_at_checkpoint_step_hook
    chief = tf.estimator.Estimator(model_fn, str(tmp_path), params={"wrap": lambda x: x})
    chief.train(data, steps=3 if saved else 1)
    assert isinstance(make(chief, 5), tf.train.StopAtStepHook)
    task = {"type": "worker", "index": 0}
    cluster = {"chief": ["a:1"], "worker": ["b:1"], "ps": ["c:1"]}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": task}))
    worker = tf.estimator.Estimator(model_fn, str(tmp_path), params={"wrap": lambda x: x})
    hook = make(worker, 3, wait_after_file_check_secs=0)
    with tf.Graph().as_default():
        step = tf.train.create_global_step()
        counted = tf.assign_add(step, 1)
        hook.begin()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            stopped = []
            for _ in range(4):
                context = tf.train.SessionRunContext(None, session)
                asked = hook.before_run(context)
                values = session.run(asked.fetches)
                session.run(counted)
                hook.after_run(context, tf.train.SessionRunValues(values, None, None))
                stopped.append(context.stop_requested)
    assert stopped == [False, False, saved, saved]
    with pytest.raises(ValueError, match="last_step must be specified"):
        make(worker, None)


def test_read_metrics(tmp_path: Path) -> None:
    made = tf.estimator.Estimator(model_fn, str(tmp_path), params={"wrap": lambda x: x})
    scores = [made.train(data, steps=1).evaluate(data, steps=1) for _ in range(2)]
    found = tf.contrib.estimator.read_eval_metrics(made.eval_dir())
    assert list(found) == [1, 2]
    assert [each["error"] for each in found.values()] == [each["error"] for each in scores]
