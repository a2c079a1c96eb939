"""Columns and canned estimators of tf.contrib.layers and tf.contrib.learn, against numpy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf

AGES = np.array([0.25, 0.75, 0.5], np.float32)
WORDS = np.array([["a"], ["b"], ["a"]])
PLACES = np.array([0, 1, 0])
X = np.random.RandomState(2).rand(12, 3).astype(np.float32)
Y = (X.sum(1) > 1.5).astype(np.int32)


def features() -> dict[str, Any]:
    return {
        "age": tf.constant(AGES),
        "word": tf.constant(WORDS),
        "id": tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([2, 1, 2], tf.int64), [3, 2]),
        "weight": tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([0.5, 2.0, 3.0]), [3, 2]),
    }


def columns() -> dict[str, Any]:
    layers = tf.contrib.layers
    age = layers.real_valued_column("age", normalizer=lambda x: 2.0 * x)
    ids = layers.sparse_column_with_integerized_feature("id", 3, combiner="mean")
    return {
        "age": age,
        "ranges": layers.bucketized_column(age, [0.8, 0.8, 1.2]),
        "word": layers.sparse_column_with_keys("word", ["a", "b"]),
        "id": ids,
        "weighted": layers.weighted_sparse_column(ids, "weight"),
    }


def counter(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
    """0, 1, 2 ... as the initial values of a table."""
    return tf.reshape(tf.range(float(np.prod([int(size) for size in shape]))), shape)


def test_inputs_of_nets_are_in_the_order_of_kinds() -> None:
    layers, made = tf.contrib.layers, columns()
    given = [
        made["age"],
        layers.one_hot_column(made["weighted"]),
        layers.embedding_column(made["word"], 2, initializer=counter),
        made["ranges"],
    ]
    with tf.Graph().as_default(), tf.Session() as session:
        outputs: dict[Any, Any] = {}
        net = layers.input_from_feature_columns(features(), given, cols_to_outs=outputs)
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        hot = np.zeros((3, 3))
        hot[0, 2], hot[0, 1], hot[2, 2] = 0.5, 2.0, 3.0
        ranges = np.eye(3)[[0, 2, 1]]
        table = np.arange(4.0).reshape(2, 2)[PLACES]
        expected = np.concatenate([ranges, table, hot, 2 * AGES[:, None]], 1)
        np.testing.assert_allclose(session.run(net), expected, rtol=1e-6)
        assert outputs[given[0]].shape.as_list() == [3, 1]
        name = "input_from_feature_columns/word_embedding/weights"
        assert [each.op.name for each in tf.global_variables()] == [name]
        assert tf.contrib.framework.get_model_variables() == tf.global_variables()


def test_shared_tables() -> None:
    layers = tf.contrib.layers
    words = [layers.sparse_column_with_keys(key, ["a", "b"]) for key in ("word", "other")]
    shared = layers.shared_embedding_columns(words, 2, initializer=counter)
    with tf.Graph().as_default(), tf.Session() as session:
        given = features() | {"other": tf.constant(WORDS[::-1].copy())}
        net = layers.input_from_feature_columns(given, shared)
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        assert len(tf.global_variables()) == 1
        table = np.arange(4.0).reshape(2, 2)
        both = np.concatenate([table[PLACES[::-1]], table[PLACES]], 1)
        np.testing.assert_array_equal(session.run(net), both)


def test_weighted_sums() -> None:
    layers, made = tf.contrib.layers, columns()
    with tf.Graph().as_default(), tf.Session() as session:
        given = [made[key] for key in ("age", "ranges", "word", "weighted")]
        found, by_column, bias = layers.weighted_sum_from_feature_columns(features(), given, 1)
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        values = {
            "age/weight": [[10.0]],
            "age_bucketized/weights": [[1.0], [2.0], [3.0]],
            "word/weights": [[100.0], [200.0]],
            "id_weighted_by_weight/weights": [[1.0], [4.0], [8.0]],
            "bias_weight": [0.5],
        }
        for variable in tf.global_variables():
            name = variable.op.name.removeprefix("weighted_sum_from_feature_columns/")
            variable.load(values.pop(name), session)
        assert not values
        means = np.array([(0.5 * 8 + 2 * 4) / 2.5, 0.0, 8.0])
        expected = 20 * AGES + [1, 3, 2] + np.array([100, 200, 100]) + means + 0.5
        np.testing.assert_allclose(session.run(found)[:, 0], expected, rtol=1e-6)
        assert [len(by_column[each]) for each in given] == [1, 1, 1, 1]
        assert session.run(bias).tolist() == [0.5]


def test_examples_and_placeholders() -> None:
    layers, made = tf.contrib.layers, columns()
    crossed = layers.crossed_column([made["word"], made["ranges"]], 7)
    given = [made["age"], made["word"], crossed]
    spec = layers.create_feature_spec_for_parsing(given)
    assert sorted(spec) == ["age", "word"]
    with tf.Graph().as_default(), tf.Session() as session:
        example = tf.train.Example()
        example.features.feature["age"].float_list.value.append(0.5)
        example.features.feature["word"].bytes_list.value.append(b"b")
        parsed = layers.parse_feature_columns_from_examples([example.SerializeToString()], given)
        assert session.run(parsed["word"]).values.tolist() == [b"b"]
        transformed = layers.transform_features(parsed, given)
        # TensorFlow 1.15's answer; with a key it is the one of tf.feature_column.
        assert session.run(transformed[crossed]).values.tolist() == [6]
        keyed = layers.crossed_column([made["word"], made["ranges"]], 7, hash_key=5)
        later = tf.feature_column.crossed_column([made["ranges"], "word"], 7, 5)
        found = layers.transform_features(parsed, [keyed, later])
        np.testing.assert_array_equal(*session.run([found[keyed].values, found[later].values]))
        waiting = layers.make_place_holder_tensors_for_base_features(given)
        assert waiting["age"].shape.as_list() == [None, 1]
        assert isinstance(waiting["word"], tf.SparseTensor)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda x: x.real_valued_column("a", 0), ValueError, "greater than 0"),
        (lambda x: x.real_valued_column("a", 1.5), TypeError, "must be an integer"),
        (lambda x: x.bucketized_column("a", [1.0]), TypeError, "_RealValuedColumn"),
        (lambda x: x.crossed_column([], 5), ValueError, "at least 2 elements"),
        (lambda x: x.crossed_column([x.real_valued_column("a")] * 2, 5), TypeError, "columns must"),
        (
            lambda x: x.crossed_column(
                [x.sparse_column_with_hash_bucket("a", 3)] * 2, 5, ckpt_to_load_from="folder"
            ),
            ValueError,
            "Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt`",
        ),
        (lambda x: x.shared_embedding_columns([], 2), ValueError, "at least one element"),
        (lambda x: x.check_feature_columns({}), ValueError, "found dict"),
        (
            lambda x: x.check_feature_columns([x.real_valued_column("a")] * 2),
            ValueError,
            "Duplicate feature column key",
        ),
    ],
)
def test_columns_that_are_refused(
    make: Callable[[Any], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make(tf.contrib.layers)


def test_columns_in_models_they_are_not_for() -> None:
    layers, made = tf.contrib.layers, columns()
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="SparseColumn is not supported in DNN"):
            layers.input_from_feature_columns(features(), [made["word"]])
        with pytest.raises(ValueError, match="not supported in linear models"):
            layers.weighted_sum_from_feature_columns(
                features(), [layers.embedding_column(made["word"], 2)], 1
            )


def test_a_net_of_contrib_learn(tmp_path: Path) -> None:
    learn = tf.contrib.learn
    given = learn.infer_real_valued_columns_from_input(X)
    made = learn.DNNClassifier([4], given, str(tmp_path), n_classes=3, dropout=0.1)
    made.fit(X, Y, steps=3)
    value = made.get_variable_value
    hidden = np.maximum(
        X @ value("dnn/hiddenlayer_0/weights") + value("dnn/hiddenlayer_0/biases"), 0
    )
    logits = hidden @ value("dnn/logits/weights") + value("dnn/logits/biases")
    chances = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    np.testing.assert_allclose(made.predict_proba(X, as_iterable=False), chances, rtol=1e-4)
    assert list(made.predict(X)) == logits.argmax(1).tolist()
    found = made.evaluate(X, Y)
    np.testing.assert_allclose(found["loss"], -np.log(chances[np.arange(12), Y]).mean(), rtol=1e-4)
    assert found["global_step"] == 3


def test_a_linear_model_as_scikit_learn_has_it(tmp_path: Path) -> None:
    learn = tf.contrib.learn
    given = learn.infer_real_valued_columns_from_input_fn(lambda: ({"x": tf.constant(X)}, None))
    inner = learn.LinearRegressor(given, str(tmp_path), gradient_clip_norm=5.0)
    made = learn.SKCompat(inner)
    assert made.fit({"x": X}, X.sum(1), batch_size=6, steps=4) is made
    value = inner.get_variable_value
    expected = X @ value("linear/x/weight") + value("linear/bias_weight")
    found = made.predict({"x": X}, batch_size=5)
    np.testing.assert_allclose(found["scores"], expected[:, 0], rtol=1e-5)
    score = made.score({"x": X}, X.sum(1), batch_size=12)
    np.testing.assert_allclose(score["loss"], np.mean((expected[:, 0] - X.sum(1)) ** 2), rtol=1e-4)


def test_a_linear_model_and_a_net_of_contrib_learn(tmp_path: Path) -> None:
    made = tf.contrib.learn.DNNLinearCombinedClassifier(
        str(tmp_path),
        linear_feature_columns=[columns()["word"]],
        dnn_feature_columns=[columns()["age"]],
        dnn_hidden_units=[2],
        fix_global_step_increment_bug=True,
    )
    made.fit(input_fn=lambda: (features(), tf.constant([0, 1, 0])), steps=2)
    value = made.get_variable_value
    hidden = 2 * AGES[:, None] @ value("dnn/hiddenlayer_0/weights")
    hidden = np.maximum(hidden + value("dnn/hiddenlayer_0/biases"), 0)
    logits = hidden @ value("dnn/logits/weights") + value("dnn/logits/biases")
    logits += value("linear/word/weights")[PLACES] + value("linear/bias_weight")
    inputs = tf.estimator.inputs.numpy_input_fn(
        {"age": AGES, "word": WORDS}, batch_size=3, num_epochs=1, shuffle=False
    )
    found = made.predict(input_fn=inputs, outputs=["logits"], as_iterable=False)
    np.testing.assert_allclose(found["logits"], logits, rtol=1e-5, atol=1e-6)
    assert value("global_step") == 2


def test_experiments_export_models_by_strategies(tmp_path: Path) -> None:
    learn = tf.contrib.learn
    age = columns()["age"]
    export = learn.utils.saved_model_export_utils
    made = learn.Experiment(
        learn.LinearRegressor([age], str(tmp_path)),
        lambda: ({"age": tf.constant(AGES)}, tf.constant(AGES)),
        lambda: ({"age": tf.constant(AGES)}, tf.constant(AGES)),
        train_steps=2,
        eval_steps=1,
        export_strategies=export.make_parsing_export_strategy([age]),
    )
    results, (folder,) = made.train_and_evaluate()
    assert results["global_step"] == 2
    assert folder.decode().startswith(str(tmp_path / "export" / "Servo"))
    with tf.Session(graph=tf.Graph()) as session:
        meta = tf.saved_model.load(session, ["serve"], folder.decode())
        assert set(meta.signature_def) == {"serving_default", "default_input_alternative:None"}


def test_inputs_of_exported_models() -> None:
    inputs = tf.contrib.learn.utils.input_fn_utils
    with tf.Graph().as_default():
        features, labels, fed = inputs.build_default_serving_input_fn({"x": tf.ones([2, 3])}, 5)()
        assert features["x"].shape.as_list() == [5, 3]
        assert (labels, fed) == (None, features)
