"""Matrix products of numpy arrays, large ones split over the threads that may help.

The pieces are rows or columns of the result, so that each element is summed up as it is by one
thread.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from dataflow.kernels.memory import aligned
from dataflow.kernels.memory.shared_arrays import are_wanted
from dataflow.kernels.onednn import library as onednn
from dataflow.kernels.products import batches, blas, gemm
from dataflow.kernels.products.integer_products import LEAST, product_by_floats
from dataflow.kernels.threads.parallel import current, split

_GRAIN: Final = 12_000_000
"""Multiplications worth a piece: 100 to 200 us of one core."""
_LEAST: Final = 300_000
"""Multiplications from which a product is handed to oneDNN, or split."""
_SMALL: Final = 1 << 20
"""Multiplications up to which a BLAS that is quick with small products is: it takes half to two
thirds of oneDNN's time."""
_LEAST_TURNED: Final = 100_000
_LEAST_TERMS: Final = 64
"""Terms of a sum from which BLAS copies an operand quickly enough."""
_CACHE_PAGE: Final = 2048
"""Bytes: of lines so far apart, or a multiple, the nearest cache holds few."""
_FLAT: Final = 8
"""If the second matrix is transposed, oneDNN is quicker from so many multiplications on where the
result has so many times as many columns as rows; elsewhere it takes up to six times as long. Of 260
random products this rule takes 1.03 times as long as the quicker of the two, in the mean."""
_LEAST_BATCH: Final = 1_000_000
"""Multiplications from which a batch of products is handed to oneDNN,"""
_SMALL_EACH: Final = 1 << 19
"""unless each has no more than so many, its second matrix lies in rows, and BLAS is quick with
small ones: it takes 0.6 to 0.8 of the time;"""
_TINY_EACH: Final = 1 << 16
"""or each has no more than so many, and BLAS is not: oneDNN needs 0.5 us more for each of them."""
_SLOW_GRAIN: Final = 200_000
"""The same for types that BLAS has no product of."""
_LONG: Final = 16
"""Columns from which products that add nothing up take less time without BLAS."""
_TILE: Final = 32
"""Rows or columns that BLAS does together at most."""

_WIDE: Final = 8
"""Tiles from which a product is as fast as a larger one: pieces have that many if there are."""


def product(a: Any, b: Any) -> Any:
    """The product of two matrices of the same type.

    Raises:
      ValueError: They do not fit to each other.
    """
    if a.dtype.kind == "i" and a.size * b.shape[1] >= LEAST:
        found = product_by_floats(product, a, b)
        if found is not None:
            return found
    if _is_small(a, b):
        return _dot(a, b)
    work = a.size * b.shape[1]
    rows, inner = a.shape
    columns = b.shape[1]
    if b.shape[0] != inner:
        raise ValueError("The matrices do not fit to each other.")
    # With a vector each element is read once: no library is faster than memory.
    if a.dtype == b.dtype == onednn.FLOAT32 and rows > 1 and columns > 1:
        library = onednn.find()
        if library is not None and (library.has_avx512 or not _collide(a, b)):
            found = aligned.empty((rows, columns), a.dtype)
            gemm.multiply(library, a, b, found)
            return found
    if current.helpers is None or work < 2 * _grain(a.dtype):
        return _dot(a, b)
    out = aligned.empty((rows, columns), a.dtype)
    if rows >= columns:
        _by_tiles(rows, a.size * columns, a.dtype, lambda r: np.matmul(a[r], b, out=out[r]))
    else:
        _by_tiles(
            columns, a.size * columns, a.dtype, lambda c: np.matmul(a, b[:, c], out=out[:, c])
        )
    return out


def _dot(a: Any, b: Any) -> Any:
    """The product by BLAS, in memory of our choice where that matters."""
    if not are_wanted():
        return a.dot(b)
    return a.dot(b, out=aligned.empty((a.shape[0], b.shape[1]), a.dtype))


def _is_small(a: Any, b: Any) -> bool:
    """Whether BLAS is to compute the product of two matrices, whatever their type."""
    work = a.size * b.shape[1]
    if work < _LEAST_TURNED:
        return True
    if work > _SMALL or not blas.is_quick_with_small():
        return bool(work < _LEAST)
    down, along = b.strides
    return bool(down >= along or b.shape[1] <= _FLAT * a.shape[0])


def _collide(a: Any, b: Any) -> bool:
    """Whether oneDNN's code for AVX2 reads lines of an operand that have the same place in the
    cache: it takes 1.3 times as long as BLAS, which copies them first, and up to 2.3 times."""
    if b.shape[0] < _LEAST_TERMS:
        return False
    a_down, a_along = a.strides
    b_down, b_along = b.strides
    is_b = b_along == b.itemsize and not b_down % _CACHE_PAGE
    return is_b or (a_down == a.itemsize and not a_along % _CACHE_PAGE)


def batch_product(a: Any, b: Any) -> Any:
    """The products of the matrices in the last two axes; the others are broadcast.

    Raises:
      ValueError: They do not fit to each other.
    """
    columns = b.shape[-1]
    if a.dtype.kind == "i" and a.size * columns >= LEAST and b.size:
        found = product_by_floats(batch_product, a, b)
        if found is not None:
            return found
    if a.dtype == b.dtype == onednn.FLOAT32 and a.shape[-2] > 1 and columns > 1:
        found = _batch_by_library(a, b)
        if found is not None:
            return found
    if a.shape[-1] == b.shape[-2] == 1 and columns >= _LONG:
        return np.multiply(a, b)
    if current.helpers is None or max(a.size * columns, b.size) < 2 * _grain(a.dtype):
        return np.matmul(a, b)
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    out: Any = aligned.empty((*batch, a.shape[-2], columns), a.dtype)
    work = out.size * a.shape[-1]
    # The matrices as they are where there are enough of them, else their rows or columns.
    sizes = (*batch, a.shape[-2] // _TILE, columns // _TILE)
    axis = max(range(len(sizes)), key=sizes.__getitem__)
    from_end = axis - len(sizes)

    def run(piece: slice) -> None:
        np.matmul(
            a if from_end == -1 else _part(a, from_end, piece, out.shape),
            b if from_end == -2 else _part(b, from_end, piece, out.shape),
            out=out[(..., piece, *(slice(None),) * (-from_end - 1))],
        )

    if from_end >= -2:
        _by_tiles(out.shape[from_end], work, a.dtype, run)
    else:
        split(
            sizes[axis],
            -(-sizes[axis] * _grain(a.dtype) // max(1, work)),
            lambda start, stop: run(slice(start, stop)),
        )
    return out


def _batch_by_library(a: Any, b: Any) -> Any:
    """The products if oneDNN is there and fast for them, else None."""
    if a.size * b.shape[-1] < _LEAST_BATCH or a.shape[-1] != b.shape[-2]:
        return None
    down, along = b.strides[-2:]
    each = a.shape[-2] * a.shape[-1] * b.shape[-1]
    is_quick = blas.is_quick_with_small()
    if each <= _SMALL_EACH and down >= along if is_quick else each <= _TINY_EACH:
        return None
    if a.shape[:-2] != b.shape[:-2]:
        # Raises what the caller is to raise.
        np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    library = onednn.find()
    return None if library is None or not b.size else batches.multiply_each(library, a, b)


def _part(array: Any, from_end: int, piece: slice, shape: tuple[int, ...]) -> Any:
    """The piece of an operand along an axis, counted from the end, that it may be broadcast on."""
    if -from_end > array.ndim or (array.shape[from_end] == 1 and shape[from_end] != 1):
        return array
    return array[(..., piece, *(slice(None),) * (-from_end - 1))]


def _by_tiles(count: int, work: int, dtype: Any, run: Any) -> None:
    """Splits so many rows or columns, which take so many multiplications, at whole tiles."""
    tiles = -(-count // _TILE)
    grain = max(-(-tiles * _grain(dtype) // max(1, work)), min(_WIDE, tiles // 2))
    split(tiles, grain, lambda start, stop: run(slice(start * _TILE, min(count, stop * _TILE))))


def _grain(dtype: Any) -> int:
    """Multiplications that are worth a piece."""
    if dtype.kind in "fc":
        return _GRAIN * 4 // int(dtype.itemsize)
    return _SLOW_GRAIN
