"""What the nets have in common: how they begin and end, their usual layers, files of weights."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from typing import Any

from dataflow.keras import backend as K
from dataflow.keras.applications.layers_in_use import layers
from dataflow.keras.conveniences import get_file, get_source_inputs
from dataflow.keras.engine.node import history_of
from dataflow.keras.engine.training import Model


@dataclass(frozen=True)
class Files:
    """Where the weights of a net are: an address, names and hashes with the last layers and
    without them."""

    address: str
    names: tuple[str, str]
    hashes: tuple[str | None, str | None] = (None, None)
    kept_as: tuple[str, str] | None = None

    def path(self, include_top: bool) -> str:
        """The file at hand; it is loaded if it is not there."""
        place = 0 if include_top else 1
        return get_file(
            (self.kept_as or self.names)[place],
            self.address + self.names[place],
            cache_subdir="models",
            file_hash=self.hashes[place],
        )


def usual_files(
    name: str,
    folder: str,
    hashes: tuple[str, str],
    repository: str = "fchollet/deep-learning-models",
) -> Files:
    """Files that are named as most are."""
    start = f"{name}_weights_tf_dim_ordering_tf_kernels"
    address = f"https://github.com/{repository}/releases/download/{folder}/"
    return Files(address, (f"{start}.h5", f"{start}_notop.h5"), hashes)


@dataclass(frozen=True)
class Wanted:
    """What a program asks of a net.

    Attributes:
      include_top: Whether the net ends in classes.
      weights: "imagenet", the path of a file, or None for new ones.
      input_tensor: A tensor to begin with.
      input_shape: The shape of an image.
      pooling: "avg" or "max" over what is left of an image, without classes; None for neither.
      classes: How many there are.
    """

    include_top: bool
    weights: Any
    input_tensor: Any
    input_shape: Any
    pooling: Any
    classes: int

    def begin(self, default_size: int, min_size: int, fixed: bool | None = None) -> Any:
        """The tensor that the net begins with.

        Args:
          default_size: Height and width of images where none are given.
          min_size: The smallest of them.
          fixed: Whether the sizes must be known; with classes if None.

        Raises:
          ValueError: Arguments do not go together.
        """
        self._check()
        shape = self._shape(default_size, min_size, self.include_top if fixed is None else fixed)
        if self.input_tensor is None:
            return layers.Input(shape=shape)
        if history_of(self.input_tensor) is None:
            return layers.Input(tensor=self.input_tensor, shape=shape)
        return self.input_tensor

    def _check(self) -> None:
        if self.weights not in ("imagenet", None) and not os.path.exists(self.weights):
            raise ValueError(
                "The `weights` argument should be either `None` (random initialization), "
                "`imagenet` (pre-training on ImageNet), or the path to the weights file to be "
                "loaded."
            )
        if self.weights == "imagenet" and self.include_top and self.classes != 1000:
            raise ValueError(
                'If using `weights` as `"imagenet"` with `include_top` as true, `classes` should '
                "be 1000"
            )

    def _shape(self, default_size: int, min_size: int, fixed: bool) -> Any:
        place = 0 if K.image_data_format() == "channels_first" else -1
        given, pretrained = self.input_shape, self.weights == "imagenet"
        channels = 3
        if not pretrained and given and len(given) == 3:
            channels = given[place]
            if channels not in (1, 3):
                warnings.warn(
                    "This model usually expects 1 or 3 input channels. However, it was passed an "
                    f"input_shape with {channels} input channels.",
                    stacklevel=4,
                )

        def shape(size: int | None) -> tuple[int | None, ...]:
            return (channels, size, size) if place == 0 else (size, size, channels)

        if pretrained and self.include_top:
            if given is not None and tuple(given) != shape(default_size):
                raise ValueError(
                    "When setting `include_top=True` and loading `imagenet` weights, "
                    f"`input_shape` should be {shape(default_size)}."
                )
            return shape(default_size)
        if not given:
            return shape(default_size if fixed else None)
        if len(given) != 3:
            raise ValueError("`input_shape` must be a tuple of three integers.")
        if given[place] != 3 and pretrained:
            raise ValueError(f"The input must have 3 channels; got `input_shape={given}`")
        sizes = given[1:] if place == 0 else given[:2]
        if any(each is not None and each < min_size for each in sizes):
            raise ValueError(
                f"Input size must be at least {min_size}x{min_size}; got `input_shape={given}`"
            )
        if fixed and None in given:
            raise ValueError(
                "If `include_top` is True, you should specify a static `input_shape`. Got "
                f"`input_shape={given}`"
            )
        return given

    def pooled(self, x: Any, named: bool = False) -> Any:
        """The end of a net without classes."""
        if self.pooling == "avg":
            return layers.GlobalAveragePooling2D(name="avg_pool" if named else None)(x)
        if self.pooling == "max":
            return layers.GlobalMaxPooling2D(name="max_pool" if named else None)(x)
        return x

    def classified(self, x: Any, name: str = "predictions", pool: str | None = "avg_pool") -> Any:
        """The end of a net with classes: likelihoods of means."""
        x = layers.GlobalAveragePooling2D(name=pool)(x)
        return layers.Dense(self.classes, activation="softmax", name=name)(x)

    def finish(self, start: Any, x: Any, name: str, files: Files | None) -> Any:
        """The model from `start` to `x`, with its weights."""
        inputs = start if self.input_tensor is None else get_source_inputs(self.input_tensor)
        model = Model(inputs, x, name=name)
        if self.weights == "imagenet":
            if files is None:
                raise ValueError(f"There are no weights of ImageNet for {name}.")
            model.load_weights(files.path(self.include_top))
        elif self.weights is not None:
            model.load_weights(self.weights)
        return model


def channel_axis() -> int:
    """The dimension of the channels."""
    return 1 if K.image_data_format() == "channels_first" else 3


def channels_of(x: Any) -> Any:
    """How many channels a tensor has."""
    return x.shape.as_list()[channel_axis()]


def normed(x: Any, name: str | None = None, **kwargs: Any) -> Any:
    """Batch normalization over the channels."""
    return layers.BatchNormalization(axis=channel_axis(), name=name, **kwargs)(x)


def relu(x: Any, name: str | None = None) -> Any:
    """Positive values."""
    return layers.Activation("relu", name=name)(x)


def conv(x: Any, filters: int, size: Any, name: str | None = None, **kwargs: Any) -> Any:
    """A convolution without a bias."""
    return layers.Conv2D(filters, kernel_size=size, use_bias=False, name=name, **kwargs)(x)


def conv_normed(
    x: Any, filters: int, size: Any, strides: int = 1, padding: str = "same", name: Any = None
) -> Any:
    """A convolution, batch normalization and positive values, as Inception has them."""
    bn, ac = (None, None) if name is None else (f"{name}_bn", f"{name}_ac")
    x = conv(x, filters, size, name, strides=strides, padding=padding)
    return relu(normed(x, bn, scale=False), ac)


def halving_pad(x: Any, size: int) -> Any:
    """Zeros around images such that windows of a size, two apart, meet them as TensorFlow's do."""
    first = 2 if channel_axis() == 1 else 1
    lengths = x.shape.as_list()[first : first + 2]
    odd = (1, 1) if lengths[0] is None else tuple(1 - each % 2 for each in lengths)
    return tuple((size // 2 - each, size // 2) for each in odd)


def size_of_images(shape: Any, tensor: Any, sizes: tuple[int, ...] | None) -> Any:
    """Height and width of images of a shape, or else of a tensor; 224 if they are none of `sizes`.

    Args:
      shape: Of an image.
      tensor: Of images; None if there is none yet.
      sizes: Those that there are weights for; None for any.
    """
    first = 1 if channel_axis() == 1 else 0
    if shape is None and tensor is not None:
        shape = tensor.shape.as_list()[1:]
    if shape is None:
        return 224
    rows, columns = shape[first], shape[first + 1]
    if sizes is None:
        return rows
    return rows if rows == columns and rows in sizes else 224
