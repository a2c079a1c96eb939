"""Hyperparameters of forests: what is filled in, and the message that trees get."""

from __future__ import annotations

from pathlib import Path

import pytest

from dataflow.contrib import tensor_forest as package
from dataflow.contrib.decision_trees.proto import generic_tree_model_pb2
from dataflow.contrib.tensor_forest.python import tensor_forest


def test_what_is_filled_in() -> None:
    """The bytes are what TensorFlow 1.15 makes of these hyperparameters."""
    params = tensor_forest.ForestHParams(num_classes=3, num_features=7, num_trees=2).fill()
    assert params.values() is params.__dict__
    assert (params.num_splits_to_consider, params.num_outputs, params.regression) == (10, 1, False)
    assert (params.num_output_columns, params.bagged_features) == (4, None)
    serialized = tensor_forest.build_params_proto(params).SerializeToString()
    assert serialized == (
        b'"\x07\n\x05\r\x00\x00\x00\x00*\x07\n\x05\r\x00\x00\x00\x000\x028\x90N`\x03j\x05\r\x00'
        b"\x00 Ar\x05\r\x00\x00zCz\x05\r\xa4p}?\xa8\x01\x07"
    )
    many = tensor_forest.ForestHParams(num_classes=2, num_features=10**7, regression=True).fill()
    assert (many.num_splits_to_consider, many.num_outputs) == (1000, 2)
    assert many.leaf_model_type == tensor_forest.REGRESSION_MODEL_TYPE[0]


def test_checks_that_are_not_given_are_parts_of_the_samples() -> None:
    params = tensor_forest.ForestHParams(
        num_classes=2,
        num_features=3,
        split_after_samples="100",
        split_pruning_name="quarter",
        split_finish_name="hoeffding",
    ).fill()
    assert params.prune_every_samples == 50 and params.early_finish_check_every_samples == 25
    proto = tensor_forest.build_params_proto(params)
    assert proto.split_after_samples.constant_value == 100
    assert proto.pruning_type.prune_every_samples.constant_value == 50


def test_a_file_goes_before_the_rest(tmp_path: Path) -> None:
    (tmp_path / "params").write_text("max_nodes: 5 num_select_features: 2")
    params = tensor_forest.ForestHParams(
        num_classes=2,
        num_features=3,
        max_nodes=9,
        split_after_samples="threshold { on_value: 5 off_value: 9 threshold: 3 }",
        param_file=str(tmp_path / "params"),
    ).fill()
    proto = tensor_forest.build_params_proto(params)
    assert (proto.max_nodes, proto.num_select_features) == (5, 2)
    assert proto.split_after_samples.threshold.on_value == 5


def test_what_is_missing_or_unknown() -> None:
    with pytest.raises(AttributeError, match="num_classes"):
        tensor_forest.ForestHParams(num_features=3).fill()
    with pytest.raises(AttributeError, match="num_features"):
        tensor_forest.ForestHParams(num_classes=3).fill()
    with pytest.raises(KeyError, match="quick"):
        tensor_forest.ForestHParams(num_classes=2, num_features=3, split_finish_name="quick").fill()


def test_names() -> None:
    assert package.tensor_forest is tensor_forest and package.random_forest.TensorForestEstimator
    assert package.python.ops.gen_model_ops.tree_size and package.proto.fertile_stats_pb2
    assert generic_tree_model_pb2.Model.DESCRIPTOR.full_name == "dataflow.decision_trees.Model"
    assert tensor_forest.TreeTrainingVariables is tensor_forest.TreeVariables
