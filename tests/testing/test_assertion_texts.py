"""What assertions of tf.test say of differences, beside TensorFlow's."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf

Pair = namedtuple("Pair", ["x", "y"])
CLOSE: dict[str, tuple[Any, Any, str | None]] = {
    "nested": ({"y": (2, [{"n": 4, "m": 1}])}, {"y": (2, [{"n": 4.2, "m": 1}])}, None),
    "a list in a list": ([1, [2, 3]], [1, [2, 4]], None),
    "dictionaries in a list": ([{"a": 1}, {"a": 2}], [{"a": 1}, {"a": 3}], "told"),
    "other keys": ({"a": 1}, {"b": 1}, "told"),
    "other keys below": ({"k": {"a": 1}}, {"k": {"a": 1, "b": 1}}, None),
    "named tuples": (Pair(1, 2), Pair(1, 3), None),
    "an array": ([1.0, 2.0], [1.0, 3.0], "told"),
}


def _case(library: Any) -> Any:
    class Case(library.test.TestCase):  # type: ignore[misc]
        def runTest(self) -> None:
            """Nothing: the assertions are called from outside."""

    return Case()


def _shown(error: AssertionError) -> list[str]:
    return [line.rstrip() for line in str(error).splitlines()]


@pytest.mark.parametrize("name", CLOSE)
def test_where_values_differ(name: str) -> None:
    a, b, msg = CLOSE[name]
    texts = []
    for library in (tf, oracle):
        with pytest.raises(AssertionError) as caught:
            _case(library).assertAllClose(a, b, msg=msg)
        texts.append(_shown(caught.value))
    assert texts[0] == texts[1]


def _graph(library: Any, *inputs: str, value: float = 1.0, **fields: Any) -> Any:
    """A placeholder, and a constant with these inputs and fields."""
    with library.Graph().as_default() as graph:
        library.placeholder(library.int32, name="fed")
        library.constant(value, name="a")
    found = graph.as_graph_def()
    node = found.node[1]
    node.input.extend(inputs)
    for field, given in fields.items():
        if field == "content":
            del node.attr["value"].tensor.float_val[:]
            node.attr["value"].tensor.tensor_content = np.float32(given).tobytes()
        elif field in ("op", "device"):
            setattr(node, field, given)
        else:
            node.attr[field].i = given
    return found


Graphs = Callable[[Any], tuple[Any, Any]]
GRAPHS: dict[str, Graphs] = {
    "more": lambda lib: (_graph(lib), lib.GraphDef()),
    "less": lambda lib: (lib.GraphDef(), _graph(lib)),
    "op": lambda lib: (_graph(lib), _graph(lib, op="Foo")),
    "device": lambda lib: (_graph(lib, device="/gpu:0"), _graph(lib)),
    "number of inputs": lambda lib: (_graph(lib, "x", "y"), _graph(lib, "x")),
    "an input": lambda lib: (_graph(lib, "x", "y:1"), _graph(lib, "x:0", "y")),
    "a control input": lambda lib: (_graph(lib, "^x", "^y"), _graph(lib, "^x", "^z")),
    "one more control input": lambda lib: (_graph(lib, "^x", "^y"), _graph(lib, "^x", "^x")),
    "an attr": lambda lib: (_graph(lib), _graph(lib, value=2.0)),
    "an attr more": lambda lib: (_graph(lib, extra=3), _graph(lib)),
    "an attr less": lambda lib: (_graph(lib), _graph(lib, extra=3)),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_how_graphs_differ(name: str) -> None:
    texts = []
    for library in (tf, oracle):
        with pytest.raises(AssertionError) as caught:
            library.test.assert_equal_graph_def(*GRAPHS[name](library))
        texts.append(str(caught.value))
    # Which of several nodes is told of first is open.
    several = name == "more"
    assert texts[0][:22] == texts[1][:22] if several else texts[0] == texts[1]


@pytest.mark.parametrize("library", [tf, oracle])
def test_what_does_not_count(library: Any) -> None:
    whole = _graph(library, "x:0", "^y", "^z")
    same = _graph(library, "x", "^z", "^y", content=1.0, _own=3)
    same.versions.producer = 12
    node = same.node[0]
    moved = library.GraphDef(node=[same.node[1], node])
    library.test.assert_equal_graph_def(whole, moved)


VALUES = [1.0, 0.1, 1e10, 123456789.0, np.float64(1 / 3), np.float32(1 / 3), -0.0, np.float16(0.1)]
MORE: list[Any] = [*VALUES, np.arange(12), [True, False], ["a"], 1 + 2j, np.zeros(0), [np.inf, 1]]


@pytest.mark.parametrize("value", MORE, ids=repr)
def test_how_a_tensor_is_printed(value: Any) -> None:
    texts = []
    for library in (tf, oracle):
        with library.Graph().as_default() as graph:
            library.constant(value, name="a")
        with pytest.raises(AssertionError) as caught:
            library.test.assert_equal_graph_def(graph.as_graph_def(), library.GraphDef())
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
