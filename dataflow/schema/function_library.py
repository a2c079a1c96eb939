"""The functions that come with a GraphDef, against those a graph has already."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dataflow.errors import InvalidArgumentError
from dataflow.proto.function_pb2 import FunctionDef, FunctionDefLibrary
from dataflow.schema import opdef

MIN_CONSUMER: Final = 12
"""The oldest reader of GraphDef that knows functions."""


def new_functions(
    library: FunctionDefLibrary,
    functions: Mapping[str, FunctionDef],
    gradients: Mapping[str, str],
) -> tuple[dict[str, FunctionDef], dict[str, str]]:
    """The functions and gradient functions of a library that a graph does not have yet.

    Args:
      library: The library to add.
      functions: The graph's functions by name.
      gradients: Names of its functions -> names of those that compute their gradients.

    Returns:
      Copies of the functions by name, and the library's gradient functions by function.

    Raises:
      InvalidArgumentError: A name stands for something else already.
    """
    added: dict[str, FunctionDef] = {}
    for function in library.function:
        name = function.signature.name
        known = added.get(name) or functions.get(name)
        if known is not None:
            if known != function:
                raise name_taken(name, "a different function with the same name")
            continue
        if opdef.find(name) is not None:
            raise name_taken(name, "an op with the same name")
        twin = FunctionDef()
        twin.CopyFrom(function)
        added[name] = twin
    added_gradients = {g.function_name: g.gradient_func for g in library.gradient}
    for name in added_gradients.keys() & gradients.keys():
        if added_gradients[name] != gradients[name]:
            raise InvalidArgumentError(
                None,
                None,
                f"Cannot assign gradient function '{added_gradients[name]}' to '{name}' because it "
                f"already has gradient function '{gradients[name]}'",
            )
    return added, added_gradients


def name_taken(name: str, what: str) -> InvalidArgumentError:
    """The error for a function whose name something else has."""
    return InvalidArgumentError(
        None, None, f"Cannot add function '{name}' because {what} already exists."
    )
