"""Inception 1: classifies images."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.contrib.framework.arg_scope import arg_scope
from dataflow.contrib.layers.linear import convolution2d, fully_connected
from dataflow.contrib.layers.normalization import batch_norm
from dataflow.contrib.layers.plain import avg_pool2d, dropout, max_pool2d, softmax
from dataflow.contrib.slim.nets.deviations import trunc_normal as trunc_normal
from dataflow.contrib.slim.nets.inception_layers import (
    build,
    inception_arg_scope,
)
from dataflow.contrib.slim.nets.inception_tables import INCEPTION_V1
from dataflow.ops.array.shape import squeeze
from dataflow.variables.scope import variable_scope


def inception_v1_base(
    inputs: Any, final_endpoint: str = "Mixed_5c", scope: Any = "InceptionV1"
) -> tuple[Any, dict[str, Any]]:
    """The layers up to an end point.

    Args:
      inputs: Images, (batch, height, width, 3).
      final_endpoint: The name of the last layer.
      scope: Of the variables.

    Returns:
      The output, and by name the outputs of all layers up to it.

    Raises:
      ValueError: There is no such layer.
    """
    with (
        variable_scope(scope, "InceptionV1", [inputs]),
        arg_scope([convolution2d, fully_connected], weights_initializer=trunc_normal(0.01)),
        arg_scope([convolution2d, max_pool2d], stride=1, padding="SAME"),
    ):
        return build(INCEPTION_V1, inputs, final_endpoint, lambda depth: depth)


def inception_v1(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.8,
    prediction_fn: Callable[..., Any] = softmax,
    spatial_squeeze: bool = True,
    reuse: Any = None,
    scope: Any = "InceptionV1",
) -> tuple[Any, dict[str, Any]]:
    """The logits of classes, and by name the outputs of all layers.

    Args:
      inputs: Images of 224 rows and columns.
      num_classes: How many classes there are.
      is_training: Whether dropout and batch normalization are those of training.
      dropout_keep_prob: Share of activations that dropout keeps.
      prediction_fn: Makes predictions of the logits.
      spatial_squeeze: Whether the logits have no rows and columns.
      reuse: Whether variables of the scope are shared.
      scope: Of the variables.
    """
    with (
        variable_scope(scope, "InceptionV1", [inputs, num_classes], reuse=reuse) as inside,
        arg_scope([batch_norm, dropout], is_training=is_training),
    ):
        net, end_points = inception_v1_base(inputs, scope=inside)
        with variable_scope("Logits"):
            net = avg_pool2d(net, [7, 7], stride=1, scope="MaxPool_0a_7x7")
            net = dropout(net, dropout_keep_prob, scope="Dropout_0b")
            logits = convolution2d(
                net,
                num_classes,
                [1, 1],
                activation_fn=None,
                normalizer_fn=None,
                scope="Conv2d_0c_1x1",
            )
            if spatial_squeeze:
                logits = squeeze(logits, [1, 2], name="SpatialSqueeze")
            end_points["Logits"] = logits
            end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
    return logits, end_points


inception_v1.default_image_size = 224  # type: ignore[attr-defined]


def inception_v1_arg_scope(
    weight_decay: float = 0.00004,
    use_batch_norm: bool = True,
    batch_norm_var_collection: str = "moving_vars",
) -> Any:
    """The arguments that layers share; see `arg_scope`."""
    return inception_arg_scope(weight_decay, batch_norm_var_collection, normalizes=use_batch_norm)
