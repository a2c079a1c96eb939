"""Submodules of a package: imported all at once, or each when it is asked for."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import sys
from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType, ModuleType
from typing import Any, NoReturn


def import_all(package: ModuleType) -> None:
    """Imports every module of a package and of the packages in it."""
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)


def on_demand(
    package: str,
    hidden: Collection[str],
    mistakes: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
    elsewhere: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of a package whose submodules are public names.

    Args:
      package: Its name.
      hidden: Submodules that are not public, and are no attributes until somebody imports them.
      mistakes: By submodule, "" for the package itself: names that programs ask for by mistake, and
        what they are told.
      elsewhere: Names of the package's own that are costly to load, and the modules they are in.

    Returns:
      The two functions. `dir` and `from package import *` show what the package defines, and the
      submodules that are not hidden.
    """
    module = sys.modules[package]

    @functools.cache
    def submodules() -> frozenset[str]:
        names = {each.name for each in pkgutil.iter_modules(module.__path__)}
        return frozenset(name for name in names - {*hidden} if not name.startswith("_"))

    class Package(ModuleType):
        """Tells each submodule what is asked of it by mistake, whoever imports it."""

        def __reduce__(self) -> tuple[Callable[[str], ModuleType], tuple[str]]:
            # Functions that use it are sent to other processes, as Ray's tasks are.
            return importlib.import_module, (self.__name__,)

        def __setattr__(self, name: str, value: Any) -> None:
            super().__setattr__(name, value)
            if name in mistakes and isinstance(value, ModuleType):
                vars(value)["__getattr__"] = functools.partial(_refuse, value, mistakes[name])

    module.__class__ = Package
    for name in mistakes:
        if name in vars(module):
            setattr(module, name, vars(module)[name])

    def get_attribute(name: str) -> Any:
        if name in submodules():
            return importlib.import_module(f"{package}.{name}")
        if name in elsewhere:
            found = getattr(importlib.import_module(elsewhere[name]), name)
            setattr(module, name, found)
            return found
        if name == "__all__":
            return list_names()
        _refuse(module, mistakes.get("", {}), name)

    def list_names() -> list[str]:
        own = {
            name
            for name, value in vars(module).items()
            if not name.startswith("_") and not isinstance(value, ModuleType)
        }
        return sorted(own | submodules() | {*elsewhere})

    return get_attribute, list_names


def _refuse(module: ModuleType, mistakes: Mapping[str, str], name: str) -> NoReturn:
    """Says that a module has no such name."""
    if name in mistakes:
        # With its name Python would suggest another one.
        raise AttributeError(mistakes[name], name="", obj=module)
    text = f"module {module.__name__!r} has no attribute {name!r}"
    raise AttributeError(text, name=name, obj=module)
