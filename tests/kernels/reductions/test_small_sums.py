"""Sums by a call of the BLAS: on both sides of each size at which the call changes."""

from __future__ import annotations

import numpy as np
import pytest

import dataflow as tf
from dataflow.kernels.reductions.small_sums import way_for
from tests.pairwise import pairwise

IS_ONE = [
    ((4, 700), (0, 1)),
    ((3, 4, 5), (0, 2)),
    ((2, 0, 3), (1,)),
    ((2047,), (0,)),
    ((2048,), (0,)),
    ((2049,), (0,)),
    ((1, 8192), (1,)),
    ((8193,), (0,)),
    ((65_535,), (0,)),
    ((4, 2048), (1,)),
    ((6, 2048), (1,)),
    ((3, 2049), (1,)),
    ((1024, 2), (1,)),
    ((4096, 2), (1,)),
    ((4100, 2), (1,)),
    ((8, 64, 20), (2,)),
    ((8, 64, 20), (1,)),
    ((8, 64, 20), (0, 1, 2)),
    ((3, 5, 9, 41), (1, 2)),
    ((16, 512), (0,)),
    ((18, 512), (0,)),
    ((128, 256), (0,)),
    ((2, 1, 32, 7, 11), (2,)),
]
IS_NONE = [
    ((65_536,), (0,)),
    ((4, 700, 5), (0, 2)),
    ((1, 4096), (0,)),
    ((4096, 1), (1,)),
    ((5, 2048), (1,)),
    ((4099, 3), (1,)),
    ((18, 513), (0,)),
    ((1021, 30), (0,)),
    ((2, 64, 200), (1,)),
]


def _numbers(shape: tuple[int, ...], dtype: type) -> np.ndarray:
    return (np.random.default_rng(0).standard_normal(shape) + 0.5).astype(dtype)


@pairwise({"shape, axes": IS_ONE, "keep": [False, True], "dtype": [np.float32, np.float64]})
def test_sums(shape: tuple[int, ...], axes: tuple[int, ...], keep: bool, dtype: type) -> None:
    way = way_for(shape, axes, keep, np.dtype(dtype))
    assert way is not None
    x = _numbers(shape, dtype)
    found, want = way(x), x.sum(axes, np.longdouble, keepdims=keep)
    assert found.dtype == dtype and np.shape(found) == want.shape
    bound = 20 * np.finfo(dtype).eps * np.abs(x).sum(axes, keepdims=keep)
    assert (np.abs(found - want) <= bound).all()
    if not want.shape:
        assert isinstance(found, np.generic)


@pytest.mark.parametrize(("shape", "axes"), IS_NONE)
def test_what_is_added_up_elsewhere(shape: tuple[int, ...], axes: tuple[int, ...]) -> None:
    assert way_for(shape, axes, False, np.dtype(np.float32)) is None


@pytest.mark.parametrize("code", ["i4", "i8", "c8", "f2"])
def test_other_types(code: str) -> None:
    assert way_for((64, 64), (1,), False, np.dtype(code)) is None
    assert way_for((64, 31), (1,), False, np.dtype(code)) is not None


@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1)])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_stays_in_its_sum(axes: tuple[int, ...], value: float) -> None:
    x = _numbers((64, 40), np.float32)
    x[3, 5] = value
    way = way_for(x.shape, axes, False, x.dtype)
    assert way is not None
    want = x.sum(axes)
    np.testing.assert_allclose(way(x), want, rtol=1e-3, atol=1e-4)
    assert np.isfinite(way(x)).sum() == np.size(want) - 1


@pytest.mark.parametrize("name", ["reduce_sum", "reduce_mean", "reduce_max", "reduce_min"])
def test_a_node_sees_arrays_of_several_shapes_and_orders(name: str) -> None:
    """What is remembered of the array before is not taken for the next one."""
    random = np.random.default_rng(0)
    exact = {"reduce_sum": np.sum, "reduce_mean": np.mean, "reduce_max": np.max}.get(name, np.min)
    with tf.Graph().as_default(), tf.Session() as session:
        x, axis = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
        constant = getattr(tf, name)(x, 1)
        fed = getattr(tf, name)(x, axis)
        for shape in ((3, 4), (3, 4), (4, 3), (64, 60), (64, 60), (2, 5, 6), (3, 4), (400, 300)):
            for order in "CCF":
                value = np.asarray(random.standard_normal(shape).astype("f"), order=order)
                for found, along in (
                    (session.run(constant, {x: value}), 1),
                    (session.run(fed, {x: value, axis: 0}), 0),
                    (session.run(fed, {x: value, axis: -1}), -1),
                ):
                    want = exact(value.astype(np.float64), along)
                    np.testing.assert_allclose(found, want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shape", [(4, 8), (32, 63), (32, 65)])
@pytest.mark.parametrize("axis", [0, 1])
def test_arrays_of_one_shape_that_lie_in_other_ways(shape: tuple[int, int], axis: int) -> None:
    rows, columns = shape
    x = _numbers((2 * rows, columns), np.float32)
    given = [x[:rows], np.asfortranarray(x[rows:]), x[::2], x[1::2, ::-1]]
    ops = {"sum": tf.reduce_sum, "mean": tf.reduce_mean, "max": tf.reduce_max}
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.placeholder(tf.float32, shape)
        # What is computed lies as what it is computed of does.
        value = tf.transpose(tf.transpose(fed) * 1.0)
        both = [[op(one, axis) for op in ops.values()] for one in (fed, value)]
        for turn in (*given, *given[::-1]):
            for found in (once := session.run(both, {fed: turn})):
                for name, one in zip(ops, found, strict=True):
                    want = getattr(turn.astype(np.float64), name)(axis)
                    np.testing.assert_allclose(one, want, rtol=1e-5, atol=1e-5)
            # Whatever came before, a sum has the same bits.
            with tf.Session() as fresh:
                again = fresh.run(both, {fed: turn})
            for one, other in zip(once, again, strict=True):
                np.testing.assert_array_equal(one, other)
