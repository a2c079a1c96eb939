"""tf.gfile beside TensorFlow's: the same results, or the same errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow.compat.v1 as tf1

import dataflow as tf


def steps(g: Any, d: str) -> list[Any]:
    """What calls give, one after the other, in a folder that is theirs."""
    file = g.GFile(f"{d}/f", "w")
    file.write("héllo\nb\n")
    file.write("last")
    file.close()
    appended = g.GFile(f"{d}/f", "a")
    appended.write(" line")
    appended.flush()
    appended.close()
    lines = g.FastGFile(f"{d}/f")
    lines.seek(3)
    calls = [
        lines.tell,
        lines.readline,
        lines.tell,
        lines.readlines,
        lines.read,
        lambda: lines.seek(position=0),
        lambda: lines.read(3),
        lambda: lines.seek(-4, 2),
        lines.read,
        lines.seek,
        lines.size,
        lambda: (lines.name, lines.mode),
        lambda: g.GFile(f"{d}/f", "rb").read(2),
        lambda: list(g.Open(f"{d}/f", "rb")),
        lambda: list(g.GFile(f"{d}/f")),
        lambda: g.GFile(f"{d}/f", "w").read(),
        lambda: g.GFile(f"{d}/f", "r").write("a"),
        lambda: g.GFile(f"{d}/no").read(),
        lambda: g.GFile(f"{d}").read(),
        lambda: g.GFile(f"{d}/q/f", "w").write("a"),
        lambda: g.GFile("s9://a/b").read(),
        lambda: g.MkDir(f"{d}/a/b"),
        lambda: g.MakeDirs(f"{d}/x/y"),
        lambda: g.MakeDirs(f"{d}/x/y"),
        lambda: g.MkDir(f"{d}/x"),
        lambda: g.Copy(f"{d}/f", f"{d}/x/f"),
        lambda: g.Copy(f"{d}/f", f"{d}/x/f"),
        lambda: g.Copy(f"{d}/f", f"{d}/x/f", overwrite=True),
        lambda: g.Copy(f"{d}/no", f"{d}/x/g"),
        lambda: g.Rename(f"{d}/x/f", f"{d}/f"),
        lambda: g.Rename(f"{d}/x/f", f"{d}/g"),
        lambda: g.Rename(f"{d}/g", f"{d}/f", True),
        lambda: sorted(g.ListDirectory(d)),
        lambda: g.ListDirectory(f"{d}/f"),
        lambda: g.ListDirectory(f"{d}/no"),
        lambda: sorted(g.Glob(f"{d}/*")),
        lambda: g.Glob([f"{d}/f*", f"{d}/x/*"]),
        lambda: g.Glob(f"{d}/no*"),
        lambda: list(g.Walk(d)),
        lambda: list(g.Walk(d, in_order=False)),
        lambda: list(g.Walk(f"{d}/no")),
        lambda: (g.Stat(f"{d}/f").length, g.Stat(f"{d}/f").is_directory),
        lambda: g.Stat(d).is_directory,
        lambda: g.Stat(f"{d}/no"),
        lambda: [g.Exists(path) for path in (d, f"{d}/f", f"{d}/no", "")],
        lambda: [g.IsDirectory(path) for path in (d, f"{d}/f", f"{d}/no")],
        lambda: g.Remove(f"{d}/x"),
        lambda: g.Remove(f"{d}/no"),
        lambda: g.Remove(f"{d}/f"),
        lambda: g.DeleteRecursively(f"{d}/no"),
        lambda: g.DeleteRecursively(f"{d}/x"),
        lambda: g.ListDirectory(d),
    ]
    return [outcome(call, d) for call in calls]


def outcome(call: Any, folder: str) -> str:
    """What a call gives or raises, as text without the folder."""
    try:
        found = repr(call())
    except (tf.errors.OpError, tf1.errors.OpError) as error:
        found = f"{type(error).__name__}: {error.message}"
    except TypeError as error:
        found = f"TypeError: {error}"
    return found.replace(folder, "DIR")


def test_as_tensorflow(tmp_path: Path) -> None:
    (tmp_path / "ours").mkdir()
    (tmp_path / "theirs").mkdir()
    ours = steps(tf.gfile, str(tmp_path / "ours"))
    theirs = steps(tf1.gfile, str(tmp_path / "theirs"))
    assert ours == theirs


def test_paths_and_context(tmp_path: Path) -> None:
    with tf.gfile.GFile(tmp_path / "f", "w+") as file:
        file.write(b"bytes and text")
        file.seek(6)
        assert file.read() == "and text"
    assert (tmp_path / "f").read_bytes() == b"bytes and text"
    assert tf.gfile.Stat(f"file://{tmp_path}/f").mtime_nsec == (tmp_path / "f").stat().st_mtime_ns
    assert tf.gfile.Exists(str(tmp_path).encode() + b"/f")
    (tmp_path / "f").write_bytes(b"\xff")
    with pytest.raises(UnicodeDecodeError):
        tf.gfile.GFile(tmp_path / "f").read()
