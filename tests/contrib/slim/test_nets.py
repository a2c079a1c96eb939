"""slim.nets against tf_slim's: variables, end points, and the values of two nets."""

from __future__ import annotations

import importlib
import inspect
import zlib
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as tf1
from tf_slim.nets import alexnet, inception, overfeat, resnet_v1, resnet_v2, vgg

import dataflow as tf
from dataflow.contrib.slim import nets
from tests.contrib.oracle import tf_slim as tf_slim
from tests.oracle import open_session

pytestmark = pytest.mark.filterwarnings("ignore:`(layer|tf.layers).*is deprecated:UserWarning")

tf1.disable_v2_behavior()

NETS: dict[str, tuple[Any, Any, str]] = {
    name: (theirs, ours, scope)
    for theirs, ours, scope, names in (
        (alexnet, nets.alexnet, "alexnet_v2_arg_scope", ["alexnet_v2"]),
        (overfeat, nets.overfeat, "overfeat_arg_scope", ["overfeat"]),
        (vgg, nets.vgg, "vgg_arg_scope", ["vgg_a", "vgg_16", "vgg_19"]),
        (resnet_v1, nets.resnet_v1, "resnet_arg_scope", ["resnet_v1_50"]),
        (resnet_v2, nets.resnet_v2, "resnet_arg_scope", ["resnet_v2_50"]),
        (inception, nets.inception, "inception_v1_arg_scope", ["inception_v1"]),
        (inception, nets.inception, "inception_v2_arg_scope", ["inception_v2"]),
        (inception, nets.inception, "inception_v3_arg_scope", ["inception_v3"]),
    )
    for name in names
}


def built(lib: Any, module: Any, name: str, scope: str, size: int | None) -> Any:
    """Logits, end points and variables, as evaluation has them."""
    function = getattr(module, name)
    slim = tf.contrib.slim if lib is tf else tf_slim
    images = lib.placeholder(
        lib.float32, [2, *[size or getattr(NETS[name][1], name).default_image_size] * 2, 3]
    )
    # Without a collection of its own, tf_slim takes a layer that needs another package.
    own = {"updates_collections": "updates", "scale": True}
    arguments = {} if scope == "inception_v1_arg_scope" else {"weight_decay": 0.001}
    with (
        slim.arg_scope(getattr(module, scope)(**arguments)),
        slim.arg_scope([slim.batch_norm], **own),
        slim.arg_scope([slim.conv2d], normalizer_params=own),
    ):
        logits, end_points = function(images, num_classes=5, is_training=False)
    return images, logits, end_points


def told(lib: Any, logits: Any, end_points: dict[str, Any]) -> Any:
    collections = ("model_variables", "regularization_losses")
    return [
        logits.shape.as_list(),
        {name: each.shape.as_list() for name, each in end_points.items()},
        sorted((each.op.name, tuple(each.shape.as_list())) for each in lib.global_variables()),
        [sorted(each.op.name for each in lib.get_collection(name)) for name in collections],
    ]


@pytest.mark.parametrize("name", NETS)
def test_graphs(name: str) -> None:
    theirs, ours, scope = NETS[name]
    assert [*inspect.signature(getattr(ours, name)).parameters] == [
        *inspect.signature(getattr(theirs, name)).parameters
    ]
    found = []
    for lib, module in ((tf, ours), (tf1, theirs)):
        with lib.Graph().as_default():
            _, logits, end_points = built(lib, module, name, scope, None)
            found.append(told(lib, logits, end_points))
    for mine, other in zip(*found, strict=True):
        assert mine == other


@pytest.mark.parametrize(("name", "size"), [("resnet_v2_50", 32), ("inception_v3", 112)])
def test_values(name: str, size: int) -> None:
    theirs, ours, scope = NETS[name]
    pixels = np.random.RandomState(2).uniform(-1, 1, (2, size, size, 3)).astype(np.float32)
    found = []
    for lib, module in ((tf, ours), (tf1, theirs)):
        with lib.Graph().as_default():
            images, logits, _ = built(lib, module, name, scope, size)
            with open_session(lib) as session:
                values = {v.initializer: _value(v) for v in lib.global_variables()}
                session.run([*values], {op.inputs[1]: each for op, each in values.items()})
                found.append(session.run(logits, {images: pixels}))
    np.testing.assert_allclose(found[0], found[1], rtol=1e-3, atol=1e-4)
    assert np.abs(found[1]).max() > 0.01


def _value(variable: Any) -> np.ndarray:
    """Numbers by the name of a variable, so that activations neither grow nor fade."""
    random = np.random.RandomState(zlib.crc32(variable.op.name.encode()) % 2**31)
    shape = variable.shape.as_list()
    kind = variable.op.name.rpartition("/")[2]
    if kind in ("gamma", "moving_variance"):
        return random.uniform(0.8, 1.2, shape).astype(np.float32)
    scale = np.sqrt(2.0 / max(1, int(np.prod(shape[:-1])))) if len(shape) > 1 else 0.1
    return (random.standard_normal(shape) * scale).astype(np.float32)


def test_strides_and_ends() -> None:
    images = np.zeros((1, 64, 64, 3), np.float32)
    with tf.Graph().as_default():
        block = nets.resnet_v1.resnet_v1_block
        blocks = [block("block1", 2, 2, 2), block("block2", 4, 2, 2), block("block3", 8, 2, 2)]
        net, ends = nets.resnet_v1.resnet_v1(
            images, blocks, global_pool=False, output_stride=8, scope="a"
        )
        assert net.shape.as_list() == [1, 8, 8, 32]
        assert "a/block3/unit_2/bottleneck_v1" in ends
        with pytest.raises(ValueError, match="needs to be a multiple of 4"):
            nets.resnet_v1.resnet_v1(images, blocks, output_stride=6)
        with pytest.raises(ValueError, match="cannot be reached"):
            nets.resnet_v1.resnet_v1(images, blocks, output_stride=12)
        with pytest.raises(ValueError, match="Unknown final endpoint x"):
            nets.inception.inception_v3_base(np.zeros((1, 80, 80, 3), np.float32), "x")
        with pytest.raises(ValueError, match="depth_multiplier is not greater than zero"):
            nets.inception.inception_v2_base(images, depth_multiplier=0)
        net, ends = nets.inception.inception_v3_base(
            np.zeros((1, 80, 80, 3), np.float32), "Conv2d_2b_3x3", depth_multiplier=0.1
        )
        assert net.shape.as_list() == [1, 37, 37, 16]
        assert list(ends) == ["Conv2d_1a_3x3", "Conv2d_2a_3x3", "Conv2d_2b_3x3"]


def test_modules_that_modules_of_nets_show() -> None:
    assert nets.resnet_v1.resnet_utils is nets.resnet_v2.resnet_utils is nets.resnet_utils


@pytest.mark.parametrize("module", ["alexnet", "inception_v1", "inception_v2", "inception_v3"])
def test_modules_of_nets_have_what_their_weights_begin_as(module: str) -> None:
    made = importlib.import_module(f"dataflow.contrib.slim.nets.{module}").trunc_normal(0.25)
    assert made.get_config()["mean"] == 0.0
    with tf.Graph().as_default(), tf.Session() as session:
        drawn = session.run(made([2000]))
    assert np.abs(drawn).max() <= 0.5 and 0.2 < drawn.std() < 0.24
