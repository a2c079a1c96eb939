"""tensorflow.python.util: which names a module shows, and modules that load when they are used."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Final

from dataflow.values import logging

_MENTION: Final = re.compile(r"^@@(\w+)$", re.MULTILINE)


def make_all(module_name: str, doc_string_modules: Any = None) -> list[str]:
    """The names of a module that docstrings mention as @@name: by default its own."""
    module = sys.modules[module_name]
    texts = [each.__doc__ or "" for each in doc_string_modules or [module]]
    mentioned = {name for text in texts for name in _MENTION.findall(text)}
    return [name for name in mentioned if hasattr(module, name)]


def remove_undocumented(
    module_name: str, allowed_exception_list: Any = None, doc_string_modules: Any = None
) -> None:
    """Deletes a module's names that no docstring mentions, and no list or underscore keeps."""
    module = sys.modules[module_name]
    kept = {*make_all(module_name, doc_string_modules), *(allowed_exception_list or ())}
    for name in [each for each in vars(module) if each not in kept and not each.startswith("_")]:
        delattr(module, name)


class LazyLoader(ModuleType):
    """Stands for a module that is imported when it is asked for a name."""

    def __init__(
        self,
        local_name: str,
        parent_module_globals: dict[str, Any],
        name: str,
        warning: str | None = None,
    ) -> None:
        """Takes the name that the module has for its user, the user's globals and its own."""
        super().__init__(name)
        self._local_name = local_name
        self._parent_module_globals = parent_module_globals
        self._warning = warning

    def _load(self) -> ModuleType:
        module = importlib.import_module(self.__name__)
        self._parent_module_globals[self._local_name] = module
        if self._warning:
            logging.warning(self._warning)
            self._warning = None
        return module

    def __getattr__(self, item: str) -> Any:
        return getattr(self._load(), item)

    def __dir__(self) -> list[str]:
        return dir(self._load())


@contextmanager
def silence() -> Iterator[None]:
    """A context in which programs want no warnings of what will go; it leaves them as they are."""
    yield
