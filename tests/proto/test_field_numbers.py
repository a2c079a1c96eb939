"""Our messages against TensorFlow's descriptors: same wire format, same JSON, same text format."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest
import tensorflow as tf
from google.protobuf import descriptor_pool, text_format
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor, FileDescriptor
from tensorboard.plugins.projector import projector_config_pb2
from tensorflow.core.example import example_pb2, feature_pb2
from tensorflow.core.protobuf import named_tensor_pb2, tensor_bundle_pb2
from tensorflow.core.util import event_pb2, saved_tensor_slice_pb2
from tensorflow.python.framework import op_def_registry
from tensorflow_serving.apis import model_service_pb2, prediction_log_pb2, prediction_service_pb2

from dataflow.proto import (
    boosted_trees_pb2,
    config_pb2,
    graph_pb2,
    hparam_pb2,
    meta_graph_pb2,
    op_def_pb2,
)
from tests.proto import contrib_files

# Importing them registers their descriptors, which `import tensorflow` does not do.
TF_MODULES = (
    event_pb2,
    example_pb2,
    feature_pb2,
    model_service_pb2,
    named_tensor_pb2,
    prediction_log_pb2,
    prediction_service_pb2,
    projector_config_pb2,
    saved_tensor_slice_pb2,
    tensor_bundle_pb2,
)
contrib_files.register()
# Messages of TensorFlow's own files that we leave out: they belong to its worker service.
LEFT_OUT = {
    "event": {
        "RequestedExitCode",
        "WatchdogConfig",
        "WorkerHealth",
        "WorkerHeartbeatRequest",
        "WorkerHeartbeatResponse",
        "WorkerShutdownMode",
    },
    "model": {"ModelProto", "NodeClass"},
}
# Messages that have moved to TensorBoard.
TENSORBOARDS = {"EmbeddingInfo", "ProjectorConfig", "SpriteMetadata"}
# Messages that 1.15 has outside of its own package.
OUTSIDE = "boosted_trees.Quantile"
# Options that TensorFlow has not, by message; it keeps them as fields that it does not know.
OUR_FIELDS = {"dataflow.RPCOptions": {"tls": 1000}}
OUR_MESSAGES = {"dataflow.RPCOptions": {"Tls"}}
PROTO_DIR = Path(__file__).resolve().parents[2] / "dataflow" / "proto"
# The package with TensorFlow Serving's messages lacks these; its documents have their fields.
UNPUBLISHED = {"serving_batching"}
# TensorFlow has given these up; a test has what 1.15 wrote.
FORMER = {"boosted_trees", "hparam", "session_bundle_manifest"}
NAMES = sorted({path.stem for path in PROTO_DIR.glob("*.proto")} - UNPUBLISHED - FORMER)


def our_file(name: str) -> FileDescriptor:
    module = importlib.import_module(f"dataflow.proto.{name}_pb2")
    descriptor: FileDescriptor = module.DESCRIPTOR
    return descriptor


def their_name(full_name: str) -> str:
    assert full_name.startswith("dataflow.")
    name = full_name.removeprefix("dataflow.")
    if name.startswith(OUTSIDE):
        return name
    package = "tensorboard.projector." if name in TENSORBOARDS else "tensorflow."
    return package + name


def type_name(field: FieldDescriptor) -> str:
    described = field.message_type or field.enum_type
    if described is None:
        return ""
    name: str = described.full_name
    return their_name(name) if name.startswith("dataflow.") else name


def field_facts(field: FieldDescriptor) -> dict[str, Any]:
    return {
        "number": field.number,
        "type": field.type,
        "repeated": field.is_repeated,
        "required": field.is_required,
        "packed": field.is_packed,
        "presence": field.has_presence,
        "json_name": field.json_name,
        "type_name": type_name(field),
        "oneof": field.containing_oneof.name if field.containing_oneof else None,
        "deprecated": field.GetOptions().deprecated,
    }


def check_message(ours: Descriptor) -> None:
    theirs = descriptor_pool.Default().FindMessageTypeByName(their_name(ours.full_name))
    added = OUR_FIELDS.get(ours.full_name, {})
    assert {f.name: f.number for f in ours.fields if f.name in added} == added
    assert {f.name: field_facts(f) for f in ours.fields if f.name not in added} == {
        f.name: field_facts(f) for f in theirs.fields
    }, ours.full_name
    assert ours.GetOptions().map_entry == theirs.GetOptions().map_entry
    nested = [m for m in ours.nested_types if m.name not in OUR_MESSAGES.get(ours.full_name, set())]
    assert {message.name for message in nested} == {n.name for n in theirs.nested_types}
    assert {enum.name for enum in ours.enum_types} == {enum.name for enum in theirs.enum_types}
    for message in nested:
        check_message(message)
    for enum in ours.enum_types:
        check_enum(enum)


def check_enum(ours: EnumDescriptor) -> None:
    theirs = descriptor_pool.Default().FindEnumTypeByName(their_name(ours.full_name))
    assert [(v.name, v.number) for v in ours.values] == [(v.name, v.number) for v in theirs.values]


@pytest.mark.parametrize("name", NAMES)
def test_every_message_and_enum_is_tensorflows(name: str) -> None:
    file = our_file(name)
    assert file.package.split(".")[0] == "dataflow"
    assert file.message_types_by_name or file.enum_types_by_name
    for message in file.message_types_by_name.values():
        check_message(message)
    for enum in file.enum_types_by_name.values():
        check_enum(enum)


@pytest.mark.parametrize("name", NAMES)
def test_no_message_of_the_file_is_forgotten(name: str) -> None:
    file = our_file(name)
    declared = {**file.message_types_by_name, **file.enum_types_by_name}
    some = next(iter(declared.values()))
    pool = descriptor_pool.Default()
    theirs = pool.FindFileContainingSymbol(their_name(some.full_name))
    expected = {*theirs.message_types_by_name, *theirs.enum_types_by_name}
    assert set(declared) == expected - LEFT_OUT.get(name, set())


def rich_graph() -> Any:
    """A GraphDef of TensorFlow's with functions, control flow and every kind of constant."""
    was_on = tf.compat.v1.control_flow_v2_enabled()
    tf.compat.v1.enable_control_flow_v2()
    try:
        return _rich_graph()
    finally:
        if not was_on:
            tf.compat.v1.disable_control_flow_v2()


def _rich_graph() -> Any:
    graph = tf.Graph()
    with graph.as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 3], name="x")
        w = tf.compat.v1.get_variable("w", [3, 2], use_resource=True)
        y = tf.cond(tf.reduce_sum(x) > 0, lambda: tf.matmul(x, w), lambda: tf.zeros([1, 2]))
        tf.constant([b"a", b"\xff"], name="strings")
        tf.constant([1 + 2j], name="complex")
        tf.constant(tf.float16.max, tf.float16, name="half")
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
        tf.gradients(y, [w])
        with tf.device("/job:worker/task:1"):
            tf.identity(y, name="out")
    return graph.as_graph_def(add_shapes=True)


def test_both_libraries_read_each_others_graphs() -> None:
    theirs = rich_graph()
    data = theirs.SerializeToString(deterministic=True)
    ours = graph_pb2.GraphDef.FromString(data)
    assert len(ours.node) == len(theirs.node) > 20
    assert ours.library.function
    assert ours.SerializeToString(deterministic=True) == data
    assert type(theirs).FromString(ours.SerializeToString()) == theirs
    assert text_format.MessageToString(ours) == text_format.MessageToString(theirs)
    parsed = text_format.Parse(text_format.MessageToString(theirs), graph_pb2.GraphDef())
    assert parsed == ours


def test_meta_graph_round_trip() -> None:
    with tf.Graph().as_default():
        tf.compat.v1.get_variable("v", [2])
        theirs = tf.compat.v1.train.export_meta_graph(
            saver_def=tf.compat.v1.train.Saver().as_saver_def()
        )
    data = theirs.SerializeToString(deterministic=True)
    ours = meta_graph_pb2.MetaGraphDef.FromString(data)
    assert ours.SerializeToString(deterministic=True) == data
    assert [op.name for op in ours.meta_info_def.stripped_op_list.op] == [
        op.name for op in theirs.meta_info_def.stripped_op_list.op
    ]
    assert text_format.MessageToString(ours) == text_format.MessageToString(theirs)


def test_op_defs_are_read_without_unknown_fields() -> None:
    for op in ("MatMul", "Conv2D", "While", "VarHandleOp", "Const", "TensorListReserve"):
        theirs = op_def_registry.get(op)
        ours = op_def_pb2.OpDef.FromString(theirs.SerializeToString())
        assert text_format.MessageToString(ours) == text_format.MessageToString(theirs)


def test_config_fields_programs_set() -> None:
    arguments: dict[str, Any] = {
        "allow_soft_placement": True,
        "log_device_placement": True,
        "device_count": {"CPU": 4, "GPU": 0},
        "intra_op_parallelism_threads": 2,
        "inter_op_parallelism_threads": 3,
        "isolate_session_state": True,
        "operation_timeout_in_ms": 500,
        "device_filters": ["/job:ps", "/job:worker/task:0"],
    }
    ours, theirs = config_pb2.ConfigProto(**arguments), tf.compat.v1.ConfigProto(**arguments)
    for message in (ours, theirs):
        message.gpu_options.allow_growth = True
        message.gpu_options.per_process_gpu_memory_fraction = 0.4
        message.graph_options.optimizer_options.opt_level = -1
        message.graph_options.rewrite_options.constant_folding = 2
        message.cluster_def.job.add(name="worker").tasks[0] = "localhost:1"
    assert ours.SerializeToString(deterministic=True) == theirs.SerializeToString(
        deterministic=True
    )


def test_tensorflow_keeps_options_of_ours() -> None:
    ours = config_pb2.ConfigProto(allow_soft_placement=True)
    ours.rpc_options.tls.certificate = "/node.pem"
    data = ours.SerializeToString(deterministic=True)
    theirs = tf.compat.v1.ConfigProto.FromString(data)
    assert theirs.allow_soft_placement
    assert config_pb2.ConfigProto.FromString(theirs.SerializeToString()) == ours


def test_fields_we_do_not_know_survive() -> None:
    data = graph_pb2.GraphDef().SerializeToString() + b"\xfa\x7f\x03abc"
    assert graph_pb2.GraphDef.FromString(data).SerializeToString() == data


TREES = """
  trees {
    nodes {
      bucketized_split {
        feature_id: 1 threshold: 2 left_id: 3 right_id: 4 dimension_id: 5
        default_direction: DEFAULT_RIGHT
      }
      metadata { gain: 0.5 original_leaf { vector { value: 1.5 value: 2.5 } } }
    }
    nodes { categorical_split { feature_id: 6 value: 7 left_id: 8 right_id: 9 dimension_id: 10 } }
    nodes { dense_split { feature_id: 11 threshold: 3.5 left_id: 12 right_id: 13 } }
    nodes { leaf { sparse_vector { index: 14 value: 4.5 } scalar: 5.5 } }
  }
  tree_weights: 6.5
  tree_metadata {
    num_layers_grown: 15
    is_finalized: true
    post_pruned_nodes_meta { new_node_id: 16 logit_change: 7.5 logit_change: 8.5 }
  }
  growing_metadata {
    num_trees_attempted: 17 num_layers_attempted: 18
    last_layer_node_start: 19 last_layer_node_end: 20
  }
"""


def test_boosted_trees_are_as_tensorflow_1_15_wrote_them() -> None:
    data = bytes.fromhex(
        "0a570a24120c080110021803200428053001ca30130d0000003f120c0a0a0a080000c03f000020400a0c1a0a"
        "0806100718082009280a0a0d220b080b1500006040180c200d0a120a1012090a010e1204000090401d0000b0"
        "4012040000d0401a12100f1801220c081012080000f0400000084122080811101218132014"
    )
    ensemble = text_format.Parse(TREES, boosted_trees_pb2.TreeEnsemble())
    assert ensemble.SerializeToString() == data
    assert boosted_trees_pb2.TreeEnsemble.FromString(data) == ensemble
    told = boosted_trees_pb2.DebugOutput(feature_ids=[1, 2], logits_path=[0.5, 1.5])
    assert told.SerializeToString().hex() == "0a02010212080000003f0000c03f"
    kinds = {
        "INEQUALITY_DEFAULT_LEFT": 0,
        "INEQUALITY_DEFAULT_RIGHT": 1,
        "EQUALITY_DEFAULT_RIGHT": 3,
    }
    assert dict(boosted_trees_pb2.SplitTypeWithDefault.items()) == kinds


def test_hyperparameters_are_as_tensorflow_1_15_wrote_them() -> None:
    data = bytes.fromhex(
        "0a070a0161120208030a0a0a01621205150000003f0a080a016312031a01780a070a0164120238010a14"
        "0a0165120f220d0a0b01feffffffffffffffff010a110a0166120c2a0a0a080000803e0000c03f0a0d0a"
        "0167120832060a01700a01710a0b0a0168120642040a020100"
    )
    values = {
        "a": {"int64_value": 3},
        "b": {"float_value": 0.5},
        "c": {"bytes_value": b"x"},
        "d": {"bool_value": True},
        "e": {"int64_list": {"value": [1, -2]}},
        "f": {"float_list": {"value": [0.25, 1.5]}},
        "g": {"bytes_list": {"value": [b"p", b"q"]}},
        "h": {"bool_list": {"value": [True, False]}},
    }
    told = hparam_pb2.HParamDef(
        hparam={key: hparam_pb2.HParamDef.HParamType(**value) for key, value in values.items()}
    )
    assert told.SerializeToString(deterministic=True) == data
    assert hparam_pb2.HParamDef.FromString(data) == told
