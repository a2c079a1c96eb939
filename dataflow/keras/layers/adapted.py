"""Layers of tf.layers as those of tf.keras: with Keras' defaults, names and configurations."""

from __future__ import annotations

import inspect
from abc import ABCMeta
from typing import Any

import dataflow.library.layers.convolution as convolution
import dataflow.library.layers.dense as dense
import dataflow.library.layers.dropout as dropout
import dataflow.library.layers.flatten as flatten
import dataflow.library.layers.normalization as normalization
import dataflow.library.layers.pooling as pooling
import dataflow.library.layers.separable as separable
from dataflow.keras import backend as K
from dataflow.keras.arguments import takes_arguments
from dataflow.keras.engine.base_layer import Layer

_LAST = inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD)


def layer_of(
    base: type, defaults: dict[str, Any], keeps: tuple[str, ...] = (), *, flat: bool = False
) -> Any:
    """A layer of tf.keras that computes what one of tf.layers does, which counts as one, too.

    Args:
      base: The layer of tf.layers; the first class that it derives from computes what both do.
      defaults: Argument -> its default, where that is another.
      keeps: Which of `trainable` and `name` are taken by position.
      flat: Whether the shape of vectors may be told by `input_dim`.
    """
    core: Any = base.__bases__[0]
    dropped = {"kwargs", "trainable", "name"} - {*keeps}
    parameters = [
        each.replace(
            default=defaults.get(each.name, each.default), annotation=inspect.Parameter.empty
        )
        for each in inspect.signature(core.__init__).parameters.values()
        if each.name not in dropped
    ]
    signature = inspect.Signature([*parameters, _LAST])

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        given = signature.bind(self, *args, **kwargs).arguments
        further = given.pop("kwargs", {})
        given.pop("self")
        if "input_shape" not in further and flat and "input_dim" in further:
            further["input_shape"] = (further.pop("input_dim"),)
        if given.get("data_format", "") is None:
            given["data_format"] = K.image_data_format()
        core.__init__(self, **given, **further)

    members = {
        "__init__": takes_arguments(__init__, signature),
        "__doc__": base.__doc__,
        "__module__": __name__,
    }
    made = ABCMeta(base.__name__, (core, Layer), members)
    made.register(base)
    return made


_GLOROT = {"kernel_initializer": "glorot_uniform", "bias_initializer": "zeros"}
_SEPARABLE = {
    "depthwise_initializer": "glorot_uniform",
    "pointwise_initializer": "glorot_uniform",
    "bias_initializer": "zeros",
    "data_format": None,
}

_IMAGES = {"strides": (1, 1), "data_format": None}
_VOLUMES = {"strides": (1, 1, 1), "data_format": None}
_Dense: Any = layer_of(dense.Dense, _GLOROT, flat=True)
Conv1D: Any = layer_of(convolution.Conv1D, _GLOROT)
Conv2D: Any = layer_of(convolution.Conv2D, {**_GLOROT, **_IMAGES, "dilation_rate": (1, 1)})
Conv3D: Any = layer_of(convolution.Conv3D, {**_GLOROT, **_VOLUMES, "dilation_rate": (1, 1, 1)})
SeparableConv1D: Any = layer_of(separable.SeparableConv1D, _SEPARABLE)
SeparableConv2D: Any = layer_of(
    separable.SeparableConv2D, {**_SEPARABLE, **_IMAGES, "dilation_rate": (1, 1)}
)


def _pool(base: type, size: Any, **defaults: Any) -> Any:
    return layer_of(base, {"pool_size": size, "strides": None, **defaults})


MaxPooling1D = _pool(pooling.MaxPooling1D, 2)
AveragePooling1D = _pool(pooling.AveragePooling1D, 2)
MaxPooling2D = _pool(pooling.MaxPooling2D, (2, 2), data_format=None)
AveragePooling2D = _pool(pooling.AveragePooling2D, (2, 2), data_format=None)
MaxPooling3D = _pool(pooling.MaxPooling3D, (2, 2, 2), data_format=None)
AveragePooling3D = _pool(pooling.AveragePooling3D, (2, 2, 2), data_format=None)
Flatten = layer_of(flatten.Flatten, {})
_Dropout: Any = layer_of(dropout.Dropout, {"rate": inspect.Parameter.empty})
_BatchNormalization: Any = layer_of(
    normalization.BatchNormalization,
    {
        "beta_initializer": "zeros",
        "gamma_initializer": "ones",
        "moving_mean_initializer": "zeros",
        "moving_variance_initializer": "ones",
    },
    keeps=("trainable", "name"),
)


class Dense(_Dense):  # type: ignore[misc]
    """`activation(inputs @ kernel + bias)`; the arguments are those of tf.layers."""

    supports_masking = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "input_dim" in kwargs and "input_shape" not in kwargs:
            kwargs["input_shape"] = (kwargs.pop("input_dim"),)
        super().__init__(*args, **kwargs)

    __init__.__signature__ = inspect.signature(_Dense)  # type: ignore[attr-defined]


class Dropout(_Dropout):  # type: ignore[misc]
    """Sets a share of the inputs to zero in training."""

    supports_masking = True

    def call(self, inputs: Any, training: Any = None) -> Any:
        """The inputs, some of them zero in training."""
        return super().call(inputs, K.learning_phase() if training is None else training)


class BatchNormalization(_BatchNormalization):  # type: ignore[misc]
    """To mean 0 and variance 1 over the batch; the arguments are those of tf.layers."""

    supports_masking = True
    _OPTIONAL = ("renorm", "renorm_clipping", "renorm_momentum", "virtual_batch_size")

    def add_weight(self, *args: Any, **kwargs: Any) -> Any:
        """A variable that is read as it is: statistics of short floats are float32."""
        return super().add_weight(*args, experimental_autocast=False, **kwargs)

    def call(self, inputs: Any, training: Any = None) -> Any:
        """The normalized inputs: by the batch in training, by the averages otherwise."""
        return super().call(inputs, K.learning_phase() if training is None else training)

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        config: dict[str, Any] = super().get_config()
        for key in ("fused", "adjustment"):
            config.pop(key)
        for key in self._OPTIONAL:
            if not self.renorm if key.startswith("renorm") else config[key] is None:
                config.pop(key)
        return config


Dense.register(dense.Dense)
Dropout.register(dropout.Dropout)
BatchNormalization.register(normalization.BatchNormalization)
