"""What kernels refuse when they are bound or run, in TensorFlow's words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from tests.oracle import open_session

Program = Callable[[Any], tuple[Any, dict[Any, Any]]]


def _refusal(library: Any, program: Program) -> tuple[int, str]:
    """The code and the text of the error with which a program's run ends."""
    with library.Graph().as_default() as graph:
        fetch, feeds = program(library)
        with open_session(library, graph) as session:
            session.run(library.global_variables_initializer())
            with pytest.raises(library.errors.OpError) as caught:
                session.run(fetch, feeds)
    return caught.value.error_code, caught.value.message


def _assert_same(program: Program) -> None:
    (code, ours), (wanted, theirs) = _refusal(tf, program), _refusal(oracle, program)
    assert code == wanted
    assert ours.partition("\n")[0].strip() in theirs


@pytest.mark.parametrize(
    ("source", "target", "value"),
    [
        ("string", "float32", b"1"),
        ("float32", "string", 1.0),
        ("string", "bool", b"1"),
    ],
)
def test_casts(source: str, target: str, value: Any) -> None:
    def program(lib: Any) -> Any:
        dtype = getattr(lib, source)
        x = lib.placeholder(dtype, [2])
        y = lib.raw_ops.Cast(x=x, DstT=getattr(lib, target))
        return y, {x: np.array([value, value], dtype.as_numpy_dtype)}

    _assert_same(program)


def _rows(lib: Any, batch_dims: int, wrong: int) -> Any:
    v = lib.Variable(np.arange(18.0).reshape(3, 3, 2), use_resource=True)
    indices = lib.placeholder(lib.int32, [3, 2])
    rows = lib.raw_ops.ResourceGather(
        resource=v.handle, indices=indices, dtype=lib.float64, batch_dims=batch_dims
    )
    return rows, {indices: [[0, 1], [2, wrong], [0, 0]]}


@pytest.mark.parametrize("wrong", [-1, 3, 7])
def test_indices_of_a_variable(wrong: int) -> None:
    _assert_same(lambda lib: _rows(lib, 0, wrong))


@pytest.mark.parametrize("wrong", [-1, 3, 7])
def test_indices_within_a_batch(wrong: int) -> None:
    """TensorFlow takes a row of the neighbour, where there is one."""
    code, message = _refusal(tf, lambda lib: _rows(lib, 1, wrong))
    assert code == tf.errors.INVALID_ARGUMENT
    assert f"indices[1,1] = {wrong} is not in [0, 3)" in message


@pytest.mark.parametrize("index", [-1, 3])
def test_one_row_that_is_not_there(index: int) -> None:
    def program(lib: Any) -> Any:
        rows, place = lib.placeholder(lib.float32, [3, 2]), lib.placeholder(lib.int32, [])
        return lib.gather(rows, place), {rows: np.ones((3, 2)), place: index}

    _assert_same(program)
