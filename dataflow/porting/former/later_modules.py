"""What h5py, Pillow, scipy and others have changed: texts to decode, modes, names, places."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Final

import numpy as np

from dataflow.porting.former.literal_nodes import literal_nodes


class _Text(str):
    """A text that may be decoded, for h5py 2 gave bytes."""

    __slots__ = ()

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        return str(self)


def _text(value: Any) -> Any:
    return _Text(value) if type(value) is str else value


def _decodable(module: ModuleType) -> None:
    manager = module.AttributeManager
    get, put = manager.__getitem__, manager.__setitem__

    def getitem(self: Any, name: str) -> Any:
        value = get(self, name)
        if isinstance(value, np.ndarray) and value.dtype == object:
            for place, each in np.ndenumerate(value):
                value[place] = _text(each)
        return _text(value)

    def setitem(self: Any, name: str, value: Any) -> None:
        # A list of bytes was kept as an array of them, and read as one.
        listed = isinstance(value, (list, tuple)) and any(isinstance(each, bytes) for each in value)
        put(self, name, np.asarray(value) if listed else value)

    manager.__getitem__, manager.__setitem__ = getitem, setitem


def _opening(module: ModuleType) -> None:
    begin = module.File.__init__

    def init(self: Any, name: Any, mode: str | None = None, *args: Any, **options: Any) -> None:
        # Without a mode a file was opened to be written, else to be read, else made.
        for each in ("r+", "r") if mode is None else ():
            try:
                begin(self, name, each, *args, **options)
                return
            except OSError:
                pass
        begin(self, name, mode or "w-", *args, **options)

    module.File.__init__ = init
    if not hasattr(module.File, "fid"):
        module.File.fid = property(lambda self: self.id)


def _valued(module: ModuleType) -> None:
    if not hasattr(module.Dataset, "value"):
        module.Dataset.value = property(lambda self: self[()])


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


def _loading(module: ModuleType) -> None:
    for load in (module.load, module.load_all):
        # Its second argument was optional.
        load.__defaults__ = load.__defaults__ or (module.FullLoader,)


def _as_matrices(module: ModuleType) -> None:
    def as_matrix(self: Any, columns: Any = None) -> Any:
        return (self if columns is None else self[columns]).to_numpy()

    for table in (module.DataFrame, module.Series):
        if not hasattr(table, "as_matrix"):
            table.as_matrix = as_matrix


def _with_modules(module: ModuleType) -> None:
    # A package it was; without a path no module in it is looked for.
    if not hasattr(module, "__path__"):
        module.__path__ = []


_SPARSE_SOLVERS: Final = {
    "dsolve": ("linsolve",),
    "eigen": ("arpack", "lobpcg"),
    "isolve": ("iterative", "lgmres", "lsmr", "lsqr", "minres", "utils"),
}
"""By package of scipy.sparse.linalg that is a plain module now: what moved to `_package`."""

AFTER_IMPORT: Final = {
    **{f"scipy.sparse.linalg.{package}": _with_modules for package in _SPARSE_SOLVERS},
    "h5py._hl.attrs": _decodable,
    "h5py._hl.dataset": _valued,
    "h5py._hl.files": _opening,
    "ast": literal_nodes,
    "gast": literal_nodes,
    "PIL.Image": _named,
    "PIL.ImageDraw": _drawing,
    "PIL.ImageFont": _measuring,
    "pandas": _as_matrices,
    "yaml": _loading,
}
"""By module, what changes it once it has been imported."""

MOVED: Final = {
    "scipy.misc": "dataflow.porting.former.scipy_images",
    **{
        f"scipy.sparse.linalg.{package}.{name}": f"scipy.sparse.linalg._{package}.{name}"
        for package, names in _SPARSE_SOLVERS.items()
        for name in names
    },
    "sklearn.cross_validation": "sklearn.model_selection",
    "sklearn.externals.joblib": "joblib",
    "sklearn.grid_search": "sklearn.model_selection",
}
"""Modules that are gone, or empty, and where what was in them is now."""
DROPPED: Final = {
    "distutils": "dataflow.porting.former",
    "distutils.version": "dataflow.porting.former.loose_versions",
    "pkg_resources": "dataflow.porting.former.installed_packages",
}
"""Modules that setuptools or Python had, and what stands in for them where they are missing."""
