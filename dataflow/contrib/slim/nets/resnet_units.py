"""What residual nets are made of: blocks of units, and convolutions padded alike at any stride.

He, Zhang, Ren, Sun, Deep residual learning for image recognition, 2015.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dataflow.contrib.framework.arg_scope import add_arg_scope, arg_scope
from dataflow.contrib.layers.collections import (
    collect_named_outputs,
    convert_collection_to_dict,
)
from dataflow.contrib.layers.initializers import variance_scaling_initializer
from dataflow.contrib.layers.linear import convolution2d
from dataflow.contrib.layers.normalization import batch_norm
from dataflow.contrib.layers.plain import max_pool2d, softmax
from dataflow.contrib.layers.regularizers import l2_regularizer
from dataflow.graph.keys import GraphKeys
from dataflow.ops.array.pad import pad
from dataflow.ops.nn.activation import relu
from dataflow.ops.reductions.reduce import reduce_mean
from dataflow.variables.scope import variable_scope


class Block(NamedTuple):
    """Units of one kind: its scope, a function of a unit, and the arguments of each."""

    scope: str
    unit_fn: Callable[..., Any]
    args: Any


def subsample(inputs: Any, factor: int, scope: str | None = None) -> Any:
    """Every so many rows and columns."""
    return inputs if factor == 1 else max_pool2d(inputs, [1, 1], stride=factor, scope=scope)


def conv2d_same(
    inputs: Any,
    num_outputs: int,
    kernel_size: int,
    stride: int,
    rate: int = 1,
    scope: str | None = None,
) -> Any:
    """A convolution padded as it were without a stride."""
    if stride == 1:
        return convolution2d(
            inputs, num_outputs, kernel_size, stride=1, rate=rate, padding="SAME", scope=scope
        )
    total = kernel_size + (kernel_size - 1) * (rate - 1) - 1
    around = [total // 2, total - total // 2]
    return convolution2d(
        pad(inputs, [[0, 0], around, around, [0, 0]]),
        num_outputs,
        kernel_size,
        stride=stride,
        rate=rate,
        padding="VALID",
        scope=scope,
    )


@add_arg_scope
def stack_blocks_dense(
    net: Any,
    blocks: Sequence[Block],
    output_stride: float | None = None,
    outputs_collections: Any = None,
) -> Any:
    """Blocks one behind the other; from a stride on, convolutions are dilated instead.

    Args:
      net: The input.
      blocks: The blocks.
      output_stride: By how much the output is smaller; None for the blocks' own.
      outputs_collections: Where the blocks' outputs are put.

    Raises:
      ValueError: The blocks do not come to this stride.
    """
    stride, rate = 1, 1
    for block in blocks:
        with variable_scope(block.scope, "block", [net]) as inside:
            for index, unit in enumerate(block.args, 1):
                if output_stride is not None and stride > output_stride:
                    raise ValueError("The target output_stride cannot be reached.")
                with variable_scope(f"unit_{index}", values=[net]):
                    if output_stride is not None and stride == output_stride:
                        net = block.unit_fn(net, rate=rate, **dict(unit, stride=1))
                        rate *= unit.get("stride", 1)
                    else:
                        net = block.unit_fn(net, rate=1, **unit)
                        stride *= unit.get("stride", 1)
            net = collect_named_outputs(outputs_collections, inside.name, net)
    if output_stride is not None and stride != output_stride:
        raise ValueError("The target output_stride cannot be reached.")
    return net


def resnet_arg_scope(
    weight_decay: float = 0.0001,
    batch_norm_decay: float = 0.997,
    batch_norm_epsilon: float = 1e-5,
    batch_norm_scale: bool = True,
) -> Any:
    """The arguments that the layers of residual nets share; see `arg_scope`."""
    params = {
        "decay": batch_norm_decay,
        "epsilon": batch_norm_epsilon,
        "scale": batch_norm_scale,
        "updates_collections": GraphKeys.UPDATE_OPS,
    }
    with (
        arg_scope(
            [convolution2d],
            weights_regularizer=l2_regularizer(weight_decay),
            weights_initializer=variance_scaling_initializer(),
            activation_fn=relu,
            normalizer_fn=batch_norm,
            normalizer_params=params,
        ),
        arg_scope([batch_norm], **params),
        arg_scope([max_pool2d], padding="SAME") as scope,
    ):
        return scope


def residual_net(
    inputs: Any,
    blocks: Sequence[Block],
    bottleneck: Any,
    num_classes: int | None,
    is_training: Any,
    global_pool: bool,
    output_stride: float | None,
    include_root_block: bool,
    reuse: Any,
    scope: str | None,
    default: str,
    activates_before: bool,
) -> tuple[Any, dict[str, Any]]:
    """A net of blocks, for `resnet_v1` and `resnet_v2`, which say what the arguments are."""
    with variable_scope(scope, default, [inputs], reuse=reuse) as inside:
        collection = f"{inside.original_name_scope}_end_points"
        with (
            arg_scope(
                [convolution2d, bottleneck, stack_blocks_dense], outputs_collections=collection
            ),
            arg_scope([batch_norm], is_training=is_training),
        ):
            net = inputs
            if include_root_block:
                if output_stride is not None:
                    if output_stride % 4 != 0:
                        raise ValueError("The output_stride needs to be a multiple of 4.")
                    output_stride /= 4
                plain = {"activation_fn": None, "normalizer_fn": None} if activates_before else {}
                with arg_scope([convolution2d], **plain):
                    net = conv2d_same(net, 64, 7, stride=2, scope="conv1")
                net = max_pool2d(net, [3, 3], stride=2, scope="pool1")
            net = stack_blocks_dense(net, blocks, output_stride)
            if activates_before:
                net = batch_norm(net, activation_fn=relu, scope="postnorm")
            if global_pool:
                net = reduce_mean(net, [1, 2], name="pool5", keepdims=True)
            if num_classes is not None:
                net = convolution2d(
                    net,
                    num_classes,
                    [1, 1],
                    activation_fn=None,
                    normalizer_fn=None,
                    scope="logits",
                )
            end_points = convert_collection_to_dict(collection)
            if num_classes is not None:
                end_points["predictions"] = softmax(net, scope="predictions")
            return net, end_points


def block_of(bottleneck: Any, scope: str, base_depth: int, num_units: int, stride: int) -> Block:
    """A block whose last unit has a stride."""
    unit = {"depth": base_depth * 4, "depth_bottleneck": base_depth}
    units = [{**unit, "stride": 1}] * (num_units - 1) + [{**unit, "stride": stride}]
    return Block(scope, bottleneck, units)


def named_net(net: Any, block: Any, name: str, units: Sequence[int]) -> Any:
    """A net of four blocks with so many units, under a name of its own."""

    def resnet(
        inputs: Any,
        num_classes: int | None = None,
        is_training: Any = True,
        global_pool: bool = True,
        output_stride: float | None = None,
        reuse: Any = None,
        scope: str = name,
    ) -> tuple[Any, dict[str, Any]]:
        blocks = [
            block(f"block{index}", 64 * 2 ** (index - 1), count, 1 if index == 4 else 2)
            for index, count in enumerate(units, 1)
        ]
        found: tuple[Any, dict[str, Any]] = net(
            inputs,
            blocks,
            num_classes,
            is_training,
            global_pool,
            output_stride,
            include_root_block=True,
            reuse=reuse,
            scope=scope,
        )
        return found

    resnet.__name__ = resnet.__qualname__ = name
    resnet.__doc__ = f"`{name[:9]}` of four blocks with {list(units)} units."
    resnet.default_image_size = 224  # type: ignore[attr-defined]
    return resnet
