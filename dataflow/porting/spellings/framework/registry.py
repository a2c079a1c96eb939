"""tensorflow.python.framework.op_def_registry: the definitions of ops as messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dataflow.proto.op_def_pb2 import OpDef
from dataflow.schema import opdef
from dataflow.schema.op_def_proto import to_proto


class _Messages(Mapping[str, OpDef]):
    """Op type -> its definition as a message, made when it is asked for."""

    def __getitem__(self, key: str) -> OpDef:
        return to_proto(opdef.registered_ops()[key])

    def __iter__(self) -> Iterator[str]:
        return iter(opdef.registered_ops())

    def __len__(self) -> int:
        return len(opdef.registered_ops())


def get_registered_ops() -> Mapping[str, OpDef]:
    """The definitions of all ops, by type."""
    return _Messages()


def sync() -> None:
    """Does nothing: the definitions are looked up where they stand."""


def get(name: str) -> Any:
    """The definition of an op, or None if there is none of this type."""
    return get_registered_ops().get(name)
