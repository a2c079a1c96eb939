"""Weights of layers as other versions and kinds of layers have them, in the form of this one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from dataflow.keras import backend as K

_CONVOLUTIONS = ("Conv1D", "Conv2D", "Conv3D", "Conv2DTranspose", "ConvLSTM2D")
_GATES = {"LSTM": 4, "CuDNNLSTM": 4, "GRU": 3, "CuDNNGRU": 3}


def preprocess_weights_for_loading(
    layer: Any,
    weights: list[Any],
    original_keras_version: str | None = None,
    original_backend: str | None = None,
) -> list[Any]:
    """The weights of a layer as it has them, of what a file has.

    Args:
      layer: The layer, or a model.
      weights: The file's arrays.
      original_keras_version: The version of Keras that wrote them; "1" had other layouts.
      original_backend: What Keras computed with; filters of "theano" are turned round.

    Raises:
      ValueError: They are those of a recurrent layer that computes something else.
    """

    def inner(of: Any, values: list[Any]) -> list[Any]:
        return preprocess_weights_for_loading(of, values, original_keras_version, original_backend)

    kind = type(layer).__name__
    weights = list(weights)
    if kind == "Bidirectional":
        half = len(weights) // 2
        forward = inner(layer.forward_layer, weights[:half])
        weights = [*forward, *inner(layer.backward_layer, weights[half:])]
    elif kind == "TimeDistributed":
        weights = inner(layer.layer, weights)
    elif kind in ("Model", "Sequential"):
        weights = _of_model(layer, weights, inner)
    if original_keras_version == "1" and kind in _OF_FIRST:
        weights = _OF_FIRST[kind](layer, weights)
    if kind in _CONVOLUTIONS:
        filters = 2 if kind == "ConvLSTM2D" else 1
        if original_backend == "theano":
            weights[:filters] = [turned_kernel(each) for each in weights[:filters]]
        if K.int_shape(layer.weights[0]) != tuple(weights[0].shape):
            weights[:filters] = [np.transpose(each, (3, 2, 0, 1)) for each in weights[:filters]]
    return _between_kinds(layer, kind, weights)


def turned_kernel(kernel: Any) -> Any:
    """Filters with each axis of places in the other direction."""
    places = (slice(None, None, -1),) * (kernel.ndim - 2)
    return np.copy(kernel[(*places, slice(None), slice(None))])


def _of_model(model: Any, weights: list[Any], inner: Callable[..., list[Any]]) -> list[Any]:
    """The weights of a model's layers, those that are trained first."""
    count = len(model.trainable_weights)
    trained, others = weights[:count], weights[count:]
    made: tuple[list[Any], list[Any]] = ([], [])
    for layer in model.layers:
        if not layer.weights:
            continue
        first, second = len(layer.trainable_weights), len(layer.non_trainable_weights)
        found = inner(layer, [*trained[:first], *others[:second]])
        trained, others = trained[first:], others[second:]
        made[0].extend(found[:first])
        made[1].extend(found[first:])
    return [*made[0], *made[1]]


def _first_conv1d(layer: Any, weights: list[Any]) -> list[Any]:
    kernel = weights[0]
    if kernel.shape[:2] != (layer.kernel_size[0], 1) or kernel.shape[3] != layer.filters:
        kernel = np.transpose(kernel, (2, 3, 1, 0))
    return [kernel[:, 0], *weights[1:]]


def _first_transpose(layer: Any, weights: list[Any]) -> list[Any]:
    order = (2, 3, 0, 1) if layer.data_format == "channels_first" else (0, 1, 3, 2)
    return [np.transpose(weights[0], order), *weights[1:]]


def _first_convolution(layer: Any, weights: list[Any]) -> list[Any]:
    if layer.data_format != "channels_first":
        return weights
    places = range(2, weights[0].ndim)
    return [np.transpose(weights[0], (*places, 1, 0)), *weights[1:]]


def _joined(weights: list[Any], gates: tuple[int, ...]) -> list[Any]:
    """Kernels, recurrent kernels and biases of single gates, side by side in an order."""
    return [
        np.concatenate([weights[3 * gate + part] for gate in gates], axis=-1) for part in range(3)
    ]


def _first_gru(layer: Any, weights: list[Any]) -> list[Any]:
    return _joined(weights, (0, 1, 2)) if len(weights) == 9 else weights


def _first_lstm(layer: Any, weights: list[Any]) -> list[Any]:
    return _joined(weights, (0, 2, 1, 3)) if len(weights) == 12 else weights


def _first_conv_lstm(layer: Any, weights: list[Any]) -> list[Any]:
    if len(weights) != 12:
        return weights
    *kernels, bias = _joined(weights, (0, 2, 1, 3))
    if layer.data_format == "channels_first":
        kernels = [np.transpose(each, (2, 3, 1, 0)) for each in kernels]
    return [*kernels, bias]


_OF_FIRST: dict[str, Callable[[Any, list[Any]], list[Any]]] = {
    "Conv1D": _first_conv1d,
    "Conv2D": _first_convolution,
    "Conv3D": _first_convolution,
    "Conv2DTranspose": _first_transpose,
    "GRU": _first_gru,
    "LSTM": _first_lstm,
    "ConvLSTM2D": _first_conv_lstm,
}
"""Of Keras 1: layer -> what puts its weights into the form they have now."""


def _between_kinds(layer: Any, kind: str, weights: list[Any]) -> list[Any]:
    """The weights of a recurrent layer, of those of the one for cuDNN, or the other way round."""
    if kind not in _GATES or len(weights) != 3:
        return weights
    gates, plain = _GATES[kind], kind.removeprefix("CuDNN")
    width = weights[1].shape[0] * gates
    with_two = f"{plain}(reset_after=True)" if plain == "GRU" else ""
    with_one = f"{plain}(reset_after=False)" if plain == "GRU" else plain
    sources = {(2 * width,): f"CuDNN{plain}", (width,): with_one, (2, width): with_two}
    source = sources.get(tuple(weights[2].shape))
    if not source:
        raise ValueError(f"Invalid bias shape: {weights[2].shape}")
    target = kind
    if kind == "GRU":
        target = with_two if layer.reset_after else with_one
    if source == target:
        return weights
    if plain == "GRU" and with_one in (source, target):
        raise ValueError(f"{source} is not compatible with {target}")
    return _turned(weights, gates, source.startswith("CuDNN"), plain == "GRU")


def _turned(weights: list[Any], gates: int, of_cudnn: bool, keeps_biases: bool) -> list[Any]:
    order: Literal["F", "C"] = "F" if of_cudnn else "C"
    kernels = [np.reshape(each.T, each.shape, order) for each in np.hsplit(weights[0], gates)]
    recurrent = [each.T for each in np.hsplit(weights[1], gates)]
    bias = weights[2]
    if keeps_biases:
        bias = bias.reshape((2, -1) if of_cudnn else -1)
    else:
        bias = np.sum(np.split(bias, 2), axis=0) if of_cudnn else np.tile(0.5 * bias, 2)
    return [np.hstack(kernels), np.hstack(recurrent), bias]
