"""tf.load_op_library and its kin: a program hears why, in errors that it already handles."""

from __future__ import annotations

from pathlib import Path

import pytest

import dataflow as tf

LOAD = [tf.load_op_library, tf.load_file_system_library, tf.load_library]


@pytest.mark.parametrize("load", LOAD)
def test_what_is_compiled_is_refused(load: object, tmp_path: Path) -> None:
    path = tmp_path / "ops.so"
    path.write_bytes(b"\x7fELF")
    assert callable(load)
    with pytest.raises(tf.errors.NotFoundError, match=r"C\+\+ runtime") as caught:
        load(str(path))
    assert caught.value.message.startswith(f"{path}: its ops")


@pytest.mark.parametrize("load", LOAD[:2])
def test_no_such_file(load: object, tmp_path: Path) -> None:
    assert callable(load)
    with pytest.raises(tf.errors.NotFoundError, match="cannot open shared object file"):
        load(str(tmp_path / "ops.so"))


def test_folders_of_kernels(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="does not exist"):
        tf.load_library(str(tmp_path / "none"))
    (tmp_path / "notes.txt").write_text("no library")
    tf.load_library(str(tmp_path))
    (tmp_path / "b.so").touch()
    (tmp_path / "a.so").touch()
    with pytest.raises(tf.errors.NotFoundError) as caught:
        tf.load_library(str(tmp_path))
    assert caught.value.message.startswith(str(tmp_path / "a.so"))
