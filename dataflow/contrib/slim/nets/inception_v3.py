"""Inception 3: classifies images."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.contrib.framework.arg_scope import arg_scope
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
from dataflow.contrib.slim.nets.inception_tables import INCEPTION_V3
from dataflow.graph.keys import GraphKeys
from dataflow.ops.array.shape import squeeze
from dataflow.variables.scope import variable_scope


def inception_v3_base(
    inputs: Any,
    final_endpoint: str = "Mixed_7c",
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
    with variable_scope(scope, "InceptionV3", [inputs]):
        stem, mixed = INCEPTION_V3.split("Mixed_5b", 1)
        kinds = [convolution2d, max_pool2d, avg_pool2d]
        in_stem = f"\n{final_endpoint}\n" in stem
        with arg_scope(kinds, stride=1, padding="VALID"):
            last = final_endpoint if in_stem else "MaxPool_5a_3x3"
            net, end_points = build(stem, inputs, last, depth)
        if in_stem:
            return net, end_points
        with arg_scope(kinds, stride=1, padding="SAME"):
            net, others = build(f"Mixed_5b{mixed}", net, final_endpoint, depth)
        return net, end_points | others


def inception_v3(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.8,
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    prediction_fn: Callable[..., Any] = softmax,
    spatial_squeeze: bool = True,
    reuse: Any = None,
    create_aux_logits: bool = True,
    scope: Any = "InceptionV3",
) -> tuple[Any, dict[str, Any]]:
    """The logits of classes, and by name the outputs of all layers.

    Args:
      inputs: Images of 299 rows and columns.
      num_classes: How many classes there are.
      is_training: Whether dropout and batch normalization are those of training.
      dropout_keep_prob: Share of activations that dropout keeps.
      min_depth: How many channels a layer has at least.
      depth_multiplier: Makes all layers have more or fewer channels.
      prediction_fn: Makes predictions of the logits.
      spatial_squeeze: Whether the logits have no rows and columns.
      reuse: Whether variables of the scope are shared.
      create_aux_logits: Whether a layer in the middle gives logits, too.
      scope: Of the variables.

    Raises:
      ValueError: The multiplier is not positive.
    """
    with (
        variable_scope(scope, "InceptionV3", [inputs, num_classes], reuse=reuse) as inside,
        arg_scope([batch_norm, dropout], is_training=is_training),
    ):
        net, end_points = inception_v3_base(
            inputs, scope=inside, min_depth=min_depth, depth_multiplier=depth_multiplier
        )
        if create_aux_logits and num_classes:
            depth = depth_of(depth_multiplier, min_depth)
            end_points["AuxLogits"] = _aux_logits(
                end_points["Mixed_6e"], num_classes, depth, spatial_squeeze
            )
        with variable_scope("Logits"):
            kernel = kernel_for(net, [8, 8])
            name = "AvgPool_1a_{}x{}".format(*kernel)
            net = avg_pool2d(net, kernel, padding="VALID", scope=name)
            net = dropout(net, keep_prob=dropout_keep_prob, scope="Dropout_1b")
            end_points["PreLogits"] = net
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


inception_v3.default_image_size = 299  # type: ignore[attr-defined]


def _aux_logits(net: Any, num_classes: int, depth: Any, spatial_squeeze: bool) -> Any:
    with (
        arg_scope([convolution2d, max_pool2d, avg_pool2d], stride=1, padding="SAME"),
        variable_scope("AuxLogits"),
    ):
        net = avg_pool2d(net, [5, 5], stride=3, padding="VALID", scope="AvgPool_1a_5x5")
        net = convolution2d(net, depth(128), [1, 1], scope="Conv2d_1b_1x1")
        kernel = kernel_for(net, [5, 5])
        net = convolution2d(
            net,
            depth(768),
            kernel,
            weights_initializer=trunc_normal(0.01),
            padding="VALID",
            scope="Conv2d_2a_{}x{}".format(*kernel),
        )
        logits = convolution2d(
            net,
            num_classes,
            [1, 1],
            activation_fn=None,
            normalizer_fn=None,
            weights_initializer=trunc_normal(0.001),
            scope="Conv2d_2b_1x1",
        )
        return squeeze(logits, [1, 2], name="SpatialSqueeze") if spatial_squeeze else logits


def inception_v3_arg_scope(
    weight_decay: float = 0.00004,
    batch_norm_var_collection: str = "moving_vars",
    batch_norm_decay: float = 0.9997,
    batch_norm_epsilon: float = 0.001,
    updates_collections: Any = GraphKeys.UPDATE_OPS,
    use_fused_batchnorm: bool = True,
) -> Any:
    """The arguments that layers share; see `arg_scope`."""
    return inception_arg_scope(
        weight_decay,
        batch_norm_var_collection,
        batch_norm_decay,
        batch_norm_epsilon,
        updates_collections,
        fused=use_fused_batchnorm,
    )
