"""The nodes that variables are made of: names, inputs, attrs and devices are TensorFlow's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.differentiation.both import assert_same_graph

Program = Callable[[Any], Any]


def plain(lib: Any) -> Any:
    w = lib.Variable([1.0, 2.0], name="W")
    return [w.value(), w.read_value(), w.initial_value, w.assign([3.0, 4.0])]


def unnamed(lib: Any) -> Any:
    return [lib.Variable(1).value(), lib.Variable(2, trainable=False).value()]


def scoped(lib: Any) -> Any:
    with lib.name_scope("outer"):
        w = lib.Variable(np.ones([2, 3], np.float64), name="W")
        return [w * 2.0, 2.0 * w, -w, w[0], w[:, 1:], abs(w), w @ lib.ones([3, 1], lib.float64)]


def made_by_function(lib: Any) -> Any:
    w = lib.Variable(lambda: lib.zeros([2, 3]), name="W")
    return [w.value(), lib.identity(w)]


def on_device(lib: Any) -> Any:
    with lib.device("/cpu:0"):
        w = lib.Variable(lambda: lib.ones([2]), name="W")
        v = lib.Variable([1.0], name="V")
    return [w.assign_add([1.0, 1.0]), v.assign([2.0])]


def cached(lib: Any) -> Any:
    return [lib.Variable([1.0], caching_device="/cpu:0", name="W").value()]


def inside_dependencies(lib: Any) -> Any:
    with lib.control_dependencies([lib.no_op()]):
        w = lib.Variable([1.0], name="W")
        return [w + 1.0, w.read_value()]


def unknown_shape(lib: Any) -> Any:
    start = lib.placeholder_with_default([1.0, 2.0], None)
    w = lib.Variable(start, validate_shape=False, name="W")
    return [w.value(), lib.assign(w, [1.0, 2.0, 3.0], validate_shape=False)]


def assigned(lib: Any) -> Any:
    w = lib.Variable([5.0, 7.0], name="W")
    return [
        lib.assign(w, [1.0, 2.0], use_locking=False, name="first"),
        lib.assign_add(w, [1.0, 2.0]),
        lib.assign_sub(w, [1.0, 2.0], use_locking=True),
        w.assign_add([1.0, 1.0], name="again"),
        w.assign_sub([1.0, 1.0]),
    ]


def counted(lib: Any) -> Any:
    w = lib.Variable(0, name="W")
    return [lib.count_up_to(w, 5), w.count_up_to(7)]


def initialisation(lib: Any) -> Any:
    w, v = lib.Variable([1.0], name="W"), lib.Variable([1.0], name="V", use_resource=True)
    lib.get_local_variable("L", [2])
    lib.variables_initializer([w, v], name="some")
    lib.variables_initializer([], name="none")
    lib.local_variables_initializer()
    lib.initialize_all_variables()
    return [lib.is_variable_initialized(w), lib.is_variable_initialized(v)]


def on_two_devices(lib: Any) -> Any:
    with lib.device("/cpu:0"):
        lib.Variable([1.0], name="W")
    lib.Variable([1.0], name="V")
    lib.global_variables_initializer()
    return []


def reported(lib: Any) -> Any:
    w = lib.Variable([1.0], name="W")
    v = lib.Variable([1.0], name="V", use_resource=True)
    lib.assert_variables_initialized([w])
    return [lib.report_uninitialized_variables(), lib.report_uninitialized_variables([v])]


def reported_none(lib: Any) -> Any:
    assert lib.assert_variables_initialized() is None
    return [lib.report_uninitialized_variables(name="report")]


def scattered(lib: Any) -> Any:
    w = lib.Variable(np.ones([3, 2], np.float32), name="W")
    rows, updates = [0, 2], [[2.0, 3.0], [4.0, 5.0]]
    functions = ("update", "add", "sub", "mul", "div", "min", "max")
    results = [getattr(lib, f"scatter_{f}")(w, rows, updates) for f in functions]
    results += [
        lib.scatter_add(w, rows, updates, use_locking=True, name="locked"),
        lib.scatter_nd_update(w, [[0, 1], [2, 0]], [7.0, 8.0]),
        lib.scatter_nd_add(w, [[0], [2]], updates),
        lib.scatter_nd_sub(w, [[0], [2]], updates),
        w.scatter_nd_max([[0, 1]], [9.0]),
        w.scatter_nd_min([[0, 1]], [1.0]),
    ]
    slices = lib.IndexedSlices(lib.constant(updates), lib.constant(rows))
    return results + [getattr(w, f"scatter_{f}")(slices) for f in functions]


def scattered_in_batches(lib: Any) -> Any:
    w = lib.Variable(np.ones([2, 3, 2], np.float32), name="W")
    rows = lib.constant([[0, 1], [2, 0]])
    updates = lib.constant(np.arange(8, dtype=np.float32).reshape(2, 2, 2))
    return [
        lib.batch_scatter_update(w, rows, updates),
        w.batch_scatter_update(lib.IndexedSlices(updates, rows)),
    ]


def slice_assigned(lib: Any) -> Any:
    w = lib.Variable(np.ones([3, 4], np.float32), name="W")
    return [w[1].assign([1.0, 2.0, 3.0, 4.0]), w[::2, 1:3].assign([[5.0, 6.0], [7.0, 8.0]])]


def resource(lib: Any) -> Any:
    w = lib.Variable([1.0, 2.0], name="W", use_resource=True)
    return [w.value(), w.read_value(), w + 1.0, lib.identity(w), w.is_initialized()]


def resource_made_by_function(lib: Any) -> Any:
    with lib.name_scope("outer"), lib.device("/cpu:0"):
        w = lib.Variable(lambda: lib.ones([2]), name="W", use_resource=True)
        return [w.value(), w.assign([1.0, 2.0]), w.assign_add([1.0, 1.0]).read_value()]


def resource_cached(lib: Any) -> Any:
    w = lib.Variable([1.0], caching_device="/cpu:0", name="W", use_resource=True)
    w.assign_add([1.0])
    return [w.value(), w + 1.0]


def resource_inside_dependencies(lib: Any) -> Any:
    with lib.control_dependencies([lib.no_op()]):
        w = lib.Variable([1.0], name="W", use_resource=True)
        return [w + 1.0, w.read_value()]


def resource_assigned(lib: Any) -> Any:
    w = lib.Variable([5.0, 7.0], name="W", use_resource=True)
    lib.assign_sub(w, [1.0, 2.0], use_locking=True).assign_add([1.0, 1.0]).value()
    w.assign_sub([1.0, 1.0], read_value=False)
    return [lib.assign(w, [1.0, 2.0], name="first"), lib.assign_add(w, [1.0, 2.0])]


def resource_scattered(lib: Any) -> Any:
    w = lib.Variable(np.ones([3, 2], np.float32), name="W", use_resource=True)
    rows, updates = [0, 2], [[2.0, 3.0], [4.0, 5.0]]
    functions = ("update", "add", "sub", "mul", "div", "min", "max")
    results = [getattr(lib, f"scatter_{f}")(w, rows, updates) for f in functions]
    results += [
        lib.scatter_nd_update(w, [[0, 1], [2, 0]], [7.0, 8.0]),
        lib.scatter_nd_add(w, [[0], [2]], updates),
        lib.scatter_nd_sub(w, [[0], [2]], updates),
        w.scatter_nd_max([[0, 1]], [9.0]).scatter_nd_min([[0, 1]], [1.0]),
        w.sparse_read([2, 0]),
        w.gather_nd([[2, 0]]),
    ]
    slices = lib.IndexedSlices(lib.constant(updates), lib.constant(rows))
    results += [getattr(w, f"scatter_{f}")(slices) for f in functions]
    return [r.value() if hasattr(r, "handle") else r for r in results]


def resource_scattered_in_batches(lib: Any) -> Any:
    w = lib.Variable(np.ones([2, 3, 2], np.float32), name="W", use_resource=True)
    rows = lib.constant([[0, 1], [2, 0]])
    updates = lib.constant(np.arange(8, dtype=np.float32).reshape(2, 2, 2))
    w.batch_scatter_update(lib.IndexedSlices(updates, rows))
    return [w[1:].assign(np.zeros([1, 3, 2], np.float32)).value(), w.value()]


def resource_counted(lib: Any) -> Any:
    w = lib.Variable(0, name="W", use_resource=True)
    return [lib.count_up_to(w, 5), w.count_up_to(7)]


def contained(lib: Any) -> Any:
    with lib.container("box"):
        w = lib.Variable([1.0], name="W")
        r = lib.Variable([1.0], name="R", use_resource=True)
    return [w.value(), r.value()]


def gathered(lib: Any) -> Any:
    w = lib.Variable(np.ones([3, 2], np.float32), name="W", use_resource=True)
    v = lib.Variable(np.ones([3, 2], np.float32), name="V")
    return [f(x, [[0, 1]]) for x in (w, v) for f in (lib.gather, lib.gather_nd)]


def gradients_of_reads(lib: Any) -> Any:
    w = lib.Variable([1.0, 2.0], name="W")
    r = lib.Variable([[1.0, 2.0], [3.0, 4.0]], name="R", use_resource=True)
    loss = lib.reduce_sum(w * r) + lib.reduce_sum(r.sparse_read([1, 1, 0]))
    loss += lib.reduce_sum(r.gather_nd([[1, 0]])) + lib.reduce_sum(r.gather_nd([[1], [0]]))
    return lib.gradients(loss, [w]) + lib.gradients(lib.reduce_sum(r.sparse_read([1])), [r])


PROGRAMS = [
    plain,
    unnamed,
    scoped,
    made_by_function,
    on_device,
    cached,
    inside_dependencies,
    unknown_shape,
    assigned,
    counted,
    initialisation,
    on_two_devices,
    reported,
    reported_none,
    scattered,
    scattered_in_batches,
    slice_assigned,
    resource,
    resource_made_by_function,
    resource_cached,
    resource_inside_dependencies,
    resource_assigned,
    resource_scattered,
    resource_scattered_in_batches,
    resource_counted,
    contained,
    gathered,
    gradients_of_reads,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_same_graph_and_values(program: Program) -> None:
    assert_same_graph(program)
