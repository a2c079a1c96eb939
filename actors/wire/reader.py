"""Reads a message from msgpack that anyone may have written."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgpack
import numpy as np

from dataflow.actors.wire.arrays import is_scalar, read_array, read_scalar
from dataflow.actors.wire.counts import check_counts, damaged
from dataflow.actors.wire.records import FIELDS, FORMS, MAX_DEPTH, VARIANTS, Extension, Form
from dataflow.errors import DataLossError
from dataflow.kernels.lists.optional import Optional
from dataflow.kernels.lists.sparse_matrix import SparseMatrix
from dataflow.kernels.lists.stacking import numpy_type
from dataflow.kernels.lists.tensor_list import TensorList
from dataflow.values import dtypes
from dataflow.values.dtypes import DType

_HARMLESS_BYTES: Final = 1024
"""Too few for counts that claim much memory."""


class Reader:
    """Unpacks one message."""

    def __init__(self, frames: Sequence[bytes | bytearray | memoryview], owned: bool) -> None:
        self._frames = frames
        self._owned = owned
        self._depth = 0

    def message(self) -> Any:
        """The record that the first frame holds."""
        values = self.unpack(self._frames[0])
        if type(values) is not tuple:
            raise damaged(f"a {type(values).__name__} is no message")
        return self._record(values)

    def unpack(self, data: bytes | bytearray | memoryview) -> Any:
        """The value of msgpack bytes."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise damaged(f"more than {MAX_DEPTH} values inside of each other")
        if len(data) >= _HARMLESS_BYTES:
            check_counts(data)
        # Moments are read as numbers: else they would be objects of msgpack's own.
        value = msgpack.unpackb(
            data, ext_hook=self._extension, use_list=False, raw=False, timestamp=1
        )
        self._depth -= 1
        return value

    def _extension(self, code: int, data: bytes) -> Any:
        read = _READERS.get(code)
        if read is None:
            raise damaged(f"extension {code}")
        return read(self, data)

    def _record(self, values: Any) -> Any:
        """The record of a number and of values for its fields."""
        if not values or type(values[0]) is not int or not 0 <= values[0] < len(FORMS):
            raise damaged(f"record {values[:1]}")
        form = FORMS[values[0]]
        record = form.record
        if len(values) != form.size:
            raise damaged(f"{record.__name__} with {len(values) - 1} fields")
        if tuple(map(type, form.typed(values))) != form.types:
            raise _misfit(form, values)
        for place, fits in form.checks:
            if not fits(values[place]):
                raise _misfit(form, values)
        if form.tensors or form.tensor_tuples:
            values = list(values)
            for place in form.tensors:
                values[place] = self._tensor(values[place])
            for place in form.tensor_tuples:
                values[place] = tuple(map(self._tensor, values[place]))
        return record(*values[1:])

    def _tensor(self, value: Any) -> Any:
        if type(value) is bytes:
            return read_scalar(value) if is_scalar(value) else self._array(value)
        if type(value) is not tuple:
            return value
        if len(value) != 1 or type(value[0]) is not bytes:
            raise damaged("a tensor that is something else")
        return value[0]

    def _nested(self, data: bytes) -> Any:
        return self._record(self.unpack(data))

    def _array(self, data: bytes) -> np.ndarray[Any, Any]:
        array = read_array(data, self._frames)
        if not self._owned:
            array.flags.writeable = False
        elif not array.flags.writeable:
            array = array.copy()
        return array

    def _scalar(self, data: bytes) -> Any:
        return read_scalar(data)

    def _strings(self, data: bytes) -> np.ndarray[Any, Any]:
        shape, strings = self.unpack(data)
        _check_shape(shape)
        if type(strings) is not tuple or any(type(s) is not bytes for s in strings):
            raise damaged("an array of strings that holds something else")
        if len(strings) != math.prod(shape):
            raise damaged(f"{len(strings)} strings for an array of shape {list(shape)}")
        array = np.empty(len(strings), object)
        array[:] = strings
        return array.reshape(shape)

    def _variants(self, data: bytes) -> np.ndarray[Any, Any]:
        shape, variants = self.unpack(data)
        _check_shape(shape)
        if type(variants) is not tuple or any(type(v) not in VARIANTS for v in variants):
            raise damaged("an array of variants that holds something else")
        if len(variants) != math.prod(shape):
            raise damaged(f"{len(variants)} variants for an array of shape {list(shape)}")
        array = np.empty(len(variants), object)
        array[:] = variants
        return array.reshape(shape)

    def _list(self, data: bytes) -> TensorList:
        number, dims, limit, elements = self.unpack(data)
        dtype = _element_type(number)
        if type(limit) is not int or type(elements) is not tuple:
            raise damaged("a list of tensors that is none")
        if dims is not None:
            _check_shape(tuple(0 if size is None else size for size in dims))
        kind = numpy_type(dtype)
        for element in elements:
            if element is not None and not _is_tensor(element, kind):
                raise damaged(f"a list of {dtype.name} tensors that holds something else")
        return TensorList(dtype, dims, elements, limit)

    def _optional(self, data: bytes) -> Optional:
        components, numbers, kind = self.unpack(data)
        if type(numbers) is not tuple or type(kind) is not str:
            raise damaged("an optional value without element types")
        types = tuple(map(_element_type, numbers))
        if components is None:
            return Optional(None, types, kind)
        if type(components) is not tuple or len(components) != len(types):
            raise damaged("an optional value that holds something else")
        for component, dtype in zip(components, types, strict=True):
            if not _is_tensor(component, numpy_type(dtype)):
                raise damaged(f"an optional {dtype.name} tensor that is something else")
        return Optional(components, types, kind)

    def _matrix(self, data: bytes) -> SparseMatrix:
        sizes, number, indices, values = self.unpack(data)
        dtype = _element_type(number)
        if type(sizes) is not tuple:
            raise damaged("a sparse matrix without a shape")
        _check_shape(sizes)
        parts = (indices, np.dtype(np.int64)), (values, numpy_type(dtype))
        if len(sizes) not in (2, 3) or not all(_is_tensor(*each) for each in parts):
            raise damaged("a sparse matrix that is none")
        if values.ndim != 1 or indices.shape != (len(values), len(sizes)):
            raise damaged("a sparse matrix whose elements are elsewhere")
        if len(values) and not ((indices >= 0) & (indices < sizes)).all():
            raise damaged("a sparse matrix with elements outside of it")
        return SparseMatrix(sizes, dtype, indices, values)


# Not of a reader's own: it would hold itself, and the frames, until the collector comes.
_READERS: Final[dict[int, Callable[[Reader, bytes], Any]]] = {
    Extension.ARRAY: Reader._array,
    Extension.SCALAR: Reader._scalar,
    Extension.STRINGS: Reader._strings,
    Extension.RECORD: Reader._nested,
    Extension.VARIANTS: Reader._variants,
    Extension.LIST: Reader._list,
    Extension.OPTIONAL: Reader._optional,
    Extension.MATRIX: Reader._matrix,
}


def _misfit(form: Form, values: Sequence[Any]) -> DataLossError:
    """The error of values of which one does not fit its field."""
    record = form.record
    found = zip(form.typed(range(form.size)), form.typed(values), form.types, strict=True)
    misfits = [place for place, value, kind in found if type(value) is not kind]
    misfits += [place for place, fits in form.checks if not fits(values[place])]
    name = FIELDS[record][misfits[0] - 1]
    return damaged(f"{record.__name__}.{name} is {type(values[misfits[0]]).__name__}")


def _element_type(number: Any) -> DType:
    """The element type with this number in messages."""
    if type(number) is not int:
        raise damaged(f"element type {number}")
    try:
        return dtypes.as_dtype(number)
    except TypeError:
        raise damaged(f"element type {number}") from None


def _is_tensor(value: Any, kind: np.dtype[Any]) -> bool:
    """Whether a decoded value is a tensor of an array element type."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype == kind
    return type(value) in VARIANTS and kind.kind == "O"


def _check_shape(shape: Any) -> None:
    if shape == ():
        return
    if (
        type(shape) is not tuple
        or len(shape) > 64
        or any(type(size) is not int or size < 0 for size in shape)
    ):
        raise damaged(f"shape {shape}")
