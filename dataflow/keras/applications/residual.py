"""ResNet: normalization behind convolutions, or before them (He et al., 2015, 2016)."""

from __future__ import annotations

from typing import Any

from dataflow.keras.applications.layers_in_use import layers
from dataflow.keras.applications.parts import Wanted, conv, normed, relu, usual_files

_EPSILON = 1.001e-5
_HASHES = {
    "resnet50": ("2cb95161c43110f7111970584f804107", "4d473c1dd8becc155b73f8504c6f6626"),
    "resnet101": ("f1aeb4b969a6efcfb50fad2f0c20cfc5", "88cf7a10940856eca736dc7b7e228a21"),
    "resnet152": ("100835be76be38e30d865e96f2aaae62", "ee4c566cf9a93f14d82f913c2dc6dd0c"),
    "resnet50v2": ("3ef43a0b657b3be2300d5770ece849e0", "fac2f116257151a9d068a22e544a4917"),
    "resnet101v2": ("6343647c601c52e1368623803854d971", "c0ed64b8031c3730f411d2eb4eea35b5"),
    "resnet152v2": ("a49b44d1979771252814e80f8ec446f9", "ed17cf2e0169df9d443503ef94b23b33"),
}


def residual_net(name: str, depths: tuple[int, ...], before: bool, wanted: Wanted) -> Any:
    """The net with a number of blocks in each stack.

    Args:
      name: Of the model.
      depths: The numbers.
      before: Whether values are normalized before convolutions.
      wanted: What a program asks of it.
    """
    start = wanted.begin(224, 32)
    x = layers.ZeroPadding2D(padding=((3, 3), (3, 3)), name="conv1_pad")(start)
    x = layers.Conv2D(64, 7, strides=2, name="conv1_conv")(x)
    if not before:
        x = _normed_relu(x, "conv1")
    x = layers.ZeroPadding2D(padding=((1, 1), (1, 1)), name="pool1_pad")(x)
    x = layers.MaxPooling2D(3, strides=2, name="pool1_pool")(x)
    for place, depth in enumerate(depths):
        stack, filters = f"conv{place + 2}", 64 * 2**place
        for number in range(1, depth + 1):
            block = f"{stack}_block{number}"
            if before:
                strides = 2 if number == depth and place < len(depths) - 1 else 1
                x = _second(x, filters, strides, number == 1, block)
            else:
                strides = 2 if number == 1 and place else 1
                x = _first(x, filters, strides, number == 1, block)
    if before:
        x = _normed_relu(x, "post")
    x = wanted.classified(x, "probs") if wanted.include_top else wanted.pooled(x, named=True)
    files = usual_files(name, "resnet", _HASHES[name], "keras-team/keras-applications")
    return wanted.finish(start, x, name, files)


def _normed_relu(x: Any, name: str) -> Any:
    return relu(normed(x, f"{name}_bn", epsilon=_EPSILON), f"{name}_relu")


def _first(x: Any, filters: int, strides: int, widens: bool, name: str) -> Any:
    shortcut = x
    if widens:
        shortcut = layers.Conv2D(4 * filters, 1, strides=strides, name=f"{name}_0_conv")(x)
        shortcut = normed(shortcut, f"{name}_0_bn", epsilon=_EPSILON)
    x = layers.Conv2D(filters, 1, strides=strides, name=f"{name}_1_conv")(x)
    x = _normed_relu(x, f"{name}_1")
    x = layers.Conv2D(filters, 3, padding="same", name=f"{name}_2_conv")(x)
    x = _normed_relu(x, f"{name}_2")
    x = layers.Conv2D(4 * filters, 1, name=f"{name}_3_conv")(x)
    x = normed(x, f"{name}_3_bn", epsilon=_EPSILON)
    return relu(layers.Add(name=f"{name}_add")([shortcut, x]), f"{name}_out")


def _second(x: Any, filters: int, strides: int, widens: bool, name: str) -> Any:
    ready = _normed_relu(x, f"{name}_preact")
    if widens:
        shortcut = layers.Conv2D(4 * filters, 1, strides=strides, name=f"{name}_0_conv")(ready)
    else:
        shortcut = layers.MaxPooling2D(1, strides=strides)(x) if strides > 1 else x
    x = _normed_relu(conv(ready, filters, 1, f"{name}_1_conv"), f"{name}_1")
    x = layers.ZeroPadding2D(padding=((1, 1), (1, 1)), name=f"{name}_2_pad")(x)
    x = _normed_relu(conv(x, filters, 3, f"{name}_2_conv", strides=strides), f"{name}_2")
    x = layers.Conv2D(4 * filters, 1, name=f"{name}_3_conv")(x)
    return layers.Add(name=f"{name}_out")([shortcut, x])
