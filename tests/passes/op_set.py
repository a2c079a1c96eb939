"""Op schemas borrowed from TensorFlow's registry, so that passes meet ops not yet defined here."""

from __future__ import annotations

from tensorflow.python.framework import op_def_registry

from dataflow.proto.op_def_pb2 import OpDef as OpDefProto
from dataflow.schema import opdef
from dataflow.schema.function_signature import op_def_from_proto


class BorrowedOps:
    """Adds schemas to the registry and takes exactly those away again."""

    def __init__(self) -> None:
        self._names: list[str] = []

    def define(self, *names: str) -> None:
        """Defines the ops that are not defined here and that TensorFlow knows."""
        for name in names:
            theirs = op_def_registry.get(name)
            if opdef.find(name) is None and theirs is not None:
                proto = OpDefProto.FromString(theirs.SerializeToString())
                opdef._OPS[name] = op_def_from_proto(proto)
                self._names.append(name)

    def give_back(self) -> None:
        """Removes what was defined."""
        for name in self._names:
            del opdef._OPS[name]
