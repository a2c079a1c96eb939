"""slim's analyzers, queues and summaries; what is left of contrib.framework; contrib.nn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import framework, layers, nn, slim, util


def test_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    with tf.Graph().as_default() as graph:
        variable = tf.get_variable("v", [2, 3])
        tf.get_variable("w", [], tf.float64)
        assert slim.model_analyzer.analyze_vars(tf.global_variables(), True) == (7, 32)
        assert slim.model_analyzer.tensor_description(variable) == "(float32 2x3)"
        shown = capsys.readouterr().out
        assert "v:0 (float32 2x3) [6, bytes: 24]\n" in shown
        assert "Total size of variables: 7\nTotal bytes of variables: 32\n" in shown
        total = slim.model_analyzer.analyze_ops(graph, print_info=True)
        shown = capsys.readouterr().out
        assert "v \t-> (float32 2x3) [6]\n" in shown
        expected = sum(
            int(np.prod(each.shape.as_list()))
            for op in graph.get_operations()
            for each in op.outputs
        )
        assert total == expected


def test_queues() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(5, [tf.float32], [[]])
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(3.0)]))
        with slim.queues.QueueRunners(session):
            assert session.run(queue.dequeue()) == 3.0
            with (
                pytest.raises(slim.queues.NestedQueueRunnerError, match="cannot be nested"),
                slim.queues.QueueRunners(session),
            ):
                pass
    with tf.Graph().as_default(), tf.Session() as session, slim.queues.QueueRunners(session):
        pass


def test_summaries() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        value = tf.constant([0.0, 1.0, 0.0, 2.0], name="a")
        slim.summaries.add_scalar_summaries([tf.constant(2.0, name="b")], prefix="p")
        slim.summaries.add_zero_fraction_summaries([value], prefix="p")
        slim.summaries.add_histogram_summary(value, name="h")
        slim.summaries.add_scalar_summary(tf.constant(4.0), "printed", print_summary=True)
        slim.summaries.add_image_summary(tf.zeros([1, 2, 2, 3]), "i")
        summary = tf.Summary.FromString(session.run(tf.summary.merge_all()))
    values = {each.tag: each for each in summary.value}
    assert values["p/b"].simple_value == 2.0
    assert values["p/a/Fraction_of_Zero_Values"].simple_value == 0.5
    assert values["h"].histo.num == 4
    assert values["printed"].simple_value == 4.0
    assert values["i/image/0"].image.height == 2


def test_variables_of_framework() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        local = framework.local_variable(3.0, name="l")
        plain = framework.global_variable([4.0, 5.0], name="g")
        assert tf.local_variables() == [local]
        assert tf.trainable_variables() == []
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        session.run(framework.zero_initializer(plain))
        np.testing.assert_array_equal(session.run(plain), [0.0, 0.0])
        step = tf.train.create_global_step()
        assert framework.assert_or_get_global_step() is step
        with pytest.raises(TypeError, match="does not have integer type"):
            framework.assert_or_get_global_step(global_step_tensor=plain)
        choose = framework.VariableDeviceChooser(num_tasks=2)
        assert [choose(None) for _ in range(3)] == [
            f"/job:ps/task:{task}/device:CPU:0" for task in (0, 1, 0)
        ]
        assert framework.VariableDeviceChooser()(None) == "/device:CPU:0"
        assert slim.local_variable is framework.local_variable is slim.variables.local_variable


def test_tensors_of_framework() -> None:
    with tf.Graph().as_default():
        foreign = tf.constant(1.0)
    with tf.Graph().as_default() as graph, tf.Session() as session:
        a = tf.constant([1.0, 2.0])
        fed = tf.placeholder(tf.float32)
        assert framework.get_graph_from_inputs([1, a]) is graph
        assert framework.get_graph_from_inputs([]) is graph
        with pytest.raises(ValueError, match="must be from the same graph as"):
            framework.get_graph_from_inputs([a, foreign])
        assert framework.get_graph_from_inputs([1, a], graph) is graph
        with pytest.raises(ValueError, match="is not from the passed-in graph"):
            framework.get_graph_from_inputs([a], foreign.graph)
        assert session.run(framework.reduce_sum_n([a, tf.constant(4.0)])) == 7.0
        with pytest.raises(ValueError, match="No tensors provided"):
            framework.reduce_sum_n([])
        sparse = tf.SparseTensor([[0]], [1.0], [1])
        assert framework.convert_to_tensor_or_sparse_tensor(sparse) is sparse
        with pytest.raises(RuntimeError, match="Sparse dtype mismatch"):
            framework.convert_to_tensor_or_sparse_tensor(sparse, tf.int32)
        with pytest.raises(ValueError, match="Expected integer type"):
            framework.assert_scalar_int(a)
        checked = framework.with_same_shape(a, fed)
        assert list(session.run(checked, {fed: [5.0, 6.0]})) == [5.0, 6.0]
        assert checked.shape == [2]
        told = rf"Wrong shape for {fed.name} \[expected\] \[actual\]\.\] \[2\] "
        with pytest.raises(tf.errors.InvalidArgumentError, match=told + r"\[1\]"):
            session.run(checked, {fed: [5.0]})
        with pytest.raises(tf.errors.InvalidArgumentError, match=told + r"\[1 2\]"):
            session.run(checked, {fed: [[5.0, 6.0]]})
        expected = tf.placeholder(tf.int32, [None])
        checked = framework.with_shape(expected, a)
        assert list(session.run(checked, {expected: [2]})) == list(session.run(a))
        with pytest.raises(tf.errors.InvalidArgumentError, match="Wrong shape"):
            session.run(checked, {expected: [3]})
        partly = framework.with_shape(tf.TensorShape([None, 2]), fed)
        assert session.run(partly, {fed: [[5.0, 6.0]]}).shape == (1, 2)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[-1 2\] \[1 1\]"):
            session.run(partly, {fed: [[5.0]]})
        assert framework.with_shape([2], a) is a
        assert framework.with_shape([], tf.ones([1])).shape == []
        for shape, text in (
            ([3], rf"Invalid shape for tensor {a.name}, expected \[3\], got \(2,\)"),
            ([[2]], f"Invalid rank 2 for shape .* expected of tensor {a.name}"),
            ([2.0], f"Invalid dtype float64 for shape .* expected of tensor {a.name}"),
        ):
            with pytest.raises(ValueError, match=text):
                framework.with_shape(shape, a)
        with tf.name_scope("here"):
            assert framework.get_name_scope() == "here"
        one, two = framework.remove_squeezable_dimensions(tf.zeros([3, 1]), tf.zeros([3]))
        assert one.shape == two.shape


def test_summaries_by_a_function_of_ones_own() -> None:
    with tf.Graph().as_default():
        layers.fully_connected(
            tf.ones([2, 3]),
            4,
            variables_collections={
                "weights": [tf.GraphKeys.WEIGHTS, tf.GraphKeys.GLOBAL_VARIABLES],
                "biases": [tf.GraphKeys.BIASES, tf.GraphKeys.GLOBAL_VARIABLES],
            },
            scope="deep",
        )
        for summarize, names in (
            (layers.summaries.summarize_weights, ["deep/weights"]),
            (layers.summaries.summarize_biases, ["deep/biases"]),
            (layers.summaries.summarize_variables, ["deep/weights", "deep/biases"]),
        ):
            assert summarize(summarizer=lambda tensor: tensor.op.name) == names


def test_slots_of_remapped_matrices(tmp_path: Any) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        old = tf.get_variable("old", initializer=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(session, str(tmp_path / "model"))
        told: list[Any] = []

        def primary(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
            told.append(partition_info)
            return tf.zeros(shape)

        cut = tf.fixed_size_partitioner(3)
        with tf.variable_scope("cut", partitioner=cut):
            tf.get_variable("primary", [3, 2], initializer=primary)
        for name, words in (("old", "a b c"), ("new", "c b a")):
            (tmp_path / name).write_text(words.replace(" ", "\n"))
        # A slot is a whole variable by itself, here of the last part of three.
        slot = tf.get_variable(
            "slot",
            [1, 2],
            initializer=framework.load_variable_slot_initializer(
                path,
                old.op.name,
                told[-1],
                3,
                2,
                old_row_vocab_file=str(tmp_path / "old"),
                new_row_vocab_file=str(tmp_path / "new"),
            ),
        )
        session.run(slot.initializer)
        np.testing.assert_array_equal(session.run(slot), [[1.0, 2.0]])


def test_py_func_of_structures() -> None:
    def func(pair: Any, scale: Any = None, shift: Any = 0) -> Any:
        return {"sum": pair["a"] + pair["b"] * scale, "shift": shift}

    with tf.Graph().as_default(), tf.Session() as session:
        pair = {"a": tf.constant([1.0, 2.0]), "b": tf.constant([3.0, 4.0])}
        found = framework.py_func(
            func,
            [pair],
            {"scale": tf.constant(2.0), "shift": tf.constant([7, 8, 9])},
            output_types=lambda *_, **__: {"sum": tf.float32, "shift": tf.int32},
            output_shapes={"sum": [2], "shift": [None]},
            name="mine",
        )
        assert found["sum"].shape == [2] and found["shift"].shape.as_list() == [None]
        values = session.run(found)
        assert list(values["sum"]) == [7.0, 10.0] and list(values["shift"]) == [7, 8, 9]
        assert found["sum"].op.name == "mine"
        with pytest.raises(TypeError, match="args must be list and not <class 'int'>"):
            framework.py_func(func, 3, output_types=tf.int32)
        with pytest.raises(TypeError, match="kwargs must be dict"):
            framework.py_func(func, [], [3], output_types=tf.int32)
        other = framework.py_func(lambda: (1,), output_types=(tf.int32, tf.int32))
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(other)
        assert "don't have the same sequence length" in caught.value.message


def test_alpha_dropout() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = np.random.RandomState(0).standard_normal(40000).astype(np.float32)
        found = session.run(nn.alpha_dropout(tf.constant(x), 0.8, seed=4))
        # Mean 0 and variance 1 stay.
        assert found.mean() == pytest.approx(0.0, abs=0.02)
        assert found.std() == pytest.approx(1.0, abs=0.02)
        share = np.mean(np.isclose(found, found.min()) | np.isclose(found, np.median(found)))
        assert share < 0.25
        same: Any = tf.constant(x)
        assert nn.alpha_dropout(same, 1.0) is same
        with pytest.raises(ValueError, match="keep_prob must be"):
            nn.alpha_dropout(same, 0.0)
    assert util.make_ndarray(util.make_tensor_proto([1, 2])).tolist() == [1, 2]


def test_initializers_are_found_by_their_module_too() -> None:
    assert slim.initializers.xavier_initializer is slim.xavier_initializer
