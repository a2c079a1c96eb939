"""tensorflow.python.framework.function: functions of a library, as Defun would have made them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow.graph.parts.functions import GraphFunction
from dataflow.graph.tensor import Tensor
from dataflow.library.defun import Declare, _DefinedFunction, _OverloadedFunction
from dataflow.library.defun import function_name as _get_func_name
from dataflow.library.defun_graph import DefunGraph as _FuncGraph
from dataflow.proto.function_pb2 import FunctionDef, FunctionDefLibrary
from dataflow.schema.function_signature import op_def_from_proto
from dataflow.values.dtypes import as_dtype

__all__ = ["Declare", "_FuncGraph", "_OverloadedFunction", "_get_func_name"]


class _Known(_DefinedFunction):
    """A function whose definition is known; it captures nothing."""

    def __init__(self, definition: FunctionDef, grad_func: Any) -> None:
        signature = definition.signature
        types = tuple(as_dtype(each.type) for each in signature.input_arg)
        names = [each.name for each in signature.input_arg]
        super().__init__(_no_function, names, types, signature.name, grad_func)
        gradient = "" if grad_func is None else grad_func.name
        self._function = GraphFunction(definition, gradient_function_name=gradient)
        self._op_def = op_def_from_proto(signature)

    @property
    def captured_inputs(self) -> list[Tensor]:
        """None: what was captured is among the arguments."""
        return []


def _no_function(*args: Any) -> Any:
    raise ValueError("A function of a library has no Python function.")


def _from_definition(fdef: FunctionDef, grad_func: Any = None) -> _DefinedFunction:
    """The function of a definition, with the function of its gradients."""
    return _Known(fdef, grad_func)


def from_library(lib: FunctionDefLibrary) -> list[_DefinedFunction]:
    """The functions of a library, with those of their gradients.

    Raises:
      ValueError: A function of gradients is missing or differentiates itself, or what it is for is
        missing.
    """
    definitions = {each.signature.name: each for each in lib.function}
    gradients = {each.function_name: each.gradient_func for each in lib.gradient}
    for name in (*gradients.values(), *gradients):
        if name not in definitions:
            raise ValueError(f"FunctionDefLibrary missing '{name}' FunctionDef\n{lib}")
    made: dict[str, _DefinedFunction] = {}
    for name in definitions:
        _make(name, definitions, gradients, made, ())
    return list(made.values())


def _make(
    name: str,
    definitions: Mapping[str, FunctionDef],
    gradients: Mapping[str, str],
    made: dict[str, _DefinedFunction],
    asking: tuple[str, ...],
) -> _DefinedFunction:
    if name in asking:
        raise ValueError(f"FunctionDefLibrary contains cyclic gradient functions!\n{asking}")
    if name not in made:
        gradient = gradients.get(name)
        grad_func = gradient and _make(gradient, definitions, gradients, made, (*asking, name))
        made[name] = _from_definition(definitions[name], grad_func or None)
    return made[name]
