"""Folders of stored datasets that are damaged, or are not what was asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf

_SPEC = tf.TensorSpec([3], tf.int64)


def _saved(folder: Path, **options: Any) -> Path:
    """A folder with the elements [0 1 2] and [3 4 5]."""
    with tf.Graph().as_default(), tf.Session() as session:
        rows = np.arange(6).reshape(2, 3)
        session.run(tf.data.Dataset.from_tensor_slices(rows).save(folder, **options))
    return folder


def _elements(folder: Path, **options: Any) -> list[Any]:
    with tf.Graph().as_default(), tf.Session() as session:
        dataset = tf.data.Dataset.load(folder, **options)
        element = tf.data.make_one_shot_iterator(dataset).get_next()
        return [session.run(element).tolist() for _ in range(2)]


def _shard(folder: Path) -> Path:
    (found,) = folder.glob("*/00000000.shard/00000000.snapshot")
    return found


def _cut(path: Path, count: int) -> None:
    path.write_bytes(path.read_bytes()[:count])


def _replace(path: Path, old: bytes, new: bytes) -> None:
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new))


def _elsewhere(folder: Path) -> None:
    """The description names a folder outside of this one."""
    name = _shard(folder).parents[1].name.encode()
    _replace(folder / "snapshot.metadata", name, b"../" + name[3:])


_DAMAGE: dict[str, tuple[Callable[[Path], Any], type[tf.errors.OpError], str]] = {
    "no description": (
        lambda folder: (folder / "snapshot.metadata").unlink(),
        tf.errors.NotFoundError,
        "Could not find metadata file",
    ),
    "half a description": (
        lambda folder: _cut(folder / "snapshot.metadata", 9),
        tf.errors.DataLossError,
        "snapshot.metadata is damaged",
    ),
    "an empty description": (
        lambda folder: _cut(folder / "snapshot.metadata", 0),
        tf.errors.DataLossError,
        "describes no dataset of version 2",
    ),
    "a folder elsewhere": (_elsewhere, tf.errors.DataLossError, "describes no dataset"),
    "another version": (
        lambda folder: _replace(folder / "snapshot.metadata", b"\x20\x02", b"\x20\x01"),
        tf.errors.DataLossError,
        "describes no dataset of version 2",
    ),
    "no folder": (
        lambda folder: _shard(folder).parents[1].rename(folder / "other"),
        tf.errors.NotFoundError,
        "No such file",
    ),
    "half a record": (
        lambda folder: _cut(_shard(folder), 30),
        tf.errors.DataLossError,
        "truncated record",
    ),
    "a changed record": (
        lambda folder: _replace(_shard(folder), b"\x04\0\0\0", b"\x09\0\0\0"),
        tf.errors.DataLossError,
        "corrupted record",
    ),
}


@pytest.mark.parametrize("name", _DAMAGE)
def test_damage_is_told(name: str, tmp_path: Path) -> None:
    damage, error, text = _DAMAGE[name]
    damage(_saved(tmp_path))
    with pytest.raises(error) as told:
        _elements(tmp_path)
    assert text in told.value.message


def test_records_that_are_no_tensors_are_told(tmp_path: Path) -> None:
    shard = _shard(_saved(tmp_path))
    for records, text in (
        ([b"\xff"], "holds no tensors"),
        ([b"", b""], "Malformed tensor of type 0"),
    ):
        with tf.io.TFRecordWriter(str(shard)) as writer:
            for record in records:
                writer.write(record)
        with pytest.raises(tf.errors.OpError) as told:
            _elements(tmp_path)
        assert text in told.value.message


def test_other_elements_than_there_are_are_refused(tmp_path: Path) -> None:
    _saved(tmp_path)
    assert _elements(tmp_path, element_spec=_SPEC) == [[0, 1, 2], [3, 4, 5]]
    wrong = (
        (tf.TensorSpec([3], tf.int32), "where a int32 of shape (3,) was asked for"),
        (tf.TensorSpec([2], tf.int64), "where a int64 of shape (2,) was asked for"),
        ((_SPEC, _SPEC, _SPEC), "ends within an element"),
    )
    for spec, text in wrong:
        with pytest.raises(tf.errors.OpError) as told:
            _elements(tmp_path, element_spec=spec)
        assert text in told.value.message
    with pytest.raises(tf.errors.InvalidArgumentError) as told:
        _elements(tmp_path, compression="LZMA")
    assert "not 'LZMA'" in told.value.message
    with pytest.raises(tf.errors.NotFoundError, match="element_spec file not found"):
        tf.data.Dataset.load(tmp_path / "nowhere")
    (tmp_path / "dataset_spec.pb").write_bytes(b"\xff")
    with pytest.raises(tf.errors.NotFoundError, match="not found or invalid"):
        tf.data.Dataset.load(tmp_path)


def test_shards_have_numbers(tmp_path: Path) -> None:
    for shard, text in (
        (lambda _: np.int64(-1), "gave -1, which is the number of no shard"),
        (lambda row: row, "must return a scalar int64"),
        (lambda _: 1, "must return a scalar int64"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError) as told:
            _saved(tmp_path, shard_func=shard)
        assert text in told.value.message


def test_a_folder_is_whole_when_all_is_written(tmp_path: Path) -> None:
    """The one that is there stays until then, for those who read it."""
    _saved(tmp_path)
    before = (tmp_path / "snapshot.metadata").read_bytes()
    with tf.Graph().as_default(), tf.Session() as session:
        failing = tf.data.Dataset.range(3).map(lambda n: tf.check_numerics(1 / (1 - n), "n"))
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(failing.save(tmp_path / "other"))
    assert (tmp_path / "snapshot.metadata").read_bytes() == before
    assert not list(tmp_path.glob("snapshot.metadata.*"))
