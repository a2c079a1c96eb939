"""Where layers put their variables and outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dataflow.contrib.framework.variables import model_variable
from dataflow.graph import scopes
from dataflow.variables.partitioned import PartitionedVariable

_PASSED = (
    "shape",
    "dtype",
    "initializer",
    "regularizer",
    "trainable",
    "collections",
    "caching_device",
    "partitioner",
    "use_resource",
    "synchronization",
    "aggregation",
)
"""What a variable's request has that `model_variable` takes."""


def variable_getter(renamed: Mapping[str, str] | None = None) -> Callable[..., Any]:
    """What makes a layer's variables: in MODEL_VARIABLES, and by the names they have here.

    Args:
      renamed: The last part of a name here, by that in `tf.layers`.
    """

    def get(getter: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        begin, slash, last = name.rpartition("/")
        name = f"{begin}{slash}{(renamed or {}).get(last, last)}"
        more = {key: kwargs[key] for key in _PASSED if key in kwargs}
        rest = {key: value for key, value in kwargs.items() if key not in _PASSED}

        def inner(name: str, **wanted: Any) -> Any:
            return getter(name, *args, **{**rest, **wanted})

        return model_variable(name, custom_getter=inner, **more)

    return get


def add_variable(variable: Any, collections: Any, kind: str) -> None:
    """Puts a variable, and each of its parts, into the collections for its kind."""
    wanted = get_variable_collections(collections, kind) or []
    parts = list(variable) if isinstance(variable, PartitionedVariable) else [variable]
    for collection in wanted:
        for part in parts:
            if not any(each is part for each in scopes.get_collection(collection)):
                scopes.add_to_collection(collection, part)


def get_variable_collections(variables_collections: Any, name: str) -> Any:
    """The collections for a kind of variables: those of a dictionary, or all."""
    if isinstance(variables_collections, Mapping):
        return variables_collections.get(name)
    return variables_collections


def collect_named_outputs(collections: Any, alias: str, outputs: Any) -> Any:
    """Puts a layer's output into collections, where it goes by an alias; returns it."""
    if collections:
        append_tensor_alias(outputs, alias)
        names = [collections] if isinstance(collections, str) else collections
        scopes.add_to_collections(names, outputs)
    return outputs


def append_tensor_alias(tensor: Any, alias: str) -> Any:
    """Gives a tensor one more alias."""
    alias = alias.removesuffix("/")
    tensor.aliases = [*getattr(tensor, "aliases", ()), alias]
    return tensor


def gather_tensors_aliases(tensors: Any) -> list[str]:
    """The aliases of tensors, or their names."""
    return [alias for tensor in tensors for alias in get_tensor_aliases(tensor)]


def get_tensor_aliases(tensor: Any) -> list[str]:
    """The aliases of a tensor, or its name if it has none."""
    found = getattr(tensor, "aliases", None)
    if found:
        return list(found)
    name = str(tensor.name)
    return [name.removesuffix(":0")]


def convert_collection_to_dict(collection: str, clear_collection: bool = False) -> dict[str, Any]:
    """The outputs in a collection by their aliases."""
    found = {
        alias: tensor
        for tensor in scopes.get_collection(collection)
        for alias in get_tensor_aliases(tensor)
    }
    if clear_collection:
        del scopes.get_collection_ref(collection)[:]
    return found
