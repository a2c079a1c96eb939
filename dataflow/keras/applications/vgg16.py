"""tf.keras.applications.vgg16: VGG with 16 layers of weights."""

from __future__ import annotations

from typing import Any

from dataflow.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from dataflow.keras.applications.imagenet_utils import in_mode
from dataflow.keras.applications.layers_in_use import takes_layers
from dataflow.keras.applications.parts import Wanted, usual_files
from dataflow.keras.applications.vgg import vgg

preprocess_input = in_mode("caffe")
_FILES = usual_files(
    "vgg16", "v0.1", ("64373286793e3c8b2b4e3219cbf3544b", "6d6bbae143d832006294945121d1f1fc")
)


@takes_layers
def VGG16(
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Any:
    """The net; see `Wanted` for its arguments."""
    wanted = Wanted(include_top, weights, input_tensor, input_shape, pooling, classes)
    return vgg("vgg16", (2, 2, 3, 3, 3), wanted, _FILES)
