"""Kernels of numbers as text."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.ops.text.each import each
from dataflow.values import dtypes

_FLAGS: Final = (b"", b" ", b"+", b"-", b"0", b"#")
_HEX: Final = re.compile(rb"\s*[+-]?0[xX][0-9a-fA-F.]+(?:[pP][+-]?[0-9]+)?\s*")
_NAN: Final = re.compile(rb"\s*[+-]?nan\([0-9a-z_]*\)\s*", re.IGNORECASE)
_LONGEST: Final = 4096
"""Characters of a text that is read as a number."""
_MOST: Final = 1 << 16
"""How wide a number may be: a graph that was loaded may ask for gigabytes of zeros."""


@kernel("StringToNumber", host_inputs=("string_tensor",), host_outputs=("output",))
def string_to_number(node: KernelNode, xp: Any) -> Callable[..., Any]:
    kind = np.dtype(node.attr("out_type").as_numpy_dtype)
    convert: Callable[[bytes], Any] = _real
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
            if b"_" in item or len(item) > _LONGEST:
                raise ValueError(item)
            return convert(item)
        except ValueError:
            shown = item[:200].decode(errors="backslashreplace")
            raise invalid(f"StringToNumberOp could not correctly convert string: {shown}") from None

    def run(value: Any) -> Any:
        with np.errstate(over="ignore"):
            array = np.asarray(value, object)
            items = array.ravel().tolist()
            if kind.kind == "f" and _are_plain(items):
                try:
                    return np.array([float(item) for item in items], kind).reshape(array.shape)
                except ValueError:
                    pass  # Some are hexadecimal, or none.
            return each(number, array, kind)

    return run


def _are_plain(items: list[bytes]) -> bool:
    """Whether what Python reads of texts as numbers is what strtod does."""
    return b"_" not in b"".join(items) and len(max(items, key=len, default=b"")) <= _LONGEST


def _real(item: bytes) -> float:
    """A number as strtod reads it: with hexadecimal digits, too, and texts in a NaN."""
    if _HEX.fullmatch(item):
        try:
            return float.fromhex(item.decode())
        except OverflowError:
            return -math.inf if b"-" in item else math.inf
    return math.nan if _NAN.fullmatch(item) else float(item)


@kernel("AsString", host_inputs=("input",), host_outputs=("output",))
def as_string(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("T")
    form = _form(node, dtype)
    if dtype == dtypes.string:
        return lambda value: each(lambda item: form % item, value)
    if dtype == dtypes.bool:
        return lambda value: _texts(value, (b"false", b"true").__getitem__)
    if dtype.is_integer:
        return lambda value: _texts(value, lambda number: form % number)
    # Zeros fill up what has digits only.
    blank = form.replace(b"%0", b"%")

    def one(number: float) -> bytes:
        return (form if math.isfinite(number) else blank) % number

    if dtype.is_complex:
        return lambda value: _texts(value, lambda z: b"(%b,%b)" % (one(z.real), one(z.imag)))

    def texts(value: Any) -> Any:
        plain = bool(np.isfinite(value).all())
        return _texts(value, (lambda number: form % number) if plain else one)

    return texts


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
        raise invalid("Fill string must be one or fewer characters")
    if fill not in _FLAGS:
        shown = fill.decode(errors="backslashreplace")
        raise invalid(f'Fill argument not supported: "{shown}"')
    is_real = dtype.is_floating or dtype.is_complex
    if not (is_real or dtype == dtypes.string):
        if scientific or shortest:
            raise invalid(
                f"scientific and shortest format not supported for datatype {type_name(dtype)}"
            )
        if precision > -1:
            raise invalid(f"precision not supported for datatype {type_name(dtype)}")
    if scientific and shortest:
        raise invalid("Cannot select both scientific and shortest notation")
    if dtype.is_unsigned and fill in (b" ", b"+"):
        fill = b""  # Signs are of numbers that may have one.
    form = b"%" + fill + (b"%d" % width if width > -1 else b"")
    # Strings are cut, but never to nothing.
    if precision > (0 if dtype == dtypes.string else -1):
        form += b".%d" % precision
    kind = b"b" if dtype == dtypes.string else b"d"
    if is_real:
        kind = b"e" if scientific else b"g" if shortest else b"f"
    return b"%b%b" % (form, kind)
