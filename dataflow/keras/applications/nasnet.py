"""tf.keras.applications.nasnet: cells that a search has found (Zoph et al., 2017)."""

from __future__ import annotations

from typing import Any

from dataflow.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from dataflow.keras.applications.imagenet_utils import in_mode
from dataflow.keras.applications.layers_in_use import layers, takes_layers
from dataflow.keras.applications.parts import (
    Files,
    Wanted,
    channel_axis,
    channels_of,
    conv,
    halving_pad,
    normed,
    relu,
)

preprocess_input = in_mode("tf")
_ADDRESS = "https://github.com/titu1994/Keras-NASNet/releases/download/v1.2/"


@takes_layers
def NASNetLarge(
    input_shape: Any = None,
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Any:
    """The large net; see `Wanted` for its arguments."""
    wanted = Wanted(include_top, weights, input_tensor, input_shape, pooling, classes)
    files = Files(
        _ADDRESS,
        ("NASNet-large.h5", "NASNet-large-no-top.h5"),
        ("11577c9a518f0070763c2b964a382f17", "d81d89dc07e6e56530c4e77faddd61b5"),
        ("nasnet_large.h5", "nasnet_large_no_top.h5"),
    )
    return _nasnet(wanted, files, 331, filters=168, depth=6, first=96, skips=True)


@takes_layers
def NASNetMobile(
    input_shape: Any = None,
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Any:
    """The small net; see `Wanted` for its arguments."""
    wanted = Wanted(include_top, weights, input_tensor, input_shape, pooling, classes)
    files = Files(
        _ADDRESS,
        ("NASNet-mobile.h5", "NASNet-mobile-no-top.h5"),
        ("020fb642bf7360b370c678b08e0adf61", "1ed92395b5b598bdda52abe5c0dbfd63"),
        ("nasnet_mobile.h5", "nasnet_mobile_no_top.h5"),
    )
    return _nasnet(wanted, files, 224, filters=44, depth=4, first=32, skips=False)


def _nasnet(
    wanted: Wanted, files: Files, size: int, filters: int, depth: int, first: int, skips: bool
) -> Any:
    """The net: `depth` normal cells at each of three sizes, and cells that halve sizes."""
    start = wanted.begin(size, 32, fixed=True)
    x = _conv(start, first, 3, "stem_conv1", strides=(2, 2))
    x = _normed(x, "stem_bn1")
    before: Any = None
    for place in (1, 2):
        x, before = _halving(x, before, filters * place // 4, f"stem_{place}")
    number = 0
    for stage in range(3):
        wide = filters * 2**stage
        if stage:
            x, kept = _halving(x, before, wide, f"reduce_{number}")
            before = before if skips else kept
            number += 1
        for _ in range(depth):
            x, before = _normal(x, before, wide, str(number))
            number += 1
        number = depth * (stage + 1)
    x = relu(x)
    x = wanted.classified(x, pool=None) if wanted.include_top else wanted.pooled(x)
    return wanted.finish(start, x, "NASNet", files)


def _conv(x: Any, filters: int, size: int, name: str, **kwargs: Any) -> Any:
    return conv(x, filters, (size, size), name, kernel_initializer="he_normal", **kwargs)


def _normed(x: Any, name: str) -> Any:
    return normed(x, name, momentum=0.9997)


def _separable(x: Any, filters: int, size: int, block: str, strides: int = 1) -> Any:
    """Positive values, a separable convolution and batch normalization, twice."""
    for place in (1, 2):
        x = relu(x)
        padding = "same"
        if strides == 2 and place == 1:
            pad = halving_pad(x, size)
            x = layers.ZeroPadding2D(padding=pad, name=f"separable_conv_1_pad_{block}")(x)
            padding = "valid"
        x = layers.SeparableConv2D(
            filters,
            (size, size),
            strides=strides if place == 1 else 1,
            padding=padding,
            use_bias=False,
            name=f"separable_conv_{place}_{block}",
            kernel_initializer="he_normal",
        )(x)
        x = _normed(x, f"separable_conv_{place}_bn_{block}")
    return x


def _adjusted(before: Any, x: Any, filters: int, block: str) -> Any:
    """What came before a cell's input, in its size and with as many channels."""
    if before is None:
        return x
    axis = channel_axis()
    row = 2 if axis == 1 else 1
    if before.shape.as_list()[row + 1] != x.shape.as_list()[row + 1]:
        before = relu(before, f"adjust_relu_1_{block}")
        moved = layers.ZeroPadding2D(padding=((0, 1), (0, 1)))(before)
        moved = layers.Cropping2D(((1, 0), (1, 0)))(moved)
        halves = []
        for place, each in enumerate((before, moved), 1):
            pool = layers.AveragePooling2D((1, 1), (2, 2), name=f"adjust_avg_pool_{place}_{block}")
            name = f"adjust_conv_{place}_{block}"
            halves.append(_conv(pool(each), filters // 2, 1, name, padding="same"))
        return _normed(layers.Concatenate(axis=axis)(halves), f"adjust_bn_{block}")
    if channels_of(before) != filters:
        name = f"adjust_conv_projection_{block}"
        before = _conv(relu(before), filters, 1, name, padding="same")
        return _normed(before, f"adjust_bn_{block}")
    return before


def _squeezed(x: Any, filters: int, kind: str, block: str) -> Any:
    x = _conv(relu(x), filters, 1, f"{kind}_conv_1_{block}", padding="same")
    return _normed(x, f"{kind}_bn_1_{block}")


def _mean(x: Any, name: str) -> Any:
    return layers.AveragePooling2D((3, 3), strides=(1, 1), padding="same", name=name)(x)


def _normal(x: Any, before: Any, filters: int, block: str) -> tuple[Any, Any]:
    """A cell that keeps the size; and its input, for the next."""
    p = _adjusted(before, x, filters, block)
    h = _squeezed(x, filters, "normal", block)

    def separable(each: Any, size: int, place: str) -> Any:
        return _separable(each, filters, size, f"normal_{place}_{block}")

    def added(place: int, *parts: Any) -> Any:
        return layers.Add(name=f"normal_add_{place}_{block}")(list(parts))

    parts = [
        p,
        added(1, separable(h, 5, "left1"), separable(p, 3, "right1")),
        added(2, separable(p, 5, "left2"), separable(p, 3, "right2")),
        added(3, _mean(h, f"normal_left3_{block}"), p),
        added(4, _mean(p, f"normal_left4_{block}"), _mean(p, f"normal_right4_{block}")),
        added(5, separable(h, 3, "left5"), h),
    ]
    name = f"normal_concat_{block}"
    return layers.Concatenate(axis=channel_axis(), name=name)(parts), x


def _halving(x: Any, before: Any, filters: int, block: str) -> tuple[Any, Any]:
    """A cell that halves the size; and its input, for the next."""
    p = _adjusted(before, x, filters, block)
    h = _squeezed(x, filters, "reduction", block)
    padded = layers.ZeroPadding2D(padding=halving_pad(h, 3), name=f"reduction_pad_1_{block}")(h)

    def separable(each: Any, size: int, place: str, strides: int = 2) -> Any:
        return _separable(each, filters, size, f"reduction_{place}_{block}", strides)

    def pooled(layer: Any, place: str) -> Any:
        return layer((3, 3), strides=(2, 2), name=f"reduction_{place}_{block}")(padded)

    def added(name: str, *parts: Any) -> Any:
        return layers.Add(name=f"reduction_{name}_{block}")(list(parts))

    one = added("add_1", separable(h, 5, "left1"), separable(p, 7, "right1"))
    two = added("add_2", pooled(layers.MaxPooling2D, "left2"), separable(p, 7, "right2"))
    three = added("add3", pooled(layers.AveragePooling2D, "left3"), separable(p, 5, "right3"))
    four = layers.Add()([two, _mean(one, f"reduction_left4_{block}")])
    five = added("add4", separable(one, 3, "left4", 1), pooled(layers.MaxPooling2D, "right5"))
    name = f"reduction_concat_{block}"
    return layers.Concatenate(axis=channel_axis(), name=name)([two, three, four, five]), x
