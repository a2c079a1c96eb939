"""Inner names of tensorflow.python.keras.utils and of its recurrent layers, by paths."""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import tensorflow.compat.v1 as oracle

import dataflow
from dataflow.porting.modules import TensorflowModule
from tests.oracle import open_session

keras: Any = dataflow.keras


def _inner(path: str) -> Any:
    return TensorflowModule(f"tensorflow.python.keras.{path}")


@pytest.mark.parametrize(
    ("size", "kernel", "strides", "padding"),
    [
        ((4, 5), (3, 3), (1, 1), "same"),
        ((5, 4), (3, 1), (1, 2), "same"),
        ((5, 4), (3, 1), (2, 1), "valid"),
        ((3, 3), 2, 2, "valid"),
        ((2, 2), (3, 3), 1, "same"),
    ],
)
def test_connections_are_those_of_a_convolution(
    size: tuple[int, int], kernel: Any, strides: Any, padding: str
) -> None:
    utils = _inner("utils.conv_utils")
    window, steps = ((n, n) if isinstance(n, int) else n for n in (kernel, strides))
    mask = utils.conv_kernel_mask(size, kernel, strides, padding)
    with oracle.Graph().as_default() as graph, open_session(oracle, graph) as session:
        impulses = np.eye(size[0] * size[1], dtype=np.float32).reshape(-1, *size, 1)
        reached = oracle.nn.conv2d(
            impulses, np.ones((*window, 1, 1), np.float32), [1, 1, 1, 1], padding.upper()
        )
        seen = session.run(reached)[:, :: steps[0], :: steps[1], 0] > 0
    seen = seen.reshape(*size, *seen.shape[1:])
    np.testing.assert_array_equal(mask, seen)
    assert utils.conv_output_shape(size, window, steps, padding) == seen.shape[2:]
    for data_format in ("channels_first", "channels_last"):
        axis = 0 if data_format == "channels_first" else 2
        dense = np.zeros(2 * seen.shape[2] * seen.shape[3] * 3 * size[0] * size[1], bool)
        dense = dense.reshape(2 * seen.shape[2] * seen.shape[3], 3 * size[0] * size[1])
        for output, place in utils.conv_kernel_idxs(
            size, kernel, strides, padding, 3, 2, data_format
        ):
            dense[output, place] = True
        wide = np.insert(seen.shape[2:], axis, 2), np.insert(size, axis, 3)
        # The channel of the output, then that of the input, are put in front.
        moved = np.moveaxis(dense.reshape(*wide[0], *wide[1]), (axis, 3 + axis), (0, 1))
        for each in moved.reshape(6, *moved.shape[2:]):
            np.testing.assert_array_equal(np.moveaxis(each, (2, 3), (0, 1)), seen)


def test_connections_refused() -> None:
    utils = _inner("utils.conv_utils")
    assert utils.conv_output_shape((0, 3), (1, 1), (1, 1), "same") == (0, 3)
    assert utils.conv_kernel_mask((0, 3), 1, 1, "same").shape == (0, 3, 0, 3)
    with pytest.raises(NotImplementedError, match="Padding type causal not supported"):
        utils.conv_kernel_mask((3,), 1, 1, "causal")
    with pytest.raises(ValueError, match=r"must all match. Received: 1, 2, 2\."):
        utils.conv_kernel_mask((3, 3), (1, 1), (1,), "same")
    with pytest.raises(ValueError, match="Data format NHWC not recignized"):
        next(utils.conv_kernel_idxs((3,), 1, 1, "same", 1, 1, "NHWC"))


def test_parts_of_arrays() -> None:
    utils = _inner("utils.generic_utils")
    x = np.arange(10)
    assert utils.make_batches(7, 3) == [(0, 3), (3, 6), (6, 7)] and utils.make_batches(0, 3) == []
    assert utils.slice_arrays(None) == [None]
    found = utils.slice_arrays([x, None, x + 1], 2, 4)
    assert found[1] is None and [part.tolist() for part in found[::2]] == [[2, 3], [3, 4]]
    assert utils.slice_arrays([x], np.array([3, 1]))[0].tolist() == [3, 1]
    assert utils.slice_arrays(x, [3, 1]).tolist() == [3, 1]
    # As in Keras, which slices only lists by numbers.
    assert utils.slice_arrays(x, 2, 4) == [None]
    with pytest.raises(ValueError, match="has to be None if the value of start is a list"):
        utils.slice_arrays([x], [1], 3)
    assert _inner("engine.training_utils").slice_arrays is utils.slice_arrays


def test_checks_of_arguments() -> None:
    utils = _inner("utils.generic_utils")
    utils.check_for_unexpected_keys("sample_weight", {"a": 1}, ["a", "b"])
    with pytest.raises(ValueError, match=r"Unknown entries in w dictionary: \['c'\]. Only"):
        utils.check_for_unexpected_keys("w", {"c": 1}, ["a"])
    utils.validate_kwargs({"a": 1}, {"a"})
    with pytest.raises(TypeError, match="Keyword argument not understood:"):
        utils.validate_kwargs({"b": 1}, {"a"})
    assert utils.is_all_none([None, {"a": None}]) and not utils.is_all_none([None, [0]])
    one = object()
    assert utils.object_list_uid([one, (one,)]) == f"{id(one)}, {id(one)}"


def test_hashes_of_files(tmp_path: Path) -> None:
    utils = _inner("utils.data_utils")
    path = tmp_path / "file"
    path.write_bytes(b"some bytes" * 9000)
    for kind in ("sha256", "md5"):
        wanted = hashlib.new(kind, path.read_bytes()).hexdigest()
        assert utils._hash_file(str(path), kind) == wanted
        assert utils.validate_file(str(path), wanted)
        assert utils.validate_file(str(path), wanted, kind)
        assert not utils.validate_file(str(path), wanted[::-1])
    assert utils.is_generator_or_sequence(i for i in "ab")
    assert not utils.is_generator_or_sequence([1])
    endless = utils.iter_sequence_infinite([1, 2])
    assert [next(endless) for _ in range(5)] == [1, 2, 1, 2, 1]


def test_weights_of_layers() -> None:
    utils = _inner("utils.layer_utils")
    with dataflow.Graph().as_default():
        layer, fixed = keras.layers.Dense(3), keras.layers.Dense(2, trainable=False)
        layer.build((None, 4))
        fixed.build((None, 4))
        assert utils.count_params([*layer.weights, layer.kernel]) == 15
        extra = [SimpleNamespace(trainable=flag) for flag in (True, False)]
        both = [layer, fixed]
        assert utils.gather_trainable_weights(True, both, extra) == [*layer.weights, extra[0]]
        assert utils.gather_trainable_weights(False, both, extra) == []
        assert utils.gather_non_trainable_weights(True, both, extra) == [*fixed.weights, extra[1]]
        assert utils.gather_non_trainable_weights(False, both, extra) == [
            *layer.weights,
            extra[0],
            *fixed.weights,
            extra[1],
        ]


def test_a_dense_after_images_of_another_format() -> None:
    images = np.random.RandomState(0).rand(2, 3, 4, 5).astype(np.float32)
    flat = {"last": images.reshape(2, -1), "first": np.moveaxis(images, -1, 1).reshape(2, -1)}
    random = np.random.RandomState(1)
    held = [random.rand(60, 7).astype(np.float32), random.rand(7).astype(np.float32)]
    wanted = flat["last"] @ held[0] + held[1]
    dense = SimpleNamespace(
        get_weights=lambda: [each.copy() for each in held],
        set_weights=lambda weights: held.__setitem__(slice(None), weights),
    )
    convert = _inner("utils.layer_utils").convert_dense_weights_data_format
    convert(dense, (5, 3, 4), "channels_first")
    np.testing.assert_allclose(flat["first"] @ held[0] + held[1], wanted, rtol=1e-5)
    convert(dense, (3, 4, 5), "channels_last")
    np.testing.assert_allclose(flat["last"] @ held[0] + held[1], wanted, rtol=1e-5)


def test_former_names() -> None:
    optimizers = _inner("optimizers")
    for name in ("SGD", "RMSprop", "Adagrad", "Adadelta", "Adam", "Adamax", "Nadam"):
        assert getattr(optimizers, name.lower()) is getattr(keras.optimizers, name)
    convolutional = _inner("layers.convolutional")
    for rank in (2, 3):
        known = getattr(keras.layers, f"Conv{rank}DTranspose")
        assert getattr(convolutional, f"Deconv{rank}D") is known
        assert getattr(convolutional, f"Deconvolution{rank}D") is known


def test_mixed_precision_and_premade_models() -> None:
    mixed, path = keras.mixed_precision.experimental, "mixed_precision.experimental"
    assert _inner(f"{path}.policy").Policy is mixed.Policy
    assert _inner(f"{path}.policy").global_policy is mixed.global_policy
    assert _inner(f"{path}.loss_scale_optimizer").LossScaleOptimizer is mixed.LossScaleOptimizer
    assert issubclass(_inner(f"{path}.autocast_variable").AutoCastVariable, dataflow.Variable)
    for path in ("premade", "premade.linear", "premade.wide_deep"):
        assert _inner(path).LinearModel is keras.experimental.LinearModel
        assert _inner(path).WideDeepModel is keras.experimental.WideDeepModel


def test_arguments_and_states_of_recurrent_layers() -> None:
    recurrent = _inner("layers.recurrent")
    assert recurrent._standardize_args(["x", "s", "t", "c"], None, None, 1) == (
        "x",
        ["s", "t"],
        ["c"],
    )
    assert recurrent._standardize_args(["x"], None, None, None) == ("x", None, None)
    assert recurrent._standardize_args("x", ("s",), "c", 1) == ("x", ["s"], ["c"])
    assert recurrent._is_multiple_state([2, 3])
    assert not recurrent._is_multiple_state(dataflow.TensorShape([2]))
    with dataflow.Graph().as_default() as graph, open_session(dataflow, graph) as session:
        states = recurrent._generate_zero_filled_state(3, [2, (4, 5)], dataflow.float64)
        shapes = [(each.shape, each.dtype.name) for each in session.run(states[:1])]
        assert shapes == [((3, 2), "float64")]
        cell = keras.layers.LSTMCell(2)
        fed = dataflow.placeholder(dataflow.float32, [None, 4])
        made = recurrent._generate_zero_filled_state_for_cell(cell, fed, None, None)
        found = session.run(list(made), {fed: np.ones((3, 4))})
        assert [each.tolist() for each in found] == [[[0, 0]] * 3] * 2
    with pytest.raises(ValueError, match="batch_size and dtype cannot be None"):
        recurrent._generate_zero_filled_state(None, 2, dataflow.float32)
