"""Files that TensorFlow wrote, read and run without TensorFlow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.importing.files import load_graph_def
from tests.importing.programs import FILES, results

FOLDER = Path(__file__).parents[1] / "data" / "graphs"


def test_every_file_is_tried() -> None:
    files = {path.name for path in FOLDER.iterdir()}
    assert files == {f"{name}{kind}.pb" for name in FILES for kind in ("", ".expected")}


@pytest.mark.parametrize("name", FILES)
def test_a_file_computes_what_it_did_in_tensorflow(name: str) -> None:
    program = FILES[name]
    expected = {
        node.name: tf.make_ndarray(node.attr["value"].tensor)
        for node in load_graph_def(FOLDER / f"{name}.expected.pb").node
    }
    have = results(tf, load_graph_def(FOLDER / f"{name}.pb"), program)
    for fetch, value in zip(program.fetches, have, strict=True):
        assert_equal(value, expected[fetch.partition(":")[0]])


def assert_equal(have: np.ndarray[Any, Any], want: np.ndarray[Any, Any]) -> None:
    """Fails unless the values agree, but for what rounding may do to floats."""
    assert (have.dtype, have.shape) == (want.dtype, want.shape)
    if want.dtype.kind in "fc" and want.dtype.itemsize >= 4:
        np.testing.assert_allclose(have, want, rtol=3e-5, atol=1e-6)
    else:
        assert have.tolist() == want.tolist()


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_written_again_as_it_was(name: str) -> None:
    graph_def = load_graph_def(FOLDER / f"{name}.pb")
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
    again = graph.as_graph_def()
    # With loops the order is another: the importer's, in which inputs come first.
    again, whole = (sorted(each.node, key=lambda n: n.name) for each in (again, graph_def))
    for have, want in zip(again, whole, strict=True):
        assert have.name == want.name
        assert (have.op, list(have.input), have.device) == (want.op, list(want.input), want.device)
        for key, value in want.attr.items():
            # TensorFlow 2 marks ends of control edges; shapes are inferred, not kept.
            if key not in ("_has_manual_control_dependencies", "_output_shapes"):
                assert same_value(have.attr[key], value), (want.name, key)


def same_value(have: Any, want: Any) -> bool:
    """True if attrs are equal; zeros may be left out, as TensorFlow's converters do."""
    if have == want or want.WhichOneof("value") != "tensor":
        return bool(have == want)
    left_out = {field.name for field, _ in want.tensor.ListFields()} <= {"dtype", "tensor_shape"}
    arrays = [tf.make_ndarray(attr.tensor) for attr in (have, want)]
    return left_out and arrays[0].dtype == arrays[1].dtype and bool((arrays[0] == arrays[1]).all())


def test_stripped_attrs_are_filled_in() -> None:
    graphs = []
    for name in ("stripped", "convolution"):
        with tf.Graph().as_default() as graph:
            tf.import_graph_def(load_graph_def(FOLDER / f"{name}.pb"), name="")
        graphs.append(graph.as_graph_def())
    assert list(graphs[0].node) == list(graphs[1].node)
    assert [graph_def.versions.producer for graph_def in graphs] == [21, 2474]
