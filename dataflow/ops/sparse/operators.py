"""Python's operators on sparse tensors, and functions of tensors that take sparse ones, too."""

from __future__ import annotations

from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.ops.math.division import as_quotient_types


def multiplied(sparse: SparseTensor, dense: Any, name: str | None = None) -> SparseTensor:
    """A sparse tensor's elements times those of a tensor, which is broadcast."""
    values = single(
        "SparseDenseCwiseMul", sparse.indices, sparse.values, sparse.dense_shape, dense, name=name
    )
    return SparseTensor(sparse.indices, values, sparse.dense_shape)


def _with_dense(operator: str, function: Any) -> Any:
    def apply(x: SparseTensor, y: Any) -> SparseTensor:
        with name_scope(None, operator, [x, y]) as name:
            dense = convert_to_tensor(y, dtype=x.dtype.base_dtype, name="y")
            values = function(x.indices, x.values, x.dense_shape, dense, name)
            return SparseTensor(x.indices, values, x.dense_shape)

    return apply


def _quotient(indices: Any, values: Any, shape: Any, dense: Any, name: str) -> Tensor:
    return single("SparseDenseCwiseDiv", indices, values, shape, dense, name=name)


def _true_quotient(indices: Any, values: Any, shape: Any, dense: Any, name: str) -> Tensor:
    with name_scope(name, "truediv", [indices, values, shape, dense]) as scope:
        first, second = as_quotient_types(values, dense, "__truediv__")
        return single("SparseDenseCwiseDiv", indices, first, shape, second, name=scope)


def _product(indices: Any, values: Any, shape: Any, dense: Any, name: str) -> Tensor:
    return single("SparseDenseCwiseMul", indices, values, shape, dense, name=name)


for _operator, _function in (("div", _quotient), ("truediv", _true_quotient), ("mul", _product)):
    setattr(SparseTensor, f"__{_operator}__", _with_dense(_operator, _function))
