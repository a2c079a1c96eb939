"""Products of a sparse and a dense matrix by scipy's loop, which adds rows in one pass."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.registry import KernelNode, override
from dataflow.kernels.ops.sparse import matmul as generic

_WORTH: Final = 512
"""Products from which scipy is loaded for them."""


@override(generic.sparse_dense_product, device="CPU")
def sparse_dense_product(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return generic.sparse_dense_product(node, xp, _add_products)


def _add_products(xp: Any, out: Any, rows: Any, columns: Any, values: Any, b: Any) -> Any:
    if values.size * b.shape[1] < _WORTH:
        return generic.add_each(xp, out, rows, columns, values, b)
    loop = _loop()
    if loop is None or values.dtype != b.dtype:
        from scipy.sparse import coo_array

        return coo_array((values, (rows, columns)), shape=(len(out), len(b))) @ b
    loop(values.size, b.shape[1], rows, columns, values, b.ravel(), out.reshape(-1))
    return out


@cache
def _loop() -> Any:
    """`Y += A B` for a sparse A whose indices are below its sizes; None if this scipy has none.

    What scipy's arrays add to it takes as long again where there are some 10,000 elements.
    """
    try:
        from scipy.sparse import _sparsetools

        loop = _sparsetools.coo_matmat_dense
        rows, columns = np.array([[1, 0], [0, 2], [1, 1]]).T
        made = np.zeros(4, np.float32)
        loop(3, 2, rows, columns, np.ones(3, np.float32), np.arange(6, dtype=np.float32), made)
    except Exception:  # It is no public function: whatever it has become, there are other ways.
        return None
    return loop if made.tolist() == [4.0, 5.0, 2.0, 4.0] else None
