"""tf.contrib.model_pruning: masks against numpy's, and what trained graphs become."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dataflow as tf
from dataflow.contrib import model_pruning
from dataflow.contrib.model_pruning import blocks, partitions


def hparams(**values: Any) -> Any:
    found = model_pruning.get_pruning_hparams()
    for name, value in values.items():
        setattr(found, name, value)
    return found


def masked_once(sparsity: float, *weights: Any, **values: Any) -> list[Any]:
    """The masks of weights after one renewal."""
    with tf.Graph().as_default(), tf.Session() as session:
        for number, value in enumerate(weights):
            held = tf.get_variable(f"weights_{number}", initializer=tf.constant(value))
            model_pruning.apply_mask(held, f"mask_{number}")
        step = tf.Variable(0, trainable=False)
        made = model_pruning.Pruning(hparams(**values), step, tf.constant(sparsity))
        update = made.mask_update_op()
        session.run(tf.global_variables_initializer())
        assert session.run(model_pruning.get_weight_sparsity()) == [0.0] * len(weights)
        session.run(update)
        return session.run(model_pruning.get_masks())


@pytest.mark.parametrize("sparsity", [0.2, 0.95])
def test_the_smallest_weights_are_masked(sparsity: float) -> None:
    weights = np.random.RandomState(1).permutation(np.linspace(-99, 99, 100)).reshape(10, 10)
    (mask,) = masked_once(sparsity, weights.astype(np.float32))
    kept = np.sort(np.abs(weights).ravel())[::-1][: round(100 * (1 - sparsity))]
    np.testing.assert_array_equal(mask, np.abs(weights) >= kept[-1] - 1e-4)


@pytest.mark.parametrize("by_axes", [False, True])
@pytest.mark.parametrize("kind", ["AVG", "MAX"])
def test_blocks_are_masked_together(kind: str, by_axes: bool) -> None:
    weights = np.array(
        [[0.1, 0.1, 0.2, 0.2], [0.1, 0.1, 0.2, 0.2], [0.3, 0.3, 0.4, 0.4], [0.3, 0.3, 0.4, 0.9]],
        np.float32,
    )
    given = {"block_height": 2, "block_width": 2, "block_pooling_function": kind}
    (mask,) = masked_once(0.5, weights, use_tpu=by_axes, **given)
    np.testing.assert_array_equal(mask, np.repeat([[0.0], [1.0]], 2, 0) * np.ones(4))


def test_shares_and_blocks_of_their_own() -> None:
    weights = np.arange(1, 17, dtype=np.float32).reshape(4, 4)
    first, second = masked_once(
        0.5,
        weights,
        weights[:, :3],
        weight_sparsity_map=["weights_0:0.75"],
        block_dims_map=["weights_1:1x-1"],
    )
    assert first.sum() == 4
    np.testing.assert_array_equal(second[:, 0], [0, 0, 1, 1])
    np.testing.assert_array_equal(second, second[:, :1] * np.ones(3))
    for values, message in (
        ({"weight_sparsity_map": ["w:0.5", "weights:0.6"]}, "Multiple matches in weight_sparsity"),
        ({"weight_sparsity_map": ["w:1.5"]}, "Weight sparsity can not exceed 1.0"),
        ({"block_dims_map": ["w:2"]}, "Expected 2 values for block dim for w"),
        ({"block_height": 2, "block_pooling_function": "SUM"}, "Unknown pooling function"),
        ({"begin_pruning_step": -1}, "Illegal value for begin_pruning_step"),
        ({"begin_pruning_step": 3, "end_pruning_step": 2}, "Pruning must begin before it can"),
        ({"sparsity_function_begin_step": -1}, "Illegal value for sparsity_function_begin_step"),
        ({"sparsity_function_begin_step": 100}, "Sparsity function requires begin_step"),
        ({"threshold_decay": 1.0}, r"threshold_decay must be in range \[0,1\)"),
        ({"target_sparsity": 1.0}, r"target_sparsity must be in range \[0,1\)"),
    ):
        with pytest.raises(ValueError, match=message):
            masked_once(0.5, weights, **values)


def test_parts_of_variables_are_masked() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        cuts = tf.fixed_size_partitioner(2, axis=1)
        with tf.variable_scope("parts", partitioner=cuts):
            held = tf.get_variable("weights", [4, 25])
            masked = model_pruning.apply_mask(held, tf.get_variable_scope())
        made = model_pruning.Pruning(hparams(), tf.constant(0), tf.constant(0.5))
        update = made.mask_update_op()
        session.run(tf.global_variables_initializer())
        session.run(update)
        value, found = session.run([tf.convert_to_tensor(held), masked])
        middle = np.sort(np.abs(value).ravel())[50]
        np.testing.assert_array_equal(found, value * (np.abs(value) >= middle))


def test_masks_change_when_it_is_time() -> None:
    value = np.linspace(1, 100, 100, dtype=np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        held = tf.Variable(value)
        model_pruning.apply_mask(held, "inside")
        step = tf.train.get_or_create_global_step()
        later = step.assign_add(1)
        made = model_pruning.Pruning(
            hparams(
                begin_pruning_step=2,
                end_pruning_step=9,
                pruning_frequency=3,
                threshold_decay=0.5,
                sparsity_function_end_step=10,
                initial_sparsity=0.1,
                target_sparsity=0.9,
            )
        )
        update = made.conditional_mask_update_op()
        made.add_pruning_summaries()
        summaries = tf.summary.merge_all()
        session.run(tf.global_variables_initializer())
        threshold, counts = 0.0, []
        for number in range(1, 13):
            session.run(later)
            session.run(update)
            if number in (3, 6, 9):
                share = (0.1 - 0.9) * (1 - number / 10) ** 3 + 0.9
                kept = round(100 * (1 - share))
                threshold = 0.5 * (101 - kept) + 0.5 * threshold
            found = session.run(model_pruning.get_thresholds()[0])
            assert found == pytest.approx(threshold, rel=1e-5), number
            counts.append(session.run(model_pruning.get_masks()[0]).sum())
        assert counts[0] == 100 and counts[-1] == (value >= threshold).sum()
        tags = {each.tag for each in tf.Summary.FromString(session.run(summaries)).value}
        assert tags == {
            f"model_pruning_summaries/{name}"
            for name in (
                "sparsity",
                "last_mask_update_step",
                "inside/mask/sparsity",
                "inside/threshold/threshold",
            )
        }


LAYERS = {
    "dense": (lambda x: model_pruning.masked_fully_connected(x, 3), [2, 5], "fully_connected"),
    "deep dense": (
        lambda x: model_pruning.masked_fully_connected(x, 3),
        [2, 4, 5],
        "fully_connected",
    ),
    "image": (lambda x: model_pruning.masked_conv2d(x, 3, [2, 2]), [2, 4, 4, 5], "Conv"),
    "channels": (
        lambda x: model_pruning.masked_conv2d(x, 3, 2, rate=1, normalizer_fn=tf.identity),
        [2, 4, 4, 5],
        "Conv",
    ),
}


@pytest.mark.parametrize("layer, sizes, scope", LAYERS.values(), ids=LAYERS)
def test_layers(layer: Any, sizes: list[int], scope: str) -> None:
    x = np.random.RandomState(0).normal(size=sizes).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        found = layer(tf.constant(x))
        names = {each.op.name for each in tf.trainable_variables()}
        assert {f"{scope}/weights"} <= names <= {f"{scope}/weights", f"{scope}/biases"}
        (mask,) = model_pruning.get_masks()
        (weights,) = model_pruning.get_weights()
        (masked,) = model_pruning.get_masked_weights()
        assert masked.op.name == f"{scope}/weights/masked_weight"
        assert (mask.op.name, mask.shape) == (f"{scope}/mask", weights.shape)
        made = [each.op.name.rpartition("/")[2] for each in tf.global_variables()]
        assert made in (first := ["weights", "mask", "threshold"], [*first, "biases"])
        session.run(tf.global_variables_initializer())
        assert np.abs(session.run(found)).max() > 0
        session.run(mask.assign(tf.zeros_like(mask)))
        assert np.abs(session.run(found)).max() == 0
        (gradient,) = session.run(tf.gradients(tf.reduce_sum(found), weights))
        assert not gradient.any()


@pytest.mark.parametrize("name", ["BasicLSTMCell", "LSTMCell"])
def test_cells(name: str) -> None:
    x = np.random.RandomState(0).normal(size=[2, 3]).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        cell = getattr(model_pruning, f"Masked{name}")(4)
        plain = getattr(tf.nn.rnn_cell, name)(4)
        state = cell.zero_state(2, tf.float32)
        found, _ = cell(tf.constant(x), state)
        again, _ = cell(tf.constant(x), state)
        (mask,) = model_pruning.get_masks()
        expected, _ = plain(tf.constant(x), state)
        session.run(tf.global_variables_initializer())
        kept = (np.random.RandomState(1).uniform(size=[7, 16]) < 0.5).astype(np.float32)
        session.run([mask.assign(kept), plain.variables[0].assign(cell.variables[0] * kept)])
        first, second, third = session.run([found, again, expected])
        np.testing.assert_array_equal(first, second)
        np.testing.assert_allclose(first, third, rtol=1e-5)


def test_what_layers_refuse() -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="not supported for input with rank"):
            model_pruning.masked_conv2d(tf.zeros([2, 3, 4]), 3, 2)
        with pytest.raises(ValueError, match="Unsupported data format"):
            model_pruning.masked_conv2d(tf.zeros([2, 3, 4, 5]), 3, 2, data_format="NWC")
        with pytest.raises(ValueError, match="num_outputs type should be one of"):
            model_pruning.masked_fully_connected(tf.zeros([2, 3]), 1.5)


def test_blocks_of_matrices() -> None:
    matrix = np.arange(6, dtype=np.float32).reshape(2, 3)
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(blocks.expand_tensor(tf.constant(matrix), [2, 3]))
        np.testing.assert_array_equal(found, np.kron(matrix, np.ones([2, 3])))
        with pytest.raises(ValueError, match="Input tensor must be rank 2"):
            blocks.expand_tensor(tf.zeros([2]), [1, 1])
        with pytest.raises(ValueError, match="block_dims must have 2 elements"):
            blocks.expand_tensor(tf.constant(matrix), [1])
        with pytest.raises(ValueError, match="rank 2 only"):
            blocks.factorized_pool(tf.zeros([2]), [1, 1], "AVG", [1, 1], "SAME")


def test_training_and_graphs_without_masks(tmp_path: Path) -> None:
    x = np.random.RandomState(0).normal(size=[8, 5]).astype(np.float32)
    with tf.Graph().as_default():
        found = tf.identity(
            model_pruning.masked_fully_connected(tf.constant(x), 4, activation_fn=None), "found"
        )
        loss = tf.losses.mean_squared_error(tf.ones([8, 4]), found)
        step = tf.contrib.slim.learning.create_train_op(
            loss, tf.train.GradientDescentOptimizer(0.1)
        )
        made = model_pruning.Pruning(
            hparams(pruning_frequency=1, sparsity_function_end_step=2), sparsity=tf.constant(0.75)
        )
        update = made.conditional_mask_update_op()
        model_pruning.train(step, str(tmp_path), update, number_of_steps=3)
    with tf.Graph().as_default():
        constant = model_pruning.graph_def_from_checkpoint(str(tmp_path), ["found"])
    plain = model_pruning.strip_pruning_vars_fn(constant, ["found"])
    names = {node.name for node in plain.node}
    assert "fully_connected/weights/masked_weight" in names
    assert "fully_connected/mask" not in names and "fully_connected/weights" not in names
    values = []
    for graph_def in (constant, plain):
        with tf.Graph().as_default(), tf.Session() as session:
            tf.import_graph_def(graph_def, name="")
            values.append(session.run(["found:0", "fully_connected/weights/masked_weight:0"]))
    np.testing.assert_array_equal(values[0][0], values[1][0])
    assert np.count_nonzero(values[0][1]) == 5
    with pytest.raises(ValueError, match="Could not find a checkpoint at"):
        model_pruning.graph_def_from_checkpoint(str(tmp_path / "none"), ["found"])


def test_kronecker_product() -> None:
    first, second = np.arange(1.0, 5.0).reshape(2, 2), np.arange(6.0).reshape(2, 3) - 2
    with tf.Graph().as_default(), tf.Session() as session:
        product = blocks.kronecker_product(tf.constant(first), tf.constant(second))
        np.testing.assert_array_equal(session.run(product), np.kron(first, second))


@pytest.mark.parametrize("axis", [0, 1])
def test_assigns_to_parts(axis: int) -> None:
    whole = np.arange(15.0).reshape(5, 3)
    with tf.Graph().as_default(), tf.Session() as session:
        cut = tf.fixed_size_partitioner(2, axis)
        held = tf.get_variable("held", [5, 3], tf.float64, partitioner=cut)
        assert partitions.determine_partitioned_axis(held) == axis
        assigned = partitions.partitioned_variable_assign(held, tf.constant(whole))
        # The name is that of TensorFlow 1.15.
        assert assigned.name == "held_group_assign"
        session.run(assigned)
        np.testing.assert_array_equal(session.run(tf.convert_to_tensor(held)), whole)


def test_whole_variables_have_no_axis_of_parts() -> None:
    with tf.Graph().as_default():
        held = tf.get_variable("held", [5, 3], partitioner=tf.fixed_size_partitioner(1))
        with pytest.raises(ValueError, match="Number of partitioned axes 0 not equal to 1"):
            partitions.determine_partitioned_axis(held)
