"""What TensorFlow's tests of training take from its inner modules, against those modules."""

from __future__ import annotations

import unittest
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle
from tensorflow.python.framework import test_util
from tensorflow.python.summary import plugin_asset
from tensorflow.python.training import input as oracle_input
from tensorflow.python.training import moving_averages, training_util

import dataflow as tf
from dataflow.porting.spellings import global_steps, recorded
from dataflow.porting.spellings.data import queues
from dataflow.porting.spellings.framework import graph_checks
from dataflow.porting.spellings.graph_views import ObjectGraphView
from dataflow.recording import plugin_assets
from dataflow.training import moving_averages as our_averages
from tests.oracle import open_session

oracle.disable_v2_behavior()


def _steps(library: Any, module: Any) -> Any:
    with library.Graph().as_default() as graph:
        with pytest.raises(ValueError) as error:
            module._increment_global_step(1)
        assert module._get_or_create_global_step_read() is None
        step = library.train.get_or_create_global_step()
        count = module._increment_global_step(2)
        read = module._get_or_create_global_step_read()
        names = [node.name for node in (count, read)]
        assert module._get_global_step_read() is read
        graph.add_to_collection(module.GLOBAL_STEP_READ_KEY, read)
        with pytest.raises(RuntimeError) as several:
            module._get_global_step_read()
        with open_session(library, graph) as session:
            before = session.run(read)
            session.run(step.initializer)
            values = [int(session.run(count)) for _ in range(2)]
    return str(error.value), str(several.value), names, int(before), values


def test_the_global_step_is_moved_and_read() -> None:
    assert _steps(tf, global_steps) == _steps(oracle, training_util)


@pytest.mark.parametrize("truediv", [True, False])
def test_weighted_moving_averages(truediv: bool) -> None:
    results = []
    for library, module in ((tf, our_averages), (oracle, moving_averages)):
        with library.Graph().as_default() as graph:
            value = library.placeholder(library.float32, [2, 3])
            weight = library.placeholder(library.float32, [2, 1])
            average = module.weighted_moving_average(value, 0.9, weight, truediv, ["kept"])
            kept = [variable.name for variable in graph.get_collection("kept")]
            start = library.variables_initializer(graph.get_collection("kept"))
            with open_session(library, graph) as session:
                session.run(start)
                random = np.random.RandomState(3)
                for _ in range(3):
                    feed = {value: random.rand(2, 3), weight: random.rand(2, 1)}
                    found = session.run(average, feed)
        results.append((found, kept, average.op.name))
    np.testing.assert_allclose(results[0][0], results[1][0], rtol=1e-6)
    assert results[0][1:] == results[1][1:]


def _plugins(library: Any, module: Any, folder: Path) -> Any:
    class Asset(module.PluginAsset):  # type: ignore[misc]
        plugin_name: Any = "plug"

        def assets(self) -> dict[str, str]:
            return {"a.txt": "hello", "b.txt": "there"}

    class Other(Asset):
        """Has the name of another one."""

    class Nameless(Asset):
        plugin_name = None

    with library.Graph().as_default() as graph:
        found = module.get_plugin_asset(Asset)
        assert module.get_plugin_asset(Asset, graph) is found
        assert module.get_all_plugin_assets() == [found]
        messages = []
        for refused in (Other, Nameless):
            with pytest.raises(ValueError) as error:
                module.get_plugin_asset(refused)
            messages.append(str(error.value))
        library.summary.FileWriter(str(folder), graph).close()
    paths = sorted(folder.glob("plugins/*/*"))
    return messages, {str(path.relative_to(folder)): path.read_text() for path in paths}


def test_plugins_have_their_files_beside_a_graph(tmp_path: Path) -> None:
    ours = _plugins(tf, plugin_assets, tmp_path / "ours")
    assert ours == _plugins(oracle, plugin_asset, tmp_path / "theirs")
    assert len(ours[1]) == 2


@pytest.mark.parametrize(("library", "checks"), [(tf, graph_checks), (oracle, test_util)])
def test_meta_graphs_are_compared(library: Any, checks: Any) -> None:
    def exported(value: float, item: str) -> Any:
        with library.Graph().as_default():
            library.Variable(value, name="v")
            library.add_to_collection("items", item)
            return library.train.export_meta_graph()

    class Case(library.test.TestCase):  # type: ignore[misc]
        def runTest(self) -> None:
            checks.assert_meta_graph_protos_equal(self, exported(1.0, "a"), exported(1.0, "a"))
            for other in ((2.0, "a"), (1.0, "b")):
                with self.assertRaises(AssertionError):
                    checks.assert_meta_graph_protos_equal(
                        self, exported(1.0, "a"), exported(*other)
                    )

    result = Case().run()
    assert result is not None and result.wasSuccessful()


def test_a_writer_of_tests_keeps_what_hooks_write(tmp_path: Path) -> None:
    tf.summary.FileWriterCache.clear()
    recorded.FakeSummaryWriter.install()
    try:
        with pytest.raises(ValueError, match="already installed"):
            recorded.FakeSummaryWriter.install()
        with tf.Graph().as_default() as graph:
            tf.summary.scalar("a", 3.0)
            hook = tf.train.SummarySaverHook(
                1, None, str(tmp_path), None, None, tf.summary.merge_all()
            )
            train = tf.assign_add(tf.train.get_or_create_global_step(), 1)
            with tf.train.MonitoredSession(hooks=[hook]) as session:
                session.run(train)
        writer: Any = tf.summary.FileWriterCache.get(str(tmp_path))
    finally:
        recorded.FakeSummaryWriter.uninstall()
        tf.summary.FileWriterCache.clear()
    case = unittest.TestCase()
    writer.assert_summaries(case, str(tmp_path), graph, {1: {"a": 3.0}}, [])
    for wrong in ({1: {"a": 4.0}}, {2: {"a": 3.0}}):
        with pytest.raises(AssertionError):
            writer.assert_summaries(case, expected_summaries=wrong)
    with pytest.raises(ValueError, match="not installed"):
        recorded.FakeSummaryWriter.uninstall()
    assert not list(tmp_path.iterdir())


def test_the_latest_numbers_of_a_folder(tmp_path: Path) -> None:
    assert recorded.latest_summaries(tmp_path) == []
    with tf.Graph().as_default(), tf.summary.FileWriter(str(tmp_path)) as writer:
        for step, number in ((2, 5.0), (1, 4.0)):
            text = tf.Summary(value=[tf.Summary.Value(tag="a", simple_value=number)])
            writer.add_summary(text, step)
    events = recorded.latest_summaries(tmp_path)
    assert recorded.simple_values_from_events(events, ["a", "b"]) == {"a": 5.0}
    recorded.assert_summary(["a"], {"a": 4.001}, events[1].summary)
    with pytest.raises(AssertionError):
        recorded.assert_summary(["a"], {"a": 4.1}, events[1].summary)
    with pytest.raises(ValueError, match="Expected tags"):
        recorded.assert_summary(["a", "b"], {}, events[1].summary)


def test_components_of_batches_are_put_in_order_and_back() -> None:
    given = {"b": 1, 7: 2, "a": 3}
    for module in (oracle_input, queues):
        assert module._as_tensor_list(given) == [2, 3, 1]
        assert module._as_tensor_list([4, 5]) == [4, 5]
        assert module._as_tensor_list_list([given, given]) == [[2, 3, 1]] * 2
        assert module._as_original_type(given, [2, 3, 1]) == given
        assert module._as_original_type({"a": 3}, 3) == {"a": 3}
        assert module._as_original_type([1], 3) == 3
        with pytest.raises(ValueError, match="must have the same keys"):
            module._as_tensor_list_list([given, {"b": 1}])


def test_objects_below_a_root() -> None:
    with tf.Graph().as_default():
        v = tf.Variable(1.0, name="v", use_resource=True)
        optimizer = tf.train.AdamOptimizer()
        optimizer.minimize(v * v, var_list=[v])
        root = tf.train.Checkpoint(o=optimizer, v=v)
        view = ObjectGraphView(weakref.ref(root))
        assert view.root is root and ObjectGraphView(root, 3).saveables_cache == 3
        assert view.list_objects()[:3] == [root, optimizer, v]
        assert [(each.name, each.ref) for each in view.list_dependencies(root)] == [
            ("o", optimizer),
            ("v", v),
        ]
        saved, message, fed = view.serialize_object_graph()
        assert [item.name for item in saved] == [
            f"{path}/.ATTRIBUTES/VARIABLE_VALUE"
            for path in (
                "v",
                "o/beta1_power",
                "o/beta2_power",
                "v/.OPTIMIZER_SLOT/o/m",
                "v/.OPTIMIZER_SLOT/o/v",
            )
        ]
        assert len(message.nodes) == 7 and fed is None
        objects, numbers, slots = view.objects_ids_and_slot_variables()
        assert [numbers[each] for each in objects] == list(range(7))
        ((of, messages),) = slots.items()
        assert of is optimizer and [
            (each.original_variable_node_id, each.slot_name, each.slot_variable_node_id)
            for each in messages
        ] == [(2, "m", 5), (2, "v", 6)]


def test_a_status_raises_what_is_set_in_it() -> None:
    with tf.errors.raise_exception_on_not_ok_status() as status:
        assert status.code == tf.errors.OK
    with pytest.raises(tf.errors.NotFoundError) as error:  # noqa: SIM117
        with tf.errors.raise_exception_on_not_ok_status() as status:
            status.code, status.message = tf.errors.NOT_FOUND, "gone"
    assert error.value.message == "gone"
