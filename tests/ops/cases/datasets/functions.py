"""Rows for datasets that apply functions to elements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.ops.cases.datasets.pulling import elements, pulled, rebuilt
from tests.ops.program import Inputs, Program, Step, run

ONE = ("float32",)


def _mapped(tf: Any, v: Inputs) -> Iterator[Step]:
    captured = v.known(3, np.int64)
    source = tf.data.Dataset.range(4)
    yield from elements(tf, source.map(lambda x: x * captured), 4)
    parallel = source.map(lambda x: x * captured, num_parallel_calls=2)
    yield from elements(tf, parallel, 4)


def _mapped_the_old_way(tf: Any, v: Inputs) -> Iterator[Step]:
    made = tf.data.Dataset.range(5).map(lambda x: x + 1, num_parallel_calls=2)
    old = rebuilt(tf, made, _with_int32, ParallelMapDatasetV2="ParallelMapDataset")
    yield from pulled(tf, old, 5)


def _with_int32(graph_def: Any, node: Any) -> None:
    """The number of calls was an int32."""
    (constant,) = [n for n in graph_def.node if n.name == node.input[-1]]
    constant.attr["dtype"].type = constant.attr["value"].tensor.dtype = 3
    constant.attr["value"].tensor.int64_val[:] = []
    constant.attr["value"].tensor.int_val[:] = [2]


def _in_batches(tf: Any, v: Inputs) -> Iterator[Step]:
    made = tf.data.Dataset.range(5).apply(
        tf.data.experimental.map_and_batch(lambda x: x * 2, 2, num_parallel_calls=2)
    )
    yield from elements(tf, made, 3)
    old = rebuilt(tf, made, MapAndBatchDataset="ExperimentalMapAndBatchDataset")
    yield from pulled(tf, old, 3)


def _tested(tf: Any, v: Inputs) -> Iterator[Step]:
    limit = v.known(3, np.int64)
    source = tf.data.Dataset.range(6)
    filtered = source.filter(lambda x: x >= limit)
    yield from elements(tf, filtered, 3)
    parallel = rebuilt(tf, filtered, _with_two_calls, FilterDataset="ParallelFilterDataset")
    yield from pulled(tf, parallel, 3)
    first = source.apply(tf.data.experimental.take_while(lambda x: x < limit))
    yield from elements(tf, first, 3)
    old = rebuilt(tf, first, TakeWhileDataset="ExperimentalTakeWhileDataset")
    yield from pulled(tf, old, 3)


def _with_two_calls(graph_def: Any, node: Any) -> None:
    """Several calls go on at a time."""
    calls = graph_def.node.add(name="calls", op="Const")
    calls.attr["dtype"].type = calls.attr["value"].tensor.dtype = 9
    calls.attr["value"].tensor.tensor_shape.SetInParent()
    calls.attr["value"].tensor.int64_val[:] = [2]
    node.input.append("calls")


def _scanned(tf: Any, v: Inputs) -> Iterator[Step]:
    made = tf.data.Dataset.range(5).apply(
        tf.data.experimental.scan(v.known(1, np.int64), lambda s, x: (s + x, s * 10))
    )
    yield from elements(tf, made, 5)
    old = rebuilt(tf, made, ScanDataset="ExperimentalScanDataset")
    yield from pulled(tf, old, 5)


def _flat(tf: Any, v: Inputs) -> Iterator[Step]:
    source = tf.data.Dataset.range(4)
    yield from elements(tf, source.flat_map(tf.data.Dataset.range), 6)
    yield from elements(tf, source.interleave(tf.data.Dataset.range, 2, 1), 6)
    parallel = source.interleave(tf.data.Dataset.range, 2, 1, num_parallel_calls=2)
    yield from elements(tf, parallel, 6)
    for older in ("ParallelInterleaveDatasetV3", "ParallelInterleaveDatasetV2"):
        old = rebuilt(tf, parallel, _without_buffers, ParallelInterleaveDatasetV4=older)
        yield from pulled(tf, old, 6)


def _without_buffers(graph_def: Any, node: Any) -> None:
    """Nothing said how many elements are made ahead."""
    del node.input[3:5]


def _flat_the_old_way(tf: Any, v: Inputs) -> Iterator[Step]:
    # Where an input is empty, TensorFlow's own order varies.
    made = tf.data.Dataset.range(1, 4).apply(
        tf.data.experimental.parallel_interleave(
            tf.data.Dataset.range, 2, 1, False, v.known(2, np.int64), v.known(1, np.int64)
        )
    )
    yield from elements(tf, made, 6)
    for older in ("ParallelInterleaveDataset", "ExperimentalParallelInterleaveDataset"):
        old = rebuilt(tf, made, _with_sloppiness, LegacyParallelInterleaveDatasetV2=older)
        yield from pulled(tf, old, 6)


def _with_sloppiness(graph_def: Any, node: Any) -> None:
    """An input says whether elements come in order."""
    constant = graph_def.node.add(name=f"{node.name}_sloppy", op="Const")
    constant.attr["dtype"].type = constant.attr["value"].tensor.dtype = 10
    constant.attr["value"].tensor.tensor_shape.SetInParent()
    constant.attr["value"].tensor.bool_val[:] = [False]
    node.input.insert(3, constant.name)


def _generated(tf: Any, v: Inputs) -> Iterator[Step]:
    """A function that is called until it is out of range, as what waits for a closed queue is."""
    queue = tf.FIFOQueue(9, [tf.int64], [[]], shared_name="rows_of_generators")
    yield run(queue.enqueue_many([v.known([4, 5, 6], np.int64)]))
    yield run(queue.close())
    source = tf.data.Dataset.from_tensors(np.int64(7))
    begun, taken = source.map(lambda x: x * 10), source.map(lambda x: x + queue.dequeue())

    def changed(graph_def: Any, node: Any) -> None:
        by_name = {n.name: n for n in tf.get_default_graph().as_graph_def().node}
        first = by_name[begun._variant_tensor.op.name].attr["f"].func.name
        node.attr["init_func"].func.name = node.attr["finalize_func"].func.name = first
        node.attr["next_func"].CopyFrom(by_name[node.name].attr["f"])
        for what in ("init", "next", "finalize"):
            node.attr[f"T{what}_func_args"].list.SetInParent()
        node.attr["Tinit_func_args"].list.type[:] = [9]
        node.attr["Tnext_func_args"].list.type[:] = [20]
        node.attr["Tfinalize_func_args"].list.type[:] = []
        node.input[0] = by_name[source._variant_tensor.op.name].input[0]

    yield from pulled(tf, rebuilt(tf, taken, changed, MapDataset="GeneratorDataset"), 3)


def _grouped(tf: Any, v: Inputs) -> Iterator[Step]:
    made = tf.data.Dataset.range(7).apply(
        tf.data.experimental.group_by_window(lambda x: x % 2, lambda k, w: w.batch(2), 3)
    )
    yield from elements(tf, made, 5)
    old = rebuilt(tf, made, GroupByWindowDataset="ExperimentalGroupByWindowDataset")
    yield from pulled(tf, old, 5)


def _reduced(tf: Any, v: Inputs) -> Iterator[Step]:
    reducer = tf.data.experimental.Reducer(
        lambda key: key * 100, lambda state, x: state + x, lambda state: state
    )
    made = tf.data.Dataset.range(7).apply(
        tf.data.experimental.group_by_reducer(lambda x: x % 3, reducer)
    )
    yield from elements(tf, made, 3)
    old = rebuilt(tf, made, ExperimentalGroupByReducerDataset="GroupByReducerDataset")
    yield from pulled(tf, old, 3)


PROGRAMS = [
    Program("MapDataset ParallelMapDatasetV2", _mapped, ONE),
    Program("ParallelMapDataset", _mapped_the_old_way, ONE),
    Program("MapAndBatchDataset ExperimentalMapAndBatchDataset", _in_batches, ONE),
    Program(
        "FilterDataset ParallelFilterDataset TakeWhileDataset ExperimentalTakeWhileDataset",
        _tested,
        ONE,
    ),
    Program("ScanDataset ExperimentalScanDataset", _scanned, ONE),
    Program(
        "FlatMapDataset InterleaveDataset ParallelInterleaveDatasetV4 "
        "ParallelInterleaveDatasetV3 ParallelInterleaveDatasetV2",
        _flat,
        ONE,
    ),
    Program(
        "LegacyParallelInterleaveDatasetV2 ParallelInterleaveDataset "
        "ExperimentalParallelInterleaveDataset",
        _flat_the_old_way,
        ONE,
    ),
    Program("GeneratorDataset", _generated, ONE),
    Program("GroupByWindowDataset ExperimentalGroupByWindowDataset", _grouped, ONE),
    Program("GroupByReducerDataset ExperimentalGroupByReducerDataset", _reduced, ONE),
]
