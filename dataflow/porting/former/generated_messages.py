"""Modules that protoc generated before 3.20, whose messages newer protobufs refuse to make.

They build each descriptor by a call, which is forbidden since. The file they describe stands in
them serialized, and says all of it: what newer generated modules do with it makes the messages.
"""

from __future__ import annotations

import ast
from importlib.abc import Loader, SourceLoader
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Final

SUFFIX: Final = "_pb2"
"""How names of generated modules end."""
_CALL: Final = b"_descriptor.FileDescriptor("


def is_former(loader: SourceLoader, name: str) -> bool:
    """Whether a module is one that protoc generated so."""
    return _CALL in _source(loader, name)


def _source(loader: SourceLoader, name: str) -> bytes:
    return loader.get_data(loader.get_filename(name))


class Generated(Loader):
    """Loads such a module: its imports as they stand, and the messages, enums and services."""

    def __init__(self, loader: SourceLoader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        from google.protobuf import descriptor_pool
        from google.protobuf.internal import builder

        name = module.__name__
        tree = ast.parse(_source(self._loader, name))
        imports = [each for each in tree.body if _imports(each)]
        code = ast.Module(imports, type_ignores=[])
        names = vars(module)
        exec(compile(code, self._loader.get_filename(name), "exec"), names)
        file = descriptor_pool.Default().AddSerializedFile(_serialized(tree))
        names["DESCRIPTOR"] = file
        builder.BuildMessageAndEnumDescriptors(file, names)
        builder.BuildTopDescriptorsAndMessages(file, name, names)


def _imports(statement: ast.stmt) -> bool:
    """Whether it imports; what imports publicly is a `from x import *`, in a `try` at times."""
    if isinstance(statement, ast.Try):
        return all(isinstance(each, ast.Import | ast.ImportFrom) for each in statement.body)
    return isinstance(statement, ast.Import | ast.ImportFrom)


def _serialized(tree: ast.Module) -> bytes:
    """The serialized FileDescriptorProto: bytes, or a text of bytes that `_b` was to encode."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "serialized_pb":
            value = node.value.args[0] if isinstance(node.value, ast.Call) else node.value
            literal = ast.literal_eval(value)
            return literal if isinstance(literal, bytes) else str(literal).encode("latin-1")
    raise ImportError("The generated module has no serialized_pb.")
