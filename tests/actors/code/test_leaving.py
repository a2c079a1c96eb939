"""What nodes make for other processes lies in shared memory, and is what they make anyway."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.actors.code.leaving import call_of
from dataflow.actors.fusion.compiled.node import CompiledNode
from dataflow.actors.fusion.merged_nodes import Arrangement
from dataflow.actors.nodes.binding import Binding, CallKind
from dataflow.actors.nodes.plan_node import PlanNode
from dataflow.actors.plan import plan as plans
from dataflow.kernels.memory import shared_arrays
from dataflow.kernels.products import products
from tests.actors.fusion.merged import RUNS
from tests.kernels.memory.fresh_regions import fresh_regions

LARGE = (300, 400)


@pytest.fixture(autouse=True)
def nothing_before() -> Iterator[None]:
    with fresh_regions():
        yield


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape)).normal(size=shape).astype(np.float32)


def node(call: Any, *values: Any, leaves: bool = True, elementwise: bool = True) -> PlanNode:
    """A node as it was measured with these values."""
    binding = Binding(call, CallKind.PLAIN, (None,) * len(values), elementwise=elementwise)
    made = PlanNode(0, "n", "Op", binding, tuple(range(len(values))))
    made.outputs = (len(values),)
    made.leaves = leaves
    made.note(values, call(*values))
    return made


def is_shared(array: np.ndarray) -> bool:
    return shared_arrays.region_of(array.reshape(-1).view(np.uint8).data) is not None


def test_a_function_of_numpy() -> None:
    x, y = numbers(*LARGE), numbers(400)
    call = call_of(node(np.add, x, y))
    found = call(x, y)
    np.testing.assert_array_equal(found, x + y)
    assert is_shared(found)
    # Later values may have other shapes.
    wide = call(numbers(2, 300, 400), y)
    assert wide.shape == (2, 300, 400) and is_shared(wide)
    few = call(x[:3], y)
    np.testing.assert_array_equal(few, x[:3] + y)
    assert len(shared_arrays._regions) == 2


def test_a_comparison_has_its_own_type() -> None:
    x = numbers(3, 300, 400)
    found = call_of(node(np.less, x, x[0]))(x, x[0])
    assert found.dtype == np.bool_ and is_shared(found)
    np.testing.assert_array_equal(found, x < x[0])


@pytest.mark.parametrize(("inner", "turned"), [(4, False), (4, True), (1, False), (200, True)])
def test_a_product(inner: int, turned: bool) -> None:
    a, b = numbers(300, inner), numbers(inner, 400)
    a = np.asfortranarray(a) if turned else a
    found = call_of(node(products.product, a, b, elementwise=False))(a, b)
    np.testing.assert_array_equal(found, products.product(a, b))
    assert is_shared(found)


def test_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its result lies there."""
    find = plans.compile_clusters

    def leaving(arranged: Arrangement) -> Arrangement:
        found = find(arranged)
        for one in found.nodes:
            one.leaves = isinstance(one, CompiledNode)
        return found

    monkeypatch.setattr(plans, "compile_clusters", leaving)
    a, b = numbers(600, 20), numbers(20, 500)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, a.shape)
        end = tf.tanh(tf.matmul(x, b) * 0.1 + 1.0) * 2.0
        for _ in range(RUNS):
            found = session.run(end, {x: a})
    np.testing.assert_allclose(found, np.tanh(a @ b * 0.1 + 1) * 2, rtol=1e-5, atol=1e-6)
    assert is_shared(found)
    del found


def test_what_stays_or_is_small_is_as_it_was() -> None:
    x = numbers(*LARGE)
    assert call_of(node(np.add, x, x, leaves=False)) is np.add
    call_of(node(np.add, x[:2], x[:2]))(x[:2], x[:2])
    assert len(shared_arrays._regions) == 0


def test_where_there_is_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_arrays, "_MOST", 0)
    x = numbers(*LARGE)
    np.testing.assert_array_equal(call_of(node(np.add, x, x))(x, x), x + x)
