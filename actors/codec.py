"""Messages as bytes: msgpack with arrays as extension types. Decoding can only make plain data."""

from __future__ import annotations

import dataclasses
import math
import struct
import typing
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgpack
import numpy as np

from dataflow import dtypes
from dataflow.actors import messages
from dataflow.actors.messages import Message
from dataflow.device_info import DeviceInfo
from dataflow.dtypes import DType
from dataflow.errors import DataLossError, ErrorReport, InvalidArgumentError
from dataflow.kernels.optional import Optional
from dataflow.kernels.stacking import numpy_type
from dataflow.kernels.tensor_list import TensorList
from dataflow.proto import types_pb2

_ARRAY: Final = 1
_SCALAR: Final = 2
_STRINGS: Final = 3
_RECORD: Final = 4
_VARIANTS: Final = 5
_LIST: Final = 6
_OPTIONAL: Final = 7
_INLINE: Final = 4096
"""Bytes up to which an array stands in the header itself."""
_ALIGNMENT: Final = 64
"""Frames start at multiples of this, so that arrays on them are aligned for vector instructions."""
_KEPT_BYTES: Final = 1 << 20
"""A writer that has written a longer header is not used again: it would keep the memory."""
_U64: Final = struct.Struct("<Q")

_RECORDS: Final[tuple[type[Any], ...]] = (
    ErrorReport,
    messages.DevicePart,
    messages.NodeTiming,
    messages.PlanOptions,
    DeviceInfo,
    *(m for m in typing.get_args(Message) if m is not ErrorReport),
)
"""Every class that can cross; its place is its number on the wire."""
_NUMBERS: Final = {record: number for number, record in enumerate(_RECORDS)}
_FIELDS: Final = {record: tuple(f.name for f in dataclasses.fields(record)) for record in _RECORDS}
_MESSAGES: Final = frozenset(typing.get_args(Message))


def encode(message: Message) -> bytes:
    """Writes a message as one string of bytes.

    Raises:
      InvalidArgumentError: It holds a value that cannot cross a process: a resource, an array on
        a device, a Python object.
    """
    frames = encode_frames(message)
    parts: list[bytes | memoryview] = [_U64.pack(len(frames))]
    parts += [_U64.pack(len(frame)) for frame in frames]
    for frame in frames:
        parts += (frame, bytes(-len(frame) % _ALIGNMENT))
    return b"".join(_with_padded_head(parts, len(frames)))


def decode(data: bytes | bytearray | memoryview) -> Message:
    """Reads what `encode` wrote. Large arrays are read-only views of `data`.

    Raises:
      DataLossError: The bytes are no message, or one that was damaged.
    """
    view = memoryview(data).toreadonly().cast("B")
    if len(view) < 8:
        raise _damaged("no frame count")
    (count,) = _U64.unpack_from(view, 0)
    if count > len(view) // 8 - 1:
        raise _damaged(f"{count} frames in {len(view)} bytes")
    place = _padded(8 * (count + 1))
    frames = []
    for number in range(count):
        (size,) = _U64.unpack_from(view, 8 * (number + 1))
        if size > len(view) - place:
            raise _damaged(f"frame {number} of {size} bytes in {len(view)} bytes")
        frames.append(view[place : place + size])
        place = _padded(place + size)
    return decode_frames(frames)


def encode_frames(message: Message) -> list[bytes | memoryview]:
    """Writes a message as a header and the memory of its large arrays, which is not copied.

    Raises:
      InvalidArgumentError: It holds a value that cannot cross a process.
    """
    # Not one for each thread: the collector may close a session, and so encode, in between.
    writer = _idle_writers.pop() if _idle_writers else _Writer()
    try:
        frames = writer.write(message)
    except OverflowError as error:
        raise InvalidArgumentError(None, None, f"Message is too large: {error}") from error
    if len(frames[0]) <= _KEPT_BYTES:
        _idle_writers.append(writer)
    return frames


def decode_frames(frames: Sequence[bytes | bytearray | memoryview], owned: bool = False) -> Message:
    """Reads what `encode_frames` wrote. Large arrays are views of the frames.

    Args:
      frames: The header, and the memory of the large arrays.
      owned: The arrays are the caller's to write to; otherwise they are read-only.

    Raises:
      DataLossError: The frames are no message, or one that was damaged.
    """
    if not frames:
        raise _damaged("no frames")
    try:
        message = _Reader(frames, owned).unpack(frames[0])
    except DataLossError:
        raise
    except (ValueError, TypeError, RecursionError, msgpack.exceptions.UnpackException) as error:
        raise _damaged(str(error)) from error
    if type(message) not in _MESSAGES:
        raise _damaged(f"a {type(message).__name__} is no message")
    return message  # type: ignore[no-any-return]


def _padded(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _with_padded_head(parts: list[bytes | memoryview], count: int) -> list[bytes | memoryview]:
    head = 8 * (count + 1)
    parts.insert(count + 1, bytes(_padded(head) - head))
    return parts


class _Writer:
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
            return [self.pack(message), *self.buffers]
        finally:
            self.buffers = []

    def pack(self, value: Any) -> bytes:
        """Msgpack bytes of a value."""
        depth = self._depth
        if depth == len(self._packers):
            self._packers.append(msgpack.Packer(default=self._extension, strict_types=True))
        self._depth = depth + 1
        packed: bytes = self._packers[depth].pack(value)
        self._depth = depth
        return packed

    def _extension(self, value: Any) -> Any:
        number = _NUMBERS.get(type(value))
        if number is not None:
            values = [number]
            values += [getattr(value, name) for name in _FIELDS[type(value)]]
            return msgpack.ExtType(_RECORD, self.pack(values))
        if isinstance(value, tuple):
            return list(value)
        if isinstance(value, np.generic):
            return msgpack.ExtType(_SCALAR, self._array(np.asarray(value)))
        if isinstance(value, np.ndarray):
            if value.dtype == object and _holds_variants(value):
                return msgpack.ExtType(_VARIANTS, self.pack((value.shape, value.ravel().tolist())))
            if value.dtype == object:
                return msgpack.ExtType(_STRINGS, self.pack((value.shape, _strings(value))))
            return msgpack.ExtType(_ARRAY, self._array(value))
        if isinstance(value, TensorList):
            number = value.dtype.as_datatype_enum
            parts = (number, value.dims, value.limit, tuple(value.elements()))
            return msgpack.ExtType(_LIST, self.pack(parts))
        if isinstance(value, Optional):
            types = tuple(dtype.as_datatype_enum for dtype in value.dtypes)
            return msgpack.ExtType(_OPTIONAL, self.pack((value.components, types)))
        raise InvalidArgumentError(
            None, None, f"A value of type {type(value).__name__} cannot be sent to another process."
        )

    def _array(self, array: np.ndarray[Any, Any]) -> bytes:
        """Number of the dtype, shape, and the elements or where they are."""
        number = _TYPE_NUMBERS.get(array.dtype)
        if number is None:
            number = _TYPE_NUMBERS[array.dtype] = _dtype_of(array).as_datatype_enum
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
        if array.nbytes <= _INLINE:
            return self.pack([number, list(array.shape), array.tobytes()])
        flat = np.ascontiguousarray(array).reshape(-1)
        self.buffers.append(flat.view(np.uint8).data)
        return self.pack([number, list(array.shape), len(self.buffers)])


_idle_writers: Final[list[_Writer]] = []
_TYPE_NUMBERS: Final[dict[np.dtype[Any], int]] = {}
"""Numbers of the element types that have been met."""


def _dtype_of(array: np.ndarray[Any, Any]) -> DType:
    try:
        return dtypes.as_dtype(array.dtype)
    except TypeError:
        raise InvalidArgumentError(
            None, None, f"An array of type {array.dtype} cannot be sent to another process."
        ) from None


def _kinds() -> dict[int, np.dtype[Any]]:
    """What numpy calls the element types whose arrays can cross as bytes, by number."""
    kinds = {}
    for number in types_pb2.DataType.values():
        try:
            dtype = dtypes.as_dtype(number)
        except TypeError:
            continue
        if not dtype._is_ref_dtype and dtype.is_numpy_compatible:
            kinds[number] = np.dtype(dtype.as_numpy_dtype)
    return {number: kind for number, kind in kinds.items() if not kind.hasobject}


_KINDS: Final = _kinds()


def _holds_variants(array: np.ndarray[Any, Any]) -> bool:
    return array.size > 0 and isinstance(array.flat[0], (TensorList, Optional))


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


class _Reader:
    """Unpacks one message."""

    def __init__(self, frames: Sequence[bytes | bytearray | memoryview], owned: bool) -> None:
        self._frames = frames
        self._owned = owned

    def unpack(self, data: bytes | bytearray | memoryview) -> Any:
        """The value of msgpack bytes."""
        return msgpack.unpackb(data, ext_hook=self._extension, use_list=False, raw=False)

    def _extension(self, code: int, data: bytes) -> Any:
        read = _READERS.get(code)
        if read is None:
            raise _damaged(f"extension {code}")
        return read(self, data)

    def _record(self, data: bytes) -> Any:
        number, *values = self.unpack(data)
        if type(number) is not int or not 0 <= number < len(_RECORDS):
            raise _damaged(f"record {number}")
        record = _RECORDS[number]
        names = _FIELDS[record]
        if len(values) != len(names):
            raise _damaged(f"{record.__name__} with {len(values)} fields")
        for index, fits in _CHECKS[record]:
            if not fits(values[index]):
                kind = type(values[index]).__name__
                raise _damaged(f"{record.__name__}.{names[index]} is {kind}")
        return record(*values)

    def _array(self, data: bytes) -> np.ndarray[Any, Any]:
        number, shape, body = self.unpack(data)
        _check_shape(shape)
        kind = _KINDS.get(number) if type(number) is int else None
        if kind is None:
            raise _damaged(f"an array of {number}")
        if type(body) is int:
            if not 0 < body < len(self._frames):
                raise _damaged(f"an array in frame {body} of {len(self._frames)}")
            body = self._frames[body]
        size = memoryview(body).nbytes
        if size != math.prod(shape) * kind.itemsize:
            raise _damaged(f"{size} bytes for an array {kind.name}{list(shape)}")
        array = np.frombuffer(body, dtype=kind) if size else np.empty(0, kind)
        array = array.reshape(shape)
        if not self._owned:
            array.flags.writeable = False
        elif not array.flags.writeable:
            array = array.copy()
        return array

    def _scalar(self, data: bytes) -> Any:
        array = self._array(data)
        if array.ndim:
            raise _damaged(f"a scalar of shape {list(array.shape)}")
        return array[()]

    def _strings(self, data: bytes) -> np.ndarray[Any, Any]:
        shape, strings = self.unpack(data)
        _check_shape(shape)
        if type(strings) is not tuple or any(type(s) is not bytes for s in strings):
            raise _damaged("an array of strings that holds something else")
        if len(strings) != math.prod(shape):
            raise _damaged(f"{len(strings)} strings for an array of shape {list(shape)}")
        array = np.empty(len(strings), object)
        array[:] = strings
        return array.reshape(shape)

    def _variants(self, data: bytes) -> np.ndarray[Any, Any]:
        shape, variants = self.unpack(data)
        _check_shape(shape)
        if type(variants) is not tuple or any(
            type(v) not in (TensorList, Optional) for v in variants
        ):
            raise _damaged("an array of variants that holds something else")
        if len(variants) != math.prod(shape):
            raise _damaged(f"{len(variants)} variants for an array of shape {list(shape)}")
        array = np.empty(len(variants), object)
        array[:] = variants
        return array.reshape(shape)

    def _list(self, data: bytes) -> TensorList:
        number, dims, limit, elements = self.unpack(data)
        dtype = _element_type(number)
        if type(limit) is not int or type(elements) is not tuple:
            raise _damaged("a list of tensors that is none")
        if dims is not None:
            _check_shape(tuple(0 if size is None else size for size in dims))
        kind = numpy_type(dtype)
        for element in elements:
            if element is not None and not _is_tensor(element, kind):
                raise _damaged(f"a list of {dtype.name} tensors that holds something else")
        return TensorList(dtype, dims, elements, limit)

    def _optional(self, data: bytes) -> Optional:
        components, numbers = self.unpack(data)
        if type(numbers) is not tuple:
            raise _damaged("an optional value without element types")
        types = tuple(map(_element_type, numbers))
        if components is None:
            return Optional(None, types)
        if type(components) is not tuple or len(components) != len(types):
            raise _damaged("an optional value that holds something else")
        for component, dtype in zip(components, types, strict=True):
            if not _is_tensor(component, numpy_type(dtype)):
                raise _damaged(f"an optional {dtype.name} tensor that is something else")
        return Optional(components, types)


# Not of a reader's own: it would hold itself, and the frames, until the collector comes.
_READERS: Final[dict[int, Callable[[_Reader, bytes], Any]]] = {
    _ARRAY: _Reader._array,
    _SCALAR: _Reader._scalar,
    _STRINGS: _Reader._strings,
    _RECORD: _Reader._record,
    _VARIANTS: _Reader._variants,
    _LIST: _Reader._list,
    _OPTIONAL: _Reader._optional,
}


def _element_type(number: Any) -> DType:
    """The element type with this number in messages."""
    if type(number) is not int:
        raise _damaged(f"element type {number}")
    try:
        return dtypes.as_dtype(number)
    except TypeError:
        raise _damaged(f"element type {number}") from None


def _is_tensor(value: Any, kind: np.dtype[Any]) -> bool:
    """Whether a decoded value is a tensor of an array element type."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype == kind
    return type(value) in (TensorList, Optional) and kind.kind == "O"


def _check_shape(shape: Any) -> None:
    if shape == ():
        return
    if (
        type(shape) is not tuple
        or len(shape) > 64
        or any(type(size) is not int or size < 0 for size in shape)
    ):
        raise _damaged(f"shape {shape}")


def _damaged(what: str) -> DataLossError:
    return DataLossError(None, None, f"Malformed message: {what}.")


def _check(annotation: Any) -> Callable[[Any], bool] | None:
    """A function that tells whether a decoded value fits a field's annotation."""
    if annotation is Any:
        return None
    if annotation is float:
        return lambda value: type(value) in (float, int)
    if annotation in (int, str, bytes, bool) or dataclasses.is_dataclass(annotation):
        return lambda value: type(value) is annotation
    arguments = typing.get_args(annotation)
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        element = _check(arguments[0])
        if element is None:
            return lambda value: type(value) is tuple
        inner = element
        return lambda value: type(value) is tuple and all(map(inner, value))
    checks = [_check(argument) for argument in arguments]
    return lambda value: (
        type(value) is tuple
        and len(value) == len(checks)
        and all(check is None or check(v) for check, v in zip(checks, value, strict=True))
    )


def _field_checks(record: type[Any]) -> list[tuple[int, Callable[[Any], bool]]]:
    """By place, what the fields of a record must fit; nothing for one that may be anything."""
    hints = typing.get_type_hints(record)
    checks = [_check(hints[name]) for name in _FIELDS[record]]
    return [(index, check) for index, check in enumerate(checks) if check is not None]


_CHECKS: Final = {record: _field_checks(record) for record in _RECORDS}
