"""Ops are defined when somebody asks for one that is not there yet."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from dataflow.schema.opdef import _Rest
from tests.house.tree import ROOT

_PROGRAM = """
import sys
import dataflow as tf
from dataflow.schema import opdef

assert "dataflow.ops.image.boxes" not in sys.modules
{asks}
assert "dataflow.ops.image.boxes" in sys.modules
"""
ASKS = {
    "a graph": """
graph_def = tf.GraphDef()
node = graph_def.node.add(name="boxes", op="DrawBoundingBoxes", input=["images", "where"])
node.attr["T"].type = tf.float32.as_datatype_enum
for name in node.input:
    given = graph_def.node.add(name=name, op="Placeholder")
    given.attr["dtype"].type = tf.float32.as_datatype_enum
with tf.Graph().as_default() as graph:
    tf.import_graph_def(graph_def, name="")
    assert graph.get_tensor_by_name("boxes:0").dtype == tf.float32
""",
    "all ops": "assert 'DrawBoundingBoxes' in opdef.registered_ops()",
    "all gradients": "assert 'DrawBoundingBoxes' in opdef.registered_gradients()",
    "a gradient": "assert opdef.find_gradient('DrawBoundingBoxes') is None",
}


@pytest.mark.parametrize("asks", ASKS)
def test_who_asks_finds_them(asks: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(asks=ASKS[asks])],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_others_wait_until_all_are_defined() -> None:
    rest, may_end, begun = _Rest(), threading.Event(), threading.Event()
    defined: list[str] = []

    def define() -> None:
        begun.set()
        rest.come()  # What defines them may ask for one itself.
        assert may_end.wait(60)
        defined.append("all")

    rest.expect(define)
    seen: list[list[str]] = []

    def ask() -> None:
        rest.come()
        seen.append([*defined])

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert begun.wait(60)
    may_end.set()
    for thread in threads:
        thread.join()
    rest.come()
    assert seen == [["all"]] * 3
    assert defined == ["all"]


def test_an_interrupt_loses_none() -> None:
    rest = _Rest()
    tries: list[int] = []

    def define() -> None:
        tries.append(1)
        if len(tries) == 1:
            raise KeyboardInterrupt

    rest.expect(define)
    with pytest.raises(KeyboardInterrupt):
        rest.come()
    rest.come()
    rest.come()
    assert len(tries) == 2
