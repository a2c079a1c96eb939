"""Folds batch norms of many operations into the layers before them."""

from __future__ import annotations

from typing import Any, Final

from dataflow.contrib.quantize.clones import with_weights
from dataflow.contrib.quantize.corrections import Statistics, corrections, moving_average
from dataflow.contrib.quantize.steps import reroute
from dataflow.graph.graph import Graph
from dataflow.ops.array.fill import ones
from dataflow.ops.array.shape import reshape
from dataflow.ops.math.binary import add, multiply

_NORM: Final = "BatchNorm/batchnorm_1/"


def fold_unfused(graph: Graph, is_training: bool, freeze_delay: int | None) -> None:
    """Gives what takes the outputs of batch norms those of layers that do the same alone.

    The norms are those of `tf.contrib.layers.batch_norm`, known by their names.

    Raises:
      ValueError: A layer is of no type that can be folded.
    """
    for op in graph.get_operations():
        if op.name.endswith(f"{_NORM}Rsqrt"):
            context = op.name.removesuffix(f"{_NORM}Rsqrt")
            output = graph.get_tensor_by_name(f"{context}{_NORM}add_1:0")
            if output.consumers():
                reroute(_fold(graph, context, is_training, freeze_delay), output)


def _fold(graph: Graph, context: str, is_training: bool, freeze_delay: int | None) -> Any:
    norm = f"{context}{_NORM}"
    rsqrt = graph.get_operation_by_name(f"{norm}Rsqrt")
    products = [op for op in rsqrt.outputs[0].consumers() if op.type == "Mul"]
    # With a gamma it is the product of both that everything else is multiplied with.
    has_gamma = len(products) == 1
    of_layer, of_mean = (
        graph.get_operation_by_name(norm + name)
        for name in (("mul_1", "mul_2") if has_gamma else ("mul", "mul_1"))
    )
    layer, space = of_layer.inputs[0].op, None
    if layer.type == "BatchToSpaceND":
        layer, space = layer.inputs[0].op, layer
    if layer.type not in ("Conv2D", "MatMul", "DepthwiseConv2dNative"):
        raise ValueError(f"Cannot handle operation of type: {layer.type}")
    weights, factor, correction = layer.inputs[1], of_layer.inputs[1], None
    statistics = _statistics(rsqrt, of_mean, products[0] if has_gamma else None)
    if is_training and statistics.mean_decay is not None:
        correction = corrections(statistics, freeze_delay, context)
    scale = None if correction is None else correction.scale
    with graph.name_scope(context):
        if layer.type == "DepthwiseConv2dNative":
            shape = weights.get_shape().as_list()[2:]
            factor = reshape(factor, shape, name="scale_reshape")
            if scale is not None:
                scale = reshape(scale, shape, name="correction_reshape")
        if scale is not None:
            weights = multiply(scale, weights, name="correction_mult")
        weights = multiply(weights, factor, name="mul_fold")
        output = with_weights(layer, space, layer.inputs[0], weights)
        if correction is not None:
            output = multiply(correction.reciprocal, output, name="post_conv_mul")
            output = add(output, correction.offset, name="correction_add")
        shift = graph.get_operation_by_name(f"{norm}add_1").inputs[1]
        return add(output, shift, name="add_fold")


def _statistics(rsqrt: Any, of_mean: Any, of_gamma: Any) -> Statistics:
    variance, epsilon = rsqrt.inputs[0].op.inputs
    mean = of_mean.inputs[0]
    moving_mean, mean_decay = moving_average(mean)
    moving_variance, variance_decay = moving_average(variance)
    gamma = ones(mean.shape) if of_gamma is None else of_gamma.inputs[1]
    return Statistics(
        gamma,
        mean,
        variance,
        moving_mean,
        moving_variance,
        mean_decay,
        variance_decay,
        epsilon,
    )
