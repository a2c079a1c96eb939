"""tf.keras.applications.densenet: layers see all layers before them (Huang et al., 2016)."""

from __future__ import annotations

from typing import Any

from dataflow.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from dataflow.keras.applications.imagenet_utils import in_mode
from dataflow.keras.applications.layers_in_use import layers, takes_layers
from dataflow.keras.applications.parts import (
    Wanted,
    channel_axis,
    channels_of,
    conv,
    normed,
    relu,
    usual_files,
)

preprocess_input = in_mode("torch")
_EPSILON = 1.001e-5
_HASHES = {
    121: ("9d60b8095a5708f2dcce2bca79d332c7", "30ee3e1110167f948a6b9946edeeb738"),
    169: ("d699b8f76981ab1b30698df4c175e90b", "b8c4d4c20dd625c148057b9ff1c1176b"),
    201: ("1ceb130c1ea1b78c3bf6114dbdfd8807", "c13680b51ded0fb44dff2d8f86ac8bb1"),
}


def _dense(number: int, depths: tuple[int, ...], wanted: Wanted) -> Any:
    start = wanted.begin(224, 32)
    x = layers.ZeroPadding2D(padding=((3, 3), (3, 3)))(start)
    x = conv(x, 64, 7, "conv1/conv", strides=2)
    x = relu(normed(x, "conv1/bn", epsilon=_EPSILON), "conv1/relu")
    x = layers.ZeroPadding2D(padding=((1, 1), (1, 1)))(x)
    x = layers.MaxPooling2D(3, strides=2, name="pool1")(x)
    for stack, depth in enumerate(depths, 2):
        if stack > 2:
            x = _thinned(x, f"pool{stack - 1}")
        for block in range(1, depth + 1):
            x = _grown(x, f"conv{stack}_block{block}")
    x = relu(normed(x, "bn", epsilon=_EPSILON), "relu")
    x = wanted.classified(x, "fc1000") if wanted.include_top else wanted.pooled(x, named=True)
    name = f"densenet{number}"
    files = usual_files(name, "densenet", _HASHES[number], "keras-team/keras-applications")
    return wanted.finish(start, x, name, files)


def _grown(x: Any, name: str) -> Any:
    """With 32 channels more."""
    more = relu(normed(x, f"{name}_0_bn", epsilon=_EPSILON), f"{name}_0_relu")
    more = conv(more, 128, 1, f"{name}_1_conv")
    more = relu(normed(more, f"{name}_1_bn", epsilon=_EPSILON), f"{name}_1_relu")
    more = conv(more, 32, 3, f"{name}_2_conv", padding="same")
    return layers.Concatenate(axis=channel_axis(), name=f"{name}_concat")([x, more])


def _thinned(x: Any, name: str) -> Any:
    """With half the channels and half the size."""
    x = relu(normed(x, f"{name}_bn", epsilon=_EPSILON), f"{name}_relu")
    x = conv(x, channels_of(x) // 2, 1, f"{name}_conv")
    return layers.AveragePooling2D(2, strides=2, name=f"{name}_pool")(x)


@takes_layers
def DenseNet121(
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Any:
    """The net of 121 layers; see `Wanted` for its arguments."""
    wanted = Wanted(include_top, weights, input_tensor, input_shape, pooling, classes)
    return _dense(121, (6, 12, 24, 16), wanted)


@takes_layers
def DenseNet169(
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Any:
    """The net of 169 layers; see `Wanted` for its arguments."""
    wanted = Wanted(include_top, weights, input_tensor, input_shape, pooling, classes)
    return _dense(169, (6, 12, 32, 32), wanted)


@takes_layers
def DenseNet201(
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Any:
    """The net of 201 layers; see `Wanted` for its arguments."""
    wanted = Wanted(include_top, weights, input_tensor, input_shape, pooling, classes)
    return _dense(201, (6, 12, 48, 32), wanted)
