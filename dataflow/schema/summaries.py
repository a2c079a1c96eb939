"""Op definitions and attr values as error messages print them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from dataflow.schema.arguments import ArgDef, AttrDef
from dataflow.schema.opdef import OpDef
from dataflow.values import dtypes
from dataflow.values.attrs import AttrPlaceholder, NameAttrList
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

_SHORT_NAMES = {dtypes.float32: "float", dtypes.float64: "double", dtypes.float16: "half"}
_ENUM_NAMES = {dtypes.float32: "FLOAT", dtypes.float64: "DOUBLE", dtypes.float16: "HALF"}
_MAX_SHOWN = 5
"""Elements that are printed of each end of a long list."""
_ELEMENTS_SHOWN = 3
"""Elements that are printed of a tensor."""
_LONG_LIST = 30
"""Lists from this length on are cut."""


def type_name(dtype: DType) -> str:
    """The name of a type in messages: "float", "double", "half", "int32", "float_ref"."""
    name = _SHORT_NAMES.get(dtype.base_dtype, dtype.base_dtype.name)
    return f"{name}_ref" if dtype._is_ref_dtype else name


def type_names(types: Iterable[DType]) -> str:
    """Several of them, separated by commas."""
    return ", ".join(map(type_name, types))


def enum_name(dtype: DType) -> str:
    """The name of a type in protobuf text: "DT_FLOAT"."""
    name = _ENUM_NAMES.get(dtype.base_dtype, dtype.base_dtype.name.upper())
    return f"DT_{name}_REF" if dtype._is_ref_dtype else f"DT_{name}"


def op_text(op_def: OpDef) -> str:
    """`Op<name=Add; signature=x:T, y:T -> z:T; attr=T:type,allowed=[DT_FLOAT, ...]>`."""
    inputs = ", ".join(map(_arg_text, op_def.inputs))
    outputs = ", ".join(map(_arg_text, op_def.outputs))
    attrs = "".join(f"; attr={_attr_def_text(attr)}" for attr in op_def.attrs)
    stateful = "; is_stateful=true" if op_def.is_stateful else ""
    return f"Op<name={op_def.name}; signature={inputs} -> {outputs}{attrs}{stateful}>"


def attrs_text(attrs: Mapping[str, Any]) -> str:
    """`T=DT_FLOAT, transpose_a=false`, sorted by name."""
    return ", ".join(f"{name}={attr_text(value)}" for name, value in sorted(attrs.items()))


def attr_text(value: Any) -> str:
    """A decoded attr value as TensorFlow prints it; long ones are cut."""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, bytes):
        text = value.decode(errors="backslashreplace")
        return f'"{text}"' if len(text) <= 80 else f'"{text[:10]}...{text[-10:]}"'
    if isinstance(value, DType):
        return enum_name(value)
    if isinstance(value, TensorShape):
        return shape_text(value)
    if isinstance(value, np.ndarray):
        shown = " ".join(map(_element_text, value.reshape(-1)[:_ELEMENTS_SHOWN]))
        more = "..." if value.size > _ELEMENTS_SHOWN else ""
        dtype = type_name(dtypes.as_dtype(value.dtype))
        shape = "[" + ",".join(map(str, value.shape)) + "]"
        return f"Tensor<type: {dtype} shape: {shape} values: {shown}{more}>"
    if isinstance(value, tuple):
        texts = list(map(attr_text, value))
        if len(texts) >= _LONG_LIST:
            texts[_MAX_SHOWN:-_MAX_SHOWN] = ["..."]
        return f"[{', '.join(texts)}]"
    if isinstance(value, NameAttrList):
        return f"{value.name}[{attrs_text(dict(value.attrs))}]"
    if isinstance(value, AttrPlaceholder):
        return f"${value.name}"
    if isinstance(value, float):
        return _element_text(np.float32(value))
    return str(value)


def _element_text(value: Any) -> str:
    """An element of a tensor: a number with as many digits as tell it from others."""
    if isinstance(value, bytes):
        return value.decode(errors="backslashreplace")
    if isinstance(value, bool | np.bool_):
        return str(int(value))
    if isinstance(value, complex | np.complexfloating):
        return "?"
    if isinstance(value, int | np.integer):
        return str(int(value))
    kind = np.float64 if isinstance(value, np.float64) else np.float32
    with np.errstate(over="ignore"):
        number = kind(value)
        digits, more = (15, 17) if kind is np.float64 else (6, 9)
        text = f"{number:.{digits}g}"
        return text if kind(text) == number or np.isnan(number) else f"{number:.{more}g}"


def shape_text(shape: TensorShape) -> str:
    """`[2,?]`, or `<unknown>` where even the rank is."""
    sizes = shape.dims_tuple
    if sizes is None:
        return "<unknown>"
    return "[" + ",".join("?" if size is None else str(size) for size in sizes) + "]"


def _arg_text(arg: ArgDef) -> str:
    if arg.type_list_attr:
        kind = arg.type_list_attr
    else:
        kind = arg.type_attr if arg.dtype is None else type_name(arg.dtype)
        kind = f"Ref({kind})" if arg.is_ref else kind
    return f"{arg.name}:{arg.number_attr}*{kind}" if arg.number_attr else f"{arg.name}:{kind}"


def _attr_def_text(attr: AttrDef) -> str:
    text = f"{attr.name}:{attr.kind}"
    if attr.has_default:
        text += f",default={attr_text(attr.default)}"
    if attr.minimum is not None:
        text += f",min={attr.minimum}"
    if attr.allowed is not None:
        text += f",allowed=[{', '.join(map(attr_text, attr.allowed_in_order))}]"
    return text
