"""Objects by their names and configurations, those of a program's own among them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

_CUSTOM: dict[str, Any] = {}


def get_custom_objects() -> dict[str, Any]:
    """The names that a program has for functions and classes of its own; it may add to them."""
    return _CUSTOM


class CustomObjectScope:
    """Names for functions and classes that hold inside: `with CustomObjectScope({"f": f}):`."""

    def __init__(self, *args: Mapping[str, Any]) -> None:
        self.custom_objects = args
        self.backup: dict[str, Any] = {}

    def __enter__(self) -> CustomObjectScope:
        self.backup = dict(_CUSTOM)
        for each in self.custom_objects:
            _CUSTOM.update(each)
        return self

    def __exit__(self, *args: Any) -> None:
        _CUSTOM.clear()
        _CUSTOM.update(self.backup)


def custom_object_scope(*args: Mapping[str, Any]) -> CustomObjectScope:
    """See `CustomObjectScope`."""
    return CustomObjectScope(*args)


def serialize_keras_object(instance: Any) -> Any:
    """The class and configuration of an object, or the name of a function.

    Raises:
      ValueError: It has neither.
    """
    if instance is None:
        return None
    if hasattr(instance, "get_config"):
        return {"class_name": type(instance).__name__, "config": instance.get_config()}
    if hasattr(instance, "__name__"):
        return instance.__name__
    raise ValueError("Cannot serialize", instance)


def deserialize_keras_object(
    identifier: Any,
    module_objects: Mapping[str, Any] | None = None,
    custom_objects: Mapping[str, Any] | None = None,
    printable_module_name: str = "object",
) -> Any:
    """What `serialize_keras_object` told of: an object of its class, or the function.

    Raises:
      ValueError: There is nothing of this name, or it is no name.
    """
    if identifier is None or inspect.isfunction(identifier):
        return identifier
    names = {**(module_objects or {}), **_CUSTOM, **(custom_objects or {})}
    if isinstance(identifier, str):
        if names.get(identifier) is None:
            raise ValueError(f"Unknown {printable_module_name}: {identifier}")
        found = names[identifier]
        return found() if inspect.isclass(found) else found
    if not isinstance(identifier, Mapping):
        raise ValueError(f"Could not interpret serialized {printable_module_name}: {identifier}")
    if "class_name" not in identifier or "config" not in identifier:
        raise ValueError(f"Improper config format: {identifier}")
    cls = names.get(identifier["class_name"])
    if cls is None:
        raise ValueError(f"Unknown {printable_module_name}: {identifier['class_name']}")
    config = identifier["config"]
    if not hasattr(cls, "from_config"):
        return cls(**config)
    if "custom_objects" in inspect.signature(cls.from_config).parameters:
        return cls.from_config(config, custom_objects={**_CUSTOM, **(custom_objects or {})})
    with CustomObjectScope(custom_objects or {}):
        return cls.from_config(config)
