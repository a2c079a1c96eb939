"""Entries of checkpoints that are intact as bytes and make no sense, and archives likewise."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from dataflow.checkpoints.legacy import open_checkpoint
from dataflow.checkpoints.table_writing import table
from dataflow.command.recognition import recognize
from dataflow.command.weights import read
from dataflow.errors import DataLossError, InvalidArgumentError
from dataflow.proto.saved_tensor_slice_pb2 import SavedTensorSlices
from dataflow.proto.tensor_bundle_pb2 import BundleEntryProto, BundleHeaderProto


def _bundle(folder: Path, key: bytes, entry: BundleEntryProto) -> str:
    header = BundleHeaderProto(num_shards=1)
    header.version.producer = 1
    entries = [(b"", header.SerializeToString()), (key, entry.SerializeToString())]
    (folder / "c.index").write_bytes(table(entries))
    (folder / "c.data-00000-of-00001").write_bytes(bytes(8))
    return str(folder / "c")


def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    reader = open_checkpoint(_bundle(tmp_path, b"a\x80", BundleEntryProto(dtype=1, size=4)))
    with pytest.raises(DataLossError, match="can't decode byte 0x80"):
        reader.tensors()


def test_a_slice_of_another_rank(tmp_path: Path) -> None:
    entry = BundleEntryProto(dtype=1)
    entry.shape.dim.add(size=2)
    for _ in range(2):
        entry.slices.add().extent.add()
        entry.slices[0].extent.add()
    with pytest.raises(InvalidArgumentError, match="The slice -:-:- is of no tensor of"):
        open_checkpoint(_bundle(tmp_path, b"a", entry)).read("a")


def test_a_slice_of_another_rank_in_the_first_format(tmp_path: Path) -> None:
    content = SavedTensorSlices()
    meta = content.meta.tensor.add(name="a", type=1)
    meta.slice.add().extent.add()
    (tmp_path / "v1").write_bytes(table([(b"", content.SerializeToString())]))
    with pytest.raises(InvalidArgumentError, match=r"The slice - is of no tensor of shape \[\]"):
        open_checkpoint(str(tmp_path / "v1")).read("a")


def test_a_tensor_without_a_type_in_the_first_format(tmp_path: Path) -> None:
    content = SavedTensorSlices()
    content.meta.tensor.add(name="a")
    (tmp_path / "v1").write_bytes(table([(b"", content.SerializeToString())]))
    with pytest.raises(DataLossError, match="tensor a: Cannot convert the argument"):
        open_checkpoint(str(tmp_path / "v1"))


@pytest.mark.parametrize("field", ["version", "method", "data"])
def test_an_archive_that_zipfile_cannot_read(tmp_path: Path, field: str) -> None:
    file = io.BytesIO()
    np.savez_compressed(file, a=np.arange(500))
    data = bytearray(file.getvalue())
    central = data.index(b"PK\x01\x02")
    if field == "version":
        data[central + 6] = 99
    elif field == "method":
        data[8] = data[central + 10] = 77
    else:
        with zipfile.ZipFile(file) as archive:
            start = archive.infolist()[0].header_offset + 30 + len("a.npy")
        data[start + 20 : start + 60] = b"\xff" * 40
    path = tmp_path / "a.npz"
    path.write_bytes(data)
    with pytest.raises(DataLossError, match="not an npz archive of arrays"):
        read(recognize(str(path)))
