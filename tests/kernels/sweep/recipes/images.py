"""Convolutions and pooling of images, and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tests.kernels.sweep.recipe import Recipe, Sizes, given, normal, whole

_TAPS = {"x": 3, "y": 3, "z": 2, "d": 9, "e": 2}


def _is_something(sizes: Sizes) -> bool:
    """Whether a filter finds a place: TensorFlow's gradients of nothing crash, or are memory that
    nobody has written to."""
    fits = sizes["h"] >= sizes.get("x", 1) and sizes["w"] >= sizes.get("y", 1)
    return min(sizes.values()) > 0 and fits


def _moves(step: int, rank: int = 2) -> list[int]:
    return [1, *(step,) * rank, 1]


def _convolution(step: int, padding: str) -> Recipe:
    def build(tf: Any, images: Any, filters: Any) -> Sequence[Any]:
        y = tf.nn.conv2d(images, filters, _moves(step), padding)
        return [y, *tf.gradients(tf.reduce_sum(y + y), [images, filters])]

    operands = whole("nhwc"), whole("xyco")
    return Recipe(f"convolution {step} {padding}", operands, build, most=_TAPS, holds=_is_something)


def _biased(tf: Any, images: Any, filters: Any, bias: Any) -> Sequence[Any]:
    y = tf.nn.conv2d(images, filters, _moves(1), "SAME")
    return [tf.nn.relu(tf.nn.bias_add(y, bias))]


def _depthwise(tf: Any, images: Any, filters: Any) -> Sequence[Any]:
    y = tf.nn.depthwise_conv2d_native(images, filters, _moves(1), "SAME")
    return [y, *tf.gradients(tf.reduce_sum(y), [images, filters])]


def _volume(tf: Any, images: Any, filters: Any) -> Sequence[Any]:
    y = tf.nn.conv3d(images, filters, _moves(1, 3), "SAME")
    return [y, *tf.gradients(tf.reduce_sum(y), [images, filters])]


def _dilated(tf: Any, images: Any, filters: Any) -> Sequence[Any]:
    y = tf.raw_ops.Dilation2D(
        input=images, filter=filters, strides=_moves(1), rates=_moves(1), padding="SAME"
    )
    return [y, *tf.gradients(y, [images, filters])]


def _pool(name: str, op: str, size: int, step: int, padding: str, **more: Any) -> Recipe:
    def build(tf: Any, images: Any) -> Sequence[Any]:
        y = getattr(tf.nn, op)(images, _moves(size), _moves(step), padding)
        return [y, *tf.gradients(tf.square(y), [images])]

    return Recipe(
        f"{name} {size} {step} {padding}",
        (whole("nhwc"),),
        build,
        holds=lambda sizes: _is_something({**sizes, "x": size, "y": size}),
        **more,
    )


def _volumes(op: str) -> Recipe:
    def build(tf: Any, images: Any) -> Sequence[Any]:
        y = getattr(tf.nn, op)(images, _moves(2, 3), _moves(2, 3), "SAME")
        return [y, *tf.gradients(tf.square(y), [images])]

    # Of several greatest numbers it depends on the processor to which the gradient goes.
    images = replace(normal("ndhwc"), is_moved=False)
    return Recipe(op, (images,), build, is_wide=False, rtol=1e-5, most=_TAPS, holds=_is_something)


def _places(tf: Any, images: Any) -> Sequence[Any]:
    y, places = tf.nn.max_pool_with_argmax(images, _moves(2), _moves(2), "SAME")
    return [y, places, *tf.gradients(tf.square(y), [images])]


def _sized(tf: Any, images: Any, sizes: Any, steps: Any) -> Sequence[Any]:
    y = tf.raw_ops.MaxPoolV2(input=images, ksize=sizes, strides=steps, padding="SAME")
    return [y, *tf.gradients(tf.square(y), [images])]


RECIPES = (
    *(
        _convolution(step, padding)
        for step, padding in ((1, "SAME"), (1, "VALID"), (2, "SAME"), (2, "VALID"))
    ),
    Recipe(
        "convolution with a bias",
        (whole("nhwc"), whole("xyco"), whole("o")),
        _biased,
        dtypes=("float32", "float64"),
        most=_TAPS,
        holds=_is_something,
    ),
    Recipe(
        "depthwise convolution",
        (whole("nhwc"), whole("xyce")),
        _depthwise,
        most=_TAPS,
        holds=_is_something,
    ),
    Recipe(
        "convolution of volumes",
        (whole("ndhwc"), whole("zyxco")),
        _volume,
        most=_TAPS,
        holds=_is_something,
    ),
    Recipe("dilation", (whole("nhwc"), whole("xyc")), _dilated, most=_TAPS, holds=_is_something),
    _pool("max pool", "max_pool", 2, 2, "SAME", dtypes=("float32", "float64")),
    _pool("max pool", "max_pool", 3, 2, "VALID"),
    _pool("max pool", "max_pool", 3, 1, "SAME"),
    _pool("mean pool", "avg_pool", 2, 2, "VALID", rtol=1e-6),
    _pool("mean pool", "avg_pool", 3, 2, "SAME", rtol=1e-5),
    _volumes("max_pool3d"),
    _volumes("avg_pool3d"),
    Recipe(
        "max pool of volumes",
        (whole("ndhwc"),),
        lambda tf, x: [tf.nn.max_pool3d(x, _moves(2, 3), _moves(2, 3), "SAME")],
        is_wide=False,
        most=_TAPS,
        holds=_is_something,
    ),
    Recipe(
        "max pool with places",
        (whole("nhwc"),),
        _places,
        holds=_is_something,
    ),
    Recipe(
        "max pool of given sizes",
        (
            whole("nhwc"),
            given("4", lambda _: [1, 2, 3, 1]),
            given("4", lambda _: [1, 2, 2, 1]),
        ),
        _sized,
    ),
)
