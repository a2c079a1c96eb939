"""tensorflow.python.util.module_wrapper: modules that tell of names that go, or load others."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from dataflow.values import logging

_PER_MODULE_WARNING_LIMIT = 1
"""Of how many names of a module is told."""

symbol_renames: dict[str, str] = {}
"""Full name -> the one to use in its place (tensorflow.tools.compatibility.all_renames_v2)."""


class TFModuleWrapper(ModuleType):
    """Stands for a module: tells of names that go, and imports what is public when it is used."""

    def __init__(
        self,
        wrapped: ModuleType,
        module_name: str,
        public_apis: Mapping[str, tuple[str, str]] | None = None,
        deprecation: bool = True,
        has_lite: bool = False,
    ) -> None:
        """Takes the module.

        Args:
          wrapped: The module.
          module_name: Its name behind "tf.", for warnings; "" for tf itself.
          public_apis: Name -> the module and the name in it that it stands for; "" and a name for
            a module.
          deprecation: Whether names that go are told of.
          has_lite: Whether `lite` comes from `public_apis`, whatever the module has by this name.
        """
        super().__init__(wrapped.__name__)
        shown = {name for name in (*vars(wrapped), *(public_apis or ())) if name[:1] != "_"}
        self.__dict__.update(vars(wrapped))
        self.__dict__.update(
            _tfmw_wrapped_module=wrapped,
            _tfmw_module_name=module_name,
            _tfmw_public_apis=public_apis or {},
            _tfmw_print_deprecation_warnings=deprecation,
            _tfmw_has_lite=has_lite,
            _tfmw_told=set(),
        )
        self.__all__ = [*getattr(wrapped, "__all__", sorted(shown))]

    def __getattribute__(self, name: str) -> Any:
        own = object.__getattribute__(self, "__dict__")
        if name.startswith("_") or "_tfmw_told" not in own:
            return super().__getattribute__(name)
        if name == "lite" and own["_tfmw_has_lite"]:
            return own["_tfmw_public_apis"] and self._load(name)
        value = own[name] if name in own else self.__getattr__(name)
        if own["_tfmw_print_deprecation_warnings"]:
            self._tell(name)
        return value

    def __getattr__(self, name: str) -> Any:
        own = object.__getattribute__(self, "__dict__")
        if name in own.get("_tfmw_public_apis", {}):
            return self._load(name)
        return getattr(own["_tfmw_wrapped_module"], name)

    def _load(self, name: str) -> Any:
        module, inner = self._tfmw_public_apis[name]
        loaded = importlib.import_module(module or inner)
        value = getattr(loaded, inner) if module else loaded
        setattr(self, name, value)
        return value

    def _tell(self, name: str) -> None:
        told = self._tfmw_told
        if name in told or len(told) >= _PER_MODULE_WARNING_LIMIT:
            return
        full = ".".join(filter(None, ("tf", self._tfmw_module_name, name)))
        if full in symbol_renames:
            told.add(name)
            frame = sys._getframe(2)
            logging.warning(
                "From %s: The name %s is deprecated. Please use %s instead.\n",
                f"{frame.f_code.co_filename}:{frame.f_lineno}",
                full,
                symbol_renames[full],
            )

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[name] = value
        if not name.startswith("_"):
            setattr(self._tfmw_wrapped_module, name, value)
            if name not in self.__all__:
                self.__all__.append(name)

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        if hasattr(self._tfmw_wrapped_module, name):
            delattr(self._tfmw_wrapped_module, name)

    def __dir__(self) -> list[str]:
        return sorted({*self.__all__, *dir(self._tfmw_wrapped_module)})

    def __repr__(self) -> str:
        return repr(self._tfmw_wrapped_module)
