"""Kernels that take all elements out of a dataset, and put them elsewhere."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.datasets.dataset import Element, as_dataset
from dataflow.kernels.datasets.draining import drain
from dataflow.kernels.ops.datasets.arguments import string
from dataflow.kernels.ops.lookup.table import StaticTable
from dataflow.records.options import TFRecordOptions
from dataflow.records.writing import TFRecordWriter
from dataflow.values import dtypes


@kernel("DatasetToTFRecord", "ExperimentalDatasetToTFRecord", device="CPU", blocking=True)
def to_records(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(
        step: Any, done: Callable[..., None], source: Any, filename: Any, compression: Any
    ) -> None:
        dataset = as_dataset(source)
        if dataset.types != (dtypes.string,):
            raise invalid("Elements that are written to a file of records must be strings.")
        path = os.fsdecode(string(filename, "filename"))
        kind = string(compression, "compression_type").decode(errors="backslashreplace")
        writer = TFRecordWriter(path, TFRecordOptions(kind))
        drain(dataset, step, done, lambda element: _write(writer, element), writer.close)

    return run


def _write(writer: TFRecordWriter, element: Element) -> None:
    if np.ndim(element[0]):
        raise invalid("Each element that is written to a file of records must be one string.")
    writer.write(np.asarray(element[0], object).item())


@kernel("InitializeTableFromDataset", device="CPU", blocking=True, handle=StaticTable)
def fill_table(node: KernelNode, xp: Any) -> Callable[..., None]:
    def run(step: Any, done: Callable[..., None], table: StaticTable, source: Any) -> None:
        dataset = as_dataset(source)
        if len(dataset.types) != 2:
            raise invalid(
                f"Dataset should have two output types, and the given one has {len(dataset.types)}."
            )
        table.check_types(*dataset.types)
        found: list[Element] = []

        def finish() -> None:
            parts = zip(*found, strict=True) if found else ((), ())
            keys, values = (
                np.stack([np.asarray(each) for each in part])
                if part
                else np.empty(0, dtype.as_numpy_dtype)
                for part, dtype in zip(map(list, parts), dataset.types, strict=True)
            )
            table.fill(lambda: table.pairs(keys, values))

        drain(dataset, step, done, found.append, finish)

    return run
