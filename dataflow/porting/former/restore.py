"""Brings former names back in this process, where they are missing."""

from __future__ import annotations

import ctypes
import importlib
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder, SourceLoader
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any, Final

import numpy as np

from dataflow.porting.former.generated_messages import SUFFIX, Generated, is_former
from dataflow.porting.former.later_modules import AFTER_IMPORT, DROPPED, MOVED
from dataflow.porting.former.numpy_arguments import ARGUMENTS
from dataflow.porting.former.numpy_names import (
    CHANGED,
    CONVERSIONS,
    METHODS,
    NAMES,
    TRUTH_METHODS,
)
from dataflow.porting.former.python_names import PYTHON

_FLAGS: Final = object.__basicsize__ + 19 * ctypes.sizeof(ctypes.c_void_p)
"""Where a type has its flags: behind ob_size and 18 pointers, from tp_name to tp_as_buffer."""

_IMMUTABLE: Final = 1 << 8
"""Py_TPFLAGS_IMMUTABLETYPE."""


def restore_former_names() -> None:
    """Gives Python, numpy and scipy.misc the names back that programs of 2015 to 2019 use.

    For this process only; names that are there stay as they are. A second call does nothing.
    """
    if _FINDER in sys.meta_path:
        return
    for owner, names in (*PYTHON, (np, NAMES), (np.lib, {"pad": np.pad})):
        for name, value in names.items():
            if name not in vars(owner):
                setattr(owner, name, value)
    for name, value in {**CHANGED, **ARGUMENTS}.items():
        setattr(np, name, value)
    _change(np.ndarray, METHODS, CONVERSIONS)
    _change(np.bool_, TRUTH_METHODS, {})
    for name, change in AFTER_IMPORT.items():
        if name in sys.modules:
            change(sys.modules[name])
    sys.meta_path.insert(0, _FINDER)


def _change(kind: type, missing: Mapping[str, Any], changed: Mapping[str, Any]) -> None:
    """Gives a type of C methods that it lacks, and others in the place of some that it has.

    A flag forbids to set its attributes; where the flags are not where CPython has them, it stays
    as it is. Set as attributes, conversions are there for `int(array)` as for C code that asks.
    """
    flags = ctypes.c_ulong.from_address(id(kind) + _FLAGS)
    if flags.value != kind.__flags__:
        return
    flags.value &= ~_IMMUTABLE
    try:
        for name, value in missing.items():
            if not hasattr(kind, name):
                setattr(kind, name, value)
        for name, value in changed.items():
            setattr(kind, name, value)
    finally:
        flags.value |= _IMMUTABLE


class _Finder(MetaPathFinder, Loader):
    """Has modules that are gone, as `scipy.misc`; changes some modules once they are there."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.endswith(SUFFIX):
            return _generated(PathFinder.find_spec(fullname, path))
        if fullname in DROPPED:
            return PathFinder.find_spec(fullname, path) or ModuleSpec(fullname, self)
        if fullname not in AFTER_IMPORT:
            return ModuleSpec(fullname, self) if fullname in MOVED else None
        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and spec.loader is not None:
            spec.loader = _Changing(spec.loader, AFTER_IMPORT[fullname])
        return spec

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        sys.modules[name] = importlib.import_module(MOVED.get(name) or DROPPED[name])


def _generated(spec: ModuleSpec | None) -> ModuleSpec | None:
    """Of a former generated module how it is loaded; None leaves it to the other finders."""
    if spec is None or not isinstance(spec.loader, SourceLoader):
        return None
    if not is_former(spec.loader, spec.name):
        return None
    spec.loader = Generated(spec.loader)
    return spec


class _Changing(Loader):
    """Loads a module as another loader does, then changes it."""

    def __init__(self, loader: Loader, change: Callable[[ModuleType], None]) -> None:
        self._loader, self._change = loader, change

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        self._change(module)


_FINDER = _Finder()
