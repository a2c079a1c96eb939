"""A map of sparse tensors by number."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.values.dtypes import DType


class Sparse(NamedTuple):
    """A sparse tensor."""

    indices: np.ndarray[Any, Any]
    values: np.ndarray[Any, Any]
    shape: np.ndarray[Any, Any]


class SparseMap:
    """Sparse tensors that wait to be taken, each once. Safe to use from many threads."""

    def __init__(self, name: str) -> None:
        """Makes an empty map of that name."""
        self._name = name
        self._lock = threading.Lock()
        self._next = 0
        self._held: dict[int, tuple[DType, Sparse]] = {}

    def add(self, dtype: DType, tensors: Sequence[Sparse]) -> list[int]:
        """Puts tensors in; gives their numbers."""
        with self._lock:
            numbers = list(range(self._next, self._next + len(tensors)))
            self._next += len(tensors)
            self._held.update(zip(numbers, ((dtype, tensor) for tensor in tensors), strict=True))
        return numbers

    def take(self, dtype: DType, numbers: Sequence[int]) -> list[Sparse]:
        """Takes tensors out.

        Raises:
          InvalidArgumentError: There is no tensor of a number, or of another type.
        """
        found = []
        with self._lock:
            for number in numbers:
                if number not in self._held:
                    raise invalid(f"Unable to find SparseTensor: {number} in map: {self._name}")
                held, tensor = self._held.pop(number)
                if held != dtype:
                    raise invalid(
                        f"dtype mismatch for SparseTensor {number}: requested {dtype.name}, and it "
                        f"is {held.name}"
                    )
                found.append(tensor)
        return found


def checked(indices: Any, values: Any, shape: Any) -> Sparse:
    """The parts of a sparse tensor, if they fit.

    Raises:
      InvalidArgumentError: They do not.
    """
    for name, part, rank in (("indices", indices, 2), ("values", values, 1), ("shape", shape, 1)):
        if np.ndim(part) != rank:
            kind = "matrix" if rank == 2 else "vector"
            raise invalid(
                f"Input {name} should be a {kind} but received shape {shape_text(np.shape(part))}"
            )
    if len(values) != len(indices) or indices.shape[1] != len(shape):
        raise invalid(
            f"Parts of a sparse tensor do not fit: indices {shape_text(indices.shape)}, values "
            f"{shape_text(values.shape)}, shape {shape_text(shape.shape)}"
        )
    if (shape < 0).any() or (indices < 0).any() or (indices >= shape).any():
        raise invalid(f"Indices of a sparse tensor lie outside of its shape {shape.tolist()}")
    return Sparse(indices.copy(), values.copy(), shape.copy())
