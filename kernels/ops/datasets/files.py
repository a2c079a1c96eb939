"""Kernels that make datasets of what is in files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.datasets.csv import CsvDataset, CsvForm
from dataflow.kernels.datasets.dataset import Dataset
from dataflow.kernels.datasets.readers import (
    FixedLengthRecordDataset,
    MatchingFilesDataset,
    TextLineDataset,
    TFRecordDataset,
)
from dataflow.kernels.ops.datasets.arguments import described, flag, number, string, strings


@kernel("TextLineDataset", device="CPU")
def text_line_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    def run(filenames: Any, compression: Any, buffer_size: Any) -> Dataset:
        names, kind = strings(filenames, "filenames"), string(compression, "compression_type")
        if number(buffer_size, "buffer_size") < 0:
            raise invalid("`buffer_size` must be >= 0 (0 == default)")
        return TextLineDataset(names, kind)

    return run


@kernel("TFRecordDataset", "TFRecordDatasetV2", device="CPU")
def tf_record_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    def run(filenames: Any, compression: Any, buffer_size: Any, *starts: Any) -> Dataset:
        names, kind = strings(filenames, "filenames"), string(compression, "compression_type")
        if number(buffer_size, "buffer_size") < 0:
            raise invalid("`buffer_size` must be >= 0 (0 == no buffering)")
        places = [int(place) for value in starts for place in np.ravel(value)]
        if places and len(places) != len(names):
            raise invalid("`byte_offsets` must have the same size as `filenames`")
        return TFRecordDataset(names, kind, places)

    return run


@kernel("FixedLengthRecordDataset", "FixedLengthRecordDatasetV2", device="CPU")
def fixed_length_record_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    def run(
        filenames: Any, header: Any, size: Any, footer: Any, buffer_size: Any, *compression: Any
    ) -> Dataset:
        kind = string(compression[0], "compression_type") if compression else b""
        if number(buffer_size, "buffer_size") < 0:
            raise invalid("`buffer_size` must be >= 0 (0 == default)")
        return FixedLengthRecordDataset(
            strings(filenames, "filenames"),
            kind,
            number(header, "header_bytes"),
            number(size, "record_bytes"),
            number(footer, "footer_bytes"),
        )

    return run


@kernel("MatchingFilesDataset", "ExperimentalMatchingFilesDataset", device="CPU")
def matching_files_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    return lambda patterns: MatchingFilesDataset(strings(patterns, "patterns"), b"")


@kernel("CSVDataset", "CSVDatasetV2", "ExperimentalCSVDataset", device="CPU")
def csv_dataset(node: KernelNode, xp: Any) -> Callable[..., Dataset]:
    types, shapes = described(node)
    excludes = node.op == "CSVDatasetV2"

    def run(
        filenames: Any,
        compression: Any,
        buffer_size: Any,
        header: Any,
        field_delim: Any,
        use_quote_delim: Any,
        na_value: Any,
        select_cols: Any,
        *defaults: Any,
    ) -> Dataset:
        excluded: list[int] = []
        if excludes:
            *defaults, dropped = defaults  # type: ignore[assignment]
            excluded = np.ravel(dropped).tolist()
        form = CsvForm(
            has_header=flag(header, "header"),
            delimiter=string(field_delim, "field_delim"),
            quotes=flag(use_quote_delim, "use_quote_delim"),
            absent=string(na_value, "na_value"),
            selected=tuple(np.ravel(select_cols).tolist()),
            excluded=tuple(excluded),
            defaults=tuple(defaults),
        )
        if number(buffer_size, "buffer_size") <= 0:
            raise invalid("buffer_size should be positive")
        return CsvDataset(
            types,
            shapes,
            strings(filenames, "filenames"),
            string(compression, "compression_type"),
            form,
        )

    return run
