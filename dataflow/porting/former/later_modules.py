"""What h5py and Pillow have changed: texts that programs decode, names, sizes of texts."""

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


def _named(module: ModuleType) -> None:
    for former, name in (("ANTIALIAS", "LANCZOS"), ("LINEAR", "BILINEAR"), ("CUBIC", "BICUBIC")):
        if not hasattr(module, former):
            setattr(module, former, getattr(module.Resampling, name))


def _measuring(module: ModuleType) -> None:
    def getsize(self: Any, text: Any, *args: Any, **kwargs: Any) -> Any:
        return tuple(self.getbbox(text, *args, **kwargs)[2:])

    for font in (module.ImageFont, module.FreeTypeFont):
        if not hasattr(font, "getsize"):
            font.getsize = getsize


def _drawing(module: ModuleType) -> None:
    def textsize(self: Any, text: Any, *args: Any, **kwargs: Any) -> Any:
        return tuple(self.textbbox((0, 0), text, *args, **kwargs)[2:])

    if not hasattr(module.ImageDraw, "textsize"):
        module.ImageDraw.textsize = textsize


AFTER_IMPORT: Final = {
    "h5py._hl.attrs": _decodable,
    "PIL.Image": _named,
    "PIL.ImageDraw": _drawing,
    "PIL.ImageFont": _measuring,
}
"""By module, what changes it once it has been imported."""
