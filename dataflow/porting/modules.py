"""Modules that stand for TensorFlow's, and ask ours for each name that a program wants."""

from __future__ import annotations

import difflib
import functools
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final

from dataflow.contrib.absent import PARTS, Absent, AbsentPart
from dataflow.porting.contrib_paths import FOLDERS
from dataflow.porting.imports import imported
from dataflow.porting.keras_paths import KERAS_VERSION
from dataflow.porting.paths import PACKAGES, PUBLIC, SOURCES
from dataflow.porting.rebound import REBOUND, ReboundModule
from dataflow.porting.spellings.autograph import INTERNALS, Internals
from dataflow.porting.versioned import versioned
from dataflow.schema.opdef import registered_ops
from dataflow.values.versions import (
    COMPILER_VERSION,
    CXX11_ABI_FLAG,
    GIT_VERSION,
    MONOLITHIC_BUILD,
    VERSION,
)

DEFINES_OPS: Final = "tensorflow.python.framework.test_ops"
"""The module whose import defines ops."""
_SUBSYSTEMS: Final = {
    "tensorflow.python.distribute.": "only strategies of one replica are here",
    "tensorflow.python.tpu.": "there are no TPUs here",
    "tensorflow.core.protobuf.tpu.": "there are no TPUs here",
    "tensorflow.contrib.tpu.": "there are no TPUs here",
    "tensorflow.python.debug.": "of the debugger only what programs import of it is here",
    "tensorflow.python.eager.": "graphs and sessions are what runs here, nothing eager",
    "tensorflow.lite": "TensorFlow Lite is not here",
    "tensorflow.python.grappler.": "Grappler is not here",
    "tensorflow.python.compiler.": "TensorRT and XLA are not here",
}
"""Begins the paths of what is not here -> what an error says of it."""
_INNER: Final = "tensorflow.python."
"""Begins the paths of modules that TensorFlow's own code looks into."""
_OWN: Final = ("_path", "_replaced")
"""What such a module keeps for itself; other names that begin so are TensorFlow's."""
_PUBLIC_ROOTS: Final = ("tensorflow", "tensorflow.compat.v1", "tensorflow.compat.v2")
_NAMING_FOLDERS: Final = ("tensorflow.contrib.framework.python.ops",)
"""The folders of operations in tf.contrib that name what is in their files."""
_RAW: Final = "tensorflow.python.ops.gen_"
_WITH_RAW: Final = (
    "tensorflow.python.ops.",
    "tensorflow.python.training.training_ops",
    "tensorflow.python.training.gen_training_ops",
    DEFINES_OPS,
)
"""Modules that show the generated functions, too."""


class TensorflowModule(ModuleType):
    """A module of TensorFlow's name whose attributes are those of our modules."""

    def __init__(self, name: str) -> None:
        """Makes one, without looking at what it will be asked for."""
        super().__init__(name, f"{name}: names of this library under TensorFlow's path.")
        self._path = name
        self._replaced: dict[str, tuple[ModuleType, Any]] = {}
        if name in _PUBLIC_ROOTS:
            # Programs say where they found TensorFlow, or look for files beside it.
            self.__file__ = importlib.import_module(PUBLIC).__file__
        if name in (*_PUBLIC_ROOTS, "tensorflow.python.framework.versions"):
            self.__cxx11_abi_flag__, self.__monolithic_build__ = CXX11_ABI_FLAG, MONOLITHIC_BUILD
            self.__version__ = self.VERSION = VERSION
            self.__git_version__ = self.GIT_VERSION = GIT_VERSION
            self.__compiler_version__ = self.COMPILER_VERSION = COMPILER_VERSION
        elif name.endswith(".keras"):
            self.__version__ = KERAS_VERSION

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return dir(self)
        if name.startswith("__"):
            raise AttributeError(name)
        found, value = self._find(name)
        if not found:
            raise AttributeError(_missing(self._path, name, dir(self)))
        # A flag may be another one the next time.
        if not name.startswith("_") and not isinstance(value, bool):
            self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        """Sets it where it is defined, too, for tests that put a double in a module's place."""
        if name not in _OWN and not name.startswith("__"):
            path = f"{self._path}.{name}"
            is_import = isinstance(value, ModuleType) and value is sys.modules.get(path)
            if is_import and path in REBOUND:
                return  # An import binds what it loaded; TensorFlow binds the name anew later.
            # What an import binds is no double: the names of our modules stay what they are.
            if not is_import and path not in REBOUND and self._path.startswith(_INNER):
                self._set_where_defined(name, value)
        self.__dict__[name] = value

    def __delattr__(self, name: str) -> None:
        """Brings back what was there before anything was set."""
        super().__delattr__(name)
        if name in self._replaced:
            place, value = self._replaced.pop(name)
            setattr(place, name, value)

    def _set_where_defined(self, name: str, value: Any) -> None:
        place = self._definer(name)
        if place is not None:
            self._replaced.setdefault(name, (place, vars(place)[name]))
        if name in self._replaced:
            setattr(self._replaced[name][0], name, value)

    def _definer(self, name: str) -> ModuleType | None:
        """The module of ours that defines what a name means, or that imports a module by it."""
        for source in map(importlib.import_module, self._sources()):
            if name in vars(source):
                value = vars(source)[name]
                home = getattr(value, "__module__", None) or source.__name__
                place = None if home == PUBLIC else sys.modules.get(home)
                return place if place and vars(place).get(name) is value else None
        return None

    def _find(self, name: str) -> tuple[bool, Any]:
        path = f"{self._path}.{name}"
        if path in REBOUND:
            return True, ReboundModule(path)
        if _is_file(path):
            return True, importlib.import_module(path)
        has_table = path in SOURCES or path in PACKAGES
        found: list[Any] = []
        for source in self._sources():
            try:
                value = getattr(importlib.import_module(source), name)
            except AttributeError:
                continue
            if not isinstance(value, ModuleType | Absent):
                return True, value
            # What a module imports for itself, or lacks, does not hide what the others define.
            found.append(value)
        if self._path.startswith(_INNER) and not has_table and self._path not in PACKAGES:
            # What our modules import by that name may be another one.
            found = [*filter(None, [imported(name)]), *found]
        if found and not has_table:
            return True, found[0]
        if self._path.startswith(_RAW):
            function = _raw_functions().get(name.removeprefix("_"))
            return function is not None, function
        if _is_listed(path):
            return True, importlib.import_module(path)
        is_versioned, value = versioned(name, self._sources())
        if not is_versioned and self._path.startswith(_WITH_RAW):
            value = _raw_functions().get(name)
        if value is None and found:
            return True, found[0]
        return value is not None, value

    def _sources(self) -> tuple[str, ...]:
        sources = SOURCES.get(self._path) or _of_contrib(self._path)
        return tuple(source for source in sources if _exists(source))

    def __dir__(self) -> list[str]:
        names = {name for name in self.__dict__ if not name.startswith("_")}
        for source in self._sources():
            shown = importlib.import_module(source)
            names.update(name for name in dir(shown) if not name.startswith("_"))
        if self._path.startswith(_RAW):
            names.update(_raw_functions())
        inside = f"{self._path}."
        names.update(
            path.removeprefix(inside).split(".")[0]
            for path in (*SOURCES, *PACKAGES)
            if path.startswith(inside)
        )
        return sorted(names)


def is_known(path: str) -> bool:
    """Whether TensorFlow's path leads to something here."""
    return _is_listed(path) or (_is_place_in_contrib(path) and bool(_of_contrib(path)))


def _is_listed(path: str) -> bool:
    if path in SOURCES or path in PACKAGES or absent_module(path) or ours(path) is not None:
        return True
    return path.startswith(_RAW) and path.endswith(("_ops", "_ops_v2"))


def _is_file(path: str) -> bool:
    """Whether a path is that of a file in a folder of tf.contrib that names nothing itself, though
    one of the file's functions may have its name."""
    folder = path.rpartition(".")[0]
    inside = folder.startswith("tensorflow.contrib.") and folder.endswith(".python.ops")
    return path in SOURCES and inside and folder not in _NAMING_FOLDERS


def ours(path: str) -> str | None:
    """Our module of the same name, if a path is one of TensorFlow's public modules or protos."""
    if path in SOURCES or path in PACKAGES:
        return None
    if path.startswith("tensorflow.core."):
        name = f"dataflow.proto.{path.rsplit('.', 1)[1]}"
        return name if name.endswith("_pb2") and _exists(name) else None
    inside = path.removeprefix("tensorflow.")
    if inside == path or inside.split(".")[0] not in dir(importlib.import_module(PUBLIC)):
        return None
    name = f"dataflow.{inside}"
    return name if _exists(name) else None


def absent_module(path: str) -> ModuleType | None:
    """What stands for a module of a part that is known and not here, for programs to import."""
    if path in SOURCES or path in PACKAGES:
        return None
    if path.startswith(INTERNALS):
        return Internals(path)
    parts = path.split(".")
    if parts[:2] == ["tensorflow", "contrib"] and len(parts) > 2 and parts[2] in PARTS:
        return AbsentPart(path)
    found = (about for begin, about in _SUBSYSTEMS.items() if f"{path}.".startswith(begin))
    return next((AbsentPart(path, about) for about in found), None)


def _is_place_in_contrib(path: str) -> bool:
    """Whether a path below a part of tf.contrib can be a module's there, and no function's."""
    folder, _, name = ".".join(path.split(".")[3:]).rpartition(".")
    return name == "python" or (name.islower() and folder in FOLDERS)


def _of_contrib(path: str) -> tuple[str, ...]:
    """For a path inside a part of tf.contrib that is here: where its names may be."""
    above, part, inside = path, path.split(".")[2:3], ".python" in path
    if not path.startswith("tensorflow.contrib.") or not inside or not _exists(_contrib(part[0])):
        return ()
    while not SOURCES.get(above) and "." in above:
        above = above.rpartition(".")[0]
    return tuple(dict.fromkeys((*SOURCES.get(above, ()), _contrib(part[0]))))


def _contrib(part: str) -> str:
    return f"{PUBLIC}.contrib.{part}"


def _exists(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:
        return False


def _missing(path: str, name: str, names: list[str]) -> str:
    others = [other for other in names if other != name]
    close = difflib.get_close_matches(name, others, n=1, cutoff=0.6)
    hint = f" The nearest that there is: {path}.{close[0]}." if close else ""
    return f"dataflow has no {path}.{name}.{hint}"


def no_such_module(path: str) -> ModuleNotFoundError:
    """The error for a path that leads nowhere, with the nearest that leads somewhere."""
    parent, _, name = path.rpartition(".")
    return _NoSuchModule(_missing(parent, name, dir(sys.modules[parent])), path)


class _NoSuchModule(ModuleNotFoundError):
    def __init__(self, message: str, path: str) -> None:
        super().__init__(message)
        self._path = path

    @property
    def name(self) -> str | None:  # type: ignore[override]
        """The path, by which `pydoc.locate` knows that its last part may be an attribute.

        `from parent import name` would take an error with the path for one about a name that is no
        module, and say less; it sees none.
        """
        return None if sys._getframe(1).f_code.co_name == "_handle_fromlist" else self._path


# Tracebacks show it as Python's own.
_NoSuchModule.__module__, _NoSuchModule.__qualname__ = "builtins", ModuleNotFoundError.__name__


def _raw_functions() -> dict[str, Callable[..., Any]]:
    """By its name in TensorFlow's generated modules, each op as a function."""
    # Modules that are imported later, as parts of contrib, define more.
    return _functions_of(len(registered_ops()))


@functools.lru_cache(maxsize=1)
def _functions_of(count: int) -> dict[str, Callable[..., Any]]:
    raw = importlib.import_module(f"{PUBLIC}.raw_ops")
    return {_snake(op): _positional(raw, op) for op in dir(raw)}


def _positional(raw: ModuleType, op: str) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        function = getattr(raw, op)
        names = list(inspect.signature(function).parameters)
        return function(**dict(zip(names, args, strict=False)), **kwargs)

    call.__name__ = call.__qualname__ = _snake(op)
    return call


def _snake(op: str) -> str:
    """BiasAddGrad -> bias_add_grad, LRN -> lrn, Conv2D -> conv2d, as TensorFlow generates them."""
    letters = []
    for index, letter in enumerate(op):
        before, after = op[index - 1 : index], op[index + 1 : index + 2]
        starts = letter.isupper() and (before.islower() or (before.isalnum() and after.islower()))
        if index and starts and before != "_":
            letters.append("_")
        letters.append(letter.lower())
    return "".join(letters)
