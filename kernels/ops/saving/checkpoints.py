"""Kernels that write and read checkpoints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.checkpoints.legacy import Reader, open_checkpoint
from dataflow.checkpoints.legacy_writing import LegacyWriter
from dataflow.checkpoints.merging import merge
from dataflow.checkpoints.slices import Slice, parse
from dataflow.checkpoints.writer import BundleWriter
from dataflow.errors import NotFoundError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.memory import aligned
from dataflow.kernels.ops.parsing.variants import read_saved, saved_variants
from dataflow.kernels.ops.saving.names import text
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.system_errors import local_path, system_errors

_SLOW = 1.0
"""Seconds: what a kernel that waits for a disk may take, for those who choose threads."""


def _strings(value: Any) -> list[str]:
    return [local_path(item) for item in np.asarray(value, object).flat]


def _check_lists(names: list[str], slices: list[str], count: int) -> None:
    for what, given in (("tensor_names", names), ("shape_and_slices", slices)):
        if len(given) != count:
            raise invalid(f"Got {count} tensors but {len(given)} {what}.")


@kernel(
    "SaveV2",
    host_inputs=("prefix", "tensor_names", "shape_and_slices", "tensors"),
    cost=_SLOW,
)
def save(node: KernelNode, xp: Any) -> Callable[..., Any]:
    types = node.input_dtypes[3:]

    def run(prefix: Any, tensor_names: Any, shape_and_slices: Any, *tensors: Any) -> None:
        names, slices = _strings(tensor_names), _strings(shape_and_slices)
        _check_lists(names, slices, len(tensors))
        with system_errors():
            writer = BundleWriter(local_path(text(prefix)))
            try:
                for name, spec, dtype, value in zip(names, slices, types, tensors, strict=True):
                    _add(writer, name, spec, dtype, np.asarray(value))
                writer.finish()
            finally:
                writer.abandon()

    return run


@kernel(
    "Save",
    "SaveSlices",
    host_inputs=("filename", "tensor_names", "shapes_and_slices", "data"),
    cost=_SLOW,
)
def save_legacy(node: KernelNode, xp: Any) -> Callable[..., Any]:
    has_slices = node.op == "SaveSlices"
    types = node.input_dtypes[3 if has_slices else 2 :]

    def run(filename: Any, tensor_names: Any, *tensors: Any) -> None:
        if np.size(filename) != 1:
            raise invalid(
                "Input 0 (filename) must be a string scalar; got a tensor of "
                f"{np.size(filename)}elements"
            )
        names, slices = _strings(tensor_names), [""] * len(types)
        if has_slices:
            slices, tensors = _strings(tensors[0]), tensors[1:]
        _check_lists(names, slices, len(tensors))
        with system_errors():
            writer = LegacyWriter(local_path(text(np.reshape(np.asarray(filename, object), ()))))
            for name, spec, dtype, value in zip(names, slices, types, tensors, strict=True):
                shape, part = parse(spec) if spec else (None, None)
                if shape is not None and part is not None:
                    _check_slice(spec, shape, part, np.shape(value))
                writer.add(name, dtype, value, shape, part)
            writer.finish()

    return run


def _check_slice(spec: str, shape: list[int], part: Slice, found: tuple[int, ...]) -> None:
    if tuple(end - start for start, end in part.bounds(shape)) != found:
        raise invalid(
            f"Slice in shape_and_slice specification does not match the shape of the tensor to "
            f"save: {spec}, tensor: {list(found)}"
        )


def _add(writer: BundleWriter, name: str, spec: str, dtype: DType, value: Any) -> None:
    if dtype is dtypes.variant:
        saved = saved_variants(value)
        value = value if saved is None else saved
    if not spec:
        writer.add(name, dtype, value)
        return
    shape, part = parse(spec)
    _check_slice(spec, shape, part, value.shape)
    writer.add_slice(name, shape, part, dtype, value)


@kernel(
    "RestoreV2",
    host_inputs=("prefix", "tensor_names", "shape_and_slices"),
    host_outputs=("tensors",),
    cost=_SLOW,
)
def restore(node: KernelNode, xp: Any) -> Callable[..., Any]:
    types = node.output_dtypes

    def run(prefix: Any, tensor_names: Any, shape_and_slices: Any) -> Any:
        names, slices = _strings(tensor_names), _strings(shape_and_slices)
        _check_lists(names, slices, len(types))
        with system_errors():
            reader = open_checkpoint(local_path(text(prefix)), aligned.empty)
            known = reader.tensors()
            values = tuple(
                _read(reader, known, name, spec, dtype)
                for name, spec, dtype in zip(names, slices, types, strict=True)
            )
        return values[0] if len(values) == 1 else values

    return run


def _read(
    reader: Reader, known: dict[str, tuple[DType, list[int]]], name: str, spec: str, dtype: DType
) -> Any:
    if name not in known:
        raise NotFoundError(None, None, f"Key {name} not found in checkpoint")
    stored, stored_shape = known[name]
    if stored != dtype:
        raise invalid(
            f"tensor_name = {name}; expected dtype {type_name(dtype)} does not equal original "
            f"dtype {type_name(stored)}"
        )
    part: Slice | None = None
    if spec:
        shape, part = parse(spec)
        if shape != stored_shape:
            raise invalid(
                f"tensor_name = {name}; shape in shape_and_slice spec {_listed(shape)} does not "
                f"match the shape stored in checkpoint: {_listed(stored_shape)}"
            )
    value = reader.read(name, part)
    return read_saved(value) if dtype is dtypes.variant else value


def _listed(shape: list[int]) -> str:
    return f"[{','.join(map(str, shape))}]"


@kernel(
    "Restore",
    "RestoreSlice",
    host_inputs=("file_pattern", "tensor_name", "shape_and_slice"),
    host_outputs=("tensor",),
    cost=_SLOW,
)
def restore_one(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0]

    def run(pattern: Any, name: Any, spec: Any = b"") -> Any:
        with system_errors():
            reader = open_checkpoint(local_path(text(pattern)), aligned.empty)
            known, of = reader.tensors(), _strings(name)[0]
            return _read(reader, known, of, _strings(spec)[0], dtype)

    return run


@kernel(
    "MergeV2Checkpoints",
    host_inputs=("checkpoint_prefixes", "destination_prefix"),
    cost=_SLOW,
)
def merge_checkpoints(node: KernelNode, xp: Any) -> Callable[..., Any]:
    options = node.attr("delete_old_dirs"), node.attr("allow_missing_files")

    def run(prefixes: Any, merged: Any) -> None:
        with system_errors():
            merge(_strings(prefixes), local_path(text(merged)), *options)

    return run
