"""The update ops beyond their rows: large variables, shared ones, and which types there are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tensorflow.python.framework import kernels as oracle_kernels

import dataflow as tf
from dataflow.kernels import load
from dataflow.kernels.contract import registry
from tests.differentiation.both import oracle
from tests.ops.case import COMPLEX, FLOATS, Values
from tests.ops.updates import UPDATES, Update, apply, gradients, op_type, variables
from tests.oracle import open_session

load.load_generic()
STEPS = 4
BY_ROW = pytest.mark.parametrize("update", UPDATES, ids=lambda u: u.id)


def kinds(update: Update) -> list[tuple[bool, bool]]:
    """Pairs (sparse, use_resource) for which there is an op."""
    sparse = [False, True] if update.is_sparse else [False]
    resource = [True] if update.resource_only else [False, True]
    return [(s, r) for s in sparse for r in resource]


def run(
    library: Any,
    update: Update,
    dtype: str,
    use_resource: bool,
    shape: tuple[int, ...],
    indices: list[int] | None,
) -> list[np.ndarray]:
    """The values of variable and slots after some steps."""
    values = Values(dtype)
    given = shape if indices is None else (len(indices), *shape[1:])
    with library.Graph().as_default() as graph, open_session(library, graph) as session:
        made = variables(library, update, lambda _: values.positive(*shape), use_resource)
        gradient = library.placeholder(library.as_dtype(dtype), given)
        rows = None if indices is None else library.constant(indices, dtype=library.int64)
        step = apply(library, update, made, gradient, rows)
        session.run(library.global_variables_initializer())
        for value in gradients(dtype, given, STEPS):
            session.run(step, {gradient: value})
        fetched: list[np.ndarray] = session.run(made)
        return fetched


def types(update: Update, kind: str) -> set[str]:
    """The element types of TensorFlow's kernels for an op."""
    return {
        oracle.as_dtype(number).name
        for kernel in oracle_kernels.get_registered_kernels_for_op(kind).kernel
        if kernel.device_type == "CPU"
        for constraint in kernel.constraint
        if constraint.name == "T"
        for number in constraint.allowed_values.list.type
    }


@BY_ROW
def test_kernels_are_for_tensorflows_types(update: Update) -> None:
    for sparse, use_resource in kinds(update):
        kind = op_type(update, sparse, use_resource)
        ours = {
            dtype
            for dtype in (*FLOATS, *COMPLEX, "int32")
            if registry.supports(kind, "CPU", {"T": tf.as_dtype(dtype), "Tindices": tf.int32})
        }
        assert ours == types(update, kind), kind


def test_large_variables_in_blocks() -> None:
    """More elements than are worked on at a time, and not a multiple of them."""
    momentum = next(u for u in UPDATES if u.rule == "Momentum")
    for shape in ((70001, 3), (3, 70001)):
        expected, actual = (
            run(library, momentum, "float32", False, shape, None) for library in (oracle, tf)
        )
        for want, have in zip(expected, actual, strict=True):
            np.testing.assert_allclose(have, want, 2e-5, 2e-5)


def test_gradient_in_another_memory_order() -> None:
    for size in (3, 300):
        values = []
        for library in (oracle, tf):
            with library.Graph().as_default(), library.Session() as session:
                start = np.arange(size * size, dtype=np.float32).reshape(size, size)
                weights = library.Variable(start, use_resource=False)
                step = library.raw_ops.ApplyGradientDescent(
                    var=weights, alpha=0.5, delta=library.transpose(library.constant(start))
                )
                session.run(weights.initializer)
                session.run(step.op)
                values.append(session.run(weights))
        np.testing.assert_array_equal(values[1], values[0])


def test_many_turns_of_one_row() -> None:
    """A row that comes thousands of times is updated so often, one after the other."""
    momentum = next(u for u in UPDATES if u.rule == "Momentum" and u.attrs)
    rows = [1] * 2000 + [0, 2] * 3
    expected, actual = (
        run(library, momentum, "float64", True, (3, 2), rows) for library in (oracle, tf)
    )
    for want, have in zip(expected, actual, strict=True):
        np.testing.assert_allclose(have, want, 1e-9)


def test_one_variable_in_two_roles() -> None:
    """Nonsense, but no dead end; and what else the step holds stays as it was."""
    with tf.Graph().as_default(), tf.Session() as session:
        weights = tf.Variable([1.0, 2.0], use_resource=True)
        step = tf.raw_ops.ResourceApplyMomentum(
            var=weights.handle, accum=weights.handle, lr=0.1, grad=[1.0, 1.0], momentum=0.5
        )
        session.run(weights.initializer)
        session.run(step)
        assert np.isfinite(session.run(weights)).all()


@pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])
def test_a_fetched_value_stays(use_resource: bool) -> None:
    """Updates work in place only where nobody else holds the array."""
    with tf.Graph().as_default(), tf.Session() as session:
        weights = tf.Variable(np.ones([3, 2], np.float32), use_resource=use_resource)
        optimizer = tf.train.AdagradOptimizer(0.1)
        gathered = tf.gather(weights, [0, 1])
        step = optimizer.minimize(tf.reduce_sum(gathered))
        session.run(tf.global_variables_initializer())
        before = session.run(weights)
        kept = before.copy()
        session.run(step)
        after, _ = session.run([weights, step])
        assert not np.array_equal(after, kept)
        np.testing.assert_array_equal(before, kept)


def static_shapes(
    library: Any, use_resource: bool, gradient: Any, indices: Any, accum: Any = (3, 2)
) -> list[str] | str:
    """The static shapes of Adagrad's outputs, or why it refuses the inputs."""
    adagrad = next(u for u in UPDATES if u.rule == "Adagrad")
    shapes = {"var": (3, 2), "accum": accum}
    with library.Graph().as_default():
        made = variables(
            library,
            adagrad,
            lambda name: library.placeholder(library.float32, shapes[name]),
            use_resource,
        )
        rows = None if indices is None else library.placeholder(library.int32, indices)
        given = library.placeholder(library.float32, gradient)
        try:
            op = apply(library, adagrad, made, given, rows)
        except ValueError as error:
            return str(error)
        return [str(t.shape) for t in op.outputs]


# Gradients, indices, and the slot of a variable of shape (3, 2).
FITTING = (
    ((None, None), None),
    ((3, None), None),
    (None, None),
    ((None, 2), (None,)),
    (None, (4,)),
    ((4, 2), (4,)),
)
MISFITS = (
    ((4, 2), None),
    ((3, 2, 1), None),
    ((3, 2), None, (3, 3)),
    ((4, 2), (3,)),
    ((4, 3), (4,)),
    ((4, 2), (4, 1)),
    ((), (4,)),
    ((4,), (4,)),
)


@pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])
def test_static_shapes(use_resource: bool) -> None:
    for shapes in FITTING:
        want = static_shapes(oracle, use_resource, *shapes)
        assert static_shapes(tf, use_resource, *shapes) == want, shapes


def test_static_misfits() -> None:
    for shapes in MISFITS:
        want = static_shapes(oracle, False, *shapes)
        assert isinstance(want, str)
        assert static_shapes(tf, False, *shapes) == want, shapes


def test_static_misfits_behind_handles() -> None:
    """TensorFlow 2.21 does not look at gradients here, and fails in the step; we say it earlier."""
    for shapes in MISFITS:
        with_ref, with_handle = (static_shapes(tf, kind, *shapes) for kind in (False, True))
        assert isinstance(with_ref, str)
        assert isinstance(with_handle, str)
        assert with_handle.split(" for '")[0] == with_ref.split(" for '")[0], shapes
