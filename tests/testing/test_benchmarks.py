"""tf.test.Benchmark, stubs, and the other surroundings of unit tests."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tensorflow

import dataflow as tf

oracle = tensorflow.compat.v1


class Timed(tf.test.Benchmark):
    def sums(self) -> dict[str, Any]:
        counter = tf.get_variable("counter", initializer=0.0, use_resource=True)
        with tf.Session(config=tf.test.benchmark_config()) as session:
            session.run(counter.initializer)
            step = counter.assign_add(1.0)
            found = self.run_op_benchmark(
                session, step, burn_iters=3, min_iters=4, extras={"size": 1}, mbs=2.0
            )
            found["runs"] = session.run(counter)
            return found


def test_runs_are_timed_and_reported(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tf.Graph().as_default():
        found = Timed().sums()
    assert found["runs"] == 7.0
    report = json.loads(capsys.readouterr().out)
    assert report["name"] == "Timed.sums" and report["iters"] == 4
    assert report["extras"]["size"] == 1
    assert 0 < report["wall_time"] == found["wall_time"]
    assert found["throughput"] == pytest.approx(2.0 / found["wall_time"])
    monkeypatch.setenv("TEST_REPORT_FILE_PREFIX", str(tmp_path) + "/")
    Timed().report_benchmark(name="a/b", wall_time=1.5)
    assert json.loads((tmp_path / "a__b").read_text())["wall_time"] == 1.5
    assert tf.test.Benchmark.is_abstract() and not Timed.is_abstract()
    with tf.Graph().as_default():
        assert Timed().evaluate(tf.constant(3)) == 3


class _Base:
    @classmethod
    def kind(cls) -> str:
        return cls.__name__

    @staticmethod
    def number() -> int:
        return 1

    def method(self) -> int:
        return 1


class _Derived(_Base):
    pass


@pytest.mark.parametrize("library", [tf, oracle])
def test_stubs_are_put_back(library: Any) -> None:
    holder, instance = SimpleNamespace(value=1), _Derived()
    stubs = library.test.StubOutForTesting()
    stubs.Set(holder, "value", 2)
    stubs.Set(holder, "value", 3)
    if library is tf:  # TensorFlow's would make a method of it.
        stubs.Set(_Base, "number", lambda: 5)
        assert (_Base.number(), _Base().number()) == (5, 5)
    stubs.SmartSet(_Derived, "method", lambda self: 7)
    stubs.SmartSet(sys.modules[__name__], "oracle", None)
    assert holder.value == 3
    assert instance.method() == 7 and _Base().method() == 1 and oracle is None
    with pytest.raises(AttributeError):
        stubs.SmartSet(instance, "nothing", 1)
    stubs.CleanUp()
    assert (holder.value, _Base.number(), instance.method()) == (1, 1, 1)
    assert "method" not in vars(_Derived) or library is not tf
    assert oracle is not None and _Base.kind() == "_Base"


class TestAssertions(tf.test.TestCase):
    def test_dicts(self) -> None:
        self.assertDictEqual({"a": [1.0], "b": b"x"}, {"a": [1.0 + 1e-9], "b": b"x"})
        self.assertDictEqual({"t": tf.constant([1, 2])}, {"t": tf.constant([1, 2])})
        for other in ({"a": [1.1]}, {"b": [1.0]}, {}):
            with self.assertRaises(AssertionError):
                self.assertDictEqual({"a": [1.0]}, other)

    def test_incompatible_shapes(self) -> None:
        with self.assertRaisesIncompatibleShapesError(ValueError):
            tf.add(tf.ones([2]), tf.ones([3]))
        with self.assertRaises(AssertionError), self.assertRaisesIncompatibleShapesError():
            raise tf.errors.InvalidArgumentError(None, None, "something else")

    def test_versions(self) -> None:
        graph_def = tf.GraphDef()
        graph_def.versions.producer = 7
        self.assertProtoEqualsVersion("node { name: 'a' }", self._with_node(graph_def), producer=7)
        with self.assertRaises(AssertionError):
            self.assertProtoEqualsVersion("node { name: 'a' }", self._with_node(graph_def))

    def _with_node(self, graph_def: Any) -> Any:
        del graph_def.node[:]
        graph_def.node.add(name="a")
        return graph_def

    def test_values_of_two_tensors(self) -> None:
        assert self.evaluate_if_both_tensors(tf.constant(1), tf.constant(2)) == (1, 2)
        tensor = tf.constant(1)
        assert self.evaluate_if_both_tensors(tensor, 2) == (tensor, 2)

    @tf.test.disable_with_predicate(lambda: False, "never")
    def test_what_is_not_disabled(self) -> None:
        assert self.id().endswith("test_what_is_not_disabled")


def test_writes_to_a_stream_are_captured(capfd: pytest.CaptureFixture[str]) -> None:
    class Case(tf.test.TestCase):
        def runTest(self) -> None:
            with self.captureWritesToStream(sys.__stderr__) as captured:
                with self.session() as session:
                    session.run(tf.print("printed", output_stream=sys.stderr))
                sys.__stderr__.write("written")
                sys.__stderr__.flush()
                self.seen = captured.contents()

    case = Case()
    case.setUp()
    case.runTest()
    case.tearDown()
    assert case.seen.endswith("written")
    assert "written" not in capfd.readouterr().err


def test_a_local_cluster(ray_cluster: None) -> None:
    workers, others = tf.test.create_local_cluster(2, 1)
    try:
        assert [server.server_def.task_index for server in workers] == [0, 1]
        with tf.Graph().as_default(), tf.device("/job:ps/task:0"):
            v = tf.get_variable("v", initializer=2.0)
            with tf.device("/job:worker/task:1"):
                y = v * 3.0
            with tf.Session(workers[0].target) as session:
                session.run(v.initializer)
            with tf.Session(workers[1].target) as session:
                assert session.run(y) == 6.0
    finally:
        for server in (*workers, *others):
            server.stop()


def test_versions_can_be_taken_apart() -> None:
    assert tf.VERSION == tf.__version__ == tf.version.VERSION
    assert [int(part) for part in tf.VERSION.split(".")[:2]] == [1, 15]
    assert tf.GIT_VERSION.startswith("v1.15") and isinstance(tf.COMPILER_VERSION, str)
    assert tf.version.GRAPH_DEF_VERSION == oracle.version.GRAPH_DEF_VERSION


def test_files_beside_a_module() -> None:
    assert tf.resource_loader.get_data_files_path() == str(Path(__file__).parent)
    path = tf.resource_loader.get_path_to_datafile("test_benchmarks.py")
    assert path == __file__
    assert (
        tf.resource_loader.load_resource("__init__.py")
        == Path(__file__).with_name("__init__.py").read_bytes()
    )
    with pytest.raises(FileNotFoundError, match=r"nothing\.txt"):
        tf.resource_loader.load_resource("nothing.txt")
    assert tf.resource_loader.readahead_file_path("a") == "a"
