"""Saver against TensorFlow's: the same nodes, and checkpoints that each restores of the other."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow
from tensorflow.python.training import saver as tensorflow_saver

import dataflow
import dataflow.saving.builder
from dataflow.saving.builder import BaseSaverBuilder

oracle = tensorflow.compat.v1
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"sharded": True},
    {"reshape": True},
    {"reshape": True, "sharded": True},
    {"restore_sequentially": True, "name": "mine", "filename": "else", "max_to_keep": 2},
)


def _model(tf: Any) -> dict[str, Any]:
    with tf.device("/cpu:0"):
        a = tf.get_variable(
            "a", initializer=tf.constant(np.arange(6).reshape(2, 3), tf.float32), use_resource=False
        )
    with tf.device("/cpu:1"):
        b = tf.get_variable("scope/b", initializer=tf.constant([1.5, -2.0]), use_resource=True)
    parts = tf.get_variable(
        "p",
        [5, 3],
        initializer=tf.ones_initializer(),
        partitioner=tf.fixed_size_partitioner(2),
        use_resource=False,
    )
    words = tf.Variable(tf.constant(["x", "yy"]), name="words", use_resource=False)
    return {"a": a, "b": b, "p": parts, "words": words}


def _nodes(graph: Any, start: int) -> list[Any]:
    return [
        (
            op.name,
            op.type,
            [tensor.name for tensor in op.inputs],
            sorted(control.name for control in op.control_inputs),
            op.device,
            sorted(op.node_def.attr["_class"].list.s),
            op.type == "Assign" and op.get_attr("validate_shape"),
        )
        for op in graph.get_operations()[start:]
    ]


@pytest.mark.parametrize("options", OPTIONS)
def test_nodes_are_tensorflows(options: dict[str, Any]) -> None:
    made = []
    for tf in (dataflow, oracle):
        with tf.Graph().as_default() as graph:
            _model(tf)
            start = len(graph.get_operations())
            message = tf.train.Saver(**options).as_saver_def()
            made.append((_nodes(graph, start), str(message)))
    for ours, theirs in zip(made[0][0], made[1][0], strict=True):
        assert ours == theirs
    assert made[0][1] == made[1][1]


@pytest.mark.parametrize("sharded", [False, True])
@pytest.mark.parametrize("order", [(dataflow, oracle), (oracle, dataflow), (dataflow, dataflow)])
def test_one_restores_what_the_other_saved(order: Any, sharded: bool, tmp_path: Path) -> None:
    writer, reader = order
    values: list[Any] = []
    for tf, restores in ((writer, False), (reader, True)):
        config = tf.ConfigProto(device_count={"CPU": 2})
        with tf.Graph().as_default(), tf.Session(config=config) as session:
            variables = _model(tf)
            saver = tf.train.Saver(sharded=sharded)
            if restores:
                saver.restore(session, tf.train.latest_checkpoint(str(tmp_path)))
            else:
                session.run(tf.global_variables_initializer())
                session.run(variables["a"].assign_add([[1, 2, 3], [4, 5, 6]]))
                path = saver.save(session, str(tmp_path / "model"), global_step=7)
                assert path == str(tmp_path / "model-7")
            values.append(
                session.run([tf.identity(variables[name]) for name in ("a", "b", "p", "words")])
            )
    for ours, theirs in zip(*values, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    listed = [tf.train.list_variables(str(tmp_path)) for tf in (dataflow, oracle)]
    assert listed[0] == listed[1]


def test_keeps_as_many_as_asked_and_the_same_files(tmp_path: Path) -> None:
    files = []
    for tf, folder in ((dataflow, tmp_path / "ours"), (oracle, tmp_path / "theirs")):
        folder.mkdir()
        with tf.Graph().as_default(), tf.Session() as session:
            variable = tf.Variable(1.0)
            session.run(variable.initializer)
            saver = tf.train.Saver(max_to_keep=2, pad_step_number=True, save_relative_paths=True)
            for step in range(4):
                saver.save(session, str(folder / "m"), step, write_meta_graph=False)
            state = tf.train.get_checkpoint_state(str(folder))
            assert len(saver.last_checkpoints) == 2
        paths = [os.path.relpath(p, folder) for p in state.all_model_checkpoint_paths]
        files.append((sorted(os.listdir(folder)), paths))
    assert files[0] == files[1]


def test_a_save_in_the_place_of_another_never_mixes_them(tmp_path: Path) -> None:
    prefix = str(tmp_path / "model")
    with dataflow.Graph().as_default(), dataflow.Session() as session:
        variable = dataflow.Variable(1.0, name="v")
        saver = dataflow.train.Saver()
        for value in (1.0, 2.0, 3.0):
            session.run(variable.assign(value))
            saver.save(session, prefix)
            assert oracle.train.load_variable(prefix, "v") == value
            assert len(list(tmp_path.glob("model.*"))) == 3


def test_errors(tmp_path: Path) -> None:
    texts = []
    for tf in (dataflow, oracle):
        found = []
        with tf.Graph().as_default(), tf.Session() as session:
            with pytest.raises(ValueError, match="No variables to save") as error:
                tf.train.Saver()
            found.append(str(error.value))
            variable = tf.Variable([1.0, 2.0], name="v")
            session.run(variable.initializer)
            saver = tf.train.Saver()
            for path in (None, str(tmp_path / "nothing")):
                with pytest.raises(ValueError, match=r"load|valid checkpoint") as error:
                    saver.restore(session, path)
                found.append(str(error.value))
            with pytest.raises(ValueError, match="Parent directory") as error:
                saver.save(session, str(tmp_path / "no" / "such" / "m"))
            found.append(str(error.value))
            path = saver.save(session, str(tmp_path / tf.__name__.split(".")[0]))
            other = tf.Variable(1.0, name="w")
            with pytest.raises(tf.errors.NotFoundError, match="Key w not found in checkpoint"):
                tf.train.Saver([other]).restore(session, path)
            with pytest.raises(tf.errors.InvalidArgumentError, match="expected dtype int32 does"):
                tf.train.Saver({"v": tf.Variable(1)}).restore(session, path)
        texts.append(found)
    assert texts[0] == texts[1]


def test_a_flipped_bit_names_file_and_tensor(tmp_path: Path) -> None:
    with dataflow.Graph().as_default(), dataflow.Session() as session:
        variable = dataflow.Variable(np.arange(100.0), name="v")
        session.run(variable.initializer)
        saver = dataflow.train.Saver()
        path = saver.save(session, str(tmp_path / "m"))
        for name, named in (("m.data-00000-of-00001", "tensor v"), ("m.index", "m.index")):
            file = tmp_path / name
            good = file.read_bytes()
            file.write_bytes(good[:9] + bytes([good[9] ^ 4]) + good[10:])
            with pytest.raises(dataflow.errors.DataLossError, match=named) as error:
                saver.restore(session, path)
            assert str(file) in error.value.message
            file.write_bytes(good)
        saver.restore(session, path)


def _counter(tf: Any, module: Any) -> Any:
    """An object of a user's that saves two tensors, kept in two variables of its own."""
    low = tf.get_variable("low", initializer=tf.constant(1.0), collections=[], use_resource=True)
    high = tf.get_variable("high", initializer=tf.constant(2.0), collections=[], use_resource=True)

    class Counter(module.BaseSaverBuilder.SaveableObject):  # type: ignore[misc, name-defined]
        def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
            assert restored_shapes is None
            first, second = restored_tensors
            return tf.group(low.assign(second).op, high.assign(first).op)

    spec = module.BaseSaverBuilder.SaveSpec
    specs = [
        spec(low.read_value(), "", "counter/low"),
        spec(lambda: high.read_value(), "", "counter/high", tf.float32, high.device),
    ]
    counter = Counter(low, specs, "counter")
    tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, counter)
    return counter, [low, high]


def test_objects_say_what_of_them_is_saved(tmp_path: Path) -> None:
    values = []
    for tf, module in ((dataflow, dataflow.saving.builder), (oracle, tensorflow_saver)):
        with tf.Graph().as_default(), tf.Session() as session:
            _, variables = _counter(tf, module)
            session.run([variable.initializer for variable in variables])
            saver = tf.train.Saver()
            path = saver.save(session, str(tmp_path / f"{tf.__name__}"))
            assert [name for name, _ in tf.train.list_variables(path)] == [
                "counter/high",
                "counter/low",
            ]
            saver.restore(session, path)
            values.append(session.run(variables))
    assert values[0] == values[1] == [2.0, 1.0]


@pytest.mark.parametrize("sharded", [False, True])
def test_a_builder_that_reads_one_by_one(sharded: bool) -> None:
    made = []
    for tf, module in ((dataflow, dataflow.saving.builder), (oracle, tensorflow_saver)):
        names: list[str] = []

        class Builder(module.BaseSaverBuilder):  # type: ignore[misc, name-defined]
            saved = names

            def save_op(self, filename_tensor: Any, saveables: Any) -> Any:
                self.saved.extend(item.name for item in saveables)
                return super().save_op(filename_tensor, saveables)

        with tf.Graph().as_default() as graph:
            _model(tf)
            start = len(graph.get_operations())
            message = tf.train.Saver(builder=Builder(), sharded=sharded).as_saver_def()
            made.append((_nodes(graph, start), str(message), names))
    assert made[0] == made[1]


def test_an_object_on_two_devices() -> None:
    with dataflow.Graph().as_default():
        with dataflow.device("/cpu:0"):
            first = dataflow.constant(1.0)
        with dataflow.device("/cpu:1"):
            second = dataflow.constant(1.0)
        spec = BaseSaverBuilder.SaveSpec
        specs = [spec(first, "", "first"), spec(second, "", "second")]
        item = BaseSaverBuilder.SaveableObject(first, specs, "both")
        with pytest.raises(ValueError, match="must be on the same device: both"):
            dataflow.train.Saver([item], sharded=True)
        with pytest.raises(ValueError, match="Calling an abstract method"):
            dataflow.train.Saver([item])
    with pytest.raises(AssertionError, match="explicit dtype and device"):
        spec(lambda: first, "", "made")


@pytest.mark.parametrize("tf", [oracle, dataflow], ids=["tensorflow", "ours"])
def test_folders_may_be_relative_to_the_program(
    tf: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the paths in the file `checkpoint` are to be relative to it, or those of the user."""
    monkeypatch.chdir(tmp_path)
    with tf.Graph().as_default():
        v = tf.get_variable("v", [], initializer=tf.ones_initializer(), use_resource=False)
        with tf.Session() as session:
            session.run(v.initializer)
            for relative in (False, True):
                saver = tf.train.Saver([v], save_relative_paths=relative)
                os.makedirs(f"out{relative}/in")
                for step in (1, 2):
                    saver.save(session, f"out{relative}/in/model", global_step=step)
                folder = f"out{relative}/in"
                state = Path(folder, "checkpoint").read_text(encoding="utf-8").splitlines()
                assert [line.split(": ")[1] for line in state] == [
                    *('"model-2"', '"model-1"', '"model-2"')
                ]
                assert tf.train.latest_checkpoint(folder) == f"{folder}/model-2"
                saver.restore(session, tf.train.latest_checkpoint(folder))
    with tf.Graph().as_default():
        manager = tf.train.CheckpointManager(tf.train.Checkpoint(), "managed", 2)
        with tf.Session().as_default():
            manager.save()
        assert (
            tf.train.latest_checkpoint("managed") == manager.latest_checkpoint == "managed/ckpt-1"
        )


def test_scalars_are_read_as_numpy_has_them(tmp_path: Path) -> None:
    prefix = str(tmp_path / "m")
    tf = dataflow
    types = (tf.int64, tf.bool, tf.bfloat16, tf.complex64, tf.string)
    with tf.Graph().as_default(), tf.Session() as session:
        for dtype in types:
            tf.Variable("x" if dtype is tf.string else tf.cast(1, dtype), name=dtype.name)
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, prefix)
    for dtype in types:
        value, theirs = (at.train.load_variable(prefix, dtype.name) for at in (tf, oracle))
        assert type(value) is type(theirs) and value == theirs
