"""Functions that servers call with the rows of several requests together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dataflow.functions.func_graph import FuncGraph, uid
from dataflow.functions.tracing import parameter_of, trace
from dataflow.graph.apply_op import apply_op
from dataflow.graph.scopes import get_default_graph, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.values import nest
from dataflow.values.attrs import NameAttrList


def nondifferentiable_batch_function(
    num_batch_threads: int,
    max_batch_size: int,
    batch_timeout_micros: int,
    allowed_batch_sizes: Sequence[int] | None = None,
    max_enqueued_batches: int = 10,
    autograph: bool = True,
    enable_large_batch_splitting: bool = True,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator of functions on batches, which servers call for several requests at once.

    The function runs once for all of them, outside of their steps.

    Args:
      num_batch_threads: How many batches are computed at a time.
      max_batch_size: How many rows a batch has at most.
      batch_timeout_micros: How long the first request of a batch waits for others.
      allowed_batch_sizes: To which sizes batches are filled up; None for any.
      max_enqueued_batches: How many batches wait at most.
      autograph: Has no effect: Python's control flow stays Python's.
      enable_large_batch_splitting: Whether large requests are cut up.

    Returns:
      The decorator. What it makes raises ValueError for arguments that are no tensors.
    """

    def decorator(fn: Callable[..., Any]) -> Callable[..., Any]:
        def decorated(*args: Any) -> Any:
            with name_scope("batch") as scope:
                for each in args:
                    if not isinstance(each, Tensor):
                        raise ValueError(
                            "All arguments to functions decorated with `batch_function`  are "
                            f"supposed to be Tensors; found {each!r}."
                        )
                outer = get_default_graph()
                name = f"__inference_computation_{uid()}"
                parameters = tuple(parameter_of(t, f"batch_{i}") for i, t in enumerate(args))
                graph = trace(FuncGraph(name, outer), fn, parameters)
                outer._add_function_recursive(graph.to_function())
                outputs = apply_op(
                    "BatchFunction",
                    list(args),
                    list(graph.external_captures),
                    f=NameAttrList(name),
                    num_batch_threads=num_batch_threads,
                    max_batch_size=max_batch_size,
                    batch_timeout_micros=batch_timeout_micros,
                    max_enqueued_batches=max_enqueued_batches,
                    allowed_batch_sizes=list(allowed_batch_sizes or ()),
                    shared_name=scope.encode(),
                    enable_large_batch_splitting=enable_large_batch_splitting,
                    Tout=[output.dtype for output in graph.outputs],
                )
            return nest.pack_sequence_as(graph.structured_outputs, outputs)

        return decorated

    return decorator
