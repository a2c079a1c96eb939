"""jit_scope: marks the operations that XLA may or may not compile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from dataflow.graph import scopes
from dataflow.proto.attr_value_pb2 import AttrValue

_KEY: Final = ("__xla_scope",)


@dataclass
class _Opened:
    """How many scopes of a graph were opened, and how deep the open ones lie."""

    count: int = 0
    depth: int = 0


@contextmanager
def jit_scope(
    compile_ops: bool | Callable[[Any], bool] = True, separate_compiled_gradients: bool = False
) -> Iterator[None]:
    """Marks the operations made inside for XLA, which changes nothing in how they run here.

    Args:
      compile_ops: Whether they may be compiled; or what says it of a NodeDef.
      separate_compiled_gradients: Puts the gradients of each call into a scope of their own.
    """
    if callable(asked := compile_ops):

        def marked(node: Any) -> AttrValue:
            return AttrValue(b=asked(node))

        compiled: Any = marked
    else:
        compiled = compile_ops
    attrs: dict[str, Any] = {
        "_XlaCompile": compiled,
        "_XlaSeparateCompiledGradients": bool(separate_compiled_gradients),
    }
    found = scopes.get_collection_ref(_KEY)
    if not found:
        found.append(_Opened())
    opened = found[0]
    if opened.depth == 0:
        attrs["_XlaScope"] = f"jit_scope_{opened.count}".encode()
        opened.count += 1
    opened.depth += 1
    with scopes.get_default_graph()._scopes.with_attrs(attrs):
        yield
    opened.depth -= 1
