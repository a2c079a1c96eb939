"""tf.keras.applications.mobilenet_v2: inverted residual blocks (Sandler et al., 2018)."""

from __future__ import annotations

from typing import Any

from dataflow.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from dataflow.keras.applications.imagenet_utils import in_mode
from dataflow.keras.applications.layers_in_use import layers, takes_layers
from dataflow.keras.applications.parts import (
    Files,
    Wanted,
    channels_of,
    conv,
    halving_pad,
    normed,
    size_of_images,
)

preprocess_input = in_mode("tf")
_ADDRESS = "https://github.com/JonathanCMitchell/mobilenet_v2_keras/releases/download/v1.1/"
_SIZES = (96, 128, 160, 192, 224)
_BLOCKS = ((16, 1, 1), (24, 2, 2), (32, 3, 2), (64, 4, 2), (96, 3, 1), (160, 3, 2), (320, 1, 1))
"""Filters, how many blocks of them, and the strides of the first."""


@takes_layers
def MobileNetV2(
    input_shape: Any = None,
    alpha: float = 1.0,
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Any:
    """The net.

    Args:
      input_shape: See `Wanted`.
      alpha: The number of filters is this many times as large.
      include_top: See `Wanted`.
      weights: See `Wanted`.
      input_tensor: See `Wanted`.
      pooling: See `Wanted`.
      classes: See `Wanted`.

    Raises:
      ValueError: Arguments do not go together.
    """
    wanted = Wanted(include_top, weights, input_tensor, input_shape, pooling, classes)
    if weights == "imagenet" and alpha not in (0.35, 0.50, 0.75, 1.0, 1.3, 1.4):
        raise ValueError(
            "If imagenet weights are being loaded, alpha can be one of `0.35`, `0.50`, `0.75`, "
            "`1.0`, `1.3` or `1.4` only."
        )
    start = wanted.begin(size_of_images(input_shape, input_tensor, _SIZES), 32)
    rows = size_of_images(input_shape, start, _SIZES if weights == "imagenet" else None)
    x = layers.ZeroPadding2D(padding=halving_pad(start, 3), name="Conv1_pad")(start)
    x = conv(x, _divisible(32 * alpha), 3, "Conv1", strides=(2, 2))
    x = _normed_relu(x, "bn_Conv1", "Conv1_relu")
    number = 0
    for filters, count, strides in _BLOCKS:
        for place in range(count):
            x = _inverted(x, number, _divisible(int(filters * alpha)), 1 if place else strides)
            number += 1
    x = conv(x, _divisible(1280 * max(alpha, 1.0)), 1, "Conv_1")
    x = _normed_relu(x, "Conv_1_bn", "out_relu")
    x = wanted.classified(x, "Logits", None) if include_top else wanted.pooled(x)
    name = f"mobilenet_v2_weights_tf_dim_ordering_tf_kernels_{alpha}_{rows}"
    files = Files(_ADDRESS, (f"{name}.h5", f"{name}_no_top.h5"))
    return wanted.finish(start, x, f"mobilenetv2_{alpha:0.2f}_{rows}", files)


def _divisible(filters: float) -> int:
    """The nearest multiple of 8, not below nine tenths of the number."""
    found = max(8, int(filters + 4) // 8 * 8)
    return found + 8 if found < 0.9 * filters else found


def _normed_relu(x: Any, name: str, relu: str) -> Any:
    return layers.ReLU(6.0, name=relu)(normed(x, name, momentum=0.999))


def _inverted(x: Any, number: int, filters: int, strides: int) -> Any:
    channels = channels_of(x)
    before, name = x, f"block_{number}_" if number else "expanded_conv_"
    if number:
        x = conv(x, 6 * channels, 1, f"{name}expand", padding="same")
        x = _normed_relu(x, f"{name}expand_BN", f"{name}expand_relu")
    if strides == 2:
        x = layers.ZeroPadding2D(padding=halving_pad(x, 3), name=f"{name}pad")(x)
    x = layers.DepthwiseConv2D(
        kernel_size=3,
        strides=strides,
        use_bias=False,
        padding="same" if strides == 1 else "valid",
        name=f"{name}depthwise",
    )(x)
    x = _normed_relu(x, f"{name}depthwise_BN", f"{name}depthwise_relu")
    x = conv(x, filters, 1, f"{name}project", padding="same")
    x = normed(x, f"{name}project_BN", momentum=0.999)
    if channels == filters and strides == 1:
        return layers.Add(name=f"{name}add")([before, x])
    return x
