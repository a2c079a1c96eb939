"""Further layers of tf.contrib.layers against tf_slim's: outputs, variables, collections."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf1

import dataflow as tf
from dataflow.contrib import layers
from tests.contrib.oracle import slim_layers, tf_slim
from tests.oracle import open_session

pytestmark = pytest.mark.filterwarnings("ignore:`(layer|tf.layers).*is deprecated:UserWarning")

tf1.disable_v2_behavior()

RANDOM = np.random.RandomState(7)
IMAGES = RANDOM.standard_normal((2, 5, 6, 4)).astype(np.float32)
CUBES = RANDOM.standard_normal((2, 4, 5, 6, 3)).astype(np.float32)
ROWS = RANDOM.standard_normal((3, 6)).astype(np.float32)
IDS = np.array([[1, 2, 0], [2, 2, 1]])

INTO = {"variables_collections": ["mine"], "outputs_collections": ["out"]}
FIXED = {"weights_initializer": "fixed", "biases_initializer": "fixed"}
NORMS = {"param_initializers": {"beta": "fixed", "gamma": "fixed"}} | INTO

CASES: dict[str, tuple[str, np.ndarray, dict[str, Any]]] = {
    "separable": (
        "separable_conv2d",
        IMAGES,
        {"num_outputs": 3, "kernel_size": [3, 2], "depth_multiplier": 2, "stride": 2}
        | FIXED
        | INTO,
    ),
    "separable, atrous": (
        "separable_conv2d",
        IMAGES,
        {"num_outputs": 3, "kernel_size": 3, "rate": 2, "activation_fn": None} | FIXED,
    ),
    "depthwise": (
        "separable_conv2d",
        IMAGES,
        {"num_outputs": None, "kernel_size": 3, "depth_multiplier": 2, "padding": "VALID"}
        | FIXED
        | INTO,
    ),
    "depthwise, normalized": (
        "separable_conv2d",
        IMAGES,
        {"num_outputs": None, "kernel_size": 3, "normalizer_fn": "l2", **FIXED},
    ),
    "in plane": ("conv2d_in_plane", IMAGES, {"kernel_size": [2, 3], "stride": 2} | FIXED | INTO),
    "instance_norm": ("instance_norm", IMAGES, NORMS),
    "instance_norm, channels first": ("instance_norm", IMAGES, NORMS | {"data_format": "NCHW"}),
    "instance_norm, plain": ("instance_norm", IMAGES, {"center": False, "scale": False}),
    "group_norm": ("group_norm", IMAGES, NORMS | {"groups": 2}),
    "group_norm, first": (
        "group_norm",
        IMAGES,
        {"groups": 5, "channels_axis": 1, "reduction_axes": [2, 3], "mean_close_to_zero": True},
    ),
    "max_pool3d": ("max_pool3d", CUBES, {"kernel_size": 2, "outputs_collections": ["out"]}),
    "avg_pool3d": ("avg_pool3d", CUBES, {"kernel_size": [2, 3, 2], "stride": 1}),
    "pool": ("pool", IMAGES, {"kernel_size": 2, "pooling_type": "MAX", "padding": "SAME"}),
    "pool, dilated": (
        "pool",
        IMAGES,
        {"kernel_size": [2, 2], "pooling_type": "AVG", "dilation_rate": 2},
    ),
    "maxout": ("maxout", ROWS, {"num_units": 3}),
    "unit_norm": ("unit_norm", IMAGES, {"dim": 2}),
    "poincare_normalize": ("poincare_normalize", ROWS, {}),
    "spatial_softmax": ("spatial_softmax", IMAGES, {"temperature": 0.7}),
    "spatial_softmax, first": ("spatial_softmax", IMAGES, {"data_format": "NCHW"}),
    "images_to_sequence": ("images_to_sequence", IMAGES, {}),
    "sequence_to_images": ("sequence_to_images", IMAGES[0], {"height": 3}),
    "sequence_to_images, first": (
        "sequence_to_images",
        IMAGES[0],
        {"height": 2, "output_data_format": "channels_first"},
    ),
    "legacy_fully_connected": (
        "legacy_fully_connected",
        IMAGES,
        {"num_output_units": 3, "weight_init": "fixed", "bias_init": "fixed"},
    ),
}


def fixed(lib: Any) -> Any:
    """An initializer of values that are known."""
    return lambda shape, *_, **__: lib.reshape(
        lib.sin(lib.range(float(np.prod(shape))) * 0.7), shape
    )


def resolved(lib: Any, value: Any) -> Any:
    if value == "fixed":
        return fixed(lib)
    if value == "l2":
        return lambda x: lib.nn.l2_normalize(x, 3)
    if isinstance(value, dict):
        return {key: resolved(lib, each) for key, each in value.items()}
    return value


def outcome(lib: Any, function: Any, array: Any, rest: dict[str, Any]) -> Any:
    """Output, gradient, names of variables, and what collections hold."""
    with lib.Graph().as_default() as graph:
        inputs = lib.constant(array)
        found = function(inputs, **{key: resolved(lib, each) for key, each in rest.items()})
        grad = lib.gradients(found, inputs)[0]
        told = [
            found.shape.as_list(),
            sorted(each.op.name for each in lib.global_variables()),
            sorted(each.op.name for each in graph.get_collection("model_variables")),
            sorted(each.op.name for each in graph.get_collection("mine")),
            len(graph.get_collection("out")),
        ]
        with open_session(lib) as session:
            session.run(lib.global_variables_initializer())
            return told, session.run([found, grad])


@pytest.mark.parametrize("case", CASES)
def test_as_in_tf_slim(case: str) -> None:
    name, array, rest = CASES[case]
    ours = getattr(layers, name)
    theirs = getattr(tf_slim, name, None) or getattr(slim_layers, name)
    want_signature = [*inspect.signature(theirs).parameters]
    if want_signature not in (["args", "kwargs"],):
        assert [*inspect.signature(ours).parameters] == want_signature
    have, have_values = outcome(tf, ours, array, rest)
    want, want_values = outcome(tf1, theirs, array, rest)
    assert have == want
    for mine, other in zip(have_values, want_values, strict=True):
        np.testing.assert_allclose(mine, other, rtol=2e-4, atol=2e-5)


def test_scaled_gradients() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        rows = tf.constant(ROWS)
        same = layers.scale_gradient(rows, 0.25)
        found, grad = session.run([same, tf.gradients(same * same, rows)[0]])
    np.testing.assert_allclose(found, ROWS, rtol=1e-6)
    np.testing.assert_allclose(grad, 0.25 * 2 * ROWS, rtol=1e-5)


def test_embeddings() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        options = {"vocab_size": 3, "embed_dim": 4, "initializer": fixed(tf)}
        plain = layers.embed_sequence(IDS, **options, scope="e")
        unique = layers.embed_sequence(IDS, unique=True, scope="e", reuse=True)
        table = tf.trainable_variables()[0]
        means = layers.bow_encoder(IDS, 3, 4, scope="e", reuse=True)
        dense = layers.bow_encoder(IDS, 3, 4, sparse_lookup=False, scope="e", reuse=True)
        grads = [tf.gradients(each * each, table)[0] for each in (plain, unique)]
        assert unique.shape.as_list() == [2, 3, 4]
        assert [each.op.name for each in tf.global_variables()] == ["e/embeddings"]
        session.run(tf.global_variables_initializer())
        rows = session.run(table)
        np.testing.assert_array_equal(session.run(plain), rows[IDS])
        np.testing.assert_array_equal(session.run(unique), rows[IDS])
        np.testing.assert_allclose(
            session.run(means), [rows[[1, 2]].mean(0), rows[[2, 2, 1]].mean(0)], rtol=1e-6
        )
        np.testing.assert_allclose(session.run(dense), rows[IDS].mean(1), rtol=1e-6)
        first, second = (session.run(tf.convert_to_tensor(each)) for each in grads)
        np.testing.assert_allclose(first, second, rtol=1e-6)
        with pytest.raises(ValueError, match="Must specify vocab size and embedding dimension"):
            layers.embed_sequence(IDS)
        with pytest.raises(TypeError, match="ids are expected to be dense Tensor"):
            sparse = tf.SparseTensor([[0, 0]], [1], [1, 1])
            layers.bow_encoder(sparse, 3, 4, sparse_lookup=False)


@pytest.mark.parametrize("name", ["relu", "relu6", "elu", "linear", "legacy_relu", "legacy_linear"])
def test_layers_with_their_activation(name: str) -> None:
    activation = name.removeprefix("legacy_")
    with tf.Graph().as_default(), tf.Session() as session:
        found = getattr(layers, name)(tf.constant(ROWS), 4)
        weights = tf.trainable_variables()[0]
        session.run(tf.global_variables_initializer())
        product = ROWS @ session.run(weights)
        expected = product if activation == "linear" else getattr(tf.nn, activation)(product)
        if activation != "linear":
            expected = session.run(expected)
        np.testing.assert_allclose(session.run(found), expected, rtol=1e-4, atol=1e-6)
        stacked = layers.stack(tf.constant(ROWS), layers.linear, [3, 2])
        assert stacked.op.name.startswith("Stack/fully_connected_2/")


def test_summaries() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        value = tf.nn.relu6(tf.constant([-1.0, 7.0, 3.0, 8.0]), name="a")
        layers.summarize_activation(value)
        layers.summarize_tensors([tf.constant(1.0, name="b"), tf.constant([1.0], name="c")])
        tf.add_to_collection(tf.GraphKeys.ACTIVATIONS, value)
        assert len(layers.summarize_collection(tf.GraphKeys.ACTIVATIONS, "a")) == 1
        assert layers.summarize_activations("z") == []
        summary = tf.Summary.FromString(session.run(tf.summary.merge_all()))
    values = {each.tag: each for each in summary.value}
    assert values["a/zeros"].simple_value == 0.25
    assert values["a/sixes"].simple_value == 0.5
    assert values["a/activation"].histo.num == 4
    assert values["b_summary"].simple_value == 1.0
    assert values["c_summary"].histo.num == 1


def test_refusals() -> None:
    with tf.Graph().as_default():
        images = tf.constant(IMAGES)
        open_images = tf.placeholder(tf.float32, [None, None, None, None])
        for text, make in (
            ("NCHW or NHWC", lambda: layers.separable_conv2d(images, 3, 3, data_format="x")),
            ("NCHW or NHWC", lambda: layers.instance_norm(images, data_format="x")),
            ("undefined rank", lambda: layers.instance_norm(tf.placeholder(tf.float32))),
            ("undefined channels", lambda: layers.instance_norm(open_images)),
            ("Invalid groups 32 for 4", lambda: layers.group_norm(images)),
            ("not commensurate with 3 groups", lambda: layers.group_norm(images, 3)),
            ("mutually exclusive", lambda: layers.group_norm(images, 2, reduction_axes=[3])),
            ("Axis is out of bounds", lambda: layers.group_norm(images, 2, channels_axis=4)),
            ("undefined channel dimension", lambda: layers.group_norm(open_images, 2)),
            ("not a multiple of num_units", lambda: layers.maxout(images, 3)),
            ("smaller than the input rank", lambda: layers.unit_norm(images, 4)),
            ("should be defined", lambda: layers.spatial_softmax(open_images)),
            ("must be >= 3", lambda: layers.pool(tf.constant(ROWS), 2, "MAX")),
            ("NCDHW or NDHWC", lambda: layers.max_pool3d(images, 2, data_format="x")),
        ):
            with pytest.raises(ValueError, match=text):
                make()


def test_maxout_over_an_inner_axis() -> None:
    """Groups are of neighbours in memory, as in TensorFlow 1.15."""
    values = np.random.RandomState(0).standard_normal((2, 6, 4)).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        found = layers.maxout(tf.constant(values), 3, axis=1)
        assert found.shape.as_list() == [2, 3, 4]
        np.testing.assert_array_equal(session.run(found), values.reshape(2, 3, 4, 2).max(-1))
        with pytest.raises(ValueError, match="stack_args need to be a list or tuple"):
            layers.stack(tf.constant(ROWS), layers.fully_connected, 4)


def test_arguments_in_several_forms() -> None:
    """layers.utils, beside tf_slim's."""
    from tf_slim.layers import utils as slim_utils

    def answers(tensorflow: Any, utils: Any) -> list[Any]:
        def shape(*sizes: Any) -> Any:
            return tensorflow.TensorShape(*sizes)

        with tensorflow.Graph().as_default() as graph:
            constant = tensorflow.constant([1, 2])
            weight = tensorflow.Variable(1.0, name="weight")
            flag = tensorflow.placeholder(tensorflow.bool, [])

            def one() -> Any:
                return 1

            def two() -> Any:
                return 2

            calls = [
                lambda: utils.constant_value(constant).tolist(),
                lambda: utils.constant_value(constant, tensorflow.int32).tolist(),
                lambda: utils.constant_value(weight),
                lambda: utils.constant_value(flag),
                lambda: utils.constant_value("any"),
                lambda: utils.constant_value(None),
                lambda: utils.constant_value(weight, tensorflow.int32) or "none",
                lambda: utils.static_cond([], one, two),
                lambda: utils.static_cond(True, one, None),
                lambda: utils.static_cond(True, 1, two),
                lambda: utils.smart_cond(tensorflow.constant(False), one, two),
                lambda: utils.smart_cond(flag, lambda: weight + 1, lambda: weight + 2, "say").name,
                lambda: utils.smart_cond(None, one, two),
                lambda: utils.channel_dimension(shape([2, 3, 4]), "channels_first"),
                lambda: utils.channel_dimension(shape([2, 3, 4]), "channels_last", 3),
                lambda: utils.channel_dimension(shape([2, 3]), "channels_last", 3),
                lambda: utils.last_dimension(shape(None)),
                lambda: utils.last_dimension(shape([2, None])),
                lambda: utils.two_element_tuple([1, 2.0]),
                lambda: utils.two_element_tuple(3),
                lambda: tuple(map(int, utils.two_element_tuple(shape([4, 5])))),
                lambda: utils.two_element_tuple([1, 2, 3]),
                lambda: utils.two_element_tuple("ab"),
                lambda: utils.n_positive_integers(3, 2),
                lambda: utils.n_positive_integers(2, [4, "5"]),
                lambda: utils.n_positive_integers(2, shape([4, 5])),
                lambda: utils.n_positive_integers(0, 1),
                lambda: utils.n_positive_integers(1.5, 1),
                lambda: utils.n_positive_integers(2, 0),
                lambda: utils.n_positive_integers(2, [3, 0]),
                lambda: utils.n_positive_integers(2, [3]),
                lambda: utils.n_positive_integers(2, [3, "x"]),
            ]
            found: list[Any] = []
            for call in calls:
                try:
                    found.append(call())
                except (ValueError, TypeError) as error:
                    found.append((type(error).__name__, str(error).replace("_ref'", "'")))
            return [*found, len(graph.get_operations())]

    assert answers(tf, layers.utils)[:-1] == answers(tf1, slim_utils)[:-1]
    assert layers.utils is tf.contrib.slim.utils
