"""Reads data that Python pickled: numbers, texts, lists, dicts and numpy's arrays, nothing else.

A pickle names what is to be called to make its objects. Names of what makes numpy's arrays have
stand-ins here, which check what they are told; a file that names anything else is refused.
"""

from __future__ import annotations

import codecs
import pickle
import zipfile
from collections.abc import Mapping
from typing import IO, Any, Final

import numpy as np
from numpy.lib import format as npy

from dataflow.errors import DataLossError


class _Kind:
    """An element type, as the file tells it."""

    def __init__(self, text: str, *_: Any) -> None:
        self._dtype = np.dtype(text)

    def __setstate__(self, state: Any) -> None:
        self._dtype = self._dtype.newbyteorder(state[1])

    def array(self, shape: Any, data: Any) -> np.ndarray:
        if not self._dtype.hasobject:
            return np.frombuffer(data, self._dtype).reshape(shape).copy()
        made = np.empty(len(data), object)
        made[:] = data
        return made.reshape(shape)


class _Array:
    """An array, as the file tells it: numpy would believe what it says of its memory."""

    value: Any = None

    def __init__(self, *_: Any) -> None:
        """Takes what a blank array is made of."""

    def __setstate__(self, state: Any) -> None:
        _, shape, kind, is_turned, data = state
        self.value = kind.array(shape[::-1] if is_turned else shape, data)
        if is_turned:
            self.value = self.value.T


def _from_buffer(data: Any, kind: _Kind, shape: Any, order: str) -> _Array:
    found = _Array()
    found.__setstate__((1, shape, kind, order == "F", data))
    return found


def _no_bytes() -> bytes:
    return b""


def _bytes_of(text: str, encoding: str) -> bytes:
    if encoding != "latin1":
        raise pickle.UnpicklingError(f"bytes in {encoding!r}")
    return codecs.latin_1_encode(text)[0]


_ARRAYS: Final = "numpy.ndarray"
"""Stands for the class, which nothing else is made of."""
_MAKERS: Final[Mapping[tuple[str, str], Any]] = {
    **{(f"numpy.{core}.multiarray", "_reconstruct"): _Array for core in ("core", "_core")},
    **{(f"numpy.{core}.numeric", "_frombuffer"): _from_buffer for core in ("core", "_core")},
    **{(builtins, "bytes"): _no_bytes for builtins in ("__builtin__", "builtins")},
    ("numpy", "ndarray"): _ARRAYS,
    ("numpy", "dtype"): _Kind,
    ("_codecs", "encode"): _bytes_of,
}


class _Reader(pickle.Unpickler):
    """Finds nothing but what makes arrays."""

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        try:
            return _MAKERS[module_name, global_name]
        except KeyError:
            raise pickle.UnpicklingError(
                f"it wants {module_name}.{global_name}, which may run code"
            ) from None


def read_pickle(file: IO[bytes], name: str, encoding: str = "ASCII") -> Any:
    """The object of a pickle; arrays are it or are values of the dict that it is.

    Args:
      file: What is read, from where it stands.
      name: What it is called in errors.
      encoding: Of texts that Python 2 wrote; "bytes" leaves them as they are.

    Raises:
      DataLossError: It is no pickle, or holds more than numbers, texts, containers and arrays.
    """
    try:
        found = _Reader(file, encoding=encoding).load()
    except Exception as error:
        raise DataLossError(None, None, f"{name} cannot be read as plain data: {error}.") from error
    if isinstance(found, dict):
        return {key: _plain(value) for key, value in found.items()}
    return _plain(found)


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, _Array) else value


def read_arrays(path: str, *names: str) -> list[np.ndarray]:
    """Arrays of an .npz file, which may hold lists.

    Args:
      path: Of the file.
      *names: Of the arrays.

    Raises:
      DataLossError: There is no such array, or it cannot be read.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            return [_read_array(archive, path, name) for name in names]
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError) as error:
        raise DataLossError(None, None, f"{path} cannot be read: {error}") from error


def _read_array(archive: zipfile.ZipFile, path: str, name: str) -> np.ndarray:
    with archive.open(f"{name}.npy") as file:
        version = npy.read_magic(file)
        read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read_header(file)
        if not dtype.hasobject:
            file.seek(0)
            return np.asarray(npy.read_array(file, allow_pickle=False))
        found = read_pickle(file, f"{path}: {name}")
    if not isinstance(found, np.ndarray) or found.shape != shape:
        raise DataLossError(None, None, f"{path}: {name} is no array of shape {shape}.")
    return found
