"""Names of imported nodes: prefixes, what is taken already, order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import dataflow as tf
from tests.importing.both import assert_same, parsed
from tests.importing.nodes import A, identity, node, placeholder, together

Step = Callable[[Any], Any]


def importing(text: str, **arguments: Any) -> Step:
    return lambda lib: lib.import_graph_def(parsed(lib, text), **arguments)


def making(name: str) -> Step:
    return lambda lib: lib.no_op(name=name)


def scoped(name: str, *steps: Step) -> Step:
    def run(lib: Any) -> Any:
        with lib.name_scope(name):
            return [step(lib) for step in steps]

    return run


PAIR = A + identity("b", "a", together("a"))

STEPS: dict[str, list[Step]] = {
    "default prefix": [importing(PAIR), importing(PAIR)],
    "own prefix": [importing(A, name="p"), importing(A, name="p"), importing(A, name="p/q")],
    "prefix is an op": [making("p"), importing(A, name="p")],
    "prefix of another case": [importing(A, name="P"), importing(A, name="p")],
    "deep prefix": [importing(A, name="x/y/z")],
    "scope entered again": [importing(PAIR, name="x/"), importing(PAIR, name="x/")],
    "two slashes": [importing(A, name="x//")],
    "inside a scope": [scoped("s", importing(A), importing(A, name="k"))],
    "no prefix inside a scope": [scoped("s", importing(A, name=""))],
    "no prefix": [importing(PAIR, name=""), importing(PAIR, name="")],
    "case counts": [making("A"), importing(A, name="")],
    "taken by a scope": [making("a/b"), importing(A, name="")],
    "op where a scope will be": [making("a"), importing(placeholder("a/b"), name="")],
    "number taken in the GraphDef": [
        making("a"),
        importing(A + placeholder("a_1") + identity("c", "a,^a_1"), name=""),
    ],
    "number taken by a scope of the GraphDef": [
        making("a"),
        importing(A + node("a_1/q"), name=""),
    ],
    "prefix that nobody opened": [importing(placeholder("import/a"), name=""), importing(A)],
    "ops made later": [
        importing(placeholder("B/a"), name=""),
        making("b"),
        making("B/a"),
        making("b/A"),
        scoped("B", making("a")),
    ],
    "odd names": [importing(node("a/") + node("a//b") + node("x.y-z>w") + node("9.0"))],
    "names that look like numbered ones": [
        making("a_1"),
        making("a"),
        importing(A + placeholder("a_1") + placeholder("a_2"), name=""),
    ],
}


@pytest.mark.parametrize("case", STEPS)
def test_names_are_tensorflows(case: str) -> None:
    def program(lib: Any) -> list[Any]:
        return [step(lib) for step in STEPS[case]]

    assert_same(program)


def test_nodes_are_added_producers_first() -> None:
    text = identity("c", "b") + node("z") + identity("b", "a,^y") + A + node("y")
    lines = assert_same(importing(text, name=""))
    assert [line.split(" = ")[0] for line in lines[:5]] == ["z", "a", "y", "b", "c"]


def test_names_within_a_reused_scope_stay_unique() -> None:
    # TensorFlow 2.21 makes two operations "x/a_1" here.
    text = A + placeholder("a_1")
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(parsed(tf, text), name="x/")
        tf.import_graph_def(parsed(tf, text), name="x/")
        names = [op.name for op in graph.get_operations()]
    assert len(set(names)) == 4
    assert names == ["x/a", "x/a_1", "x/a_2", "x/a_1_1"]


@pytest.mark.parametrize("name", [3, "b c", "_b", "b:0"])
def test_a_prefix_that_is_no_scope_name_is_refused(name: Any) -> None:
    lines = assert_same(importing(A, name=name))
    assert lines[0].startswith("error: ")
