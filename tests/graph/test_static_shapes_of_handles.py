"""Static shapes that depend on handles: what a gradient is of, and handles that are none."""

from __future__ import annotations

from typing import Any

import pytest
import tensorflow.compat.v1 as oracle
from google.protobuf import text_format
from tensorflow.python.framework import function as oracle_function

import dataflow as tf
from dataflow.library.defun import Defun
from tests.differentiation.both import refusal


def _gradient(library: Any) -> list[Any]:
    """The gradients of a function of a variable and a tensor, by SymbolicGradient."""
    defun = Defun if library is tf else oracle_function.Defun
    v = library.get_variable("v", [2, 3], use_resource=True)

    @defun(library.resource, library.float32, func_name="product")
    def product(handle: Any, x: Any) -> Any:
        read = library.raw_ops.ReadVariableOp(resource=handle, dtype=library.float32)
        return library.reshape(read, [2, 3]) * x

    x = library.placeholder(library.float32, [1, 3])
    dy = library.placeholder(library.float32, [2, 3])
    product(v.handle, x)
    types = [library.resource, library.float32]
    return list(
        library.raw_ops.SymbolicGradient(
            input=[v.handle, x, dy], Tout=types, f=product if library is oracle else "product"
        )
    )


def test_a_gradient_has_the_shape_of_the_variable() -> None:
    shapes = []
    for library in (tf, oracle):
        with library.Graph().as_default():
            shapes.append([t.shape.as_list() for t in _gradient(library)])
    assert shapes[0] == shapes[1] == [[2, 3], [1, 3]]


_OLD = """
versions { producer: 10 }
node { name: "handle" op: "Placeholder"
  attr { key: "dtype" value { type: DT_STRING } }
  attr { key: "shape" value { shape { %s } } } }
node { name: "flow" op: "Placeholder"
  attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { } } } }
node { name: "index" op: "Placeholder"
  attr { key: "dtype" value { type: DT_INT32 } }
  attr { key: "shape" value { shape { } } } }
node { name: "op" op: "TensorArray%sV2" %s }
"""
_FLOAT = 'attr { key: "%s" value { type: DT_FLOAT } }'
_OPS = {
    "Size": 'input: "handle" input: "flow"',
    "Read": 'input: "handle" input: "index" input: "flow"' + _FLOAT % "dtype",
    "Write": 'input: "handle" input: "index" input: "flow" input: "flow"' + _FLOAT % "T",
    "Close": 'input: "handle"',
    "Concat": 'input: "handle" input: "flow"' + _FLOAT % "dtype",
    "Grad": 'input: "handle" input: "flow" attr { key: "source" value { s: "g" } }',
}


@pytest.mark.parametrize("dims", ["dim { size: 3 }", "dim { size: 2 } dim { size: 2 }"])
@pytest.mark.parametrize("op", _OPS)
def test_a_handle_of_an_old_array_has_two_elements(op: str, dims: str) -> None:
    def program(library: Any) -> None:
        text = _OLD % (dims, op, _OPS[op])
        library.import_graph_def(text_format.Parse(text, library.GraphDef()), name="")

    theirs, ours = refusal(oracle, program), refusal(tf, program)
    assert isinstance(ours, ValueError) and type(theirs) is ValueError
    assert str(ours).partition(" for ")[0] == str(theirs).partition(" for ")[0]
