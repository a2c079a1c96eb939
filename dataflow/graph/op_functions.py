"""Ops as functions, of the form that TensorFlow's generated modules have."""

from __future__ import annotations

import inspect
from collections import namedtuple
from collections.abc import Callable
from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.schema import opdef


def function_of(op_type: str) -> Callable[..., Any]:
    """An op as a function of its inputs and then its attrs, those with defaults last.

    Several outputs are told apart by their names.
    """
    op_def = opdef.find(op_type)
    assert op_def is not None
    inputs = [arg.name for arg in op_def.inputs]
    attrs = [attr for attr in op_def.attrs if attr.name not in op_def.inferred_attrs]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    needed = [*inputs, *(attr.name for attr in attrs if not attr.has_default)]
    optional = [*(attr.name for attr in attrs if attr.has_default), "name"]
    signature = inspect.Signature(
        [inspect.Parameter(name, kind) for name in needed]
        + [inspect.Parameter(name, kind, default=None) for name in optional]
    )

    outputs = [arg.name for arg in op_def.outputs]
    named = namedtuple(op_type, outputs) if len(outputs) > 1 else None

    def call(*arguments: Any, **keywords: Any) -> Any:
        given = signature.bind(*arguments, **keywords).arguments
        tensors = [given.pop(name) for name in inputs]
        told = {key: value for key, value in given.items() if value is not None}
        made = apply_op(op_type, *tensors, **told)
        return made if named is None else named(*made)

    call.__name__ = call.__qualname__ = op_type
    call.__doc__ = op_def.doc
    vars(call)["__signature__"] = signature
    return call
