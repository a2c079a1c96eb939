"""The table: where the names of TensorFlow's internal paths are to be found in this library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

PUBLIC: Final = "dataflow"


def _each(names: str, sources: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    return dict.fromkeys(names.split(), sources)


_NN = ("dataflow.nn", PUBLIC)
_TRAIN = ("dataflow.train", PUBLIC)
_IO = ("dataflow.io", "dataflow.python_io", PUBLIC)
_LAYERS = ("dataflow.layers", "dataflow.porting.spellings.layers")
_CELLS = ("dataflow.nn.rnn_cell", "dataflow.library.rnn.cell")
_CONTROL = (
    PUBLIC,
    "dataflow.ops.basic.grouping",
    "dataflow.control_flow.primitives",
    "dataflow.control_flow.smart_cond",
    "dataflow.control_flow.context",
    "dataflow.control_flow.cond_context",
    "dataflow.control_flow.while_context",
)
_INITIALIZERS = (
    PUBLIC,
    "dataflow.variables.initializers",
    "dataflow.variables.scaled_initializers",
)
_SHAPES = (PUBLIC, "dataflow.values.shapes")
_GRAPH = (
    PUBLIC,
    "dataflow.graph.convert",
    "dataflow.graph.scopes",
    "dataflow.graph.collection_protos",
)
_CONSTANTS = (PUBLIC, "dataflow.graph.constant_value", "dataflow.values.tensor_proto")
_HOOKS = (*_TRAIN, "dataflow.training.hooks.timers")
_AVERAGES = (*_TRAIN, "dataflow.training.moving_averages")
_NEST = ("dataflow.nest", "dataflow.values.nest", "dataflow.porting.spellings.structures")
_DECORATORS = ("dataflow.porting.spellings.decorators",)

_FOLDERS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "client": {
        "device_lib": ("dataflow.porting.spellings.devices",),
        "session": (PUBLIC,),
        "timeline": ("dataflow.porting.spellings.timeline",),
    },
    "data.util": {"nest": _NEST},
    "eager": {"context": (PUBLIC,)},
    "framework": {
        "common_shapes": _SHAPES,
        "constant_op": (PUBLIC,),
        "device": (PUBLIC,),
        "dtypes": ("dataflow.dtypes", PUBLIC),
        "errors": ("dataflow.errors",),
        "errors_impl": ("dataflow.errors",),
        "function": (PUBLIC,),
        "graph_io": _TRAIN,
        "graph_util": ("dataflow.graph_util",),
        "graph_util_impl": ("dataflow.graph_util",),
        "importer": (PUBLIC,),
        "indexed_slices": (PUBLIC,),
        "meta_graph": _TRAIN,
        "ops": _GRAPH,
        "random_seed": (PUBLIC,),
        "smart_cond": _CONTROL,
        "sparse_tensor": (PUBLIC,),
        "tensor_shape": _SHAPES,
        "tensor_spec": (PUBLIC,),
        "tensor_util": _CONSTANTS,
        "test_util": ("dataflow.porting.spellings.testing", "dataflow.test"),
    },
    "layers": dict.fromkeys(
        ("base", "convolutional", "core", "layers", "normalization", "pooling"), _LAYERS
    )
    | {"utils": ("dataflow.control_flow.smart_cond", *_CONSTANTS)},
    "lib.io": {"tf_record": _IO, "python_io": _IO},
    "ops": {
        "array_ops": (PUBLIC, "dataflow.ops.array.shape"),
        "bitwise_ops": ("dataflow.bitwise",),
        "candidate_sampling_ops": _NN,
        "check_ops": ("dataflow.debugging", PUBLIC),
        "clip_ops": (PUBLIC,),
        "cond_v2": _CONTROL,
        "confusion_matrix": ("dataflow.math", PUBLIC),
        "constant_op": (PUBLIC,),
        "control_flow_ops": _CONTROL,
        "ctc_ops": _NN,
        "custom_gradient": (PUBLIC,),
        "data_flow_ops": ("dataflow.queue", "dataflow.contrib.staging", *_TRAIN),
        "embedding_ops": _NN,
        "functional_ops": (PUBLIC,),
        "gradient_checker": ("dataflow.test",),
        "gradients": (PUBLIC,),
        "gradients_impl": (PUBLIC,),
        "histogram_ops": (PUBLIC,),
        "init_ops": _INITIALIZERS,
        "init_ops_v2": _INITIALIZERS,
        "io_ops": _IO,
        "linalg_ops": ("dataflow.linalg", PUBLIC),
        "logging_ops": (PUBLIC,),
        "losses.losses": ("dataflow.losses",),
        "losses.losses_impl": ("dataflow.losses",),
        "losses.util": ("dataflow.losses",),
        "map_fn": (PUBLIC,),
        "math_ops": ("dataflow.math", PUBLIC),
        "metrics": ("dataflow.metrics",),
        "metrics_impl": ("dataflow.metrics",),
        "nn": _NN,
        "nn_impl": _NN,
        "nn_ops": _NN,
        "numerics": (PUBLIC, "dataflow.debugging"),
        "parsing_ops": _IO,
        "partitioned_variables": (PUBLIC,),
        "random_ops": ("dataflow.random", PUBLIC),
        "resource_variable_ops": (PUBLIC, "dataflow.variables.resource_variable"),
        "rnn": ("dataflow.nn", "dataflow.porting.older.nets"),
        "rnn_cell": _CELLS,
        "rnn_cell_impl": _CELLS,
        "script_ops": (PUBLIC,),
        "session_ops": (PUBLIC,),
        "sets": ("dataflow.sets",),
        "sparse_ops": ("dataflow.sparse", PUBLIC),
        "special_math_ops": ("dataflow.math", PUBLIC),
        "standard_ops": (PUBLIC,),
        "state_ops": (PUBLIC,),
        "lookup_ops": ("dataflow.contrib.lookup", "dataflow.lookup", PUBLIC),
        "string_ops": ("dataflow.strings", PUBLIC),
        "summary_ops": ("dataflow.summary",),
        "template": (PUBLIC,),
        "tensor_array_ops": (PUBLIC,),
        "variable_scope": (PUBLIC,),
        "variables": _TRAIN,
        "while_v2": _CONTROL,
    },
    "platform": {
        "app": ("dataflow.app",),
        "flags": ("dataflow.flags",),
        "gfile": ("dataflow.gfile",),
        "googletest": ("dataflow.test",),
        "test": ("dataflow.test",),
        "tf_logging": ("dataflow.logging",),
    },
    "summary": {"summary": ("dataflow.summary",)},
    "summary.writer": {
        "writer": ("dataflow.summary",),
        "writer_cache": ("dataflow.summary",),
    },
    "training": {
        "basic_session_run_hooks": _HOOKS,
        "moving_averages": _AVERAGES,
        "slot_creator": ("dataflow.training.slot_creator",),
        "summary_io": ("dataflow.summary", *_TRAIN),
    }
    | dict.fromkeys(
        [
            "adadelta",
            "adagrad",
            "adagrad_da",
            "adam",
            "basic_loops",
            "checkpoint_management",
            "checkpoint_ops",
            "checkpoint_state_pb2",
            "checkpoint_utils",
            "coordinator",
            "device_setter",
            "distribute",
            "ftrl",
            "gradient_descent",
            "input",
            "learning_rate_decay",
            "momentum",
            "monitored_session",
            "optimizer",
            "proximal_adagrad",
            "proximal_gradient_descent",
            "queue_runner",
            "queue_runner_impl",
            "rmsprop",
            "saver",
            "server_lib",
            "session_manager",
            "session_run_hook",
            "supervisor",
            "sync_replicas_optimizer",
            "training",
            "training_ops",
            "training_util",
            "warm_starting_util",
        ],
        _TRAIN,
    ),
    "util": {
        "compat": ("dataflow.compat",),
        "deprecation": _DECORATORS,
        "function_utils": _DECORATORS,
        "nest": _NEST,
        "tf_contextlib": ("contextlib",),
        "tf_decorator": _DECORATORS,
        "tf_export": _DECORATORS,
        "tf_inspect": ("dataflow.porting.spellings.decorators", "inspect"),
    },
}

_CONTRIB: Final[Mapping[str, tuple[str, ...]]] = {
    "": (),
    "framework": (),
    "framework.python": (),
    "framework.python.ops": ("framework",),
    "framework.python.ops.arg_scope": ("framework", "framework.arg_scope"),
    "framework.python.ops.variables": ("framework",),
    "layers": (),
    "layers.python": (),
    "layers.python.layers": ("layers",),
    "layers.python.layers.initializers": ("layers",),
    "layers.python.layers.layers": ("layers",),
    "layers.python.layers.regularizers": ("layers",),
    "layers.python.layers.utils": ("layers.collections",),
    "rnn": (),
    "rnn.python.ops": (),
    "rnn.python.ops.core_rnn": ("rnn",),
    "rnn.python.ops.core_rnn_cell": ("rnn",),
    "rnn.python.ops.rnn_cell": ("rnn",),
}
"""Internal paths of tf.contrib, and its public ones above them, where ours are below `contrib`."""


def _contrib() -> dict[str, tuple[str, ...]]:
    found = {}
    for path, sources in _CONTRIB.items():
        full = f"tensorflow.contrib.{path}".removesuffix(".")
        of = sources or ((path,) if not path.partition(".")[2] else ())
        found[full] = tuple(f"dataflow.contrib.{each}".removesuffix(".") for each in of)
    return found


SOURCES: Final[Mapping[str, tuple[str, ...]]] = (
    {
        f"tensorflow.python.{folder}.{name}": sources
        for folder, modules in _FOLDERS.items()
        for name, sources in modules.items()
    }
    | _contrib()
    | {
        "tensorflow": ("dataflow.porting.older.top", PUBLIC),
        "tensorflow.examples.tutorials.mnist.input_data": ("dataflow.porting.mnist",),
        "tensorflow.models.rnn.rnn_cell": _CELLS,
        "tensorflow.nn": ("dataflow.porting.older.nets", "dataflow.nn"),
        "tensorflow.python.pywrap_tensorflow": _TRAIN,
        "tensorflow.python.ops.losses": ("dataflow.losses",),
        "tensorflow.python.ops.metrics": ("dataflow.metrics",),
    }
)
"""Path -> the modules that are asked for its names, one after the other."""

PACKAGES: Final = frozenset(
    path.rsplit(".", count)[0] for path in SOURCES for count in range(1, path.count(".") + 1)
) | {
    "tensorflow.core",
    "tensorflow.core.example",
    "tensorflow.core.framework",
    "tensorflow.core.protobuf",
    "tensorflow.core.util",
}
"""Paths that have others below them."""
