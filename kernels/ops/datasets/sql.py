"""Kernels that make datasets of the rows of a database."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.datasets.dataset import Dataset
from dataflow.kernels.datasets.sql import SqlDataset, check_types
from dataflow.kernels.ops.datasets.arguments import described, string


@kernel("SqlDataset", "ExperimentalSqlDataset", device="CPU")
def sql_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    check_types(types)
    for shape in shapes:
        if shape.rank != 0:
            raise invalid("Each element of `output_shapes_` must be a scalar.")

    def run(driver_name: Any, data_source_name: Any, query: Any) -> Dataset:
        driver = string(driver_name, "driver_name")
        if driver != b"sqlite":
            raise invalid(
                f"The database type, {driver.decode(errors='backslashreplace')}, is not supported "
                "by SqlDataset. The set of supported databases is: {'sqlite'}."
            )
        file = string(data_source_name, "data_source_name")
        return SqlDataset(types, shapes, file, string(query, "query"))

    return run
