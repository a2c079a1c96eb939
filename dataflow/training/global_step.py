"""The global step: the variable that counts the steps of training."""

from __future__ import annotations

import logging
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.values import dtypes
from dataflow.values.variable_policy import VariableAggregation
from dataflow.variables.initializers import Zeros
from dataflow.variables.scope import get_variable
from dataflow.variables.variable import Variable

_log = logging.getLogger(__name__)


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """The value of the global step in a session.

    Args:
      sess: The session.
      global_step_tensor: The global step, or its name.
    """
    return int(sess.run(global_step_tensor))


def get_global_step(graph: Graph | None = None) -> Any:
    """The global step of a graph, or None if it has none.

    That is what is in the collection `GLOBAL_STEP`, or else the tensor `global_step:0`.

    Args:
      graph: The graph; the default one if None.

    Raises:
      TypeError: What is found cannot count steps.
    """
    graph = graph or scopes.get_default_graph()
    found = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if len(found) > 1:
        _log.error("Multiple tensors in global_step collection.")
        return None
    try:
        step = found[0] if found else graph.get_tensor_by_name("global_step:0")
    except KeyError:
        return None
    assert_global_step(step)
    return step


def create_global_step(graph: Graph | None = None) -> Any:
    """Makes the global step of a graph: an int64 scalar variable of that name, zero at first.

    Args:
      graph: The graph; the default one if None.

    Raises:
      ValueError: The graph has one.
    """
    graph = graph or scopes.get_default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('"global_step" already exists.')
    with graph.as_default(), graph.name_scope(None):
        return get_variable(
            GraphKeys.GLOBAL_STEP,
            shape=[],
            dtype=dtypes.int64,
            initializer=Zeros(),
            trainable=False,
            aggregation=VariableAggregation.ONLY_FIRST_REPLICA,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
        )


def get_or_create_global_step(graph: Graph | None = None) -> Any:
    """The global step of a graph, made if it has none; see `create_global_step`."""
    graph = graph or scopes.get_default_graph()
    step = get_global_step(graph)
    return create_global_step(graph) if step is None else step


def assert_global_step(global_step_tensor: Any) -> None:
    """Checks that something can be a global step.

    Raises:
      TypeError: It is no variable or tensor, or not a scalar integer.
    """
    if not isinstance(global_step_tensor, (Variable, Tensor)):
        raise TypeError(
            f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor}.'
        )
    dtype, shape = global_step_tensor.dtype, global_step_tensor.get_shape()
    if not dtype.base_dtype.is_integer:
        raise TypeError(f'Existing "global_step" does not have integer type: {dtype}')
    if shape.rank != 0 and shape.is_fully_defined():
        raise TypeError(f'Existing "global_step" is not scalar: {shape}')
