"""Products of a sparse and a dense matrix by scipy's loop, which adds rows in one pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

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
    from scipy.sparse import coo_array

    return coo_array((values, (rows, columns)), shape=(len(out), len(b))) @ b
