"""Folds batch norms of one operation into the layers before them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from dataflow.contrib.quantize.clones import with_weights
from dataflow.contrib.quantize.corrections import Statistics, corrections, moving_average
from dataflow.contrib.quantize.patterns import (
    ANY,
    Match,
    OneOf,
    Types,
    matches,
    op_of,
    tensor_of,
)
from dataflow.contrib.quantize.steps import reroute
from dataflow.differentiation.registry import RegisterGradient
from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.ops.array.shape import reshape, size
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.binary import add, multiply, subtract
from dataflow.ops.math.unary import rsqrt
from dataflow.values import dtypes

_GRADIENT: Final = "FoldFusedBatchNormGrad"

_LAYER: Final = Types(
    "Conv2D|DepthwiseConv2dNative|MatMul",
    Types("*", part="input"),
    Types("*", part="weights"),
    part="layer",
)
_SPACE: Final = Types("BatchToSpaceND", _LAYER, ANY, ANY, part="space")
_OUTPUT: Final = OneOf(Types("Identity", OneOf(_SPACE, _LAYER)), _LAYER, _SPACE)
_NORM: Final = Types(
    "FusedBatchNorm|FusedBatchNormV3",
    OneOf(Types("Reshape", _OUTPUT, ANY), _OUTPUT),
    *(Types("*", part=part) for part in ("gamma", "beta", "mean", "variance")),
    part="norm",
)
_NORMED: Final = OneOf(Types("Reshape", _NORM, ANY, part="reshape"), _NORM)
"""Of a matrix product, the norm's output is reshaped back to a matrix."""


@dataclass(frozen=True)
class _Folded:
    """A layer and the batch norm behind it."""

    layer: Operation
    norm: Operation
    space: Operation | None
    input: Any
    weights: Any
    beta: Any
    output: Any
    statistics: Statistics


def fold_fused(graph: Graph, freeze_delay: int | None) -> None:
    """Gives what takes the outputs of batch norms those of layers that do the same alone.

    Raises:
      ValueError: A layer is of no type that can be folded.
    """
    for found in list(_layers_with_norms(graph)):
        scope, slash, _ = found.layer.name.rpartition("/")
        with graph.name_scope(scope + slash):
            folded = _fold(found, graph, scope + slash, freeze_delay)
            reroute(folded, found.output)


def _layers_with_norms(graph: Graph) -> Iterator[_Folded]:
    seen = set()
    for match in matches(graph, _NORMED):
        found = _folded(match, graph)
        if found is not None and found.layer not in seen:
            seen.add(found.layer)
            yield found


def _folded(match: Match, graph: Graph) -> _Folded | None:
    layer, norm = match["layer"][0], match["norm"][0]
    last = op_of(match, "reshape") if layer.type == "MatMul" else norm
    if last is None or not last.outputs[0].consumers():
        return None
    mean, variance = tensor_of(match, "mean"), tensor_of(match, "variance")
    averages: list[tuple[Any, Any]] = [(None, None)] * 2
    if norm.get_attr("is_training"):
        # The operation's own gradient has none of the outputs of mean and variance.
        norm._set_attr("_gradient_op_type", _GRADIENT.encode())
        mean = norm.outputs[1]
        scope, slash, _ = norm.name.rpartition("/")
        with graph.name_scope(scope + slash):
            n = cast(size(tensor_of(match, "layer")) / size(mean), dtypes.float32)
            # What the averages take has n - 1 below, what normalises has n.
            variance = multiply(norm.outputs[2], (n - 1) / n, name="Undo_Bessel_Correction")
        averages = [moving_average(norm.outputs[index]) for index in (1, 2)]
    statistics = Statistics(
        tensor_of(match, "gamma"),
        mean,
        variance,
        averages[0][0],
        averages[1][0],
        averages[0][1],
        averages[1][1],
        norm.get_attr("epsilon"),
    )
    return _Folded(
        layer,
        norm,
        op_of(match, "space"),
        tensor_of(match, "input"),
        tensor_of(match, "weights"),
        tensor_of(match, "beta"),
        last.outputs[0],
        statistics,
    )


def _fold(found: _Folded, graph: Graph, scope: str, freeze_delay: int | None) -> Any:
    norm, weights, correction = found.statistics, found.weights, None
    with graph.name_scope(scope + "BatchNorm_Fold/"):
        factor = norm.gamma * rsqrt(norm.variance + norm.epsilon)
        bias = subtract(found.beta, norm.mean * factor, name="bias")
        scale = None
        if found.norm.get_attr("is_training"):
            correction = corrections(norm, freeze_delay)
            scale = correction.scale
        if found.layer.type == "DepthwiseConv2dNative":
            shape = weights.get_shape().as_list()[2:]
            factor = reshape(factor, shape, name="scale_reshape")
            if scale is not None:
                scale = reshape(scale, shape, name="correction_reshape")
    if scale is not None:
        weights = multiply(scale, weights, name="correction_mult")
    weights = multiply(weights, factor, name="mul_fold")
    output = with_weights(found.layer, found.space, found.input, weights)
    if correction is not None:
        output = multiply(correction.reciprocal, output, name="post_conv_mul")
        output = add(output, correction.offset, name="correction_add")
    return add(output, bias, name="add_fold")


@RegisterGradient(_GRADIENT)
def _gradient(op: Operation, _: Any, grad_mean: Any, grad_variance: Any, *__: Any) -> Any:
    """What a batch norm passes back whose output nothing takes, and whose statistics are taken."""
    x = op.inputs[0]
    n = cast(size(x) / size(grad_mean), dtypes.float32)
    of_variance = 2 * grad_variance * (x - op.outputs[1]) / (n - 1)
    return grad_mean / n + of_variance, None, None, None, None
