"""Who may import whom: the table that `test_layering.py` holds the sources to.

A new module of `dataflow/` is given a layer here; until then the test fails and says so.
"""

from __future__ import annotations

LAYERS: dict[str, tuple[str, ...]] = {
    # Knows nothing of graphs: dtypes, shapes, names of devices, errors, messages, attr values.
    "values": (
        "dataflow.attrs",
        "dataflow.cluster_spec",
        "dataflow.composite_tensor",
        "dataflow.config",
        "dataflow.deprecated_args",
        "dataflow.device_attributes",
        "dataflow.device_info",
        "dataflow.devices",
        "dataflow.dtypes",
        "dataflow.errors",
        "dataflow.garbage",
        "dataflow.logging",
        "dataflow.nest",
        "dataflow.nest_*",
        "dataflow.proto",
        "dataflow.shapes",
        "dataflow.strided_slices",
        "dataflow.tensor_proto",
        "dataflow.tensor_proto_*",
        "dataflow.tensor_values",
        "dataflow.versions",
        "dataflow.wire_fault",
    ),
    # What an op is: schema, shape function, gradient; and whether a NodeDef keeps to it.
    "opdef": (
        "dataflow.attr_values",
        "dataflow.function_instantiation",
        "dataflow.function_library",
        "dataflow.function_signature",
        "dataflow.node_order",
        "dataflow.node_validation",
        "dataflow.op_def_proto",
        "dataflow.op_schema",
        "dataflow.op_summary",
        "dataflow.opdef",
        "dataflow.shape_functions",
        "dataflow.shape_functions_*",
    ),
    # The front-end graph and the stacks that say where a new node goes.
    "graph": (
        "dataflow.constant_value",
        "dataflow.creation_site",
        "dataflow.default_stacks",
        "dataflow.graph",
        "dataflow.graph_*",
        "dataflow.operation",
        "dataflow.random_seed",
        "dataflow.scopes",
        "dataflow.shape_inference",
        "dataflow.tensor",
    ),
    # Making nodes: values to tensors, attrs, names.
    "apply": (
        "dataflow.apply_op",
        "dataflow.convert",
        "dataflow.indexed_slices",
        "dataflow.sparse_tensor",
    ),
    "ops": ("dataflow.ops", "dataflow.raw_ops"),
    # Library code, built only on ops.
    "library": (
        "dataflow.automatic_control",
        "dataflow.checkpoint",
        "dataflow.check_*",
        "dataflow.clip_ops",
        "dataflow.control_flow",
        "dataflow.custom_gradient",
        "dataflow.defun_graph",
        "dataflow.device_setter",
        "dataflow.func_graph",
        "dataflow.func_graph_*",
        "dataflow.function",
        "dataflow.function_calls",
        "dataflow.function_def_import",
        "dataflow.function_hash",
        "dataflow.function_shapes",
        "dataflow.gradient_*",
        "dataflow.gradients",
        "dataflow.embedding",
        "dataflow.graph_io",
        "dataflow.graph_util",
        "dataflow.swish",
        "dataflow.body_freezing",
        "dataflow.variable_freezing",
        "dataflow.import_graph",
        "dataflow.import_graph_*",
        "dataflow.inspection",
        "dataflow.layers",
        "dataflow.partition_info",
        "dataflow.partitioned",
        "dataflow.ref_variable",
        "dataflow.resource_variable",
        "dataflow.resource_variable_*",
        "dataflow.rnn",
        "dataflow.sparsity",
        "dataflow.summary",
        "dataflow.symbolic_gradients",
        "dataflow.template",
        "dataflow.tensor_array",
        "dataflow.functional",
        "dataflow.table_initializers",
        "dataflow.variable_*",
        "dataflow.variables",
    ),
    # The compiler, over NodeGraph: meets the front-end graph only in GraphDef.
    "passes": ("dataflow.passes",),
    # The seam to the back end.
    "runtime": ("dataflow.runtime",),
    "trace": ("dataflow.trace",),
    "session": (
        "dataflow.base_session",
        "dataflow.feed_mapper",
        "dataflow.fetch_mapper",
        "dataflow.server",
        "dataflow.session",
        "dataflow.session_*",
    ),
    # Training loops drive sessions.
    "training": ("dataflow.training",),
    # The public names.
    "api": (
        "dataflow",
        "dataflow.app",
        "dataflow.array_assertions",
        "dataflow.behavior",
        "dataflow.bitwise",
        "dataflow.cli",
        "dataflow.compat",
        "dataflow.debugging",
        "dataflow.flags",
        "dataflow.gradient_checker",
        "dataflow.graph_test_case",
        "dataflow.initializers",
        "dataflow.io",
        "dataflow.linalg",
        "dataflow.manip",
        "dataflow.math",
        "dataflow.nn",
        "dataflow.random",
        "dataflow.test",
        "dataflow.special_math",
        "dataflow.train",
    ),
    "kernels": ("dataflow.kernels",),
    "actors": ("dataflow.actors",),
}
"""Layer -> modules. A module stands for its submodules unless they are listed themselves; a name
goes before a pattern."""

_FRONT = ("values", "opdef", "graph", "apply", "ops", "library")

MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "values": (),
    "opdef": _FRONT[:1],
    "graph": _FRONT[:2],
    "apply": _FRONT[:3],
    "ops": _FRONT[:4],
    "library": _FRONT[:5],
    "passes": ("values", "opdef"),
    "runtime": ("values",),
    "trace": ("values",),
    "session": (*_FRONT, "passes", "runtime", "trace"),
    "training": (*_FRONT, "runtime", "trace", "session"),
    "api": (*_FRONT, "passes", "runtime", "trace", "session", "training"),
    "kernels": ("values",),
    "actors": ("values", "opdef", "passes", "runtime", "trace", "kernels"),
}
"""Layer -> layers it may import besides its own."""

LAZY_SEAMS: dict[str, tuple[str, ...]] = {"dataflow.runtime": ("dataflow.actors",)}
"""Module -> packages it may import inside a function though they stand above it."""

FRONT_END = ("numpy", "google", "ml_dtypes")

THIRD_PARTY: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("dataflow/cli.py", (*FRONT_END, "click", "rich")),
    ("dataflow/**", FRONT_END),
    ("actors/transfers/gpu.py", ("numpy", "ml_dtypes", "msgpack", "ray", "cupy", "cupyx")),
    ("actors/transfers/**", ("numpy", "ml_dtypes", "msgpack", "ray")),
    ("actors/cluster.py", ("numpy", "google", "ray")),
    ("actors/ray_*.py", ("numpy", "google", "ml_dtypes", "msgpack", "ray")),
    ("actors/small_machine.py", ("numpy", "numexpr")),
    ("actors/**", ("numpy", "google", "ml_dtypes", "msgpack", "threadpoolctl")),
    ("kernels/gpu/**", ("numpy", "ml_dtypes", "cupy", "cupyx")),
    ("kernels/blas.py", ("threadpoolctl",)),
    ("kernels/**", ("numpy", "ml_dtypes", "scipy")),
)
"""Glob -> third-party packages its files may import; the first glob that matches counts."""

TYPING_ONLY = ("typing_extensions",)
"""Comes with mypy and is no dependency: under `if TYPE_CHECKING` only."""

LOADERS_OF_CODE = ("cloudpickle", "dill", "marshal", "pickle", "shelve")
"""Nothing that is loaded may run code, so these stay out of every file but the next ones."""

MAY_LOAD_CODE = ("actors/ray_*.py",)
"""Ships the user's own Python functions to the user's own actors."""
