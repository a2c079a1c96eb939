"""Products of float32 matrices that may be transposed or parts of larger ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.library import Library, OneDnnError
from dataflow.kernels.onednn.team import TOGETHER, WAKING
from dataflow.kernels.products.sums import keep_bits
from dataflow.kernels.products.turned import multiply_turned
from dataflow.kernels.threads.parallel import current, run_alone, split

_LONG: Final = 512
_LEAST: Final = 16
"""Terms of a sum, and rows and columns, from which on a transposed second matrix is better read by
code of its own."""
_GRAIN: Final = 8_000_000
"""Multiplications that are worth a piece."""
_HEIGHT: Final = 128
_WIDTH: Final = 96
"""Rows and columns of the result from which a piece is as fast as all of it: oneDNN copies the
other operand for each piece."""
_TILE: Final = 16
"""Rows and columns are cut at multiples of it."""
_PIECES: Final = 16
"""Pieces at most."""
_HEAD_START: Final = 4_000_000
"""Multiplications that the caller has done when a thread that it wakes begins."""


def multiply(library: Library, a: Any, b: Any, out: Any) -> None:
    """Writes `a @ b` to `out`, on as many threads as there are.

    Args:
      library: The library.
      a: float32 (rows, inner), any strides; not empty.
      b: float32 (inner, columns), any strides; not empty.
      out: float32 (rows, columns), contiguous; shares no memory with the others.
    """
    rows, inner = a.shape
    columns = b.shape[1]
    names_a, step_a, row_a, a = _operand(a)
    names_b, step_b, _, b = _operand(b)
    column_b = 4 * step_b if names_b == b"T" else 4
    at_a, at_b, at_out = address_of(a), address_of(b), address_of(out)
    work = rows * inner * columns
    sizes = rows, inner, columns
    is_turned = (names_a, names_b) == (b"N", b"T") and step_a == step_b == inner
    is_large = inner >= _LONG and work >= TOGETHER and min(rows, columns) >= _LEAST
    if is_turned and is_large and multiply_turned(library, sizes, (at_a, at_b, at_out)):
        return
    gemm, threads, set_threads = library.sgemm, library.threads, library.set_threads

    def run(top: int, height: int, left: int, width: int, alone: bool = True) -> None:
        before = threads() if alone else 1
        if before != 1:
            set_threads(1)
        status = gemm(
            names_a,
            names_b,
            height,
            width,
            inner,
            1.0,
            at_a + top * row_a,
            step_a,
            at_b + left * column_b,
            step_b,
            0.0,
            at_out + 4 * (top * columns + left),
            columns,
        )
        if before != 1:
            set_threads(before)
        if status:
            raise OneDnnError(f"dnnl_sgemm failed with status {status}.")

    helpers = current.helpers
    if helpers is None or work < TOGETHER:
        run(0, rows, 0, columns)
        return
    turned = (names_a == b"T", names_b == b"T")
    suits_all = keep_bits(library, min(helpers.limit, library.team.most), turned, sizes)
    if suits_all and library.team.run(
        helpers,
        sizes,
        lambda: run(0, rows, 0, columns, alone=False),
        only_awake=work < WAKING,
    ):
        return
    if work < 2 * _GRAIN or (suits_all and not helpers.idle):
        whole = partial(run, 0, rows, 0, columns)
        run_alone(whole) if suits_all else whole()
    elif names_b == b"T" or (names_a == b"N" and columns >= 2 * _WIDTH):
        _split(columns, _WIDTH, work, lambda start, count: run(0, rows, start, count))
    else:
        _split(rows, _HEIGHT, work, lambda start, count: run(start, count, 0, columns))


def _split(count: int, least: int, work: int, run: Callable[[int, int], None]) -> None:
    """Calls `run(first, number)` for pieces of so many rows or columns, of about `least` or more.

    Their number is a power of two, so that as many threads end together. Of two, the caller, which
    begins earlier, takes the larger one.
    """
    most = min(_PIECES, work // _GRAIN, max(1, count // least))
    pieces = 1 << (most.bit_length() - 1)
    lead = count * _HEAD_START // (2 * work) if pieces == 2 else 0

    def end_of(piece: int) -> int:
        if piece in (0, pieces):
            return count if piece else 0
        return (count * piece // pieces + lead) // _TILE * _TILE

    def do(start: int, stop: int) -> None:
        for piece in range(start, stop):
            run(end_of(piece), end_of(piece + 1) - end_of(piece))

    split(pieces, 1, do)


def _operand(x: Any) -> tuple[bytes, int, int, Any]:
    """How oneDNN is to read a matrix.

    Returns:
      Whether it is transposed, elements from line to line, bytes from row to row, and the matrix or
      a copy.
    """
    rows, columns = x.shape
    down, along = x.strides
    if not address_of(x) & 3:
        if along == 4 and down >= 4 * columns and not down & 3:
            return b"N", down >> 2, down, x
        if down == 4 and along >= 4 * rows and not along & 3:
            return b"T", along >> 2, 4, x
    return b"N", columns, 4 * columns, x.copy(order="C")
