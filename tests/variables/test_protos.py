"""Variables as messages, and SaveSliceInfo: the bytes and texts are TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.proto.variable_pb2 import VariableDef
from dataflow.variables.slices import SaveSliceInfo
from tests.differentiation.both import oracle


def _made(lib: Any) -> list[Any]:
    with lib.name_scope("outer"):
        made = [
            lib.Variable([1.0, 2.0], name="w"),
            lib.Variable([1.0], trainable=False, name="f"),
            lib.Variable([1.0], name="r", use_resource=True),
            lib.Variable(
                [1.0],
                name="s",
                synchronization=lib.VariableSynchronization.ON_READ,
                aggregation=lib.VariableAggregation.MEAN,
            ),
            lib.Variable([1.0], name="c", use_resource=True, caching_device="/cpu:0"),
        ]
    parts = lib.get_variable("p", [4, 2], partitioner=lib.fixed_size_partitioner(2))
    return [*made, *parts]


@pytest.mark.parametrize("scope", [None, "outer", "outer/", "elsewhere"])
def test_same_message(scope: str | None) -> None:
    with oracle.Graph().as_default():
        theirs = [v.to_proto(scope) for v in _made(oracle)]
    with tf.Graph().as_default():
        ours = [v.to_proto(scope) for v in _made(tf)]
    for have, want in zip(ours, theirs, strict=True):
        if want is None:
            assert have is None
        else:
            assert have is not None
            assert str(have) == str(want)
            assert VariableDef.FromString(want.SerializeToString()) == have


def test_variable_from_message() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        for variable in _made(tf):
            message = variable.to_proto()
            version = graph.version
            again = tf.Variable.from_proto(message)
            assert graph.version == version
            assert type(again) is type(variable)
            for attribute in ("name", "shape", "dtype", "op", "initializer", "trainable"):
                assert getattr(again, attribute) == getattr(variable, attribute)
            assert again.initial_value is variable.initial_value
            assert again.to_proto() == message
            session.run(again.initializer)
            assert session.run(again).shape == variable.shape
            by_argument = tf.Variable(variable_def=message, use_resource=message.is_resource)
            assert by_argument.name == variable.name


def test_variable_from_message_under_a_scope() -> None:
    with tf.Graph().as_default() as graph:
        tf.Variable([1.0], name="w")
        tf.Variable([1.0], name="r", use_resource=True)
        messages = [v.to_proto() for v in tf.global_variables()]
        graph_def = graph.as_graph_def()
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(graph_def, name="in")
        for message in messages:
            variable = tf.Variable.from_proto(message, import_scope="in")
            session.run(variable.initializer)
            assert variable.op.name == f"in/{message.variable_name[:-2]}"
            assert session.run(variable).tolist() == [1.0]
            assert variable.to_proto(export_scope="in") == message


def test_wrong_messages_are_refused() -> None:
    with tf.Graph().as_default():
        w = tf.Variable([1.0], name="w")
        message = w.to_proto()
        with pytest.raises(ValueError, match="mutually exclusive"):
            tf.Variable(1.0, variable_def=message)
        with pytest.raises(ValueError, match="mutually exclusive"):
            tf.Variable(1.0, variable_def=message, use_resource=True)
        with pytest.raises(ValueError, match="Reference Variable as a TF"):
            tf.Variable(variable_def=message, use_resource=True)
        with pytest.raises(KeyError, match="elsewhere/w"):
            tf.Variable.from_proto(message, import_scope="elsewhere")


def test_slice_specs() -> None:
    specs = ["10 20 0,5:0,20", "7 3,4", "2 3 4 0,1:1,2:0,4"]
    for spec in specs:
        ours, theirs = SaveSliceInfo.from_spec(spec), oracle.Variable.SaveSliceInfo.from_spec(spec)
        assert ours.spec == theirs.spec == spec
        assert ours.full_shape == theirs.full_shape
        assert ours.var_offset == theirs.var_offset
        assert ours.var_shape == theirs.var_shape
    assert SaveSliceInfo.from_spec("").full_shape is None
    for bad in ("10", "x 0,1", "10 0", "10 a,1", "10 0,b"):
        texts = []
        for kind in (SaveSliceInfo, oracle.Variable.SaveSliceInfo):
            with pytest.raises(ValueError) as caught:
                kind.from_spec(bad)
            texts.append(str(caught.value))
        assert texts[0] == texts[1]


def test_slice_message() -> None:
    info = tf.Variable.SaveSliceInfo("a/w", [4, 2], [2, 0], [2, 2])
    theirs = oracle.Variable.SaveSliceInfo("a/w", [4, 2], [2, 0], [2, 2])
    message = info.to_proto("a")
    assert message is not None
    assert message.SerializeToString() == theirs.to_proto("a").SerializeToString()
    assert info.to_proto("b") is None
    again = SaveSliceInfo(save_slice_info_def=message, import_scope="b")
    assert again.full_name == "b/w"
    assert again.spec == info.spec


def test_partition_info() -> None:
    from tensorflow.python.ops.variable_scope import _PartitionInfo

    from dataflow.values.partition_info import PartitionInfo

    ours, theirs = PartitionInfo([6, 4], [2, 0]), _PartitionInfo([6, 4], [2, 0])
    for shape in ([2, 4], [6, 4], [4, 4]):
        if shape == [6, 4]:
            continue
        assert ours.single_slice_dim(shape) == theirs.single_slice_dim(shape)
        assert ours.single_offset(shape) == theirs.single_offset(shape)
    for call in (
        lambda kind: kind(6, [2]),
        lambda kind: kind([6], 2),
        lambda kind: kind([6, 4], [2]),
        lambda kind: kind([6, 4], [6, 0]),
        lambda kind: kind([6, 4], [2, 0]).single_slice_dim(3),
        lambda kind: kind([6, 4], [2, 0]).single_slice_dim([3]),
        lambda kind: kind([6, 4], [2, 0]).single_slice_dim([5, 4]),
        lambda kind: kind([6, 4], [2, 0]).single_slice_dim([2, 2]),
    ):
        texts = []
        for kind in (PartitionInfo, _PartitionInfo):
            with pytest.raises((TypeError, ValueError)) as caught:
                call(kind)
            texts.append((type(caught.value), str(caught.value)))
        assert texts[0] == texts[1]


@pytest.mark.parametrize("shape", [[100, 7], [3, 2], [1000], [5, 4, 3]])
@pytest.mark.parametrize("dtype", ["float32", "float64", "string", "int8"])
def test_partitioners(shape: list[int], dtype: str) -> None:
    def partitions(lib: Any) -> list[list[int]]:
        size, element = lib.TensorShape(shape), lib.as_dtype(dtype)
        makers = [
            lib.fixed_size_partitioner(4),
            lib.fixed_size_partitioner(4, axis=len(shape) - 1),
            lib.variable_axis_size_partitioner(64),
            lib.variable_axis_size_partitioner(1),
            lib.variable_axis_size_partitioner(500, axis=len(shape) - 1, max_shards=3),
            lib.min_max_variable_partitioner(),
            lib.min_max_variable_partitioner(max_partitions=9, min_slice_size=32),
            lib.min_max_variable_partitioner(5, len(shape) - 1, 8, bytes_per_string_element=3),
        ]
        return [list(f(shape=size, dtype=element)) for f in makers]

    assert partitions(tf) == partitions(oracle)


def test_partitioned_variable_is_checked() -> None:
    from tensorflow.python.ops.variables import PartitionedVariable as TheirVariable

    from dataflow.variables.partitioned import PartitionedVariable

    def arguments(lib: Any, **changed: Any) -> dict[str, Any]:
        part = lib.Variable(np.ones([2, 2]), name="part")
        part._set_save_slice_info(lib.Variable.SaveSliceInfo("p", [4, 2], [0, 0], [2, 2]))
        plain = lib.Variable(np.ones([2, 2]), name="plain")
        given = {
            "name": "p",
            "shape": lib.TensorShape([4, 2]),
            "dtype": lib.float64,
            "variable_list": [part],
            "partitions": [2, 1],
        }
        given.update({k: plain if v == "plain" else v for k, v in changed.items()})
        if changed.get("variable_list") == "plain":
            given["variable_list"] = [plain]
        return given

    for changed in (
        {"variable_list": 3},
        {"partitions": 3},
        {"partitions": [0, 1]},
        {"variable_list": []},
        {"variable_list": "plain"},
        {"partitions": [2]},
    ):
        texts = []
        for lib, kind in ((tf, PartitionedVariable), (oracle, TheirVariable)):
            with lib.Graph().as_default(), pytest.raises((TypeError, ValueError)) as caught:
                kind(**arguments(lib, **changed))
            texts.append((type(caught.value), str(caught.value)))
        assert texts[0] == texts[1]
