"""Graphs in files: what is written, and what is said of files that hold none."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

import dataflow as tf
from dataflow.importing.files import load_graph_def
from tests.importing.both import assert_same_nodes, oracle, parsed
from tests.importing.nodes import A, attr, identity, library, node

AB = A + identity("b", "a") + library() + "versions { producer: 77 }"


def small(lib: Any) -> None:
    x = lib.placeholder(lib.float32, [None, 2], name="x")
    lib.matmul(x, lib.constant([[1.0], [2.5]]), name="y")
    lib.constant([b"\x00\xff", b"ab", b""], name="s")


@pytest.mark.parametrize("as_text", [True, False])
@pytest.mark.parametrize("given", ["graph", "graph_def"])
def test_files_are_exchanged_with_tensorflow(tmp_path: Path, as_text: bool, given: str) -> None:
    graphs = {}
    for lib in (tf, oracle):
        with lib.Graph().as_default() as graph:
            small(lib)
        what = graph if given == "graph" else graph.as_graph_def()
        folder = tmp_path / "new" / lib.__name__
        name = "graph.pbtxt" if as_text else "graph.pb"
        path = lib.train.write_graph(what, str(folder), name, as_text)
        assert path == str(folder / name)
        assert os.listdir(folder) == [name]
        graphs[lib] = load_graph_def(path)
    assert_same_nodes(graphs[tf], oracle.GraphDef.FromString(graphs[oracle].SerializeToString()))
    data = (tmp_path / "new" / "dataflow" / name).read_bytes()
    theirs = parsed(oracle, data.decode()) if as_text else oracle.GraphDef.FromString(data)
    assert_same_nodes(graphs[oracle], theirs)


def test_text_is_the_default(tmp_path: Path) -> None:
    path = tf.io.write_graph(parsed(tf, AB), str(tmp_path), "sub/g.pbtxt")
    assert 'name: "b"' in Path(path).read_text()
    assert load_graph_def(path) == parsed(tf, AB)
    assert tf.io.write_graph is tf.train.write_graph


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = Path(tf.io.write_graph(parsed(tf, A), str(tmp_path), "g.pb", as_text=False))
    before = path.read_bytes()
    with pytest.raises(TypeError, match="must be a Graph or a GraphDef, not a str"):
        tf.io.write_graph("no graph", str(tmp_path), "g.pb")
    assert path.read_bytes() == before
    tf.io.write_graph(parsed(tf, AB), str(tmp_path), "g.pb", as_text=False)
    assert load_graph_def(path) == parsed(tf, AB)
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError):
        tf.io.write_graph(parsed(tf, A), str(tmp_path), "folder")
    assert sorted(os.listdir(tmp_path)) == ["folder", "g.pb"]


def test_others_may_read_the_file_as_far_as_the_umask_says(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("")
    path = Path(tf.io.write_graph(parsed(tf, A), str(tmp_path), "g.pb"))
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_bytes_are_loaded() -> None:
    assert load_graph_def(parsed(tf, AB).SerializeToString()) == parsed(tf, AB)
    assert load_graph_def(b"") == tf.GraphDef()


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(tf.errors.NotFoundError, match=r"none\.pb; No such file or directory"):
        load_graph_def(tmp_path / "none.pb")


DATA = parsed(tf, A + identity("b", "a")).SerializeToString()
NAME_OF_B = DATA.index(b"\n\x01b")


def test_a_file_of_more_than_two_gigabytes_is_not_even_read(tmp_path: Path) -> None:
    path = tmp_path / "big.pb"
    with path.open("wb") as file:
        file.truncate(2**31)
    with pytest.raises(tf.errors.DataLossError, match=r"big\.pb: .* 2147483648 bytes, .* 2 GB"):
        load_graph_def(path)


BROKEN = {
    "truncated in a name": (DATA[: NAME_OF_B + 2], r"at byte \d+, in node\[1\]"),
    "truncated in a length": (b"\x0a", "at byte 1, in node.0.: the bytes end inside a number"),
    "no GraphDef": (b"this is no graph", r"at byte \d+"),
    "length too long": (b"\x0a\x7f\x0a\x01x", r"in node\[0\]: 127 bytes are announced, 3 are left"),
    "text not in UTF-8": (
        DATA.replace(b"\n\x01b", b"\n\x01\xff"),
        rf"at byte {NAME_OF_B + 2}, in node\[1\].name: text that is not UTF-8",
    ),
    "number without end": (b"\x18" + b"\xff" * 11, "in version: a number of more than 10 bytes"),
    "field number 0": (b"\x00\x01", "at byte 0, in the message: 0 is no field number"),
    "half a fixed number": (
        b"\x0a\x0b\x2a\x09\x12\x07\x25\x00\x00\x00\x00\x21\x00",
        r"in node\[0\].attr\[0\].value.f: 8 bytes are needed, 1 are left",
    ),
    "half a packed number": (
        b"\x0a\x0b\x2a\x09\x12\x07\x0a\x05\x22\x03\x00\x00\x00",
        r"in node\[0\].attr\[0\].value.list.f\[0\]: 3 bytes do not hold numbers of 4 bytes",
    ),
    "packed number without end": (
        b"\x0a\x09\x2a\x07\x12\x05\x0a\x03\x1a\x01\xff",
        r"in node\[0\].attr\[0\].value.list.i\[0\]: the bytes end inside a number",
    ),
    "group without end": (b"\x73\x08\x01", "in 14: the bytes end inside a group"),
    "end of a group that never began": (b"\x74", "in 14: wire type 4 has no place here"),
}  # fmt: skip


@pytest.mark.parametrize("case", BROKEN)
def test_bytes_that_are_no_graph_are_refused_at_the_place(case: str, tmp_path: Path) -> None:
    data, words = BROKEN[case]
    with pytest.raises(
        tf.errors.DataLossError, match=f"^{len(data)} bytes: not a GraphDef: .*"
    ) as e:
        load_graph_def(data)
    path = tmp_path / "broken.pb"
    path.write_bytes(data)
    with pytest.raises(tf.errors.DataLossError, match=words) as caught:
        load_graph_def(path)
    assert caught.value.message.startswith(f"{path}: not a GraphDef: at byte ")
    assert caught.value.message.endswith(e.value.message.partition("GraphDef: ")[2])


def test_messages_nested_too_deeply_are_refused() -> None:
    value = b""
    for _ in range(120):
        entry = b"\x12" + with_length(value)
        value = b"\x52" + with_length(b"\x12" + with_length(entry))
    node_def = b"\x2a" + with_length(b"\x12" + with_length(value))
    with pytest.raises(tf.errors.DataLossError, match="nested more than 100 deep"):
        load_graph_def(b"\x0a" + with_length(node_def))


def with_length(data: bytes) -> bytes:
    """The bytes after their number, as protobuf writes it."""
    size, length = len(data), b""
    while size > 127:
        length += bytes([size & 127 | 128])
        size >>= 7
    return length + bytes([size]) + data


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('node { name: "a" ', "1:14"),
        ('node { name: "a" }\nnude { }', "2:1"),
        ("node {\n op: 3 }", "2:6"),
        ("\udcff".encode(errors="surrogateescape"), "utf-8"),
        ("node { " + 'attr { key: "f" value { func { ' * 3000, "nested"),
    ],
    ids=["cut", "unknown field", "wrong kind", "no UTF-8", "deep"],
)
def test_text_that_is_no_graph_is_refused_at_the_place(
    text: Any, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "broken.pbtxt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(tf.errors.InvalidArgumentError, match=words) as caught:
        load_graph_def(path)
    assert caught.value.message.startswith(f"{path}: not a GraphDef in protobuf text: ")


def test_what_is_loaded_is_imported() -> None:
    data = parsed(tf, A + node("c", "Neg", "a", attr("T", "type: DT_FLOAT"))).SerializeToString()
    with tf.Graph().as_default():
        (c,) = tf.import_graph_def(load_graph_def(data), return_elements=["c:0"])
        with tf.Session() as session:
            assert session.run(c, {"import/a:0": [1.0, -2.0]}).tolist() == [-1.0, 2.0]
