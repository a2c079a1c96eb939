"""Kernels of matrices whose rows and columns belong to words of other vocabularies."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.checkpoints.reader import BundleReader
from dataflow.errors import FailedPreconditionError, NotFoundError, UnimplementedError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.memory import aligned
from dataflow.kernels.ops.lookup.text_files import pairs_of_lines
from dataflow.values import dtypes
from dataflow.values.system_errors import system_errors

_WORD = (-2, dtypes.string)
_NUMBER = (-1, dtypes.int64)
Array = np.ndarray[Any, Any]


def _words(path: Any, name: str, limit: int) -> list[bytes]:
    if np.ndim(path):
        raise invalid(f"{name} should be a single string, but got {shape_text(np.shape(path))}")
    found = os.fsdecode(np.asarray(path, object).item())
    if not found:
        raise invalid("new vocab filename cannot be empty.")
    return [word for word, _ in pairs_of_lines(found, _WORD, _NUMBER, limit, b"\t", 0)]


@kernel(
    "GenerateVocabRemapping",
    host_inputs=("new_vocab_file", "old_vocab_file"),
    host_outputs=("remapping", "num_present"),
)
def generate_vocab_remapping(node: KernelNode, xp: Any) -> Callable[..., Any]:
    start, count = node.attr("new_vocab_offset"), node.attr("num_new_vocab")
    old_size = node.attr("old_vocab_size")

    def run(new_vocab_file: Any, old_vocab_file: Any) -> Any:
        new = _words(new_vocab_file, "new_vocab_file", -1)
        if start + count > len(new):
            raise invalid("lookup table size must be larger than last new vocab entry's line")
        places: dict[bytes, int] = {}
        for place, word in enumerate(_words(old_vocab_file, "old_vocab_file", old_size)):
            if places.setdefault(word, place) != place:
                shown = word.decode(errors="backslashreplace")
                raise FailedPreconditionError(
                    None,
                    None,
                    f"HashTable has different value for same key. Key {shown} has "
                    f"{places[word]} and trying to add value {place}",
                )
        found = [places.get(word, -1) for word in new[start : start + count]]
        present = sum(place >= 0 for place in found)
        return np.array(found, np.int64), np.array(present, np.int32)

    return run


@kernel(
    "LoadAndRemapMatrix",
    host_inputs=(
        "ckpt_path",
        "old_tensor_name",
        "row_remapping",
        "col_remapping",
        "initializing_values",
    ),
    host_outputs=("output_matrix",),
    cost=1.0,
)
def load_and_remap_matrix(node: KernelNode, xp: Any) -> Callable[..., Any]:
    rows, columns = node.attr("num_rows"), node.attr("num_cols")

    def run(path: Any, name: Any, row_places: Any, column_places: Any, values: Any) -> Any:
        _check_vectors(row_places, column_places, rows, columns)
        if np.size(path) != 1:
            raise invalid(
                "The `ckpt_path` tensor must have exactly one element, got tensor of shape "
                f"{shape_text(np.shape(path))}"
            )
        with system_errors():
            matrix = _matrix(
                BundleReader(os.fsdecode(_only(path)), aligned.empty),
                os.fsdecode(_only(name)),
                None if column_places.size else columns,
            )
        known = row_places >= 0
        rows_of_it = _within(row_places[known], len(matrix), "row")
        if column_places.size:
            known_columns = column_places >= 0
            columns_of_it = _within(column_places[known_columns], matrix.shape[1], "column")
            is_known = known[:, None] & known_columns
            held = matrix[np.ix_(rows_of_it, columns_of_it)]
        else:
            is_known = np.broadcast_to(known[:, None], (rows, columns))
            held = matrix[rows_of_it]
        missing = is_known.size - held.size
        if missing != values.size:
            left = "more missing values remain"
            if missing < values.size:
                left = f"only {missing} elements were used to fill in missing values"
            raise invalid(f"initializing_values contained {values.size} elements, but {left}.")
        result = np.empty((rows, columns), np.float32)
        result[is_known] = held.ravel()
        result[~is_known] = values.ravel()
        return result

    return run


def _only(value: Any) -> Any:
    return np.reshape(np.asarray(value, object), -1)[0]


def _check_vectors(row_places: Any, column_places: Any, rows: int, columns: int) -> None:
    if np.ndim(row_places) != 1:
        raise invalid(
            "The `row_remapping` tensor must be 1-D, got a tensor of shape "
            f"{shape_text(np.shape(row_places))}"
        )
    if np.ndim(column_places) != 1:
        raise invalid("The `col_remapping` tensor must be 1-D.")
    if row_places.size != rows:
        raise invalid(
            f"Size of row_remapping is {row_places.size} instead of being equal to num_rows={rows}"
        )
    _check_distinct(row_places)
    if column_places.size not in (0, columns):
        raise invalid(
            f"Provided col_remapping, but its size is {column_places.size} instead of being equal "
            f"to num_cols={columns}"
        )
    _check_distinct(column_places)


def _check_distinct(places: Array) -> None:
    seen: dict[int, int] = {}
    for new, old in enumerate(places.tolist()):
        if old >= 0 and seen.setdefault(old, new) != new:
            raise UnimplementedError(
                None,
                None,
                f"Old ID {old} is mapped to both new ID {seen[old]} and {new}, which is not "
                "supported.",
            )


def _matrix(reader: BundleReader, name: str, columns: int | None) -> Array:
    """A matrix of floats in a checkpoint; with so many columns, if these must all be there."""
    found = reader.tensors().get(name)
    if found is None:
        raise NotFoundError(None, None, f"Key {name} not found in checkpoint")
    dtype, shape = found
    if dtype != dtypes.float32:
        raise invalid(
            f"Tensor {name} has invalid type {type_name(dtype)} instead of expected type float"
        )
    shown = shape_text(shape)
    if len(shape) != 2:
        raise invalid(
            f"Tensor {name} has shape {shown} of invalid rank {len(shape)} instead of expected "
            "shape of rank 2."
        )
    if columns not in (None, shape[1]):
        raise invalid(
            f"Tensor {name} has shape {shown}, where the size of its 2nd dimension is {shape[1]} "
            f"instead of being equal to num_cols={columns}"
        )
    value: Array = reader.read(name)
    return value


def _within(places: Array, size: int, what: str) -> Array:
    if places.size and places.max() >= size:
        raise invalid(f"There is no {what} {places.max()}: the matrix has {size}.")
    return places
