"""Sparse tensors and indexed slices: built, fetched and fed, against TensorFlow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tensorflow.python.framework.indexed_slices import (
    convert_n_to_tensor_or_indexed_slices as convert_n_there,
)

import dataflow as tf
from dataflow import nest
from dataflow.graph import indexed_slices, sparse_tensor
from tests.conftest import SessionFactory
from tests.session.both import assert_same, oracle, spelled_alike

INDICES = np.array([[0, 0], [1, 2]], np.int64)
VALUES = np.array([1.5, 2.5], np.float32)
SHAPE = np.array([3, 4], np.int64)


def sparse_class(lib: Any) -> Any:
    return lib.SparseTensor if lib is oracle else sparse_tensor.SparseTensor


def sparse_value(lib: Any, *parts: Any) -> Any:
    cls = lib.SparseTensorValue if lib is oracle else sparse_tensor.SparseTensorValue
    return cls(*parts)


def slices_class(lib: Any) -> Any:
    return lib.IndexedSlices if lib is oracle else indexed_slices.IndexedSlices


def sparse_input(lib: Any) -> Any:
    return sparse_class(lib)(
        lib.placeholder(lib.int64, [None, 2], name="indices"),
        lib.placeholder(lib.float32, [None], name="values"),
        lib.placeholder(lib.int64, [2], name="shape"),
    )


def slices_input(lib: Any, with_shape: bool) -> Any:
    return slices_class(lib)(
        lib.placeholder(lib.float32, name="values"),
        lib.placeholder(lib.int32, name="indices"),
        lib.placeholder(lib.int32, name="shape") if with_shape else None,
    )


FEEDS: dict[str, Any] = {
    "value": lambda lib: sparse_value(lib, INDICES, VALUES, SHAPE),
    "tuple": lambda lib: (INDICES, VALUES, SHAPE),
    "lists": lambda lib: (INDICES.tolist(), VALUES.tolist(), [3, 4]),
    "short": lambda lib: (INDICES, VALUES),
    "tensor": lambda lib: (INDICES, lib.constant(VALUES), SHAPE),
}


@pytest.mark.parametrize("name", FEEDS)
def test_sparse(name: str, session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        x = sparse_input(lib)
        y = sparse_class(lib)(x.indices, lib.identity(x.values), lib.identity(x.dense_shape))
        return [session.run(f, {x: FEEDS[name](lib)}) for f in (x, y, [y, {"a": y}], y)]

    outcome = assert_same(program, session_factory)
    assert (outcome[0] == "error") == (name in ("short", "tensor"))


@pytest.mark.parametrize("with_shape", [False, True])
@pytest.mark.parametrize("parts", [2, 3])
def test_slices(with_shape: bool, parts: int, session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        x = slices_input(lib, with_shape)
        feed = {x: (VALUES, [0, 2], [5])[:parts]}
        if with_shape and parts == 2:
            feed["shape:0"] = [7]
        return [session.run(x, feed), session.run([x], feed)]

    assert_same(program, session_factory)


def test_sparse_in_a_nested_key(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        x, s = sparse_input(lib), lib.placeholder(lib.float32, [], name="s")
        return session.run(lib.identity(s), {(x, s): (sparse_value(lib, 1, 2, 3), 1.0)})

    def counted(lib: Any, session: Any) -> Any:
        try:
            return program(lib, session)
        except ValueError as error:
            return str(error).split(" Key:")[0]

    outcome = assert_same(counted, session_factory)
    assert "Key had 2 elements, but value had 4 elements" in outcome[1][1]


def test_eval(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        x = sparse_class(lib)(INDICES, VALUES, SHAPE)
        with session.as_default():
            return [x.eval(), x.with_values([5, 6]).eval(session=session)]

    assert_same(program, session_factory)


MADE: dict[str, Any] = {
    "arrays": (INDICES, VALUES, SHAPE),
    "lists": ([[0, 1]], [1], [2, 2]),
    "too few values": (INDICES, VALUES[:1], SHAPE),
    "other rank": (INDICES, VALUES, [3]),
    "flat indices": ([0, 1], [1, 2], [3]),
    "float indices": ([[0.5]], [1], [3]),
}


@pytest.mark.parametrize("name", MADE)
def test_sparse_surface(name: str, session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        x = sparse_class(lib)(*MADE[name])
        again = sparse_class(lib).from_value(sparse_value(lib, *MADE[name]))
        lib.identity(x.values)
        return [
            str(x),
            x.indices.name,
            x.values.name,
            x.dense_shape.name,
            again.values.name,
            x.dtype.name,
            str(x.shape),
            str(x.get_shape()),
            x.op.name,
            x.graph is lib.get_default_graph(),
            [op.name for op in x.consumers()],
        ]

    def without_the_refused_values(lib: Any, session: Any) -> Any:
        try:
            return program(lib, session)
        except TypeError:
            return "TypeError"

    outcome = assert_same(without_the_refused_values, session_factory)
    assert (outcome[0] == "error" or outcome[1] == ("str", "TypeError")) == (
        name not in ("arrays", "lists")
    )


def test_sparse_static_shape(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        x = sparse_input(lib)
        before = str(x.shape)
        x.set_shape([None, 4])
        after = str(x.shape)
        x.set_shape([5, 3])
        return [before, after]

    assert assert_same(program, session_factory)[0] == "error"


def test_slices_surface(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        bare = slices_input(lib, False)
        x = slices_class(lib)(bare.values, bare.indices, lib.constant([5, 2]))
        return [
            str(bare),
            str(x),
            str(x.shape),
            str(bare.shape),
            x.name,
            x.device,
            x.dtype.name,
            x.op.name,
            x.graph is lib.get_default_graph(),
        ]

    assert_same(program, session_factory)


def test_is_sparse() -> None:
    with tf.Graph().as_default():
        assert sparse_tensor.is_sparse(sparse_input(tf))
        assert sparse_tensor.is_sparse(sparse_tensor.SparseTensorValue(1, 2, 3))
        assert not sparse_tensor.is_sparse((1, 2, 3))
        with pytest.raises(TypeError, match="is neither a SparseTensor nor SparseTensorValue"):
            sparse_tensor.SparseTensor.from_value((1, 2, 3))


def conversions(lib: Any) -> Any:
    """The conversion functions of a library that leave sparse values alone."""
    if lib is oracle:
        return lib.convert_to_tensor_or_sparse_tensor, lib.convert_to_tensor_or_indexed_slices
    return (
        sparse_tensor.convert_to_tensor_or_sparse_tensor,
        indexed_slices.convert_to_tensor_or_indexed_slices,
    )


@pytest.mark.parametrize("dtype", [None, "float32", "int32"])
def test_conversions(dtype: str | None, session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        to_sparse, to_slices = conversions(lib)
        results: list[Any] = []
        for convert, value in (
            (to_sparse, sparse_input(lib)),
            (to_sparse, sparse_value(lib, INDICES, VALUES, SHAPE)),
            (to_sparse, 3),
            (to_slices, slices_input(lib, True)),
            (to_slices, 4),
        ):
            try:
                made = convert(value, dtype=dtype and lib.as_dtype(dtype), name="made")
                kind = type(made).__name__.replace("Symbolic", "")
                results.append([kind, made.dtype.name, made is value])
            except (ValueError, RuntimeError) as error:
                results.append(spelled_alike(str(error)))
        return results

    assert_same(program, session_factory)


def test_convert_n(session_factory: SessionFactory) -> None:
    def program(lib: Any, session: Any) -> Any:
        convert = (
            convert_n_there
            if lib is oracle
            else indexed_slices.convert_n_to_tensor_or_indexed_slices
        )
        x = slices_input(lib, False)
        made = convert([None, x, 1.0, 2], name="made")
        return [made[0], made[1] is x, made[2].name, made[3].name, convert(3)]

    assert assert_same(program, session_factory)[0] == "error"


def test_nest_takes_them_apart() -> None:
    with tf.Graph().as_default():
        x, s = sparse_input(tf), slices_input(tf, False)
        assert nest.flatten([x, s]) == [x, s]
        parts = nest.flatten([x, s], expand_composites=True)
        assert parts == [x.indices, x.values, x.dense_shape, s.values, s.indices]
        packed = nest.pack_sequence_as([x, s], parts, expand_composites=True)
        assert isinstance(packed[0], sparse_tensor.SparseTensor)
        assert packed[0].values is x.values
        assert packed[1].dense_shape is None and packed[1].indices is s.indices
