"""The table of the modules that TensorFlow 2 made of parts of older ones.

Its own tests, and programs beside them, import from the newer paths what is here by the older ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_INNER: Final = "tensorflow.python."
_PARTS: Final[Mapping[str, str]] = {
    "client.session": "client.pywrap_tf_session",
    "data.ops.dataset_ops": (
        "data.ops.batch_op data.ops.cache_op data.ops.choose_from_datasets_op "
        "data.ops.concatenate_op data.ops.counter_op data.ops.filter_op data.ops.flat_map_op "
        "data.ops.from_generator_op data.ops.from_sparse_tensor_slices_op "
        "data.ops.from_tensor_slices_op data.ops.from_tensors_op data.ops.group_by_window_op "
        "data.ops.ignore_errors_op data.ops.interleave_op data.ops.map_op "
        "data.ops.padded_batch_op data.ops.prefetch_op data.ops.random_op data.ops.range_op "
        "data.ops.repeat_op data.ops.sample_from_datasets_op data.ops.scan_op data.ops.shard_op "
        "data.ops.shuffle_op data.ops.skip_op data.ops.sparse_batch_op data.ops.take_op "
        "data.ops.take_while_op data.ops.unbatch_op data.ops.unique_op data.ops.window_op "
        "data.ops.zip_op"
    ),
    "eager.def_function": "eager.polymorphic_function.polymorphic_function",
    "framework.ops": "framework.stack framework.tensor_conversion types.core",
    "framework.tensor_spec": "framework.tensor",
    "framework.tensor_util": "ops.shape_util",
    "ops.array_ops": "ops.array_ops_stack ops.tensor_getitem_override",
    "ops.control_flow_ops": (
        "ops.cond ops.control_flow_assert ops.control_flow_case ops.control_flow_switch_case "
        "ops.while_loop"
    ),
    "ops.linalg.linear_operator": (
        "ops.linalg.linear_operator_block_lower_triangular ops.linalg.linear_operator_tridiag"
    ),
    "ops.math_ops": "ops.bincount_ops",
    "ops.parsing_ops": "ops.parsing_config",
    "ops.resource_variable_ops": "ops.handle_data_util",
    "ops.stateless_random_ops": "ops.random_ops_util",
    "ops.state_grad": "ops.lookup_grad ops.nn_fused_batch_norm_grad ops.parsing_grad",
    "ops.tensor_array_ops": "ops.tensor_math_operator_overrides",
    "ops.variable_scope": "ops.resource_variables_toggle",
    "ops.variables": "ops.ref_variable ops.variable_v1",
    "training.checkpoint_management": "checkpoint.checkpoint_management",
    "training.checkpoint_utils": "training.py_checkpoint_reader",
    "training.saving.functional_saver": "checkpoint.functional_saver",
    "training.tracking.base": "trackable.base trackable.autotrackable trackable.resource",
    "training.tracking.data_structures": "trackable.data_structures",
    "training.tracking.graph_view": "checkpoint.graph_view",
    "training.tracking.layer_utils": "trackable.layer_utils",
    "training.tracking.python_state": "trackable.python_state",
    "training.tracking.util": (
        "checkpoint.checkpoint checkpoint.util checkpoint.restore training.checkpointable.util"
    ),
}
"""Path below tensorflow.python -> the paths that have its names, too."""

_OWN: Final[Mapping[str, str]] = {
    "checkpoint.checkpoint_options": "dataflow.saving.checkpoint.options",
    "saved_model.save_options": "dataflow.saving.objects.options",
}
"""Path below tensorflow.python -> the module that has its names."""

_EMPTY: Final = (
    "checkpoint.saveable_compat client._pywrap_tf_session "
    "framework.byte_swap_tensor framework.constant_tensor_conversion framework.extension_type "
    "framework.gpu_util framework.memory_checker framework.none_tensor framework.op_callbacks "
    "framework.override_binary_operator framework.strict_mode framework.type_utils "
    "ops.linalg.sparse.sparse ops.map_ops ops.numpy_ops.np_config ops.ragged.dynamic_ragged_shape "
    "ops.weak_tensor_ops platform.device_context profiler.profiler_v2 profiler.trace "
    "saved_model.load_options trackable.asset trackable.constants types.internal types.trace "
    "util._pywrap_determinism util._pywrap_utils util.numpy_compat util.pywrap_xla_ops "
    "util.traceback_utils util.variable_utils"
)
"""Modules that are imported for what their import registers, or whose names are not here."""


def later_sources(older: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Path -> the modules that are asked for its names, mostly those of an older path."""
    parts = {
        f"{_INNER}{path}": older[f"{_INNER}{former}"]
        for former, paths in _PARTS.items()
        for path in paths.split()
    }
    own = {f"{_INNER}{path}": (source,) for path, source in _OWN.items()}
    return parts | own | {f"{_INNER}{path}": () for path in _EMPTY.split()}
