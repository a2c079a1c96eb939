"""tf.raw_ops: every registered op as a function of keyword arguments, made from its schema."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from dataflow.graph.apply_op import apply_op
from dataflow.schema import opdef
from dataflow.schema.opdef import OpDef
from dataflow.values.shapes import TensorShape
from dataflow.values.tensor_proto import listed_tensor_proto

_FUNCTIONS: dict[str, Callable[..., typing.Any]] = {}
_REDUCED: Final = {"reduction_indices": "axis"}
_PYTHON_NAMES: Final[Mapping[str, Mapping[str, str]]] = {
    "All": _REDUCED,
    "Any": _REDUCED,
    "EuclideanNorm": _REDUCED,
    "ExpandDims": {"dim": "axis"},
    "Max": _REDUCED,
    "Mean": _REDUCED,
    "Min": _REDUCED,
    "Prod": _REDUCED,
    "Select": {"t": "x", "e": "y"},
    "Split": {"split_dim": "axis"},
    "SplitV": {"split_dim": "axis"},
    "Squeeze": {"squeeze_dims": "axis"},
    "Sum": _REDUCED,
    "Where": {"input": "condition"},
}
"""Inputs and attrs whose keyword here is not their name in the schema: op -> schema -> keyword."""

_DEFAULTS: Final[Mapping[str, Mapping[str, bool]]] = {
    "SdcaOptimizer": {"adaptative": True},
    "SdcaOptimizerV2": {"adaptive": True},
}
"""Attrs whose default here is not that of the schema."""


def python_name(op_type: str, name: str) -> str:
    """The keyword by which `raw_ops` takes an input or attr of an op."""
    return _PYTHON_NAMES.get(op_type, {}).get(name, name)


def __getattr__(name: str) -> Callable[..., typing.Any]:
    if name not in _FUNCTIONS:
        op_def = opdef.find(name)
        if op_def is None:
            raise AttributeError(f"module 'dataflow.raw_ops' has no attribute '{name}'")
        _FUNCTIONS[name] = _make(op_def)
    return _FUNCTIONS[name]


def __dir__() -> list[str]:
    return sorted(opdef.registered_ops())


def _make(op_def: OpDef) -> Callable[..., typing.Any]:
    op_type = op_def.name
    names = [python_name(op_type, arg.name) for arg in op_def.inputs]
    attr_names = {python_name(op_type, name): name for name in op_def.attr_by_name}
    defaults = _DEFAULTS.get(op_type, {})

    def raw_op(
        *positional: typing.Any, name: str | None = None, **keywords: typing.Any
    ) -> typing.Any:
        if positional:
            raise TypeError(
                f"{op_type} only takes keyword args (possible keys: "
                f"{[*names, *attr_names, 'name']}). Please pass these args as kwargs "
                "instead."
            )
        missing = [n for n in names if n not in keywords]
        if missing:
            raise TypeError(f"{op_type}() missing required argument(s): {', '.join(missing)}")
        inputs = [keywords.pop(n) for n in names]
        attrs = {attr_names.get(key, key): value for key, value in keywords.items()}
        return apply_op(op_type, *inputs, name=name, **{**defaults, **attrs})

    raw_op.__name__ = raw_op.__qualname__ = op_type
    raw_op.__doc__ = op_def.doc
    vars(raw_op)["__signature__"] = _signature(op_def)
    return raw_op


def _signature(op_def: OpDef) -> inspect.Signature:
    """What `help` shows: inputs, then the attrs that do not follow from them."""
    names = [arg.name for arg in op_def.inputs]
    attrs = [attr for attr in op_def.attrs if attr.name not in op_def.inferred_attrs]
    names += [attr.name for attr in attrs if not attr.has_default]
    defaults = {attr.name: _plain(attr.default) for attr in attrs if attr.has_default}
    defaults |= {**_DEFAULTS.get(op_def.name, {}), "name": None}
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Signature(
        [inspect.Parameter(python_name(op_def.name, name), keyword) for name in names]
        + [
            inspect.Parameter(python_name(op_def.name, name), keyword, default=default)
            for name, default in defaults.items()
        ]
    )


def _plain(default: typing.Any) -> typing.Any:
    """A default as a program would write it."""
    if isinstance(default, bytes):
        return default.decode()
    if isinstance(default, np.ndarray):
        return listed_tensor_proto(default)
    return None if isinstance(default, TensorShape) and default.rank is None else default
