"""Puts fake quantisation between operations and what takes their outputs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from dataflow.contrib.quantize.layers import Layer, find_layers
from dataflow.contrib.quantize.ranges import quantized
from dataflow.contrib.quantize.steps import quantization_step, reroute
from dataflow.control_flow.cond import cond
from dataflow.graph import scopes
from dataflow.graph.graph import Graph
from dataflow.graph.operation import Operation
from dataflow.ops.math.compare import greater_equal
from dataflow.values.logging import info

SKIPPED: Final = (
    "gradients/",
    "RMSProp/",
    "Adagrad/",
    "Const_",
    "HistogramSummary",
    "ScalarSummary",
)
"""Of names of operations that are no part of a model."""

_FAKE: Final = frozenset(
    {
        "FakeQuantWithMinMaxVars",
        "FakeQuantWithMinMaxArgs",
        "FakeQuantWithMinMaxVarsPerChannel",
    }
)
_SUMS: Final = frozenset({"Add", "AddV2", "Mul"})
_SAME_VALUES: Final = frozenset(
    {"Reshape", "Identity", "BatchToSpaceND", "SpaceToBatchND", "MaxPool", "Max"}
)
_WEIGHTS_RANGE: Final = (-6.0, 6.0)
_ACTIVATION_RANGE: Final = (0.0, 6.0)


@dataclass(frozen=True)
class Options:
    """How a graph is quantised."""

    is_training: bool
    weight_bits: int
    activation_bits: int
    symmetric: bool
    delay: int | None
    scope: str | None
    decay: float = 0.999
    """Of the moving averages of ranges."""
    collection: str | None = None
    """Where the variables of ranges are kept beside the global ones."""


def quantize(graph: Graph, options: Options) -> None:
    """Quantises the weights of a graph's layers, what the layers make, and sums behind them."""
    consumers = _consumers(graph)
    done: set[Operation] = set()
    for layer in find_layers(graph):
        _quantize_layer(layer, consumers, done, options)
    consumers = _consumers(graph)
    for op in graph.get_operations():
        if _takes_quantized(op, done):
            info("Inserting fake quant op activation_%s_quant after %s", op.type, op.name)
            _insert(
                f"{op.name}/activation_{op.type}_quant",
                op,
                consumers[op],
                Options(**{**vars(options), "symmetric": False}),
            )


def _consumers(graph: Graph) -> defaultdict[Operation, list[Operation]]:
    found: defaultdict[Operation, list[Operation]] = defaultdict(list)
    for op in graph.get_operations():
        if not op.name.startswith(SKIPPED):
            for producer in dict.fromkeys(tensor.op for tensor in op.inputs):
                found[producer].append(op)
    return found


def _quantize_layer(
    layer: Layer,
    consumers: defaultdict[Operation, list[Operation]],
    done: set[Operation],
    options: Options,
) -> None:
    context = _parent(layer.op.name)
    outer = _parent(context) if layer.bypass is not None else context
    if layer.weights is not None:
        op = layer.weights.op
        _insert(
            _join(context, "weights_quant"),
            op,
            consumers[op],
            options,
            weights=True,
            within="consumers",
        )
    if layer.activation is not None:
        _insert(
            _join(outer, "act_quant"),
            layer.activation,
            consumers[layer.activation],
            options,
            first_range=_ACTIVATION_RANGE,
        )
        done.add(layer.activation)
    if layer.bypass is not None and layer.bias is not None:
        _insert(
            _join(context, "conv_quant"),
            layer.bias,
            consumers[layer.bias],
            options,
            within="both",
        )
        done.add(layer.bias)
        if not _activated(consumers[layer.bypass], "Relu", "Relu6", "Identity"):
            _insert(
                _join(outer, "add_quant"),
                layer.bypass,
                consumers[layer.bypass],
                options,
                within="both",
            )
            done.add(layer.bypass)
    if layer.later_bypass is not None and not _activated(
        consumers[layer.later_bypass], "Relu", "Relu6"
    ):
        _insert(
            _join(_parent(layer.later_bypass.name), "post_activation_bypass_quant"),
            layer.later_bypass,
            consumers[layer.later_bypass],
            options,
        )
        done.add(layer.later_bypass)


def _activated(consumers: Iterable[Operation], *types: str) -> bool:
    """Whether an activation follows, which is one with the sum where the graph is used."""
    return any(op.type in types for op in consumers)


def _takes_quantized(op: Operation, done: set[Operation]) -> bool:
    """Whether a sum or product takes quantised values, and has none of its own."""
    if op in done or op.type not in _SUMS:
        return False
    if len(op.outputs) == 1:
        taken_by = op.outputs[0].consumers()
        if len(taken_by) == 1 and _activated(taken_by, "Relu", "Relu6"):
            return False
    for tensor in op.inputs:
        source = tensor.op
        while source.type in _SAME_VALUES:
            source = source.inputs[0].op
        if source.type == "FakeQuantWithMinMaxVars" or "delayed_quant/Merge" in source.name[1:]:
            return True
        if source.type in _SUMS and any(_takes_quantized(t.op, done) for t in source.inputs):
            return True
    return False


def _insert(
    name: str,
    producer: Operation,
    consumers: list[Operation],
    options: Options,
    *,
    weights: bool = False,
    first_range: tuple[float, float] = _WEIGHTS_RANGE,
    within: str = "producer",
) -> None:
    """Quantises the first output of an operation for its consumers.

    Args:
      name: Of the new operations.
      producer: The operation.
      consumers: Those who took its output.
      options: How.
      weights: Whether it has weights, whose range is that of their last values.
      first_range: What the range begins with.
      within: Who must be in the scope that is quantised: "producer", "consumers" or "both".

    Raises:
      ValueError: Some consumers do not take the output.
    """
    if options.scope:
        members = [] if within == "consumers" else [producer]
        members += [] if within == "producer" else consumers
        for op in members:
            if not op.name.startswith(options.scope):
                info("%s is not added: %s is not in the scope %s", name, op.name, options.scope)
                return
    output = producer.outputs[0]
    if _is_quantized(output):
        return
    # Scopes that are open are not there twice in the names of variables.
    opened = scopes.get_default_graph().get_name_scope()
    name = name.removeprefix(f"{opened}/" if opened else "")
    result = quantized(
        output,
        name,
        averaged=not weights,
        is_training=options.is_training,
        first_range=first_range,
        num_bits=options.weight_bits if weights else options.activation_bits,
        narrow_range=weights,
        symmetric=options.symmetric,
        decay=options.decay,
        collection=options.collection,
    )
    if options.delay and options.delay > 0:
        due = greater_equal(quantization_step(), options.delay, name=f"{name}/activate_quant")
        result = cond(due, lambda: result, lambda: output, name=f"{name}/delayed_quant")
    if consumers and reroute(result, output, consumers) < len(consumers):
        names = ", ".join(op.name for op in consumers)
        raise ValueError(f"No inputs quantized for ops: [{names}]")


def _is_quantized(tensor: Any) -> bool:
    """Whether fake quantisation follows a tensor, by way of operations that keep its values."""
    waiting = list(tensor.consumers())
    while waiting:
        op = waiting.pop()
        if op.type in _FAKE:
            return True
        if op.type in ("Reshape", "Identity"):
            waiting += [each for output in op.outputs for each in output.consumers()]
    return False


def _parent(name: str) -> str:
    return name.rpartition("/")[0]


def _join(scope: str, name: str) -> str:
    return f"{scope}/{name}" if scope else name
