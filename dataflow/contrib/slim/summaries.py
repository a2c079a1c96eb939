"""slim.summaries: summaries of tensors by their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dataflow.library.summaries.values as values
from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.library.sparsity import zero_fraction
from dataflow.ops.text.printing import Print


def _name(
    tensor: Any, name: str | None, prefix: str | None = None, postfix: str | None = None
) -> str:
    parts = [prefix, name or tensor.op.name, postfix]
    return "/".join(part for part in parts if part)


def add_histogram_summary(tensor: Any, name: str | None = None, prefix: str | None = None) -> Any:
    """A histogram; its name is that of the tensor if None."""
    return values.histogram(_name(tensor, name, prefix), tensor)


def _printed(summary: Any, tensor: Any, name: str) -> Any:
    """The summary, which prints the tensor, in the collection of summaries."""
    found = Print(summary, [tensor], name)
    scopes.add_to_collection(GraphKeys.SUMMARIES, found)
    return found


def add_image_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Any:
    """Images; `print_summary` prints them, too."""
    name = _name(tensor, name, prefix)
    if not print_summary:
        return values.image(name, tensor)
    return _printed(values.image(name, tensor, collections=[]), tensor, name)


def add_scalar_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Any:
    """A number; `print_summary` prints it, too."""
    name = _name(tensor, name, prefix)
    if not print_summary:
        return values.scalar(name, tensor)
    return _printed(values.scalar(name, tensor, collections=[]), tensor, name)


def add_zero_fraction_summary(
    tensor: Any, name: str | None = None, prefix: str | None = None, print_summary: bool = False
) -> Any:
    """The share of elements that are zero."""
    name = _name(tensor, name, prefix, "Fraction_of_Zero_Values")
    return add_scalar_summary(zero_fraction(tensor), name, print_summary=print_summary)


def add_histogram_summaries(tensors: Sequence[Any], prefix: str | None = None) -> list[Any]:
    """A histogram of each."""
    return [add_histogram_summary(tensor, prefix=prefix) for tensor in tensors]


def add_image_summaries(tensors: Sequence[Any], prefix: str | None = None) -> list[Any]:
    """Images of each."""
    return [add_image_summary(tensor, prefix=prefix) for tensor in tensors]


def add_scalar_summaries(
    tensors: Sequence[Any], prefix: str | None = None, print_summary: bool = False
) -> list[Any]:
    """A number for each."""
    return [
        add_scalar_summary(tensor, prefix=prefix, print_summary=print_summary) for tensor in tensors
    ]


def add_zero_fraction_summaries(tensors: Sequence[Any], prefix: str | None = None) -> list[Any]:
    """The share of zeros in each."""
    return [add_zero_fraction_summary(tensor, prefix=prefix) for tensor in tensors]
