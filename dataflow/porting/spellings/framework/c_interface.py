"""tensorflow.python.pywrap_tensorflow: what libraries ask of TensorFlow's C interface."""

from __future__ import annotations

from typing import Any

from dataflow.graph.constant_value import constant_value
from dataflow.graph.graph import Graph
from dataflow.graph.tensor import Tensor


def TF_TryEvaluateConstant_wrapper(graph: Graph, output: Tensor) -> Any:
    """The value of a tensor of a graph as an array, or None if only a step can tell."""
    return constant_value(output)
