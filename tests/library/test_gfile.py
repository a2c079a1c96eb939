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
    both = g.GFile(f"{d}/b", "r+")
    both.write("one\ntwo")
    both.flush()
    calls = [
        lines.tell,
        lines.next,
        lines.tell,
        lines.readlines,
        lines.read,
        lambda: lines.seek(position=0),
        lambda: lines.read(3),
        lambda: lines.seek(-4, 2),
        lines.read,
        lines.seek,
        lambda: lines.seek(1, position=1),
        lambda: lines.seek(-1),
        lambda: lines.seek(0, 3),
        lambda: lines.seek(999),
        lines.tell,
        lines.size,
        both.tell,
        both.readline,
        lambda: both.seek(-2, 1),
        both.read,
        lambda: both.write("!"),
        both.close,
        lambda: g.GFile(f"{d}/b").read(),
        g.GFile(f"{d}/b", "a").tell,
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
        file.flush()
        file.seek(6)
        assert file.read() == "and text"
    assert (tmp_path / "f").read_bytes() == b"bytes and text"
    assert tf.gfile.Stat(f"file://{tmp_path}/f").mtime_nsec == (tmp_path / "f").stat().st_mtime_ns
    assert tf.gfile.Exists(str(tmp_path).encode() + b"/f")
    (tmp_path / "f").write_bytes(b"\xff")
    with pytest.raises(UnicodeDecodeError):
        tf.gfile.GFile(tmp_path / "f").read()


def newer_steps(g: Any, d: str) -> list[Any]:
    """The same by the names of `tf.io.gfile`."""

    def write(path: str) -> None:
        with g.GFile(path, "w") as file:
            file.write("text")

    return [
        lambda: g.mkdir(f"{d}/a"),
        lambda: g.mkdir(f"{d}/a"),
        lambda: g.mkdir(f"{d}/no/a"),
        lambda: g.makedirs(f"{d}/b/c"),
        lambda: g.makedirs(f"{d}/b/c"),
        lambda: write(f"{d}/a/f"),
        lambda: g.copy(f"{d}/a/f", f"{d}/b/f"),
        lambda: g.copy(f"{d}/a/f", f"{d}/b/f"),
        lambda: g.copy(f"{d}/a/f", f"{d}/b/f", overwrite=True),
        lambda: g.rename(f"{d}/a/f", f"{d}/b/f"),
        lambda: g.rename(f"{d}/a/f", f"{d}/b/g"),
        lambda: [g.exists(f"{d}/{name}") for name in ("a/f", "b/g", "b")],
        lambda: [g.isdir(f"{d}/{name}") for name in ("b/g", "b", "no")],
        lambda: sorted(g.listdir(f"{d}/b")),
        lambda: g.listdir(f"{d}/no"),
        lambda: sorted(g.glob(f"{d}/b/*")),
        lambda: sorted(g.glob([f"{d}/b/f", f"{d}/b/g*"])),
        lambda: g.glob(f"{d}/no/*"),
        lambda: g.stat(f"{d}/b/g").length,
        lambda: g.stat(f"{d}/no"),
        lambda: sorted((path, sorted(a), sorted(b)) for path, a, b in g.walk(d)),
        lambda: [path for path, _, _ in g.walk(f"{d}/b", topdown=False)],
        lambda: g.join(d, "x", "y"),
        lambda: g.join(d, "/x"),
        lambda: g.remove(f"{d}/no"),
        lambda: g.remove(f"{d}/b/g"),
        lambda: g.rmtree(f"{d}/no"),
        lambda: g.rmtree(f"{d}/b"),
        lambda: g.exists(f"{d}/b"),
    ]


def test_newer_names(tmp_path: Path) -> None:
    found = []
    for name, library in (("ours", tf), ("theirs", tf1)):
        folder = tmp_path / name
        folder.mkdir()
        calls = newer_steps(library.io.gfile, str(folder))
        found.append([outcome(call, str(folder)) for call in calls])
    for ours, theirs in zip(*found, strict=True):
        assert ours == theirs
    assert {"", "file"} <= set(tf.io.gfile.get_registered_schemes())
    failed: list[tf.errors.OpError] = []
    assert not list(tf.io.gfile.walk(tmp_path / "no", onerror=failed.append))
    assert isinstance(failed[0], tf.errors.NotFoundError)


@pytest.mark.parametrize("lib", [tf1, tf], ids=["tensorflow", "ours"])
def test_modes(lib: Any) -> None:
    for mode in ("r", "rb", "br", "w+b", "wb+", "a+"):
        lib.gfile.GFile("/nowhere/file", mode)
    for mode in ("x", "", "rw", "rt", "+r"):
        with pytest.raises(lib.errors.InvalidArgumentError) as refused:
            lib.gfile.GFile("/nowhere/file", mode)
        assert refused.value.message == "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'"
