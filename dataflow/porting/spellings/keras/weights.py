"""tensorflow.python.keras.utils.layer_utils: weights of layers, counted and laid out anew."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np


def count_params(weights: Iterable[Any]) -> int:
    """How many numbers weights hold; one that comes twice counts once."""
    different = {id(each): each for each in weights}.values()
    return sum(int(np.prod(each.shape.as_list())) for each in different)


def gather_trainable_weights(
    trainable: bool, sub_layers: Iterable[Any], extra_variables: Iterable[Any]
) -> list[Any]:
    """What is trained of layers and of other variables."""
    if not trainable:
        return []
    inner = [weight for layer in sub_layers for weight in layer.trainable_weights]
    return inner + [each for each in extra_variables if each.trainable]


def gather_non_trainable_weights(
    trainable: bool, sub_layers: Sequence[Any], extra_variables: Sequence[Any]
) -> list[Any]:
    """What is not trained of layers and of other variables."""
    inner = [weight for layer in sub_layers for weight in layer.non_trainable_weights]
    fixed = [each for each in extra_variables if not each.trainable]
    if trainable:
        return inner + fixed
    trained = [weight for layer in sub_layers for weight in layer.trainable_weights]
    return trained + [each for each in extra_variables if each.trainable] + inner + fixed


def convert_dense_weights_data_format(
    dense: Any,
    previous_feature_map_shape: tuple[int, int, int],
    target_data_format: str = "channels_first",
) -> None:
    """Lays the weights of a Dense out for images of the other data format.

    Args:
      dense: The layer, which follows a Flatten.
      previous_feature_map_shape: Of the images that are flattened, in the new format.
      target_data_format: The new format, "channels_first" or "channels_last".
    """
    assert target_data_format in ("channels_last", "channels_first")
    kernel, bias = dense.get_weights()
    if target_data_format == "channels_first":
        channels, height, width = previous_feature_map_shape
        before, order = (height, width, channels), (2, 0, 1, 3)
    else:
        height, width, channels = previous_feature_map_shape
        before, order = (channels, height, width), (1, 2, 0, 3)
    moved = kernel.reshape(*before, -1).transpose(order).reshape(kernel.shape)
    dense.set_weights([moved, bias])
