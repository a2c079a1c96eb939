"""tf.keras.applications.resnet: nets of residual blocks."""

from __future__ import annotations

from typing import Any

from dataflow.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from dataflow.keras.applications.imagenet_utils import in_mode
from dataflow.keras.applications.layers_in_use import takes_layers
from dataflow.keras.applications.parts import Wanted
from dataflow.keras.applications.residual import residual_net

preprocess_input = in_mode("caffe")


@takes_layers
def ResNet50(
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Any:
    """The net of 50 layers; see `Wanted` for its arguments."""
    wanted = Wanted(include_top, weights, input_tensor, input_shape, pooling, classes)
    return residual_net("resnet50", (3, 4, 6, 3), False, wanted)


@takes_layers
def ResNet101(
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Any:
    """The net of 101 layers; see `Wanted` for its arguments."""
    wanted = Wanted(include_top, weights, input_tensor, input_shape, pooling, classes)
    return residual_net("resnet101", (3, 4, 23, 3), False, wanted)


@takes_layers
def ResNet152(
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Any:
    """The net of 152 layers; see `Wanted` for its arguments."""
    wanted = Wanted(include_top, weights, input_tensor, input_shape, pooling, classes)
    return residual_net("resnet152", (3, 8, 36, 3), False, wanted)
