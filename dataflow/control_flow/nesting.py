"""Contexts inside a context, to messages and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from dataflow.control_flow.context import ControlFlowContext
from dataflow.proto.control_flow_pb2 import ControlFlowContextDef

Reader = Callable[[Any, "str | None"], ControlFlowContext]

_READERS: dict[str, Reader] = {}


def register_reader(kind: str, reader: Reader) -> None:
    """Says how contexts of a kind, a field of ControlFlowContextDef, are restored."""
    _READERS[kind] = reader


def from_control_flow_context_def(
    context_def: ControlFlowContextDef, import_scope: str | None = None
) -> ControlFlowContext:
    """Restores a context in a graph that has its operations.

    Raises:
      NotImplementedError: The message holds no context of a known kind.
    """
    kind = context_def.WhichOneof("ctxt")
    if kind not in _READERS:
        raise NotImplementedError(f"Unknown ControlFlowContextDef field: {kind}")
    return _READERS[kind](getattr(context_def, kind), import_scope)


def write_nested(
    contexts: Sequence[ControlFlowContext], messages: Any, export_scope: str | None
) -> None:
    """Appends the messages of contexts to a repeated field."""
    for context in contexts:
        context.to_control_flow_context_def(messages.add(), export_scope)


def read_nested(
    context: ControlFlowContext, messages: Iterable[ControlFlowContextDef], import_scope: str | None
) -> None:
    """Restores the contexts inside a context."""
    context.Enter()
    for message in messages:
        from_control_flow_context_def(message, import_scope)
    context.Exit()
