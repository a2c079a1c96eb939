"""Features and labels as trees take them: one matrix of numbers, or two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dataflow.contrib.tensor_forest.python.ops import tensor_forest_ops as tensor_forest_ops
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.ops.array.concat import concat
from dataflow.ops.basic.cast import cast
from dataflow.ops.sparse.concat import sparse_concat
from dataflow.ops.sparse.dense import sparse_tensor_to_dense
from dataflow.values import dtypes, logging

DATA_FLOAT: Final = 0
DATA_CATEGORICAL: Final = 1

DTYPE_TO_FTYPE: Final = {
    dtypes.string: DATA_CATEGORICAL,
    dtypes.int32: DATA_CATEGORICAL,
    dtypes.int64: DATA_CATEGORICAL,
    dtypes.float32: DATA_FLOAT,
    dtypes.float64: DATA_FLOAT,
}


def CastToFloat(tensor: Any) -> Any:
    """Numbers for what a column holds: hashes of strings, integers as floats."""
    if tensor.dtype == dtypes.string:
        return tensor_forest_ops.reinterpret_string_to_float(tensor)
    return cast(tensor, dtypes.float32) if tensor.dtype.is_integer else tensor


class DataColumn:
    """What is known of a column."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self.name: Any = ""
        self.original_type: Any = ""
        self.size: Any = 0

    def SerializeToString(self) -> str:
        """Name, type and size as text."""
        return f"name: {self.name} original_type: {self.original_type} size: {self.size}"


class DataColumnCollection:
    """Columns, one after the other."""

    def __init__(self) -> None:
        """There is none yet."""
        self.cols: list[DataColumn] = []

    def add(self) -> DataColumn:
        """Adds a column, and gives it."""
        self.cols.append(DataColumn())
        return self.cols[-1]

    def size(self) -> int:
        """How many there are."""
        return len(self.cols)

    def SerializeToString(self) -> str:
        """All columns as text."""
        return "".join(f"{{{column.SerializeToString()}}}" for column in self.cols)


class TensorForestDataSpec:
    """What is known of all columns."""

    def __init__(self) -> None:
        """There is none yet."""
        self.sparse = DataColumnCollection()
        self.dense = DataColumnCollection()
        self.dense_features_size: Any = 0

    def SerializeToString(self) -> str:
        """All of it as text, which kernels read."""
        return (
            f"dense_features_size: {self.dense_features_size} "
            f"dense: [{self.dense.SerializeToString()}] "
            f"sparse: [{self.sparse.SerializeToString()}]"
        )


def GetColumnName(column_key: Any, col_num: int) -> Any:
    """The name of a column: its key, or the key's `column_name`."""
    if isinstance(column_key, str):
        return column_key
    return getattr(column_key, "column_name", str(col_num))


def ParseDataTensorOrDict(data: Any) -> tuple[Any, Any, TensorForestDataSpec]:
    """Features as trees take them.

    Args:
      data: A matrix, dense or sparse, or such matrices by name. Floats of sparse matrices are left
        out: trees know them of categories only.

    Returns:
      The dense features as a matrix of numbers and the sparse ones, None where there are none, and
      what they are.
    """
    spec = TensorForestDataSpec()
    if isinstance(data, Mapping):
        return _parse_columns(data, spec)
    if isinstance(data, SparseTensor):
        column = spec.sparse.add()
        column.name, column.size = "sparse_features", -1
        column.original_type = _type_of(data, "The sparse features")
        return None, data, spec
    data = convert_to_tensor(data)
    column = spec.dense.add()
    column.name = "dense_features"
    column.original_type = _type_of(data, "The features")
    spec.dense_features_size = column.size = _width(data, "The features")
    return data, None, spec


def _parse_columns(
    data: Mapping[Any, Any], spec: TensorForestDataSpec
) -> tuple[Any, Any, TensorForestDataSpec]:
    dense: list[Any] = []
    sparse: list[Any] = []
    for key in sorted(data):
        features = data[key]
        if isinstance(features, SparseTensor):
            if features.dtype == dtypes.float32:
                logging.info("TensorForest does not support sparse continuous.")
                continue
            if not spec.sparse.size():
                column = spec.sparse.add()
                column.name, column.size = "all_sparse", -1
                column.original_type = DATA_CATEGORICAL
            values = CastToFloat(features.values)
            sparse.append(SparseTensor(features.indices, values, features.dense_shape))
            continue
        column = spec.dense.add()
        column.original_type = _type_of(features, f"Column {key!r}")
        column.name = GetColumnName(key, len(dense))
        column.size = 1 if features.shape.rank == 1 else _width(features, f"Column {key!r}")
        spec.dense_features_size += column.size
        dense.append(CastToFloat(features))
    all_dense = concat(dense, 1) if dense else None
    all_sparse = sparse_concat(1, sparse) if sparse else None
    logging.info(spec.SerializeToString())
    return all_dense, all_sparse, spec


def _type_of(data: Any, what: str) -> int:
    found = DTYPE_TO_FTYPE.get(data.dtype)
    if found is None:
        raise KeyError(
            f"{what} have type {data.dtype.name}; forests take "
            f"{', '.join(dtype.name for dtype in DTYPE_TO_FTYPE)}"
        )
    return found


def _width(data: Any, what: str) -> int:
    dims = data.shape.dims_tuple
    if dims is None or len(dims) < 2 or dims[1] is None:
        raise ValueError(
            f"{what} must have a second dimension that is known while the graph is built, got "
            f"shape {data.shape}; set_shape can tell it"
        )
    return int(dims[1])


def ParseLabelTensorOrDict(labels: Any) -> Any:
    """Labels as trees take them: one tensor of float32.

    Args:
      labels: A tensor, dense or sparse, or matrices by name, whose columns are put side by side.
    """
    if isinstance(labels, Mapping):
        columns = [_dense(labels[key]) for key in sorted(labels)]
        return cast(concat(columns, 1), dtypes.float32)
    return cast(_dense(labels), dtypes.float32)


def _dense(labels: Any) -> Any:
    if isinstance(labels, SparseTensor):
        return sparse_tensor_to_dense(labels, default_value=-1)
    return labels
