"""MetaGraphs against TensorFlow's: the same messages, and each goes on with the other's files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow
from google.protobuf import any_pb2, text_format

import dataflow
from tests.oracle import open_session

oracle = tensorflow.compat.v1
oracle.disable_v2_behavior()
oracle.disable_resource_variables()

X = np.arange(12.0, dtype=np.float32).reshape(4, 3) / 10
Y = np.array([0.5, -1.0, 2.0, 0.0], np.float32)
FEEDS = {"x:0": X, "y:0": Y}


def _model(tf: Any) -> Any:
    """A net with a loop and branches, trained by Adam; returns the loss."""
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    y = tf.placeholder(tf.float32, [None], name="y")
    with tf.variable_scope("m"):
        w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer(), use_resource=False)
        b = tf.get_variable("b", [1], initializer=tf.ones_initializer(), use_resource=True)
    h = tf.matmul(x, w) + b
    _, h = tf.while_loop(
        lambda i, h: i < 3,
        lambda i, h: (i + 1, tf.cond(i > 1, lambda: h * 1.1, lambda: h + 0.1 * w[0])),
        [tf.constant(0), h],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 1])],
    )
    h = tf.cond(tf.reduce_sum(h) > 0, lambda: h * 2.0, lambda: h - 1.0)
    return tf.reduce_mean(tf.square(h[:, 0] - y), name="loss")


def _training(tf: Any) -> Any:
    """The model with all that goes into collections; returns its Saver."""
    loss = _model(tf)
    step = tf.train.get_or_create_global_step()
    train = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=step)
    tf.add_to_collection("train_op", train)
    tf.add_to_collection("losses", loss)
    for key, value in (("numbers", 3), ("parts", 2.5), ("words", "some"), ("words", b"more")):
        tf.add_to_collection(key, value)
    packed = any_pb2.Any()
    packed.type_url = "what/it/is"
    tf.add_to_collection("any", packed)
    tf.add_to_collection("things", object())
    tf.add_to_collection(("no", "string"), 1)
    queue = tf.FIFOQueue(3, [tf.float32], shapes=[[]], name="q")
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(1.0)]))
    tf.add_to_collection("init_op", tf.group(tf.global_variables_initializer(), name="start"))
    tf.train.Saver([step], name="other")
    saver = tf.train.Saver()
    tf.add_to_collection("savers", saver)
    return saver


def _exported(tf: Any, **options: Any) -> Any:
    with tf.Graph().as_default():
        return _training(tf).export_meta_graph(**options)


def _comparable(message: Any) -> Any:
    """Without the version, and what TensorFlow 2 says about types besides and of its own loops."""
    result = oracle.MetaGraphDef.FromString(message.SerializeToString())
    result.meta_info_def.tensorflow_version = result.meta_info_def.tensorflow_git_version = ""
    for node in result.graph_def.node:
        node.ClearField("experimental_type")
        node.attr.pop("_has_manual_control_dependencies", None)
        if node.op == "FIFOQueueV2":
            # 2.21 puts this kind of queue on a CPU; 1.15 leaves it to the program's scopes.
            node.device = node.device.replace("/device:CPU:*", "")
    for op in result.meta_info_def.stripped_op_list.op:
        for output in op.output_arg:
            output.ClearField("experimental_full_type")
    return result


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"strip_default_attrs": True},
        {"clear_devices": True},
        {"clear_extraneous_savers": True},
        {"export_scope": "m"},
        {"export_scope": "while", "collection_list": ["variables", "words"]},
    ],
    ids=lambda options: "-".join(options) or "all",
)
def test_messages_are_tensorflows(options: dict[str, Any]) -> None:
    ours, theirs = (_comparable(_exported(tf, **options)) for tf in (dataflow, oracle))
    assert [n.name for n in ours.graph_def.node] == [n.name for n in theirs.graph_def.node]
    for have, want in zip(ours.graph_def.node, theirs.graph_def.node, strict=True):
        assert have == want
    assert ours.collection_def.keys() == theirs.collection_def.keys()
    for key in theirs.collection_def:
        assert ours.collection_def[key] == theirs.collection_def[key], key
    assert ours == theirs


def _train(tf: Any, session: Any, steps: int) -> list[float]:
    """The losses of some steps of the training in the default graph's collections."""
    train, loss = tf.get_collection("train_op")[0], tf.get_collection("losses")[0]
    return [float(session.run([loss, train], FEEDS)[0]) for _ in range(steps)]


@pytest.fixture(scope="module")
def undisturbed() -> list[float]:
    """The losses of eight steps of TensorFlow's."""
    with oracle.Graph().as_default(), open_session(oracle) as session:
        _training(oracle)
        session.run(oracle.global_variables_initializer())
        return _train(oracle, session, 8)


@pytest.mark.parametrize("text", [False, True], ids=["binary", "text"])
@pytest.mark.parametrize("order", [(oracle, dataflow), (dataflow, oracle), (dataflow, dataflow)])
def test_one_goes_on_with_what_the_other_trained(
    order: Any, text: bool, tmp_path: Path, undisturbed: list[float]
) -> None:
    first, second = order
    with first.Graph().as_default(), open_session(first) as session:
        saver = _training(first)
        session.run(first.global_variables_initializer())
        losses = _train(first, session, 4)
        path = saver.save(session, str(tmp_path / "model"), 4, write_meta_graph=not text)
        if text:
            saver.export_meta_graph(f"{path}.meta", as_text=True)
    with second.Graph().as_default(), open_session(second) as session:
        saver = second.train.import_meta_graph(f"{path}.meta")
        saver.restore(session, path)
        losses += _train(second, session, 4)
        np.testing.assert_allclose(losses, undisturbed, rtol=1e-5)
        _check_collections(second, session)


def _check_collections(tf: Any, session: Any) -> None:
    names = {v.op.name for v in tf.trainable_variables()}
    assert names == {"m/w", "m/b"}
    # One object, whichever collection it is taken from.
    assert all(v in tf.global_variables() for v in tf.trainable_variables())
    assert tf.get_collection("numbers") == [3]
    assert tf.get_collection("parts") == [2.5]
    assert tf.get_collection("words") == [b"some", b"more"]
    assert tf.get_collection("any")[0].type_url == "what/it/is"
    assert tf.get_collection("savers")[0].last_checkpoints == []
    assert session.run(tf.train.get_global_step()) == 8
    # Gradients pass through the loop and the branches that were read.
    gradient = tf.gradients(tf.get_collection("losses"), tf.trainable_variables())
    assert all(np.all(np.isfinite(value)) for value in session.run(gradient, FEEDS))
    coordinator = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(session, coordinator)
    assert len(threads) == 2
    coordinator.request_stop()
    coordinator.join(threads)
    session.run(tf.get_collection("init_op")[0])
    assert session.run(tf.train.get_global_step()) == 0


def _described(graph: Any) -> list[Any]:
    return [
        (
            op.name,
            op.type,
            [tensor.name for tensor in op.inputs],
            sorted(control.name for control in op.control_inputs),
            sorted(op.node_def.attr["_class"].list.s),
            op.node_def.attr["frame_name"].s if op.type == "Enter" else b"",
            getattr(op._get_control_flow_context(), "name", None),
        )
        for op in graph.get_operations()
    ]


def test_into_a_scope_twice() -> None:
    message = _exported(oracle)
    found = []
    for tf in (dataflow, oracle):
        with tf.Graph().as_default() as graph:
            # TensorFlow writes scopes into the message that it is given; here it stays as it is.
            messages = [tf.MetaGraphDef.FromString(message.SerializeToString()) for _ in range(3)]
            savers = [tf.train.import_meta_graph(m, import_scope="in") for m in messages[:2]]
            with tf.name_scope("around"):
                savers.append(tf.train.import_meta_graph(messages[2]))
            found.append(
                (
                    _described(graph),
                    [str(saver.as_saver_def()) for saver in savers],
                    [v.name for v in tf.global_variables()],
                    [str(v.to_proto()) for v in tf.global_variables()],
                    [str(v.to_proto("in")) for v in tf.global_variables()],
                    tf.get_collection("words"),
                    [op.name for op in tf.get_collection("train_op")],
                    sorted(graph.get_all_collection_keys()),
                )
            )
    for ours, theirs in zip(*found, strict=True):
        assert ours == theirs


def test_a_scope_is_taken_out_and_bound_elsewhere() -> None:
    values = []
    for tf in (dataflow, oracle):
        with tf.Graph().as_default():
            outside = tf.placeholder(tf.float32, [2], name="outside")
            with tf.name_scope("part"):
                factor = tf.Variable([2.0, 3.0], name="factor")
                part = tf.multiply(outside, factor, name="product")
                tf.identity(part, name="end")
            message = tf.train.export_meta_graph(export_scope="part")
            assert tf.get_collection("unbound_inputs") == ["$unbound_inputs_outside"]
        with tf.Graph().as_default(), open_session(tf) as session:
            with pytest.raises(ValueError, match="Graph contains unbound inputs") as refused:
                tf.train.import_meta_graph(message)
            given = tf.constant([5.0, 7.0])
            tf.train.import_meta_graph(
                message, import_scope="new", input_map={"$unbound_inputs_outside": given}
            )
            session.run(tf.global_variables_initializer())
            values.append((session.run("new/end:0").tolist(), str(refused.value)))
    assert values[0] == values[1]


@pytest.mark.parametrize("version", ["", "1.8.0", "1.12.0"])
def test_variables_of_old_files_are_trained_if_they_are_listed_so(version: str) -> None:
    found = []
    for tf in (dataflow, oracle):
        with tf.Graph().as_default():
            tf.Variable(1.0, name="a")
            tf.Variable(2.0, name="b", trainable=False)
            message = tf.train.export_meta_graph()
            message.meta_info_def.tensorflow_version = version
            for key in ("variables", "trainable_variables"):
                data = message.collection_def[key].bytes_list
                changed = []
                for value in data.value:
                    variable = type(tf.Variable(0.0).to_proto()).FromString(value)
                    variable.trainable = False
                    changed.append(variable.SerializeToString())
                data.value[:] = changed
        with tf.Graph().as_default():
            tf.train.import_meta_graph(message)
            found.append([(v.name, v.trainable) for v in tf.global_variables()])
    assert found[0] == found[1]


def test_a_saver_of_an_imported_graph_without_one(tmp_path: Path) -> None:
    with dataflow.Graph().as_default():
        dataflow.Variable(1.0, name="v")
        message = dataflow.train.export_meta_graph(str(tmp_path / "with"))
    with dataflow.Graph().as_default():
        dataflow.constant(1.0)
        nothing = dataflow.train.export_meta_graph()
    with dataflow.Graph().as_default():
        saver = dataflow.train.import_meta_graph(message)
        assert saver is not None
        assert saver.as_saver_def().restore_op_name == "save/restore_all"
    with dataflow.Graph().as_default():
        assert dataflow.train.import_meta_graph(nothing) is None


def test_devices_go() -> None:
    with oracle.Graph().as_default(), oracle.device("/job:far/task:3/device:GPU:1"):
        oracle.constant(1.0, name="c")
        message = oracle.train.export_meta_graph()
    with dataflow.Graph().as_default() as graph, open_session(dataflow) as session:
        dataflow.train.import_meta_graph(message, clear_devices=True)
        assert graph.get_operation_by_name("c").device == ""
        assert session.run("c:0") == 1.0
    assert message.graph_def.node[0].device == "/job:far/task:3/device:GPU:1"


def test_errors(tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    bad.write_text("this is no graph {")
    texts: list[list[str]] = []
    for tf in (dataflow, oracle):
        found = []
        with tf.Graph().as_default():
            for path in (str(tmp_path / "none"), str(bad)):
                with pytest.raises(OSError, match=r"File does not exist|Cannot parse") as error:
                    tf.train.import_meta_graph(path)
                found.append(str(error.value).split(":")[0])
            for name in ("saver_def", "graph_def", "meta_info_def"):
                with pytest.raises(TypeError, match=f"{name} must be of type") as refused:
                    tf.train.export_meta_graph(**{name: 3})
                found.append(str(refused.value))
        texts.append(found)
    assert texts[0] == texts[1]
    with dataflow.Graph().as_default(), pytest.raises(TypeError, match="has no arguments"):
        dataflow.train.export_meta_graph(other=1)


def test_registered_functions_write_and_read_a_collection() -> None:
    from dataflow.graph import collection_protos

    names = dataflow.train.ClusterDef

    def to_proto(item: str, export_scope: str | None = None) -> Any:
        return None if item == "out" else names(job=[{"name": item}])

    def from_proto(message: Any, import_scope: str | None = None) -> str:
        return f"{import_scope}:{message.job[0].name}"

    collection_protos.register_proto_function("mine", names, to_proto, from_proto)
    try:
        with dataflow.Graph().as_default() as graph:
            for item in ("one", "out", "two"):
                graph.add_to_collection("mine", item)
            message = dataflow.train.export_meta_graph()
            dataflow.train.import_meta_graph(message, import_scope="s")
            assert graph.get_collection("mine") == ["one", "out", "two", "s:one", "s:two"]
        with pytest.raises(KeyError, match="mine"):
            collection_protos.register_proto_function("mine", names, to_proto, from_proto)
        for wrong in ({"to_proto": 1}, {"from_proto": 1}):
            with pytest.raises(TypeError, match="must be callable"):
                collection_protos.register_proto_function("wrong", names, **wrong)
    finally:
        del collection_protos._FUNCTIONS["mine"]


def test_save_writes_the_graph_beside_the_checkpoint(tmp_path: Path) -> None:
    written = []
    for tf, folder in ((dataflow, tmp_path / "a"), (oracle, tmp_path / "b")):
        folder.mkdir()
        with tf.Graph().as_default(), open_session(tf) as session:
            variable = tf.Variable(1.0)
            session.run(variable.initializer)
            for sharded in (False, True):
                saver = tf.train.Saver(sharded=sharded, max_to_keep=1)
                for step in (1, 2):
                    saver.save(session, str(folder / f"m{int(sharded)}"), step)
            empty = tf.train.Saver([], allow_empty=True)
            assert empty.save(session, str(folder / "empty"), meta_graph_suffix="graph") is None
        written.append(sorted(os.listdir(folder)))
        message = text_format.MessageToString(
            oracle.MetaGraphDef.FromString((folder / "m1-2.meta").read_bytes()).saver_def
        )
        written.append(message)
    assert written[:2] == written[2:]


def test_a_partitioned_variable_of_a_collection_has_its_value_in_the_graph(tmp_path: Path) -> None:
    named = []
    for tf in (dataflow, oracle):
        with tf.Graph().as_default() as graph, open_session(tf) as session:
            parted = tf.get_variable("v", [4], partitioner=tf.fixed_size_partitioner(2))
            tf.get_variable("w", [4], partitioner=tf.fixed_size_partitioner(2))
            session.run(tf.global_variables_initializer())
            for key in ("some", "others"):
                tf.add_to_collection(key, parted)
            path = tf.train.Saver().save(session, str(tmp_path / tf.__name__))
            value = session.run(parted.as_tensor())
            named.append([op.name for op in graph.get_operations() if "save" not in op.name])
        with tf.Graph().as_default(), open_session(tf) as session:
            tf.train.import_meta_graph(path + ".meta").restore(session, path)
            (whole,) = tf.get_collection("some")
            np.testing.assert_array_equal(session.run(whole.outputs[0]), value)
    assert [name for name in named[0] if "Initializer" not in name] == [
        name for name in named[1] if "Initializer" not in name
    ]
