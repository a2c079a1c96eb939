"""Rows for accumulators of gradients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape
from tests.ops.nodes import imported, old_nodes
from tests.ops.program import Inputs, Program, Step, fails, infers, refused_alike, run

FLOATS = ("half", "float32", "float64")
DENSE = (
    "ResourceConditionalAccumulator ResourceAccumulatorNumAccumulated "
    "ResourceAccumulatorSetGlobalStep ResourceAccumulatorApplyGradient "
    "ResourceAccumulatorTakeGradient"
)
SPARSE = (
    "SparseConditionalAccumulator AccumulatorNumAccumulated AccumulatorSetGlobalStep "
    "SparseAccumulatorApplyGradient SparseAccumulatorTakeGradient"
)
REFUSED = "InvalidArgumentError"


def _dense(tf: Any, v: Inputs) -> Iterator[Step]:
    """Means and sums over steps, and gradients that come too late."""
    for reduction in ("MEAN", "SUM"):
        for shape in ((3,), ()):
            held = tf.ConditionalAccumulator(v.element, shape, reduction_type=reduction)
            count, taken = held.num_accumulated(), held.take_grad(v.known(3, np.int32))
            yield infers(count, taken)
            for _ in range(4):
                yield run(held.apply_grad(v.known(v.any(*shape))))
            yield run(count)
            yield run(taken)
            yield run(held.apply_grad(v.known(v.any(*shape)), 0))
            yield run(count)
            yield run(held.set_global_step(v.known(9, np.int64)))
            yield run(held.apply_grad(v.known(v.any(*shape)), local_step=8))
            yield run(held.apply_grad(v.known(v.any(*shape)), local_step=9))
            yield run(count)
            yield run(held.take_grad(1))


def _shapeless(tf: Any, v: Inputs) -> Iterator[Step]:
    """Each step may have a shape of its own."""
    held = tf.ConditionalAccumulator(v.element)
    for step, shape in enumerate(((2, 3), (4,), (0,))):
        yield run(held.apply_grad(v.fed(v.any(*shape)), step))
        yield run(held.take_grad(1))


def _misused(tf: Any, v: Inputs) -> Iterator[Step]:
    held = tf.ConditionalAccumulator(tf.float32, [2])
    three = v.hidden([1.0, 2.0, 3.0], np.float32)
    yield fails(REFUSED, r"mismatch: expected \[2\], got \[3\]", held.apply_grad(three))
    yield fails(REFUSED, "must be positive, but was 0", held.take_grad(v.hidden(0, np.int32)))
    free = tf.ConditionalAccumulator(tf.float32)
    yield run(free.apply_grad([1.0, 2.0]))
    yield fails(REFUSED, r"mismatch: expected \[2\], got \[3\]", free.apply_grad(three))
    yield run(free.take_grad(1))
    for build in (
        lambda: held.apply_grad([1.0]),
        lambda: held.apply_grad([1, 2], local_step=[1]),
        lambda: held.set_global_step([1]),
        lambda: held.take_grad([1]),
        lambda: tf.ConditionalAccumulator(tf.float32, reduction_type="LEAST"),
        lambda: tf.ConditionalAccumulator(tf.bool),
    ):
        yield refused_alike(build)


def _sparse(tf: Any, v: Inputs) -> Iterator[Step]:
    """Rows meet by their indices; each is divided by how often it came."""
    for reduction in ("MEAN", "SUM"):
        held = tf.SparseConditionalAccumulator(v.element, [5, None], reduction_type=reduction)
        count, taken = held.num_accumulated(), held.take_grad(v.known(3, np.int32))
        yield infers(count, *taken)
        for indices, shape in (([0, 2, 4], None), ([1, 2], [5, 2]), ([0], [5, 2]), ([], None)):
            rows = v.known(v.any(len(indices), 2))
            yield run(held.apply_grad(v.known(indices, np.int64), rows, shape))
        yield run(count)
        yield run(*taken)
        yield run(held.set_global_step(5))
        rows = v.known(v.any(1, 2))
        yield run(held.apply_grad([3], rows, local_step=4))
        slices = tf.IndexedSlices(rows, tf.constant([1]), tf.constant([5, 2]))
        yield run(held.apply_indexed_slices_grad(slices, local_step=5))
        found = held.take_indexed_slices_grad(1)
        yield run(found.indices, found.values, found.dense_shape)


def _unordered(tf: Any, v: Inputs) -> Iterator[Step]:
    """Indices that do not rise, or come twice."""
    held = tf.SparseConditionalAccumulator(v.element)
    for indices in ([3, 1, 3], [1, 3], [2, 2, 1], [0, 5, 3, 4]):
        yield run(held.apply_grad(indices, v.known(v.any(len(indices)))))
    yield run(*held.take_grad(1))


def _sparse_misused(tf: Any, v: Inputs) -> Iterator[Step]:
    held = tf.SparseConditionalAccumulator(tf.float32, [4, None])

    def added(indices: Any, values: Any, shape: Any = None) -> Any:
        return held.apply_grad(v.hidden(indices, np.int64), v.hidden(values, np.float32), shape)

    pair = [[1.0, 2.0], [3.0, 4.0]]
    for indices, values, shape, text in (
        ([[1]], [[1.0]], None, r"be vector but received shape: \[1,1\]"),
        ([1], 1.0, None, "Values cannot be 0-dimensional"),
        ([1], pair, None, "Expected 1 non-empty input values, got 2"),
        ([0, 2], pair, [4], "expected shape rank at least 2, got 1"),
        ([0, 2], pair, [5, 2], "expected shape dim 0 to be 4, got 5"),
        ([0, 9], pair, None, "index of slice 1 exceeded limits of shape; index is 9 exceeded 4"),
        ([0], [1.0], None, "expected values rank at least 2, got 1"),
    ):
        yield fails(REFUSED, text, added(indices, values, shape))
    yield run(added([0, 2], pair))
    yield fails(REFUSED, "expected values dim 1 to be 2, got 3", added([0], [[1.0, 2.0, 3.0]]))
    yield fails(REFUSED, "expected values rank 2, got 3", added([0], [[[1.0, 2.0]]]))
    yield fails(REFUSED, "must be positive", *held.take_grad(v.hidden(-1, np.int32)))
    for build in (
        lambda: held.take_grad([1]),
        lambda: held.set_global_step([1]),
        lambda: held.apply_grad([1], [[1.0]], None, [3]),
    ):
        yield refused_alike(build)


def _shared(tf: Any, v: Inputs) -> Iterator[Step]:
    """Nodes of one shared name have one accumulator."""
    for kind in (tf.ConditionalAccumulator, tf.SparseConditionalAccumulator):
        first, second = (
            kind(tf.float32, [2], shared_name=f"rows_{kind.__name__}") for _ in range(2)
        )
        if kind is tf.ConditionalAccumulator:
            yield run(first.apply_grad([1.0, 2.0], local_step=9))
            yield run(second.take_grad(1))
        else:
            yield run(first.apply_grad([1], [2.0], local_step=9))
            yield run(*second.take_grad(1))


def _old(tf: Any, v: Inputs) -> Iterator[Step]:
    nodes = old_nodes()
    kind = dtypes.as_dtype(v.name)
    nodes.add(
        "ConditionalAccumulator",
        "held",
        dtype=kind,
        shape=TensorShape([2]),
        reduction_type=b"SUM",
    )
    for value, dtype in (("value", kind), ("step", dtypes.int64), ("n", dtypes.int32)):
        nodes.add("Placeholder", value, dtype=dtype)
    nodes.add("AccumulatorApplyGradient", "apply", ["held", "step", "value"], dtype=kind)
    nodes.add("AccumulatorNumAccumulated", "count", ["held"])
    nodes.add("AccumulatorSetGlobalStep", "set", ["held", "step"])
    nodes.add("AccumulatorTakeGradient", "take", ["held", "n"], dtype=kind)
    made = imported(
        tf,
        nodes,
        value=v.known(v.any(2)),
        step=v.known(3, np.int64),
        n=v.known(2, np.int32),
    )
    yield run(made["set"])
    yield run(made["apply"])
    yield run(made["apply"])
    yield run(made["count"].outputs[0])
    yield run(made["take"].outputs[0])
    yield run(made["apply"])
    yield run(made["count"].outputs[0])


DENSE_TAKEN = (
    "ResourceConditionalAccumulator ResourceAccumulatorApplyGradient "
    "ResourceAccumulatorTakeGradient"
)
SPARSE_TAKEN = (
    "SparseConditionalAccumulator SparseAccumulatorApplyGradient SparseAccumulatorTakeGradient"
)
PROGRAMS = [
    Program(DENSE, _dense, FLOATS),
    Program(DENSE_TAKEN, _shapeless, FLOATS),
    Program(DENSE_TAKEN, _misused, ("float32",)),
    Program(SPARSE, _sparse, FLOATS),
    Program(SPARSE_TAKEN, _unordered, FLOATS),
    Program(SPARSE_TAKEN, _sparse_misused, ("float32",)),
    Program(f"{DENSE_TAKEN} {SPARSE_TAKEN}", _shared, ("float32",)),
    Program(
        "ConditionalAccumulator AccumulatorNumAccumulated AccumulatorSetGlobalStep "
        "AccumulatorApplyGradient AccumulatorTakeGradient",
        _old,
        FLOATS,
    ),
]
