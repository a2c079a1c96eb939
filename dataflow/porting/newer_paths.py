"""The table of the paths that TensorFlow 2 has divided its inner modules into."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_PIPELINE_STAGES: Final = (
    "batch cache choose_from_datasets concatenate counter directed_interleave filter flat_map "
    "from_generator from_sparse_tensor_slices from_tensor_slices from_tensors group_by_window "
    "ignore_errors interleave load map padded_batch prefetch ragged_batch random range rebatch "
    "repeat sample_from_datasets save scan shard shuffle skip snapshot sparse_batch take "
    "take_while unbatch unique window zip"
)
"""Transformations of datasets that have a file each, `<name>_op`."""
_DIVIDED: Final[Mapping[str, str]] = {
    "checkpoint.checkpoint": "training.tracking.util",
    "checkpoint.checkpoint_management": "training.checkpoint_management",
    "checkpoint.checkpoint_options": "training.training",
    "checkpoint.functional_saver": "training.saving.functional_saver",
    "checkpoint.graph_view": "training.tracking.graph_view",
    "client.pywrap_tf_session": "pywrap_tensorflow",
    **{f"data.ops.{name}_op": "data.ops.dataset_ops" for name in _PIPELINE_STAGES.split()},
    "data.experimental.ops.from_list": "data.experimental.ops.readers",
    "data.experimental.ops.io": "data.experimental.ops.readers",
    "data.experimental.ops.lookup_ops": "data.experimental.ops.readers",
    "data.experimental.ops.random_access": "data.experimental.ops.readers",
    "data.experimental.ops.testing": "data.experimental.ops.sleep",
    "data.kernel_tests.tf_record_test_base": (
        "data.experimental.kernel_tests.reader_dataset_ops_test_base"
    ),
    "feature_column.feature_column_v2_types": "feature_column.feature_column_v2",
    "framework.constant_tensor_conversion": "framework.constant_op",
    "framework.tensor": "framework.ops framework.tensor_spec",
    "framework.tensor_conversion": "framework.ops",
    "ops.array_ops_stack": "ops.array_ops",
    "ops.bincount_ops": "ops.math_ops ops.sparse_ops",
    "ops.cond": "ops.control_flow_ops",
    "ops.control_flow_assert": "ops.control_flow_ops",
    "ops.control_flow_case": "ops.control_flow_ops",
    "ops.control_flow_switch_case": "ops.control_flow_ops",
    "ops.lookup_grad": "ops.array_grad",
    "ops.nn_fused_batch_norm_grad": "ops.nn_grad",
    "ops.nn_impl_distribute": "ops.nn_impl",
    "ops.parsing_config": "ops.parsing_ops",
    "ops.parsing_grad": "ops.array_grad",
    "ops.ref_variable": "ops.variables",
    "ops.resource_variables_toggle": "ops.variable_scope",
    "ops.tensor_getitem_override": "ops.array_ops",
    "ops.tensor_math_operator_overrides": "ops.math_ops",
    "ops.variable_v1": "ops.variables",
    "ops.while_loop": "ops.control_flow_ops",
    "saved_model.load_options": "saved_model.saved_model",
    "saved_model.save_options": "saved_model.saved_model",
    "trackable.asset": "training.tracking.tracking",
    "trackable.autotrackable": "training.tracking.tracking",
    "trackable.base": "training.tracking.base",
    "trackable.data_structures": "training.tracking.data_structures",
    "trackable.layer_utils": "training.tracking.layer_utils",
    "trackable.python_state": "training.tracking.python_state",
    "trackable.resource": "training.tracking.tracking",
    "training.py_checkpoint_reader": "training.checkpoint_utils pywrap_tensorflow",
}
"""Path below tensorflow.python -> those of TensorFlow 1 whose names it has."""


def newer_sources(older: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Path -> the modules that are asked for its names, from those of the `older` paths."""
    return {
        f"tensorflow.python.{path}": tuple(
            dict.fromkeys(
                source for name in names.split() for source in older[f"tensorflow.python.{name}"]
            )
        )
        for path, names in _DIVIDED.items()
    }
