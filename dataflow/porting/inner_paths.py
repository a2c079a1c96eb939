"""The table of the paths that TensorFlow's own tests import, or few programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_SPELLINGS = "dataflow.porting.spellings"
_HEADS: Final = (
    "base_head binary_class_head head_utils multi_class_head multi_head multi_label_head "
    "regression_head"
)
_TREES: Final = (
    "library.boosted_trees.ensembles library.boosted_trees.quantiles library.boosted_trees.pruning "
    "library.boosted_trees.calls"
)
_GRADIENTS: Final = (
    "array_grad control_flow_grad data_flow_grad image_grad linalg_grad manip_grad math_grad "
    "nn_grad optional_grad random_grad rnn_grad sparse_grad state_grad"
)
"""Modules that have the gradients of op types."""
_EMPTY: Final = (
    "framework.c_api_util "
    "framework.cpp_shape_inference_pb2 framework.framework_lib framework.kernels "
    "ops.clustering_ops "
    "ops.cudnn_rnn_grad "
    "ops.linalg.adjoint_registrations ops.linalg.cholesky_registrations "
    "ops.linalg.inverse_registrations ops.linalg.matmul_registrations "
    "ops.linalg.registrations_util ops.linalg.solve_registrations "
    "ops.nccl_ops "
    "ops.ragged.ragged_dispatch "
    "ops.ragged.ragged_operators "
    "ops.tensor_forest_ops ops.while_v2_indexed_slices_rewriter "
    "platform.build_info platform.control_imports platform.parameterized platform.remote_utils "
    "platform.self_check platform.status_bar saved_model.function_deserialization "
    "saved_model.function_serialization saved_model.revived_types "
    "util.deprecation_wrapper "
    "util.example_parser_configuration util.future_api util.is_in_graph_mode util.memory"
)
"""Modules that are imported for what their import registers, or whose names are not here."""

_RESOLVERS: Final = "contrib.cluster_resolver"
_REPLICAS: Final = f"distribute {_SPELLINGS}.inner.replica_devices"
_STRATEGIES: Final[Mapping[str, str]] = {
    "central_storage_strategy": "distribute.experimental",
    "cluster_resolver": _RESOLVERS,
    **{
        f"cluster_resolver.{name}cluster_resolver": _RESOLVERS
        for name in ("", "gce_", "kubernetes_", "slurm_", "tfconfig_", "tpu_")
    },
    "collective_all_reduce_strategy": f"{_SPELLINGS}.inner.strategies distribute.experimental",
    "cross_device_ops": _REPLICAS,
    "cross_device_utils": _REPLICAS,
    "device_util": _REPLICAS,
    "distribute_lib": f"{_SPELLINGS}.inner.strategies {_REPLICAS}",
    "distribution_strategy_context": f"{_REPLICAS} contrib.distribute",
    "estimator_training": "estimator",
    "mirrored_strategy": f"{_SPELLINGS}.inner.strategies distribute",
    "multi_worker_util": f"{_SPELLINGS}.inner.cluster_tasks",
    "one_device_strategy": f"{_SPELLINGS}.inner.strategies distribute",
    "parameter_server_strategy": f"{_SPELLINGS}.inner.strategies distribute.experimental",
    "reduce_util": "distribute",
}
"""Path below `distribute` -> the modules that have its names."""

_INNER: Final[Mapping[str, str]] = {
    "client.client_lib": "",
    "compat.compat": "compat",
    "compat.v2_compat": "",
    "data.benchmarks.benchmark_base": f"{_SPELLINGS}.data.timing",
    "data.experimental.kernel_tests.reader_dataset_ops_test_base": (
        f"{_SPELLINGS}.data.file_testing"
    ),
    "data.experimental.kernel_tests.stats_dataset_test_base": (
        f"{_SPELLINGS}.data.statistics_testing"
    ),
    "data.experimental.kernel_tests.serialization.dataset_serialization_test_base": (
        f"{_SPELLINGS}.data.saved_iterators"
    ),
    "data.experimental.ops.distribute": f"data.experimental {_SPELLINGS}.data.stages_of_tests",
    "data.experimental.ops.distribute_options": "data.experimental",
    "data.experimental.ops.iterator_ops": "data.experimental",
    "data.experimental.ops.map_defun": f"{_SPELLINGS}.data.mapped_functions",
    "data.experimental.ops.matching_files": f"{_SPELLINGS}.data.sources_of_tests",
    "data.experimental.ops.snapshot": f"{_SPELLINGS}.data.snapshots",
    "data.experimental.ops.optimization": f"{_SPELLINGS}.data.stages_of_tests",
    "data.experimental.ops.optimization_options": "data.experimental",
    "data.experimental.ops.parsing_ops": "data.experimental",
    "data.experimental.ops.prefetching_ops": "data.experimental",
    "data.experimental.ops.readers": f"data.experimental {_SPELLINGS}.data.sources_of_tests",
    "data.experimental.ops.sleep": f"{_SPELLINGS}.data.stages_of_tests",
    "data.experimental.ops.stats_aggregator": "library.datasets.settings.aggregators",
    "data.experimental.ops.stats_ops": "library.datasets.experimental.statistics",
    "data.experimental.ops.stats_options": "data.experimental",
    "data.experimental.ops.threading_options": "data.experimental",
    "data.experimental.ops.threadpool": f"{_SPELLINGS}.data.thread_pools data.experimental",
    "data.experimental.ops.writers": "data.experimental",
    "data.kernel_tests.checkpoint_test_base": (
        f"{_SPELLINGS}.data.checkpoint_testing {_SPELLINGS}.data.saved_iterators"
    ),
    "data.kernel_tests.test_base": f"{_SPELLINGS}.data.testing",
    "data.ops.multi_device_iterator_ops": "library.datasets.multi_device",
    "data.util.convert": f"{_SPELLINGS}.data.conversions",
    "data.util.options": f"library.datasets.settings.options {_SPELLINGS}.data.joined_options",
    "data.util.random_seed": f"{_SPELLINGS}.data.conversions",
    "data.util.sparse": f"{_SPELLINGS}.data.sparse",
    "data.util.traverse": f"{_SPELLINGS}.data.sources_of_tests",
    "data.util.structure": f"{_SPELLINGS}.data.structures data.experimental",
    "distribute.summary_op_util": f"{_SPELLINGS}.ops.summaries",
    **{f"distribute.{path}": names for path, names in _STRATEGIES.items()},
    "estimator.canned.boosted_trees": f"estimator {_SPELLINGS}.estimators",
    "estimator.canned.saved_model_estimator": "estimation.canned.saved_model",
    "estimator.early_stopping": "estimator.experimental",
    **{f"estimator.head.{name}": f"estimator {_SPELLINGS}.estimators" for name in _HEADS.split()},
    "estimator.extenders": "estimation.extending",
    "estimator.gc": f"{_SPELLINGS}.util.export_versions",
    "estimator.hooks.fake_summary_writer": f"{_SPELLINGS}.recorded",
    "estimator.hooks.hooks": "estimator.experimental",
    "estimator.inputs.queues.feeding_queue_runner": f"estimation.feeding {_SPELLINGS}.estimators",
    "estimator.hooks.basic_session_run_hooks": "estimator train",
    "estimator.hooks.session_run_hook": "estimator train",
    "feature_column.dense_features": "feature_column keras.layers",
    "feature_column.dense_features_v2": f"{_SPELLINGS}.keras.newer_layers",
    "feature_column.sequence_feature_column": (
        f"feature_column {_SPELLINGS}.columns.names keras.layers.features"
    ),
    "feature_column.serialization": f"{_SPELLINGS}.columns.names feature_columns.configs",
    "feature_column.utils": f"{_SPELLINGS}.columns.names",
    "framework.common_shapes": (
        f"{_SPELLINGS}.framework.shapes {_SPELLINGS}.inner.shape_functions values.shapes"
    ),
    "framework.auto_control_deps": "functions.automatic_control",
    "framework.load_library": "library.program.shared_objects",
    "framework.combinations": f"{_SPELLINGS}.framework.combinations",
    "framework.config": "session.local_devices session.defaults",
    "framework.composite_tensor_utils": f"{_SPELLINGS}.util.joined_values",
    "framework.convert_to_constants": "graph_util",
    "framework.error_interpolation": f"{_SPELLINGS}.framework.defining_lines",
    "framework.func_graph": "functions.func_graph",
    "framework.function_def_to_graph": f"{_SPELLINGS}.framework.function_bodies",
    "framework.graph_to_function_def": f"{_SPELLINGS}.framework.graph_internals",
    "framework.registry": f"{_SPELLINGS}.framework.registries",
    "framework.subscribe": f"{_SPELLINGS}.framework.subscriptions",
    "framework.tensor_conversion_registry": "graph.convert",
    "framework.tensor_like": f"{_SPELLINGS}.framework.tensor_like",
    "framework.test_combinations": f"{_SPELLINGS}.framework.combinations",
    "framework.test_ops": f"{_SPELLINGS}.framework.ops_of_tests",
    "framework.traceable_stack": f"{_SPELLINGS}.util.traceables",
    "framework.versions": "version",
    "kernel_tests.signal.test_util": f"{_SPELLINGS}.framework.folding",
    "kernel_tests.random.util": f"{_SPELLINGS}.distributions.statistics",
    "ops.batch_ops": "contrib.batching",
    "ops.collective_ops": f"{_SPELLINGS}.inner.collectives",
    "ops.boosted_trees_ops": _TREES,
    "ops.gen_boosted_trees_ops": "library.boosted_trees.calls",
    "ops.control_flow_state": "differentiation.loop_state",
    "ops.control_flow_util_v2": "control_flow.while_v2",
    "ops.control_flow_v2_func_graphs": "functions.func_graph",
    "ops.control_flow_v2_toggles": "control_flow.version",
    "ops.critical_section_ops": "control_flow.critical_section",
    "ops.default_gradient": f"{_SPELLINGS}.inner.gradient_parts",
    **{f"ops.{name}": f"{_SPELLINGS}.inner.gradient_parts" for name in _GRADIENTS.split()},
    "ops.distributions.bijector": "contrib.distributions.bijectors",
    "ops.distributions.bijector_impl": "contrib.distributions.bijectors",
    "ops.distributions.bijector_test_util": f"{_SPELLINGS}.distributions.bijections",
    "ops.distributions.identity_bijector": "contrib.distributions.bijectors",
    "ops.distributions.special_math": "library.distributions.normal_function math",
    "ops.distributions.transformed_distribution": "contrib.distributions",
    "ops.distributions.util": f"{_SPELLINGS}.distributions.pieces contrib.distributions "
    "contrib.distributions.triangular",
    "ops.gradient_checker_v2": f"{_SPELLINGS}.ops.gradient_checks",
    "ops.gradients_util": f"{_SPELLINGS}.ops.gradients",
    "ops.initializers_ns": "initializers",
    "framework.op_def_library": f"{_SPELLINGS}.framework.op_library",
    "ops.linalg.linear_operator_algebra": "library.linear_operators.registrations linalg",
    "ops.linalg.linear_operator_test_util": f"{_SPELLINGS}.linalg.operator_tests",
    "ops.linalg_ops_impl": "linalg",
    "ops.list_ops": f"{_SPELLINGS}.ops.lists",
    "ops.losses.loss_reduction": "losses",
    "ops.manip_ops": "manip",
    "ops.op_selector": f"contrib.graph_editor {_SPELLINGS}.inner.subgraphs",
    "ops.parallel_for.control_flow_ops": f"{_SPELLINGS}.ops.parallel",
    "ops.parallel_for.test_util": f"{_SPELLINGS}.util.loops_of_tests",
    "ops.parallel_for.gradients": f"{_SPELLINGS}.ops.parallel",
    "ops.parallel_for.pfor": f"{_SPELLINGS}.ops.parallel",
    "ops.proto_ops": "io",
    "ops.ragged.ragged_batch_gather_with_default_op": f"{_SPELLINGS}.util.ragged_padded ragged",
    "ops.ragged.ragged_config": f"{_SPELLINGS}.util.ragged_rows",
    "ops.ragged.ragged_tensor_shape": f"{_SPELLINGS}.util.ragged_shapes ragged",
    "ops.ragged.ragged_test_util": f"{_SPELLINGS}.util.ragged_tests",
    "ops.ragged.ragged_util": f"ragged {_SPELLINGS}.util.ragged_rows",
    "ops.rnn_cell_wrapper_impl": "nn.rnn_cell",
    "ops.sdca_ops": "train",
    "ops.sets_impl": "sets",
    "ops.signal.util_ops": "signal",
    "ops.sort_ops": "",
    "ops.template": f"variables.template {_SPELLINGS}.util.stacks",
    "ops.tensor_array_grad": f"{_SPELLINGS}.ops.gradients",
    "framework.constant_op": f"{_SPELLINGS}.constants {_SPELLINGS}.framework.shapes",
    "module.module": "library.layers.module",
    "ops.constant_op": f"{_SPELLINGS}.constants {_SPELLINGS}.framework.shapes",
    "ops.custom_gradient": f"{_SPELLINGS}.ops.gradients {_SPELLINGS}.inner.gradient_parts",
    "ops.spectral_ops_test_util": f"{_SPELLINGS}.framework.graph_checks",
    "ops.stateful_random_ops": "random",
    "ops.stateless_random_ops": f"{_SPELLINGS}.distributions.seeded random",
    "platform.app": "app",
    "platform.benchmark": "testing.benchmark testing.surroundings test",
    "platform.flags": "flags",
    "platform.gfile": "gfile",
    "platform.googletest": f"test {_SPELLINGS}.util.folders_of_tests",
    "platform.resource_loader": "resource_loader",
    "platform.sysconfig": "",
    "platform.test": "test",
    "platform.tf_logging": "logging",
    "pywrap_tensorflow_internal": f"train {_SPELLINGS}.events",
    "saved_model.loader_impl": "saving.saved_model.loader saving.saved_model.files "
    f"saving.saved_model.assets {_SPELLINGS}.saving",
    "saved_model.load": "saved_model saving.objects.loading",
    "saved_model.load_v1_in_v2": "saving.objects.loading",
    **{
        f"saved_model.{path}": "estimation.export_outputs estimation.export_signatures "
        f"{_SPELLINGS}.estimators"
        for path in (
            "model_utils",
            *("model_utils.export_output", "model_utils.export_utils", "model_utils.mode_keys"),
        )
    },
    "saved_model.save": "saved_model saving.objects.saving",
    "saved_model.signature_serialization": "saving.objects.signatures",
    "summary.plugin_asset": "recording.plugin_assets",
    "summary.writer.event_file_writer": "recording.event_thread",
    "summary.writer.event_file_writer_v2": f"{_SPELLINGS}.inner.event_writers",
    "summary.writer.fake_summary_writer": f"{_SPELLINGS}.recorded",
    "training.distribution_strategy_context": "distribute",
    "training.experimental.loss_scale": "train.experimental",
    "training.experimental.loss_scale_optimizer": "train.experimental",
    "training.experimental.mixed_precision": "train.experimental",
    "training.gen_training_ops": "train",
    "training.optimizer": (f"train {_SPELLINGS}.nets.optimizers {_SPELLINGS}.inner.gradient_parts"),
    "training.saver": (
        "train saving.builder saving.saver training.monitored.scaffold "
        f"{_SPELLINGS}.inner.object_checkpoints"
    ),
    "training.saver_test_utils": f"{_SPELLINGS}.saving",
    "training.saving.saveable_object": "library.saveable_object",
    "training.saving.functional_saver": f"saving.functional_saver {_SPELLINGS}.saving",
    "training.saving.saveable_object_util": "saving.saveables saving.functional_saver "
    f"{_SPELLINGS}.saving",
    "training.tensorboard_logging": f"{_SPELLINGS}.util.recorded_messages",
    "training.tracking.layer_utils": f"{_SPELLINGS}.keras.engine.holders",
    "training.tracking.python_state": "train.experimental",
    "user_ops.user_ops": "",
    "util.compat_internal": "compat",
    "util.decorator_utils": f"{_SPELLINGS}.decorators",
    "util.dispatch": f"{_SPELLINGS}.util.dispatching",
    "util.keyword_args": f"{_SPELLINGS}.decorators",
    "util.lock_util": f"{_SPELLINGS}.util.locks",
    "util.module_wrapper": f"{_SPELLINGS}.util.module_wrappers",
    "util.object_identity": f"{_SPELLINGS}.util.identity",
    "util.protobuf.compare": f"{_SPELLINGS}.util.messages",
    "util.serialization": f"{_SPELLINGS}.util.messages",
    "util.tf_should_use": f"{_SPELLINGS}.util.used_results",
    "util.tf_stack": f"{_SPELLINGS}.util.stacks",
}
"""Path below tensorflow.python -> the modules that have its names, beside the top one."""


def inner_sources(public: str) -> dict[str, tuple[str, ...]]:
    """Path -> the modules that are asked for its names, one after the other."""
    found: dict[str, tuple[str, ...]] = dict.fromkeys(_EMPTY.split(), ())
    for path, names in _INNER.items():
        full = (name if name.startswith(public) else f"{public}.{name}" for name in names.split())
        found[path] = (*full, public)
    return {f"tensorflow.python.{path}": sources for path, sources in found.items()}
