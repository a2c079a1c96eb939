"""tf.keras.applications.inception_v3: branches of convolutions (Szegedy et al., 2015)."""

from __future__ import annotations

from typing import Any

from dataflow.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from dataflow.keras.applications.imagenet_utils import in_mode
from dataflow.keras.applications.layers_in_use import layers, takes_layers
from dataflow.keras.applications.parts import Wanted, channel_axis, conv_normed, usual_files

preprocess_input = in_mode("tf")
_FILES = usual_files(
    "inception_v3", "v0.5", ("9a0d58056eeedaa3f26cb7ebd46da564", "bcbd6486424b2319ff4ef7d526e38f63")
)


@takes_layers
def InceptionV3(
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
    for place, pooled in enumerate((32, 64, 64)):
        x = _joined(
            [
                _row(x, (64, 1)),
                _row(x, (48, 1), (64, 5)),
                _row(x, (64, 1), (96, 3), (96, 3)),
                _row(_mean(x), (pooled, 1)),
            ],
            f"mixed{place}",
        )
    x = _joined(
        [
            _halved(x, 384),
            _halved(_row(x, (64, 1), (96, 3)), 96),
            layers.MaxPooling2D((3, 3), strides=(2, 2))(x),
        ],
        "mixed3",
    )
    flat, tall = (1, 7), (7, 1)
    for place, n in enumerate((128, 160, 160, 192), 4):
        x = _joined(
            [
                _row(x, (192, 1)),
                _row(x, (n, 1), (n, flat), (192, tall)),
                _row(x, (n, 1), (n, tall), (n, flat), (n, tall), (192, flat)),
                _row(_mean(x), (192, 1)),
            ],
            f"mixed{place}",
        )
    x = _joined(
        [
            _halved(_row(x, (192, 1)), 320),
            _halved(_row(x, (192, 1), (192, flat), (192, tall)), 192),
            layers.MaxPooling2D((3, 3), strides=(2, 2))(x),
        ],
        "mixed8",
    )
    for place in range(2):
        one = _row(x, (320, 1))
        two = _split(_row(x, (384, 1)), f"mixed9_{place}")
        three = _split(_row(x, (448, 1), (384, 3)), None)
        x = _joined([one, two, three, _row(_mean(x), (192, 1))], f"mixed{9 + place}")
    x = wanted.classified(x) if wanted.include_top else wanted.pooled(x)
    return wanted.finish(start, x, "inception_v3", _FILES)


def stem(x: Any) -> Any:
    """The first layers: images of an eighth of the size."""
    x = conv_normed(x, 32, 3, 2, "valid")
    x = conv_normed(x, 32, 3, 1, "valid")
    x = conv_normed(x, 64, 3)
    x = layers.MaxPooling2D((3, 3), strides=(2, 2))(x)
    x = conv_normed(x, 80, 1, 1, "valid")
    x = conv_normed(x, 192, 3, 1, "valid")
    return layers.MaxPooling2D((3, 3), strides=(2, 2))(x)


def _row(x: Any, *sizes: tuple[int, Any]) -> Any:
    for filters, size in sizes:
        x = conv_normed(x, filters, size)
    return x


def _halved(x: Any, filters: int) -> Any:
    return conv_normed(x, filters, 3, 2, "valid")


def _split(x: Any, name: str | None) -> Any:
    return _joined([_row(x, (384, (1, 3))), _row(x, (384, (3, 1)))], name)


def _mean(x: Any) -> Any:
    return layers.AveragePooling2D((3, 3), strides=(1, 1), padding="same")(x)


def _joined(branches: list[Any], name: str | None) -> Any:
    return layers.Concatenate(axis=channel_axis(), name=name)(branches)
