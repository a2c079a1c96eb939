"""tf.keras.applications.resnet_v2: nets of residual blocks that normalize first."""

from __future__ import annotations

from typing import Any

from dataflow.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from dataflow.keras.applications.imagenet_utils import in_mode
from dataflow.keras.applications.layers_in_use import takes_layers
from dataflow.keras.applications.parts import Wanted
from dataflow.keras.applications.residual import residual_net

preprocess_input = in_mode("tf")


@takes_layers
def ResNet50V2(
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Any:
    """The net of 50 layers; see `Wanted` for its arguments."""
    wanted = Wanted(include_top, weights, input_tensor, input_shape, pooling, classes)
    return residual_net("resnet50v2", (3, 4, 6, 3), True, wanted)


@takes_layers
def ResNet101V2(
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Any:
    """The net of 101 layers; see `Wanted` for its arguments."""
    wanted = Wanted(include_top, weights, input_tensor, input_shape, pooling, classes)
    return residual_net("resnet101v2", (3, 4, 23, 3), True, wanted)


@takes_layers
def ResNet152V2(
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Any:
    """The net of 152 layers; see `Wanted` for its arguments."""
    wanted = Wanted(include_top, weights, input_tensor, input_shape, pooling, classes)
    return residual_net("resnet152v2", (3, 8, 36, 3), True, wanted)
