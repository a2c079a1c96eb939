"""Functions of a SavedModel, made callable: under new names, as graphs may have several models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dataflow.errors import DataLossError
from dataflow.graph.parts.functions import GraphFunction
from dataflow.library.concrete.function import Arguments, ConcreteFunction
from dataflow.library.concrete.structured_values import OtherValue, decoded
from dataflow.library.datasets.specs import TensorSpec
from dataflow.proto.function_pb2 import FunctionDef, FunctionDefLibrary
from dataflow.proto.node_def_pb2 import NodeDef
from dataflow.saving.objects.calling import RestoredFunction
from dataflow.values import nest
from dataflow.values.shapes import TensorShape


def library(saved: FunctionDefLibrary, suffix: str) -> dict[str, GraphFunction]:
    """The functions by their old names; each has those that it calls beside it.

    Args:
      saved: The functions.
      suffix: What is put behind each name, and behind those of gradients that the file registers.
    """
    names = {each.signature.name: f"{each.signature.name}{suffix}" for each in saved.function}
    own = {
        each.registered_op_type: f"{each.registered_op_type}{suffix}"
        for each in saved.registered_gradients
    }
    made = {each.signature.name: _renamed(each, names, own) for each in saved.function}
    called = {
        each.signature.name: [n for n in _called(each) if n in names] for each in saved.function
    }
    plain = {name: GraphFunction(definition) for name, definition in made.items()}
    return {
        name: GraphFunction(made[name], tuple(plain[each] for each in _reached(name, called)))
        for name in made
    }


def _reached(name: str, called: Mapping[str, Iterable[str]]) -> list[str]:
    found: dict[str, None] = {}
    pending = list(called[name])
    while pending:
        each = pending.pop()
        if each not in found and each != name:
            found[each] = None
            pending += called[each]
    return list(found)


def _called(definition: FunctionDef) -> list[str]:
    found = []
    for node in definition.node_def:
        found.append(node.op)
        found += [each.name for each in _references(node)]
    return found


def _references(node: NodeDef) -> list[Any]:
    """The functions that a node's attrs name."""
    found = []
    for value in node.attr.values():
        if value.HasField("func"):
            found.append(value.func)
        found += value.list.func
    return found


def _renamed(
    definition: FunctionDef, names: Mapping[str, str], gradients: Mapping[str, str]
) -> FunctionDef:
    made = FunctionDef()
    made.CopyFrom(definition)
    made.signature.name = names[definition.signature.name]
    for node in made.node_def:
        node.op = names.get(node.op, node.op)
        for each in _references(node):
            each.name = names.get(each.name, each.name)
        if "_gradient_op_type" in node.attr:
            gradient = node.attr["_gradient_op_type"].s.decode(errors="replace")
            if gradient in gradients:
                node.attr["_gradient_op_type"].s = gradients[gradient].encode()
            else:
                # The file does not have it: a program registered it.
                del node.attr["_gradient_op_type"]
    return made


def concrete_function(function: GraphFunction, saved: Any, bare: Any = None) -> ConcreteFunction:
    """A function whose captured tensors are to be set.

    Args:
      function: The graph function.
      saved: The message about its signature.
      bare: The message about how it is called, if there is one: names of its tensors, and how
        many of them may be given by position.

    Raises:
      DataLossError: The signature is not the function's.
    """
    signature = function.definition.signature
    count = len(signature.input_arg) - len(saved.bound_inputs)
    if count < 0:
        raise _misfit(function, "arguments")
    inputs, structure = signature.input_arg[:count], decoded(saved.canonicalized_input_signature)
    names, positional = [arg.name for arg in inputs], 0
    if bare is not None and len(bare.argument_keywords) == count:
        names, positional = list(bare.argument_keywords), bare.allowed_positional_arguments
    specs = _specs(function, structure, inputs)
    outputs = decoded(saved.output_signature)
    found = _specs(function, outputs, signature.output_arg)
    if any(isinstance(leaf, OtherValue) for leaf in nest.flatten(outputs)):
        outputs = found
    return ConcreteFunction(
        function, Arguments(tuple(names), tuple(specs), positional, structure), outputs
    )


def _specs(function: GraphFunction, structure: Any, args: Sequence[Any]) -> list[TensorSpec]:
    """The specs of tensors; where not all are dense, only their types are known.

    Raises:
      DataLossError: They are not those of the function.
    """
    leaves = nest.flatten(structure)
    if any(isinstance(leaf, OtherValue) for leaf in leaves):
        return [TensorSpec(TensorShape(None), arg.type) for arg in args]
    specs = [leaf for leaf in leaves if isinstance(leaf, TensorSpec)]
    if [spec.dtype.as_datatype_enum for spec in specs] != [arg.type for arg in args]:
        raise _misfit(function, "arguments or results")
    return specs


def _misfit(function: GraphFunction, what: str) -> DataLossError:
    return DataLossError(None, None, f"the function '{function.name}' has other {what}")


def function_of_spec(traces: Sequence[ConcreteFunction], spec: Any) -> RestoredFunction:
    """A Python function's traces, with the names and defaults of its arguments."""
    described = decoded(spec.fullargspec)
    names = list(getattr(described, "args", None) or ())
    if spec.is_method:
        names = names[1:]
    given = list(getattr(described, "defaults", None) or ())
    defaults = dict(zip(names[len(names) - len(given) :], given, strict=False))
    defaults |= getattr(described, "kwonlydefaults", None) or {}
    return RestoredFunction(traces, names, defaults, spec)
