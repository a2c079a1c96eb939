"""Estimators of boosted trees: TensorFlow's own losses and predictions, numpy's, and refusals."""

from __future__ import annotations

import json
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import dataflow as tf
from dataflow.contrib import estimator as contrib
from dataflow.estimation.trees.explaining import as_probabilities, as_they_are, contributions
from dataflow.estimation.trees.heads import create_regression_head
from dataflow.proto.boosted_trees_pb2 import TreeEnsemble
from tests.estimation.forests import (
    BOUNDARIES,
    CLASSES,
    FEATURES,
    NUMBERS,
    boosted,
    bucketized,
    inputs,
    numeric,
    once,
    progress,
    saved,
)

COLUMN = tf.feature_column
ONE_TREE = [[0.571619], [0.262821], [0.124549], [0.956801], [1.769801]]
"""What a tree of five layers predicts of numbers."""
SLICES = tf.data.Dataset.from_tensor_slices
pytestmark = pytest.mark.usefixtures("variables_as_before")


def classifier(folder: Path, columns: Any = None, **options: Any) -> Any:
    options = {"n_trees": 1, "max_depth": 5, "n_batches_per_layer": 1, **options}
    return tf.estimator.BoostedTreesClassifier(
        columns or bucketized(), model_dir=str(folder), **options
    )


def regressor(folder: Path, columns: Any = None, **options: Any) -> Any:
    options = {"n_trees": 1, "max_depth": 5, "n_batches_per_layer": 1, **options}
    return tf.estimator.BoostedTreesRegressor(
        columns or bucketized(), model_dir=str(folder), **options
    )


def predictions(est: Any, key: str, input_fn: Any = None) -> list[Any]:
    return [each[key].tolist() for each in est.predict(input_fn or once())]


def test_numbers(tmp_path: Path) -> None:
    est = regressor(tmp_path)
    # It stops by itself; and two pieces are as good as one.
    est.train(inputs(NUMBERS), steps=2)
    assert progress(tmp_path) == (2, 0, 2)
    est.train(inputs(NUMBERS))
    assert progress(tmp_path) == (5, 1, 5)
    np.testing.assert_allclose(predictions(est, "predictions"), ONE_TREE, rtol=1e-5)


def test_layers_of_several_batches(tmp_path: Path) -> None:
    def rows() -> Any:
        return SLICES((FEATURES, np.reshape(NUMBERS, -1))).batch(1).repeat()

    est = regressor(tmp_path, n_batches_per_layer=5)
    est.train(rows, steps=100)
    assert progress(tmp_path) == (25, 1, 5)
    np.testing.assert_allclose(predictions(est, "predictions"), ONE_TREE, rtol=1e-5)


def test_on_both_targets(tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if target:
        masters = {"session_master": target, "eval_session_master": target}
        monkeypatch.setenv("TF_CONFIG", json.dumps(masters))
    est = regressor(tmp_path)
    est.train(inputs(NUMBERS))
    assert progress(tmp_path) == (5, 1, 5)
    assert est.evaluate(inputs(NUMBERS), steps=1)["average_loss"] == pytest.approx(2.478283)


@pytest.mark.parametrize(
    ("options", "reached", "loss"),
    [
        ({}, (10, 2, 10), 1.008551),
        ({"center_bias": True}, (12, 2, 10), 0.614642),
        # It gives up when twice as many layers were attempted.
        ({"tree_complexity": 0.001, "pruning_mode": "pre"}, (21, 0, 21), 3.83943),
        ({"tree_complexity": 0.001, "pruning_mode": "post"}, (10, 2, 10), 2.37652),
    ],
)
def test_any_head(tmp_path: Path, options: Any, reached: Any, loss: float) -> None:
    head = create_regression_head(1)
    est = tf.estimator.BoostedTreesEstimator(
        bucketized(), 1, head, str(tmp_path), n_trees=2, max_depth=5, **options
    )
    est.train(inputs(NUMBERS), steps=100)
    assert progress(tmp_path) == reached
    found = est.evaluate(inputs(NUMBERS), steps=1)
    assert found["average_loss"] == pytest.approx(loss, rel=1e-5)


def test_classes_by_names(tmp_path: Path) -> None:
    labels = [["apple"], ["pear"], ["pear"], ["apple"], ["apple"]]
    est = classifier(tmp_path, label_vocabulary=["apple", "pear"])
    est.train(inputs(labels))
    assert est.evaluate(inputs(labels), steps=1)["accuracy"] == 1.0
    assert predictions(est, "class_ids") == [[0], [1], [1], [0], [0]]


@pytest.mark.parametrize("in_memory", [False, True])
def test_numbers_buckets_and_words(tmp_path: Path, in_memory: bool) -> None:
    words = COLUMN.categorical_column_with_vocabulary_list("word", ("bad", "good", "ok"))
    columns = [
        COLUMN.numeric_column("number"),
        COLUMN.bucketized_column(COLUMN.numeric_column("same"), BOUNDARIES),
        COLUMN.indicator_column(words),
    ]
    features = {
        "word": np.array(["bad", "good", "good", "ok", "bad"]),
        "same": np.ones(5),
        "number": np.array([12.5, 1.0, -2.001, -2.0001, -1.999]),
    }
    labels = np.array([[0], [1], [1], [1], [1]], np.float32)
    given = tf.estimator.inputs.numpy_input_fn(
        features, labels, batch_size=5, num_epochs=None, shuffle=False
    )
    est = classifier(tmp_path, columns, quantile_sketch_epsilon=0.33, train_in_memory=in_memory)
    # Without boundaries all lie in one bucket.
    assert predictions(est, "class_ids", lambda: SLICES(features).batch(5)) == [[0]] * 5
    est.train(given, steps=100)
    assert progress(tmp_path) == (5, 1, 5)
    key = "boosted_trees/QuantileAccumulator:0_bucket_boundaries_0"
    np.testing.assert_allclose(est.get_variable_value(key), [-2.001, -1.999, 12.5])
    assert est.evaluate(given, steps=1)["accuracy"] == 1.0


def test_a_word_tells_all(tmp_path: Path) -> None:
    words = COLUMN.categorical_column_with_vocabulary_list("word", ("bad", "good", "ok"))
    labels = [[0.0], [5.7], [5.7], [0.0], [0.0]]
    given = inputs(labels, word=np.array(["bad", "good", "good", "ok", "bad"]))
    columns = [COLUMN.indicator_column(words), bucketized()[2]]
    est = regressor(tmp_path, columns, max_depth=1, learning_rate=1.0)
    est.train(given, steps=1)
    (tree,) = saved(tmp_path).trees[:1]
    assert tree.nodes[0].bucketized_split.feature_id == 2
    assert est.evaluate(given, steps=1)["loss"] == pytest.approx(0.0, abs=1e-9)


def test_weights(tmp_path: Path) -> None:
    """A weighted head has no closed form; quantiles count weights, too."""
    weights = np.array([1.0, 10.0, 2.0, 1.0, 1.0], np.float32)
    column = COLUMN.numeric_column("weight")
    found = {}
    for name, given in (("key", "weight"), ("column", column)):
        est = classifier(tmp_path / name, numeric(), weight_column=given)
        est.train(inputs(CLASSES, weight=weights))
        found[name] = est.evaluate(inputs(CLASSES, weight=weights), steps=1)
        assert found[name]["accuracy"] == 1.0
    assert found["key"] == found["column"]
    assert found["key"]["label/mean"] == pytest.approx(12 / 15)


def test_weights_of_quantiles(tmp_path: Path) -> None:
    """Of five values with weights 1, 1, 1, 10 and 1 four are boundaries, and three are used."""
    given = inputs(CLASSES, weight=np.array([1.0, 10.0, 1.0, 1.0, 1.0], np.float32))
    est = classifier(
        tmp_path, numeric()[:1], weight_column="weight", quantile_sketch_epsilon=0.33, max_depth=1
    )
    est.train(given)
    key = "boosted_trees/QuantileAccumulator:0_bucket_boundaries_0"
    np.testing.assert_allclose(est.get_variable_value(key), [-2.001, -1.999, 1.0, 12.5])
    assert max(node.bucketized_split.threshold for node in saved(tmp_path).trees[0].nodes) < 3


def test_names_in_checkpoints(tmp_path: Path) -> None:
    est = regressor(tmp_path, numeric()[:1], train_in_memory=True)
    est.train(inputs(NUMBERS), steps=1)
    kept = "are_boundaries_ready are_features_cached cached_feature_0 center_bias_needed"
    states = "logits_cache node_ids_cache tree_ids_cache"
    assert est.get_variable_names() == [
        "boosted_trees/QuantileAccumulator:0_bucket_boundaries_0",
        *(f"boosted_trees/{name}" for name in f"{kept} {states}".split()),
        *(f"boosted_trees:0_{name}" for name in ("serialized", "stamp")),
        "global_step",
    ]


@pytest.mark.parametrize("in_memory", [False, True])
def test_as_boosting_in_numpy(tmp_path: Path, in_memory: bool) -> None:
    random = np.random.RandomState(3)
    x = random.standard_normal((60, 2)).astype(np.float32)
    y = (np.sin(2 * x[:, 0]) * x[:, 1] + 0.1 * random.standard_normal(60)).astype(np.float32)
    weights = random.uniform(0.5, 2.0, 60).astype(np.float32)
    boundaries = [-1.0, -0.3, 0.2, 0.9]
    columns = [
        COLUMN.bucketized_column(COLUMN.numeric_column(name), boundaries) for name in ("a", "b")
    ]
    features = {"a": x[:, 0], "b": x[:, 1], "w": weights}
    est = regressor(
        tmp_path,
        columns,
        n_trees=3,
        max_depth=3,
        learning_rate=0.4,
        l1_regularization=0.01,
        l2_regularization=0.05,
        weight_column="w",
        train_in_memory=in_memory,
    )
    est.train(lambda: tf.data.Dataset.from_tensors((features, y)).repeat())
    assert progress(tmp_path) == (9, 3, 9)
    wanted = boosted(np.digitize(x, boundaries), y, 3, 3, 0.4, 0.01, 0.05, weights)
    found = predictions(est, "predictions", lambda: SLICES(features).batch(60))
    np.testing.assert_allclose(np.reshape(found, -1), wanted, rtol=1e-3, atol=1e-5)


def test_importances(tmp_path: Path) -> None:
    est = classifier(tmp_path, n_trees=2)
    est.train(inputs(CLASSES))
    names = ["f_0_bucketized", "f_2_bucketized", "f_1_bucketized"]
    for normalize, wanted in ((False, [0.833933, 0.606342, 0.0]), (True, [0.57901, 0.42099, 0.0])):
        found = est.experimental_feature_importances(normalize)
        assert list(found) == names
        np.testing.assert_allclose(list(found.values()), wanted, rtol=1e-5)


def test_importances_that_cannot_be_told(tmp_path: Path) -> None:
    class Refuse(tf.train.SessionRunHook):
        def before_run(self, run_context: Any) -> Any:
            raise StopIteration

    est = classifier(tmp_path)
    est.train(inputs(CLASSES), hooks=[Refuse()])
    assert progress(tmp_path) == (0, 0, 0)
    assert est.evaluate(inputs(CLASSES), steps=1)["accuracy"] == pytest.approx(0.6)
    with pytest.raises(ValueError, match="Found empty serialized string for TreeEnsemble"):
        est.experimental_feature_importances()
    for weight, text in ((1.0, "all empty or contain only a root node"), (-1.0, "non-negative")):
        ensemble = TreeEnsemble(tree_weights=[weight])
        nodes = ensemble.trees.add().nodes
        if weight < 0:
            nodes.add().bucketized_split.feature_id = 1
            nodes[0].metadata.gain = 5.0
        nodes.add().leaf.scalar = 0.0
        with tf.Graph().as_default(), tf.Session() as session:
            values = {"serialized": ensemble.SerializeToString(), "stamp": 1}
            writes = tf.raw_ops.SaveV2(
                prefix=str(tmp_path / "model.ckpt-9"),
                tensor_names=[f"boosted_trees:0_{name}" for name in values],
                shape_and_slices=["", ""],
                tensors=list(values.values()),
            )
            session.run(writes)
        tf.train.update_checkpoint_state(str(tmp_path), str(tmp_path / "model.ckpt-9"))
        assert est.experimental_feature_importances()["f_1_bucketized"] == min(5 * weight, 0.0)
        with pytest.raises(AssertionError, match=text):
            est.experimental_feature_importances(normalize=True)


def test_explanations_of_classes(tmp_path: Path) -> None:
    est = classifier(tmp_path, center_bias=True)
    est.train(inputs(CLASSES))
    found = list(est.experimental_predict_with_explanations(once()))
    np.testing.assert_allclose([each["bias"] for each in found], [0.4] * 5, rtol=1e-4)
    first, second = (-0.121086, -0.039255), (0.196506, 0.026938)
    wanted = [first, second, (0.160575, 0.026938), first, (-0.108325, 0.026938)]
    for each, added in zip(found, wanted, strict=True):
        assert list(each["dfc"]) == ["f_0_bucketized", "f_2_bucketized", "f_1_bucketized"]
        np.testing.assert_allclose(list(each["dfc"].values()), [*added, 0.0], rtol=5e-5)
        total = each["bias"] + sum(each["dfc"].values())
        assert total == pytest.approx(each["probabilities"][1], rel=1e-5)
    few = est.experimental_predict_with_explanations(once(), predict_keys=["logits"])
    assert {frozenset(each) for each in few} == {frozenset({"bias", "dfc", "logits"})}


def test_explanations_of_numbers_in_quantiles(tmp_path: Path) -> None:
    est = regressor(tmp_path, numeric(), center_bias=True, quantile_sketch_epsilon=0.33)
    est.train(inputs(NUMBERS))
    for each in est.experimental_predict_with_explanations(once()):
        assert each["bias"] == pytest.approx(1.8, rel=1e-4)
        total = each["bias"] + sum(each["dfc"].values())
        assert total == pytest.approx(float(each["predictions"][0]), rel=1e-5)


def test_contributions() -> None:
    names = ("DIS", "LSTAT", "NOX", "NOX")
    bias, added = contributions((3, 1, 2), (22.6, 19.96, 14.91, 18.11), as_they_are, names)
    assert bias == 22.6
    assert list(added) == ["LSTAT", "NOX", "DIS"]
    np.testing.assert_allclose(list(added.values()), [-5.05, 3.2 - 2.64, 0.0], atol=1e-12)
    bias, added = contributions((2, 2, 0), (0.21, 0.114, 1.514, -5.486), as_probabilities, "abc")
    assert bias == pytest.approx(1 / (1 + np.exp(-0.21)))
    assert added == pytest.approx(OrderedDict(a=-0.815526, c=0.267345, b=0.0), rel=1e-5)


def test_exported(tmp_path: Path) -> None:
    est = classifier(tmp_path / "model", numeric(), center_bias=True)
    est.train(inputs(CLASSES))
    wanted = np.array(predictions(est, "probabilities"))
    spec = tf.feature_column.make_parse_example_spec(numeric())
    receiver = tf.estimator.export.build_parsing_serving_input_receiver_fn(spec)
    path = est.export_saved_model(str(tmp_path / "out"), receiver).decode()
    examples = []
    for row in zip(*FEATURES.values(), strict=True):
        example = tf.train.Example()
        for name, value in zip(FEATURES, row, strict=True):
            example.features.feature[name].float_list.value.append(value)
        examples.append(example.SerializeToString())
    with tf.Graph().as_default() as graph, tf.Session() as session:
        signatures = tf.saved_model.loader.load(session, ["serve"], path).signature_def
        signature = signatures["serving_default"]
        scores = session.run(
            signature.outputs["scores"].name, {signature.inputs["inputs"].name: examples}
        )
        kept = {each.name for each in graph.get_collection(tf.GraphKeys.SAVEABLE_OBJECTS)}
    np.testing.assert_allclose(scores, wanted, rtol=1e-6)
    assert kept == {"boosted_trees:0", "boosted_trees/QuantileAccumulator:0"}


def test_trained_at_once(tmp_path: Path) -> None:
    def rows() -> Any:
        return tf.data.Dataset.from_tensors((FEATURES, NUMBERS))

    est = contrib.boosted_trees_regressor_train_in_memory(
        rows, bucketized(), str(tmp_path / "numbers"), n_trees=1, max_depth=5
    )
    assert progress(tmp_path / "numbers") == (5, 1, 5)
    assert est.evaluate(rows)["average_loss"] == pytest.approx(2.478283)
    np.testing.assert_allclose(predictions(est, "predictions"), ONE_TREE, rtol=1e-5)
    est = contrib.boosted_trees_classifier_train_in_memory(
        inputs(CLASSES), numeric(), str(tmp_path / "classes"), n_trees=1, max_depth=5
    )
    assert predictions(est, "class_ids") == [[0], [1], [1], [0], [0]]


def test_a_real_set(tmp_path: Path) -> None:
    """Tumours by thirty numbers: `train_and_evaluate`, with an accuracy that is to be expected."""
    x, y = load_breast_cancer(return_X_y=True)
    order = np.random.RandomState(0).permutation(len(y))
    train, test = order[:400], order[400:]

    def rows(which: np.ndarray, repeat: int | None) -> Any:
        return lambda: tf.data.Dataset.from_tensors(
            ({"x": x[which].astype(np.float32)}, y[which])
        ).repeat(repeat)

    est = classifier(
        tmp_path,
        [COLUMN.numeric_column("x", shape=(30,))],
        n_trees=10,
        max_depth=3,
        learning_rate=0.3,
        quantile_sketch_epsilon=0.05,
        train_in_memory=True,
    )
    found, _ = tf.estimator.train_and_evaluate(
        est,
        tf.estimator.TrainSpec(rows(train, None), max_steps=100),
        tf.estimator.EvalSpec(rows(test, 1), steps=None),
    )
    assert found["accuracy"] > 0.93
    assert found["auc"] > 0.97


def test_refusals(tmp_path: Path) -> None:
    words = COLUMN.categorical_column_with_vocabulary_list("word", ("bad", "good"))
    with pytest.raises(ValueError, match="CategoricalColumn must be wrapped by IndicatorColumn"):
        classifier(tmp_path, [words])
    with pytest.raises(ValueError, match="Encountered unexpected column EmbeddingColumn"):
        classifier(tmp_path, [COLUMN.embedding_column(words, 2)])
    with pytest.raises(ValueError, match="For now pruning is not supported with multi class"):
        classifier(tmp_path, n_classes=3)
    with pytest.raises(ValueError, match=r"only binary classification is supported.n_classes giv"):
        classifier(tmp_path, n_classes=3, pruning_mode=None)
    with pytest.raises(ValueError, match="pruning is not supported with multi-dimension"):
        regressor(tmp_path, label_dimension=2)
    with pytest.raises(ValueError, match="For now only 1 dimension regression is supported"):
        regressor(tmp_path, label_dimension=2, pruning_mode=None)
    with pytest.raises(ValueError, match="center_bias must be enabled during estimator"):
        next(classifier(tmp_path).experimental_predict_with_explanations(once()))
    poisson = tf.estimator.PoissonRegressionHead()
    est = tf.estimator.BoostedTreesEstimator(bucketized(), 1, poisson, center_bias=True)
    with pytest.raises(ValueError, match="only identity inverse_link_fn in regression_head"):
        next(est.experimental_predict_with_explanations(once()))


@pytest.mark.parametrize(
    ("options", "labels", "text"),
    [
        ({"tree_complexity": 0.1}, CLASSES, "Tree complexity have no effect unless pruning"),
        ({"pruning_mode": "pre"}, CLASSES, "For pruning, tree_complexity must be positive"),
        ({"pruning_mode": "some"}, CLASSES, "pruning_mode mode must be one of: none, post, pre"),
        ({}, [[0.0, 1.0]] * 5, "Mismatched label shape. Expected labels dimension=1"),
        ({"train_in_memory": True, "n_batches_per_layer": 2}, CLASSES, "as a single batch"),
        ({"columns": [COLUMN.numeric_column("f_0", dtype=tf.int64)]}, CLASSES, "of integers must"),
        ({"columns": [COLUMN.numeric_column("f_0", shape=(2, 1))]}, CLASSES, "Dense column with"),
        ({"columns": [COLUMN.numeric_column("f_7")]}, CLASSES, "Feature f_7 is not in features"),
    ],
)
def test_refused_training(tmp_path: Path, options: Any, labels: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        classifier(tmp_path, **options).train(inputs(labels), steps=1)


def test_no_labels(tmp_path: Path) -> None:
    for in_memory in (False, True):
        est = classifier(tmp_path, train_in_memory=in_memory)
        with pytest.raises(ValueError, match="None values not supported"):
            est.train(lambda: FEATURES, steps=1)
