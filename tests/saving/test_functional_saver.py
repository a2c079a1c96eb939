"""Savers that are called: files by device, and nodes for a path that is fed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.porting.spellings import saving as spelled
from dataflow.saving import functional_saver
from dataflow.saving.saveables import saveable_objects_for_op

TARGETS = ["", "ray"]


def _saver(variables: dict[str, Any]) -> functional_saver.MultiDeviceSaver:
    return functional_saver.MultiDeviceSaver(
        each for name, v in variables.items() for each in saveable_objects_for_op(v, name)
    )


@pytest.mark.parametrize("target", TARGETS)
def test_each_device_writes_a_file(target: str, tmp_path: Path) -> None:
    prefix = str(tmp_path / "ckpt")
    config = tf.ConfigProto(device_count={"CPU": 3})
    with tf.Graph().as_default():
        variables = {}
        for number in range(3):
            with tf.device(f"cpu:{number}"):
                variables[f"v{number}"] = tf.Variable(float(number), use_resource=number > 0)
        saver = _saver(variables)
        saved, restored = saver.save(tf.constant(prefix)), saver.restore(prefix)
        assert sorted(restored) == sorted(variables)
        with tf.Session(target, config=config) as session:
            session.run(tf.global_variables_initializer())
            session.run(saved)
            session.run([v.assign(-1.0) for v in variables.values()])
            session.run(list(restored.values()))
            assert session.run(list(variables.values())) == [0.0, 1.0, 2.0]
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [*(f"ckpt.data-0000{n}-of-00003" for n in range(3)), "ckpt.index"]
    reader = oracle.train.NewCheckpointReader(prefix)
    assert [float(reader.get_tensor(f"v{number}")) for number in range(3)] == [0.0, 1.0, 2.0]


def test_nodes_for_a_path_that_is_fed(tmp_path: Path) -> None:
    prefix = str(tmp_path / "ckpt")
    with tf.Graph().as_default(), tf.Session() as session:
        v, w = tf.Variable(2.0, use_resource=True), tf.Variable(7.0, use_resource=False)
        proto = _saver({"x": v, "y": w}).to_proto()
        session.run(tf.global_variables_initializer())
        feed = {proto.filename_tensor_name: prefix}
        assert session.run(proto.save_tensor_name, feed) == prefix.encode()
        session.run([v.assign(5.0), w.assign(3.0)])
        session.run(proto.restore_op_name, feed)
        assert session.run([v, w]) == [2.0, 7.0]
        session.run(v.assign(9.0))
        tf.train.Saver(saver_def=proto).restore(session, prefix)
        assert session.run(v) == 2.0


def test_one_file_and_another_variable(tmp_path: Path) -> None:
    prefix = str(tmp_path / "ckpt")
    with tf.Graph().as_default(), tf.Session() as session:
        first, second = (tf.Variable(x, use_resource=True) for x in (2.0, 3.0))
        savers = [
            spelled._SingleDeviceSaver(saveable_objects_for_op(v, "x")) for v in (first, second)
        ]
        session.run(tf.global_variables_initializer())
        session.run(savers[0].save(prefix))
        session.run(savers[1].restore(prefix))
        assert session.run(second) == 2.0
    assert len(list(tmp_path.iterdir())) == 2


def test_what_can_be_saved() -> None:
    with tf.Graph().as_default():
        v = tf.Variable(2.0, name="v", use_resource=True)
        (item,) = spelled.validate_and_slice_inputs([v])
        assert item.name == "v" and list(spelled.op_list_to_dict([v])) == ["v"]
        for make in (functional_saver.MultiDeviceSaver, functional_saver.SingleDeviceSaver):
            with pytest.raises(ValueError, match="SaveableObjects, got"):
                make([v])
        with pytest.raises(TypeError, match="Name is not a string: 3"):
            list(saveable_objects_for_op(v, 3))  # type: ignore[arg-type]
    assert functional_saver.set_cpu0("/job:w/task:1/device:GPU:3") == "/job:w/task:1/device:CPU:0"
