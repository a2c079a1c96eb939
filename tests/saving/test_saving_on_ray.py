"""Saving on Ray: each task writes and reads its own shard; programs go on there and here."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow

import dataflow as tf
from tests.conftest import SessionFactory
from tests.oracle import open_session

oracle = tensorflow.compat.v1
TASKS = ("/job:ps/task:0", "/job:worker/task:0")


def _model(library: Any, tasks: tuple[str, ...]) -> list[Any]:
    """A variable for each task, half of them behind handles, and a partitioned one."""
    made = []
    for number, task in enumerate(tasks):
        with library.device(task):
            first = np.arange(1000, dtype=np.float32) + 10000 * number
            made.append(
                library.get_variable(
                    f"v{number}", initializer=library.constant(first), use_resource=bool(number % 2)
                )
            )
    with library.device(tasks[0]):
        made.append(
            library.get_variable(
                "parts",
                initializer=library.constant(np.arange(12.0).reshape(6, 2)),
                partitioner=library.fixed_size_partitioner(2),
                use_resource=False,
            )
        )
    return made


def _values(session: Any, variables: list[Any], library: Any) -> list[Any]:
    return [np.asarray(session.run(library.identity(v))) for v in variables]


@pytest.fixture
def server(ray_cluster: None) -> Iterator[tf.train.Server]:
    """A server of a worker and a ps."""
    opened = tf.train.Server(tf.train.ClusterSpec({"worker": 1, "ps": 1}))
    yield opened
    opened.stop()


@pytest.mark.ray
def test_each_task_writes_and_reads_its_own_shard(server: Any, tmp_path: Path) -> None:
    prefix = str(tmp_path / "m")
    with tf.Graph().as_default():
        variables = _model(tf, TASKS)
        saver = tf.train.Saver(sharded=True)
        changed = [v.assign(v * 2.0) for v in variables[:2]]
        nodes = saver.as_saver_def()
        with tf.Session(server.target) as session:
            session.run(tf.global_variables_initializer())
            session.run([each.op for each in changed])
            path = saver.save(session, prefix, 1)
            expected = _values(session, variables, tf)
            assert len(list(tmp_path.glob("m-1.data-*-of-00002"))) == 2
            # Whoever writes, or reads, a value is on the task that holds it: none comes by Recv.
            options = tf.RunOptions(output_partition_graphs=True)
            for step, op_type in ((nodes.save_tensor_name, "SaveV2"), (None, "RestoreV2")):
                metadata = tf.RunMetadata()
                fetched = step or nodes.restore_op_name
                session.run(fetched, {nodes.filename_tensor_name: path}, options, metadata)
                _check_places(metadata, op_type)
            session.run([v.assign(v * 0.0) for v in variables[:2]])
            saver.restore(session, path)
            for have, want in zip(_values(session, variables, tf), expected, strict=True):
                np.testing.assert_array_equal(have, want)
    # What two tasks wrote, TensorFlow reads in one, and so does this library without Ray.
    for library in (oracle, tf):
        with library.Graph().as_default(), open_session(library) as session:
            variables = _model(library, ("",) * 2)
            library.train.Saver().restore(session, path)
            for have, want in zip(_values(session, variables, library), expected, strict=True):
                np.testing.assert_array_equal(have, want)
    assert np.array_equal(expected[1], 2 * (np.arange(1000) + 10000))


def _check_places(metadata: Any, op_type: str) -> None:
    found = {}
    for graph in metadata.partition_graphs:
        for node in graph.node:
            if node.op == op_type:
                by_name = {each.name: each for each in graph.node}
                found[node.device] = [
                    by_name[text.split(":")[0].removeprefix("^")].op for text in node.input[3:]
                ]
    tasks = [f"{task.replace('/task', '/replica:0/task')}/device:CPU:0" for task in TASKS]
    assert sorted(found) == sorted(tasks)
    assert not any("_Recv" in op or op == "Recv" for ops in found.values() for op in ops)


def test_relative_paths_are_those_of_the_program(
    session_factory: SessionFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    session = session_factory()
    with session.graph.as_default():
        variable = tf.Variable([1.0, 2.0], name="v")
        session.run(variable.initializer)
        saver = tf.train.Saver()
        path = saver.save(session, "./model", 3)
        assert path == "./model-3"
        assert sorted(os.listdir(tmp_path)) == [
            "checkpoint",
            "model-3.data-00000-of-00001",
            "model-3.index",
            "model-3.meta",
        ]
        session.run(variable.assign([0.0, 0.0]))
        saver.restore(session, tf.train.latest_checkpoint("."))
        np.testing.assert_array_equal(session.run(variable), [1.0, 2.0])


def test_a_meta_graph_goes_on(session_factory: SessionFactory, tmp_path: Path) -> None:
    with oracle.Graph().as_default(), open_session(oracle) as session:
        x = oracle.placeholder(oracle.float32, [3], name="x")
        w = oracle.get_variable("w", initializer=np.ones(3, np.float32))
        _, s = oracle.while_loop(
            lambda i, s: i < 3, lambda i, s: (i + 1, s + oracle.reduce_sum(w * x)), [0, 0.0]
        )
        train = oracle.train.MomentumOptimizer(0.01, 0.9).minimize(oracle.square(s - 1.0))
        oracle.add_to_collection("train", train)
        oracle.add_to_collection("s", s)
        session.run(oracle.global_variables_initializer())
        session.run(train, {x: [1.0, 2.0, 3.0]})
        path = oracle.train.Saver().save(session, str(tmp_path / "m"))
        session.run(train, {x: [1.0, 2.0, 3.0]})
        expected = session.run(s, {x: [1.0, 2.0, 3.0]})
    with tf.Graph().as_default() as graph:
        saver = tf.train.import_meta_graph(f"{path}.meta")
        ours = session_factory(graph)
        saver.restore(ours, path)
        ours.run(tf.get_collection("train")[0], {"x:0": [1.0, 2.0, 3.0]})
        value = ours.run(tf.get_collection("s")[0], {"x:0": [1.0, 2.0, 3.0]})
        np.testing.assert_allclose(value, expected, rtol=1e-5)
