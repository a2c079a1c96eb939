"""tf.keras.applications.vgg19: VGG with 19 layers of weights."""

from __future__ import annotations

from typing import Any

from dataflow.keras.applications.imagenet_utils import decode_predictions as decode_predictions
from dataflow.keras.applications.imagenet_utils import in_mode
from dataflow.keras.applications.layers_in_use import takes_layers
from dataflow.keras.applications.parts import Wanted, usual_files
from dataflow.keras.applications.vgg import vgg

preprocess_input = in_mode("caffe")
_FILES = usual_files(
    "vgg19", "v0.1", ("cbe5617147190e668d6c5d5026f83318", "253f8cb515780f3b799900260a226db6")
)


@takes_layers
def VGG19(
    include_top: bool = True,
    weights: Any = "imagenet",
    input_tensor: Any = None,
    input_shape: Any = None,
    pooling: str | None = None,
    classes: int = 1000,
) -> Any:
    """The net; see `Wanted` for its arguments."""
    wanted = Wanted(include_top, weights, input_tensor, input_shape, pooling, classes)
    return vgg("vgg19", (2, 2, 4, 4, 4), wanted, _FILES)
