"""VGG: convolutions of 3 x 3 and pools in five blocks (Simonyan and Zisserman, 2014)."""

from __future__ import annotations

from typing import Any

from dataflow.keras.applications.layers_in_use import layers
from dataflow.keras.applications.parts import Files, Wanted


def vgg(name: str, depths: tuple[int, ...], wanted: Wanted, files: Files) -> Any:
    """The net with a number of convolutions in each block."""
    x = start = wanted.begin(224, 32)
    for block, depth in enumerate(depths, 1):
        for place in range(1, depth + 1):
            x = layers.Conv2D(
                min(32 * 2**block, 512),
                (3, 3),
                activation="relu",
                padding="same",
                name=f"block{block}_conv{place}",
            )(x)
        x = layers.MaxPooling2D((2, 2), strides=(2, 2), name=f"block{block}_pool")(x)
    if wanted.include_top:
        x = layers.Flatten(name="flatten")(x)
        x = layers.Dense(4096, activation="relu", name="fc1")(x)
        x = layers.Dense(4096, activation="relu", name="fc2")(x)
        x = layers.Dense(wanted.classes, activation="softmax", name="predictions")(x)
    else:
        x = wanted.pooled(x)
    return wanted.finish(start, x, name, files)
