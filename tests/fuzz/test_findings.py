"""What random graphs have found, one graph for each kind: each is refused with its node named."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from tests.importing.both import parsed
from tests.importing.nodes import attr, constant, node

INVALID = tf.errors.InvalidArgumentError
FLOAT = attr("T", "type: DT_FLOAT")


def _refused(build: Callable[[], tuple[Any, dict[Any, Any]]], text: str, name: str = "it") -> None:
    """Fails unless a program is refused so, whether interpreted or compiled."""
    with tf.Graph().as_default(), tf.Session() as session:
        fetch, feeds = build()
        for _ in range(4):
            with pytest.raises(INVALID) as caught:
                session.run(fetch, feeds)
            # Not in the whole text, which shows the lines of this file that made the node.
            assert text in caught.value.message
            assert f"node {name}" in caught.value.message


def _variable() -> Any:
    return tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[2])


def _stack() -> Any:
    return tf.raw_ops.StackV2(max_size=3, elem_type=tf.float32)


def _queue() -> Any:
    return tf.raw_ops.FIFOQueueV2(component_types=[tf.float32])


def _changing_table() -> Any:
    return tf.raw_ops.MutableHashTableV2(key_dtype=tf.string, value_dtype=tf.int32)


WRONG_HANDLES: dict[str, Callable[[], Any]] = {
    "pop": lambda: tf.raw_ops.StackPopV2(handle=_variable(), elem_type=tf.float32, name="it"),
    "close": lambda: tf.raw_ops.StackClose(
        handle=tf.raw_ops.TemporaryVariable(shape=[], dtype=tf.string), name="it"
    ),
    "scatter": lambda: tf.raw_ops.ResourceScatterAdd(
        resource=_stack(), indices=[0], updates=[1.0], name="it"
    ),
    "queue": lambda: tf.raw_ops.QueueCloseV2(handle=_variable(), name="it"),
    "table": lambda: tf.raw_ops.LookupTableSizeV2(table_handle=_queue(), name="it"),
    "filled table": lambda: tf.raw_ops.InitializeTableV2(
        table_handle=_changing_table(), keys=["a"], values=[1], name="it"
    ),
    "reshaped": lambda: tf.raw_ops.ReadVariableOp(
        resource=tf.raw_ops.Reshape(tensor=_variable(), shape=[1]), dtype=tf.float32, name="it"
    ),
}


@pytest.mark.parametrize("how", WRONG_HANDLES)
def test_handles_of_another_kind(how: str) -> None:
    _refused(lambda: (WRONG_HANDLES[how](), {}), "using the wrong type")


@pytest.mark.parametrize("how", ["queue", "table", "filled table"])
def test_what_a_handle_refers_to_is_looked_at_before_it_is_used(how: str) -> None:
    _refused(lambda: (WRONG_HANDLES[how](), {}), "the handle refers to a ")


def test_a_wrong_handle_leaves_no_variable_locked() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", [2], use_resource=True, initializer=tf.zeros_initializer())
        session.run(v.initializer)
        update = tf.raw_ops.ResourceApplyMomentum(
            var=v.handle, accum=_stack(), lr=0.1, grad=[1.0, 1.0], momentum=0.9, name="it"
        )
        with pytest.raises(INVALID, match="using the wrong type"):
            session.run(update)
        later = session.run_async(v.assign_add([1.0, 1.0]).op)
        later.result(20)
        np.testing.assert_array_equal(session.run(v), [1.0, 1.0])


def test_a_variable_whose_value_does_not_broadcast() -> None:
    def build() -> Any:
        v = tf.Variable(np.zeros([1, 2], np.float32), validate_shape=False, use_resource=False)
        tf.get_default_session().run(v.initializer)
        x = tf.placeholder(tf.float32)
        return tf.raw_ops.Atan2(y=v._ref(), x=x, name="it"), {x: np.zeros([1, 7])}

    with tf.Graph().as_default(), tf.Session() as session:
        fetch, feeds = build()
        with pytest.raises(INVALID, match=re.escape("Incompatible shapes: [1,2] vs. [1,7]")):
            session.run(fetch, feeds)


@pytest.mark.parametrize(
    ("pads", "padding", "text"),
    [
        ([1, 1], "EXPLICIT", "must contain 8 values, but got: 2"),
        ([0, 0, 1, 1, -1, 1, 0, 0], "EXPLICIT", "must be nonnegative"),
        ([1, 1], "SAME", "must be empty if the padding attribute is not EXPLICIT"),
    ],
)
def test_explicit_paddings(pads: list[int], padding: str, text: str) -> None:
    def build() -> Any:
        dy = tf.placeholder(tf.float32)
        it = tf.raw_ops.Conv2DBackpropInput(
            input_sizes=tf.placeholder_with_default([1, 4, 4, 1], None),
            filter=np.ones([1, 1, 1, 1], np.float32),
            out_backprop=dy,
            strides=[1, 1, 1, 1],
            padding=padding,
            explicit_paddings=pads,
            name="it",
        )
        return it, {dy: np.ones([1, 4, 4, 1])}

    _refused(build, text)


def test_inputs_that_should_be_scalars() -> None:
    def histogram() -> Any:
        bins = tf.placeholder(tf.int32)
        it = tf.raw_ops.HistogramFixedWidth(
            values=[1.0], value_range=[0.0, 1.0], nbins=bins, name="it"
        )
        return it, {bins: [3, 4]}

    def scattered(tensor: Any, count: Any) -> Any:
        x, n = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
        handle = tf.raw_ops.TensorListScatterV2(
            tensor=x, indices=[0], element_shape=-1, num_elements=n, name="it"
        )
        return tf.raw_ops.TensorListLength(input_handle=handle), {x: tensor, n: count}

    _refused(histogram, "nbins should be a scalar")
    _refused(lambda: scattered([1.0], [1, 2]), "num_elements to be a scalar")
    _refused(lambda: scattered(1.0, 1), "Tensor must be at least a vector")


def test_counts_of_a_shape_that_is_a_scalar() -> None:
    _refused(
        lambda: (
            tf.raw_ops.SparseBincount(
                indices=tf.zeros([1, 1], tf.int64),
                values=[1],
                dense_shape=tf.constant(3, tf.int64),
                size=2,
                weights=tf.zeros([0]),
                name="it",
            ),
            {},
        ),
        "rank",
    )


def test_temporary_variables_of_other_types() -> None:
    def temporary(dtype: tf.DType) -> Any:
        ref = tf.raw_ops.TemporaryVariable(shape=[2], dtype=dtype, name="it")
        return tf.raw_ops.DestroyTemporaryVariable(ref=ref, var_name="it")

    _refused(lambda: (temporary(tf.resource), {}), "resource has no numpy type")
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(temporary(tf.string)).tolist() == [b"", b""]


@pytest.mark.parametrize("ratio", [0.0, 0.5, float("nan")])
def test_pools_of_ratios_below_1(ratio: float) -> None:
    x = tf.ones([1, 4, 4, 1])
    with pytest.raises(ValueError, match="pooling_ratio cannot be smaller than 1"):
        tf.raw_ops.FractionalMaxPool(value=x, pooling_ratio=[1.0, ratio, 1.5, 1.0])


def test_unique_slices_of_nothing() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32)
        y, places = tf.raw_ops.UniqueV2(x=x, axis=[2])
        found, where = session.run([y, places], {x: np.zeros([1, 3, 0, 0, 7])})
    assert found.shape == (1, 3, 0, 0, 7) and where.shape == (0,)


@pytest.mark.parametrize("op", ["NextIteration", "Exit"])
def test_loops_that_nothing_enters(op: str) -> None:
    text = constant("c") + (
        node("m", "Merge", "c,it", FLOAT + attr("N", "i: 2")) + node("it", op, "m", FLOAT)
        if op == "NextIteration"
        else node("it", op, "c", FLOAT)
    )
    with tf.Graph().as_default() as graph:
        graph_def = parsed(tf, text)
        graph_def.versions.producer = 1000
        tf.import_graph_def(graph_def, name="")
        with tf.Session(graph=graph) as session, pytest.raises(INVALID, match="it"):
            session.run("it:0")


_PROGRAM = """
import resource, sys
import dataflow as tf
size = 64 << 20
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
text = "x" * size
before = peak()
tf.constant([text] + ["y"] * 20) if sys.argv[1] == "constant" else tf.make_tensor_proto(text)
print((peak() - before) / size)
"""


@pytest.mark.parametrize("how", ["constant", "proto"])
def test_a_long_string_is_not_held_many_times(how: str) -> None:
    found = subprocess.run(
        [sys.executable, "-c", _PROGRAM, how], check=True, capture_output=True, text=True
    )
    # Its bytes, and what the message holds of them.
    assert float(found.stdout) < 3.5


@pytest.mark.parametrize("option", ("width", "precision"))
def test_numbers_of_gigabytes(option: str) -> None:
    _refused(
        lambda: (tf.raw_ops.AsString(input=[1.0], name="it", **{option: 1 << 30}), {}),
        "at most 65536 may be asked for",
    )


def test_elements_of_a_type_that_arrays_do_not_have() -> None:
    def build() -> Any:
        queue = _queue()
        handles = tf.stack([queue, queue])
        made = tf.raw_ops.SparseFillEmptyRowsGrad(
            reverse_index_map=[0], grad_values=handles, name="it"
        )
        return made[0], {}

    _refused(build, "Op 'SparseFillEmptyRowsGrad': resource has no numpy type")


def test_slices_of_a_constant_that_are_none() -> None:
    """The shape of what is restored follows from them."""
    with tf.Graph().as_default() as graph:
        name = tf.constant("f", name="file")
        slices = tf.constant(["10 20 0,5:-"], name="slices")
        tf.raw_ops.RestoreV2(
            prefix=name, tensor_names=["t"], shape_and_slices=slices, dtypes=[tf.float32]
        )
    graph_def = graph.as_graph_def()
    for text in (b"10 5,5:-", b"long " * 20_000):
        (node,) = (node for node in graph_def.node if node.name == "slices")
        node.attr["value"].tensor.string_val[0] = text
        with tf.Graph().as_default(), pytest.raises(tf.errors.InvalidArgumentError) as e:
            tf.import_graph_def(graph_def, name="")
        assert "node RestoreV2" in e.value.message


def test_row_splits_that_are_a_scalar() -> None:
    def build() -> Any:
        splits = tf.placeholder(tf.int64)
        made = tf.raw_ops.RaggedGather(
            params_nested_splits=[splits],
            params_dense_values=[1.0, 2.0],
            indices=[0],
            OUTPUT_RAGGED_RANK=1,
            name="it",
        )
        return made[0], {splits: 2}

    _refused(build, "indices[0] = 0 is not in [0, 0)")
