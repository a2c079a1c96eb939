"""Summaries of tensors and of collections of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.library.sparsity import zero_fraction
from dataflow.library.summaries.values import histogram, scalar
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.compare import equal
from dataflow.ops.reductions.reduce import reduce_mean
from dataflow.values import dtypes


def summarize_tensor(tensor: Any, tag: str | None = None) -> Any:
    """A histogram of a tensor, or its value if it is a scalar.

    Args:
      tensor: The tensor.
      tag: Of the summary; made of its name if None.
    """
    tag = tag or f"{tensor.op.name}_summary"
    kind = scalar if tensor.shape.rank == 0 else histogram
    return kind(tag, tensor)


def summarize_activation(op: Any) -> Any:
    """A histogram of a layer's output, and how many of it are zero, or six, as it may be."""
    if op.op.type in ("Relu", "Softplus", "Relu6"):
        scalar(f"{op.op.name}/zeros", zero_fraction(op))
    if op.op.type == "Relu6":
        sixes = reduce_mean(cast(equal(op, 6), dtypes.float32))
        scalar(f"{op.op.name}/sixes", sixes)
    return histogram(f"{op.op.name}/activation", op)


def summarize_tensors(
    tensors: Iterable[Any], summarizer: Callable[[Any], Any] = summarize_tensor
) -> list[Any]:
    """A summary of each."""
    return [summarizer(tensor) for tensor in tensors]


def summarize_collection(
    collection: Any,
    name_filter: str | None = None,
    summarizer: Callable[[Any], Any] = summarize_tensor,
) -> list[Any]:
    """A summary of each tensor of a collection whose name fits a pattern."""
    return [
        summarizer(tensor)
        for tensor in scopes.get_collection(collection)
        if name_filter is None or re.match(name_filter, tensor.op.name)
    ]


def summarize_variables(
    name_filter: str | None = None, summarizer: Callable[[Any], Any] = summarize_tensor
) -> list[Any]:
    """Summaries of the graph's variables."""
    return summarize_collection(GraphKeys.GLOBAL_VARIABLES, name_filter, summarizer)


def summarize_weights(
    name_filter: str | None = None, summarizer: Callable[[Any], Any] = summarize_tensor
) -> list[Any]:
    """Summaries of the graph's weights."""
    return summarize_collection(GraphKeys.WEIGHTS, name_filter, summarizer)


def summarize_biases(
    name_filter: str | None = None, summarizer: Callable[[Any], Any] = summarize_tensor
) -> list[Any]:
    """Summaries of the graph's biases."""
    return summarize_collection(GraphKeys.BIASES, name_filter, summarizer)


def summarize_activations(
    name_filter: str | None = None, summarizer: Callable[[Any], Any] = summarize_activation
) -> list[Any]:
    """Summaries of the graph's activations."""
    return summarize_collection(GraphKeys.ACTIVATIONS, name_filter, summarizer)
