"""Sparse matrices of one shape: the value of a variant, which keeps each row by row."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.type_names import type_name
from dataflow.values.dtypes import DType


@dataclass(frozen=True, slots=True, eq=False)
class SparseMatrix:
    """One matrix of `sizes`, or as many as the first of three sizes says; never changed."""

    sizes: tuple[int, ...]
    dtype: DType
    indices: Any
    """Coordinates of all elements, rows in order; `[elements, len(sizes)]` of int64."""
    values: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """A matrix is a scalar tensor."""
        return ()

    @property
    def batch(self) -> tuple[int, ...]:
        """How many matrices there are; nothing for one."""
        return self.sizes[:-2]

    @property
    def ends(self) -> Any:
        """Where the elements of each matrix end, after a 0."""
        if not self.batch:
            return np.array([0, len(self.values)])
        return np.searchsorted(self.indices[:, 0], np.arange(self.sizes[0] + 1))

    def each(self) -> list[Any]:
        """The matrices, as scipy has them."""
        from scipy.sparse import csr_array

        ends, places = self.ends.tolist(), self.indices[:, -2:]
        made = []
        for start, end in pairwise(ends):
            rows, columns = places[start:end].T
            starts = np.searchsorted(rows, np.arange(self.sizes[-2] + 1))
            made.append(csr_array((self.values[start:end], columns, starts), self.sizes[-2:]))
        return made

    def of_values(self, values: Any) -> SparseMatrix:
        """A matrix with other values at the same places."""
        return SparseMatrix(self.sizes, self.dtype, self.indices, values)

    def conjugate(self) -> SparseMatrix:
        """The complex conjugate; a real matrix itself."""
        return self.of_values(self.values.conj()) if self.dtype.is_complex else self

    def transposed(self) -> SparseMatrix:
        """The matrix with its last two dimensions exchanged."""
        turned = self.indices.copy()
        turned[:, -2:] = self.indices[:, :-3:-1]
        sizes = (*self.batch, self.sizes[-1], self.sizes[-2])
        return in_order(sizes, self.dtype, turned, self.values)


def in_order(sizes: tuple[int, ...], dtype: DType, indices: Any, values: Any) -> SparseMatrix:
    """A matrix whose rows come in order; elements of one row stay as they come."""
    order = np.lexsort(indices[:, -2::-1].T)
    return SparseMatrix(sizes, dtype, indices[order], values[order])


def of_each(batch: tuple[int, ...], dtype: DType, matrices: list[Any]) -> SparseMatrix:
    """The matrices that scipy has made, whose elements it may have in any order."""
    indices, values = [], []
    for place, matrix in enumerate(matrices):
        matrix.sort_indices()
        found = matrix.tocoo()
        columns = [found.row, found.col]
        if batch:
            columns.insert(0, np.full(found.nnz, place))
        indices.append(np.stack(columns, axis=1).astype(np.int64))
        values.append(found.data)
    rank = len(batch) + 2
    sizes = (*batch, *(matrices[0].shape if matrices else (0, 0)))
    return SparseMatrix(
        sizes,
        dtype,
        np.concatenate([np.zeros((0, rank), np.int64), *indices]),
        np.concatenate([np.zeros(0, dtype.as_numpy_dtype), *values]),
    )


def checked(value: Any, text: str, dtype: DType | None = None) -> SparseMatrix:
    """A variant's matrix.

    Args:
      value: The variant.
      text: What the error says of another element type: `{got}` and `{want}` are the types.
      dtype: The element type that it must have, if there is one.

    Raises:
      InvalidArgumentError: It holds something else, or elements of another type.
    """
    if not isinstance(value, SparseMatrix):
        raise invalid("Unable to retrieve CSRSparseMatrix from variant input")
    if dtype is not None and value.dtype is not dtype:
        raise invalid(text.format(got=type_name(value.dtype), want=type_name(dtype)))
    return value
