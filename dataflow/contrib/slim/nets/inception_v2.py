"""Inception 2: classifies images."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.contrib.framework.arg_scope import arg_scope
from dataflow.contrib.layers.depthwise import separable_convolution2d
from dataflow.contrib.layers.linear import convolution2d
from dataflow.contrib.layers.normalization import batch_norm
from dataflow.contrib.layers.plain import avg_pool2d, dropout, max_pool2d, softmax
from dataflow.contrib.slim.nets.deviations import trunc_normal as trunc_normal
from dataflow.contrib.slim.nets.inception_layers import (
    build,
    depth_of,
    inception_arg_scope,
    kernel_for,
)
from dataflow.contrib.slim.nets.inception_tables import INCEPTION_V2
from dataflow.ops.array.shape import squeeze
from dataflow.variables.scope import variable_scope


def inception_v2_base(
    inputs: Any,
    final_endpoint: str = "Mixed_5c",
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    scope: Any = None,
) -> tuple[Any, dict[str, Any]]:
    """The layers up to an end point.

    Args:
      inputs: Images, (batch, height, width, 3).
      final_endpoint: The name of the last layer.
      min_depth: How many channels a layer has at least.
      depth_multiplier: Makes all layers have more or fewer channels.
      scope: Of the variables.

    Returns:
      The output, and by name the outputs of all layers up to it.

    Raises:
      ValueError: There is no such layer, or the multiplier is not positive.
    """
    depth = depth_of(depth_multiplier, min_depth)
    with (
        variable_scope(scope, "InceptionV2", [inputs]),
        arg_scope(
            [convolution2d, max_pool2d, avg_pool2d, separable_convolution2d],
            stride=1,
            padding="SAME",
        ),
    ):
        return build(INCEPTION_V2, inputs, final_endpoint, depth, separable_first=True)


def inception_v2(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.8,
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    prediction_fn: Callable[..., Any] = softmax,
    spatial_squeeze: bool = True,
    reuse: Any = None,
    scope: Any = "InceptionV2",
) -> tuple[Any, dict[str, Any]]:
    """The logits of classes, and by name the outputs of all layers.

    Args:
      inputs: Images of 224 rows and columns.
      num_classes: How many classes there are.
      is_training: Whether dropout and batch normalization are those of training.
      dropout_keep_prob: Share of activations that dropout keeps.
      min_depth: How many channels a layer has at least.
      depth_multiplier: Makes all layers have more or fewer channels.
      prediction_fn: Makes predictions of the logits.
      spatial_squeeze: Whether the logits have no rows and columns.
      reuse: Whether variables of the scope are shared.
      scope: Of the variables.

    Raises:
      ValueError: The multiplier is not positive.
    """
    with (
        variable_scope(scope, "InceptionV2", [inputs, num_classes], reuse=reuse) as inside,
        arg_scope([batch_norm, dropout], is_training=is_training),
    ):
        net, end_points = inception_v2_base(
            inputs, scope=inside, min_depth=min_depth, depth_multiplier=depth_multiplier
        )
        with variable_scope("Logits"):
            kernel = kernel_for(net, [7, 7])
            name = "AvgPool_1a_{}x{}".format(*kernel)
            net = avg_pool2d(net, kernel, padding="VALID", scope=name)
            net = dropout(net, keep_prob=dropout_keep_prob, scope="Dropout_1b")
            logits = convolution2d(
                net,
                num_classes,
                [1, 1],
                activation_fn=None,
                normalizer_fn=None,
                scope="Conv2d_1c_1x1",
            )
            if spatial_squeeze:
                logits = squeeze(logits, [1, 2], name="SpatialSqueeze")
        end_points["Logits"] = logits
        end_points["Predictions"] = prediction_fn(logits, scope="Predictions")
    return logits, end_points


inception_v2.default_image_size = 224  # type: ignore[attr-defined]


def inception_v2_arg_scope(
    weight_decay: float = 0.00004, batch_norm_var_collection: str = "moving_vars"
) -> Any:
    """The arguments that layers share; see `arg_scope`."""
    return inception_arg_scope(weight_decay, batch_norm_var_collection)
