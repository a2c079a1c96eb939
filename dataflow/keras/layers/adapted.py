"""Layers of tf.layers as those of tf.keras: with Keras' defaults, names and configurations."""

from __future__ import annotations

import inspect
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


def layer_of(base: type, keeps: tuple[str, ...] = (), **defaults: Any) -> Any:
    """A layer of tf.keras that computes what one of tf.layers does.

    Args:
      base: The layer of tf.layers.
      keeps: Which of `trainable` and `name` are taken by position.
      **defaults: Argument -> its default, where that is another.
    """
    dropped = {"kwargs", "trainable", "name"} - {*keeps}
    parameters = [
        each.replace(
            default=defaults.get(each.name, each.default), annotation=inspect.Parameter.empty
        )
        for each in inspect.signature(base.__init__).parameters.values()  # type: ignore[misc]
        if each.name not in dropped
    ]
    signature = inspect.Signature([*parameters, _LAST])

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        given = signature.bind(self, *args, **kwargs).arguments
        further = given.pop("kwargs", {})
        given.pop("self")
        if given.get("data_format", "") is None:
            given["data_format"] = K.image_data_format()
        base.__init__(self, **given, **further)  # type: ignore[misc]

    members = {
        "__init__": takes_arguments(__init__, signature),
        "__doc__": base.__doc__,
        "__module__": __name__,
    }
    return type(base.__name__, (base, Layer), members)


_GLOROT = {"kernel_initializer": "glorot_uniform", "bias_initializer": "zeros"}
_SEPARABLE = {
    "depthwise_initializer": "glorot_uniform",
    "pointwise_initializer": "glorot_uniform",
    "bias_initializer": "zeros",
    "data_format": None,
}

_Dense = layer_of(dense.Dense, **_GLOROT)
Conv1D = layer_of(convolution.Conv1D, **_GLOROT)
Conv2D = layer_of(
    convolution.Conv2D, **_GLOROT, strides=(1, 1), dilation_rate=(1, 1), data_format=None
)
Conv3D = layer_of(
    convolution.Conv3D, **_GLOROT, strides=(1, 1, 1), dilation_rate=(1, 1, 1), data_format=None
)
SeparableConv1D = layer_of(separable.SeparableConv1D, **_SEPARABLE)
SeparableConv2D = layer_of(
    separable.SeparableConv2D, **_SEPARABLE, strides=(1, 1), dilation_rate=(1, 1)
)
_POOL = {"strides": None}
MaxPooling1D = layer_of(pooling.MaxPooling1D, **_POOL, pool_size=2)
AveragePooling1D = layer_of(pooling.AveragePooling1D, **_POOL, pool_size=2)
_POOL = {**_POOL, "data_format": None}
MaxPooling2D = layer_of(pooling.MaxPooling2D, **_POOL, pool_size=(2, 2))
AveragePooling2D = layer_of(pooling.AveragePooling2D, **_POOL, pool_size=(2, 2))
MaxPooling3D = layer_of(pooling.MaxPooling3D, **_POOL, pool_size=(2, 2, 2))
AveragePooling3D = layer_of(pooling.AveragePooling3D, **_POOL, pool_size=(2, 2, 2))
Flatten = layer_of(flatten.Flatten)
_Dropout = layer_of(dropout.Dropout, rate=inspect.Parameter.empty)
_BatchNormalization = layer_of(
    normalization.BatchNormalization,
    keeps=("trainable", "name"),
    beta_initializer="zeros",
    gamma_initializer="ones",
    moving_mean_initializer="zeros",
    moving_variance_initializer="ones",
)


class Dense(_Dense):  # type: ignore[misc]
    __doc__ = dense.Dense.__doc__

    supports_masking = True


class Dropout(_Dropout):  # type: ignore[misc]
    __doc__ = dropout.Dropout.__doc__

    supports_masking = True

    def call(self, inputs: Any, training: Any = None) -> Any:
        """The inputs, some of them zero in training."""
        return super().call(inputs, K.learning_phase() if training is None else training)


class BatchNormalization(_BatchNormalization):  # type: ignore[misc]
    __doc__ = normalization.BatchNormalization.__doc__

    supports_masking = True
    _OPTIONAL = ("renorm", "renorm_clipping", "renorm_momentum", "virtual_batch_size")

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
