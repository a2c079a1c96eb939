"""constant_op of the second version, nodes made by hand, benchmarks; as 1.15 has them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import dataflow as tf
from dataflow.porting.spellings import constants
from dataflow.porting.spellings.framework import graph_internals
from dataflow.testing import surroundings


@pytest.mark.parametrize(
    ("value", "shape", "error"),
    [
        (1, [2, 2], None),
        ([1], [3], None),
        ([1, 2, 3, 4], [2, 2], None),
        ([1, 2], [3], "Expected Tensor's shape: (3,), got (2,)."),
        ([[1]], [3], "Expected Tensor's shape: (3,), got (1, 1)."),
        ([1, 2, 3], [2], "Expected Tensor's shape: (2,), got (3,)."),
    ],
)
def test_constants_fill_shapes_with_one_element_only(
    value: Any, shape: list[int], error: str | None
) -> None:
    with tf.Graph().as_default():
        if error is None:
            made = constants.constant(value, tf.float32, shape)
            assert (made.shape.as_list(), made.dtype) == (shape, tf.float32)
            assert constants.is_constant(made) and constants.is_constant(made.op)
            return
        with pytest.raises(TypeError) as raised:
            constants.constant(value, shape=shape)
    assert str(raised.value) == error


def test_nodes_made_by_hand() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        one, two = tf.constant(1.0), tf.constant(2.0)
        node = graph_internals._NodeDef("Add", "sum")
        node.attr["T"].type = tf.float32.as_datatype_enum
        op = graph_internals._create_c_op(graph, node, [one, two], [one.op])
        assert (op.name, op.control_inputs) == ("sum", [one.op])
        assert session.run(op.outputs[0]) == 3
        many = graph_internals._NodeDef("AddN", "many")
        many.attr["T"].type = tf.float32.as_datatype_enum
        many.attr["N"].i = 2
        made = graph_internals._create_c_op(graph, many, [[one, two]], [])
        assert session.run(made.outputs[0]) == 3


_PROGRAM = """
import dataflow as tf

class Named(tf.test.Benchmark):
    def benchmarkOne(self):
        print("one", __import__("sys").argv[1:])
    def benchmarkTwo(self):
        print("two")
    def helper(self):
        print("never")

class Base(tf.test.Benchmark):
    @classmethod
    def is_abstract(cls):
        return cls.__name__ == "Base"
    def benchmarkBase(self):
        print(type(self).__name__)

class Case(tf.test.TestCase):
    def test_it(self):
        print("tested")

tf.test.main()
"""


@pytest.mark.parametrize(
    ("argument", "printed"),
    [
        ("--benchmarks=all", "one []\ntwo\n"),
        ("--benchmarks=Named.*Two", "two\n"),
        ("-benchmarks=nothing", ""),
    ],
)
def test_programs_run_their_benchmarks(argument: str, printed: str, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(_PROGRAM)
    ran = subprocess.run(
        [sys.executable, str(program), argument], capture_output=True, text=True, check=True
    )
    assert ran.stdout == printed


def test_other_arguments_run_the_program() -> None:
    ran: list[str] = []
    argv = ["program", "--other"]
    surroundings.benchmarks_main(lambda: ran.append("main"), argv)
    assert (ran, argv) == (["main"], ["program", "--other"])
