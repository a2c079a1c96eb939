"""Python functions on elements as functions of the graph, with what they capture."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from dataflow.functions.func_graph import FuncGraph, uid
from dataflow.functions.tracing import Parameter, trace
from dataflow.graph import scopes
from dataflow.graph.graph import Graph
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.graph.tracebacks import shortened
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.library.autograph.by_need import called_by_need
from dataflow.library.datasets import structures
from dataflow.library.defun_graph import getter_outside
from dataflow.values.attrs import NameAttrList
from dataflow.variables.scope import variable_scope


@dataclass(frozen=True, slots=True)
class ElementFunction:
    """A function of the graph that takes elements.

    Attributes:
      attr: What names it in a node.
      captured: The outer tensors that it is given after its arguments.
      spec: Describes what it returns.
      graph: Its body.
    """

    attr: NameAttrList
    captured: tuple[Tensor, ...]
    spec: Any
    graph: FuncGraph


@dataclass(frozen=True, slots=True)
class AsDefun:
    """A function whose body is made as a `Defun`'s.

    Branches are Switch and Merge, and no control edges are added, so that the results do not wait
    for what stands in a branch that is not taken. `get_variable` gives the value of a resource
    variable, read outside.
    """

    function: Callable[..., Any]


@shortened
def element_function(
    function: Callable[..., Any] | AsDefun,
    transformation: str,
    *specs: Any,
    finish: Callable[[Any], Any] | None = None,
    returns_spec: Any = None,
) -> ElementFunction:
    """Makes a function of the graph of one on elements.

    Args:
      function: Takes an element for each spec; one that is a tuple, if it is alone, by its parts.
      transformation: What calls it, for names and messages: "Dataset.map()".
      *specs: Describe the elements.
      finish: Makes what is returned of what `function` returns.
      returns_spec: Describes what is returned, if that is known.

    Raises:
      TypeError: It returns what can be no element.
      ValueError: It is no function.
    """
    counts = [len(structures.flat_types(spec)) for spec in specs]
    parameters = [
        Parameter(dtype, shape, f"args_{place}")
        for place, (dtype, shape) in enumerate(
            (dtype, shape)
            for spec in specs
            for dtype, shape in zip(
                structures.flat_types(spec), structures.flat_shapes(spec), strict=True
            )
        )
    ]
    found: list[Any] = []
    as_defun = isinstance(function, AsDefun)
    python_function = function.function if isinstance(function, AsDefun) else function
    if not callable(python_function):
        raise ValueError("Argument must be callable")
    outer = scopes.get_default_graph()

    def body(*flat: Tensor) -> Any:
        elements = []
        place = 0
        for spec, count in zip(specs, counts, strict=True):
            elements.append(structures.from_tensors(spec, flat[place : place + count]))
            place += count
        lone = len(elements) == 1 and type(elements[0]) is tuple
        tables = len(scopes.get_collection(GraphKeys.TABLE_INITIALIZERS))
        made = called_by_need(python_function, *(elements[0] if lone else elements))
        if len(scopes.get_collection(GraphKeys.TABLE_INITIALIZERS)) > tables:
            warnings.warn(
                f"Creating resources inside a function passed to {transformation} is not "
                "supported. Create each resource outside the function, and capture it inside the "
                "function to use it.",
                stacklevel=2,
            )
        if isinstance(made, list):
            made = tuple(made)
        if finish is not None:
            made = finish(made)
        try:
            if returns_spec is None:
                made = structures.normalized_result(made)
            spec = structures.spec_of_element(made) if returns_spec is None else returns_spec
            tensors = structures.to_tensors(spec, made)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"Unsupported return value from function passed to {transformation}: {made}."
            ) from error
        found.append(spec)
        return tuple(tensors)

    plain = _function_name(python_function, transformation)
    name = f"__inference_{plain}_{uid()}"
    graph = FuncGraph(name, outer)
    graph.keeps_control_flow_v1 = as_defun
    with _reading_variables_outside(outer) if as_defun else nullcontext():
        trace(
            graph,
            body,
            tuple(parameters),
            automatic_control=not as_defun,
            resource_variables=not as_defun,
        )
    # A seed that is not the first one tells that one was taken.
    if outer.seed and graph.seed == outer.seed and graph.next_seed():
        warnings.warn(
            f"Seed {outer.seed} from outer graph might be getting used by function {plain}, if the "
            "random op has not been provided any seed. Explicitly set the seed in the function if "
            "this is not the intended behavior.",
            stacklevel=2,
        )
    made = graph.to_function()
    made.definition.attr["_tf_data_function"].b = True
    outer._add_function_recursive(made)
    return ElementFunction(NameAttrList(name), tuple(graph.external_captures), found[0], graph)


def _reading_variables_outside(outer: Graph) -> Any:
    getter = getter_outside(outer, True, [])
    return variable_scope(get_variable_scope(), custom_getter=getter, auxiliary_name_scope=False)


def _function_name(function: Any, transformation: str) -> str:
    while isinstance(function, functools.partial):
        function = function.func
    name = getattr(function, "__name__", None) or type(function).__name__
    whole = f"{transformation.rstrip('()').replace('.', '_')}_{name}"
    return "".join(char for char in whole if char not in "<>\\' ")
