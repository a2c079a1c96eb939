"""Functions as signatures: they take tensors by name only, and return dictionaries of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow.functions.func_graph import FuncGraph, uid
from dataflow.functions.tracing import Parameter, trace
from dataflow.graph.tensor import Tensor
from dataflow.library.concrete.function import Arguments, ConcreteFunction
from dataflow.library.concrete.polymorphic import Function
from dataflow.library.datasets.specs import TensorSpec
from dataflow.saving.objects.calling import RestoredFunction, functions_of, is_function
from dataflow.saving.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY


def signatures_of(root: Any, given: Any) -> dict[str, ConcreteFunction]:
    """The functions to save as signatures, by key.

    Args:
      root: The object that is saved; the one function of it that takes tensors only is meant if
        there is none given.
      given: A function, or functions by key, or None.

    Raises:
      ValueError: A function stands for several, or one returns something else than tensors.
    """
    if given is None:
        found = [_only_trace(each) for each in functions_of(root).values()]
        fits = [each for each in found if each is not None and _is_flat(each)]
        given = {DEFAULT_SERVING_SIGNATURE_DEF_KEY: fits[0]} if len(fits) == 1 else {}
    elif not isinstance(given, Mapping):
        given = {DEFAULT_SERVING_SIGNATURE_DEF_KEY: given}
    return {key: _wrapped(key, each) for key, each in given.items()}


def _only_trace(function: Any) -> ConcreteFunction | None:
    if isinstance(function, Function):
        return None if function.input_signature is None else function.get_concrete_function()
    if isinstance(function, RestoredFunction):
        traces = function.concrete_functions
        return traces[0] if len(traces) == 1 else None
    return function if isinstance(function, ConcreteFunction) else None


def _is_flat(function: ConcreteFunction) -> bool:
    """Whether its outputs can be those of a signature."""
    try:
        _named_outputs(function.structured_outputs)
    except ValueError:
        return False
    return True


def _wrapped(key: str, function: Any) -> ConcreteFunction:
    inner = _only_trace(function) if is_function(function) else None
    if inner is None and not isinstance(function, RestoredFunction):
        raise ValueError(
            "Expected a TensorFlow function for which to generate a signature, but got "
            f"{function}. Only `tf.functions` with an input signature or concrete functions can be "
            "used as a signature."
        )
    if inner is None:
        raise ValueError(
            f"The function of the signature '{key}' was traced for several signatures: give one of "
            "them, by `get_concrete_function`."
        )
    names = sorted(inner._arguments.names)
    specs = dict(zip(inner._arguments.names, inner._arguments.specs, strict=True))
    graph = FuncGraph(f"__inference_signature_wrapper_{uid()}")

    def call(*tensors: Tensor) -> Any:
        by_name = dict(zip(names, tensors, strict=True))
        values = [by_name[name] for name in inner._arguments.names]
        return _named_outputs(inner._packed(inner._call(values, inner._captured)))

    trace(graph, call, [Parameter(specs[n].dtype, specs[n].shape, n) for n in names])
    outputs = {
        name: TensorSpec(tensor.shape, tensor.dtype, name)
        for name, tensor in sorted(graph.structured_outputs.items())
    }
    named = {name: TensorSpec(specs[name].shape, specs[name].dtype, name) for name in names}
    return ConcreteFunction(
        graph.to_function(),
        Arguments(tuple(names), tuple(named.values()), 0, ((), named)),
        outputs,
        graph.external_captures,
        inner.variables,
    )


def _named_outputs(outputs: Any) -> dict[str, Any]:
    """Outputs by name; those of a sequence are numbered.

    Raises:
      ValueError: One is no tensor.
    """
    if isinstance(outputs, (list, tuple)):
        outputs = {f"output_{number}": each for number, each in enumerate(outputs)}
    elif not isinstance(outputs, Mapping):
        outputs = {"output_0": outputs}
    for name, each in outputs.items():
        if not isinstance(name, str):
            raise ValueError(
                f"Got a dictionary with a non-string key {name!r} in the output of a function used "
                "to generate a SavedModel signature."
            )
        if not isinstance(each, (Tensor, TensorSpec)):
            raise ValueError(
                f"Got a non-Tensor value {each!r} for key {name!r} in the output of a function "
                "used to generate a SavedModel signature. Outputs for functions used as signatures "
                "must be a single Tensor, a sequence of Tensors, or a dictionary from string to "
                "Tensor."
            )
    return dict(outputs)
