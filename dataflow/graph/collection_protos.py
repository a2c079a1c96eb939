"""How what is in a collection becomes messages, and messages what is in the collection."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple


class ProtoFunctions(NamedTuple):
    """The message of a collection's items, and the functions from and to it."""

    message: Any
    to_proto: Callable[..., Any] | None
    from_proto: Callable[..., Any] | None


_FUNCTIONS: dict[Hashable, ProtoFunctions] = {}


def register_proto_function(
    collection_name: Hashable,
    proto_type: Any = None,
    to_proto: Callable[..., Any] | None = None,
    from_proto: Callable[..., Any] | None = None,
) -> None:
    """Says how the items of a collection are written into a MetaGraphDef, and read from it.

    Args:
      collection_name: Name of the collection.
      proto_type: Class of the messages.
      to_proto: `f(item, export_scope=...)`: the message, or None to leave the item out.
      from_proto: `f(message, import_scope=...)`: the item, in the default graph.

    Raises:
      TypeError: A function is none.
      KeyError: The collection has functions already.
    """
    if to_proto and not callable(to_proto):
        raise TypeError("to_proto must be callable.")
    if from_proto and not callable(from_proto):
        raise TypeError("from_proto must be callable.")
    if collection_name in _FUNCTIONS:
        raise KeyError(f"Collection {collection_name!r} has functions for its messages already.")
    _FUNCTIONS[collection_name] = ProtoFunctions(proto_type, to_proto, from_proto)


def proto_functions(collection_name: Hashable) -> ProtoFunctions:
    """The functions of a collection; None in the place of each that it has not."""
    return _FUNCTIONS.get(collection_name, ProtoFunctions(None, None, None))
