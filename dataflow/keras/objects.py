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


def serialize_keras_class_and_config(cls_name: str, cls_config: Any) -> dict[str, Any]:
    """What tells of an object by its class and configuration."""
    return {"class_name": cls_name, "config": cls_config}


def class_and_config_for_serialized_keras_object(
    config: Any,
    module_objects: Mapping[str, Any] | None = None,
    custom_objects: Mapping[str, Any] | None = None,
    printable_module_name: str = "object",
) -> tuple[Any, Any]:
    """The class and the configuration that `serialize_keras_object` told of.

    Raises:
      ValueError: There is no such class, or it tells of none.
    """
    if not isinstance(config, Mapping) or "class_name" not in config or "config" not in config:
        raise ValueError(f"Improper config format: {config}")
    name = config["class_name"]
    for names in (custom_objects or {}, _CUSTOM):
        if name in names:
            return names[name], config["config"]
    cls = (module_objects or {}).get(name)
    if cls is None:
        raise ValueError(f"Unknown {printable_module_name}: {name}")
    return cls, config["config"]


def serialize_keras_object(instance: Any) -> Any:
    """The class and configuration of an object, or the name of a function.

    Raises:
      ValueError: It has neither.
    """
    if instance is None:
        return None
    if hasattr(instance, "get_config"):
        return serialize_keras_class_and_config(type(instance).__name__, instance.get_config())
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
            raise ValueError(f"Unknown {printable_module_name}:{identifier}")
        found = names[identifier]
        return found() if inspect.isclass(found) else found
    if not isinstance(identifier, Mapping):
        raise ValueError(f"Could not interpret serialized {printable_module_name}: {identifier}")
    cls, config = class_and_config_for_serialized_keras_object(
        identifier, module_objects, custom_objects, printable_module_name
    )
    if not hasattr(cls, "from_config"):
        return cls(**config)
    if "custom_objects" in inspect.signature(cls.from_config).parameters:
        return cls.from_config(config, custom_objects={**_CUSTOM, **(custom_objects or {})})
    with CustomObjectScope(custom_objects or {}):
        return cls.from_config(config)
