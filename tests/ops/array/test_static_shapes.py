"""Static shapes that follow from partly known values, and shapes computed while building."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.differentiation.both import oracle, tf

Program = Callable[[Any], Any]


def _x(tf: Any, *shape: int | None) -> Any:
    return tf.placeholder(tf.float32, list(shape), name="x")


def _rows(x: Any, tf: Any) -> Any:
    return tf.shape(x)[0]


PROGRAMS: dict[str, Program] = {
    "reshape by part of a shape": lambda tf: tf.reshape(
        x := _x(tf, None, 3, 4), [_rows(x, tf), 12]
    ),
    "reshape by a slice": lambda tf: tf.reshape(
        x := _x(tf, None, 3, 4), tf.concat([tf.shape(x)[1:], [-1]], 0)
    ),
    "reshape infers": lambda tf: tf.reshape(_x(tf, 2, 6), [3, -1]),
    "reshape empty": lambda tf: tf.reshape(_x(tf, 0, 6), [3, -1]),
    "reshape unknown": lambda tf: tf.reshape(_x(tf, None, None), [3, -1]),
    "reshape to fed": lambda tf: tf.reshape(_x(tf, 6), tf.placeholder(tf.int32, [2])),
    "reshape int64": lambda tf: tf.reshape(x := _x(tf, None, 3), tf.shape(x, out_type=tf.int64)),
    "tile": lambda tf: tf.tile(_x(tf, 2, 3), [_rows(_x(tf, None), tf), 2]),
    "tile nothing": lambda tf: tf.tile(_x(tf, None, 3), [0, 2]),
    "fill": lambda tf: tf.fill([_rows(_x(tf, None), tf), 2], 1.0),
    "zeros": lambda tf: tf.zeros([_rows(_x(tf, None), tf), 2]),
    "zeros_like": lambda tf: tf.zeros_like(_x(tf, None, 2)),
    "broadcast_to": lambda tf: tf.broadcast_to(_x(tf, 3, 1), [_rows(_x(tf, None), tf), 3, 2]),
    "broadcast_to takes sizes": lambda tf: tf.broadcast_to(
        _x(tf, 3, 1), tf.placeholder(tf.int32, [3])
    ),
    "slice of fed size": lambda tf: tf.slice(
        _x(tf, 4, 3), [0, 1], tf.stack([_rows(_x(tf, None), tf), 2])
    ),
    "slice of fed begin": lambda tf: tf.slice(_x(tf, 4, 3), [_rows(_x(tf, None), tf), 1], [2, -1]),
    "slice from fed begin": lambda tf: tf.slice(
        _x(tf, 4, 3), [_rows(_x(tf, None), tf), 1], [-1, -1]
    ),
    "index to fed bound": lambda tf: _x(tf, 4, 3)[: _rows(_x(tf, None), tf)],
    "index at fed place": lambda tf: _x(tf, 4, 3)[_rows(_x(tf, None), tf)],
    "index of a shape": lambda tf: tf.zeros(tf.shape(_x(tf, None, 3, 4))[1:]),
    "one size of a shape": lambda tf: tf.zeros([tf.shape(_x(tf, None, 3))[1]]),
    "expand a size": lambda tf: tf.zeros(tf.expand_dims(tf.shape(_x(tf, None, 3))[1], 0)),
    "size": lambda tf: tf.zeros([tf.size(_x(tf, 2, 3))]),
    "rank": lambda tf: tf.zeros([tf.rank(_x(tf, None, 3))]),
    "computed size": lambda tf: tf.zeros([tf.shape(_x(tf, None, 3))[1] * 2 + 1]),
    "concat by known axis": lambda tf: tf.concat([_x(tf, None, 3), _x(tf, 2, None)], 0),
    "concat by fed axis": lambda tf: tf.concat(
        [_x(tf, 2, 3), _x(tf, 2, 3)], tf.placeholder(tf.int32, [])
    ),
    "concat with unknown rank": lambda tf: tf.concat([tf.placeholder(tf.float32), _x(tf, 2)], 0),
    "stack": lambda tf: tf.stack([_x(tf, None, 3), _x(tf, 2, None)], axis=1),
    "unstack": lambda tf: tf.unstack(_x(tf, 2, None)),
    "split by fed axis": lambda tf: tf.split(_x(tf, 4, 2), 2, tf.placeholder(tf.int32, [])),
    "split to rest": lambda tf: tf.split(_x(tf, None, 2), [1, -1]),
    "transpose by fed": lambda tf: tf.transpose(_x(tf, 4, 2), tf.placeholder(tf.int32, [2])),
    "transpose unknown": lambda tf: tf.transpose(tf.placeholder(tf.float32), [1, 0]),
    "pad partly": lambda tf: tf.pad(_x(tf, 2, None), [[1, 0], [_rows(_x(tf, None), tf), 2]]),
    "pad by fed": lambda tf: tf.pad(tf.placeholder(tf.float32), tf.placeholder(tf.int32, [3, 2])),
    "one_hot": lambda tf: tf.one_hot([[1, 2]], tf.shape(_x(tf, None, 3))[1]),
    "one_hot by fed depth": lambda tf: tf.one_hot([[1, 2]], tf.placeholder(tf.int32, []), axis=1),
    "gather by fed axis": lambda tf: tf.gather(
        _x(tf, 2, 3), [[0]], axis=tf.placeholder(tf.int32, [])
    ),
    "boolean_mask": lambda tf: tf.boolean_mask(_x(tf, 2, 3, 4), [[True] * 3] * 2),
    "sequence_mask": lambda tf: tf.sequence_mask([1, 2], tf.shape(_x(tf, None, 3))[1]),
    "eye": lambda tf: tf.eye(tf.shape(_x(tf, None, 3))[1], batch_shape=[2]),
    "repeat": lambda tf: tf.repeat(_x(tf, 2, None), [1, 2], axis=0),
    "meshgrid": lambda tf: tf.meshgrid(_x(tf, 2), _x(tf, 3)),
    "scatter_nd": lambda tf: tf.scatter_nd([[0]], _x(tf, 1, 2), [tf.shape(_x(tf, 4, None))[0], 2]),
    "space_to_batch": lambda tf: tf.space_to_batch(_x(tf, None, 4, None, 1), [[0, 0], [1, 1]], 2),
    "squeeze unknown": lambda tf: tf.squeeze(_x(tf, 1, None)),
    "where": lambda tf: tf.where(_x(tf, None, 2) > 0),
    "dynamic_stitch": lambda tf: tf.dynamic_stitch([[0, 3], [1]], [_x(tf, 2, None), _x(tf, 1, 5)]),
}


def _shapes(library: Any, program: Program) -> list[str]:
    with library.Graph().as_default():
        tensors = program(library)
        return [str(t.shape) for t in (tensors if isinstance(tensors, list) else [tensors])]


@pytest.mark.parametrize("name", PROGRAMS)
def test_static_shape_is_as_sharp_as_tensorflows(name: str) -> None:
    assert _shapes(tf, PROGRAMS[name]) == _shapes(oracle, PROGRAMS[name])


SIZES: list[list[int | None] | None] = [
    None,
    [],
    [1],
    [3],
    [None],
    [2, 3],
    [1, 3],
    [None, 3],
    [2, 1],
]


@pytest.mark.parametrize("x", SIZES, ids=str)
@pytest.mark.parametrize("y", SIZES, ids=str)
def test_broadcast_static_shape(x: list[int | None] | None, y: list[int | None] | None) -> None:
    def result(library: Any) -> str:
        shapes = library.TensorShape(x), library.TensorShape(y)
        try:
            return str(library.broadcast_static_shape(*shapes))
        except ValueError as error:
            return str(error)

    assert result(tf) == result(oracle)
