"""Kernels of numbers as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.ops.text.each import each
from dataflow.values import dtypes

_FLAGS: Final = (b"", b" ", b"+", b"-", b"0", b"#")
_MOST: Final = 1 << 16
"""How wide a number may be: a graph that was loaded may ask for gigabytes of zeros."""


@kernel("StringToNumber", host_inputs=("string_tensor",), host_outputs=("output",))
def string_to_number(node: KernelNode, xp: Any) -> Callable[..., Any]:
    kind = np.dtype(node.attr("out_type").as_numpy_dtype)
    convert: Callable[[bytes], Any] = float
    if kind.kind != "f":
        least, most = np.iinfo(kind).min, np.iinfo(kind).max

        def convert(item: bytes) -> int:
            number = int(item)
            if not least <= number <= most or (least == 0 and b"-" in item):
                raise ValueError(item)
            return number

    def number(item: bytes) -> Any:
        try:
            # Python's digits may have underscores between them.
            if b"_" in item or len(item) > 4096:
                raise ValueError(item)
            return convert(item)
        except ValueError:
            shown = item[:200].decode(errors="backslashreplace")
            raise invalid(f"StringToNumberOp could not correctly convert string: {shown}") from None

    def run(value: Any) -> Any:
        with np.errstate(over="ignore"):
            return each(number, value, kind)

    return run


@kernel("AsString", host_inputs=("input",), host_outputs=("output",))
def as_string(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("T")
    form = _form(node, dtype)
    if dtype == dtypes.string:
        return lambda value: each(lambda item: form % item, value)
    if dtype == dtypes.bool:
        texts = form % b"false", form % b"true"
        return lambda value: _texts(value, lambda item: texts[item])
    if dtype.is_complex:
        return lambda value: _texts(value, lambda z: b"(%b,%b)" % (form % z.real, form % z.imag))
    return lambda value: _texts(value, lambda number: form % number)


def _texts(value: Any, text: Callable[[Any], bytes]) -> Any:
    array = np.asarray(value)
    made = np.empty(array.size, object)
    made[:] = [text(item) for item in array.ravel().tolist()]
    return made.reshape(array.shape)


def _form(node: KernelNode, dtype: Any) -> bytes:
    """The format of one number, as printf takes it."""
    precision, width, fill = node.attr("precision"), node.attr("width"), node.attr("fill")
    scientific, shortest = node.attr("scientific"), node.attr("shortest")
    if max(precision, width) > _MOST:
        raise invalid(
            f"Numbers of {max(precision, width)} characters are refused; at most {_MOST} may be "
            "asked for by width and precision"
        )
    if len(fill) > 1:
        raise invalid(f"Fill string must be one or fewer characters: {fill!r}")
    if fill not in _FLAGS:
        raise invalid(f"Fill argument not supported: {fill!r}")
    if scientific and shortest:
        raise invalid("Cannot select both scientific and shortest notation")
    is_real = dtype.is_floating or dtype.is_complex
    if not is_real and (scientific or shortest or precision > -1):
        option = "precision" if precision > -1 else "scientific and shortest format"
        raise invalid(f"{option} not supported for datatype {type_name(dtype)}")
    form = b"%" + (fill if width > -1 else b"") + (b"%d" % width if width > -1 else b"")
    if is_real:
        if precision > -1:
            form += b".%d" % precision
        return form + (b"e" if scientific else b"g" if shortest else b"f")
    if dtype in (dtypes.bool, dtypes.string):
        return form + b"b"
    return form + b"d"
