"""Writes the public names of TensorFlow that tests compare ours with: python -m tools.public_names.

One line is one name: its path, what it is, and how it is called. A second path to the same function
or class says `alias` and names the first; a class names its public bases, and lists the members
that they do not have. Signatures have no type hints.
"""

from __future__ import annotations

import enum
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from google.protobuf.message import Message

GOLDEN = Path(__file__).parents[1] / "tests" / "public_names" / "tensorflow.txt"

_OF_LIBRARIES = ("tf.compat.v1", "tf.compat.v2", "tf.keras", "tf.layers", "tf.nn.rnn_cell")
_NO_LONGER = ("tf.contrib", "tf.estimator")
_SKIPPED = frozenset((*_OF_LIBRARIES, *_NO_LONGER))
"""The libraries themselves once more, what needs Keras, which is a package of its own, and what
TensorFlow has no longer."""

_OF_THE_BUILD = frozenset(
    {
        "COMPILER_VERSION",
        "CXX11_ABI_FLAG",
        "CXX_VERSION",
        "GIT_VERSION",
        "GRAPH_DEF_VERSION",
        "GRAPH_DEF_VERSION_MIN_CONSUMER",
        "GRAPH_DEF_VERSION_MIN_PRODUCER",
        "MONOLITHIC_BUILD",
        "VERSION",
    }
)
"""Constants whose values another build of TensorFlow changes."""

_PROGRAMS = ("tensorflow", "dataflow")
"""Packages whose members of classes are listed; of what others define only the name is."""


class PublicName(NamedTuple):
    """What stands at one path."""

    kind: str
    """module, function, class, message, constant, alias, method, property or attribute."""
    text: str
    """Signature, value, or the path that an alias stands for."""

    @classmethod
    def read(cls, lines: str) -> dict[str, PublicName]:
        """The names of a file that `write` wrote, by path."""
        return {
            path: cls(kind, "".join(text))
            for path, kind, *text in (line.split(" ", 2) for line in lines.splitlines())
        }


def main(arguments: list[str]) -> None:
    """Writes TensorFlow's names into the file given, or the one that is kept."""
    import tensorflow.compat.v1 as tensorflow

    path = Path(arguments[0]) if arguments else GOLDEN
    path.write_text(write(public_names(tensorflow)), encoding="utf-8")


def write(names: dict[str, PublicName]) -> str:
    """One line for each name, sorted by path."""
    return "".join(f"{path} {kind} {text}".rstrip() + "\n" for path, (kind, text) in names.items())


def public_names(library: ModuleType) -> dict[str, PublicName]:
    """The public names of a library and of the modules in it, sorted by path.

    Args:
      library: TensorFlow's `compat.v1`, or ours; its own path is "tf".
    """
    values = dict(_walk(library))
    # The shortest path is the name of what several paths lead to.
    first: dict[int, str] = {}
    for path in sorted(values, key=lambda path: (path.count("."), path)):
        if _has_identity(values[path]):
            first.setdefault(id(values[path]), path)
    public = {path: id(value) for path, value in values.items()}
    found: dict[str, PublicName] = {}
    for path, value in values.items():
        name = first.get(public[path], path)
        if name != path:
            found[path] = PublicName("alias", name)
            continue
        found[path] = _described(path, value)
        if found[path].kind == "class":
            bases = [first[id(base)] for base in value.__mro__[1:] if id(base) in first]
            found[path] = PublicName("class", " ".join([found[path].text, *bases]))
            found.update(_members(path, value, first))
    return dict(sorted(found.items()))


def _walk(library: ModuleType) -> Iterator[tuple[str, Any]]:
    """Every path once, those of a module that several paths lead to at the shortest."""
    pending, known = [("tf", library)], {id(library)}
    while pending:
        prefix, module = pending.pop(0)
        for name in dir(module):
            path = f"{prefix}.{name}"
            if name.startswith("_") or path in _SKIPPED:
                continue
            value = getattr(module, name)
            if isinstance(value, ModuleType):
                if _is_internal(module):
                    continue
                if _is_described(value.__name__) and id(value) not in known:
                    known.add(id(value))
                    pending.append((path, value))
            yield path, value


def _is_internal(module: ModuleType) -> bool:
    """True for a module of TensorFlow's own code that is also public: what it imports is not."""
    return module.__name__.startswith("tensorflow.python")


def _is_described(module: str) -> bool:
    return module.split(".")[0] in _PROGRAMS


def _has_identity(value: Any) -> bool:
    return callable(value) or isinstance(value, ModuleType) or _is_dtype(value)


def _is_dtype(value: Any) -> bool:
    return hasattr(type(value), "as_datatype_enum")


def _described(path: str, value: Any) -> PublicName:
    if isinstance(value, ModuleType):
        return PublicName("module", "")
    if inspect.isclass(value):
        if issubclass(value, Message):
            return PublicName("message", value.DESCRIPTOR.name)
        return PublicName("class", _construction(value))
    if inspect.isroutine(value):
        return PublicName("function", _signature(value))
    if path.rpartition(".")[2] in _OF_THE_BUILD:
        return PublicName("constant", type(value).__name__)
    return PublicName("constant", _text(value))


def _members(path: str, cls: type, public: dict[int, str]) -> Iterator[tuple[str, PublicName]]:
    for name in dir(cls):
        if name.startswith("_"):
            continue
        owner = next((base for base in cls.__mro__ if name in vars(base)), None)
        if owner is None or not _is_described(owner.__module__):
            continue
        if owner is not cls and id(owner) in public:
            continue
        yield f"{path}.{name}", _member(vars(owner)[name])


def _member(value: Any) -> PublicName:
    if isinstance(value, staticmethod | classmethod):
        return PublicName("method", _signature(value.__func__))
    if inspect.isclass(value):
        return PublicName("attribute", value.__name__)
    if callable(value):
        return PublicName("method", _signature(value))
    if hasattr(type(value), "__get__"):
        return PublicName("property", "")
    return PublicName("attribute", _text(value))


def _construction(cls: type) -> str:
    """How a class is called, without `self`."""
    if issubclass(cls, enum.Enum):
        return "(value)"
    owner = next(base for base in cls.__mro__ if {"__init__", "__new__"} & vars(base).keys())
    if owner is object:
        return "()"
    function = cls.__init__ if "__init__" in vars(owner) else cls.__new__
    if not inspect.isfunction(function):
        return "?"
    return _parameters(list(inspect.signature(function).parameters.values())[1:])


def _signature(function: Any) -> str:
    try:
        return _parameters(list(inspect.signature(function).parameters.values()))
    except (TypeError, ValueError):
        return "?"


def _parameters(parameters: list[inspect.Parameter]) -> str:
    plain = [
        parameter.replace(
            annotation=inspect.Parameter.empty,
            default=parameter.default
            if parameter.default is inspect.Parameter.empty
            else _Written(parameter.default),
        )
        for parameter in parameters
    ]
    return str(inspect.Signature(plain))


class _Written:
    """A default as text that is the same for both libraries."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __repr__(self) -> str:
        return _text(self._value)


def _text(value: Any) -> str:
    if _is_dtype(value):
        return f"tf.{value.name}"
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__.lstrip('_')}.{value.name}"
    if type(value) in (list, tuple):
        return "(" + ", ".join(_text(item) for item in value) + ")"
    if isinstance(value, frozenset):
        return "<set>"
    if isinstance(value, float) and value.is_integer():
        return repr(int(value))
    if isinstance(value, str | int | float | dict | None):
        return repr(value)
    if inspect.isclass(value) or inspect.isfunction(value) or inspect.isbuiltin(value):
        return f"<{value.__name__}>"
    return f"<{type(value).__name__.lstrip('_')}>"


if __name__ == "__main__":
    main(sys.argv[1:])
