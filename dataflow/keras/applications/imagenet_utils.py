"""Images as nets take them, and names for the classes that nets find."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.keras import backend as K
from dataflow.keras import ops
from dataflow.keras.conveniences import get_file

_CLASSES = "https://storage.googleapis.com/download.tensorflow.org/data/imagenet_class_index.json"
_MEANS = {"caffe": (103.939, 116.779, 123.68), "torch": (0.485, 0.456, 0.406)}
_DEVIATIONS = (0.229, 0.224, 0.225)


def preprocess_input(x: Any, data_format: str | None = None, mode: str = "caffe") -> Any:
    """Images with values of 0 to 255 as a net takes them.

    Args:
      x: An array or tensor of 3 or 4 dimensions; an array of floats may be written to.
      data_format: "channels_last" or "channels_first"; that of the backend if None.
      mode: "tf" for values of -1 to 1; "torch" for values of 0 to 1, less ImageNet's mean and
        divided by its deviation; "caffe" for BGR less the mean.

    Raises:
      ValueError: There is no such format.
    """
    data_format = data_format or K.image_data_format()
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(f"Unknown data_format {data_format}")
    if isinstance(x, np.ndarray):
        floats = x if np.issubdtype(x.dtype, np.floating) else x.astype(K.floatx())
        x = _changed(floats, data_format, mode)
        return x
    return _changed(ops.convert_to_tensor(x), data_format, mode)


def _changed(x: Any, data_format: str, mode: str) -> Any:
    if mode == "tf":
        x /= 127.5
        x -= 1.0
        return x
    rank = x.ndim if isinstance(x, np.ndarray) else x.shape.rank
    axis = rank - 3 if data_format == "channels_first" else rank - 1
    sizes = [1] * (rank - axis)
    sizes[0] = 3

    def along(values: Any) -> Any:
        found = np.reshape(values, sizes)
        if isinstance(x, np.ndarray):
            return found.astype(x.dtype)
        return ops.cast(ops.convert_to_tensor(found, dtype="float32"), x.dtype)

    if mode == "torch":
        x /= 255.0
        x -= along(_MEANS[mode])
        x /= along(_DEVIATIONS)
        return x
    backwards = [slice(None)] * axis + [slice(None, None, -1)]
    x = x[(*backwards, ...)]
    x -= along(_MEANS["caffe"])
    return x


def in_mode(mode: str) -> Callable[..., Any]:
    """The `preprocess_input` of nets that take images in one mode."""

    def preprocess_input(x: Any, data_format: str | None = None) -> Any:
        return _preprocess(x, data_format, mode)

    preprocess_input.__doc__ = f'Images with values of 0 to 255 as the net takes them: "{mode}".'
    return preprocess_input


_preprocess = preprocess_input


def decode_predictions(preds: Any, top: int = 5) -> list[list[tuple[Any, ...]]]:
    """For each image the likeliest classes of ImageNet: (number, name, likelihood).

    Args:
      preds: (images, 1000).
      top: How many.

    Raises:
      OSError: The file of names is not in `~/.keras/models` and cannot be loaded.
      ValueError: `preds` has another shape.
    """
    if len(preds.shape) != 2 or preds.shape[1] != 1000:
        raise ValueError(
            "`decode_predictions` expects a batch of predictions (i.e. a 2D array of shape "
            f"(samples, 1000)). Found array with shape: {preds.shape}"
        )
    path = get_file(
        "imagenet_class_index.json",
        _CLASSES,
        cache_subdir="models",
        file_hash="c2c37ea517e94d9795004a39431a14cb",
    )
    with open(path, encoding="utf-8") as file:
        names = json.load(file)
    return [
        [(*names[str(place)], each[place]) for place in each.argsort()[-top:][::-1]]
        for each in preds
    ]
