"""The lines behind operations in messages, as TensorFlow 1.15 interpolates and summarizes them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
from tensorflow.python.framework import error_interpolation as oracle_interpolation
from tensorflow.python.framework import traceable_stack as oracle_traceables

import dataflow as tf
from dataflow.graph.operation import Operation
from dataflow.porting.spellings.framework import defining_lines
from dataflow.porting.spellings.util import stacks, traceables


@pytest.fixture
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as made:
        first = tf.constant(1, name="first")
        second = tf.constant(2, name="second")
        tf.add(first, second, name="both")
        yield made


def _told(message: str, graph: tf.Graph) -> str:
    told = defining_lines.interpolate(message, graph)
    return re.sub(r"[^ (<]*test_interpolated_errors\.py:\d+", "HERE", told)


def test_tags_become_lines(graph: tf.Graph) -> None:
    """Recorded from 1.15 but for the place, which it gives in its own files."""
    assert _told("no tag", graph) == "no tag"
    assert _told("{{node other}}", graph) == "{{node other}}"
    expected = ";node first (defined at HERE) ,node second (defined at HERE) ;"
    assert _told(";{{node first}},{{node second}};", graph) == expected
    assert _told("{{function_node f}}a{{node both}}b{{colocation_node first}}c", graph) == (
        "anode both (defined at HERE) bnode first (defined at HERE) placed on device No device "
        "assignments were active during op 'first' creation. c\n\nErrors may have originated from "
        "an input operation.\nInput Source operations connected to node both:\n first (defined at "
        "HERE)\t\n second (defined at HERE)Additional information about colocations:No node-device "
        "colocations were active during op 'first' creation.\nNo device assignments were active "
        "during op 'first' creation."
    )


def test_scopes_are_told(graph: tf.Graph) -> None:
    with tf.device("/gpu:1"), tf.colocate_with(graph.get_operation_by_name("first")):
        tf.constant(3, name="placed")
    told = _told("{{colocation_node placed}}", graph)
    assert told.count("colocate_with(first): <HERE>") == 1, told


@pytest.mark.parametrize("count", [0, 2])
def test_summaries_are_tensorflows(count: int) -> None:
    def summaries(module: Any, stack: Any) -> tuple[str, str]:
        objects = {
            f"/cpu:{place}": stack.TraceableObject(f"/cpu:{place}", f"{place}.py", place + 7)
            for place in range(count)
        }
        return (
            module._compute_device_summary_from_list("n", list(objects.values()), prefix="  "),
            module._compute_colocation_summary_from_dict("n", objects, prefix="  "),
        )

    ours = summaries(defining_lines, traceables)
    assert ours == summaries(oracle_interpolation, oracle_traceables)


def test_messages_are_taken_apart() -> None:
    parsed = defining_lines.parse_message("1{{node A/b}}2{{x y}}")
    assert parsed == (["1", "2", ""], [("node", "A/b"), ("x", "y")])


def _frames(op: Operation, *paths: str) -> list[Any]:
    return [stacks.StackFrame(path, 3, "f", None, 2) for path in paths]


@pytest.mark.parametrize(
    ("paths", "place"),
    [
        (("a.py", "b.py", "1tensorflow/python/2.py"), 1),
        (("tensorflow/python/1.py", "tensorflow/contrib/2.py"), 0),
        (("a.py", "tensorflow/python/ops/some_test.py", "<embedded>"), 1),
        ((), 0),
    ],
)
def test_frames_can_be_replaced(graph: tf.Graph, paths: tuple[str, ...], place: int) -> None:
    op = graph.get_operation_by_name("both")
    assert op._traceback[-1].name == "graph"
    assert op._traceback[-1].line == 'tf.add(first, second, name="both")'
    op._traceback = _frames(op, *(path.replace("/", os.sep) for path in paths))
    assert [frame.filename for frame in op.traceback] == list(paths)
    assert defining_lines._find_index_of_defining_frame_for_op(op) == place
    kept = defining_lines._compute_useful_frames(op, 2)
    assert len(kept) == min(2, len(paths))
    assert [line[1] for line in stacks.convert_stack(op._traceback)] == [3] * len(paths)
    assert {line[4] for line in stacks.convert_stack(op._traceback, True)} <= {3}


def test_frames_can_be_deleted(graph: tf.Graph) -> None:
    op = graph.get_operation_by_name("first")
    del op._traceback
    assert _told("{{node first}}.{{node both}}", graph).startswith("node first .node both (")
    assert list(defining_lines.create_graph_debug_info_def([("", op)]).traces) == ["first"]
