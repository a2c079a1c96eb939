"""The table of the modules that TensorFlow 2 made of parts of older ones.

Its own tests, and programs beside them, import from the newer paths what is here by the older ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_INNER: Final = "tensorflow.python."
_STAGES: Final = (
    "batch cache choose_from_datasets concatenate counter directed_interleave filter flat_map "
    "from_generator from_sparse_tensor_slices from_tensor_slices from_tensors group_by_window "
    "ignore_errors interleave load map padded_batch prefetch ragged_batch random range rebatch "
    "repeat sample_from_datasets save scan shard shuffle skip snapshot sparse_batch take "
    "take_while unbatch unique window zip"
)
"""Transformations of datasets that have a module each."""
_PARTS: Final[Mapping[str, str]] = {
    "checkpoint.checkpoint": "training.tracking.util",
    "checkpoint.checkpoint_management": "training.checkpoint_management",
    "checkpoint.functional_saver": "training.saving.functional_saver",
    "checkpoint.graph_view": "training.tracking.graph_view",
    "checkpoint.restore": "training.tracking.util",
    "checkpoint.util": "training.tracking.util",
    "client.pywrap_tf_session": "client.session pywrap_tensorflow",
    "data.experimental.ops.from_list": "data.experimental.ops.readers",
    "data.experimental.ops.io": "data.experimental.ops.readers",
    "data.experimental.ops.lookup_ops": "data.experimental.ops.readers",
    "data.experimental.ops.random_access": "data.experimental.ops.readers",
    "data.experimental.ops.testing": "data.experimental.ops.sleep",
    "data.kernel_tests.tf_record_test_base": (
        "data.experimental.kernel_tests.reader_dataset_ops_test_base"
    ),
    "eager.polymorphic_function.polymorphic_function": "eager.def_function",
    "feature_column.feature_column_v2_types": "feature_column.feature_column_v2",
    "framework.constant_tensor_conversion": "framework.constant_op",
    "framework.stack": "framework.ops",
    "framework.tensor": "framework.tensor_spec framework.ops",
    "framework.tensor_conversion": "framework.ops",
    "ops.array_ops_stack": "ops.array_ops",
    "ops.bincount_ops": "ops.math_ops ops.sparse_ops",
    "ops.cond": "ops.control_flow_ops",
    "ops.control_flow_assert": "ops.control_flow_ops",
    "ops.control_flow_case": "ops.control_flow_ops",
    "ops.control_flow_switch_case": "ops.control_flow_ops",
    "ops.handle_data_util": "ops.resource_variable_ops",
    "ops.linalg.linear_operator_block_lower_triangular": "ops.linalg.linear_operator",
    "ops.linalg.linear_operator_tridiag": "ops.linalg.linear_operator",
    "ops.lookup_grad": "ops.state_grad",
    "ops.nn_fused_batch_norm_grad": "ops.state_grad",
    "ops.nn_impl_distribute": "ops.nn_impl",
    "ops.parsing_config": "ops.parsing_ops",
    "ops.parsing_grad": "ops.state_grad",
    "ops.random_ops_util": "ops.stateless_random_ops",
    "ops.ref_variable": "ops.variables",
    "ops.resource_variables_toggle": "ops.variable_scope",
    "ops.shape_util": "framework.tensor_util",
    "ops.tensor_getitem_override": "ops.array_ops",
    "ops.tensor_math_operator_overrides": "ops.math_ops",
    "ops.variable_v1": "ops.variables",
    "ops.while_loop": "ops.control_flow_ops",
    "saved_model.load_options": "saved_model.saved_model",
    "trackable.asset": "training.tracking.tracking",
    "trackable.autotrackable": "training.tracking.tracking training.tracking.base",
    "trackable.base": "training.tracking.base",
    "trackable.data_structures": "training.tracking.data_structures",
    "trackable.layer_utils": "training.tracking.layer_utils",
    "trackable.python_state": "training.tracking.python_state",
    "trackable.resource": "training.tracking.tracking training.tracking.base",
    "training.checkpointable.util": "training.tracking.util",
    "training.py_checkpoint_reader": "training.checkpoint_utils pywrap_tensorflow",
    "types.core": "framework.ops",
    **{f"data.ops.{stage}_op": "data.ops.dataset_ops" for stage in _STAGES.split()},
}
"""Path below tensorflow.python -> the older paths whose names it has."""

_OWN: Final[Mapping[str, str]] = {
    "checkpoint.checkpoint_options": "dataflow.saving.checkpoint.options",
    "saved_model.save_options": "dataflow.saving.objects.options",
}
"""Path below tensorflow.python -> the module that has its names."""

_EMPTY: Final = (
    "checkpoint.saveable_compat client._pywrap_tf_session framework.byte_swap_tensor "
    "framework.extension_type framework.gpu_util framework.memory_checker "
    "framework.none_tensor framework.op_callbacks framework.override_binary_operator "
    "framework.strict_mode framework.type_utils ops.linalg.sparse.sparse ops.map_ops "
    "ops.numpy_ops.np_config ops.ragged.dynamic_ragged_shape ops.weak_tensor_ops "
    "platform.device_context profiler.profiler_v2 profiler.trace trackable.constants "
    "types.internal types.trace util._pywrap_determinism util._pywrap_utils util.numpy_compat "
    "util.pywrap_xla_ops util.traceback_utils util.variable_utils"
)
"""Modules that are imported for what their import registers, or whose names are not here."""


def later_sources(older: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Path -> the modules that are asked for its names, mostly those of older paths."""
    parts = {
        f"{_INNER}{path}": tuple(
            dict.fromkeys(
                source for former in paths.split() for source in older[f"{_INNER}{former}"]
            )
        )
        for path, paths in _PARTS.items()
    }
    own = {f"{_INNER}{path}": (source,) for path, source in _OWN.items()}
    return parts | own | {f"{_INNER}{path}": () for path in _EMPTY.split()}
