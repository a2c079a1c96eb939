"""Builds one program in TensorFlow and here and compares the graphs and the values."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow.compat.v1 as oracle
from tensorflow.core.framework.attr_value_pb2 import AttrValue

import dataflow as tf
from tests.oracle import open_session, run_all
from tests.words import as_in_tensorflow_1

oracle.disable_v2_behavior()
oracle.disable_resource_variables()

Program = Callable[[Any], Any]
"""`f(library)` builds into the default graph and returns what is to be compared."""

# TensorFlow 2 marks ends of control edges, for optimizers that are not ours.
_IGNORED_ATTRS = ("_has_manual_control_dependencies", "_output_shapes")


def assert_same_graph(program: Program, *, values: bool = True) -> None:
    """Fails unless both libraries make the same nodes and, with `values`, compute the same."""
    theirs, expected = built(oracle, program, values)
    ours, actual = built(tf, program, values)
    assert "\n".join(ours) == "\n".join(theirs)
    assert len(actual) == len(expected)
    for have, want in zip(actual, expected, strict=True):
        assert_same_value(have, want)


def assert_same_refusal(program: Program) -> str:
    """Fails unless both libraries refuse with the same error; returns its text."""
    theirs, ours = refusal(oracle, program), refusal(tf, program)
    assert type(ours) is type(theirs), (ours, theirs)
    assert str(ours) == as_in_tensorflow_1(str(theirs))
    return str(ours)


def refusal(library: Any, program: Program) -> Exception:
    """The error a program raises while it is built."""
    with library.Graph().as_default():
        try:
            program(library)
        except Exception as error:
            return error
    raise AssertionError(f"{library.__name__} builds the program")


def built(library: Any, program: Program, values: bool) -> tuple[list[str], list[Any]]:
    """The nodes of the graph as text, one a line, and the values of what the program returns."""
    with library.Graph().as_default() as graph:
        fetches = flatten(program(library))
        nodes = described(graph.as_graph_def().SerializeToString())
        if not values:
            return nodes, []
        fetched = run(library, fetches)
    return nodes, fetched


def run(library: Any, fetches: list[Any]) -> list[Any]:
    """The values of what is not None, with all placeholders fed and all variables initialised."""
    graph = library.get_default_graph()
    feeds = {
        op.outputs[0]: example(op.outputs[0])
        for op in graph.get_operations()
        if op.type == "Placeholder"
    }
    with open_session(library, graph) as session:
        if graph.get_collection("variables"):
            session.run(library.global_variables_initializer())
        return run_all(library, session, fetches, feeds)


def example(placeholder: Any) -> np.ndarray:
    """A value for a placeholder; the same one for the same shape each time."""
    shape = placeholder.shape.as_list() if placeholder.shape.rank is not None else [2]
    random = np.random.default_rng(3)
    array = random.uniform(0.5, 1.5, [2 if size is None else size for size in shape])
    return array.astype(placeholder.dtype.as_numpy_dtype)


def flatten(fetches: Any) -> list[Any]:
    """Tensors and None in one list; IndexedSlices are taken apart."""
    if hasattr(fetches, "indices") and hasattr(fetches, "dense_shape"):
        return flatten([fetches.values, fetches.indices, fetches.dense_shape])
    if isinstance(fetches, (list, tuple)):
        return [item for each in fetches for item in flatten(each)]
    return [fetches]


def described(data: bytes) -> list[str]:
    """The nodes of a serialised GraphDef, each as text that does not depend on encodings."""
    graph_def = oracle.GraphDef()
    graph_def.ParseFromString(data)
    lines = []
    for node in graph_def.node:
        attrs = {
            name: _attr_text(value.SerializeToString())
            for name, value in sorted(node.attr.items())
            if name not in _IGNORED_ATTRS
        }
        # 2.21 puts queues on some CPU, with what is colocated; 1.15 leaves it to scopes.
        device = node.device.replace("/device:CPU:*", "")
        lines.append(f"{node.name} = {node.op}({', '.join(node.input)}) {attrs} {device}")
    return lines


@functools.lru_cache(maxsize=4096)
def _attr_text(data: bytes) -> str:
    value = AttrValue.FromString(data)
    if value.WhichOneof("value") == "tensor":
        array = oracle.make_ndarray(value.tensor)
        return f"{array.dtype}{array.shape}{array.tolist()}"
    text = re.sub(r"\s+", " ", str(value)).strip()
    # The number counts what a process has made before.
    return re.sub(r"CustomGradient-\d+", "CustomGradient-n", text)


def assert_same_value(have: Any, want: Any) -> None:
    """Fails unless two fetched values agree."""
    if want is None or have is None:
        assert have is want
        return
    have, want = np.asarray(have), np.asarray(want)
    assert have.dtype == want.dtype
    assert have.shape == want.shape
    if have.dtype.kind in "OS":
        assert have.tolist() == want.tolist()
        return
    np.testing.assert_allclose(have, want, rtol=2e-5, atol=1e-6)
