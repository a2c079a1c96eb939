"""Nets by name, as functions of tensors: Keras's, and others of plain ops; weights are random."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from tests.frozen import detectors, int8, pictures, speech, ssd, t5, translation

Function = Callable[..., Any]


@dataclass(frozen=True)
class Net:
    """A function of tensors, and what it is called with."""

    function: Function
    inputs: tuple[np.ndarray, ...]
    in_graph: bool = False
    """Whether it makes tables, and so is called in a graph as of TensorFlow 1."""


def _random() -> np.random.Generator:
    return np.random.default_rng(11)


def _weights(random: np.random.Generator, *shape: int) -> tf.Variable:
    scale = 1 / np.sqrt(np.prod(shape[:-1]) or 1)
    return tf.Variable(random.normal(0, scale, shape).astype(np.float32))


def _application(name: str, size: int) -> Callable[[], Net]:
    def make() -> Net:
        keras.utils.set_random_seed(3)
        function = getattr(keras.applications, name)
        net = function(
            weights=None, input_shape=(size, size, 3), classes=10, classifier_activation=None
        )
        # Weights as after training: statistics that are not 0 and 1.
        random = _random()
        for variable in net.weights:
            if variable.path.endswith(("moving_mean", "beta", "bias")):
                variable.assign(random.normal(0, 0.1, variable.shape).astype(np.float32))
            elif variable.path.endswith(("moving_variance", "/gamma")) and "layer_scale" not in (
                variable.path
            ):
                variable.assign(random.uniform(0.8, 1.2, variable.shape).astype(np.float32))
        images = random.uniform(0, 1, (2, size, size, 3)).astype(np.float32)
        return Net(lambda x: net(x, training=False), (images,))

    return make


def _norm(x: Any, scale: Any, offset: Any) -> Any:
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 1e-6) * scale + offset


def _transformer(causal: bool, shared: bool = False) -> Callable[[], Net]:
    """Token and position embeddings, two layers of attention, logits by the embeddings.

    Args:
      causal: Whether words see only those before them.
      shared: Whether the layers have the same weights, and embeddings are narrow, as in ALBERT.
    """

    def make() -> Net:
        random, width, heads, length, words = _random(), 32, 4, 12, 50
        tokens = _weights(random, words, width)
        if shared:
            tokens = tf.matmul(_weights(random, words, 8), _weights(random, 8, width))
        places = _weights(random, length, width)
        layers = [
            {
                "qkv": _weights(random, width, 3 * width),
                "out": _weights(random, width, width),
                "up": _weights(random, width, 4 * width),
                "down": _weights(random, 4 * width, width),
                "scales": tf.Variable(random.uniform(0.5, 1.5, (2, width)).astype(np.float32)),
                "offsets": _weights(random, 2, width),
            }
            for _ in range(1 if shared else 2)
        ] * (2 if shared else 1)

        def attend(h: Any, layer: dict[str, Any], mask: Any) -> Any:
            batch, steps = tf.shape(h)[0], tf.shape(h)[1]
            parts = tf.reshape(h @ layer["qkv"], [batch, steps, 3, heads, width // heads])
            q, k, v = tf.unstack(tf.transpose(parts, [2, 0, 3, 1, 4]))
            scores = tf.matmul(q, k, transpose_b=True) / np.sqrt(width // heads)
            found = tf.nn.softmax(tf.where(mask, scores, -1e9)) @ v
            merged = tf.reshape(tf.transpose(found, [0, 2, 1, 3]), [batch, steps, width])
            return tf.einsum("bsd,de->bse", merged, layer["out"])

        def function(ids: Any) -> Any:
            steps = tf.shape(ids)[1]
            h = tf.gather(tokens, ids) + places[:steps]
            if causal:
                mask = tf.cast(tf.linalg.band_part(tf.ones([steps, steps]), -1, 0), tf.bool)
            else:
                mask = tf.not_equal(ids, 0)[:, tf.newaxis, tf.newaxis, :]
            for layer in layers:
                first, second = tf.unstack(layer["scales"])
                offset, other = tf.unstack(layer["offsets"])
                h = h + attend(_norm(h, first, offset), layer, mask)
                inner = tf.nn.gelu(tf.matmul(_norm(h, second, other), layer["up"]), causal)
                h = h + tf.matmul(inner, layer["down"])
            if causal:
                return tf.matmul(h, tokens, transpose_b=True)
            return tf.tanh(h[:, 0] @ layers[0]["out"])

        return Net(function, (random.integers(0, words, (2, length)).astype(np.int32),))

    return make


def _u_net() -> Net:
    random = _random()
    down = [_weights(random, 3, 3, a, b) for a, b in ((3, 8), (8, 16), (16, 32))]
    back = [_weights(random, 2, 2, b, a) for a, b in ((32, 16), (16, 8))]
    up = [_weights(random, 3, 3, a, b) for a, b in ((32, 16), (16, 8))]
    last = _weights(random, 1, 1, 8, 2)

    def function(x: Any) -> Any:
        skips = []
        for number, filters in enumerate(down):
            x = tf.nn.relu(tf.nn.conv2d(x, filters, 1, "SAME"))
            if number < 2:
                skips.append(x)
                x = tf.nn.max_pool2d(x, 2, 2, "SAME")
        for filters, other, skip in zip(back, up, reversed(skips), strict=True):
            x = tf.nn.conv2d_transpose(x, filters, tf.shape(skip), 2)
            x = tf.nn.leaky_relu(tf.nn.conv2d(tf.concat([skip, x], -1), other, 1, "SAME"))
        return tf.nn.softmax(tf.nn.conv2d(x, last, 1, "SAME"))

    return Net(function, (random.uniform(0, 1, (2, 16, 16, 3)).astype(np.float32),))


def _detector() -> Net:
    """Boxes and scores of a grid, and those that non-max suppression keeps."""
    random = _random()
    features = _weights(random, 3, 3, 3, 16)
    boxes_of, scores_of = _weights(random, 3, 3, 16, 4), _weights(random, 3, 3, 16, 5)
    grid = np.stack(np.meshgrid(np.arange(8), np.arange(8), indexing="ij"), -1) / 8
    anchors = grid.reshape(-1, 2).astype(np.float32)

    def function(x: Any) -> Any:
        h = tf.nn.relu6(tf.nn.conv2d(x, features, 2, "SAME"))
        places = tf.reshape(tf.nn.conv2d(h, boxes_of, 1, "SAME"), [-1, 4])
        center = anchors + 0.1 * places[:, :2]
        size = 0.2 * tf.exp(places[:, 2:])
        boxes = tf.concat([center - size / 2, center + size / 2], 1)
        scores = tf.sigmoid(tf.reshape(tf.nn.conv2d(h, scores_of, 1, "SAME"), [-1, 5]))
        kept = tf.image.non_max_suppression(boxes, tf.reduce_max(scores, 1), 10, 0.5, 0.3)
        return tf.gather(boxes, kept), tf.gather(scores, kept)

    return Net(function, (random.uniform(0, 1, (1, 16, 16, 3)).astype(np.float32),))


def _wide_and_deep() -> Net:
    """Words by tables, which an operation of the graph fills, embedded and crossed."""
    random = _random()
    shapes = ((7, 1), (5, 4), (6, 8), (8, 1))
    wide, embedding, first, second = (random.normal(0, 0.5, s).astype(np.float32) for s in shapes)

    def function(colors: Any, numbers: Any) -> Any:
        words = tf.constant(["red", "green", "blue"])
        table = tf.lookup.StaticVocabularyTable(
            tf.lookup.KeyValueTensorInitializer(words, tf.range(3, dtype=tf.int64)), 2
        )
        ids = table.lookup(colors)
        hashed = tf.strings.to_hash_bucket_fast(tf.strings.lower(colors), 7)
        deep = tf.concat([tf.gather(embedding, ids), numbers], 1)
        deep = tf.nn.selu(deep @ first) @ second
        return tf.sigmoid(deep + tf.one_hot(hashed, 7) @ wide)

    colors = np.array([b"red", b"BLUE", b"blue", b"mauve"])
    return Net(function, (colors, random.normal(0, 1, (4, 2)).astype(np.float32)), in_graph=True)


def _quantized() -> Net:
    """A net that was trained for 8 bits: values go through fake quantization."""
    random = _random()
    filters, weights = _weights(random, 3, 3, 3, 8), _weights(random, 8, 4)

    def function(x: Any) -> Any:
        near = tf.quantization.fake_quant_with_min_max_vars
        x = near(x, 0.0, 1.0)
        w = tf.quantization.fake_quant_with_min_max_vars_per_channel(
            filters, tf.reduce_min(filters, [0, 1, 2]), tf.reduce_max(filters, [0, 1, 2])
        )
        h = near(tf.nn.relu6(tf.nn.conv2d(x, w, 2, "SAME")), 0.0, 6.0)
        return tf.reduce_mean(h, [1, 2]) @ tf.quantization.fake_quant_with_min_max_args(weights)

    return Net(function, (random.uniform(0, 1, (2, 8, 8, 3)).astype(np.float32),))


def _int8() -> Net:
    random = _random()
    return Net(int8.function(random), (random.uniform(-1, 1, (2, 8, 8, 3)).astype(np.float32),))


def _of(make: Callable[[np.random.Generator], Function], *shapes: tuple[int, ...]) -> Any:
    """A net of a module here, and images of some shapes between 0 and 1."""

    def made() -> Net:
        random = _random()
        images = [random.uniform(0, 1, shape).astype(np.float32) for shape in shapes]
        return Net(make(random), tuple(images))

    return made


def _speech() -> Net:
    random = _random()
    waves = random.uniform(-1, 1, (2, 4000)) * np.sin(np.arange(4000) / 9)
    return Net(speech.function(random), (waves.astype(np.float32),))


def _t5() -> Net:
    random = _random()
    read, written = (random.integers(0, t5.WORDS, (2, n)).astype(np.int32) for n in (30, 7))
    return Net(t5.function(random), (read, written))


def _faster_rcnn() -> Net:
    random = _random()
    images = random.integers(0, 256, (2, 40, 50, 3)).astype(np.uint8)
    return Net(detectors.faster_rcnn(random), (images,))


def _translation() -> Net:
    random = _random()
    ids = random.integers(2, translation.WORDS, (2, 5)).astype(np.int32)
    return Net(translation.function(random), (ids, np.array([5, 3], np.int32)))


NETS: dict[str, Callable[[], Net]] = {
    "vgg": _application("VGG16", 32),
    "resnet": _application("ResNet50", 32),
    "resnet_v2": _application("ResNet50V2", 32),
    "inception": _application("InceptionV3", 75),
    "inception_resnet": _application("InceptionResNetV2", 75),
    "xception": _application("Xception", 71),
    "mobilenet": _application("MobileNet", 32),
    "mobilenet_v2": _application("MobileNetV2", 32),
    "mobilenet_v3": _application("MobileNetV3Small", 32),
    "densenet": _application("DenseNet121", 32),
    "nasnet": _application("NASNetMobile", 32),
    "efficientnet": _application("EfficientNetB0", 32),
    "efficientnet_v2": _application("EfficientNetV2B0", 32),
    "convnext": _application("ConvNeXtTiny", 32),
    "bert": _transformer(causal=False),
    "gpt": _transformer(causal=True),
    "u_net": _u_net,
    "detector": _detector,
    "wide_and_deep": _wide_and_deep,
    "quantized": _quantized,
    "int8": _int8,
    "speech": _speech,
    "t5": _t5,
    "ssd": _of(ssd.function, (2, ssd.SIZE, ssd.SIZE, 3)),
    "albert": _transformer(causal=False, shared=True),
    "deeplab": _of(pictures.deeplab, (2, 24, 24, 3)),
    "faster_rcnn": _faster_rcnn,
    "style_transfer": _of(pictures.style_transfer, (2, 16, 16, 3), (2, 5)),
    "super_resolution": _of(pictures.super_resolution, (2, 8, 8, 3)),
    "translation": _translation,
    "yolo": _of(detectors.yolo, (2, detectors.SIZE, detectors.SIZE, 3)),
    "efficientnet_v2_s": _application("EfficientNetV2S", 32),
    "mobilenet_v3_large": _application("MobileNetV3Large", 32),
    "resnet_101": _application("ResNet101", 32),
    "vgg_19": _application("VGG19", 32),
}
"""Name -> what makes a net."""
