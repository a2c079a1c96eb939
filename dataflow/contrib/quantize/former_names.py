"""What 1.15 makes quantised graphs of, by the names that it has in the files of its own."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container
from typing import Any, Final

from dataflow.contrib.quantize import insertion, ranges, steps
from dataflow.contrib.quantize.fused import fold_fused
from dataflow.contrib.quantize.unfused import fold_unfused
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.ops.quantization.fake_quant import fake_quant_with_min_max_args

SKIPPED_PREFIXES: Final = insertion.SKIPPED

_NORM: Final = re.compile("^(.*)BatchNorm/batchnorm")


def FoldBatchNorms(
    graph: Graph, is_training: bool, freeze_batch_norm_delay: int | None = None
) -> None:
    """Puts what batch norms multiply by into the weights before them.

    Args:
      graph: The graph.
      is_training: Whether it is one to train.
      freeze_batch_norm_delay: After how many steps the moving averages are taken.
    """
    with graph.as_default():
        fold_fused(graph, freeze_batch_norm_delay)
        fold_unfused(graph, is_training, freeze_batch_norm_delay)


def Quantize(
    graph: Graph,
    is_training: bool,
    weight_bits: int = 8,
    activation_bits: int = 8,
    symmetric: bool = False,
    ema_decay: float = 0.999,
    quant_delay: int | None = None,
    vars_collection: str = GraphKeys.GLOBAL_VARIABLES,
    scope: str | None = None,
) -> None:
    """Quantises the weights of a graph's layers, what the layers make, and sums behind them.

    Args:
      graph: The graph.
      is_training: Whether values set the ranges.
      weight_bits: Bits of weights.
      activation_bits: Bits of activations.
      symmetric: Whether ranges of weights reach as far down as up.
      ema_decay: Of the moving averages of ranges.
      quant_delay: After how many steps values are rounded.
      vars_collection: Where the variables of ranges are kept beside the global ones.
      scope: Where operations are quantised; everywhere if None.
    """
    inside = f"{scope}/" if scope and not scope.endswith("/") else scope
    insertion.quantize(
        graph,
        insertion.Options(
            is_training,
            weight_bits,
            activation_bits,
            symmetric,
            quant_delay,
            inside,
            ema_decay,
            vars_collection,
        ),
    )


def FixedQuantize(
    inputs: Any, init_min: float = -6.0, init_max: float = 6.0, scope: str | None = None
) -> Any:
    """A tensor rounded to 256 values in a range."""
    with name_scope(scope, "FixedQuantize", values=[inputs]):
        return fake_quant_with_min_max_args(inputs, min=init_min, max=init_max)


def LastValueQuantize(
    inputs: Any,
    per_channel: bool = False,
    init_min: float = -6.0,
    init_max: float = 6.0,
    vars_collection: str | None = None,
    name_prefix: str = "LastValueQuant",
    reuse: Any = None,
    is_training: bool = True,
    num_bits: int = 8,
    narrow_range: bool = False,
    symmetric: bool = False,
) -> Any:
    """A tensor rounded in the range of its values; see `quantized`."""
    return ranges.quantized(
        inputs,
        name_prefix,
        averaged=False,
        is_training=is_training,
        first_range=(init_min, init_max),
        num_bits=num_bits,
        narrow_range=narrow_range,
        symmetric=symmetric,
        decay=0.0,
        collection=vars_collection,
        reuse=reuse,
        per_channel=per_channel,
    )


def MovingAvgQuantize(
    inputs: Any,
    per_channel: bool = False,
    init_min: float = -6.0,
    init_max: float = 6.0,
    ema_decay: float = 0.999,
    vars_collection: str | None = GraphKeys.MOVING_AVERAGE_VARIABLES,
    name_prefix: str = "MovingAvgQuantize",
    reuse: Any = None,
    is_training: bool = True,
    num_bits: int = 8,
    narrow_range: bool = False,
    symmetric: bool = False,
) -> Any:
    """A tensor rounded in a range that is a moving average; see `quantized`."""
    return ranges.quantized(
        inputs,
        name_prefix,
        averaged=True,
        is_training=is_training,
        first_range=(init_min, init_max),
        num_bits=num_bits,
        narrow_range=narrow_range,
        symmetric=symmetric,
        decay=ema_decay,
        collection=vars_collection,
        reuse=reuse,
        per_channel=per_channel,
    )


def BatchNormGroups(graph: Graph) -> list[str]:
    """What the names of operations of unfused batch norms begin with."""
    found = (_NORM.search(op.name) for op in graph.get_operations())
    names = (match.group(1) for match in found if match)
    return list(dict.fromkeys(each for each in names if not each.startswith(SKIPPED_PREFIXES)))


def GetEndpointActivationOp(graph: Graph, prefix: str) -> Operation | None:
    """The activation whose name begins with this, or None."""
    for suffix in ("Relu6", "Relu", "Identity"):
        try:
            return graph.get_operation_by_name(f"{prefix}{suffix}")
        except KeyError:
            continue
    return None


CreateOrGetQuantizationStep = steps.quantization_step


def DropStringPrefix(s: str, prefix: str) -> str:
    """A text without what it begins with."""
    return s.removeprefix(prefix)


def RerouteTensor(t0: Any, t1: Any, can_modify: Container[Operation] | None = None) -> int:
    """Gives what takes the second tensor the first one; see `reroute`."""
    return steps.reroute(t0, t1, can_modify)


class InputToOps:
    """Which operations take a tensor."""

    def __init__(self, graph: Graph) -> None:
        """Takes those of the graph."""
        self.mapping: defaultdict[Any, set[Operation]] = defaultdict(set)
        for op in graph.get_operations():
            if not op.name.startswith(SKIPPED_PREFIXES):
                for each in op.inputs:
                    self.mapping[each].add(op)

    def ConsumerOperations(self, producer_op: Operation) -> set[Operation]:
        """What takes the outputs of an operation."""
        return set().union(*(self.mapping[each] for each in producer_op.outputs))
