"""tf.keras.applications.mobilenet: depthwise convolutions (Howard et al., 2017)."""

from __future__ import annotations

from typing import Any

from dataflow.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from dataflow.keras.applications.imagenet_utils import in_mode
from dataflow.keras.applications.layers_in_use import layers, takes_layers
from dataflow.keras.applications.parts import Files, Wanted, conv, normed, size_of_images

preprocess_input = in_mode("tf")
_ADDRESS = "https://github.com/fchollet/deep-learning-models/releases/download/v0.6/"
_SIZES = (128, 160, 192, 224)
_WIDTHS = {0.25: "2_5", 0.5: "5_0", 0.75: "7_5", 1.0: "1_0"}
_FILTERS = (64, 128, 128, 256, 256, *[512] * 6, 1024, 1024)
_HALVING = (2, 4, 6, 12)


@takes_layers
def MobileNet(
    input_shape: Any = None,
    alpha: float = 1.0,
    depth_multiplier: int = 1,
    dropout: float = 1e-3,
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
      depth_multiplier: The filters for each channel.
      dropout: The share of means that is set to zero in training.
      include_top: See `Wanted`.
      weights: See `Wanted`.
      input_tensor: See `Wanted`.
      pooling: See `Wanted`.
      classes: See `Wanted`.

    Raises:
      ValueError: Arguments do not go together.
    """
    wanted = Wanted(include_top, weights, input_tensor, input_shape, pooling, classes)
    if weights == "imagenet":
        if depth_multiplier != 1:
            raise ValueError("If imagenet weights are being loaded, depth multiplier must be 1")
        if alpha not in _WIDTHS:
            raise ValueError(
                "If imagenet weights are being loaded, alpha can be one of`0.25`, `0.50`, `0.75` "
                "or `1.0` only."
            )
    start = wanted.begin(size_of_images(input_shape, None, _SIZES), 32)
    rows = size_of_images(input_shape, start, _SIZES if weights == "imagenet" else None)
    x = layers.ZeroPadding2D(padding=((0, 1), (0, 1)), name="conv1_pad")(start)
    x = _normed(conv(x, int(32 * alpha), (3, 3), "conv1", strides=(2, 2)), "conv1")
    for number, filters in enumerate(_FILTERS, 1):
        halved = number in _HALVING
        if halved:
            x = layers.ZeroPadding2D(padding=((0, 1), (0, 1)), name=f"conv_pad_{number}")(x)
        x = layers.DepthwiseConv2D(
            kernel_size=(3, 3),
            strides=(2, 2) if halved else (1, 1),
            padding="valid" if halved else "same",
            depth_multiplier=depth_multiplier,
            use_bias=False,
            name=f"conv_dw_{number}",
        )(x)
        x = _normed(x, f"conv_dw_{number}")
        x = conv(x, int(filters * alpha), (1, 1), f"conv_pw_{number}", padding="same")
        x = _normed(x, f"conv_pw_{number}")
    x = _classes(x, alpha, dropout, classes) if include_top else wanted.pooled(x)
    files = None
    if weights == "imagenet":
        name = f"mobilenet_{_WIDTHS[alpha]}_{rows}_tf"
        files = Files(_ADDRESS, (f"{name}.h5", f"{name}_no_top.h5"))
    return wanted.finish(start, x, f"mobilenet_{alpha:0.2f}_{rows}", files)


def _normed(x: Any, name: str) -> Any:
    return layers.ReLU(6.0, name=f"{name}_relu")(normed(x, f"{name}_bn"))


def _classes(x: Any, alpha: float, dropout: float, classes: int) -> Any:
    means, one = int(1024 * alpha), (1, 1)
    first = layers.GlobalAveragePooling2D()
    shape = (means, *one) if first.data_format == "channels_first" else (*one, means)
    x = layers.Reshape(shape, name="reshape_1")(first(x))
    x = layers.Dropout(dropout, name="dropout")(x)
    x = layers.Conv2D(classes, one, padding="same", name="conv_preds")(x)
    x = layers.Reshape((classes,), name="reshape_2")(x)
    return layers.Activation("softmax", name="act_softmax")(x)
