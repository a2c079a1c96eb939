"""The functions of an object that a SavedModel has, those that make and fill it included."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from dataflow.library.concrete.function import ConcreteFunction
from dataflow.library.concrete.polymorphic import Function, function
from dataflow.library.concrete.structured_values import encoded
from dataflow.library.concrete.wrapping import wrap_function
from dataflow.library.datasets.specs import TensorSpec
from dataflow.library.lookup.resources import TrackableResource
from dataflow.ops.basic.constant import constant
from dataflow.proto.saved_object_graph_pb2 import FunctionSpec
from dataflow.saving.objects.calling import functions_of
from dataflow.saving.objects.functions import function_of_spec
from dataflow.saving.objects.restored import RestoredResource
from dataflow.values import dtypes


class Parts:
    """The functions of an object.

    Args:
      value: The object.

    Attributes:
      functions: By the names of attributes.
      contents: What saves and what restores the contents of a resource, by their name.
    """

    def __init__(self, value: Any) -> None:
        found = functions_of(value)
        self.functions = {
            name: _with_traces(each) if isinstance(each, Function) else each
            for name, each in found.items()
        }
        self.contents: dict[str, tuple[Any, Any]] = {}
        if isinstance(value, RestoredResource):
            self.contents = value._contents
        elif is_resource(value):
            self.functions |= {
                "_create_resource": _traced(value._create_resource),
                "_initialize": _traced(_for_effects(value._initialize)),
            }
            gather = getattr(value, "_gather_saveables_for_checkpoint", dict)
            self.contents = {name: _pair(factory) for name, factory in gather().items()}


def is_resource(value: Any) -> bool:
    """Whether functions of a SavedModel make it, and refer to it."""
    return isinstance(value, TrackableResource) and value.resource_handle is not None


def only(called: Any) -> ConcreteFunction:
    """The one function that a function stands for."""
    return getattr(called, "concrete_functions", (called,))[0]  # type: ignore[no-any-return]


def _with_traces(called: Function) -> Any:
    """A function of this program as one of a SavedModel."""
    spec = FunctionSpec()
    described = inspect.getfullargspec(called._target())
    arguments = described._replace(annotations={})
    if inspect.ismethod(called._target()):
        arguments = arguments._replace(args=described.args[1:])
    spec.fullargspec.CopyFrom(encoded(arguments))
    spec.input_signature.CopyFrom(encoded(called.input_signature))
    return function_of_spec(called.concrete_functions, spec)


def _traced(call: Callable[..., Any], *specs: TensorSpec) -> ConcreteFunction:
    made: Function = function(call, autograph=False)
    return made.get_concrete_function(*specs)


def _for_effects(call: Callable[..., Any]) -> Callable[..., Any]:
    """A function that returns something, as TensorFlow wants all to do."""

    def calling(*args: Any) -> Any:
        call(*args)
        return constant(1)

    return calling


def _pair(factory: Callable[..., Any]) -> tuple[ConcreteFunction, ConcreteFunction]:
    """What tells of the contents of an object under a key, and what takes them back."""

    def save(key: Any) -> list[dict[str, Any]]:
        return [
            {"name": key + spec.name, "slice_spec": spec.slice_spec, "tensor": spec.tensor}
            for spec in factory(name="").specs
        ]

    def restore(*tensors: Any) -> None:
        factory(name="").restore(tensors, None)

    saving = wrap_function(save, [TensorSpec([], dtypes.string, "checkpoint_key")])
    given = [each["tensor"] for each in saving.structured_outputs]
    specs = [
        TensorSpec(None, each.dtype, f"restored_tensors_{number}")
        for number, each in enumerate(given)
    ]
    return saving, _traced(_for_effects(restore), *specs)
