"""VGG nets: small convolutions, many of them.

Simonyan and Zisserman, Very deep convolutional networks for image recognition, 2014.
"""

from __future__ import annotations

from typing import Any

from dataflow.contrib.framework.arg_scope import arg_scope
from dataflow.contrib.layers.linear import convolution2d, fully_connected
from dataflow.contrib.layers.plain import max_pool2d, repeat
from dataflow.contrib.layers.regularizers import l2_regularizer
from dataflow.contrib.slim.nets.plain_nets import plain_net, three_layers
from dataflow.ops.nn.activation import relu
from dataflow.variables.initializers import Zeros


def vgg_arg_scope(weight_decay: float = 0.0005) -> Any:
    """The arguments that layers share; see `arg_scope`."""
    with (
        arg_scope(
            [convolution2d, fully_connected],
            activation_fn=relu,
            weights_regularizer=l2_regularizer(weight_decay),
            biases_initializer=Zeros(),
        ),
        arg_scope([convolution2d], padding="SAME") as scope,
    ):
        return scope


def _features(counts: tuple[int, ...]) -> Any:
    """Five groups of convolutions, each with a pool behind."""

    def features(net: Any) -> Any:
        for index, (count, depth) in enumerate(
            zip(counts, (64, 128, 256, 512, 512), strict=True), 1
        ):
            net = repeat(net, count, convolution2d, depth, [3, 3], scope=f"conv{index}")
            net = max_pool2d(net, [2, 2], scope=f"pool{index}")
        return net

    return features


def vgg_a(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: str = "vgg_a",
) -> tuple[Any, dict[str, Any]]:
    """VGG with 11 layers of weights.

    Args:
      inputs: Images of 224 rows and columns.
      num_classes: How many classes there are.
      is_training: Whether there is dropout.
      dropout_keep_prob: Share of activations that it keeps.
      spatial_squeeze: Whether the logits have no rows and columns.
      scope: Of the variables.

    Returns:
      The logits, and by name the outputs of all layers.
    """
    return plain_net(
        inputs,
        _features((1, 1, 2, 2, 2)),
        lambda net, dropped: three_layers(net, dropped, num_classes, 4096, 7),
        is_training,
        dropout_keep_prob,
        spatial_squeeze,
        scope,
        "vgg_a",
    )


vgg_a.default_image_size = 224  # type: ignore[attr-defined]


def vgg_16(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: str = "vgg_16",
) -> tuple[Any, dict[str, Any]]:
    """VGG with 16 layers of weights.

    Args:
      inputs: Images of 224 rows and columns.
      num_classes: How many classes there are.
      is_training: Whether there is dropout.
      dropout_keep_prob: Share of activations that it keeps.
      spatial_squeeze: Whether the logits have no rows and columns.
      scope: Of the variables.

    Returns:
      The logits, and by name the outputs of all layers.
    """
    return plain_net(
        inputs,
        _features((2, 2, 3, 3, 3)),
        lambda net, dropped: three_layers(net, dropped, num_classes, 4096, 7),
        is_training,
        dropout_keep_prob,
        spatial_squeeze,
        scope,
        "vgg_16",
    )


vgg_16.default_image_size = 224  # type: ignore[attr-defined]


def vgg_19(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: str = "vgg_19",
) -> tuple[Any, dict[str, Any]]:
    """VGG with 19 layers of weights.

    Args:
      inputs: Images of 224 rows and columns.
      num_classes: How many classes there are.
      is_training: Whether there is dropout.
      dropout_keep_prob: Share of activations that it keeps.
      spatial_squeeze: Whether the logits have no rows and columns.
      scope: Of the variables.

    Returns:
      The logits, and by name the outputs of all layers.
    """
    return plain_net(
        inputs,
        _features((2, 2, 4, 4, 4)),
        lambda net, dropped: three_layers(net, dropped, num_classes, 4096, 7),
        is_training,
        dropout_keep_prob,
        spatial_squeeze,
        scope,
        "vgg_19",
    )


vgg_19.default_image_size = 224  # type: ignore[attr-defined]


vgg_d = vgg_16
vgg_e = vgg_19
