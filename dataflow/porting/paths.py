"""The table: where the names of TensorFlow's internal paths are to be found in this library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from dataflow.porting.contrib_paths import contrib_sources
from dataflow.porting.inner_paths import inner_sources
from dataflow.porting.keras_paths import keras_sources
from dataflow.porting.later_paths import later_sources
from dataflow.porting.tpu_paths import tpu_sources
from dataflow.porting.v2_paths import v2_sources

PUBLIC: Final = "dataflow"
_CORE: Final = "example framework kernels kernels.boosted_trees lib lib.core profiler util"


def _each(names: str, sources: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    return dict.fromkeys(names.split(), sources)


_NN = ("dataflow.nn", PUBLIC)
_TRAIN = ("dataflow.train", PUBLIC)
_DISTRIBUTIONS = ("dataflow.distributions", "dataflow.contrib.distributions")
_IO = ("dataflow.io", "dataflow.python_io", PUBLIC)
_LAYERS = ("dataflow.layers", "dataflow.porting.spellings.layers")
_CELLS = (
    "dataflow.nn.rnn_cell",
    "dataflow.library.rnn.cell",
    "dataflow.contrib.rnn.internals",
    "dataflow.contrib.rnn",
)
_LEGACY = ("dataflow.contrib.legacy_seq2seq",)
_CONTROL = (
    PUBLIC,
    "dataflow.ops.basic.grouping",
    "dataflow.control_flow.primitives",
    "dataflow.control_flow.smart_cond",
    "dataflow.control_flow.context",
    "dataflow.control_flow.cond_context",
    "dataflow.control_flow.while_context",
    "dataflow.control_flow.xla_context",
    "dataflow.porting.spellings.ops.flow",
)
_INITIALIZERS = (
    PUBLIC,
    "dataflow.variables.initializers",
    "dataflow.variables.scaled_initializers",
)
_SESSION = (
    PUBLIC,
    "dataflow.session.base_session",
    "dataflow.session.conversions",
    "dataflow.porting.spellings.framework.fetching",
)
_SHAPES = (PUBLIC, "dataflow.values.shapes")
_GRAPH = (
    PUBLIC,
    "dataflow.graph.convert",
    "dataflow.graph.scopes",
    "dataflow.graph.collection_protos",
    "dataflow.profiling.counting",
    "dataflow.porting.spellings.framework.graphs",
    "dataflow.porting.spellings.framework.graph_internals",
    "dataflow.graph.default_stacks",
)
_CONSTANTS = (
    PUBLIC,
    "dataflow.contrib.util",
    "dataflow.graph.constant_value",
    "dataflow.values.tensor_proto",
    "dataflow.porting.spellings.framework.tensors",
)
_HOOKS = (*_TRAIN, "dataflow.training.hooks.timers")
_AVERAGES = (*_TRAIN, "dataflow.training.moving_averages")
_NEST = (
    "dataflow.nest",
    "dataflow.values.nest",
    "dataflow.library.shallow_nest",
    "dataflow.porting.spellings.structures",
)
_ESTIMATOR = ("dataflow.estimator",)
_EXPORTING = ("dataflow.estimator.export", "dataflow.estimation.export_signatures")
_DATA = ("dataflow.data",)
_EXPERIMENTAL_DATA = ("dataflow.data.experimental",)
_PROFILER = ("dataflow.profiler",)
_MNIST = ("dataflow.contrib.learn.datasets.mnist",)
_CHECKS = ("dataflow.debugging", "dataflow.porting.spellings.framework.element_types", PUBLIC)
_DEBUG = ("dataflow.porting.spellings.debuggers",)
_RAGGED = (
    "dataflow.ragged",
    "dataflow.porting.spellings.ops.ragged",
    "dataflow.porting.spellings.util.ragged_padded",
    "dataflow.porting.spellings.util.ragged_rows",
    "dataflow.library.ragged.choosing",
    "dataflow.library.ragged.counting",
    "dataflow.library.ragged.gathering",
    "dataflow.library.ragged.reductions",
    "dataflow.library.ragged.segments",
    "dataflow.library.ragged.shaping",
    "dataflow.strings",
    PUBLIC,
)
_DECORATORS = ("dataflow.porting.spellings.decorators",)
_EXPORTS = ("dataflow.porting.spellings.exports",)
_AUTOGRAPH = ("dataflow.autograph", "dataflow.autograph.experimental")
_FUNCTIONS = (
    "dataflow.functions.func_graph",
    "dataflow.library.concrete.function",
    "dataflow.library.concrete.defun",
    "dataflow.library.concrete.polymorphic",
)
_STAGES = "dataflow.porting.spellings.data"
_TRACKABLES = ("dataflow.porting.spellings.trackables", "dataflow.variables.tracked")
_FOLDERS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "client": {
        "device_lib": ("dataflow.porting.spellings.devices",),
        "session": (*_SESSION, "dataflow.porting.spellings.devices"),
        "timeline": ("dataflow.porting.spellings.timeline",),
    },
    "data.experimental.ops": {
        "cardinality": (*_EXPERIMENTAL_DATA, "dataflow.library.datasets.nodes"),
    }
    | _each(
        "batching counter enumerate_ops error_ops get_single_element grouping "
        "interleave_ops parallel_interleave random_ops resampling scan_ops shuffle_ops "
        "take_while_ops unique",
        _EXPERIMENTAL_DATA,
    ),
    "data.ops": {
        "options": (*_DATA, *_EXPERIMENTAL_DATA),
        "readers": _DATA,
        "dataset_ops": (*_DATA, f"{_STAGES}.datasets", f"{_STAGES}.stages", *_EXPERIMENTAL_DATA),
        "iterator_ops": (
            *(*_DATA, "dataflow.library.datasets.iterators", f"{_STAGES}.iterators"),
            *_EXPERIMENTAL_DATA,
        ),
        "optional_ops": (*_EXPERIMENTAL_DATA, f"{_STAGES}.optionals"),
    },
    "data.util": {"nest": ("dataflow.porting.spellings.data.nests",)},
    "eager": {
        "backprop": (PUBLIC,),
        "context": (PUBLIC, "dataflow.porting.spellings.eager.mode"),
        "def_function": (*_FUNCTIONS, PUBLIC),
        "function": (*_FUNCTIONS, "dataflow.porting.spellings.eager.mode"),
        "monitoring": ("dataflow.porting.spellings.monitoring",),
        "test": ("dataflow.test",),
        "wrap_function": (PUBLIC,),
    },
    "feature_column": _each(
        "feature_column feature_column_lib feature_column_v2 sequence_feature_column",
        (
            "dataflow.feature_column",
            "dataflow.porting.spellings.columns.names",
            "dataflow.porting.spellings.columns.older",
            "dataflow.keras.layers.features",
            "dataflow.keras.layers.column_state",
            "dataflow.porting.spellings.columns.linear_models",
        ),
    ),
    "framework": {
        "device": (PUBLIC, "dataflow.porting.spellings.devices"),
        "device_spec": (PUBLIC, "dataflow.porting.spellings.devices"),
        "dtypes": ("dataflow.dtypes", PUBLIC, "dataflow.porting.spellings.framework.element_types"),
        "errors": ("dataflow.errors",),
        "errors_impl": ("dataflow.errors", "dataflow.porting.spellings.framework.failures"),
        "function": (
            PUBLIC,
            "dataflow.library.defun_graph",
            "dataflow.porting.spellings.framework.defined_functions",
        ),
        "graph_io": _TRAIN,
        "graph_util": ("dataflow.graph_util", "dataflow.porting.spellings.framework.node_names"),
        "graph_util_impl": (
            "dataflow.graph_util",
            "dataflow.porting.spellings.framework.node_names",
        ),
        "importer": (PUBLIC,),
        "indexed_slices": (
            PUBLIC,
            "dataflow.graph.indexed_slices",
        ),
        "meta_graph": ("dataflow.porting.spellings.framework.meta_graphs", *_TRAIN),
        "op_def_registry": ("dataflow.porting.spellings.framework.registry",),
        "ops": _GRAPH,
        "random_seed": (PUBLIC, "dataflow.graph.random_seed"),
        "smart_cond": _CONTROL,
        "composite_tensor": ("dataflow.values.composite_tensor",),
        "sparse_tensor": (PUBLIC, "dataflow.graph.sparse_tensor"),
        "tensor_shape": (*_SHAPES, "dataflow.porting.spellings.framework.ranks"),
        "tensor_spec": (PUBLIC, "dataflow.porting.spellings.framework.type_specs"),
        "tensor_util": _CONSTANTS,
        "type_spec": (PUBLIC, "dataflow.porting.spellings.framework.type_specs"),
        "test_util": (
            "dataflow.porting.spellings.framework.testing",
            "dataflow.porting.spellings.later.testing",
            "dataflow.test",
        ),
    },
    "debug": dict.fromkeys(
        (
            "lib.debug_data",
            "lib.debug_utils",
            "wrappers.dumping_wrapper",
            "wrappers.framework",
            "wrappers.grpc_wrapper",
            "wrappers.hooks",
            "wrappers.local_cli_wrapper",
        ),
        _DEBUG,
    ),
    "estimator": {
        **_each(
            "canned.baseline canned.dnn canned.dnn_linear_combined canned.head canned.linear "
            "canned.metric_keys canned.optimizers canned.parsing_utils canned.prediction_keys "
            "estimator estimator_lib mode_keys model_fn run_config",
            ("dataflow.porting.spellings.estimators", *_ESTIMATOR),
        ),
        **_each("export.export export.export_lib", (*_EXPORTING, "dataflow.estimation.receivers")),
        "export.export_output": ("dataflow.estimation.export_outputs",),
        **_each("inputs.inputs inputs.numpy_io inputs.pandas_io", ("dataflow.estimator.inputs",)),
        "keras": ("dataflow.keras.estimator",),
        **_each("exporter training", _ESTIMATOR),
        "util": ("dataflow.porting.spellings.decorators", "dataflow.estimation.input_results"),
    },
    "layers": dict.fromkeys(
        ("base", "convolutional", "core", "layers", "normalization", "pooling"), _LAYERS
    )
    | {
        "utils": (
            "dataflow.porting.spellings.lengths",
            "dataflow.control_flow.smart_cond",
            "dataflow.porting.spellings.inner.subgraphs",
            *_CONSTANTS,
        )
    },
    "lib.io": {
        "file_io": ("dataflow.porting.spellings.files",),
        "tf_record": _IO,
        "python_io": _IO,
    },
    "ops": {
        "array_ops": (PUBLIC, "dataflow.ops.array.shape", "dataflow.porting.spellings.ops.arrays"),
        "bitwise_ops": ("dataflow.bitwise",),
        "candidate_sampling_ops": _NN,
        "check_ops": _CHECKS,
        "clip_ops": (PUBLIC,),
        "cond_v2": ("dataflow.control_flow.cond_v2", *_CONTROL),
        "confusion_matrix": ("dataflow.math", PUBLIC, "dataflow.library.confusion_matrix"),
        "control_flow_ops": _CONTROL,
        "control_flow_util": ("dataflow.porting.spellings.ops.contexts",),
        "ctc_ops": (
            *_NN,
            "dataflow.porting.spellings.ops.ctc",
            "dataflow.porting.spellings.inner.ctc_states",
        ),
        "distributions.bernoulli": ("dataflow.distributions",),
        "distributions.beta": _DISTRIBUTIONS,
        "distributions.categorical": ("dataflow.distributions",),
        "distributions.dirichlet": ("dataflow.distributions",),
        "distributions.dirichlet_multinomial": ("dataflow.distributions",),
        "distributions.distribution": ("dataflow.distributions",),
        "distributions.distributions": ("dataflow.distributions",),
        "distributions.exponential": _DISTRIBUTIONS,
        "distributions.gamma": _DISTRIBUTIONS,
        "distributions.kullback_leibler": ("dataflow.library.distributions.kullback_leibler",),
        "distributions.laplace": _DISTRIBUTIONS,
        "distributions.multinomial": ("dataflow.distributions",),
        "distributions.normal": _DISTRIBUTIONS,
        "distributions.student_t": _DISTRIBUTIONS,
        "distributions.uniform": ("dataflow.distributions",),
        "data_flow_ops": ("dataflow.queue", "dataflow.porting.spellings.ops.data_flow", *_TRAIN),
        "embedding_ops": (*_NN, "dataflow.library.embedding"),
        "functional_ops": ("dataflow.porting.spellings.ops.functional", PUBLIC),
        "gen_image_ops": ("dataflow.image",),
        "gradient_checker": ("dataflow.test", "dataflow.testing.gradient_checker"),
        "gradients": (PUBLIC,),
        "gradients_impl": (PUBLIC, "dataflow.porting.spellings.ops.gradients"),
        "histogram_ops": (PUBLIC,),
        **_each(
            "image_ops image_ops_impl",
            ("dataflow.porting.spellings.ops.images", "dataflow.image", PUBLIC),
        ),
        "init_ops": (
            *_INITIALIZERS,
            "dataflow.variables.convolution_initializers",
            "dataflow.porting.spellings.ops.sampling",
        ),
        "init_ops_v2": ("dataflow.keras.initializers", *_INITIALIZERS),
        "inplace_ops": ("dataflow.porting.spellings.ops.inplace",),
        "io_ops": _IO,
        **_each(
            "linalg.linear_operator linalg.linear_operator_adjoint "
            "linalg.linear_operator_block_diag linalg.linear_operator_circulant "
            "linalg.linear_operator_composition linalg.linear_operator_diag "
            "linalg.linear_operator_full_matrix linalg.linear_operator_householder "
            "linalg.linear_operator_identity linalg.linear_operator_inversion "
            "linalg.linear_operator_kronecker linalg.linear_operator_low_rank_update "
            "linalg.linear_operator_lower_triangular linalg.linear_operator_permutation "
            "linalg.linear_operator_toeplitz linalg.linear_operator_zeros linalg.linalg",
            ("dataflow.linalg",),
        ),
        "linalg.linalg_impl": ("dataflow.porting.spellings.linalg.functions", "dataflow.linalg"),
        "linalg.linear_operator_addition": ("dataflow.porting.spellings.linalg.additions",),
        "linalg.linear_operator_util": ("dataflow.porting.spellings.linalg.linear_operators",),
        "linalg_ops": ("dataflow.linalg", PUBLIC),
        "logging_ops": (
            *("dataflow.porting.spellings.ops.strings", PUBLIC),
            "dataflow.porting.spellings.inner.event_writers",
        ),
        "losses.losses": ("dataflow.losses",),
        "losses.losses_impl": ("dataflow.losses", "dataflow.porting.spellings.nets.losses"),
        "losses.util": ("dataflow.losses", "dataflow.porting.spellings.keras.sample_weights"),
        "map_fn": (PUBLIC,),
        "math_ops": (
            "dataflow.math",
            PUBLIC,
            "dataflow.porting.spellings.ops.arrays",
            "dataflow.porting.spellings.ops.gradients",
        ),
        "metrics_impl": ("dataflow.metrics", "dataflow.porting.spellings.ops.metrics"),
        "nn": _NN,
        "nn_impl": (*_NN, "dataflow.porting.spellings.ops.sampling"),
        "nn_ops": (*_NN, "dataflow.porting.spellings.keras.convolutions"),
        "numerics": (PUBLIC, "dataflow.debugging"),
        "parsing_ops": ("dataflow.porting.spellings.data.raw_bytes", *_IO),
        "partitioned_variables": (PUBLIC,),
        **_each(
            "ragged.ragged_array_ops ragged.ragged_batch_gather_ops ragged.ragged_bincount_ops "
            "ragged.ragged_concat_ops ragged.ragged_conversion_ops ragged.ragged_factory_ops "
            "ragged.ragged_functional_ops ragged.ragged_gather_ops ragged.ragged_getitem "
            "ragged.ragged_map_ops ragged.ragged_math_ops ragged.ragged_ops "
            "ragged.ragged_squeeze_op ragged.ragged_tensor "
            "ragged.ragged_tensor_value ragged.ragged_where_op ragged.row_partition "
            "ragged.segment_id_ops",
            _RAGGED,
        ),
        "ragged.ragged_string_ops": (
            "dataflow.porting.spellings.ops.ragged_strings",
            *_RAGGED,
        ),
        "random_crop_ops": (PUBLIC,),
        "random_ops": ("dataflow.random", PUBLIC, "dataflow.ops.random.truncated"),
        "resource_variable_ops": (
            PUBLIC,
            "dataflow.variables.resource_variable",
            "dataflow.porting.spellings.ops.resource_variables",
        ),
        "resources": ("dataflow.variables.resources",),
        "rnn": (
            "dataflow.nn",
            "dataflow.porting.older.nets",
            "dataflow.porting.spellings.nets.recurrent",
        ),
        "rnn.rnn_cell_impl": _CELLS,
        "rnn_cell": _CELLS,
        "rnn_cell_impl": _CELLS,
        "script_ops": (
            "dataflow.eager.py_function",
            "dataflow.porting.spellings.ops.scripts",
            PUBLIC,
        ),
        "session_ops": (PUBLIC, "dataflow.session.handles"),
        "sets": ("dataflow.sets",),
        **_each(
            "signal.dct_ops signal.fft_ops signal.mel_ops signal.mfcc_ops "
            "signal.reconstruction_ops signal.shape_ops signal.signal signal.spectral_ops "
            "signal.window_ops",
            ("dataflow.signal",),
        ),
        "sparse_ops": ("dataflow.porting.spellings.ops.sparse", "dataflow.sparse", PUBLIC),
        "special_math_ops": ("dataflow.math", PUBLIC),
        "standard_ops": (PUBLIC,),
        "state_ops": (PUBLIC, "dataflow.porting.spellings.ops.states"),
        "lookup_ops": (
            "dataflow.library.lookup.vocabularies",
            "dataflow.contrib.lookup",
            "dataflow.lookup",
            "dataflow.porting.spellings.ops.data_flow",
            PUBLIC,
        ),
        "string_ops": ("dataflow.porting.spellings.ops.strings", "dataflow.strings", PUBLIC),
        "summary_op_util": ("dataflow.porting.spellings.ops.summaries",),
        "summary_ops": ("dataflow.summary",),
        "summary_ops_v2": (
            "dataflow.contrib.summary",
            "dataflow.recording.written",
            "dataflow.recording.of_graphs",
            "dataflow.recording.default_writer",
            "dataflow.recording.resource_writer",
            "dataflow.porting.spellings.ops.summaries",
        ),
        "unconnected_gradients": (PUBLIC,),
        "tensor_array_ops": (PUBLIC, "dataflow.porting.spellings.ops.flow"),
        "variable_scope": (
            PUBLIC,
            "dataflow.porting.spellings.ops.variables",
            "dataflow.porting.spellings.ops.scopes",
        ),
        "variables": (
            "dataflow.porting.spellings.ops.variables",
            *_TRAIN,
            "dataflow.variables.partitioned",
        ),
        "weights_broadcast_ops": ("dataflow.library.weights",),
        "while_v2": ("dataflow.control_flow.while_v2", *_CONTROL),
    },
    "profiler": {
        "model_analyzer": _PROFILER,
        "option_builder": _PROFILER,
        "profile_context": ("dataflow.contrib.tfprof.profile_context",),
        "profiler": _PROFILER,
        "tfprof_logger": ("dataflow.profiling.op_log",),
    },
    "saved_model": {
        name: tuple(f"dataflow.saving.saved_model.{each}" for each in sources)
        for name, sources in {
            "builder": ("builder",),
            "builder_impl": ("builder", "assets"),
            "constants": ("constants",),
            "loader": ("loader", "files"),
            "main_op": ("main_op",),
            "main_op_impl": ("main_op",),
            "path_helpers": ("paths",),
            "signature_constants": ("signature_constants",),
            "signature_def_utils": ("signature_defs", "method_names"),
            "signature_def_utils_impl": ("signature_defs",),
            "simple_save": ("simple_save",),
            "tag_constants": ("tag_constants",),
            "utils": ("tensor_infos",),
            "utils_impl": ("tensor_infos", "paths"),
        }.items()
    },
    "summary": {"summary": ("dataflow.summary",), "summary_iterator": _TRAIN},
    "summary.writer": {
        "writer": ("dataflow.summary", "dataflow.porting.spellings.inner.event_writers"),
        "writer_cache": ("dataflow.summary",),
    },
    "tools": {
        "freeze_graph": ("dataflow.transforms.freeze", "dataflow.transforms.tools.freeze_graph"),
        "inspect_checkpoint": ("dataflow.transforms.inspect_checkpoint",),
        "optimize_for_inference_lib": (
            "dataflow.transforms.inference",
            "dataflow.transforms.batch_norms",
            "dataflow.transforms.views",
        ),
        "saved_model_cli": (
            "dataflow.transforms.tools.saved_model_cli",
            "dataflow.transforms.tools.saved_model_inputs",
        ),
        "saved_model_utils": ("dataflow.transforms.saved_model_files",),
        "strip_unused_lib": ("dataflow.transforms.strip_unused",),
    },
    "training": {
        "basic_session_run_hooks": (*_HOOKS, "dataflow.porting.spellings.nets.hooks"),
        "checkpoint_management": (
            *_TRAIN,
            "dataflow.porting.spellings.checkpoints",
            "dataflow.saving.checkpoint.manager",
        ),
        "checkpoint_utils": (*_TRAIN, "dataflow.contrib.training"),
        "evaluation": ("dataflow.porting.spellings.evaluation",),
        "moving_averages": _AVERAGES,
        "training_util": (*_TRAIN, "dataflow.porting.spellings.global_steps"),
        "checkpoint_state_pb2": ("dataflow.proto.checkpoint_state_pb2",),
        "saveable_object": ("dataflow.library.saveable_object",),
        "device_setter": (*_TRAIN, "dataflow.training.device_setter"),
        "slot_creator": ("dataflow.training.slot_creator",),
        **_each(
            "checkpoint_ops warm_starting_util", (*_TRAIN, "dataflow.porting.spellings.saving")
        ),
        "summary_io": ("dataflow.summary", *_TRAIN, "dataflow.porting.spellings.events"),
        **_each("tracking.base tracking.data_structures tracking.tracking", _TRACKABLES),
        "tracking.graph_view": ("dataflow.porting.spellings.graph_views",),
        "tracking.util": (*_TRAIN, *_TRACKABLES),
        "monitored_session": (*_TRAIN, "dataflow.porting.spellings.sessions"),
        "input": (*_TRAIN, "dataflow.porting.spellings.data.queues"),
        **_each(
            "adadelta adagrad adagrad_da adam basic_loops coordinator distribute ftrl "
            "gradient_descent learning_rate_decay momentum proximal_adagrad "
            "proximal_gradient_descent queue_runner queue_runner_impl rmsprop server_lib "
            "session_manager session_run_hook supervisor sync_replicas_optimizer training "
            "training_ops",
            _TRAIN,
        ),
    },
    "util": {
        "all_util": _EXPORTS,
        "compat": ("dataflow.compat",),
        "compat.collections_abc": ("collections.abc",),
        "deprecation": ("dataflow.porting.spellings.util.deprecations", *_EXPORTS),
        "function_utils": _DECORATORS,
        "lazy_loader": _EXPORTS,
        "nest": _NEST,
        "tf_contextlib": ("contextlib",),
        "tf_decorator": ("dataflow.porting.spellings.util.wrappers",),
        "tf_export": ("dataflow.porting.spellings.util.exported_names",),
        "tf_inspect": ("dataflow.porting.spellings.util.inspection", "inspect"),
    },
}

_OLDER: Final[Mapping[str, tuple[str, ...]]] = (
    {
        f"tensorflow.python.{folder}.{name}": sources
        for folder, modules in _FOLDERS.items()
        for name, sources in modules.items()
    }
    | inner_sources(PUBLIC)
    | contrib_sources()
    | v2_sources(PUBLIC)
    | tpu_sources()
    | {
        f"tensorflow.python.{name}": sources
        for name, sources in _FOLDERS["ops"].items()
        if "." not in name and name.endswith("_ops")
    }
    # What the modules of layers import by these names, slim shows as its own.
    | {
        f"tensorflow.contrib.slim.{name}": _FOLDERS["ops"][name]
        for name in ["array_ops", "init_ops", "math_ops", "nn_ops", "random_ops"]
    }
    | keras_sources()
    | {
        "tensorflow": ("dataflow.porting.older.top", PUBLIC),
        "tensorflow.compat": ("dataflow.compat",),
        **_each("tensorflow.autograph tensorflow.compat.v1.autograph", _AUTOGRAPH[:1]),
        **_each(
            "tensorflow.autograph.experimental tensorflow.compat.v1.autograph.experimental"
            " tensorflow.python.autograph tensorflow.python.autograph.impl.api",
            _AUTOGRAPH,
        ),
        "tensorflow.compat.v1": (PUBLIC,),
        "tensorflow.contrib.framework": (
            "dataflow.contrib.framework",
            "dataflow.control_flow.smart_cond",
            "dataflow.porting.spellings.util.deprecations",
        ),
        "tensorflow.contrib.framework.nest": _NEST,
        **_each(
            "tensorflow.contrib.testing tensorflow.contrib.testing.python.framework.util_test"
            " tensorflow.contrib.testing.python.framework.fake_summary_writer",
            ("dataflow.porting.spellings.recorded",),
        ),
        "tensorflow.contrib.seq2seq.python.ops.decoder": (
            "dataflow.contrib.seq2seq",
            "dataflow.porting.spellings.nets.recurrent",
        ),
        "tensorflow.python.saved_model.nested_structure_coder": (
            "dataflow.porting.spellings.structure_messages",
        ),
        "tensorflow.core.protobuf.config_pb2": (
            "dataflow.proto.config_pb2",
            "dataflow.proto.rpc_options_pb2",
        ),
        "tensorflow.contrib.seq2seq": (
            "dataflow.contrib.seq2seq",
            "dataflow.porting.older.decoders",
        ),
        "tensorflow.python.tf2": ("dataflow.porting.spellings.versions",),
        "tensorflow.examples.tutorials.mnist.input_data": _MNIST,
        "tensorflow.examples.tutorials.mnist.mnist": ("dataflow.porting.spellings.examples.mnist",),
        "tensorflow.models.rnn.rnn": ("dataflow.porting.older.nets", "dataflow.nn"),
        "tensorflow.models.rnn.rnn_cell": _CELLS,
        "tensorflow.models.rnn.seq2seq": _LEGACY,
        "tensorflow.nn.rnn_cell": _CELLS,
        "tensorflow.nn.seq2seq": _LEGACY,
        "tensorflow.python.ops.seq2seq": _LEGACY,
        "tensorflow.image": ("dataflow.porting.older.pictures", "dataflow.image"),
        "tensorflow.nn": ("dataflow.porting.older.nets", "dataflow.nn"),
        "tensorflow.python.data": _DATA,
        "tensorflow.python.debug": _DEBUG,
        "tensorflow.python.pywrap_tensorflow": (
            *_TRAIN,
            "dataflow.porting.spellings.events",
            "dataflow.porting.spellings.framework.c_interface",
        ),
        "tensorflow.tools.compatibility.all_renames_v2": (
            "dataflow.porting.spellings.util.module_wrappers",
        ),
        "tensorflow.tools.graph_transforms": ("dataflow.transforms.transform_graph",),
        "tensorflow.python.saved_model.saved_model": ("dataflow.saved_model",),
        "tensorflow.python.ops.losses": ("dataflow.losses",),
        "tensorflow.python.ops.metrics": (
            "dataflow.metrics",
            "dataflow.porting.spellings.ops.metrics",
        ),
    }
)
SOURCES: Final[Mapping[str, tuple[str, ...]]] = {**_OLDER, **later_sources(_OLDER)}
"""Path -> the modules that are asked for its names, one after the other."""

PACKAGES: Final = frozenset(
    path.rsplit(".", count)[0] for path in SOURCES for count in range(1, path.count(".") + 1)
) | {"tensorflow.core", *(f"tensorflow.core.{below}" for below in _CORE.split())}
"""Paths that have others below them."""
