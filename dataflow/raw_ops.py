"""tf.raw_ops: every registered op as a function of keyword arguments, made from its schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow import opdef
from dataflow.apply_op import apply_op
from dataflow.opdef import OpDef

_FUNCTIONS: dict[str, Callable[..., Any]] = {}


def __getattr__(name: str) -> Callable[..., Any]:
    if name not in _FUNCTIONS:
        op_def = opdef.find(name)
        if op_def is None:
            raise AttributeError(f"module 'dataflow.raw_ops' has no attribute '{name}'")
        _FUNCTIONS[name] = _make(op_def)
    return _FUNCTIONS[name]


def __dir__() -> list[str]:
    return sorted(opdef.registered_ops())


def _make(op_def: OpDef) -> Callable[..., Any]:
    names = [arg.name for arg in op_def.inputs]

    def raw_op(*positional: Any, name: str | None = None, **keywords: Any) -> Any:
        if positional:
            raise TypeError(
                f"{op_def.name} only takes keyword args (possible keys: "
                f"{[*names, *op_def.attr_by_name, 'name']}). Please pass these args as kwargs "
                "instead."
            )
        missing = [n for n in names if n not in keywords]
        if missing:
            raise TypeError(f"{op_def.name}() missing required argument(s): {', '.join(missing)}")
        inputs = [keywords.pop(n) for n in names]
        return apply_op(op_def.name, *inputs, name=name, **keywords)

    raw_op.__name__ = raw_op.__qualname__ = op_def.name
    raw_op.__doc__ = op_def.doc
    return raw_op
