"""Heads of tf.contrib.learn: predictions, losses and metrics, with numbers of TensorFlow 1.15."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import learn
from dataflow.contrib.learn.heads.several import loss_only_head

SEVERAL = [[1.0, 0.0, 0.0]]


def made(head: Any, logits: Any, labels: Any, mode: str = "eval", **given: Any) -> Any:
    features = given.pop("features", {})
    step = learn.no_op_train_fn if mode == "train" else None
    return head.create_model_fn_ops(
        features, mode, labels, step, None if logits is None else tf.constant(logits), **given
    )


def told(ops: Any) -> dict[str, Any]:
    """The loss, and each metric after one update."""
    with tf.Session() as session:
        tables = tf.tables_initializer()
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer(), tables])
        found: dict[str, Any] = {"training": session.run(ops.loss)}
        session.run([update for _, update in ops.eval_metric_ops.values()])
        return found | session.run({key: value for key, (value, _) in ops.eval_metric_ops.items()})


@pytest.mark.parametrize(
    "head, logits, labels, features, expected",
    [
        pytest.param(
            lambda: learn.regression_head(),
            [[1.0], [1.0], [3.0]],
            [[0.0], [1.0], [1.0]],
            {},
            {"training": 5 / 3, "loss": 5 / 3},
            id="numbers",
        ),
        pytest.param(
            lambda: learn.regression_head(weight_column_name="w"),
            [[1.0], [1.0], [3.0]],
            [0.0, 1.0, 1.0],
            {"w": [2.0, 5.0, 0.0]},
            {"training": 2 / 3, "loss": 2 / 7},
            id="weighted numbers",
        ),
        pytest.param(
            lambda: learn.poisson_regression_head(),
            [[0.0], [-1.0], [1.0]],
            [[1.0], [2.0], [3.0]],
            {},
            {"loss": 1.8340164},
            id="counts",
        ),
        pytest.param(
            lambda: learn.multi_class_head(2),
            [[1.0], [1.0]],
            [[1.0], [0.0]],
            {},
            {
                "training": 0.81326175,
                "loss": 0.81326175,
                "accuracy": 0.5,
                "accuracy/baseline_label_mean": 0.5,
                "accuracy/threshold_0.500000_mean": 0.5,
                "auc": 0.5,
                "auc_precision_recall": 0.75,
                "labels/actual_label_mean": 0.5,
                "labels/prediction_mean": 0.731059,
                "precision/positive_threshold_0.500000_mean": 0.5,
                "recall/positive_threshold_0.500000_mean": 1.0,
            },
            id="two classes",
        ),
        pytest.param(
            lambda: learn.multi_class_head(3, metric_class_ids=range(3)),
            SEVERAL,
            [[2]],
            {},
            {
                "training": 1.5514446,
                "accuracy": 0.0,
                "labels/actual_label_mean/class2": 1.0,
                "labels/logits_mean/class0": 1.0,
                "labels/prediction_mean/class0": 1.0,
                "labels/probability_mean/class0": 0.576117,
                "labels/probability_mean/class1": 0.2119416,
            },
            id="three classes",
        ),
        pytest.param(
            lambda: learn.multi_class_head(3, label_keys=["a", "b", "c"]),
            SEVERAL,
            [["c"]],
            {},
            {"training": 1.5514446, "accuracy": 0.0},
            id="names of classes",
        ),
        pytest.param(
            lambda: learn.multi_label_head(3, metric_class_ids=range(3)),
            SEVERAL,
            [[0, 0, 1]],
            {},
            {
                "training": 0.89985204,
                "loss": 0.89985204,
                "accuracy": 1 / 3,
                "auc": 0.25,
                "auc/class2": 0.0,
                "auc_precision_recall/class2": 1.0,
                "labels/prediction_mean/class0": 1.0,
                "labels/actual_label_mean/class2": 1.0,
                "labels/probability_mean/class0": 0.731059,
            },
            id="labels",
        ),
        pytest.param(
            lambda: learn.multi_label_head(
                3, loss_fn=lambda labels, logits, weights=None: tf.constant(0.089985214)
            ),
            SEVERAL,
            [[0, 0, 1]],
            {},
            {"training": 0.089985214},
            id="a loss of the program's own",
        ),
        pytest.param(
            lambda: learn.binary_svm_head(),
            [[-0.5], [1.2]],
            [[0], [1]],
            {},
            {"training": 0.25, "accuracy": 1.0},
            id="support vectors",
        ),
    ],
)
def test_metrics(head: Any, logits: Any, labels: Any, features: Any, expected: Any) -> None:
    with tf.Graph().as_default():
        features = {name: tf.constant(value) for name, value in features.items()}
        found = told(made(head(), logits, tf.constant(labels), features=features))
    assert {key: found[key] for key in expected} == pytest.approx(expected, abs=1e-4)


def test_sparse_labels_and_own_weights_agree_with_numpy() -> None:
    with tf.Graph().as_default():
        sparse = tf.SparseTensor([[0, 0], [1, 1]], np.array([2, 1]), [2, 2])
        weights = {"w": tf.constant([[1.0], [3.0]])}
        logits = np.array([[1.0, 0.0, 0.0], [0.5, 2.0, 0.0]], np.float32)
        head = learn.multi_label_head(3, weight_column_name="w")
        found = told(made(head, logits, sparse, features=weights))
    labels = np.array([[0, 0, 1], [0, 1, 0]])
    each = np.log1p(np.exp(logits)) - labels * logits
    weighted = each * [[1], [3]]
    assert found["training"] == pytest.approx(weighted.mean(), rel=1e-5)
    assert found["loss"] == pytest.approx(weighted.sum() / 12, rel=1e-5)


def test_a_centered_bias_learns() -> None:
    with tf.Graph().as_default():
        head = learn.regression_head(enable_centered_bias=True)
        ops = made(head, [[1.0], [1.0], [3.0]], tf.constant([[0.0], [1.0], [1.0]]), "train")
        (bias,) = tf.trainable_variables()
        assert bias.op.name == "regression_head/centered_bias_weight"
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(ops.train_op)
            # Adagrad's first step: gradient -4/3 at 0, accumulator 0.1.
            gradient = -4 / 3
            expected = -0.1 * gradient / np.sqrt(0.1 + gradient**2)
            assert session.run(bias) == pytest.approx([expected], rel=1e-5)


def test_several_heads() -> None:
    with tf.Graph().as_default():
        heads = [
            learn.multi_class_head(3, "label1", head_name="head1"),
            learn.multi_class_head(4, "label2", head_name="head2"),
            loss_only_head(lambda: [tf.constant(1.0), tf.constant(2.0)], "extra"),
        ]
        head = learn.multi_head(heads, [1.0, 10.0, 2.0])
        assert head.logits_dimension == 7
        logits = [[-0.7, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1]]
        labels = {"label1": tf.constant([1]), "label2": tf.constant([1])}
        ops = made(head, logits, labels)
        first = np.log(np.exp(logits[0][:3]).sum()) - 0.2
        assert told(ops)["training"] == pytest.approx(first + 10 * np.log(4) + 6, abs=1e-4)
        assert set(ops.eval_metric_ops) == {
            f"{key}/{name}" for key in ("loss", "accuracy") for name in ("head1", "head2")
        }
        infers = made(head, logits, None, "infer")
        assert set(infers.output_alternatives) == {"head1", "head2"}
        assert ("head1", "classes") in infers.predictions
        with pytest.raises(ValueError, match="must have names"):
            learn.multi_head([learn.regression_head()])
        with pytest.raises(ValueError, match="must have same size"):
            learn.multi_head(heads, [1.0])


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: learn.multi_class_head(1), "n_classes must be > 1 for classification: 1."),
        (lambda: learn.multi_class_head(2, label_keys=["a", "b"]), "label_keys is not supported"),
        (lambda: learn.multi_class_head(3, label_keys=["a"]), "must equal n_classes"),
        (lambda: learn.multi_class_head(3, metric_class_ids=[3]), r"Class ID 3 not in \[0, 3\)"),
        (
            lambda: learn.multi_class_head(3, loss_fn=lambda labels, logits: labels),
            "Argument weights not found in loss_fn",
        ),
        (lambda: made(learn.regression_head(), None, [1.0]), "Neither logits nor logits_input"),
        (
            lambda: made(learn.regression_head(), [[1.0]], [1.0], logits_input=tf.ones([1, 2])),
            "Both logits and logits_input",
        ),
        (lambda: made(learn.regression_head(), [[1.0, 2.0]], [1.0]), "Dimensions.*not compatible"),
        (lambda: made(learn.regression_head(), [[1.0]], [[1.0]], "x"), "mode=x unrecognized"),
        (lambda: made(learn.multi_class_head(3), SEVERAL, [1.5]), "should be integer"),
        (
            lambda: made(
                learn.regression_head(),
                [[1.0]],
                tf.SparseTensor(np.zeros([1, 2], np.int64), [1.0], [1, 1]),
            ),
            "SparseTensor is not supported",
        ),
        (lambda: learn.ModelFnOps("train", loss=1.0), "Missing train_op"),
        (lambda: learn.ModelFnOps("eval", {"a": 1.0}), "Missing loss"),
        (lambda: learn.ModelFnOps("infer"), "Missing predictions"),
    ],
)
def test_what_is_refused(call: Any, message: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=message):
        call()


def model_fn(features: Any) -> Any:
    """Is never called."""


def test_estimators_with_heads_train_and_export(tmp_path: Path) -> None:
    x = np.linspace(-1, 1, 16, dtype=np.float32)[:, None]
    columns = [tf.contrib.layers.real_valued_column("x")]
    head = learn.multi_head(
        [
            learn.regression_head("number", head_name="number"),
            learn.multi_class_head(2, "sign", head_name="sign"),
        ]
    )

    def input_fn() -> Any:
        labels = {"number": tf.constant(3 * x), "sign": tf.constant((x > 0).astype(np.int64))}
        return {"x": tf.constant(x)}, labels

    linear = learn.LinearEstimator(columns, head, str(tmp_path), optimizer="Adagrad")
    linear.fit(input_fn=input_fn, steps=60)
    found = linear.evaluate(input_fn=input_fn, steps=1)
    assert found["accuracy/sign"] == 1.0
    assert found["loss/number"] < 1.0

    each = linear.predict(input_fn=lambda: ({"x": tf.constant(x)}, None))
    assert set(next(each)) >= {("number", "scores"), ("sign", "classes")}
    each.close()

    def serving() -> Any:
        fed = tf.placeholder(tf.float32, [None, 1], name="x")
        return learn.InputFnOps({"x": fed}, None, {"x": fed})

    with pytest.raises(ValueError, match="default_output_alternative_key"):
        linear.export_savedmodel(str(tmp_path / "no"), serving)
    folder = linear.export_savedmodel(str(tmp_path / "yes"), serving, "sign").decode()
    strategy = learn.make_export_strategy(serving, "number")
    with tf.Session(graph=tf.Graph()) as session:
        exported = strategy.export(linear, str(tmp_path / "strategy")).decode()
        meta = tf.saved_model.load(session, ["serve"], exported)
        assert set(meta.signature_def["serving_default"].outputs) == {"scores"}
    with pytest.raises(ValueError, match=r"is not supported in core Estimator\. Given: number"):
        strategy.export(tf.estimator.Estimator(model_fn, str(tmp_path)), str(tmp_path / "core"))
    with tf.Session(graph=tf.Graph()) as session:
        meta = tf.saved_model.load(session, ["serve"], folder)
        signature = meta.signature_def["serving_default"]
        chances = session.run(
            signature.outputs["probabilities"].name, {signature.inputs["x"].name: x}
        )
    assert ((chances[:, 1] > 0.5) == (x[:, 0] > 0)).all()
    net = learn.DNNEstimator(learn.regression_head(), [3], columns, str(tmp_path / "net"))
    net.fit(input_fn=lambda: ({"x": tf.constant(x)}, tf.constant(3 * x)), steps=2)
    with tf.Graph().as_default():
        assert net.get_variable_value("dnn/logits/weights").shape == (3, 1)


def test_logistic_regressors(tmp_path: Path) -> None:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        bias = tf.get_variable("bias", [], initializer=tf.zeros_initializer())
        chances = tf.sigmoid(features["x"] + bias)
        loss = tf.losses.log_loss(labels, chances) if labels is not None else None
        step = tf.train.get_or_create_global_step().assign_add(1)
        return chances, loss, tf.group(step)

    x = np.array([[-1.0], [2.0], [0.5], [-0.5]], np.float32)
    labels = np.array([[0.0], [1.0], [0.0], [0.0]], np.float32)
    model = learn.LogisticRegressor(model_fn, [0.5, 0.7], str(tmp_path))
    model.fit(input_fn=lambda: ({"x": tf.constant(x)}, tf.constant(labels)), steps=1)
    found = model.evaluate(input_fn=lambda: ({"x": tf.constant(x)}, tf.constant(labels)), steps=1)
    assert found["labels/actual_label_mean"] == 0.25
    assert found["accuracy/threshold_0.500000_mean"] == 0.75
    assert found["accuracy/threshold_0.700000_mean"] == 1.0
    assert found["precision/positive_threshold_0.500000_mean"] == 0.5
    assert found["auc"] == pytest.approx(1.0, abs=1e-3)
    assert found["labels/prediction_mean"] == pytest.approx(np.mean(1 / (1 + np.exp(-x))), rel=1e-5)


def test_clusters_by_older_names(tmp_path: Path) -> None:
    points = np.array([[0, 0], [0, 1], [9, 9], [9, 8]], np.float32)
    clusters = learn.KMeansClustering(
        2, str(tmp_path), points[[0, 2]], use_mini_batch=False, relative_tolerance=1e-4
    )
    input_fn = lambda: ({"a": tf.constant(points[:, :1]), "b": tf.constant(points[:, 1:])}, None)  # noqa: E731
    clusters.fit(input_fn=input_fn, steps=5)
    np.testing.assert_allclose(clusters.clusters(), [[0, 0.5], [9, 8.5]], atol=1e-5)
    assert clusters.score(input_fn=input_fn, steps=1) == pytest.approx(1.0, abs=1e-4)


def test_parameters_as_of_scikit_learn() -> None:
    class Model(learn.BaseEstimator):
        def __init__(self, rate: float, inner: Any = None) -> None:
            self.rate, self.inner, self._hidden = rate, inner, 1

    model = Model(0.1, Model(0.2))
    assert model.get_params(deep=False) == {"rate": 0.1, "inner": model.inner}
    assert model.set_params(rate=1.0, inner__rate=2.0) is model
    assert (model.get_params()["rate"], model.get_params()["inner__rate"]) == (1.0, 2.0)
    with pytest.raises(ValueError, match="Invalid parameter x for estimator"):
        model.set_params(x=1)
    assert issubclass(learn.NotFittedError, AttributeError)
