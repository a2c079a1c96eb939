"""What programs and unit tests take from inside of TensorFlow's modules of nets."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import tensorflow as their_package
import tensorflow.compat.v1 as oracle

import dataflow as tf
from dataflow.porting.modules import TensorflowModule

OPS = "tensorflow.python.ops."


def both(path: str) -> list[tuple[Any, Any]]:
    """TensorFlow's module and ours, each with its public names."""
    assert their_package
    theirs = importlib.import_module(path)
    return [(oracle, theirs), (tf, TensorflowModule(path))]


def values(program: Callable[[Any, Any], Any], path: str) -> list[Any]:
    """What a program makes with either module."""
    found = []
    for lib, module in both(path):
        with lib.Graph().as_default() as graph:
            lib.set_random_seed(1)
            made = program(lib, module)
            with lib.Session(graph=graph) as session:
                session.run(lib.global_variables_initializer())
                found.append(session.run(made))
    return found


def same(program: Callable[[Any, Any], Any], path: str) -> None:
    theirs, ours = values(program, path)
    assert len(theirs) == len(ours)
    for expected, got in zip(theirs, ours, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-6)


def stepped(skip: bool, time: int) -> Callable[[Any, Any], Any]:
    def program(lib: Any, rnn: Any) -> Any:
        state = (lib.fill([3, 2], 5.0), lib.constant(1))
        output, new = rnn._rnn_step(
            lib.constant(time),
            lib.constant([1, 2, 3]),
            lib.constant(1),
            lib.constant(3),
            lib.zeros([3, 4]),
            state,
            lambda: (lib.ones([3, 4]), (lib.fill([3, 2], 7.0), lib.constant(2))),
            (2, ()),
            skip_conditionals=skip,
        )
        return [output, *new]

    return program


@pytest.mark.parametrize("skip", [False, True])
@pytest.mark.parametrize("time", [0, 1, 2, 3])
def test_one_step_of_a_loop(skip: bool, time: int) -> None:
    same(stepped(skip, time), f"{OPS}rnn")


def test_a_step_takes_the_bounds_that_it_is_given() -> None:
    """From the given longest on nothing is computed, whatever the lengths are."""
    rnn = TensorflowModule(f"{OPS}rnn")
    with tf.Graph().as_default(), tf.Session() as session:
        made = rnn._rnn_step(
            tf.constant(1),
            tf.constant([5, 5]),
            tf.constant(0),
            tf.constant(1),
            tf.zeros([2, 1]),
            tf.zeros([2, 1]),
            lambda: (tf.ones([2, 1]), tf.ones([2, 1])),
            1,
        )
        assert session.run(made)[0].tolist() == [[0.0], [0.0]]


class Sums:
    """A cell whose output and state are what it has seen so far."""

    output_size = state_size = 2

    def __call__(self, inputs: Any, state: Any) -> tuple[Any, Any]:
        return inputs + state, inputs + state


def looped(lib: Any, rnn: Any) -> Any:
    cell = Sums()
    inputs = lib.reshape(lib.range(24, dtype=lib.float32), [3, 4, 2]) / 24.0
    batch = rnn._best_effort_input_batch_size([inputs])
    assert batch == 4
    start = lib.zeros([batch, 2])
    outputs, last = rnn._dynamic_rnn_loop(
        cell, inputs, start, 32, False, lib.constant([1, 2, 3, 2])
    )
    return [outputs, last, rnn._transpose_batch_time(outputs)]


def test_a_loop_over_time_major_inputs() -> None:
    same(looped, f"{OPS}rnn")


def reversed_sequences(lib: Any, rnn: Any) -> Any:
    steps = [lib.constant([[float(i)], [float(10 + i)]]) for i in range(3)]
    nested = [(step, step + 1.0) for step in steps]
    flat = rnn._reverse_seq(steps, lib.constant([2, 3]))
    return [
        *flat,
        *rnn._reverse_seq(steps, None),
        *(each for step in rnn._reverse_seq(nested, [1, 2]) for each in step),
    ]


def test_reversed_sequences() -> None:
    same(reversed_sequences, f"{OPS}rnn")


def in_loop(lib: Any, rnn: Any) -> bool:
    """What the body of a loop is told of reading variables once."""
    seen: list[bool] = []

    def body(i: Any) -> Any:
        seen.append(rnn._should_cache())
        return i + 1

    lib.while_loop(lambda i: i < 1, body, [0])
    return seen[0]


def test_what_loops_ask_of_states_and_shapes() -> None:
    for lib, rnn in both(f"{OPS}rnn"):
        with lib.Graph().as_default():
            one, other = lib.constant(1), lib.constant(1.0)
            assert rnn._infer_state_dtype(lib.float64, one) == lib.float64
            assert rnn._infer_state_dtype(None, [one, one]) == lib.int32
            for state, said in (([], "Unable to infer dtype"), ([one, other], "single repres")):
                with pytest.raises(ValueError, match=said):
                    rnn._infer_state_dtype(None, state)
            assert rnn._should_cache()
            assert not in_loop(lib, rnn)
            assert rnn._concat(one, 3, static=True) == [1, 3]
            unknown = lib.TensorShape(None)
            assert rnn._concat(2, unknown, static=True) is None
            with pytest.raises(ValueError, match="Provided a prefix or suffix of None"):
                rnn._concat(2, unknown)
            sizes = lib.constant([2, 3])
            assert rnn._maybe_tensor_shape_from_tensor(sizes).as_list() == [2, 3]
            assert rnn._maybe_tensor_shape_from_tensor(5) == 5


def states(lib: Any, ctc: Any) -> Any:
    labels = lib.constant([[1, 2, 2], [3, 3, 1]])
    unknown = lib.placeholder_with_default(lib.constant([[2, 2], [1, 2]]), [None, None])
    observed = lib.log(lib.constant(np.random.default_rng(0).uniform(size=(5, 2, 4)), lib.float32))
    return [
        ctc._ctc_state_trans(labels),
        ctc._ctc_state_trans(unknown),
        *ctc.ctc_state_log_probs(lib.constant([2, 1]), 2),
        ctc._ilabel_to_state(labels, 4, observed),
    ]


def test_states_of_ctc() -> None:
    same(states, f"{OPS}ctc_ops")


def test_pieces_of_losses() -> None:
    def program(lib: Any, losses: Any) -> Any:
        table = lib.constant([[1.0, 2.0], [3.0, 5.0]])
        squeezed = losses._remove_squeezable_dimensions(table, table[..., None], table[..., None])
        assert losses._remove_squeezable_dimensions(table, table)[2] is None
        return [
            losses._safe_mean(table, 4),
            losses._safe_mean(table, 0),
            losses._num_present(table, [[1.0], [0.0]]),
            losses._num_present(table, [[1.0], [0.0]], per_batch=True),
            losses._num_elements(table),
            *squeezed,
        ]

    same(program, f"{OPS}losses.losses_impl")


def test_pieces_of_optimizers() -> None:
    path = "tensorflow.python.training.optimizer"

    def program(lib: Any, optimizer: Any) -> Any:
        summed, unique = optimizer._deduplicate_indexed_slices(
            lib.constant([[1.0], [2.0], [4.0]]), lib.constant([3, 1, 3])
        )
        variable = lib.Variable(3.0, name="v")
        behind = lib.Variable(5.0, use_resource=True)
        assert optimizer._var_key(variable) == (lib.get_default_graph(), "v")
        changed = []
        for each in (variable, behind):
            target = optimizer._get_processor(each)
            grad = lib.gradients(2.0 * each, [target.target()])[0]
            descent = lib.train.GradientDescentOptimizer(1.0)
            descent._prepare()
            with lib.control_dependencies([target.update_op(descent, grad)]):
                changed.append(each.read_value())
        with pytest.raises(NotImplementedError, match="Trying to update a Tensor"):
            optimizer._get_processor(summed).update_op(None, grad)
        return [summed, unique, *changed]

    same(program, path)


def test_checks_of_images() -> None:
    for lib, images in both(f"{OPS}image_ops_impl"):
        with lib.Graph().as_default(), lib.Session() as session:
            known = lib.ones([2, 3, 1])
            flat, empty = lib.ones([2, 3]), lib.ones([2, 0, 1])
            unknown = lib.placeholder(lib.float32)
            rows = lib.placeholder(lib.float32, [None, 3, 1])
            assert images._ImageDimensions(known, 3) == [2, 3, 1]
            assert images._ImageDimensions(rows, 3)[1:] == [3, 1]
            assert images._Check3DImage(known) == []
            assert images._CheckAtLeast3DImage(known) == []
            for image, said in (
                (flat, "must be three-dimensional"),
                (empty, "all dims of 'image.shape' must be > 0"),
                (rows, "must be fully defined"),
            ):
                with pytest.raises(ValueError, match=said):
                    images._Check3DImage(image)
            with pytest.raises(ValueError, match="must be fully defined"):
                images._CheckAtLeast3DImage(rows)
            checked = images._Assert3DImage(rows)
            assert session.run(checked, {rows: np.ones([1, 3, 1])}).shape == (1, 3, 1)
            with pytest.raises(lib.errors.InvalidArgumentError, match="must be > 0"):
                session.run(checked, {rows: np.ones([0, 3, 1])})
            with pytest.raises(lib.errors.InvalidArgumentError):
                session.run(images._AssertAtLeast3DImage(unknown), {unknown: np.ones([2, 3])})
            assert images.fix_image_flip_shape(unknown, lib.identity(unknown)).shape.rank == 3
            assert images.fix_image_flip_shape(rows, lib.identity(unknown)).shape[1:] == [3, 1]
            assert images._is_tensor(known)
            assert not images._is_tensor(3)
            assert images._assert(True, TypeError, "said") == []
            with pytest.raises(TypeError, match="said"):
                images._assert(False, TypeError, "said")


def test_other_pieces() -> None:
    for lib, module in both(f"{OPS}tensor_array_ops"):
        with lib.Graph().as_default(), lib.Session() as session:
            array = lib.TensorArray(lib.float32, 2, clear_after_read=False)
            written = array.write(0, 3.0)
            again = module.build_ta_with_new_flow(array, written.flow)
            assert again.handle is array.handle
            assert session.run(again.read(0)) == 3.0
    for lib, module in both(f"{OPS}init_ops"):
        assert module._assert_float_dtype(lib.float16) == lib.float16
        with pytest.raises(ValueError, match="loating point"):
            module._assert_float_dtype(lib.int32)
    for lib, module in both(f"{OPS}metrics"):
        with lib.Graph().as_default():
            made = module.metric_variable([2], lib.float32, name="m")
            assert made in lib.get_collection(lib.GraphKeys.METRIC_VARIABLES)
    for lib, module in both("tensorflow.python.training.basic_session_run_hooks"):
        with lib.Graph().as_default():
            made = lib.constant(1, name="c")
            assert module._as_graph_element("c") is made
            assert module._as_graph_element("c:0") is made
            with lib.Graph().as_default(), pytest.raises(ValueError, match="should have graph"):
                module._as_graph_element(made)


def test_whether_a_folder_has_a_model(tmp_path: Any) -> None:
    modules = [module for _, module in both("tensorflow.python.saved_model.loader_impl")]
    assert not any(module.contains_saved_model(str(tmp_path)) for module in modules)
    (tmp_path / "saved_model.pb").touch()
    assert all(module.contains_saved_model(str(tmp_path)) for module in modules)
