"""Finds the layers whose weights and outputs are quantised."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from dataflow.contrib.quantize.patterns import (
    ANY,
    Match,
    OneOf,
    Types,
    matches,
    op_of,
    tensor_of,
)
from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.values.logging import info

_TYPES: Final = "Conv2D|MatMul|DepthwiseConv2dNative"
_ADD: Final = "Add|AddV2"

_VARIABLE: Final = Types("Variable|VariableV2")
_PART: Final = Types("Identity", _VARIABLE)
_READ: Final = Types(
    "Identity", OneOf(_PART, Types("ConcatV2", _PART, ANY, ANY), _VARIABLE), part="weights"
)
_WEIGHTS: Final = OneOf(
    _READ, Types("ReadVariableOp", part="weights"), Types("Mul", part="folded weights")
)
_LAYER: Final = Types(_TYPES, ANY, _WEIGHTS, part="layer", any_order=True)
_OUTPUT: Final = OneOf(Types("BatchToSpaceND", _LAYER, ANY, ANY), _LAYER)
_TWO_IN_A_ROW: Final = Types(_TYPES, _OUTPUT, ANY, any_order=True)
"""A separable convolution: one after the other, and nothing between them."""

_SCALED: Final = Types("Mul", ANY, _OUTPUT, any_order=True)
_CORRECTED: Final = Types(_ADD, _SCALED, ANY, any_order=True)
_FOLDED_BIAS: Final = Types(_ADD, _CORRECTED, ANY, part="bias", any_order=True)
_BIAS: Final = Types(f"{_ADD}|BiasAdd", _OUTPUT, ANY, part="bias", any_order=True)
_NORM: Final = Types("Identity", _FOLDED_BIAS)
"""A batch norm whose updates are forced ends so."""

_BYPASS: Final = Types(_ADD, OneOf(_BIAS, _FOLDED_BIAS, _NORM), ANY, part="bypass", any_order=True)
_ACTIVATION: Final = Types(
    "Relu|Relu6|Identity", OneOf(_BIAS, _FOLDED_BIAS, _NORM, _BYPASS, _LAYER), part="activation"
)
_LATER_BYPASS: Final = Types(_ADD, ANY, _ACTIVATION, part="later bypass", any_order=True)


@dataclass(frozen=True)
class Layer:
    """A layer, and what follows it as far as it is quantised."""

    op: Operation
    weights: Any
    activation: Operation | None
    bypass: Operation | None = None
    later_bypass: Operation | None = None
    bias: Operation | None = None


def find_layers(graph: Graph) -> list[Layer]:
    """The layers of a graph; each is there once, in the longest form that it has."""
    found: dict[Operation, Layer] = {}
    for layer in _candidates(graph):
        found.setdefault(layer.op, layer)
    return list(found.values())


def _candidates(graph: Graph) -> Iterator[Layer]:
    for match in matches(graph, _LATER_BYPASS):
        yield _layer(match)
    for match in matches(graph, _ACTIVATION):
        layer = _layer(match)
        if not _measured(layer.activation):
            yield layer
    # A last layer ends with its bias.
    for match in matches(graph, OneOf(_BIAS, _FOLDED_BIAS)):
        yield Layer(match["layer"][0], _weights(match), op_of(match, "bias"))
    for match in matches(graph, _TWO_IN_A_ROW):
        layer_op = match["layer"][0]
        yield Layer(layer_op, tensor_of(match, "weights"), layer_op)


def _layer(match: Match) -> Layer:
    return Layer(
        match["layer"][0],
        _weights(match),
        op_of(match, "activation"),
        op_of(match, "bypass"),
        op_of(match, "later bypass"),
        op_of(match, "bias"),
    )


def _weights(match: Match) -> Any:
    return tensor_of(match, "weights" if "weights" in match else "folded weights")


def _measured(activation: Operation | None) -> bool:
    """Whether an identity is there for a batch norm that only measures mean and variance."""
    if activation is None or activation.type != "Identity":
        return False
    consumers = activation.outputs[0].consumers()
    if len(consumers) != 1 or consumers[0].type not in ("FusedBatchNorm", "FusedBatchNormV3"):
        return False
    info("Skipping quantizing %s: only a fused batch norm takes it.", activation.name)
    return True
