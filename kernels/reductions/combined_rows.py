"""Combines rows with the rows of an array that indices name, one by one, as machine code.

`ufunc.at` takes 5 to 60 times as long, sorting the rows 15 to 100 times.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.indices import are_below
from dataflow.kernels.native.builtin import Builtin
from dataflow.kernels.native.compiled import can_run, compiled, is_there
from dataflow.kernels.native.program import LETTERS, Instruction, Operand, Program

_WORTH: Final = 128
"""Elements from which it is worth while."""
_SEEN_AS: Final[dict[Any, Any]] = {
    np.dtype(np.complex64): np.dtype(np.float32),
    np.dtype(np.complex128): np.dtype(np.float64),
    np.dtype(np.uint32): np.dtype(np.int32),
    np.dtype(np.uint64): np.dtype(np.int64),
}
"""Types whose sums and differences are those of other types, of one element or two."""


def combine_rows(
    function: Any,
    target: np.ndarray,
    indices: np.ndarray,
    rows: np.ndarray,
    are_known: bool = False,
) -> bool:
    """Does what `function.at(target, indices, rows)` does.

    Args:
      function: A ufunc of numpy's; others are left to others.
      target: Array of shape [n, ...], in C order, changed in place.
      indices: Row numbers of shape [m].
      rows: Array of shape [m, ...], of the target's type.
      are_known: All indices are known to be those of rows.

    Returns:
      False if this has to be done in another way; nothing has changed then.

    Raises:
      IndexError: An index is out of bounds; nothing has changed then.
    """
    is_sum = function is np.add or function is np.subtract
    dtype = _SEEN_AS.get(target.dtype, target.dtype) if is_sum else target.dtype
    letter = LETTERS.get(dtype, "b")
    if (
        rows.size < _WORTH
        or rows.dtype != target.dtype
        or not isinstance(function, np.ufunc)
        or not is_there()
        or letter == "b"
        or not can_run(function.__name__, letter * 2, letter)
        or not target.flags.c_contiguous
        or not target.flags.writeable
    ):
        return False
    count = len(indices)
    if rows.size * len(target) != target.size * count:
        raise ValueError(f"Rows of {rows.shape} do not fit an array of {target.shape}.")
    if indices.dtype != np.int32:
        indices = indices.astype(np.int64, copy=False)
    if not are_known and not are_below(indices, len(target)):
        raise IndexError(f"An index is out of bounds for {len(target)} rows.")
    flat = target.reshape(len(target), -1).view(dtype)
    given = np.ascontiguousarray(rows).reshape(count, -1).view(dtype)
    loop = _loop(function.__name__, letter, LETTERS[indices.dtype])
    return bool(loop(flat, flat, given, indices))


@cache
def _loop(function: str, letter: str, index: str) -> Builtin:
    """The function of the changed array, once more, the rows, and the indices."""
    rows = Operand(letter, (0, 1), True)
    step = Instruction(function, (0, 1), letter)
    return compiled(Program(2, (rows, rows), (step,), (2,), row_index=index, indexed=(0,)), ())
