"""What notebooks show of graphs: all of small ones, a bounded part of large ones, nothing odd."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

import dataflow as tf
from dataflow import errors

_VOID = ("meta",)


class _Checked(HTMLParser):
    """Sees that tags close, that links lead somewhere, and that nothing is loaded."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.scopes: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "link", "img", "iframe")
        given = dict(attrs)
        assert not {"src", "onclick", "onerror"} & given.keys()
        if tag not in _VOID:
            self.open.append(tag)
        if given.get("id"):
            self.ids.append(str(given["id"]))
        if "href" in given:
            self.links.append(str(given["href"]))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.open[-1:] == ["summary"]:
            self.scopes.append(data.strip())


def _checked(html: str) -> _Checked:
    parser = _Checked()
    parser.feed(html)
    parser.close()
    assert not parser.open
    assert len(set(parser.ids)) == len(parser.ids)
    assert "http" not in html
    return parser


def test_a_small_graph() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        with tf.name_scope("layer"), tf.device("/device:CPU:1"), tf.name_scope("inner"):
            tf.matmul(x, tf.ones([3, 2]), name="product")
    found = _checked(graph._repr_html_())
    assert f"{len(graph.get_operations())} operations" in found.text
    for text in ("MatMul", "product", "float32 (?, 2)", "Placeholder", "/device:CPU:1"):
        assert text in found.text
    assert [name for name in found.scopes if name] == ["layer", "inner"]
    assert {link.removeprefix("#") for link in found.links} <= set(found.ids)
    assert len(found.links) == sum(len(op.inputs) for op in graph.get_operations())


def test_a_large_graph_is_bounded() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.constant(1.0)
        for layer in range(30):
            with tf.name_scope(f"layer{layer}"):
                for _ in range(100):
                    x = tf.negative(x)
        tf.identity(x, name="/".join(["deep"] * 3000))
        tf.add_n([x] * 500)
    html = graph._repr_html_()
    found = _checked(html)
    assert len(html) < 400_000
    assert len(found.ids) == 1000
    assert "more operations" in found.text
    assert "3,003 operations" in found.text


def test_a_page(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        tf.constant(1.0, name="one")
    graph.show(tmp_path / "graph.html")
    assert "one" in _checked((tmp_path / "graph.html").read_text(encoding="utf-8")).text
    with pytest.raises(errors.NotFoundError):
        graph.show(tmp_path / "no" / "graph.html")
    assert "0 operations" in _checked(tf.Graph()._repr_html_()).text
