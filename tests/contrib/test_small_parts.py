"""Parts of tf.contrib that are a few functions each, against numpy and their definitions."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib.absent import PARTS

RANDOM = np.random.RandomState(0)


def computed(value: Any, feed: Any = None) -> Any:
    with tf.Session() as session:
        return session.run(value, feed)


@pytest.mark.parametrize("axis", [None, 0, [1], [0, 2], [-1]])
def test_percentile(axis: Any) -> None:
    x = RANDOM.randn(4, 5, 7)
    axes = tuple(axis) if isinstance(axis, list) else axis
    of = tf.contrib.distributions.percentile
    for how in ("lower", "higher", "nearest"):
        for q in (0, 13.0, 37, 88.8, 100):
            for keep in (False, True):
                found = computed(of(tf.constant(x), q, axis, how, keep))
                wanted = np.percentile(x, q, axis=axes, method=how, keepdims=keep)
                np.testing.assert_array_equal(found, wanted)


def test_percentile_of_unknown_lengths_and_of_wrong_arguments() -> None:
    of = tf.contrib.distributions.percentile
    x, q = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [])
    median = of(x, q, axis=0, validate_args=True)
    assert median.shape.as_list() == [3]
    values = RANDOM.randn(5, 3)
    np.testing.assert_allclose(
        computed(median, {x: values, q: 50}), np.median(values, 0), rtol=1e-6
    )
    with pytest.raises(tf.errors.InvalidArgumentError):
        computed(median, {x: values, q: 101})
    with pytest.raises(ValueError, match="interpolation"):
        of(x, 3, interpolation="linear")
    with pytest.raises(ValueError, match="statically"):
        of(tf.placeholder(tf.float32), 3, axis=0)


@pytest.mark.parametrize("dtype", [np.float32, np.complex64])
def test_auto_correlation(dtype: Any) -> None:
    x = RANDOM.randn(4, 6, 3).astype(dtype) * dtype(2 + 1j if dtype is np.complex64 else 2)
    found = computed(tf.contrib.distributions.auto_correlation(x, 1, 3, normalize=False))
    of = x - x.mean(1, keepdims=True)
    means = [(of[:, m:] * of[:, : 6 - m].conj()).mean(1) for m in range(4)]
    np.testing.assert_allclose(found, np.stack(means, 1), atol=1e-5)
    normal = computed(tf.contrib.distributions.auto_correlation(x, 1))
    np.testing.assert_allclose(normal[:, :1], np.ones([4, 1, 3]), atol=1e-6)
    with pytest.raises(TypeError, match="must have either float or complex"):
        tf.contrib.distributions.auto_correlation(np.arange(3))


def test_sparsemax_is_the_nearest_point_and_its_loss_has_its_gradient() -> None:
    x = 2 * RANDOM.randn(6, 5)
    logits, labels = tf.constant(x), tf.one_hot([0, 1, 2, 3, 4, 0], 5, dtype=tf.float64)
    point = tf.contrib.sparsemax.sparsemax(logits)
    loss = tf.contrib.sparsemax.sparsemax_loss(logits, point, labels)
    found, gradient, truth = computed([point, tf.gradients(loss, logits)[0], labels])
    for row, near in zip(x, found, strict=True):
        low, high = row.min() - 1, row.max()
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if np.maximum(row - middle, 0).sum() > 1 else (low, middle)
        np.testing.assert_allclose(near, np.maximum(row - low, 0), atol=1e-9)
    np.testing.assert_allclose(gradient, found - truth, atol=1e-9)
    odd = computed(
        tf.contrib.sparsemax.sparsemax([[0.0, np.nan], [-np.inf, -np.inf], [1, -np.inf]])
    )
    np.testing.assert_array_equal(odd, [[np.nan, np.nan], [np.nan, np.nan], [1, 0]])


def test_tfprof_counts_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    graph = tf.Graph()
    with graph.as_default():
        tf.get_variable("w", [3, 4])
    tfprof = tf.contrib.tfprof.model_analyzer
    options = tfprof.TRAINABLE_VARS_PARAMS_STAT_OPTIONS
    assert tfprof.print_model_analysis(graph, tfprof_options=options).total_parameters == 12
    assert "w (3x4, 12/12 params)" in capsys.readouterr().out


def test_newer_names_of_the_same() -> None:
    assert tf.contrib.signal.stft is tf.signal.stft
    assert tf.contrib.signal.frames is tf.signal.frame
    assert tf.contrib.stateless.stateless_random_uniform is tf.random.stateless_uniform
    assert tf.contrib.hooks.ProfilerHook is tf.train.ProfilerHook
    assert tf.contrib.deprecated.merge_all_summaries is tf.summary.merge_all
    assert tf.contrib.optimizer_v2.AdamOptimizer is tf.train.AdamOptimizer


def test_absent_parts_are_none_that_are_here() -> None:
    for part in PARTS:
        with pytest.raises(NotImplementedError, match=part):
            getattr(tf.contrib, part).something()


def test_what_eager_has_of_graphs() -> None:
    tfe = importlib.import_module("dataflow.porting.modules").TensorflowModule(
        "tensorflow.contrib.eager.python.tfe"
    )
    assert not tfe.executing_eagerly() and not tfe.in_eager_mode() and tfe.num_gpus() in (0, 1)
    with tf.Graph().as_default():
        x = tfe.Variable(3.0, name="x")
        with tfe.GradientTape() as tape:
            y = tfe.defun(lambda v: v * v)(x)
        root = tfe.Checkpointable()
        root.x = x
        assert x.op.type == "VarHandleOp" and tfe.Checkpoint(root=root)
        store = tfe.EagerVariableStore()
        with store.as_default():
            made = tf.get_variable("w", [])
        assert store.variables() == [made]
        shape = tfe.TensorSpec([2], tf.float32).shape
        gradient = tape.gradient(y, x)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            assert session.run([y, gradient]) == [9.0, 6.0] and shape == [2]
    for name in ("implicit_gradients", "Network", "metrics"):
        with pytest.raises(NotImplementedError, match=f"eager.{name}: there is no eager"):
            getattr(tfe, name)(None)


def test_autograph_by_its_former_path() -> None:
    def larger(x: Any) -> Any:
        if x > 2:
            x = x * 2
        return x

    converted = tf.contrib.autograph.to_graph(larger)
    assert computed([converted(tf.constant(value)) for value in (1, 3)]) == [1, 6]
    assert tf.contrib.autograph.do_not_convert is tf.autograph.experimental.do_not_convert


def test_mappings_are_vocabularies() -> None:
    lookup, words = tf.contrib.lookup, tf.constant(["b", "c", "x"])
    places = lookup.index_table_from_tensor(mapping=["a", "b", "c"]).lookup(words)
    found = [
        places,
        lookup.string_to_index(words, ["a", "b", "c"], -7),
        lookup.index_to_string(tf.constant([1, 9], tf.int64), mapping=["a", "b"]),
        lookup.string_to_index_table_from_tensor(["a", "b"], 1).lookup(words),
    ]
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        found = session.run(found)
    assert found[0].tolist() == [1, 2, -1]
    assert found[1].tolist() == [1, 2, -7]
    assert found[2].tolist() == [b"b", b"UNK"]
    assert found[3].tolist() == [1, 2, 2]


def test_dense_to_sparse_makes_labels() -> None:
    labels = tf.contrib.layers.dense_to_sparse([[1, 0, 2], [0, 3, 0]], outputs_collections="c")
    assert tf.get_collection("c") == [labels]
    assert labels.values.op.name.startswith("dense_to_sparse/")
    value = computed(labels)
    assert value.indices.tolist() == [[0, 0], [0, 2], [1, 1]]
    assert (value.values.tolist(), value.dense_shape.tolist()) == ([1, 2, 3], [2, 3])


def test_checkpoints_by_the_names_of_contrib(tmp_path: Any) -> None:
    framework = tf.contrib.framework
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("v", initializer=[1.0, 2.0])
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(session, str(tmp_path / "m"))
    assert framework.list_variables(checkpoint_dir=path) == [("v", [2])]
    assert framework.load_variable(checkpoint_dir=path, name="v").tolist() == [1, 2]
    assert framework.load_checkpoint(filepattern=path).has_tensor("v")
    with tf.Graph().as_default(), tf.Session() as session:
        restored = tf.get_variable("w", [2])
        framework.init_from_checkpoint(checkpoint_dir=path, assignment_map={"v": restored})
        session.run(tf.global_variables_initializer())
        assert session.run(restored).tolist() == [1, 2]


def test_rates() -> None:
    # What TensorFlow 1.15 gives: the last rate is (25 - 4) / (5 - 2).
    with tf.Graph().as_default(), tf.Session() as session:
        rate = tf.contrib.rate.Rate("my rate")
        value, steps = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.int64, [])
        found = rate(value, steps)
        names = ["numer:0", "denom:0", "prev_values:0", "prev_denominator:0"]
        assert [each.name for each in tf.local_variables()] == [f"my_rate_1/{n}" for n in names]
        assert rate.name == "my rate"
        session.run(tf.local_variables_initializer())
        rates = [session.run(found, {value: [k * k, k], steps: k}) for k in (1, 2, 2, 5)]
    np.testing.assert_array_equal(rates, [[1, 1], [3, 1], [0, 0], [7, 1]])
