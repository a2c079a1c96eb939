"""Nets of convolutions one behind the other, with fully connected layers as convolutions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.contrib.framework.arg_scope import arg_scope
from dataflow.contrib.layers.collections import convert_collection_to_dict
from dataflow.contrib.layers.linear import convolution2d, fully_connected
from dataflow.contrib.layers.plain import dropout, max_pool2d
from dataflow.ops.array.shape import squeeze
from dataflow.variables.scope import variable_scope


def plain_net(
    inputs: Any,
    features: Callable[[Any], Any],
    classifier: Callable[[Any, Callable[[Any, str], Any]], Any],
    is_training: Any,
    dropout_keep_prob: float,
    spatial_squeeze: bool,
    scope: str,
    default: str,
) -> tuple[Any, dict[str, Any]]:
    """The output of a net, and by name those of its layers.

    Args:
      inputs: Images.
      features: Convolutions and pools.
      classifier: Layers behind them; is given dropout by its name.
      is_training: Whether there is dropout.
      dropout_keep_prob: Share of activations that it keeps.
      spatial_squeeze: Whether the logits have no rows and columns.
      scope: Of the variables.
      default: The scope if None.
    """
    with variable_scope(scope, default, [inputs]) as inside:
        collection = f"{inside.original_name_scope}_end_points"

        def dropped(net: Any, name: str) -> Any:
            return dropout(net, dropout_keep_prob, is_training=is_training, scope=name)

        with arg_scope(
            [convolution2d, fully_connected, max_pool2d], outputs_collections=collection
        ):
            net = classifier(features(inputs), dropped)
        end_points = convert_collection_to_dict(collection)
        if spatial_squeeze:
            net = squeeze(net, [1, 2], name="fc8/squeezed")
            end_points[f"{inside.name}/fc8"] = net
        return net, end_points


def three_layers(
    net: Any,
    dropped: Callable[[Any, str], Any],
    num_classes: int,
    first: int,
    size: int,
    **of_last: Any,
) -> Any:
    """Layers fc6, fc7 and fc8, the first with a kernel of `size`, with dropout between."""
    net = dropped(convolution2d(net, first, [size, size], padding="VALID", scope="fc6"), "dropout6")
    net = dropped(convolution2d(net, 4096, [1, 1], scope="fc7"), "dropout7")
    return convolution2d(
        net,
        num_classes,
        [1, 1],
        activation_fn=None,
        normalizer_fn=None,
        scope="fc8",
        **of_last,
    )
