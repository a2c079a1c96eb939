"""Joined composite values, recorded messages and small names of framework tests, as in 1.15."""

from __future__ import annotations

import importlib
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.ops.distributions import util as oracle_util

import dataflow as tf
from dataflow.porting.modules import TensorflowModule
from dataflow.porting.spellings.util import joined_values, recorded_messages
from dataflow.ragged import RaggedTensorValue
from tests.oracle import open_session

PYTHON = "tensorflow.python."


def _sparse(places: list[list[int]], shape: list[int]) -> Any:
    values = np.arange(len(places)) + 1
    return tf.SparseTensorValue(np.array(places), values, shape)


def test_sparse_values_are_joined_by_rows() -> None:
    """Recorded from 1.15: its last row is one more than the last place."""
    joined = joined_values.append_composite_tensor(
        _sparse([[0, 1], [1, 0]], [3, 2]), _sparse([[1, 1]], [4, 2])
    )
    assert joined.indices.tolist() == [[0, 1], [1, 0], [4, 1]]
    assert joined.values.tolist() == [1, 2, 1]
    assert tuple(joined.dense_shape) == (5, 2)
    assert joined_values.get_shape(joined) == joined.dense_shape


def test_ragged_values_are_joined_by_rows() -> None:
    inner = RaggedTensorValue(np.array([1, 2, 3]), np.array([0, 2, 3]))
    outer = RaggedTensorValue(inner, np.array([0, 0, 2]))
    joined = joined_values.append_composite_tensor(outer, outer)
    assert joined.to_list() == [[], [[1, 2], [3]], [], [[1, 2], [3]]]


def test_tensors_are_joined_by_rows() -> None:
    with tf.Graph().as_default() as graph, open_session(tf, graph) as session:
        sparse = tf.SparseTensor([[0, 1]], [5], [1, 2])
        ragged = tf.ragged.constant([[1], [2, 3]])
        both = [joined_values.append_composite_tensor(each, each) for each in (sparse, ragged)]
        joined, rows = session.run(both)
    assert joined.indices.tolist() == [[0, 1], [1, 1]]
    assert rows.to_list() == [[1], [2, 3], [1], [2, 3]]


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (_sparse([[0, 0]], [1, 3]), r"match inner dimensions \(\[2\] vs \[3\]\)"),
        (_sparse([[0]], [1]), r"same number of dimensions \(\[1, 2\] vs \[1\]\)"),
        (np.zeros(3), "Unable to concatenate <class"),
    ],
)
def test_what_cannot_be_joined(other: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        joined_values.append_composite_tensor(_sparse([[0, 0]], [1, 2]), other)
    with pytest.raises(RuntimeError, match="unsupported object"):
        joined_values.append_composite_tensor(np.zeros(3), np.zeros(3))


def test_what_is_composite() -> None:
    with tf.Graph().as_default():
        composite = [
            _sparse([[0]], [1]),
            tf.SparseTensor([[0]], [1], [1]),
            tf.ragged.constant([[1]]),
        ]
        assert all(map(joined_values.is_composite_or_composite_value, composite))
        assert not joined_values.is_composite_or_composite_value(tf.constant(1))


def test_messages_are_recorded(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    try:
        with pytest.raises(RuntimeError, match="Must call set_summary_writer before"):
            recorded_messages.error("lost")
        with tf.Graph().as_default(), tf.summary.FileWriter(str(tmp_path)) as writer:
            recorded_messages.set_summary_writer(writer)
            recorded_messages.info("too low")
            recorded_messages.error("for%s", "mat")
            recorded_messages.set_verbosity(recorded_messages.DEBUG)
            assert recorded_messages.get_verbosity() == "DEBUG"
            recorded_messages.debug("low")
            with pytest.raises(ValueError, match="Level LOW is not a valid tensorboard_logging"):
                recorded_messages.set_verbosity("LOW")
            with pytest.raises(ValueError, match="Level LOW is not a valid tensorboard_logging"):
                recorded_messages.log("LOW", "never")
            recorded_messages.set_summary_writer(None)
            recorded_messages.fatal("only printed")
    finally:
        recorded_messages.set_verbosity(recorded_messages.WARN)
        recorded_messages._clear_summary_writer()
    (path,) = tmp_path.iterdir()
    told = [each.log_message for each in tf.train.summary_iterator(str(path))]
    assert [(each.level, each.message) for each in told if each.message] == [
        (40, "format"),
        (10, "low"),
    ]
    assert logging.getLogger("dataflow").level == logging.NOTSET


def test_versions_have_their_older_names() -> None:
    ours = TensorflowModule(f"{PYTHON}framework.versions")
    theirs = importlib.import_module(f"{PYTHON}framework.versions")
    for name in (
        "version",
        "git_version",
        "compiler_version",
        "cxx11_abi_flag",
        "monolithic_build",
    ):
        assert type(getattr(ours, f"__{name}__")) is type(getattr(theirs, f"__{name}__")), name
    assert ours.__version__ == TensorflowModule("tensorflow").__version__ == tf.VERSION


def test_types_have_their_names() -> None:
    ours = TensorflowModule(f"{PYTHON}framework.dtypes")._TYPE_TO_STRING
    theirs = importlib.import_module(f"{PYTHON}framework.dtypes")._TYPE_TO_STRING
    numbers = theirs.keys() & ours.keys()
    assert len(numbers) > 60
    assert {number: ours[number] for number in numbers} == {each: theirs[each] for each in numbers}


def test_names_of_kernel_tests(tmp_path: Path) -> None:
    scopes = TensorflowModule(f"{PYTHON}ops.variable_scope")
    assert scopes._PartitionInfo([4, 2], [2, 0]).single_offset([2, 2]) == 2
    folders = TensorflowModule(f"{PYTHON}platform.googletest")
    assert folders.GetTempDir() == tf.test.get_temp_dir()
    assert not folders.StatefulSessionAvailable()
    loader = TensorflowModule(f"{PYTHON}saved_model.loader_impl")
    with pytest.raises(OSError, match="SavedModel file does not exist at"):
        loader._parse_saved_model(str(tmp_path))
    resources = TensorflowModule(f"{PYTHON}ops.resource_variable_ops")
    with tf.Graph().as_default() as graph, open_session(tf, graph) as session:
        variable = tf.get_variable("v", [2], use_resource=True)
        assign = resources.shape_safe_assign_variable_handle
        session.run(assign(variable.handle, variable.shape, [3.0, 4.0]))
        assert session.run(variable).tolist() == [3.0, 4.0]
        with pytest.raises(ValueError, match=r"Shapes \(2,\) and \(3,\) are incompatible"):
            assign(variable.handle, variable.shape, [3.0, 4.0, 5.0])


def test_arguments_of_the_caller() -> None:
    def ours(a: Any, b: Any = 2, *more: Any, **named: Any) -> Any:
        return util.parent_frame_arguments()

    def theirs(a: Any, b: Any = 2, *more: Any, **named: Any) -> Any:
        return oracle_util.parent_frame_arguments()

    util = TensorflowModule(f"{PYTHON}ops.distributions.util")
    assert ours(1, 3, 4, c=5) == theirs(1, 3, 4, c=5) == {"a": 1, "b": 3, "c": 5}
    assert (lambda: util.parent_frame_arguments())() == {}


@pytest.mark.parametrize("given", [None, ([1.0, 2.0], [[1.0, 3.0], [2.0, 2.0]])])
def test_points_and_weights(given: Any) -> None:
    def found(library: Any, util: Any) -> Any:
        with library.Graph().as_default() as graph, open_session(library, graph) as session:
            pair = util.process_quadrature_grid_and_probs(given, library.float64, True)
            return [each.tolist() for each in session.run(pair)]

    util = TensorflowModule(f"{PYTHON}ops.distributions.util")
    assert found(tf, util) == found(oracle, oracle_util)


def test_points_and_weights_differ() -> None:
    util = TensorflowModule(f"{PYTHON}ops.distributions.util")
    with tf.Graph().as_default() as graph, open_session(tf, graph) as session:
        with pytest.raises(ValueError, match=r"\(saw lengths 3, 2\)"):
            util.process_quadrature_grid_and_probs(([1.0, 2.0], [1.0, 2.0, 3.0]), tf.float32, False)
        points = tf.placeholder_with_default([1.0, 2.0, 3.0], [None])
        pair = util.process_quadrature_grid_and_probs((points, [1.0, 2.0]), tf.float32, True)
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be a `tuple` of same-len"):
            session.run(pair)
