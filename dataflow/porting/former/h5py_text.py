"""Attributes of HDF5 as h5py 2 gave them: texts that programs decode."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Final

import numpy as np


class _Text(str):
    """A text that may be decoded, for h5py 2 gave bytes."""

    __slots__ = ()

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        return str(self)


def _text(value: Any) -> Any:
    return _Text(value) if type(value) is str else value


def _decodable(module: ModuleType) -> None:
    manager = module.AttributeManager
    get = manager.__getitem__

    def getitem(self: Any, name: str) -> Any:
        value = get(self, name)
        if isinstance(value, np.ndarray) and value.dtype == object:
            for place, each in np.ndenumerate(value):
                value[place] = _text(each)
        return _text(value)

    manager.__getitem__ = getitem


AFTER_IMPORT: Final = {"h5py._hl.attrs": _decodable}
"""By module, what changes it once it has been imported."""
