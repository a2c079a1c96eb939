"""Tensors in files, without a graph: checkpoints, safetensors, npz and Keras's HDF5."""

from __future__ import annotations

import importlib
import json
import lzma
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import numpy as np

from dataflow.checkpoints.writer import BundleWriter
from dataflow.command.recognition import CHECKPOINT, HDF5, NPZ, SAFETENSORS, Recognized
from dataflow.errors import DataLossError, UnimplementedError
from dataflow.library.program.progress import progress
from dataflow.saving.reading import new_checkpoint_reader
from dataflow.values.dtypes import as_dtype

Tensors = dict[str, np.ndarray]

_SAFE = {
    "BOOL": "bool",
    "U8": "uint8",
    "I8": "int8",
    "U16": "uint16",
    "I16": "int16",
    "U32": "uint32",
    "I32": "int32",
    "U64": "uint64",
    "I64": "int64",
    "F16": "float16",
    "BF16": "bfloat16",
    "F32": "float32",
    "F64": "float64",
    "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2",
}

_NOT_NPZ = (
    *(ValueError, OSError, EOFError, KeyError, MemoryError, NotImplementedError, struct.error),
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError),
)
"""What numpy and zipfile raise for damage."""


def _package(name: str, extra: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise UnimplementedError(
            None, None, f"{name} is not installed: pip install 'dataflow-ray[{extra}]'"
        ) from None


def shapes_of(found: Recognized) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Type and shape of each tensor, by name.

    Raises:
      DataLossError: The file is damaged.
    """
    if found.kind == CHECKPOINT:
        reader = new_checkpoint_reader(found.path)
        types = reader.get_variable_to_dtype_map()
        shapes = sorted(reader.get_variable_to_shape_map().items())
        return {name: (types[name].name, tuple(shape)) for name, shape in shapes}
    return {k: (as_dtype(v.dtype).name, v.shape) for k, v in sorted(read(found).items())}


def read(found: Recognized) -> Tensors:
    """The tensors by name.

    Raises:
      DataLossError: The file is damaged.
      UnimplementedError: It needs a package that is not installed.
    """
    return _READERS[found.kind](found.path)


def _read_checkpoint(path: str) -> Tensors:
    reader = new_checkpoint_reader(path)
    tensors = {}
    types = reader.get_variable_to_dtype_map()
    with progress("Tensors read", len(types)) as advance:
        for name, dtype in types.items():
            value = reader.get_tensor(name)
            is_text = dtype.name == "string"
            tensors[name] = np.asarray(value, object) if is_text else np.asarray(value)
            advance()
    return tensors


def _read_npz(path: str) -> Tensors:
    try:
        # numpy leaves a file open that is no archive.
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except _NOT_NPZ as error:
        raise DataLossError(None, None, f"{path}: not an npz archive of arrays: {error}") from None


def _read_safetensors(path: str) -> Tensors:
    safetensors = _package("safetensors", "weights")
    with open(path, "rb") as file:
        data = file.read()
    try:
        entries = safetensors.deserialize(data)
    except safetensors.SafetensorError as error:
        raise DataLossError(None, None, f"{path}: not safetensors: {error}") from None
    tensors = {}
    for name, entry in entries:
        if entry["dtype"] not in _SAFE:
            raise UnimplementedError(None, None, f"{path}: '{name}' is of type {entry['dtype']}")
        kind = _numpy_type(_SAFE[entry["dtype"]])
        tensors[name] = np.frombuffer(bytes(entry["data"]), kind).reshape(entry["shape"])
    return tensors


def _numpy_type(name: str) -> np.dtype[Any]:
    """numpy's type of a name."""
    kind: np.dtype[Any] = np.dtype(as_dtype(name).as_numpy_dtype)
    return kind


def _read_hdf5(path: str) -> Tensors:
    """Datasets by their paths; of Keras's files of weights without the group that all are in."""
    h5py = _package("h5py", "weights")
    tensors: Tensors = {}

    def add(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            tensors[name] = np.asarray(item)

    try:
        with h5py.File(path, "r") as file:
            file.visititems(add)
    except (OSError, RuntimeError, ValueError, TypeError) as error:
        raise DataLossError(None, None, f"{path}: not HDF5: {error}") from None
    return {_keras_name(name): value for name, value in tensors.items()}


def _keras_name(name: str) -> str:
    """`model_weights/dense/dense/kernel:0` -> `dense/kernel`: the layer is named twice."""
    name = name.removeprefix("model_weights/").removesuffix(":0")
    first, _, rest = name.partition("/")
    return rest if rest.startswith(f"{first}/") else name


_READERS: Mapping[str, Callable[[str], Tensors]] = {
    CHECKPOINT: _read_checkpoint,
    NPZ: _read_npz,
    SAFETENSORS: _read_safetensors,
    HDF5: _read_hdf5,
}


def write(kind: str, path: str, tensors: Mapping[str, np.ndarray]) -> None:
    """Writes tensors, whole or not at all.

    Raises:
      UnimplementedError: The format has no such type, or cannot be written.
    """
    if kind == CHECKPOINT:
        _write_checkpoint(path, tensors)
        return
    temporary = f"{path}.tmp{os.getpid()}"
    try:
        with open(temporary, "xb") as file:
            if kind == NPZ:
                np.savez(file, **tensors)  # type: ignore[arg-type]
            elif kind == SAFETENSORS:
                file.write(_as_safetensors(tensors))
            else:
                raise UnimplementedError(None, None, f"{kind} is read only")
        os.replace(temporary, path)
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


def _write_checkpoint(path: str, tensors: Mapping[str, np.ndarray]) -> None:
    writer = BundleWriter(path)
    try:
        with progress("Tensors written", len(tensors)) as advance:
            for name in sorted(tensors):
                value = tensors[name]
                writer.add(name, as_dtype(value.dtype), value)
                advance()
        writer.finish()
    except BaseException:
        writer.abandon()
        raise


def _as_safetensors(tensors: Mapping[str, np.ndarray]) -> bytes:
    safetensors = _package("safetensors", "weights")
    codes = {name: code for code, name in _SAFE.items()}
    header: dict[str, Any] = {}
    parts = []
    place = 0
    for name in sorted(tensors):
        value = tensors[name]
        kind = value.dtype.name
        if kind not in codes:
            raise UnimplementedError(
                None, None, f"safetensors have no type for '{name}', which is {kind}"
            )
        data = np.ascontiguousarray(value).tobytes()
        header[name] = {
            "dtype": codes[kind],
            "shape": list(value.shape),
            "data_offsets": [place, place + len(data)],
        }
        parts.append(data)
        place += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    data = len(text).to_bytes(8, "little") + text + b"".join(parts)
    # The package says whether the file is one.
    safetensors.deserialize(data)
    return data
