"""Functions of a SavedModel that were traced several times: a call chooses by its arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dataflow.library.concrete.function import ConcreteFunction
from dataflow.library.concrete.polymorphic import Function
from dataflow.saving.objects.matching import matched


class RestoredFunction:
    """A function that was traced for several signatures, of which a call chooses.

    Args:
      traces: Those functions.
      names: Of the arguments of the Python function.
      defaults: Of arguments, and of those that are given by name only.
      spec: The message about the Python function.
    """

    def __init__(
        self,
        traces: Sequence[ConcreteFunction],
        names: Sequence[str],
        defaults: Mapping[str, Any],
        spec: Any,
    ) -> None:
        self.concrete_functions = tuple(traces)
        self._names = tuple(names)
        self._defaults = dict(defaults)
        self._spec = spec

    @property
    def function_spec(self) -> Any:
        """The message about the Python function."""
        return self._spec

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The function for arguments, which may be TensorSpecs; the only one without arguments.

        Raises:
          ValueError: There is none.
        """
        if not args and not kwargs and len(self.concrete_functions) == 1:
            return self.concrete_functions[0]
        return self._chosen(args, kwargs)[0]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Adds a call of the function that fits to the default graph.

        Raises:
          ValueError: None fits.
        """
        function, tensors = self._chosen(args, kwargs)
        return function._packed(function._call(tensors, function._captured))

    def _chosen(
        self, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[ConcreteFunction, list[Any]]:
        given, named = self._canonical(args, kwargs)
        for may_convert in (False, True):
            for function in self.concrete_functions:
                tensors = matched(function.structured_input_signature, (given, named), may_convert)
                if tensors is not None:
                    return function, tensors
        options = "\n".join(
            f"Option {number}:\n  Positional arguments: {each.structured_input_signature[0]}\n"
            f"  Keyword arguments: {each.structured_input_signature[1]}"
            for number, each in enumerate(self.concrete_functions, 1)
        )
        raise ValueError(
            "Could not find matching concrete function to call loaded from the SavedModel. Got:\n"
            f"  Positional arguments: {given}\n  Keyword arguments: {named}\n\n Expected these "
            f"arguments to match one of the following {len(self.concrete_functions)} option(s):"
            f"\n\n{options}"
        )

    def _canonical(
        self, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Arguments by position as far as they have one, defaults included."""
        given, named = list(args), dict(kwargs)
        for name in self._names[len(given) :]:
            if name in named:
                given.append(named.pop(name))
            elif name in self._defaults:
                given.append(self._defaults[name])
            else:
                break
        for name, value in self._defaults.items():
            if name not in self._names:
                named.setdefault(name, value)
        return tuple(given), named


def functions_of(value: Any) -> dict[str, Any]:
    """The functions among an object's attributes, and among its methods."""
    if not hasattr(value, "__dict__") or isinstance(value, type):
        return {}
    methods = {
        name: getattr(value, name)
        for base in reversed(type(value).__mro__)
        for name, each in vars(base).items()
        if isinstance(each, Function)
    }
    own = {name: each for name, each in vars(value).items() if is_function(each)}
    return methods | own


def is_function(value: Any) -> bool:
    """Whether it can be saved as a function."""
    return isinstance(value, (ConcreteFunction, Function, RestoredFunction))
