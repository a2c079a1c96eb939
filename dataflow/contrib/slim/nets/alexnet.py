"""AlexNet, the second form.

Krizhevsky, One weird trick for parallelizing convolutional neural networks, 2014.
"""

from __future__ import annotations

from typing import Any

from dataflow.contrib.framework.arg_scope import arg_scope
from dataflow.contrib.layers.linear import convolution2d, fully_connected
from dataflow.contrib.layers.plain import max_pool2d
from dataflow.contrib.layers.regularizers import l2_regularizer
from dataflow.contrib.slim.nets.deviations import trunc_normal as trunc_normal
from dataflow.contrib.slim.nets.plain_nets import plain_net, three_layers
from dataflow.ops.nn.activation import relu
from dataflow.variables.initializers import Constant, Zeros


def alexnet_v2_arg_scope(weight_decay: float = 0.0005) -> Any:
    """The arguments that layers share; see `arg_scope`."""
    with (
        arg_scope(
            [convolution2d, fully_connected],
            activation_fn=relu,
            weights_regularizer=l2_regularizer(weight_decay),
            biases_initializer=Constant(0.1),
        ),
        arg_scope([convolution2d], padding="SAME"),
        arg_scope([max_pool2d], padding="VALID") as scope,
    ):
        return scope


def _features(net: Any) -> Any:
    net = convolution2d(net, 64, [11, 11], 4, padding="VALID", scope="conv1")
    net = max_pool2d(net, [3, 3], 2, scope="pool1")
    net = convolution2d(net, 192, [5, 5], scope="conv2")
    net = max_pool2d(net, [3, 3], 2, scope="pool2")
    net = convolution2d(net, 384, [3, 3], scope="conv3")
    net = convolution2d(net, 384, [3, 3], scope="conv4")
    net = convolution2d(net, 256, [3, 3], scope="conv5")
    net = max_pool2d(net, [3, 3], 2, scope="pool5")
    return net


def _classifier(num_classes: int) -> Any:
    def classifier(net: Any, dropped: Any) -> Any:
        with arg_scope(
            [convolution2d],
            weights_initializer=trunc_normal(0.005),
            biases_initializer=Constant(0.1),
        ):
            return three_layers(net, dropped, num_classes, 4096, 5, biases_initializer=Zeros())

    return classifier


def alexnet_v2(
    inputs: Any,
    num_classes: int = 1000,
    is_training: Any = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: str = "alexnet_v2",
) -> tuple[Any, dict[str, Any]]:
    """AlexNet.

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
        _features,
        _classifier(num_classes),
        is_training,
        dropout_keep_prob,
        spatial_squeeze,
        scope,
        "alexnet_v2",
    )


alexnet_v2.default_image_size = 224  # type: ignore[attr-defined]
