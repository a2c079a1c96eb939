"""What kernels of trees on gradients are given: single elements, configurations, features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from google.protobuf.message import DecodeError

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.gradient_trees.features import Features
from dataflow.proto.learner_pb2 import LearnerConfig

_Kind = TypeVar("_Kind")


def element(value: Any, name: str) -> Any:
    """The only element of a tensor.

    Raises:
      InvalidArgumentError: It has none, or several.
    """
    if np.size(value) != 1:
        raise invalid(f"{name} must have one element, got shape {shape_text(np.shape(value))}")
    return np.reshape(value, ())[()]


def number(value: Any, name: str) -> int:
    """The only element of a tensor of integers."""
    return int(element(value, name))


def message(value: Any, name: str) -> bytes:
    """The only element of a tensor of strings."""
    return bytes(element(np.asarray(value, object), name))


def config_of(node: KernelNode) -> LearnerConfig:
    """The configuration that is an attr of a node.

    Raises:
      InvalidArgumentError: The attr is none.
    """
    try:
        return LearnerConfig.FromString(node.attr("learner_config"))
    except DecodeError:
        raise invalid("Unable to parse learner config.") from None


def features_of(node: KernelNode, inputs: Sequence[Any]) -> Features:
    """The features that are inputs of a node.

    Raises:
      InvalidArgumentError: They do not fit together.
    """
    dense, sparse, categories = (
        node.attr(f"num_{kind}_features") for kind in ("dense_float", "sparse_float", "sparse_int")
    )
    behind = dense + 3 * sparse
    return Features(
        inputs[:dense],
        _triples(inputs[dense:behind], sparse),
        _triples(inputs[behind : behind + 3 * categories], categories),
    )


def _triples(inputs: Sequence[Any], count: int) -> list[tuple[Any, Any, Any]]:
    return [(inputs[at], inputs[at + count], inputs[at + 2 * count]) for at in range(count)]


def all_of(handles: Sequence[Any], kind: type[_Kind]) -> Sequence[_Kind]:
    """Handles that refer to resources of one kind.

    Raises:
      InvalidArgumentError: One refers to another.
    """
    for handle in handles:
        if not isinstance(handle, kind):
            raise invalid(
                "Trying to access a resource using the wrong type: the handle refers to a "
                f"{type(handle).__name__}, and this op works with a {kind.__name__}."
            )
    return handles
