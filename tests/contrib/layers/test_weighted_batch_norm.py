"""batch_norm with weights and corrected means against tf_slim's, over several steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf1

import dataflow as tf
from dataflow.contrib import layers
from tests.contrib.oracle import slim_layers
from tests.oracle import open_session

tf1.disable_v2_behavior()

RANDOM = np.random.RandomState(3)
BATCHES = RANDOM.standard_normal((3, 4, 3, 2, 5)).astype(np.float32) * 2 + 1
CASES: dict[str, dict[str, Any]] = {
    "weights": {"batch_weights": [0.5, 2.0, 0.0, 1.0], "scale": True},
    "weights, channels first": {"batch_weights": [0.5, 2.0, 0.0, 1.0], "data_format": "NCHW"},
    "weights, updates at once": {
        "batch_weights": [1.0, 2.0, 0.0, 1.0],
        "updates_collections": None,
    },
    "weights, as a tensor says": {"batch_weights": [1.0, 2.0, 3.0, 1.0], "is_training": "fed"},
    "corrected": {"zero_debias_moving_mean": True},
    "corrected, not fused": {"zero_debias_moving_mean": True, "fused": False},
    "corrected, in use": {"zero_debias_moving_mean": True, "is_training": False},
    "corrected, channels first": {
        "zero_debias_moving_mean": True,
        "data_format": "NCHW",
        "fused": False,
        "center": False,
    },
}


def computed(library: Any, normalize: Any, arguments: dict[str, Any]) -> tuple[Any, ...]:
    graph = library.Graph()
    with graph.as_default():
        x = library.placeholder(library.float32, [None, 3, 2, 5])
        on = library.placeholder_with_default(True, [])
        passed = {key: on if value == "fed" else value for key, value in arguments.items()}
        passed.setdefault("decay", 0.8)
        y = normalize(
            x,
            variables_collections={"moving_mean": ["mine"], "beta": ["mine"]},
            outputs_collections="out",
            activation_fn=library.nn.relu,
            **passed,
        )
        updates = library.get_collection(library.GraphKeys.UPDATE_OPS)
        slope = library.gradients(library.reduce_sum(y * y), x)[0]
        start = library.global_variables_initializer()
        values = library.global_variables()
        names = sorted(v.name for v in values if "biased" not in v.name and "local" not in v.name)
        collected = [sorted(v.name for v in library.get_collection(n)) for n in ("mine", "out")]
        trained = [v.name for v in library.trainable_variables()]
    with open_session(library, graph) as session:
        session.run(start)
        steps = [session.run([y, slope, *updates], {x: batch})[:2] for batch in BATCHES]
        kept = [session.run(v) for v in sorted(values, key=lambda v: v.name) if v.name in names]
        off = session.run(y, {x: BATCHES[0], on: False})
    return names, collected[0], trained, steps, kept, off


@pytest.mark.parametrize("case", CASES)
def test_outputs_averages_and_gradients(case: str) -> None:
    arguments = CASES[case]
    ours = computed(tf, layers.batch_norm, arguments)
    theirs = computed(tf1, slim_layers.batch_norm, arguments)
    assert ours[:3] == theirs[:3]
    for mine, other in zip(ours[3], theirs[3], strict=True):
        np.testing.assert_allclose(mine[0], other[0], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(mine[1], other[1], rtol=1e-3, atol=1e-4)
    for mine, other in zip([*ours[4], ours[5]], [*theirs[4], theirs[5]], strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
@pytest.mark.parametrize("updates", [None, "update_ops"])
def test_rows_keep_the_variance_of_the_population(updates: Any, data_format: str) -> None:
    """As the fused operation does that TensorFlow takes for them."""
    found = []
    for library, normalize in ((tf, layers.batch_norm), (tf1, slim_layers.batch_norm)):
        graph = library.Graph()
        with graph.as_default():
            x = library.placeholder(library.float32, [None, 5])
            y = normalize(x, 0.5, updates_collections=updates, data_format=data_format)
            assert y.shape.as_list() == [None, 5]
            made = library.get_collection("update_ops")
            start, kept = library.global_variables_initializer(), library.global_variables()
        with open_session(library, graph) as session:
            session.run(start)
            session.run([y, *made], {x: BATCHES[0, :, 0, 0]})
            found.append([session.run(y, {x: BATCHES[0, :, 0, 1]}), *session.run(kept)])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("parameters", [{}, {"center": False}, {"center": False, "scale": True}])
@pytest.mark.parametrize("shape", [[4, 3], [4, 2, 2, 3]])
def test_constants_stand_where_the_parameters_would(shape: Any, parameters: dict[str, Any]) -> None:
    """So that what comes behind has TensorFlow's seeds."""
    found = []
    for library, normalize in ((tf, layers.batch_norm), (tf1, slim_layers.batch_norm)):
        with library.Graph().as_default() as graph:
            normalize(
                library.placeholder(library.float32, shape), updates_collections=None, **parameters
            )
            made = [op for op in graph.get_operations() if op.type in ("Const", "VariableV2")]
            found.append([op.name for op in made if "Initializer" not in op.name][:8])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("shape", "text"),
    [(None, "undefined rank"), ([2, None], "must be known"), ([2, 3, None], "channels")],
)
def test_what_has_to_be_known(shape: Any, text: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=text):
        layers.batch_norm(tf.placeholder(tf.float32, shape), zero_debias_moving_mean=True)


def test_updates_of_one_operation() -> None:
    """Names and orders as TensorFlow 1.15 has them; a frozen layer's averages move, too."""
    with tf.Graph().as_default() as graph:
        regularizers = {"beta": layers.l2_regularizer(0.1)}
        layers.batch_norm(
            tf.ones([2, 3]), scale=True, trainable=False, param_regularizers=regularizers
        )
        names = [variable.op.name for variable in tf.global_variables()]
        assert names == [
            f"BatchNorm/{kind}" for kind in ("beta", "gamma", "moving_mean", "moving_variance")
        ]
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        assert [each.name for each in updates] == [
            "BatchNorm/AssignMovingAvg:0",
            "BatchNorm/AssignMovingAvg_1:0",
        ]
        assert len(tf.losses.get_regularization_losses()) == 1
        layers.batch_norm(tf.ones([2, 2, 2, 3]), zero_debias_moving_mean=True, scope="corrected")
        kinds = [op.type for op in graph.get_operations() if op.name.startswith("corrected/")]
        assert "FusedBatchNormV3" in kinds
        assert "corrected/moving_mean/biased:0" not in [
            variable.name for variable in tf.get_collection(tf.GraphKeys.MODEL_VARIABLES)
        ]
        with pytest.raises(ValueError, match="renorm is not supported with batch_weights"):
            layers.batch_norm(tf.ones([2, 3]), renorm=True, updates_collections=None)
