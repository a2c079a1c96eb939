"""Copies of operations, with all that they need, and of variables, with their values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.session.session import Session
from dataflow.variables.variable import Variable

_KEPT = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES)
"""Collections that have a variable's copy by their own names, whatever the scope."""


def copy_variable_to_graph(org_instance: Any, to_graph: Graph, scope: str = "") -> Variable:
    """A variable with the value with which another one begins.

    Args:
      org_instance: The other one.
      to_graph: The graph of the new one.
      scope: What its name begins with; also the names of collections that are a program's own.

    Raises:
      TypeError: It is no variable.
    """
    if not isinstance(org_instance, Variable):
        raise TypeError(f"{org_instance} is not a Variable")
    graph = org_instance.graph
    collections = [
        name if name in _KEPT else _scoped(name, scope)
        for name in graph.get_all_collection_keys()
        if any(each is org_instance for each in graph.get_collection(name))
    ]
    trainable = GraphKeys.TRAINABLE_VARIABLES in collections
    with graph.as_default(), Session(graph=graph) as session:
        value = session.run(org_instance.initialized_value())
    with to_graph.as_default():
        return Variable(
            value,
            trainable=trainable,
            name=_scoped(org_instance.op.name, scope),
            collections=collections,
            validate_shape=False,
        )


def copy_op_to_graph(
    org_instance: Any, to_graph: Graph, variables: Iterable[Any], scope: str = ""
) -> Any:
    """An operation or tensor in another graph, with all that it needs; what is there stays.

    Args:
      org_instance: The operation or tensor.
      to_graph: The other graph.
      variables: Variables of that graph that stand for those with their names.
      scope: What new names begin with; also the names of collections.

    Raises:
      TypeError: It is neither an operation nor a tensor.
      ValueError: It stands in a loop.
    """
    if not isinstance(org_instance, (Operation, Tensor)):
        raise TypeError(f"Could not copy instance: {org_instance}")
    known = {each.name for each in variables}
    pending = [org_instance]
    opened = set()
    while pending:
        found = pending[-1]
        if _there(found, to_graph, known, scope) is not None:
            pending.pop()
            continue
        missing = [each for each in _needs(found) if _there(each, to_graph, known, scope) is None]
        if not missing:
            _add(pending.pop(), to_graph, known, scope)
        elif found in opened:
            raise ValueError(f"Could not copy {found.name}: it stands in a loop.")
        else:
            opened.add(found)
            pending.extend(missing)
    return _there(org_instance, to_graph, known, scope)


def get_copied_op(org_instance: Any, graph: Graph, scope: str = "") -> Any:
    """The copy of an operation, tensor or variable.

    Raises:
      KeyError: There is none.
    """
    name = _scoped(org_instance.name, scope)
    return graph.as_graph_element(name, allow_tensor=True, allow_operation=True)


def _scoped(name: str, scope: str) -> str:
    return f"{scope}/{name}" if scope else name


def _there(element: Any, graph: Graph, known: set[str], scope: str) -> Any:
    name = _scoped(element.name, scope)
    try:
        if name in known:
            return graph.get_tensor_by_name(name)
        return graph.as_graph_element(name, allow_tensor=True, allow_operation=True)
    except (KeyError, ValueError):
        return None


def _needs(element: Any) -> Iterator[Any]:
    if isinstance(element, Tensor):
        yield element.op
    else:
        yield from element.inputs
        yield from element.control_inputs


def _add(element: Any, graph: Graph, known: set[str], scope: str) -> None:
    if isinstance(element, Operation):
        with (
            graph.as_default(),
            graph.name_scope(None),
            graph.control_dependencies(
                [_there(each, graph, known, scope) for each in element.control_inputs]
            ),
        ):
            made = graph.add_op(
                element.op_def,
                [_there(each, graph, known, scope) for each in element.inputs],
                dict(element.attrs),
                f"{_scoped(element.name, scope)}/",
            )
        made._set_device(element.device)
    copy = _there(element, graph, known, scope)
    for each in [element] if isinstance(element, Tensor) else [element, *element.outputs]:
        for name in element.graph.get_all_collection_keys():
            if any(kept is each for kept in element.graph.get_collection(name)):
                found = copy if each is element else copy.outputs[each.value_index]
                graph.add_to_collection(_scoped(name, scope), found)
