"""tf.keras.applications.xception: residual separable convolutions (Chollet, 2016)."""

from __future__ import annotations

from typing import Any

from dataflow.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from dataflow.keras.applications.imagenet_utils import in_mode
from dataflow.keras.applications.layers_in_use import layers, takes_layers
from dataflow.keras.applications.parts import Wanted, conv, normed, relu, usual_files

preprocess_input = in_mode("tf")
_FILES = usual_files(
    "xception", "v0.4", ("0a58e3b7378bc2990ea3b43d5981f1f6", "b0042744bf5b25fce3cb969f33bebb97")
)


@takes_layers
def Xception(
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Any:
    """The net; see `Wanted` for its arguments."""
    wanted = Wanted(include_top, weights, input_tensor, input_shape, pooling, classes)
    return _xception(wanted)


def _xception(wanted: Wanted) -> Any:
    start = wanted.begin(299, 71)
    x = conv(start, 32, (3, 3), "block1_conv1", strides=(2, 2))
    x = relu(normed(x, "block1_conv1_bn"), "block1_conv1_act")
    x = conv(x, 64, (3, 3), "block1_conv2")
    x = relu(normed(x, "block1_conv2_bn"), "block1_conv2_act")
    for number, filters in ((2, 128), (3, 256), (4, 728)):
        x = _halved(x, number, (filters, filters))
    for number in range(5, 13):
        shortcut = x
        for place in range(1, 4):
            x = relu(x, f"block{number}_sepconv{place}_act")
            x = _separable(x, 728, f"block{number}_sepconv{place}")
        x = layers.Add()([x, shortcut])
    x = _halved(x, 13, (728, 1024))
    for place, filters in ((1, 1536), (2, 2048)):
        name = f"block14_sepconv{place}"
        x = relu(_separable(x, filters, name), f"{name}_act")
    x = wanted.classified(x) if wanted.include_top else wanted.pooled(x)
    return wanted.finish(start, x, "xception", _FILES)


def _separable(x: Any, filters: int, name: str) -> Any:
    layer = layers.SeparableConv2D(filters, (3, 3), padding="same", use_bias=False, name=name)
    return normed(layer(x), f"{name}_bn")


def _halved(x: Any, number: int, filters: tuple[int, int]) -> Any:
    """A block whose images have half the size; the first one does not begin with `relu`."""
    shortcut = normed(conv(x, filters[1], (1, 1), strides=(2, 2), padding="same"))
    for place, wide in enumerate(filters, 1):
        if number > 2 or place > 1:
            x = relu(x, f"block{number}_sepconv{place}_act")
        x = _separable(x, wide, f"block{number}_sepconv{place}")
    x = layers.MaxPooling2D((3, 3), strides=(2, 2), padding="same", name=f"block{number}_pool")(x)
    return layers.Add()([x, shortcut])
