"""Products with a bias, and rectified ones, that oneDNN finishes while they are in registers.

Only those of short sums: of longer ones oneDNN's general function, which computes all other
products, adds up a few hundred terms at a time. The same bits in so many calls take as long as it
does, and a pass for the bias.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

import numpy as np

from dataflow.kernels.elementwise.chains import BINARIES
from dataflow.kernels.onednn import trial
from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.invalid_flag import flag
from dataflow.kernels.onednn.library import FLOAT32, MATMUL, Library, OneDnnError, Threads
from dataflow.kernels.onednn.primitive import (
    POST_OPERATION,
    RELU,
    RESULT,
    SECOND_SOURCE,
    SOURCE,
    WEIGHTS,
    Description,
    Layout,
    PostOperation,
    Primitive,
    plain,
)
from dataflow.kernels.products import gemm
from dataflow.kernels.products.epilogue import Rectifier
from dataflow.kernels.threads.parallel import Assisted, current, split

_TERMS: Final = 384
"""Terms of a sum that the general function adds up at once, at most."""
_WORTH: Final = 16_000_000
"""Multiplications that are worth a piece: oneDNN copies the second matrix for each."""
_PIECES: Final = 2
"""Pieces for each thread, at most."""
_HEIGHT: Final = 128
"""Rows from which on a piece is as fast as all of them."""
_PART: Final = 1 << 17
"""Numbers of a piece that something more is done with while they are in the cache."""
_TILE: Final = 16
"""Rows are cut at multiples of it."""
_KEPT: Final = 256
"""Kinds of pieces whose code is kept."""
_RARE: Final = 3
"""Products before code is made for their pieces: making it takes as long as some of them, and a
batch size may never be seen again."""


class _Kind(NamedTuple):
    """What code is made for."""

    rows: int
    inner: int
    columns: int
    step: int
    """Numbers from row to row of the first matrix."""
    rectifies: bool


def multiply(
    library: Library,
    a: Any,
    b: Any,
    bias: Any,
    out: Any,
    finish: Callable[[Any], None] | None,
) -> bool:
    """Writes `a @ b + bias` to `out`, and finishes it, on as many threads as there are.

    Args:
      library: The library.
      a: float32 (rows, inner); not empty.
      b: float32 (inner, columns); not empty.
      bias: float32 (columns,).
      out: float32 (rows, columns), contiguous; shares no memory with the others.
      finish: What then changes the results in place, part by part; None for nothing.

    Returns:
      False if oneDNN has no code for it, or none with these bits, or if it is one of the first of
      its kind; then nothing is done.
    """
    rows, inner = a.shape
    if inner > _TERMS or not library.has_avx512:
        # Without that parts of a product have other bits than the whole of it.
        return False
    columns = b.shape[1]
    down, along = a.strides
    is_readable = along == 4 and down >= 4 * inner and not down & 3 and a.flags.aligned
    if not is_readable or not b.flags.c_contiguous or not b.flags.aligned:
        return False
    rectifies = isinstance(finish, Rectifier) and _tells_of_nans(library)
    finishes = finish is not None and not rectifies
    height = _height(rows, inner * columns, _PART // columns if finishes else rows)
    kind = _Kind(height, inner, columns, down >> 2, rectifies)
    if next(_uses(rows, kind)) < _RARE:
        return False
    main = _code(library, kind)
    rest = main if not rows % height else _code(library, kind._replace(rows=rows % height))
    if main is None or rest is None:
        return False
    bias = plain(bias)
    at_a, at_b, at_bias, at_out = map(address_of, (a, b, bias, out))

    def run(first: int, last: int) -> None:
        for index in range(first, last):
            part = slice(index * height, min(rows, (index + 1) * height))
            code = main if part.stop - part.start == height else rest
            places = (at_a + part.start * down, at_b, at_bias, at_out + 4 * columns * part.start)
            if not code.run(*places):
                # NaNs would be lost.
                gemm.multiply(library, a[part], b, out[part])
                out[part] += bias
            elif not finishes:
                continue
            if finish is not None:
                finish(out[part])

    split(-(-rows // height), 1, run)
    return True


def _height(rows: int, work: int, most: int) -> int:
    """Rows of a piece.

    Args:
      rows: How many there are.
      work: Multiplications for each.
      most: How many rows stay in the cache.
    """
    helpers = current.helpers
    count = 1
    if helpers is not None:
        worth = min(_PIECES * helpers.limit, rows * work // _WORTH, rows // _HEIGHT)
        count = 1 << max(1, worth).bit_length() - 1
    count = max(count, -(-rows // max(_TILE, most)))
    return min(rows, -(-rows // (count * _TILE)) * _TILE)


class _Code:
    """oneDNN's code for pieces of a kind."""

    def __init__(self, library: Library, kind: _Kind) -> None:
        """Makes it.

        Raises:
          OneDnnError: oneDNN cannot.
        """
        self._flag = flag() if kind.rectifies else None
        with Threads(library, 1):
            self._primitive = _compiled(library, kind)

    def run(self, *addresses: int) -> bool:
        """Computes a piece at these addresses; False if that may have lost a NaN."""
        known = self._flag
        if known is not None:
            known[0]()
        self._primitive.run(*addresses)
        return known is None or not known[1]()


def _compiled(library: Library, kind: _Kind) -> Primitive:
    """The product with the bias; `run` takes both matrices, the bias, and the result."""
    source = Layout(library, (kind.rows, kind.inner), (kind.step, 1))
    weights = Layout(library, (kind.inner, kind.columns), (kind.columns, 1))
    result = Layout(library, (kind.rows, kind.columns), (kind.columns, 1))
    row = Layout(library, (1, kind.columns), (kind.columns, 1))
    after = [PostOperation(BINARIES["add"], row)]
    if kind.rectifies:
        after.append(PostOperation(RELU))
    described = Description(library, MATMUL, source, weights, None, result, after=after)
    roles = ((SOURCE, source), (WEIGHTS, weights), (POST_OPERATION | SECOND_SOURCE, row))
    return Primitive(described, [*roles, (RESULT, result)])


@functools.lru_cache(maxsize=_KEPT)
def _uses(rows: int, kind: _Kind) -> Iterator[int]:
    """Counts products of so many rows in such pieces."""
    return itertools.count()


@functools.lru_cache(maxsize=_KEPT)
def _code(library: Library, kind: _Kind) -> _Code | None:
    """The code; None if there is none, or its bits are not those of the general function."""
    a = trial.numbers(kind.rows, kind.step)[:, : kind.inner]
    b = trial.numbers(kind.inner, kind.columns, backwards=True)
    bias = trial.numbers(kind.columns)
    found, expected = (np.empty((kind.rows, kind.columns), FLOAT32) for _ in range(2))
    try:
        code = _Code(library, kind)
        if not code.run(*map(address_of, (a, b, bias, found))):
            return None
    except OneDnnError:
        return None
    with Assisted(None):
        gemm.multiply(library, a, b, expected)
    expected += bias
    if kind.rectifies:
        np.maximum(expected, 0, out=expected)
    return code if np.array_equal(found, expected) else None


@functools.cache
def _tells_of_nans(library: Library) -> bool:
    """Whether it shows if a rectified sum was a NaN."""
    if flag() is None:
        return False
    kind = _Kind(_TILE, _TILE, _TILE, _TILE, rectifies=True)
    try:
        code = _Code(library, kind)
    except OneDnnError:
        return False

    def run(odd: float) -> bool:
        a, b, out = (np.ones((_TILE, _TILE), FLOAT32) for _ in range(3))
        a[3, 3] = odd
        return not code.run(*map(address_of, (a, b, b[0], out)))

    return trial.tells_of_nans(run)
