"""Rewrites graphs of models so that they compute as if their numbers had few bits."""

from __future__ import annotations

from dataflow.contrib.quantize.fused import fold_fused
from dataflow.contrib.quantize.insertion import Options, quantize
from dataflow.contrib.quantize.unfused import fold_unfused
from dataflow.graph import scopes
from dataflow.graph.graph import Graph


def create_training_graph(input_graph: Graph | None = None, quant_delay: int | None = 0) -> None:
    """Rewrites a graph that is to be trained, before it has gradients.

    Batch norms are folded into the layers before them; weights and activations are rounded to 8
    bits, in ranges that variables keep. The graph itself is changed.

    Args:
      input_graph: The graph; the default graph if None.
      quant_delay: After how many steps values are rounded: 0 for a model that has been trained
        before, else about as many steps as it needs to converge.

    Raises:
      ValueError: There are operations that train variables.
    """
    experimental_create_training_graph(input_graph, quant_delay=quant_delay)


def create_eval_graph(input_graph: Graph | None = None) -> None:
    """Rewrites a graph that is to be evaluated or exported, as `create_training_graph` does.

    Args:
      input_graph: The graph; the default graph if None.

    Raises:
      ValueError: There are operations that train variables.
    """
    experimental_create_eval_graph(input_graph)


def experimental_create_training_graph(
    input_graph: Graph | None = None,
    weight_bits: int = 8,
    activation_bits: int = 8,
    symmetric: bool = False,
    quant_delay: int | None = 0,
    freeze_bn_delay: int | None = None,
    scope: str | None = None,
) -> None:
    """`create_training_graph` with more options.

    Args:
      input_graph: The graph; the default graph if None.
      weight_bits: Bits of weights.
      activation_bits: Bits of activations.
      symmetric: Whether ranges reach as far down as up.
      quant_delay: After how many steps values are rounded.
      freeze_bn_delay: After how many steps moving mean and variance stay as they are and are
        used; never if None.
      scope: Where operations are quantised; everywhere if None.

    Raises:
      ValueError: There are operations that train variables.
    """
    options = Options(True, weight_bits, activation_bits, symmetric, quant_delay, scope)
    _rewrite(input_graph, options, freeze_bn_delay)


def experimental_create_eval_graph(
    input_graph: Graph | None = None,
    weight_bits: int = 8,
    activation_bits: int = 8,
    symmetric: bool = False,
    quant_delay: int | None = None,
    scope: str | None = None,
) -> None:
    """`create_eval_graph` with more options.

    Args:
      input_graph: The graph; the default graph if None.
      weight_bits: Bits of weights.
      activation_bits: Bits of activations.
      symmetric: Whether ranges reach as far down as up.
      quant_delay: After how many steps values are rounded.
      scope: Where operations are quantised; everywhere if None.

    Raises:
      ValueError: There are operations that train variables.
    """
    options = Options(False, weight_bits, activation_bits, symmetric, quant_delay, scope)
    _rewrite(input_graph, options, None)


def _rewrite(graph: Graph | None, options: Options, freeze_delay: int | None) -> None:
    graph = graph or scopes.get_default_graph()
    types = {op.type for op in graph.get_operations()}
    training = sorted(name for name in types if _trains(name))
    if training:
        raise ValueError(f"Training op found in graph, exiting {set(training)}")
    if options.scope and not options.scope.endswith("/"):
        options = Options(**{**vars(options), "scope": f"{options.scope}/"})
    with graph.as_default():
        fold_fused(graph, freeze_delay)
        fold_unfused(graph, options.is_training, freeze_delay)
        quantize(graph, options)


def _trains(op_type: str) -> bool:
    return op_type.removeprefix("Resource").removeprefix("Sparse").startswith("Apply")
