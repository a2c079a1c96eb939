"""Residual nets, activated before each convolution.

He, Zhang, Ren, Sun, Identity mappings in deep residual networks, 2016.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.contrib.slim.nets.resnet_units as _units
from dataflow.contrib.framework.arg_scope import add_arg_scope
from dataflow.contrib.layers.collections import collect_named_outputs
from dataflow.contrib.layers.linear import convolution2d
from dataflow.contrib.layers.normalization import batch_norm
from dataflow.contrib.slim.nets import resnet_utils as resnet_utils
from dataflow.contrib.slim.nets.resnet_units import (
    Block,
    block_of,
    conv2d_same,
    named_net,
    residual_net,
    subsample,
)
from dataflow.ops.nn.activation import relu
from dataflow.variables.scope import variable_scope

resnet_arg_scope = _units.resnet_arg_scope


@add_arg_scope
def bottleneck(
    inputs: Any,
    depth: int,
    depth_bottleneck: int,
    stride: int,
    rate: int = 1,
    outputs_collections: Any = None,
    scope: str | None = None,
) -> Any:
    """A unit of three convolutions, the middle one of few channels, added to its input.

    Args:
      inputs: A tensor, (batch, height, width, channels).
      depth: Channels of the output.
      depth_bottleneck: Channels between.
      stride: Of the unit.
      rate: How far apart what the middle one sees is.
      outputs_collections: Where the output is put.
      scope: Of the variables; "bottleneck_v2" if None.
    """
    with variable_scope(scope, "bottleneck_v2", [inputs]) as inside:
        depth_in = inputs.shape.as_list()[-1]
        active = batch_norm(inputs, activation_fn=relu, scope="preact")
        plain: Any = {"normalizer_fn": None, "activation_fn": None}
        if depth == depth_in:
            shortcut = subsample(inputs, stride, "shortcut")
        else:
            shortcut = convolution2d(
                active, depth, [1, 1], stride=stride, scope="shortcut", **plain
            )
        residual = convolution2d(active, depth_bottleneck, [1, 1], stride=1, scope="conv1")
        residual = conv2d_same(residual, depth_bottleneck, 3, stride, rate=rate, scope="conv2")
        residual = convolution2d(residual, depth, [1, 1], stride=1, scope="conv3", **plain)
        outputs = shortcut + residual
        return collect_named_outputs(outputs_collections, inside.name, outputs)


def resnet_v2(
    inputs: Any,
    blocks: Sequence[Block],
    num_classes: int | None = None,
    is_training: Any = True,
    global_pool: bool = True,
    output_stride: float | None = None,
    include_root_block: bool = True,
    reuse: Any = None,
    scope: str | None = None,
) -> tuple[Any, dict[str, Any]]:
    """A residual net of blocks.

    Args:
      inputs: Images.
      blocks: The blocks.
      num_classes: How many logits there are; None for none.
      is_training: Whether batch normalization is that of training.
      global_pool: Whether the mean over rows and columns is taken.
      output_stride: By how much the blocks' output is smaller; their own strides if None.
      include_root_block: Whether a convolution and a pool, both of stride 2, come first.
      reuse: Whether variables of the scope are shared.
      scope: Of the variables; "resnet_v2" if None.

    Returns:
      The output, and by name the outputs of all units and blocks.

    Raises:
      ValueError: The blocks do not come to this stride.
    """
    return residual_net(
        inputs,
        blocks,
        bottleneck,
        num_classes,
        is_training,
        global_pool,
        output_stride,
        include_root_block,
        reuse,
        scope,
        "resnet_v2",
        activates_before=True,
    )


resnet_v2.default_image_size = 224  # type: ignore[attr-defined]


def resnet_v2_block(scope: str, base_depth: int, num_units: int, stride: int) -> Block:
    """A block of units whose last has a stride; its output has four times `base_depth` channels."""
    return block_of(bottleneck, scope, base_depth, num_units, stride)


resnet_v2_50 = named_net(resnet_v2, resnet_v2_block, "resnet_v2_50", (3, 4, 6, 3))
resnet_v2_101 = named_net(resnet_v2, resnet_v2_block, "resnet_v2_101", (3, 4, 23, 3))
resnet_v2_152 = named_net(resnet_v2, resnet_v2_block, "resnet_v2_152", (3, 8, 36, 3))
resnet_v2_200 = named_net(resnet_v2, resnet_v2_block, "resnet_v2_200", (3, 24, 36, 3))
