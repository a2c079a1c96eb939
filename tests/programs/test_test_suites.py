"""Unit tests written with tf.test, run by both libraries: what passes and how the rest fails."""

from __future__ import annotations

import os
import unittest
from typing import Any

import numpy as np
import pytest

from dataflow.recording.default_writer import DEFAULTS, has_default_writer
from dataflow.recording.resource_writer import create_file_writer_v2
from tests.programs.both import oracle, tf


def _suite(tf: Any) -> type[unittest.TestCase]:
    """Tests in the style of TensorFlow 1's own; some are meant to fail."""

    class ArithmeticTest(tf.test.TestCase):
        def setUp(self) -> None:
            super().setUp()
            self.values = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)

        def _compare(self, np_fun: Any, tf_fun: Any, use_gpu: bool) -> None:
            expected = np_fun(self.values)
            with self.test_session(use_gpu=use_gpu):
                result = tf_fun(tf.convert_to_tensor(self.values))
                self.assertShapeEqual(expected, result)
                self.assertAllClose(expected, self.evaluate(result))
                self.assertAllCloseAccordingToType(expected, result)

        def testUnary(self) -> None:
            for use_gpu in (False, True):
                self._compare(np.exp, tf.exp, use_gpu)
                self._compare(np.square, tf.square, use_gpu)

        def testGradient(self) -> None:
            with self.cached_session():
                x = tf.constant(self.values, name="x")
                y = tf.matmul(x, tf.tanh(x), name="y")
                error = tf.test.compute_gradient_error(
                    x, [2, 2], y, [2, 2], x_init_value=self.values
                )
                self.assertLess(error, 1e-2)
                pairs = tf.test.compute_gradient([x], [[2, 2]], y, [2, 2])
                self.assertEqual([a.shape for pair in pairs for a in pair], [(4, 4)] * 2)
                table = tf.gather(x, [0, 0, 1])
                self.assertNear(tf.test.compute_gradient_error(x, [2, 2], table, [3, 2]), 0, 1e-3)

        def testVariables(self) -> None:
            with self.session(graph=tf.Graph()) as sess:
                v = tf.Variable([1, 2, 3])
                with self.assertRaisesOpError("Attempting to use uninitialized value"):
                    sess.run(v + 1)
                v.initializer.run()
                self.assertAllEqual([1, 2, 3], v)
                self.assertAllEqual([2, 3, 4], (v + 1).eval())
                self.assertAllInRange(v, 1, 3)
                self.assertAllGreater(v, 0)
                self.assertAllInSet(v, {1, 2, 3})
            with self.assertRaisesRegex(RuntimeError, "closed Session"):
                sess.run(v)

        def testSeeds(self) -> None:
            first = tf.random_uniform([2])
            with self.cached_session() as sess:
                drawn = sess.run(first)
            self.drawn = drawn, np.random.rand()

        def testStructures(self) -> None:
            with self.cached_session():
                a = {"x": tf.constant(1.0), "y": [np.zeros(2), (tf.ones([1]), 2)]}
                self.assertAllClose(a, {"x": 1.0, "y": [[0.0, 0.0], ([1.0], 2)]})
                self.assertNotAllClose(a, {"x": 1.0, "y": [[0.0, 0.5], ([1.0], 2)]})
                self.assertEqual(self.evaluate({"k": [tf.constant(3)]}), {"k": [3]})
                self.assertAllEqual(tf.constant(["a", b"b"]), ["a", "b"])
                self.assertNotAllEqual([1, 2], [1, 3])
                self.assertAllEqual([np.nan, 1], [np.nan, 1])
                self.assertArrayNear([1.0, 2.0], [1.0, 2.01], 0.1)
                self.assertDTypeEqual(tf.constant([1.0]), np.float32)
                self.assertDeviceEqual("/cpu:0", "/device:CPU:0")
                self.assertProtoEquals("i: 3", tf.AttrValue(i=3))
                many = tf.NodeDef(input=["a", "b"])
                self.assertProtoEquals(many.input, tf.NodeDef(input=["a", "b"]).input)
                self.assertItemsEqual([2, 1], [1, 2])
                self.assertStartsWith("graph", "gra")

        def testErrors(self) -> None:
            x = tf.placeholder(tf.float32, [None], name="x")
            reshaped = tf.reshape(x, [2, 2], name="bad")
            with self.cached_session():
                with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "values, but the"):
                    reshaped.eval({x: [1.0]})
                with self.assertRaisesWithPredicateMatch(
                    tf.errors.InvalidArgumentError, lambda e: e.op.name == "bad"
                ):
                    reshaped.eval({x: [1.0]})
                with self.assertRaisesWithPredicateMatch(tf.OpError, "Caused by.*|bad"):
                    reshaped.eval({x: [1.0]})

        def testFiles(self) -> None:
            path = os.path.join(self.get_temp_dir(), "graph.pbtxt")
            tf.constant(1, name="only")
            tf.train.write_graph(tf.get_default_graph(), self.get_temp_dir(), "graph.pbtxt")
            with open(path) as file:
                self.assertIn("only", file.read())
            graph_def = tf.get_default_graph().as_graph_def()
            tf.test.assert_equal_graph_def(graph_def, graph_def)

        def testThreads(self) -> None:
            with self.cached_session() as sess:
                x = tf.constant(2.0)
                seen = []
                threads = [
                    self.checkedThread(target=lambda: seen.append(sess.run(x))) for _ in range(3)
                ]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                self.assertEqual(seen, [2.0] * 3)
                bad = self.checkedThread(target=lambda: 1 / 0)
                bad.start()
                bad.join()

        def testClose(self) -> None:
            self.assertAllClose([1.0, 2.0], [1.0, 2.1])

        def testEqual(self) -> None:
            self.assertAllEqual([1, 2], [1, 3])

        def testShape(self) -> None:
            self.assertShapeEqual(np.zeros([2]), tf.zeros([3]))

        def testNoError(self) -> None:
            with self.assertRaisesOpError("anything"):
                pass

        def testOtherError(self) -> None:
            with self.assertRaisesOpError("something else"), self.session():
                tf.check_numerics(np.float32(np.nan), "not finite").eval()

        def testRange(self) -> None:
            self.assertAllInRange([1, 5], 0, 3)

        def testGraph(self) -> None:
            first = tf.get_default_graph().as_graph_def()
            tf.constant(1)
            tf.test.assert_equal_graph_def(first, tf.get_default_graph().as_graph_def())

    return ArithmeticTest


def _results(library: Any) -> dict[str, Any]:
    """What became of each test."""
    outcomes = {}
    for test in unittest.defaultTestLoader.loadTestsFromTestCase(_suite(library)):
        result = unittest.TestResult()
        test.run(result)
        [(_, text)] = [*result.failures, *result.errors] or [(None, "passed")]
        outcomes[test.id().rpartition(".")[2]] = (
            len(result.failures),
            len(result.errors),
            getattr(test, "drawn", None),
            text.rstrip().rpartition("\n")[2].partition(":")[0],
        )
    return outcomes


def test_the_same_tests_pass() -> None:
    ours, theirs = _results(tf), _results(oracle)
    theirs.pop("test_session", None)
    drawn, expected = ours.pop("testSeeds")[2], theirs.pop("testSeeds")[2]
    np.testing.assert_array_equal(drawn[0], expected[0])
    assert drawn[1] == expected[1]
    for name, (failures, errors, _, kind) in ours.items():
        assert (failures, errors) == theirs[name][:2], (name, kind, theirs[name])
    assert ours.keys() == theirs.keys()
    failed = {name for name, (failures, *_) in ours.items() if failures}
    assert failed == {
        "testThreads", "testClose", "testEqual", "testShape", "testNoError", "testOtherError",
        "testRange", "testGraph",
    }  # fmt: skip


def test_each_test_starts_anew() -> None:
    class StateTest(tf.test.TestCase):
        def test_a(self) -> None:
            tf.constant(1)
            assert not has_default_writer()
            create_file_writer_v2(self.get_temp_dir()).set_as_default()
            with self.cached_session() as self.session_used:
                self.assertIs(self.session_used.graph, tf.get_default_graph())
            self.directory = self.get_temp_dir()

    test = StateTest("test_a")
    assert test.run().wasSuccessful()
    with pytest.raises(RuntimeError, match="closed Session"):
        test.session_used.run([tf.constant(1)])
    again = StateTest("test_a")
    assert again.run().wasSuccessful()
    assert again.directory != test.directory
    tf.reset_default_graph()
    DEFAULTS.writer = None
