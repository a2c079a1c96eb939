"""The functions of a graph: what nodes can call by name, and what goes into GraphDef's library."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dataflow.proto.function_pb2 import FunctionDef, FunctionDefLibrary
from dataflow.proto.versions_pb2 import VersionDef
from dataflow.schema import opdef
from dataflow.schema.function_library import MIN_CONSUMER, name_taken
from dataflow.schema.function_signature import op_def_from_proto
from dataflow.schema.opdef import OpDef

if TYPE_CHECKING:
    from dataflow.graph.graph import Graph


@dataclass(frozen=True, slots=True, eq=False)
class GraphFunction:
    """One function of a graph.

    Attributes:
      definition: What goes into the GraphDef.
      children: The functions that the body uses, theirs included.
      gradient_function_name: Function of the same graph that computes the gradients, or "".
      python_grad_func: `f(op, *grads)` that differentiates a call, or None.
      graph: The graph that the function was made of, if it was made in this process.
    """

    definition: FunctionDef
    children: tuple[GraphFunction, ...] = ()
    gradient_function_name: str = ""
    python_grad_func: Callable[..., Any] | None = None
    graph: Graph | None = None

    @property
    def name(self) -> str:
        """The name nodes call it by."""
        name: str = self.definition.signature.name
        return name

    @property
    def cached_definition(self) -> FunctionDef:
        """`definition`, under TensorFlow's name."""
        return self.definition

    @property
    def grad_func_name(self) -> str | None:
        """The gradient function's name, or None."""
        return self.gradient_function_name or None


class GraphFunctions(Mapping[str, GraphFunction]):
    """The functions of one graph by name."""

    def __init__(self) -> None:
        self._functions: dict[str, GraphFunction] = {}
        self._gradients: dict[str, str] = {}
        self._op_defs: dict[str, OpDef] = {}
        self.derived_gradients: dict[str, GraphFunction | None] = {}
        """Gradients made for the back end, of functions that have none; None where that failed."""
        self.traced: weakref.WeakKeyDictionary[Any, dict[Any, Any]] = weakref.WeakKeyDictionary()
        """What was traced to run in this graph, by what traced it and the kind of arguments."""

    def __getitem__(self, name: str) -> GraphFunction:
        return self._functions[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    @property
    def gradients(self) -> Mapping[str, str]:
        """Names of functions -> names of the functions that compute their gradients."""
        return self._gradients

    def add(self, function: GraphFunction) -> None:
        """Adds one function, or replaces the one of its name.

        Raises:
          ValueError: It has a gradient in Python and one in the graph.
        """
        if function.gradient_function_name and function.python_grad_func is not None:
            raise ValueError(f"Gradient defined twice for function {function.name}")
        self._functions[function.name] = function
        self._op_defs.pop(function.name, None)
        if function.gradient_function_name:
            self._gradients[function.name] = function.gradient_function_name

    def add_definitions(
        self, definitions: Iterable[FunctionDef], gradients: Mapping[str, str]
    ) -> None:
        """Adds functions, and gradient functions, that a GraphDef came with."""
        for definition in definitions:
            self.add(GraphFunction(definition))
        self._gradients.update(gradients)

    def remove(self, name: str) -> None:
        """Forgets a function."""
        del self._functions[name]
        self._op_defs.pop(name, None)

    def op_def(self, name: str) -> OpDef | None:
        """The schema of the nodes that call a function by their op type, or None."""
        function = self._functions.get(name)
        if function is None:
            return None
        found = self._op_defs.get(name)
        if found is None:
            found = self._op_defs[name] = op_def_from_proto(function.definition.signature)
        return found

    def library(self) -> FunctionDefLibrary:
        """A copy of all of them as a GraphDef carries them."""
        library = FunctionDefLibrary()
        library.function.extend(function.definition for function in self._functions.values())
        for name, gradient in self._gradients.items():
            library.gradient.add(function_name=name, gradient_func=gradient)
        return library


def check_name_free(function: GraphFunction, functions: Mapping[str, GraphFunction]) -> None:
    """Raises InvalidArgumentError if an op or a different function has a function's name."""
    known = functions.get(function.name)
    if known is not None and known.definition != function.definition:
        raise name_taken(function.name, "a different function with the same name")
    if opdef.find(function.name) is not None:
        raise name_taken(function.name, "an op with the same name")


class FunctionHost:
    """The part of a graph that keeps its functions."""

    _lock: threading.RLock
    _versions: VersionDef
    _add_control_dependencies = False
    """True while stateful operations get control edges by themselves, in bodies of gradients."""
    keeps_control_flow_v1 = False
    """True for the body of a `Defun`, which has Switch and Merge unless told otherwise."""

    def __init__(self) -> None:
        self._functions = GraphFunctions()
        self._building_function = False
        self._captures = False
        """Operations in it may take tensors of other graphs: it sees to what stands for them."""

    def _check_not_finalized(self) -> None:
        raise NotImplementedError

    @property
    def building_function(self) -> bool:
        """True if the graph is the body of a function."""
        return self._building_function

    @property
    def library(self) -> FunctionDefLibrary:
        """A copy of the graph's functions and their gradient functions."""
        return self._functions.library()

    def _is_function(self, name: str | bytes) -> bool:
        """True if nodes can call a function of that name."""
        return (name.decode() if isinstance(name, bytes) else name) in self._functions

    def _get_function(self, name: str | bytes) -> GraphFunction | None:
        """The function of that name, or None."""
        return self._functions.get(name.decode() if isinstance(name, bytes) else name)

    def _add_function(self, function: GraphFunction) -> None:
        """Adds a function that nodes can call by its name.

        Raises:
          ValueError: It has a gradient in Python and one in the graph.
          InvalidArgumentError: An op or a different function has its name.
          RuntimeError: The graph is finalized.
        """
        self._check_not_finalized()
        with self._lock:
            check_name_free(function, self._functions)
            self._functions.add(function)
            self._versions.min_consumer = max(self._versions.min_consumer, MIN_CONSUMER)

    def _add_function_recursive(self, function: GraphFunction, overwrite: bool = False) -> None:
        """Adds a function and those its body uses."""
        for each in (function, *function.children):
            if overwrite or each.name not in self._functions:
                self._add_function(each)

    def _remove_function(self, name: str | bytes) -> None:
        """Forgets a function.

        Raises:
          ValueError: There is none of that name.
        """
        self._check_not_finalized()
        if not self._is_function(name):
            raise ValueError(f"Function {name!r} is not found in {self!r}.")
        self._functions.remove(name.decode() if isinstance(name, bytes) else name)
