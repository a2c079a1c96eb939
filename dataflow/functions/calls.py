"""Nodes that call a function of the graph by their op type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dataflow.graph import scopes
from dataflow.graph.graph import OP_NAME
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.schema.opdef import OpDef
from dataflow.values.dtypes import DType


def add_call(signature: OpDef, inputs: Sequence[Tensor], kwargs: dict[str, Any]) -> Operation:
    """Adds a node that calls a function by its op type."""
    if len(inputs) != len(signature.inputs):
        wanted = len(signature.inputs)
        raise ValueError(f"Expected number of arguments: {wanted:d}, received: {len(inputs):d}")
    name = kwargs.pop("name", None) or signature.name
    attrs = call_attrs(signature.name, kwargs)
    _check_types(signature, inputs, name)
    if not OP_NAME.match(name):
        raise ValueError(f"'{name}' is not a valid node name")
    graph = scopes.get_default_graph()
    return graph.add_op(signature, graph._own_inputs(inputs), attrs, name)


def call_results(op: Operation) -> Any:
    """The result of a call, a tuple of several, or the operation where there is none."""
    outputs = op.outputs
    if not outputs:
        return op
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def call_attrs(func_name: str, kwargs: dict[str, Any]) -> dict[str, Any]:
    """The attrs of a function or a call that keyword arguments stand for.

    Raises:
      ValueError: A keyword is unknown, or its value of a wrong type.
    """
    attrs: dict[str, Any] = {}
    noinline = kwargs.pop("noinline", None)
    if noinline is not None:
        attrs["_noinline"] = bool(noinline)
    attrs["_disable_call_shape_inference"] = True
    compiled = kwargs.pop("compiled", None)
    separate = kwargs.pop("separate_compiled_gradients", None)
    if compiled is not None:
        attrs["_XlaCompile"] = bool(compiled)
        attrs["_XlaSeparateCompiledGradients"] = bool(separate)
        scope = scopes.get_default_graph()._scopes.attrs.get("_XlaScope")
        attrs["_XlaScope"] = f"function_{func_name}".encode() if scope is None else scope
    for key in list(kwargs):
        if key.startswith("experimental_"):
            value = kwargs.pop(key)
            if not isinstance(value, (bool, int, float, str)):
                raise ValueError(
                    f"Attribute {key} must be bool, int, float, or str. Got {type(value)}."
                )
            attrs[key] = value.encode() if isinstance(value, str) else value
        elif key in ("_implements", "_reference"):
            value = kwargs.pop(key)
            if not isinstance(value, str):
                raise ValueError(f"Attribute {key} must be str. Got {type(value)}.")
            attrs[key] = value.encode()
    if kwargs:
        raise ValueError(f"Unknown keyword arguments: {kwargs.keys()}.")
    return attrs


def _check_types(signature: OpDef, inputs: Sequence[Tensor], name: str) -> None:
    wrong = [
        f"Input '{arg.name}' passed {_type_name(tensor.dtype.base_dtype)} expected "
        f"{_type_name(arg.dtype)}"
        for arg, tensor in zip(signature.inputs, inputs, strict=True)
        if arg.dtype is not None and tensor.dtype.base_dtype is not arg.dtype
    ]
    if not wrong:
        return
    shown = [
        ", ".join(f"{arg.name}:{_type_name(arg.dtype)}" for arg in args)
        for args in (signature.inputs, signature.outputs)
    ]
    stateful = "; is_stateful=true" if signature.is_stateful else ""
    where = (
        f" while building NodeDef '{name}' using Op<name={signature.name}; "
        f"signature={shown[0]} -> {shown[1]}{stateful}>"
    )
    if len(wrong) == 1:
        raise ValueError(wrong[0] + where)
    raise ValueError(f"{len(wrong)} errors{where}:\n" + "\n".join(wrong))


def _type_name(dtype: DType | None) -> str:
    """An element type as TensorFlow's C++ code names it."""
    if dtype is None:
        return "?"
    return {"float16": "half", "float32": "float", "float64": "double"}.get(dtype.name, dtype.name)
