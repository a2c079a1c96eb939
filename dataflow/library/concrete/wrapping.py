"""tf.wrap_function: a Python function of TensorFlow 1, run once, as a graph function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.functions.func_graph import FuncGraph, uid
from dataflow.functions.tracing import Parameter, trace
from dataflow.library.concrete.function import Arguments, ConcreteFunction
from dataflow.library.concrete.tracing import described, variables_among
from dataflow.library.datasets.specs import TensorSpec
from dataflow.values import nest


def wrap_function(fn: Callable[..., Any], signature: Any, name: str | None = None) -> Any:
    """Makes a graph function of a Python function, which is called once.

    Nothing runs in it but what its results need; it does not put operations in order. Variables
    that it makes are made once, outside of it.

    Args:
      fn: Takes tensors, and other values, and returns a structure of tensors.
      signature: A structure of TensorSpecs, and of the other values.
      name: A part of the function's name.

    Returns:
      A ConcreteFunction, which is called with the tensors, without the other values.

    Raises:
      TypeError: A result is nothing that can become a tensor.
    """
    label = "wrapped_function" if name is None else f"wrapped_function_{name}"
    graph = FuncGraph(f"__inference_{label}_{uid()}")
    leaves = nest.flatten(signature)
    specs = [leaf for leaf in leaves if isinstance(leaf, TensorSpec)]

    def call(*tensors: Any) -> Any:
        remaining = iter(tensors)
        packed = nest.map_structure(
            lambda leaf: next(remaining) if isinstance(leaf, TensorSpec) else leaf, signature
        )
        return fn(*packed)

    parameters = [Parameter(spec.dtype, spec.shape, spec.name) for spec in specs]
    trace(graph, call, parameters, automatic_control=False)
    names = tuple(tensor.op.name for tensor in graph.inputs[: len(specs)])
    captured = graph.external_captures
    return ConcreteFunction(
        graph.to_function(),
        Arguments(names, tuple(specs), len(specs), (tuple(signature), {})),
        nest.map_structure(described, graph.structured_outputs),
        captured,
        variables_among(captured),
    )
