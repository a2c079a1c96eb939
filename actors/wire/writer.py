"""Writes a message as msgpack, and keeps the memory of its large arrays aside."""

from __future__ import annotations

from typing import Any, Final

import msgpack
import numpy as np

from dataflow.actors.wire.arrays import pack_array
from dataflow.actors.wire.messages import Message
from dataflow.actors.wire.records import FORMS, MAX_DEPTH, NUMBERS, VARIANTS, Extension
from dataflow.errors import InvalidArgumentError
from dataflow.kernels.lists.optional import Optional
from dataflow.kernels.lists.sparse_matrix import SparseMatrix
from dataflow.kernels.lists.tensor_list import TensorList

_INLINE: Final = 4096
"""Bytes up to which an array stands in the header itself."""


class Writer:
    """Packs one message at a time; keeps the memory of large arrays aside.

    A packer takes as long to make as it takes to pack a small message: so there is one for each
    depth of what is packed inside of something else, and they are used again.
    """

    def __init__(self) -> None:
        self.buffers: list[memoryview] = []
        self._packers: list[Any] = []
        self._depth = 0

    def write(self, message: Message) -> list[bytes | memoryview]:
        """The header of a message, and the memory of its large arrays."""
        self._depth = 0
        try:
            return [self.pack(self._values(message, NUMBERS[type(message)])), *self.buffers]
        finally:
            self.buffers = []

    def pack(self, value: Any) -> bytes:
        """Msgpack bytes of a value."""
        depth = self._depth
        if depth == len(self._packers):
            if depth == MAX_DEPTH:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"A value with more than {MAX_DEPTH} lists or optional values inside of each "
                    "other cannot be sent to another process.",
                )
            self._packers.append(msgpack.Packer(default=self._extension, strict_types=True))
        self._depth = depth + 1
        packed: bytes = self._packers[depth].pack(value)
        self._depth = depth
        return packed

    def _values(self, record: Any, number: int) -> list[Any]:
        form = FORMS[number]
        values = [number, *form.fields(record)]
        for place in form.tensors:
            values[place] = self._tensor(values[place])
        for place in form.tensor_tuples:
            values[place] = [self._tensor(value) for value in values[place]]
        return values

    def _tensor(self, value: Any) -> Any:
        """A tensor as bytes, which take less time than an extension, where bytes can hold it.

        Bytes themselves, a string of shape [], stand in a list of their own.
        """
        kind = type(value)
        if kind is np.ndarray:
            return value if value.dtype.hasobject else self._array(value)
        if kind is bytes:
            return [value]
        return pack_array(value) if isinstance(value, np.generic) else value

    def _extension(self, value: Any) -> Any:
        if isinstance(value, tuple):
            return list(value)
        if isinstance(value, np.generic):
            return msgpack.ExtType(Extension.SCALAR, pack_array(value))
        number = NUMBERS.get(type(value))
        if number is not None:
            return msgpack.ExtType(Extension.RECORD, self.pack(self._values(value, number)))
        if isinstance(value, np.ndarray):
            if value.dtype == object and _holds_variants(value):
                return msgpack.ExtType(
                    Extension.VARIANTS, self.pack((value.shape, value.ravel().tolist()))
                )
            if value.dtype == object:
                return msgpack.ExtType(Extension.STRINGS, self.pack((value.shape, _strings(value))))
            return msgpack.ExtType(Extension.ARRAY, self._array(value))
        if isinstance(value, TensorList):
            number = value.dtype.as_datatype_enum
            parts = (number, value.dims, value.limit, tuple(value.elements()))
            return msgpack.ExtType(Extension.LIST, self.pack(parts))
        if isinstance(value, Optional):
            types = tuple(dtype.as_datatype_enum for dtype in value.dtypes)
            held = (value.components, types, value.type_name)
            return msgpack.ExtType(Extension.OPTIONAL, self.pack(held))
        if isinstance(value, SparseMatrix):
            number = value.dtype.as_datatype_enum
            matrix = (value.sizes, number, value.indices, value.values)
            return msgpack.ExtType(Extension.MATRIX, self.pack(matrix))
        raise InvalidArgumentError(
            None, None, f"A value of type {type(value).__name__} cannot be sent to another process."
        )

    def _array(self, array: np.ndarray[Any, Any]) -> bytes:
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
        if array.nbytes <= _INLINE:
            return pack_array(array)
        packed = pack_array(array, len(self.buffers) + 1)
        flat = np.ascontiguousarray(array).reshape(-1)
        self.buffers.append(flat.view(np.uint8).data)
        return packed


def _holds_variants(array: np.ndarray[Any, Any]) -> bool:
    return array.size > 0 and isinstance(array.flat[0], VARIANTS)


def _strings(array: np.ndarray[Any, Any]) -> list[bytes]:
    strings = array.ravel().tolist()
    for element in strings:
        if type(element) is not bytes:
            raise InvalidArgumentError(
                None,
                None,
                f"An array of objects of type {type(element).__name__} cannot be sent to another "
                "process; strings are bytes.",
            )
    return strings
