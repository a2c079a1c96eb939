"""tf.keras.applications.inception_resnet_v2: residual branches (Szegedy et al., 2016)."""

from __future__ import annotations

from typing import Any

from dataflow.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from dataflow.keras.applications.imagenet_utils import in_mode
from dataflow.keras.applications.inception_v3 import stem
from dataflow.keras.applications.layers_in_use import layers, takes_layers
from dataflow.keras.applications.parts import (
    Wanted,
    channel_axis,
    channels_of,
    conv_normed,
    relu,
    usual_files,
)

preprocess_input = in_mode("tf")
_FILES = usual_files(
    "inception_resnet_v2",
    "v0.7",
    ("e693bd0210a403b3192acc6073ad2e96", "d19885ff4a710c122648d3b5c3b684e4"),
)
_BLOCKS: dict[str, list[list[tuple[int, Any]]]] = {
    "block35": [[(32, 1)], [(32, 1), (32, 3)], [(32, 1), (48, 3), (64, 3)]],
    "block17": [[(192, 1)], [(128, 1), (160, (1, 7)), (192, (7, 1))]],
    "block8": [[(192, 1)], [(192, 1), (224, (1, 3)), (256, (3, 1))]],
}
"""Filters and sizes of the convolutions in each branch."""


@takes_layers
def InceptionResNetV2(
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Any:
    """The net; see `Wanted` for its arguments."""
    wanted = Wanted(include_top, weights, input_tensor, input_shape, pooling, classes)
    return _inception(wanted)


def _inception(wanted: Wanted) -> Any:
    start = wanted.begin(299, 75)
    x = stem(start)
    branches = [
        _row(x, row) for row in ([(96, 1)], [(48, 1), (64, 5)], [(64, 1), (96, 3), (96, 3)])
    ]
    pooled = layers.AveragePooling2D(3, strides=1, padding="same")(x)
    x = _joined([*branches, _row(pooled, [(64, 1)])], "mixed_5b")
    for number in range(1, 11):
        x = _residual(x, 0.17, "block35", number)
    x = _halved(x, [([], 384), ([(256, 1), (256, 3)], 384)], "mixed_6a")
    for number in range(1, 21):
        x = _residual(x, 0.1, "block17", number)
    x = _halved(x, [([(256, 1)], 384), ([(256, 1)], 288), ([(256, 1), (288, 3)], 320)], "mixed_7a")
    for number in range(1, 10):
        x = _residual(x, 0.2, "block8", number)
    x = _residual(x, 1.0, "block8", 10, last=True)
    x = conv_normed(x, 1536, 1, name="conv_7b")
    x = wanted.classified(x) if wanted.include_top else wanted.pooled(x)
    return wanted.finish(start, x, "inception_resnet_v2", _FILES)


def _residual(x: Any, scale: float, kind: str, number: int, last: bool = False) -> Any:
    """The input and a share of what the branches make of it."""
    name = f"{kind}_{number}"
    mixed = _joined([_row(x, row) for row in _BLOCKS[kind]], f"{name}_mixed")
    made = layers.Conv2D(channels_of(x), 1, padding="same", name=f"{name}_conv")
    x = layers.Lambda(
        lambda inputs, scale: inputs[0] + inputs[1] * scale,
        output_shape=tuple(x.shape.as_list()[1:]),
        arguments={"scale": scale},
        name=name,
    )([x, made(mixed)])
    return x if last else relu(x, f"{name}_ac")


def _halved(x: Any, branches: list[tuple[list[tuple[int, Any]], int]], name: str) -> Any:
    made = [conv_normed(_row(x, row), filters, 3, 2, "valid") for row, filters in branches]
    return _joined([*made, layers.MaxPooling2D(3, strides=2, padding="valid")(x)], name)


def _row(x: Any, sizes: list[tuple[int, Any]]) -> Any:
    for filters, size in sizes:
        x = conv_normed(x, filters, size)
    return x


def _joined(branches: list[Any], name: str) -> Any:
    return layers.Concatenate(axis=channel_axis(), name=name)(branches)
